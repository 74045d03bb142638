"""Balance where not everything is placed: proven where nobody else could fall short."""

from dataclasses import replace
from fractions import Fraction

import pytest

import fairlead
from brute_force import placements
from fairlead.models.cluster import CPU, Cluster
from fairlead.models.levels import BALANCE, DEFAULT_ORDER
from fairlead.models.outcome import Attained, Outcome, Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Capacity, Moves, Spread, Total, Weights
from fairlead.models.rules.bounds import Bound
from fairlead.models.score import levels_of, score, with_balance
from fairlead.models.workload import Workload
from fairlead.solver.loosening import falling_short, tolerances
from fairlead.solver.loosening.loosening import Loosening
from fairlead.solver.running.search import Search
from walk_problems import partial_walk_problem

GIB = 2**30


def clusters(**free: int) -> tuple[Cluster, ...]:
    """Return clusters with so many millicores, all of them free."""
    return tuple(Cluster(name, free={CPU: cpu}, allocatable={CPU: cpu}) for name, cpu in free.items())


def single(key: str, replicas: int = 1, maximum: int | None = None, **weights: int) -> Workload:
    """Return a workload of one core a replica, divided by room; at most so many on every cluster."""
    most = {} if maximum is None else dict.fromkeys(weights, Bound(maximum))
    rules = (Candidates(tuple(weights)), Total(), Bounds({}, most), Weights(weights, dynamic=True))
    return Workload(key, key, replicas, "default", requests={CPU: 1000}, rules=rules)


def balance_of(outcome: Outcome) -> Attained:
    """Return the level of balance."""
    return next(level for level in outcome.objectives if level.name == BALANCE.name)


def test_a_workload_that_falls_short_by_itself() -> None:
    """One of `short` fits on a and one on b, whatever the others do; these six stand 3 and 3.

    Room is alike, so 4 and 4 are best; all six on one cluster are as good for the six alone.
    """
    short = single("short", 3, 1, a=1, b=1)
    others = [single(f"w{number}", a=1, b=1) for number in range(6)]
    problem = Problem(clusters(a=9000, b=9000), (short, *others), (Capacity(),))
    outcome = fairlead.solve(problem, partial=True, workers=1)
    assert outcome.status is Status.OPTIMAL
    assert [one.amount for one in outcome.shortfalls] == [1]
    assert balance_of(outcome) == Attained("balance", 0, 0, True, None, balance_of(outcome).tolerance)


def test_who_fills_its_clusters_is_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """`short` fills its clusters, so that every placement lacks as much of it, and nobody else lacks any.

    That takes no search, for which many workloads leave no time. The six others stand 3 and 3 then, too.
    """
    monkeypatch.setattr(falling_short, "_ways_of_part", lambda _, placement, *__: ([placement], False))
    others = [single(f"w{number}", a=1, b=1) for number in range(6)]
    problem = Problem(clusters(a=9000, b=9000), (single("short", 3, 1, a=1, b=1), *others), (Capacity(),))
    level = balance_of(fairlead.solve(problem, partial=True, workers=1))
    assert (level.value, level.proven) == (0, True)


def test_who_falls_short_costs_what_it_would_alone() -> None:
    """`large` fits nowhere; the three of `runs` stay, 2 on a and 1 on b: (1/6)^2 / (1/2) on each, 1/9 in all.

    No exact way tells where a workload stands best of which nothing is placed. That is nowhere: as long as
    nobody costs more than alone, `runs` cannot move, and nothing is left to search.
    """
    runs = single("runs", 3, a=1, b=1)
    moves = Moves(frozenset("ab"), keep=True)
    runs = replace(runs, current={"a": 2, "b": 1}, rules=(*runs.rules, moves))
    large = replace(single("large", a=1, b=1), requests={CPU: 9000})
    problem = Problem(clusters(a=3000, b=3000), (large, runs), (Capacity(),))
    level = balance_of(fairlead.solve(problem, partial=True, workers=1, tolerance={"balance": 0}))
    assert (level.value, level.bound, level.proven) == (Fraction(1, 9), Fraction(1, 9), True)


