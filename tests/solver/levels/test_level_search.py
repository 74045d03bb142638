"""What is known between levels: who costs what he would cost alone, and which level waits for another."""

from fractions import Fraction

import pytest

from fairlead.encoders.variables import Interval, Place
from fairlead.models.cluster import CPU, Cluster
from fairlead.models.levels import BALANCE, DEVIATION, DYNAMIC_DEVIATION, MOVES_LAST
from fairlead.models.outcome import Attained
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Capacity, Moves, Spread, Total, Weights
from fairlead.models.rules.balance import Balance
from fairlead.models.score import levels_of, score, value_of
from fairlead.models.workload import Workload
from fairlead.solver.answers.attainment import Apart
from fairlead.solver.levels.level_search import LevelSearch
from fairlead.solver.levels.targets import LevelTarget
from fairlead.solver.running.deadline import Deadline


@pytest.mark.parametrize(("apart", "least"), [({DEVIATION: frozenset({"narrow", "free"})}, 1), ({}, 0)])
def test_each_is_pinned_by_itself(apart: Apart, least: int) -> None:
    """Three over 1:1 are 2:1, but for one that has to stand on one cluster, which costs 3 instead of 1/3.

    Together they may cost 10/3. What the first costs more than without its rule is not left for the second:
    that is 2:1 or 1:2 in every best placement, and not 3:0.
    """
    rules = (Candidates(("a", "b")), Total(), Weights({"a": 1, "b": 1}))
    one = Spread("cluster", {name: frozenset({name}) for name in "ab"}, 1, 1)
    narrow, free = (
        Workload("narrow", "narrow", 3, rules=(*rules, one)),
        Workload("free", "free", 3, rules=rules),
    )
    problem = Problem((Cluster("a"), Cluster("b")), (free, narrow))
    best = Placement({narrow.key: {"a": 3}, free.key: {"a": 2, "b": 1}})
    value = value_of(problem, best, DEVIATION)
    known = (Attained(DEVIATION.name, value, value, proven=True),)
    search = LevelSearch(problem, Deadline(), 1, 0, known, apart, best)
    assert search.open()
    assert search.minimise(DEVIATION, last=True)
    assert search.ranges[Place(free.key, "a")] == Interval(least, 3 - least)
    assert [level.value for level in score(problem, best)] == [level.value for level in search.attained()]


def test_where_the_search_began_is_taken_up_where_it_is_good_enough() -> None:
    """Given up for 4, 0 on a level that may be within a tolerance, 2, 2 is better on the next one."""
    rules = (Candidates(("a", "b")), Total(), Weights({"a": 1, "b": 1}))
    problem = Problem((Cluster("a"), Cluster("b")), (Workload("w", "w", 4, rules=rules),))
    begun, given = Placement({"w": {"a": 2, "b": 2}}), Placement({"w": {"a": 4}})
    search = LevelSearch(problem, Deadline(), 1, 0, best=given)
    assert search.open()
    search.floor = begun
    search.deadline = Deadline.after(0)
    assert search.minimise(DEVIATION, last=True)
    assert search.best == begun


@pytest.mark.parametrize(("loose", "found"), [(True, 3), (False, Fraction(1, 3))])
def test_what_was_searched_before_waits_for_a_level_with_a_tolerance(loose: bool, found: Fraction) -> None:
    """Three over 1:1 are 2:1 or 1:2, which costs 1/3; on a alone they cost 3.

    That is looked at again only after moves, of which there may be one.
    """
    rules = (Candidates(("a", "b")), Total(), Weights({"a": 1, "b": 1}), Moves(frozenset("ab"), keep=False))
    workload = Workload("w", "w", 3, current={"a": 3}, rules=rules)
    problem = Problem((Cluster("a"), Cluster("b")), (workload,))
    deviation, moves = levels_of(problem)
    targets = {moves: LevelTarget(0, 1)} if loose else {}
    search = LevelSearch(problem, Deadline(), 1, 0, targets=targets)
    search.best = Placement({"w": {"a": 3}})
    search.open()
    search.minimise(deviation, last=False)
    assert value_of(problem, search.best, deviation) == found


