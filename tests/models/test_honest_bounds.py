"""Bounds and gaps that people see: none below what every placement costs, none above 100 %."""

import random
from fractions import Fraction

import pytest

from brute_force import brute_force
from fairlead.models.cluster import CPU, Cluster
from fairlead.models.levels import CLUSTERS, DEVIATION, MOVES_LAST, NET, Deviation
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
)
from fairlead.models.score import least_of, least_of_all, levels_of, score
from fairlead.models.workload import Workload
from fairlead.solver.attainment import at_least
from fairlead.solver.batch.mixed.bounds import RelaxedBounds
from fairlead.solver.deadline import Deadline
from fairlead.solver.solving import solve
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
    assert at_least(low, 0) == Attained("deviation", 3, bound=0)
    assert at_least(Attained("deviation", 0), 0) == Attained("deviation", 0, bound=0, proven=True)
    # A coarse proof stays one; it is as coarse as its bound is far.
    coarse = Attained("deviation", Fraction(1, 8), -1, proven=True, resolution=Fraction(9, 8))
    assert at_least(coarse, 0).resolution == Fraction(1, 8)


def test_moves_can_be_below_zero_only_where_nothing_says_how_many_replicas_there_are() -> None:
    """With a total what must stop is no move; without one it may all stay, which counts below 0."""
    names = ("a", "b")
    moves = Moves(frozenset(names))
    clusters = tuple(Cluster(name) for name in names)

    def workload(*rules: object) -> Workload:
        return Workload("w", "w", 2, current={"a": 3, "b": 2}, rules=(Candidates(names), *rules))  # type: ignore[arg-type]

    divided = Problem(clusters, (workload(Total(), moves),))
    assert least_of_all(divided) == {MOVES_LAST: 0}
    # 5 run, 2 are asked for: 3 are taken for stopped, whether they are or not.
    open_end = Problem(clusters, (workload(moves, MovePrice(Fraction(1, 2), frozenset(names))),))
    assert least_of(open_end, MOVES_LAST) == -3
    assert least_of(open_end, NET) == Fraction(-3, 2)
    everything = Placement({"w": {"a": 3, "b": 2}})
    values = {
        level.key: each.value
        for level, each in zip(levels_of(open_end), score(open_end, everything), strict=True)
    }
    assert values == {"net": Fraction(-3, 2), "moves-last": -3}


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
            assert least_of(problem, level) <= found.bound <= value, (seed, level)
            assert not found.proven or found.value == value, (seed, level)
            if found.value != value:
                break
        shares = [gap_of(each.value, each.bound) for each in outcome.objectives]
        assert all(share is not None and 0 <= share <= 1 for share in shares), seed