def test_a_workload_that_stands_nowhere() -> None:
    """Nothing of `short` may be placed, so that its regions are missed as well; the others fill a and b."""
    regions = Spread("region", {"x": frozenset("a"), "y": frozenset("b")}, 2)
    short = single("short", 2, 0, a=1, b=1)
    short = replace(short, rules=(*short.rules, regions))
    others = [single(f"w{number}", a=1, b=1) for number in range(2)]
    problem = Problem(clusters(a=9000, b=9000), (short, *others), (Capacity(),))
    outcome = fairlead.solve(problem, partial=True, workers=1)
    assert outcome.status is Status.OPTIMAL
    assert balance_of(outcome).value == 0


def test_a_workload_whose_only_cluster_is_full() -> None:
    """None of `short` fits on c, which others use up: of it nothing can stand anywhere.

    So only w0 can fill a (1 core) and b (4): (1 - 1/5)^2 / (1/5) + (4/5)^2 / (4/5) = 4 on a, 1/4 on b.
    """
    full = replace(clusters(c=4000)[0], free={CPU: 0})
    workloads = (single("short", 4, 3, c=1), single("w0", a=1, b=1, c=1))
    problem = Problem((*clusters(a=1000, b=4000), full), workloads, (Capacity(),))
    outcome = fairlead.solve(problem, partial=True, workers=1)
    assert outcome.status is Status.OPTIMAL
    assert balance_of(outcome).value == Fraction(1, 4)


def test_who_falls_short_is_told_apart() -> None:
    """One core on c for s0 or s1, which may stand nowhere else: either may be missing.

    w0 fills clusters more evenly on b than on a, beside the one as beside the other.
    """
    rooms = clusters(a=1000, b=4000, c=1000)
    workloads = (single("s0", c=1), single("s1", c=1), single("w0", a=1, b=1, c=1))
    problem = Problem(rooms, workloads, (Capacity(),), levels=DEFAULT_ORDER, partial=True)
    outcome = fairlead.solve(problem, workers=1, time_limit=60)
    assert [one.amount for one in outcome.shortfalls] == [1]
    assert balance_of(outcome).value > 0
    assert has_proof(outcome, with_balance(problem))


def test_a_minimum_that_gives_way_leaves_more_for_other_clusters() -> None:
    """Memory is offered on c only, so that the minimum of a is missed, and c holds all three replicas."""
    rooms = {"a": {CPU: 9000}, "c": {CPU: 9000, "memory": 7}}
    names = tuple(Cluster(name, free=room, allocatable=room) for name, room in rooms.items())
    least = single("least", 3, a=1, c=1)
    bound = Bounds({"a": Bound(1)})
    rules = tuple(bound if isinstance(rule, Bounds) else rule for rule in least.rules)
    least = replace(least, requests={CPU: 1000, "memory": 2}, rules=rules)
    problem = Problem(names, (least, single("other", a=1, c=1)), (Capacity(),))
    outcome = fairlead.solve(problem, partial=True, workers=1)
    assert outcome.status is Status.OPTIMAL
    assert outcome.placement == Placement({"least": {"c": 3}, "other": {"a": 1}})


def many_short(number: int) -> Attained:
    """Return balance where one core on c is for one of so many workloads, and w0 may stand on a, b or c."""
    many = [single(f"s{at}", c=1) for at in range(number)]
    problem = Problem(clusters(a=1000, b=4000, c=1000), (*many, single("w0", a=1, b=1, c=1)), (Capacity(),))
    return balance_of(fairlead.solve(problem, partial=True, workers=1))


@pytest.mark.parametrize("number", [6, 65])
def test_all_ways_to_fall_short_are_looked_at(number: int) -> None:
    """w0 on b, any of the six on c: (1/2)^2 / (2/3) + (1/2)^2 / (1/6) - 1.

    65 are more ways than are told apart, in a problem that is small enough to be searched as a whole.
    """
    level = many_short(number)
    assert (level.value, level.bound, level.proven) == (Fraction(7, 8), Fraction(7, 8), True)


def test_too_many_ways_to_fall_short_leave_balance_open() -> None:
    """The same with seventy, too many to be searched as a whole."""
    level = many_short(70)
    assert (level.bound, level.proven) == (0, False)


