"""Emissions: a level of its own that counts like prices, beside them."""

from dataclasses import replace

import pytest

import fairlead
from agreeing import assert_best
from batch_problems import random_batch
from builders import Manifest, clusters, deployment, policy
from fairlead.manifests.loading import load
from fairlead.models.levels import EMISSIONS, Deviation
from fairlead.models.problem import Problem
from fairlead.models.rules import Price, WorkloadRule
from loaded import only
from mixed_problems import emitting
from own_builders import EVEN, own, placed, told
from random_problems import random_problem


def swapped(problem: Problem) -> Problem:
    """Return a problem in which all that was cost is emissions, also in the order of the levels."""
    names = {"cost": "emissions", "emissions": "cost"}

    def counted(rule: WorkloadRule) -> WorkloadRule:
        return replace(rule, level=EMISSIONS) if isinstance(rule, Price) else rule

    workloads = tuple(
        replace(each, rules=tuple(map(counted, each.rules)), groups=()) for each in problem.workloads
    )
    levels = tuple(names.get(key, key) for key in problem.levels)
    return replace(problem, workloads=workloads, levels=levels)


def listing(**more: str) -> Manifest:
    """Return a list of numbers by cluster."""
    entries = [
        {"targetCluster": {"clusterNames": ["member1"]}, "pricePerReplica": "12.5"},
        {"targetCluster": {"clusterNames": ["member2"]}, "pricePerReplica": "40"},
    ]
    return own("PriceList", prices=entries, **more)


def test_a_list_of_emissions_is_minimised_like_one_of_prices() -> None:
    """All four replicas go where each emits 12.5 grams instead of 40."""
    problem = load(clusters(2), deployment(replicas=4), policy(placement=EVEN), listing(level="emissions"))
    outcome = fairlead.solve(problem)
    assert outcome.placement is not None
    assert outcome.placement["default/nginx"] == {"member1": 4}
    assert {level.name: level.value for level in outcome.objectives} == {"emissions": 50, "deviation": 4}


def test_cost_comes_first_and_emissions_decide_between_equals() -> None:
    """Of three clusters two cost the same; the one that emits less gets everything."""
    cheap = [
        {"targetCluster": {"clusterNames": ["member3"]}, "pricePerReplica": "2"},
        {"pricePerReplica": "1"},
    ]
    emitted = {**listing(level="emissions"), "metadata": {"name": "grams"}}
    problem = load(
        clusters(3), deployment(replicas=4), policy(placement=EVEN), own("PriceList", prices=cheap), emitted
    )
    assert [rule.level.key for rule in only(problem).rules_of(Price)] == ["emissions", "cost"]
    outcome = fairlead.solve(problem)
    assert outcome.placement is not None
    assert outcome.placement["default/nginx"] == {"member1": 4}


def test_clusters_without_a_number_are_named() -> None:
    """They count as if they emitted nothing."""
    entry = {"targetCluster": {"clusterNames": ["berlin", "paris"]}, "pricePerReplica": "1"}
    problem = placed(own("PriceList", prices=[entry], level="emissions"))
    free = "PriceList own has no price for boston, nowhere: counted as free of emissions"
    assert told(problem) == [f"{free} (default/nginx)"]


def test_two_lists_of_one_level_are_a_mistake() -> None:
    """One of each level is none."""
    second = {**listing(level="emissions"), "metadata": {"name": "second"}}
    with pytest.raises(fairlead.ManifestError, match="a workload takes one PriceList only"):
        load(clusters(2), deployment(), policy(placement=EVEN), listing(level="emissions"), second)


@pytest.mark.parametrize("seed", range(40))
def test_agrees_with_brute_force(seed: int) -> None:
    """On small problems with all other rules."""
    assert_best(emitting(random_problem(seed, Deviation.WEBSTER), seed))


@pytest.mark.parametrize("seed", range(12))
def test_batches_minimise_emissions_as_they_minimise_cost(seed: int) -> None:
    """The same numbers under the other name have the same answer, by prices as well."""
    problem = random_batch(seed, Deviation.WEBSTER, workloads=24, clusters=5)
    first, second = fairlead.solve(problem, seed=1), fairlead.solve(swapped(problem), seed=1)
    assert first.placement == second.placement
    assert [each.value for each in first.objectives] == [each.value for each in second.objectives]
