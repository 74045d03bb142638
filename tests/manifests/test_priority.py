"""Workload priority: of every level, the more urgent workloads come first."""

import random
from dataclasses import replace

import pytest

from agreeing import assert_best
from fairlead.models.cluster import Cluster
from fairlead.models.levels import Deviation
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Capacity, Total, Weights
from fairlead.models.workload import Workload
from fairlead.solver.solve import solve
from orders import WITHOUT_BALANCE
from random_problems import random_problem
from seeds import runs

NAMES = ("member1", "member2")


def even(key: str, priority: int) -> Workload:
    """Return two replicas that want one on each cluster."""
    rules = (Candidates(NAMES), Total(), Weights({"member1": 1, "member2": 1}))
    return Workload(key, key, 2, requests={"cpu": 1000}, priority=priority, rules=rules)


def tight(*workloads: Workload) -> Problem:
    """Return a cluster with room for one replica, and one with room for three."""
    clusters = (Cluster("member1", free={"cpu": 1000}), Cluster("member2", free={"cpu": 3000}))
    return Problem(clusters, workloads, (Capacity(),), WITHOUT_BALANCE)


def test_the_more_urgent_workload_gets_its_ratio() -> None:
    """One of two workloads can be divided 1:1; equal ones settle it by name, urgent ones by priority."""
    both = {"a": {"member1": 1, "member2": 1}, "b": {"member2": 2}}
    urgent = {"a": {"member2": 2}, "b": {"member1": 1, "member2": 1}}
    equal = solve(tight(even("a", 0), even("b", 0)))
    assert equal.placement is not None
    assert equal.placement.to_dict() == both
    assert [(level.name, level.value) for level in equal.objectives] == [("deviation", 2)]
    ranked = solve(tight(even("a", 0), even("b", 100)))
    assert ranked.placement is not None
    assert ranked.placement.to_dict() == urgent
    assert [(level.name, level.value) for level in ranked.objectives] == [
        ("deviation (priority 100)", 0),
        ("deviation (priority 0)", 2),
    ]


def test_one_priority_for_all_is_not_named() -> None:
    """Where all are equally urgent the level has its plain name, whatever the number."""
    outcome = solve(tight(even("a", 7), even("b", 7)))
    assert [(level.name, level.value) for level in outcome.objectives] == [("deviation", 2)]


def assert_like_brute_force(seeds: range) -> None:
    """Compare random problems with random priorities with brute force."""
    feasible = 0
    for seed in seeds:
        deviation = tuple(Deviation)[seed % 3]
        drawn, rng = random_problem(seed, deviation), random.Random(f"priority {seed}")
        workloads = tuple(replace(each, priority=rng.choice([0, 5, 10])) for each in drawn.workloads)
        problem = replace(drawn, workloads=workloads)
        feasible += assert_best(problem, seed) is not None
    assert feasible > len(seeds) // 3


@pytest.mark.parametrize("seeds", runs(range(90), range(90, 1500)))
def test_random_priorities_like_brute_force(seeds: range) -> None:
    """All rules mixed."""
    assert_like_brute_force(seeds)
