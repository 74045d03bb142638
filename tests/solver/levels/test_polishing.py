"""Placements that get better workload by workload."""

from dataclasses import replace

import pytest

from brute_force import placements
from fairlead.models.cluster import CPU, Cluster
from fairlead.models.levels import Deviation
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Bounds,
    Candidates,
    Capacity,
    Companionship,
    GroupTotal,
    Moves,
    Spread,
    Total,
    Weights,
    WorkloadRule,
)
from fairlead.models.rules.bounds import Bound
from fairlead.models.score import score
from fairlead.models.shortfall import refused
from fairlead.models.workload import Workload
from fairlead.solver.levels.polishing import polished
from random_problems import random_problem

BOTH = frozenset("ab")
SINGLE = {name: frozenset(name) for name in "ab"}
NEEDED: tuple[WorkloadRule, ...] = (
    Candidates(("a", "b")),
    Total(),
    Bounds(maximum={"a": Bound(3)}),
    Spread("cluster", SINGLE, 1, 2),
    GroupTotal("both", BOTH, 0, 4),
)
"""Rules that say which placements there are."""


def workload(*preferences: WorkloadRule, **current: int) -> Workload:
    """Return a workload of four one-cpu replicas that wants what is said."""
    return Workload(
        "w", "w", 4, requests={CPU: 1000}, current=current, rules=(*NEEDED, *preferences), due=False
    )


def problem(*workloads: Workload, **more: object) -> Problem:
    """Return a problem of two clusters of nine cores."""
    clusters = tuple(Cluster(name, free={CPU: 9000}) for name in "ab")
    return replace(Problem(clusters, workloads, (Capacity(),)), **more)  # type: ignore[arg-type]


MOVES = Moves(BOTH, keep=True)
WEIGHTS = Weights({"a": 1, "b": 1})


def test_polished_workloads_stand_as_well_as_the_others_let_them() -> None:
    """Nothing runs, 1 : 1: of 3, 1 and 1, 3 both become 2, 2, which is their quota."""
    both = [replace(workload(WEIGHTS), key=key) for key in ("v", "w")]
    part = problem(*both)
    found = polished(part, Placement({"v": {"a": 3, "b": 1}, "w": {"a": 1, "b": 3}}))
    assert found == Placement({"v": {"a": 2, "b": 2}, "w": {"a": 2, "b": 2}})


def test_polished_takes_no_more_than_is_left() -> None:
    """Cluster a has three cores and v holds two of them: w gets 1, 3, although 2, 2 is its quota."""
    quiet = [replace(workload(MOVES, a=2, b=2), key="v"), replace(workload(WEIGHTS), key="w")]
    part = Problem(
        (Cluster("a", free={CPU: 1000}), Cluster("b", free={CPU: 9000})), tuple(quiet), (Capacity(),)
    )
    found = polished(part, Placement({"v": {"a": 2, "b": 2}, "w": {"b": 4}}))
    assert found == Placement({"v": {"a": 2, "b": 2}, "w": {"a": 1, "b": 3}})


def test_polished_leaves_workloads_alone_that_are_tied_by_more_than_capacity() -> None:
    """One after the other would part companions."""
    both = [replace(workload(WEIGHTS), key=key) for key in ("v", "w")]
    part = replace(problem(*both), rules=(Capacity(), Companionship("group", ("v", "w"), together=True)))
    placement = Placement({"v": {"a": 3, "b": 1}, "w": {"a": 1, "b": 3}})
    assert polished(part, placement) is placement


@pytest.mark.parametrize("deviation", list(Deviation))
def test_polished_is_never_worse(deviation: Deviation) -> None:
    """Level by level, the first that differs is less; and every rule still holds."""
    seen = improved = 0
    for seed in range(160):
        part = replace(random_problem(seed, deviation), rules=(Capacity(),))
        placement = next(placements(part), None)
        if placement is None:
            continue
        found = polished(part, placement)
        assert not refused(part, found)
        before, after = (tuple(level.value for level in score(part, each)) for each in (placement, found))
        assert after <= before
        seen += 1
        improved += after < before
    assert seen >= 30
    assert improved
