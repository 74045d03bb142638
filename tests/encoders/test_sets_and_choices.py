"""Encoders of the rules over sets of clusters, choices and preferences: what each allows and changes.

A preference forbids nothing; there the smallest instance whose optimum it changes stands alone.
"""

from dataclasses import replace
from fractions import Fraction

import pytest

from encoded import allows, allows_all, best
from fairlead.encoders.registry import encode
from fairlead.models.cluster import Cluster
from fairlead.models.errors import UnsupportedError
from fairlead.models.levels import Deviation
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Aggregated,
    Bounds,
    Candidates,
    Companionship,
    Copies,
    Duplicated,
    Evenness,
    GroupTotal,
    Moves,
    Price,
    SharedRule,
    Shares,
    Spread,
    Survival,
    Tiers,
    Total,
    Weights,
    WorkloadRule,
)
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.shares import ShareGroup
from fairlead.models.workload import Workload
from fairlead.solver.levels.lexicographic import minimise_levels
from fairlead.solver.running.search import Search

NAMES = ("a", "b", "c")
ALL = Candidates(NAMES)
EQUAL = Weights(dict.fromkeys(NAMES, 1))


def workload(replicas: int, *rules: WorkloadRule, key: str = "w", **more: object) -> Workload:
    """Return a workload that may use all three clusters."""
    return replace(Workload(key, key, replicas, rules=(ALL, *rules)), **more)  # type: ignore[arg-type]


def problem_of(*workloads: Workload, shared: tuple[SharedRule, ...] = ()) -> Problem:
    """Return three clusters of unknown capacity with workloads."""
    return Problem(tuple(Cluster(name) for name in NAMES), workloads, shared)


def test_minima_that_bind_where_held() -> None:
    """A cluster holds nothing or at least its minimum."""
    bounds = Bounds({"a": Bound(3)}, where_held=frozenset("a"))
    problem = problem_of(workload(4, Total(), bounds))
    assert allows(problem)
    assert not allows(problem, a=2)
    assert allows(problem, a=0, b=4)
    assert allows(problem, a=3)


def test_minima_that_bind_where_held_change_the_best() -> None:
    """One of two replicas each on a and b: with a minimum of 2 on a, a holds both or none."""
    pair = (Candidates(("a", "b")), Total(), Weights({"a": 1, "b": 1}))
    plain = problem_of(Workload("w", "w", 2, rules=pair))
    assert best(plain) == {"a": 1, "b": 1}
    bounds = Bounds({"a": Bound(2)}, where_held=frozenset("a"))
    # 2, 0 and 0, 2 are equally far from 1 and 1; the name decides.
    assert best(problem_of(Workload("w", "w", 2, rules=(*pair, bounds)))) == {"a": 2}


def test_preferred_minima_change_the_best() -> None:
    """Clusters with a minimum come first: one replica goes to c, although a is the first by name."""
    bounds = Bounds({"c": Bound(1)}, where_held=frozenset(NAMES))
    assert best(problem_of(workload(1, Total(), bounds, EQUAL))) == {"a": 1}
    preferred = replace(bounds, preferred=True)
    assert best(problem_of(workload(1, Total(), preferred, EQUAL))) == {"c": 1}


def test_copies_on_chosen_clusters() -> None:
    """A cluster holds a full copy or nothing, and one of them holds one."""
    problem = problem_of(workload(3, Duplicated(choice=True)))
    assert allows(problem)
    assert not allows(problem, a=2)
    assert not allows(problem, a=0, b=0, c=0)
    assert allows(problem, a=3, b=0, c=3)
    # Without the choice all three have to.
    assert not allows(problem_of(workload(3, Duplicated())), b=0)


def test_copies_of_different_size() -> None:
    """The copy on b is smaller."""
    problem = problem_of(workload(3, Duplicated(choice=True, copies={"b": 2})))
    assert not allows(problem, b=3)
    assert allows(problem, b=2)


def test_most_copies_on_the_most_room() -> None:
    """At most two clusters: both are used, and those first in the ranking, not by name."""
    spread = Spread("cluster", {name: frozenset(name) for name in NAMES}, 1, 2)
    rules = (Duplicated(choice=True), spread)
    # Without a level the tie-break takes the first two by name as well, so the ranking is what differs.
    assert best(problem_of(workload(1, *rules))) == {"a": 1, "b": 1}
    assert best(problem_of(workload(1, *rules, Copies((("c",), ("b",), ("a",)))))) == {"b": 1, "c": 1}


def test_group_total() -> None:
    """A set holds between its minimum and its maximum together."""
    rule = GroupTotal("x", frozenset("ab"), 2, 3)
    problem = problem_of(workload(4, Total(), rule))
    assert allows(problem)
    assert not allows(problem, c=0)
    assert not allows(problem, a=1, b=0)
    assert allows(problem, a=1, b=1, c=2)