def six_for_one_core() -> Problem:
    """Return one core on c for one of six, the k-th of k Gi; the two of w0, of 2 Gi each, stand on a and b.

    Memory is alike on all three, so that the second of the six fills it evenly, and of cores there are
    (1/3)^2 / (4/9) on a and on b and (1/3)^2 / (1/9) on c, less 1: 1/2.
    """
    many = [replace(single(f"s{at}", c=1), requests={CPU: 1000, "memory": at * GIB}) for at in range(1, 7)]
    other = replace(single("w0", 2, a=1, b=1, c=1), requests={CPU: 1000, "memory": 2 * GIB})
    sizes = {name: {CPU: cores * 1000, "memory": 8 * GIB} for name, cores in {"a": 4, "b": 4, "c": 1}.items()}
    names = tuple(Cluster(name, free=size, allocatable=size) for name, size in sizes.items())
    return Problem(names, (*many, other), (Capacity(),))


def test_only_promising_ways_to_fall_short_are_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prices tell that every way but the second is worse, so one is searched."""
    searched = list[object]()
    before = Loosening.searched

    def counting(loosening: Loosening, keys: frozenset[str], search: Search) -> Loosening:
        searched.append(keys)
        return before(loosening, keys, search)

    monkeypatch.setattr(Loosening, "searched", counting)
    outcome = fairlead.solve(six_for_one_core(), partial=True, workers=1, tolerance={"balance": 0})
    level = balance_of(outcome)
    assert (level.value, level.bound, level.proven) == (Fraction(1, 2), Fraction(1, 2), True)
    assert outcome.placement is not None
    assert outcome.placement.of("s2") == {"c": 1}
    assert len(searched) == 1


def test_a_search_without_time_takes_nothing_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """What prices tell of a way stays where its search finds nothing: 1/2 is placed, and bounded by 1/2."""

    def without_time(loosening: Loosening, keys: frozenset[str], search: Search) -> Loosening:
        del keys, search
        return replace(loosening, certain=False)

    monkeypatch.setattr(Loosening, "searched", without_time)
    # A problem as small as this one would be searched as a whole afterwards.
    monkeypatch.setattr(tolerances, "MOST_AT_ONCE", 0)
    outcome = fairlead.solve(six_for_one_core(), partial=True, workers=1, tolerance={"balance": 0})
    level = balance_of(outcome)
    assert (level.value, level.bound, level.proven) == (Fraction(1, 2), Fraction(1, 2), True)


def test_others_are_placed_evenly_where_that_is_open() -> None:
    """One core on c for two workloads that may only stand there; six others stand 3 and 3 on a and b.

    Each of the two may be the one that is missing; all six on one cluster are as good for the six alone.
    """
    others = [single(f"w{number}", a=1, b=1) for number in range(6)]
    problem = Problem(
        clusters(a=9000, b=9000, c=1000), (single("s0", c=1), single("s1", c=1), *others), (Capacity(),)
    )
    outcome = fairlead.solve(problem, partial=True, workers=1)
    assert outcome.placement is not None
    used = [sum(outcome.placement.of(each.key).get(name, 0) for each in others) for name in "ab"]
    assert used == [3, 3]


def has_proof(outcome: Outcome, problem: Problem) -> bool:
    """Compare the levels up to balance with all placements; tell whether balance is proven."""
    scored = [[level.value for level in score(problem, each)] for each in placements(problem)]
    for number, (level, ours) in enumerate(zip(levels_of(problem), outcome.objectives, strict=True)):
        least = min(values[number] for values in scored)
        assert ours.bound is not None
        assert ours.bound <= least, (level, ours, least)
        if level == BALANCE:
            assert ours.value >= least
            return ours.proven
        assert ours.value == least
        scored = [values for values in scored if values[number] == least]
    return False


def test_small_problems_agree_with_brute_force() -> None:
    """All rules mixed: no bound is above what some placement reaches, and some are proven."""
    counted = 0
    for seed in range(60, 180):
        problem = replace(partial_walk_problem(seed), levels=DEFAULT_ORDER, partial=True)
        balanced = with_balance(problem)
        if len(balanced.balances or ()) != 1 or any(each.groups for each in problem.workloads):
            continue
        outcome = fairlead.solve(problem, time_limit=30, workers=1)
        if outcome.shortfalls:
            counted += has_proof(outcome, balanced)
    assert counted > 5