@pytest.mark.parametrize(("others", "found"), [(300, 3), (200, Fraction(1, 3))])
def test_a_level_waits_that_is_near_to_its_bound_with_what_others_cost(others: int, found: Fraction) -> None:
    """Three on a cost 3, which is less than a hundredth of 303, and more than one of 203."""
    rules = (Candidates(("a", "b")), Total(), Weights({"a": 1, "b": 1}), Moves(frozenset("ab"), keep=False))
    workload = Workload("w", "w", 3, current={"a": 3}, rules=rules)
    problem = Problem((Cluster("a"), Cluster("b")), (workload,))
    deviation, _ = levels_of(problem)
    search = LevelSearch(problem, Deadline.after(60), 1, 0, elsewhere={deviation: others})
    search.best = Placement({"w": {"a": 3}})
    search.open()
    search.minimise(deviation, last=False)
    assert value_of(problem, search.best, deviation) == found


def test_levels_after_balance_are_pinned_whoever_stood_alone_without_it() -> None:
    """Two of six with quotas of 5 and 1 run three and three, and 8 of 12 may be on a.

    Balance is 4 (u/12 - 1/2)^2, at u = 8 a ninth. Alone, without balance, each stands five and one, which
    costs nothing. With it four and two each cost 12/5 together, which is a move each: a bound above one says
    two. Were that cost left open, nobody would have to move.
    """
    names = frozenset("ab")
    rules = (
        Candidates(("a", "b")),
        Total(),
        Weights({"a": 5, "b": 1}, dynamic=True, apart=True),
        Moves(names, keep=False),
    )
    clusters = tuple(Cluster(name, free={CPU: 12000}, allocatable={CPU: 12000}) for name in "ab")
    workloads = tuple(
        Workload(key, key, 6, requests={CPU: 1000}, current={"a": 3, "b": 3}, rules=rules) for key in "vw"
    )
    half: dict[str, Fraction] = dict.fromkeys("ab", Fraction(1, 2))
    balance = Balance(frozenset("vw"), {CPU: half}, totals={CPU: 12000})
    problem = Problem(clusters, workloads, (Capacity(),), balances=(balance,))
    levels = levels_of(problem)
    assert levels == (BALANCE, DYNAMIC_DEVIATION, MOVES_LAST)
    search = LevelSearch(
        problem,
        Deadline(),
        1,
        0,
        apart={DYNAMIC_DEVIATION: frozenset("vw")},
        best=Placement({key: {"a": 4, "b": 2} for key in "vw"}),
        targets={BALANCE: LevelTarget(0, Fraction(1, 9))},
    )
    assert search.open()
    everything = dict(search.ranges)
    for level in levels[:2]:
        assert search.minimise(level, last=False)
    # Here what may be held tells as much as the pin; in larger problems it does not.
    search.ranges = everything
    search._price(MOVES_LAST)
    assert search.priced[MOVES_LAST] == 2


@pytest.mark.parametrize(("later", "first"), [(None, "a"), (Deadline(0.0), "b")])
def test_ties_are_due_with_what_follows_balance(later: Deadline | None, first: str) -> None:
    """A replica that may stand on a or b stands on a, unless a search for balance places it anew anyway."""
    clusters = tuple(Cluster(name, free={CPU: 1000}, allocatable={CPU: 1000}) for name in "ab")
    workload = Workload("w", "w", 1, requests={CPU: 1000}, rules=(Candidates(("a", "b")), Total()))
    problem = Problem(clusters, (workload,), (Capacity(),))
    search = LevelSearch(problem, Deadline(), 1, 0, best=Placement({"w": {"b": 1}}), later=later)
    assert search.open()
    found = search.settle(ties=True)
    assert found.placement == Placement({"w": {first: 1}})