def test_group_total_changes_the_best() -> None:
    """1, 1, 1 puts two into the set; with at most one there, c takes the second."""
    rule = GroupTotal("x", frozenset("ab"), 0, 1)
    assert best(problem_of(workload(3, Total(), EQUAL))) == {"a": 1, "b": 1, "c": 1}
    # 1, 0, 2 and 0, 1, 2 are equally far; the name decides.
    assert best(problem_of(workload(3, Total(), EQUAL, rule))) == {"a": 1, "c": 2}


def test_spread() -> None:
    """Both regions, or one region only; a cluster of two zones counts for both."""
    groups = {"x": frozenset("ab"), "y": frozenset("c")}
    both = problem_of(workload(2, Total(), Spread("region", groups, 2)))
    assert allows(both)
    assert not allows(both, c=0)
    assert not allows(both, c=2)
    assert allows(both, b=1, c=1)
    one = problem_of(workload(2, Total(), Spread("region", groups, 0, 1)))
    assert not allows(one, a=1, c=1)
    assert allows(one, a=1, b=1)
    zones = {"x": frozenset("ab"), "y": frozenset("bc")}
    assert allows(problem_of(workload(2, Total(), Spread("zone", zones, 2))), b=2)


def test_spread_changes_the_best() -> None:
    """Weights 2 : 2 : 1 of two replicas leave c empty; two regions need it."""
    weights = Weights({"a": 2, "b": 2, "c": 1})
    groups = {"x": frozenset("ab"), "y": frozenset("c")}
    assert best(problem_of(workload(2, Total(), weights))) == {"a": 1, "b": 1}
    assert best(problem_of(workload(2, Total(), weights, Spread("region", groups, 2)))) == {"a": 1, "c": 1}


def test_survival() -> None:
    """Whatever region is lost, two of four replicas are left."""
    rule = Survival("region", {"x": frozenset("ab"), "y": frozenset("c")}, 2)
    problem = problem_of(workload(4, Total(), rule))
    assert allows(problem)
    assert not allows(problem, c=1)
    assert not allows(problem, c=3)
    assert allows(problem, c=2, a=0)


def test_survival_changes_the_best() -> None:
    """Equal weights divide four as 2, 1, 1; c is a region by itself and has to hold two."""
    rule = Survival("region", {"x": frozenset("ab"), "y": frozenset("c")}, 2)
    assert best(problem_of(workload(4, Total(), EQUAL))) == {"a": 2, "b": 1, "c": 1}
    assert best(problem_of(workload(4, Total(), EQUAL, rule))) == {"a": 1, "b": 1, "c": 2}


def pair(*, together: bool, first: int = 2, second: int = 1) -> Problem:
    """Return two workloads that keep together or apart; v decides before w."""
    rule = Companionship("group", ("v", "w"), together)
    both = (workload(first, Total(), EQUAL, key="v"), workload(second, Total(), EQUAL))
    return problem_of(*both, shared=(rule,))


def test_companionship() -> None:
    """Together: the later one only where the earlier one is. Apart: no cluster in common."""
    together = pair(together=True)
    assert allows(together)
    assert not allows_all(together, {"v": {"c": 0}, "w": {"c": 1}})
    assert allows_all(together, {"v": {"c": 1}, "w": {"c": 1}})
    # The earlier one is free to stand where the later one does not.
    assert allows_all(together, {"v": {"a": 1, "b": 1}, "w": {"a": 1}})
    apart = pair(together=False)
    assert allows(apart)
    assert not allows_all(apart, {"v": {"a": 1}, "w": {"a": 1}})
    assert allows_all(apart, {"v": {"a": 1, "b": 1}, "w": {"c": 1}})


def test_companionship_changes_the_best() -> None:
    """Both would take a first; apart the second one finds c, where v is not."""
    assert best(replace(pair(together=False), rules=())) == {"a": 1}
    assert best(pair(together=False)) == {"c": 1}
    # Three of w stand 1, 1, 1; tied to v, which has two replicas, they share its two clusters.
    wide = pair(together=True, second=3)
    assert best(replace(wide, rules=())) == {"a": 1, "b": 1, "c": 1}
    assert best(wide) == {"a": 2, "b": 1}


def test_companions_scaled_to_zero_take_no_part() -> None:
    """An earlier workload without replicas ties nobody."""
    assert best(pair(together=True, first=0)) == {"a": 1}


def test_tiers_change_the_best() -> None:
    """The first tier is b: it takes both replicas, though the ratio and the name would have a share them."""
    tiers = (frozenset("b"), frozenset("ac"))
    rules = (Total(), Weights(dict.fromkeys(NAMES, 1), tiers=tiers))
    assert best(problem_of(workload(2, Total(), EQUAL))) == {"a": 1, "b": 1}
    assert best(problem_of(workload(2, *rules, Tiers(tiers)))) == {"b": 2}
    # With room for one on b the other goes beyond, to the first by name.
    full = Bounds({}, {"b": Bound(1)})
    assert best(problem_of(workload(2, *rules, Tiers(tiers), full))) == {"a": 1, "b": 1}


