"""Two stages: what is left out for the first levels, and placements that get better one by one."""

import random
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import pytest

from brute_force import placements
from fairlead.models.check import check
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
    Price,
    Spread,
    Tiers,
    Total,
    Weights,
    WorkloadRule,
)
from fairlead.models.rules.bounds import Bound
from fairlead.models.score import levels_of, score
from fairlead.models.shortfall import refused
from fairlead.models.workload import Workload
from fairlead.solver.answers.answer import Question
from fairlead.solver.levels.stages import EARLY, first_stage, is_early, polished
from fairlead.solver.parts.methods import may_have_prices
from fairlead.solver.running.search import Search
from orders import WITHOUT_BALANCE
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


TIERS = Tiers((frozenset("a"), frozenset("b")))
MOVES = Moves(BOTH, keep=True)
WEIGHTS = Weights({"a": 1, "b": 1})
PRICE = Price({"a": Fraction(1), "b": Fraction(2)})


def test_the_first_stage_drops_only_what_later_levels_need() -> None:
    """Tiers and moves come first; ratio and price say nothing about them. All that must hold stays."""
    first = first_stage(problem(workload(TIERS, MOVES, WEIGHTS, PRICE, a=2)))
    assert first is not None
    assert first.workloads[0].rules == (*NEEDED, TIERS, MOVES)
    # Two of four run, so the tiers come before the moves.
    assert [level.name for level in levels_of(first)] == ["beyond tier 1", "moves"]


def test_moves_that_come_last_are_no_first_stage() -> None:
    """Of a workload that is divided anew the deviation comes first: there is nothing to settle before it."""
    due = replace(workload(Moves(BOTH), WEIGHTS, a=4), due=True)
    assert first_stage(problem(due)) is None
    # Beside one that keeps what runs, the other's moves are a later level and leave the first stage.
    keeping = replace(workload(MOVES, WEIGHTS, a=4), key="k")
    first = first_stage(problem(due, keeping))
    assert first is not None
    assert [each.rules for each in first.workloads] == [(*NEEDED, MOVES), NEEDED]


def test_a_single_tier_stays_with_the_moves_that_count_before_tiers() -> None:
    """One of two tiers is lost: it has no level, yet moves of an unchanged number come before all others."""
    single = replace(workload(Tiers((BOTH,)), MOVES, WEIGHTS, a=3, b=1), key="k")
    part = problem(single, workload(MOVES, WEIGHTS, a=4))
    first = first_stage(part)
    assert first is not None
    assert [level.name for level in levels_of(first)] == ["moves before tiers", "moves"]
    assert levels_of(part)[:2] == levels_of(first)


def test_many_new_workloads_are_no_matter_of_stages() -> None:
    """2,000 workloads on two clusters are 4,000 places: where nothing runs overflow is left to prices."""
    new = [replace(workload(TIERS, WEIGHTS), key=f"w{number}") for number in range(2000)]
    assert may_have_prices(Question(problem(*new), Search()))
    assert not may_have_prices(Question(problem(*new[1:]), Search()))
    runs = replace(new[0], current={"a": 2})
    assert not may_have_prices(Question(problem(runs, *new[1:]), Search()))


def test_there_is_no_first_stage_where_rules_that_stay_have_later_levels() -> None:
    """KubeAdmiral's minima come after the deviation by this profile: a bound cannot be left out for that."""
    named = ("moves-first", "deviation")
    order = (*named, *(key for key in WITHOUT_BALANCE if key not in named))
    minima = Bounds({"a": Bound(1)}, preferred=True)
    assert first_stage(problem(workload(MOVES, WEIGHTS, minima, a=4), levels=order)) is None
    assert first_stage(problem(workload(MOVES, WEIGHTS, a=4), levels=order)) is not None


def test_there_is_no_first_stage_where_it_would_be_the_whole() -> None:
    """Only moves and tiers count: one stage."""
    part = problem(workload(TIERS, MOVES, a=2))
    assert first_stage(part) is None
    assert is_early(part)
    assert not is_early(problem(workload(WEIGHTS)))
    assert not is_early(problem(workload()))


def test_a_profile_that_puts_the_deviation_first_has_no_first_stage() -> None:
    """What moves is then only a question among placements of the least deviation."""
    order = ("deviation", *(key for key in WITHOUT_BALANCE if key != "deviation"))
    assert first_stage(problem(workload(MOVES, WEIGHTS, a=4), levels=order)) is None


@pytest.mark.parametrize("deviation", list(Deviation))
def test_the_first_stage_has_the_same_placements_and_the_same_first_levels(deviation: Deviation) -> None:
    """Any placement at all: the same rules broken, the same values of the levels that both have."""
    seen = 0
    for seed in range(120):
        part = random_problem(seed, deviation, most_workloads=3)
        first = first_stage(part)
        if first is None:
            continue
        seen += 1
        levels = levels_of(first)
        assert levels == levels_of(part)[: len(levels)]
        assert all(level.key in EARLY for level in levels)
        rng = random.Random(seed)
        for _ in range(5):
            placement = Placement({each.key: _anywhere(each, part, rng) for each in part.workloads})
            assert check(first, placement) == check(part, placement)
            values = [level.value for level in score(part, placement)]
            assert [level.value for level in score(first, placement)] == values[: len(levels)]
    assert seen >= 10


def _anywhere(workload: Workload, part: Problem, rng: random.Random) -> Mapping[str, int]:
    """Return any division of a workload, right or wrong."""
    names = [each.name for each in part.clusters]
    placed = dict.fromkeys(names, 0)
    for _ in range(workload.replicas):
        placed[rng.choice(names)] += 1
    return {name: count for name, count in placed.items() if count}


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
