"""The bound of balance by prices of what is filled: never above what a placement costs, and close to it."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from types import MappingProxyType

import pytest

from brute_force import placements
from fairlead.encoders.convex import Term
from fairlead.encoders.encoding import Encoding
from fairlead.encoders.registry import encode
from fairlead.encoders.variables import Interval, Place
from fairlead.models.cluster import CPU, Cluster
from fairlead.models.levels import (
    BALANCE,
    DEFAULT_ORDER,
    DEVIATIONS,
    DYNAMIC_DEVIATION,
    MOVES_LAST,
    ROOM,
    Deviation,
    Level,
)
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Candidates,
    Capacity,
    Copies,
    Duplicated,
    GroupTotal,
    Moves,
    Spread,
    Tiers,
    Total,
    Weights,
)
from fairlead.models.rules.balance import Balance, cost
from fairlead.models.rules.capacity import demands
from fairlead.models.score import levels_of, value_of, with_balance
from fairlead.models.usage import Row
from fairlead.models.workload import Workload
from fairlead.solver.columns.branching import BoundQuery, Branches, branches_of
from fairlead.solver.columns.own_cost import is_own
from fairlead.solver.levels.level_bounds import ranges_at_prices
from fairlead.solver.levels.priced_lines import priced_lines
from fairlead.solver.levels.spans import spans_of, uses_alike
from fairlead.solver.levels.targets import LevelTarget
from fairlead.solver.loosening.even_filling import evened_out
from fairlead.solver.running.deadline import Deadline
from walk_problems import standing_problem, walk_problem

ABC = ("a", "b", "c")


def wide(problem: Problem) -> dict[Place, Interval]:
    """Return ranges that leave out nothing."""
    return {
        Place(each.key, cluster.name): Interval(0, each.replicas)
        for each in problem.workloads
        for cluster in problem.clusters
    }


def searched(
    problem: Problem,
    rule: Balance,
    known: Placement,
    level: Level = BALANCE,
    pins: Mapping[Level, Fraction] = MappingProxyType({}),
) -> Branches | None:
    """Return what a search finds with no level narrowing anything, in ranges that leave out nothing."""
    # More than the small problems here cost, so that nothing ends early.
    enough = Fraction(1 if level == BALANCE else 10)
    asked = BoundQuery(level, lambda _: enough, pins)
    branches = branches_of(rule, problem, known, {}, wide(problem), asked)
    if branches is not None:
        branches.search(asked, Deadline())
    return branches


def told(least: Fraction, _: Placement | None) -> Fraction:
    """Say that no bound is enough but what the best placement costs."""
    return least


def bound_of(branches: Branches | None) -> Fraction | None:
    """Return what a search bounds; None where there was none."""
    return None if branches is None else branches.bound


def is_inside(placement: Placement, left: Mapping[Place, Interval]) -> bool:
    """Tell whether a placement is in all ranges."""
    return all(
        lower <= placement.of(place.workload).get(place.cluster, 0) <= upper
        for place, (lower, upper) in left.items()
    )


def narrowed(branches: Branches, problem: Problem, most: Fraction, best: Placement) -> dict[Place, Interval]:
    """Return what is left by prices of what costs so much at most, where that is less."""
    return dict(ranges_at_prices(branches.whole, most, best, wide(problem), Deadline()))


def is_filled_within(
    placement: Placement, problem: Problem, rule: Balance, left: Mapping[Row, Interval]
) -> bool:
    """Tell whether what members of a balance use, and what stands there, is within bounds by row."""
    used = Counter(rule.standing)
    for each in problem.workloads:
        for name, count in placement.of(each.key).items() if each.key in rule.members else ():
            for resource, amount in demands(each, problem.cluster_by_name[name]).items():
                used[name, resource] += count * amount
    return all(lower <= used[row] <= upper for row, (lower, upper) in left.items())


def above_line(placement: Placement, terms: Iterable[Term], bottom: int, model: Encoding) -> int:
    """Return how far a placement is above a line of a model."""
    value = {variable.index: number for variable, number in model.values(placement)}
    return sum(slope * value[variable.index] for variable, slope in terms) - bottom


def test_workloads_on_one_cluster_each_cannot_fill_three_alike() -> None:
    """Two workloads of six cores, each on one cluster of its choice: one of three clusters stays empty.

    With shares of 1/3 that costs (6/12 - 1/3)^2 * 3 twice and 1/3 once, 1/2 in all. A mix of choices fills
    all three alike, which costs 0: only where mixes are cut in two a bound is above that.
    """
    rules = (Candidates(ABC), Total(), Weights(dict.fromkeys(ABC, 1)))
    one = Spread("cluster", {name: frozenset({name}) for name in ABC}, 1, 1)
    clusters = tuple(Cluster(name, free={CPU: 9000}, allocatable={CPU: 9000}) for name in ABC)
    workloads = tuple(
        Workload(key, key, 6, requests={CPU: 1000}, rules=(*rules, one)) for key in ("left", "right")
    )
    problem = Problem(clusters, workloads, (Capacity(),))
    thirds: dict[str, Fraction] = dict.fromkeys(ABC, Fraction(1, 3))
    shares = {CPU: thirds}
    rule = Balance(frozenset({"left", "right"}), shares, totals={CPU: 12000})
    known = Placement({"left": {"a": 6}, "right": {"b": 6}})
    assert cost(rule, problem, known) == Fraction(1, 2)
    apart = bound_of(searched(problem, rule, known))
    assert apart is not None
    assert Fraction(499, 1000) <= apart <= Fraction(1, 2)
    # Three quarters of as much stand on a: then b and c are best left to the two, which is seen as well.
    standing = replace(rule, standing={("a", CPU): 9000}, totals={CPU: 21000})
    best = Placement({"left": {"b": 6}, "right": {"c": 6}})
    least, bound = cost(standing, problem, best), bound_of(searched(problem, standing, best))
    assert bound is not None
    assert least * Fraction(99, 100) <= bound <= least


def test_a_workload_on_one_of_many_clusters_is_cut_by_the_first_one_in_use() -> None:
    """Six cores on one of twelve clusters alike: all is there, which costs 11, and a mix fills all alike.

    Shares are 1/12: (1 - 1/12)^2 * 12 + 11 * (1/12)^2 * 12 = 11. Taking away one cluster after the other
    leaves a mix of the rest, so that cuts in two are worth something only after the last one.
    """
    names = tuple("abcdefghijkl")
    one = Spread("cluster", {name: frozenset({name}) for name in names}, 1, 1)
    rules = (Candidates(names), Total(), Weights(dict.fromkeys(names, 1)), one)
    clusters = tuple(Cluster(name, free={CPU: 9000}, allocatable={CPU: 9000}) for name in names)
    problem = Problem(clusters, (Workload("w", "w", 6, requests={CPU: 1000}, rules=rules),), (Capacity(),))
    shares = {CPU: dict.fromkeys(names, Fraction(1, 12))}
    rule, known = Balance(frozenset({"w"}), shares, totals={CPU: 6000}), Placement({"w": {"a": 6}})
    assert cost(rule, problem, known) == 11
    asked = BoundQuery(BALANCE, partial(told, Fraction(11)), parts=len(names))
    branches = branches_of(rule, problem, known, {}, wide(problem), asked)
    assert branches is not None
    branches.search(asked, Deadline())
    assert branches.bound is not None
    assert Fraction(1099, 100) <= branches.bound <= 11


def alike(problem: Problem, rule: Balance) -> bool:
    """Tell whether members use as much of all clusters together wherever they stand."""
    spans = spans_of(problem)
    return all(
        uses_alike(each, spans[each.key], resource, shares, problem)
        for resource, shares in rule.shares.items()
        for each in problem.workloads
        if each.key in rule.members
    )


def balanced(
    made: Callable[[int], Problem], seeds: int = 80
) -> Iterator[tuple[Problem, Balance, list[Placement]]]:
    """Yield small problems with one balance, and all placements of each; all rules mixed."""
    for seed in range(seeds):
        problem = with_balance(replace(made(seed), levels=DEFAULT_ORDER, partial=False))
        balances = problem.balances or ()
        if len(balances) != 1 or any(each.groups for each in problem.workloads):
            continue
        rule = balances[0]
        every = list(placements(problem)) if alike(problem, rule) else []
        if not every or BALANCE not in levels_of(problem):
            continue
        members = [each for each in problem.workloads if each.key in rule.members]
        totals = {
            resource: sum(
                each.requests.get(resource, 0) * sum(every[0].of(each.key).values()) for each in members
            )
            for resource in rule.shares
        }
        yield problem, replace(rule, totals=totals), every


@pytest.mark.parametrize(
    ("made", "seeds"),
    [
        (walk_problem, 24),
        (standing_problem, 56),
        pytest.param(walk_problem, 400, marks=pytest.mark.long),
        pytest.param(standing_problem, 400, marks=pytest.mark.long),
    ],
)
def test_no_placement_is_below_the_bound(made: Callable[[int], Problem], seeds: int) -> None:
    """Neither on balance, nor on levels after it while it is pinned; the counts say that there were such.

    Every level that single workloads add up to is pinned, in its turn, to what the placement in the middle
    costs there: half of those that are left keep that. Nor is a cluster filled more or less than what is said
    of placements that cost so much at most, nor a workload below a line of a model, whatever it chooses.
    """
    counted = pinned = cut = full = lines = 0
    above, narrower = Counter[str](), Counter[str]()
    for problem, rule, every in balanced(made, seeds):
        bound = bound_of(searched(problem, rule, every[-1]))
        if bound is None:
            continue
        counted += 1
        assert bound <= min(Fraction(value_of(problem, each, BALANCE)) for each in every)
        kept, pins, order = every, dict[Level, Fraction](), levels_of(problem)
        for level in (each for each in order if each == BALANCE or is_own(each)):
            costs = [Fraction(value_of(problem, each, level)) for each in kept]
            branches = (
                searched(problem, rule, kept[-1], level, pins)
                if level == BALANCE or BALANCE in pins
                else None
            )
            if branches is not None and branches.bound is not None:
                assert branches.bound <= min(costs)
                above[level.key] += branches.bound > 0
                pinned += len(pins) > 1
                cheapest = [each for each, cost in zip(kept, costs, strict=True) if cost == min(costs)]
                left = narrowed(branches, problem, min(costs), cheapest[0])
                narrower[level.key] += len(left)
                parts = dict(branches.ranges(min(costs)))
                model = encode(problem, wide(problem), kept[0])
                assert model is not None
                told_of = list(priced_lines(model, branches))
                lines += len(told_of)
                assert all(
                    above_line(each, terms, bottom, model) >= 0 for each in every for terms, bottom in told_of
                )
                for most in sorted(costs)[: len(costs) // 2 + 1 : max(1, len(costs) // 4)]:
                    filled = dict(branches.whole.filled(most))
                    full += sum(ends.upper < rule.totals[resource] for (_, resource), ends in filled.items())
                    assert all(
                        is_filled_within(each, problem, rule, filled)
                        for each, cost in zip(kept, costs, strict=True)
                        if cost <= most
                    )
                cut += sum(ends != wide(problem)[place] for place, ends in parts.items())
                assert all(is_inside(each, left) and is_inside(each, parts) for each in cheapest)
            pins[level] = sorted(costs)[len(costs) // 2]
            kept = [each for each, cost in zip(kept, costs, strict=True) if cost <= pins[level]]
    assert counted > 5
    assert above[DYNAMIC_DEVIATION.key]
    assert above[MOVES_LAST.key]
    assert pinned > 5
    assert narrower.total() > 3
    assert cut > 3
    assert full > 3
    assert lines > 3


def test_parts_are_cut_until_bounds_are_met() -> None:
    """Where it is known what workloads cost alone, a bound is about what the best placement costs.

    That is not known of other deviations than Webster's, nor while it is open what overflow tiers hold. The
    count says that there were bounds which only parts in which nothing is mixed meet.
    """
    met = 0
    for problem, rule, every in balanced(walk_problem):
        tiered = any(each.rule(Tiers) is not None for each in problem.workloads)
        if problem.deviation is not Deviation.WEBSTER or tiered:
            continue
        kept, pins = every, dict[Level, Fraction]()
        for level in (each for each in levels_of(problem) if each == BALANCE or is_own(each)):
            costs = [Fraction(value_of(problem, each, level)) for each in kept]
            asked = BoundQuery(level, partial(told, min(costs)), pins, parts=10_000)
            asks = level == BALANCE or BALANCE in pins
            branches = branches_of(rule, problem, kept[-1], {}, wide(problem), asked) if asks else None
            if branches is not None:
                branches.search(asked, Deadline())
                assert branches.bound is not None
                assert branches.bound >= min(costs) - max(min(costs), Fraction(1)) / 10_000
                met += branches.number > 0
            pins[level] = sorted(costs)[len(costs) // 2]
            kept = [each for each, cost in zip(kept, costs, strict=True) if cost <= pins[level]]
    assert met > 3


def test_a_deviation_is_bounded_by_what_balance_forbids() -> None:
    """Two workloads of six replicas whose weights say a, and clusters to be filled alike: half of each on b.

    Shares are 1/2 and 1/2, so with u of 12 cores on a balance is 4 (u/12 - 1/2)^2, and 0 only at u = 6. With
    weights of 5 and 1 the quotas are 5 and 1, so three and three cost 4/5 + 4 each, 48/5 together. Where
    balance may be anything the deviation can be 0. Where it may be a ninth, at u = 8, four and two cost
    1/5 + 1 each; five and one beside three and three cost 4/5 + 4: of what costs 12/5 nothing else is left.
    """
    names = ("a", "b")
    rules = (Candidates(names), Total(), Weights({"a": 5, "b": 1}))
    clusters = tuple(Cluster(name, free={CPU: 12000}, allocatable={CPU: 12000}) for name in names)
    workloads = tuple(Workload(key, key, 6, requests={CPU: 1000}, rules=rules) for key in ("left", "right"))
    problem = Problem(clusters, workloads, (Capacity(),))
    half: dict[str, Fraction] = dict.fromkeys(names, Fraction(1, 2))
    rule = Balance(frozenset({"left", "right"}), {CPU: half}, totals={CPU: 12000})
    known = Placement({"left": {"a": 3, "b": 3}, "right": {"a": 3, "b": 3}})
    level = next(each for each in levels_of(problem) if each.base in DEVIATIONS)
    least = Fraction(value_of(problem, known, level))
    assert least == Fraction(48, 5)
    pinned = bound_of(searched(problem, rule, known, level, {BALANCE: Fraction(0)}))
    assert pinned is not None
    assert least * Fraction(95, 100) <= pinned <= least
    best = Placement({"left": {"a": 4, "b": 2}, "right": {"a": 4, "b": 2}})
    ninth = searched(problem, rule, best, level, {BALANCE: Fraction(1, 9)})
    assert ninth is not None
    model = encode(problem, wide(problem), best)
    assert model is not None
    # As a line of a model it says that each of the two costs so much, and is met where that costs least.
    lines = list(priced_lines(model, ninth))
    divided = [Placement({key: {"a": 6 - on_b, "b": on_b} for key in ("left", "right")}) for on_b in range(7)]
    for terms, bottom in lines:
        above = [above_line(each, terms, bottom, model) for each in divided]
        assert 0 <= min(above) < max(above) / 1_000_000
    assert len(lines) == 2
    assert narrowed(ninth, problem, Fraction(12, 5), best) == {
        Place(key, name): Interval(count, count)
        for key in ("left", "right")
        for name, count in (("a", 4), ("b", 2))
    }
    free = bound_of(searched(problem, rule, known, level, {BALANCE: Fraction(1)}))
    assert free is not None
    assert free <= 0


def test_moves_are_bounded_where_clusters_could_hold_more_than_what_runs() -> None:
    """Two workloads of four, three of each on a: filled alike a holds four of the eight, so two move.

    Of four replicas each three are what runs on a and one is not, so that what stays is no straight cost. A
    bound above one says two.
    """
    names = ("a", "b")
    rules = (Candidates(names), Total(), Weights({"a": 1, "b": 1}), Moves(frozenset(names)))
    clusters = tuple(Cluster(name, free={CPU: 8000}, allocatable={CPU: 12000}) for name in names)
    workloads = tuple(
        Workload(key, key, 4, requests={CPU: 1000}, current={"a": 3, "b": 1}, rules=rules)
        for key in ("left", "right")
    )
    problem = Problem(clusters, workloads, (Capacity(),))
    half: dict[str, Fraction] = dict.fromkeys(names, Fraction(1, 2))
    rule = Balance(frozenset({"left", "right"}), {CPU: half}, totals={CPU: 8000})
    known = Placement({"left": {"a": 2, "b": 2}, "right": {"a": 2, "b": 2}})
    bound = bound_of(searched(problem, rule, known, MOVES_LAST, {BALANCE: Fraction(0)}))
    assert bound is not None
    assert 1 < bound <= value_of(problem, known, MOVES_LAST) == 2


def copied(*sizes: int) -> tuple[Problem, Workload]:
    """Return a workload of two copies on a, b, or c, of which a has most room, then b."""
    two = Spread("cluster", {name: frozenset({name}) for name in ABC}, 2, 2)
    copies = Duplicated(choice=True, copies=dict(zip(ABC, sizes, strict=True)))
    both = GroupTotal(BALANCE.name, frozenset(ABC), 4, 4)
    rules = (Candidates(ABC), copies, Copies((("a",), ("b",), ("c",))), both, two)
    clusters = tuple(Cluster(name, free={CPU: 9000}, allocatable={CPU: 9000}) for name in ABC)
    workload = Workload("w", "w", 2, requests={CPU: 1000}, rules=rules)
    return Problem(clusters, (workload,), (Capacity(),)), workload


def test_balance_is_bounded_by_what_ranks_of_copies_forbid() -> None:
    """Where two cores stand on a, copies on b and c fill all alike, and copies on a and b cost 2/3.

    With 4, 2 and 0 of 6 it is 3 ((4/6 - 1/3)^2 + (0 - 1/3)^2) = 2/3. Where ranks may add up to 1, there are
    no others.
    """
    problem, _ = copied(2, 2, 2)
    thirds: dict[str, Fraction] = dict.fromkeys(ABC, Fraction(1, 3))
    shares = {CPU: thirds}
    rule = Balance(frozenset({"w"}), shares, {("a", CPU): 2000}, {CPU: 6000})
    known = Placement({"w": {"a": 2, "b": 2}})
    assert cost(rule, problem, known) == Fraction(2, 3)
    free, pinned = (
        bound_of(searched(problem, rule, known, BALANCE, pins)) for pins in ({}, {ROOM: Fraction(1)})
    )
    assert free == 0
    assert pinned is not None
    assert Fraction(66, 100) <= pinned <= Fraction(2, 3)


@pytest.mark.parametrize(
    ("pin", "aims", "most"),
    [
        # Balance may be a ninth, and what is told fills a and b no less evenly.
        (Fraction(1, 9), {}, None),
        # Where models round balance, bounded is what costs up to a quarter, 9 of 12 on a: five and four,
        # which cost a fifth and one. Taken is what costs up to a ninth.
        (Fraction(1, 4), {BALANCE: Fraction(1, 9)}, Fraction(6, 5)),
    ],
)
def test_what_is_told_keeps_what_is_pinned(
    pin: Fraction, aims: Mapping[Level, Fraction], most: Fraction | None
) -> None:
    """Two workloads of six replicas with quotas of 5 and 1 that stand three and three; 8 of 12 may be on a.

    With halves as shares balance is 4 (u/12 - 1/2)^2, at u = 8 a ninth. Four and two each cost 1/5 + 1 there,
    five and one would cost nothing.
    """
    names, ninth = ("a", "b"), Fraction(1, 9)
    rules = (Candidates(names), Total(), Weights({"a": 5, "b": 1}, dynamic=True, apart=True))
    clusters = tuple(Cluster(name, free={CPU: 12000}, allocatable={CPU: 12000}) for name in names)
    workloads = tuple(Workload(key, key, 6, requests={CPU: 1000}, rules=rules) for key in ("left", "right"))
    problem = Problem(clusters, workloads, (Capacity(),))
    halves: dict[str, Fraction] = dict.fromkeys(names, Fraction(1, 2))
    rule = Balance(frozenset({"left", "right"}), {CPU: halves}, {}, {CPU: 12000})
    start = Placement({"left": {"a": 3, "b": 3}, "right": {"a": 3, "b": 3}})
    told: list[Placement] = []

    def wanted(found: Placement | None) -> Fraction:
        told.extend([] if found is None else [found])
        return Fraction(10)

    asked = BoundQuery(DYNAMIC_DEVIATION, wanted, {BALANCE: pin}, aims)
    branches = branches_of(rule, problem, start, {}, wide(problem), asked)
    assert branches is not None
    branches.search(asked, Deadline())
    kept = [each for each in told if cost(rule, problem, each) <= ninth]
    assert kept == told or not aims
    assert min(value_of(problem, each, DYNAMIC_DEVIATION) for each in kept) == Fraction(12, 5)
    assert most is None or (branches.bound is not None and branches.bound <= most)


def evened(room: int, core: int = 1000, less: int = 0) -> tuple[Placement, LevelTarget]:
    """Return where two workloads of six cores stand that started on a, each on one cluster, and the target.

    Two cores stand on b, which has room for so many. Twelve and two are as uneven as six and eight are even:
    all six replicas of one have to pass, where five would fill both clusters alike. A core is so many units,
    and a replica of the second workload takes some less.
    """
    names = ("a", "b")
    one = Spread("cluster", {name: frozenset({name}) for name in names}, 1, 1)
    rules = (Candidates(names), Total(), Weights(dict.fromkeys(names, 1)), one)
    clusters = (
        Cluster("a", free={CPU: 12 * core}, allocatable={CPU: 12 * core}),
        Cluster("b", free={CPU: room * core}, allocatable={CPU: 12 * core}),
    )
    asked = {"left": core, "right": core - less}
    workloads = tuple(Workload(key, key, 6, requests={CPU: asked[key]}, rules=rules) for key in asked)
    halves: dict[str, Fraction] = dict.fromkeys(names, Fraction(1, 2))
    totals = {CPU: 2 * core + 6 * sum(asked.values())}
    rule = Balance(frozenset(asked), {CPU: halves}, {("b", CPU): 2 * core}, totals)
    problem = Problem(clusters, workloads, (Capacity(),), balances=(rule,))
    start = Placement({"left": {"a": 6}, "right": {"a": 6}})
    target = LevelTarget(Fraction(0), Fraction(1, 400))
    return evened_out(rule, problem, start, {}, target, Deadline(), deviations=False)


def test_a_workload_passes_as_a_whole_where_it_may_not_be_split() -> None:
    """One of the two does."""
    assert sorted(evened(12)[0].to_dict().values(), key=str) == [{"a": 6}, {"b": 6}]


def test_of_placements_that_are_as_even_the_one_nearest_to_dynamic_weights_is_found() -> None:
    """Where both stand in the wrong half, changing places leaves both clusters as full.

    On the cluster of two thirds of the weight, all six are (6 - 4)^2 / 4 + (0 - 2)^2 / 2 = 3 away; on the
    other one 4^2 / 4 + 4^2 / 2 = 12.
    """
    names = ("a", "b")
    one = Spread("cluster", {name: frozenset({name}) for name in names}, 1, 1)
    workloads = tuple(
        Workload(
            key,
            key,
            6,
            requests={CPU: 1000},
            rules=(Candidates(names), Total(), Weights(weights, dynamic=True, apart=True), one),
        )
        for key, weights in (("left", {"a": 2, "b": 1}), ("right", {"a": 1, "b": 2}))
    )
    clusters = tuple(Cluster(name, free={CPU: 12000}, allocatable={CPU: 12000}) for name in names)
    halves: dict[str, Fraction] = dict.fromkeys(names, Fraction(1, 2))
    rule = Balance(frozenset({"left", "right"}), {CPU: halves}, {}, {CPU: 12000})
    problem = Problem(clusters, workloads, (Capacity(),), balances=(rule,))
    start = Placement({"left": {"b": 6}, "right": {"a": 6}})
    target = LevelTarget(Fraction(0), Fraction(1, 400))
    placement, _ = evened_out(rule, problem, start, {}, target, Deadline(), deviations=True)
    assert value_of(problem, start, DYNAMIC_DEVIATION) == 24
    assert placement == Placement({"left": {"a": 6}, "right": {"b": 6}})


def test_nobody_passes_where_there_is_no_room() -> None:
    """Five cores are one too few, and prices know it: 12 of 14 on a are 4 (12/14 - 1/2)^2."""
    placement, target = evened(5)
    assert placement == Placement({"left": {"a": 6}, "right": {"a": 6}})
    assert Fraction(25, 49) - Fraction(1, 10**6) < target.bound <= Fraction(25, 49)


def test_prices_are_fine_enough_for_replicas_of_very_many_units() -> None:
    """A byte costs next to nothing where replicas take 32 gibibytes, and one of them a byte less.

    Whole prices of a byte that are rounded to nothing bound nothing; it is 25/49 as above, but for a byte.
    """
    _, target = evened(5, core=2**35, less=1)
    assert target.bound > Fraction(25, 49) - Fraction(1, 10**4)
