"""Bounds and gaps that people see: none below what every placement costs, none above 100 %."""

import random
from fractions import Fraction

import pytest

import fairlead
from brute_force import brute_force
from fairlead.models.cluster import CPU, Cluster
from fairlead.models.levels import CLUSTERS, DEVIATION, Deviation
from fairlead.models.outcome import Attained, Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.result import gap_of
from fairlead.models.rules import (
    Aggregated,
    Candidates,
    Capacity,
    MovePrice,
    Moves,
    Total,
    Weights,
    WorkloadRule,
)
from fairlead.models.score import levels_of, score
from fairlead.models.workload import Workload
from fairlead.solver.answers.attainment import not_negative
from fairlead.solver.batch.mixed.bounds import RelaxedBounds
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.solve import solve
from random_problems import random_problem


@pytest.mark.parametrize(
    ("value", "bound", "expected"),
    [
        (4, 3, Fraction(1, 4)),
        (4, 4, Fraction(0)),
        (4, 0, Fraction(1)),
        (4, None, None),
        # A bound that says less than nothing tells as much as none: everything may be won.
        (4, -300, Fraction(1)),
        (0, 0, Fraction(0)),
        (-1, -2, Fraction(1)),
    ],
)
def test_a_gap_is_a_share_of_the_value(value: int, bound: int | None, expected: Fraction | None) -> None:
    """The gap lies between 0 and 1, whatever is known."""
    assert gap_of(value, bound) == expected


def test_a_bound_is_never_below_the_least_of_its_level() -> None:
    """What a search says less than the level itself is replaced; at its least a level is proven."""
    low = Attained("deviation", 3, bound=-500)
    assert not_negative(low) == Attained("deviation", 3, bound=0)
    assert not_negative(Attained("deviation", 0)) == Attained("deviation", 0, bound=0, proven=True)
    # A coarse proof stays one; it is as coarse as its bound is far.
    coarse = Attained("deviation", Fraction(1, 8), -1, proven=True, resolution=Fraction(9, 8))
    assert not_negative(coarse).resolution == Fraction(1, 8)


def test_moves_are_never_below_zero() -> None:
    """With a total what must stop is no move; without one nothing must, so all that runs may stay at 0."""
    names = ("a", "b")
    rules = (Candidates(names), Moves(frozenset(names)), MovePrice(Fraction(1, 2), frozenset(names)))
    clusters = tuple(Cluster(name) for name in names)

    def values(placed: dict[str, int], *more: WorkloadRule) -> dict[str, int | Fraction]:
        workload = Workload("w", "w", 2, current={"a": 3, "b": 2}, rules=(*rules, *more))
        problem = Problem(clusters, (workload,))
        scored = score(problem, Placement({"w": placed}))
        return {level.key: each.value for level, each in zip(levels_of(problem), scored, strict=True)}

    # 5 run, 2 are asked for: with the total 3 have to be stopped.
    assert values({"a": 2}, Total()) == {"net": 0, "moves-last": 0}
    assert values({"a": 3, "b": 2}) == {"net": 0, "moves-last": 0}
    # Nobody asked for it: the three that are stopped are moves.
    assert values({"a": 2}) == {"net": Fraction(3, 2), "moves-last": 3}


def test_why_where_no_rule_says_how_many() -> None:
    """Five run and all may stay, although two are asked for: nothing is gained by fewer."""
    rules = (Candidates(("a", "b")), Moves(frozenset("ab")))
    workload = Workload("w", "w", 2, current={"a": 3, "b": 2}, rules=rules, without=frozenset(["total"]))
    problem = Problem((Cluster("a"), Cluster("b")), (workload,), without=frozenset(["capacity"]))
    found = fairlead.why(problem, "w", workers=1)
    assert [each.value for each in found.outcome.objectives] == [0]
    assert str(found)


def settled_fleet(seed: int) -> tuple[Problem, Placement]:
    """Return workloads of which all run and fit, and where they run; half of them keep to few clusters."""
    rng = random.Random(seed)
    names = tuple(f"member{number}" for number in range(6))
    clusters = tuple(Cluster(name, free={CPU: 40_000}) for name in names)
    workloads = []
    for number in range(12):
        replicas = rng.randint(3, 30)
        room = {name: rng.randint(5, 400) for name in names}
        held = {rng.choice(names): replicas}
        few = (Aggregated(),) if number % 2 else ()
        rules = (
            Candidates(names),
            Total(),
            Weights(room, dynamic=True),
            Moves(frozenset(names), keep=True),
            *few,
        )
        key = f"w{number:02}"
        workloads.append(Workload(key, key, replicas, requests={CPU: 100}, current=held, rules=rules))
    problem = Problem(clusters, tuple(workloads), (Capacity(),))
    return problem, Placement({each.key: each.current for each in workloads})


@pytest.mark.parametrize("seed", range(4))
def test_prices_of_what_is_pinned_bound_the_levels_after_it(seed: int) -> None:
    """Where nothing may move, what runs is the only placement, and bounds are close enough to prove it."""
    problem, runs = settled_fleet(seed)
    values = dict(zip(levels_of(problem), (each.value for each in score(problem, runs)), strict=True))
    found = RelaxedBounds(problem).notes(runs, Deadline.after(60))
    notes = dict(zip(levels_of(problem), found, strict=True))
    # No replica moves; each aggregated workload stands on one cluster.
    assert next(iter(values.values())) == 0
    assert values[CLUSTERS] == 6
    deviation = notes[DEVIATION]
    assert deviation.bound is not None
    assert deviation.proven
    assert 0 <= values[DEVIATION] - deviation.bound < Fraction(1, 10**6)


@pytest.mark.parametrize("deviation", Deviation)
@pytest.mark.parametrize("seconds", [0.0, 0.01])
def test_bounds_hold_however_short_the_time_is(seconds: float, deviation: Deviation) -> None:
    """All rules mixed: a bound is told for every level, from its least to the best there is."""
    for seed in range(40):
        problem = random_problem(seed, deviation, most_workloads=3, most_replicas=4)
        best, outcome = brute_force(problem), solve(problem, time_limit=seconds, workers=1)
        if best is None or outcome.placement is None:
            assert best is not None or outcome.status in (Status.INFEASIBLE, Status.UNKNOWN)
            continue
        reached = zip(levels_of(problem), outcome.objectives, best.values, strict=True)
        for level, found, value in reached:
            assert found.bound is not None, (seed, level)
            # Levels after one that is not at its best have bounds of their own.
            assert 0 <= found.bound <= value, (seed, level)
            assert not found.proven or found.value == value, (seed, level)
            if found.value != value:
                break
        shares = [gap_of(each.value, each.bound) for each in outcome.objectives]
        assert all(share is not None and 0 <= share <= 1 for share in shares), seed
