"""Workloads with limited groups in a batch: each has a few placements, of which one is chosen that fits."""

from dataclasses import replace

from fairlead.models.check import check
from fairlead.models.cluster import CPU, Cluster
from fairlead.models.levels import DEFAULT_ORDER, Deviation
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Capacity, Spread, Total, Weights
from fairlead.models.workload import Workload
from fairlead.solver.batch.mixed.bounds import RelaxedBounds
from fairlead.solver.running.deadline import Deadline

NAMES = ("a", "b", "c")
ONE_REGION = Spread("region", {name.upper(): frozenset({name}) for name in NAMES}, 1, 1)


def alike(count: int) -> Problem:
    """Return workloads that like a best and stand in one region each; a region has room for one of them."""
    rules = (Candidates(NAMES), Total(), ONE_REGION, Weights({"a": 4, "b": 3, "c": 2}))
    made = tuple(
        Workload(f"w{number}", f"w{number}", 8, requests={CPU: 1000 + 10 * number}, rules=rules)
        for number in range(count)
    )
    clusters = tuple(Cluster(name, free={CPU: 10_000}) for name in NAMES)
    return Problem(clusters, made, (Capacity(),), DEFAULT_ORDER, Deviation.WEBSTER, balances=())


def test_workloads_that_like_the_same_group_get_groups_that_fit() -> None:
    """Three alike, three groups with room for one each: at the best prices all three take the same."""
    problem = alike(3)
    found = RelaxedBounds(problem).guess(Deadline())
    assert found is not None
    assert sorted(cluster for placed in found.values() for cluster in placed) == list(NAMES)
    assert not check(problem, Placement(found))


def test_what_breaks_a_rule_is_no_column() -> None:
    """Two of one region, at least two regions: no column keeps that, and the workload is left to others."""
    problem = alike(2)
    first, second = problem.workloads
    narrow = replace(ONE_REGION, minimum=2, maximum=2)
    rules = tuple(narrow if isinstance(rule, Spread) else rule for rule in second.rules)
    one = replace(second, replicas=1, rules=rules)
    found = RelaxedBounds(replace(problem, workloads=(first, one))).guess(Deadline())
    assert found is not None
    assert set(found) == {first.key}