def test_aggregated_changes_the_best() -> None:
    """Three of equal weights stand 1, 1, 1; on the fewest clusters they stand on one."""
    assert best(problem_of(workload(3, Total(), EQUAL, Aggregated()))) == {"a": 3}
    # At most two each: two clusters, of which the first holds two.
    most = Bounds({}, {name: Bound(2) for name in NAMES})
    assert best(problem_of(workload(3, Total(), EQUAL, Aggregated(), most))) == {"a": 2, "b": 1}


def test_price_changes_the_best() -> None:
    """A third is less than a half: one replica goes to c; clusters without a price cost nothing."""
    prices = {"a": Fraction(1, 2), "b": Fraction(1, 2), "c": Fraction(1, 3)}
    assert best(problem_of(workload(1, Total(), EQUAL))) == {"a": 1}
    assert best(problem_of(workload(1, Total(), EQUAL, Price(prices)))) == {"c": 1}
    free = {name: price for name, price in prices.items() if name != "b"}
    assert best(problem_of(workload(1, Total(), EQUAL, Price(free)))) == {"b": 1}


def shares() -> Shares:
    """Return regions x (a, b) and y (c) of 1 : 1, x divided 1 : 1."""
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    outer = (ShareGroup("x", frozenset("ab"), half), ShareGroup("y", frozenset("c"), half))
    inner = (
        ShareGroup("x/a", frozenset("a"), quarter),
        ShareGroup("x/b", frozenset("b"), quarter),
        ShareGroup("y/c", frozenset("c"), half),
    )
    return Shares((outer, inner))


@pytest.mark.parametrize("deviation", [Deviation.WEBSTER, Deviation.L1])
def test_shares_change_the_best(deviation: Deviation) -> None:
    """Two replicas over equal clusters go to a and b; over equal regions, one to each region."""
    plain = replace(problem_of(workload(2, Total(), EQUAL)), deviation=deviation)
    assert best(plain) == {"a": 1, "b": 1}
    shared = replace(problem_of(workload(2, Total(), shares())), deviation=deviation)
    # Quotas 1 and 1 of the regions are met; inside x the name decides.
    assert best(shared) == {"a": 1, "c": 1}


def test_the_outer_depth_comes_first() -> None:
    """With at most 1 on c, four replicas stand 3 and 1: the regions are 2 and 2 as nearly as can be."""
    bounds = Bounds({}, {"c": Bound(1)})
    problem = problem_of(workload(4, Total(), shares(), bounds))
    assert best(problem) == {"a": 2, "b": 1, "c": 1}
    encoding = encode(problem)
    assert encoding is not None
    assert [level.number for level in encoding.levels] == [1, 2]


def test_shares_are_not_measured_by_minimax() -> None:
    """What is not finished is an error, not ignored."""
    with pytest.raises(UnsupportedError, match="minimax"):
        encode(replace(problem_of(workload(2, Total(), shares())), deviation=Deviation.MINIMAX))


def test_shares_that_differ_too_much_are_refused() -> None:
    """Of 100 replicas one group gets 1e-17: 100^2 / 1e-17 steps of the squared distance pass 2^60."""
    tiny = Fraction(1, 10**19)
    depth = (ShareGroup("one", frozenset("a"), 1 - tiny), ShareGroup("two", frozenset("bc"), tiny))
    with pytest.raises(UnsupportedError, match="one group 1e-17 of 100 replicas; that differs too much"):
        minimise_levels(problem_of(workload(100, Total(), Shares((depth,)))), Search())


def test_evenness_changes_the_best() -> None:
    """Two more beside 2, 0, 0: one each for a and b costs as much as for b and c, whose result is evener."""
    moves = Moves(frozenset(NAMES), keep=True)
    running = {"a": 2}
    assert best(problem_of(workload(4, Total(), moves, current=running))) == {"a": 4}
    even = workload(4, Total(), moves, Evenness(NAMES), current=running)
    # Changes (1, 1, 0), (1, 0, 1), (0, 1, 1) cost 2 each; results 3, 1, 0 cost 10 and 2, 1, 1 cost 6.
    assert best(problem_of(even)) == {"a": 2, "b": 1, "c": 1}
    # Afresh the result alone counts first: of four, one cluster holds two; keeping a there moves nothing.
    assert best(problem_of(replace(even, fresh=True))) == {"a": 2, "b": 1, "c": 1}
    elsewhere = replace(even, current={"c": 4})
    assert best(problem_of(elsewhere)) == {"c": 4}
    assert best(problem_of(replace(elsewhere, fresh=True))) == {"a": 1, "b": 1, "c": 2}


def test_a_placement_of_zero_replicas_keeps_all_rules() -> None:
    """No minimum, spread or survival binds a workload that is scaled to 0."""
    rules = (
        Total(),
        GroupTotal("x", frozenset("a"), 1),
        Spread("cluster", {name: frozenset(name) for name in NAMES}, 2),
        Survival("cluster", {name: frozenset(name) for name in NAMES}, 1),
    )
    problem = problem_of(workload(0, *rules))
    assert allows(problem)
    assert minimise_levels(problem, Search(workers=1)).placement == Placement({"w": {}})
