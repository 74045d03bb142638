"""KubeAdmiral's planner for Spread, its arithmetic, and the planners by name, faults included."""

import ctypes
from collections.abc import Mapping
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlead.models.errors import UnsupportedError
from fairlead.solver.dispensers.kubeadmiral import inputs as arithmetic
from fairlead.solver.dispensers.kubeadmiral.inputs import PlannerPreferences
from fairlead.solver.dispensers.kubeadmiral.planner import queue, spread
from kubeadmiral_builders import ask

Clusters = Mapping[str, PlannerPreferences]


def equals(count: int) -> Clusters:
    """Return clusters of the same weight."""
    return {f"member{number}": PlannerPreferences(1) for number in range(1, count + 1)}


def weighted(*weights: int) -> Clusters:
    """Return clusters of these weights."""
    return {f"member{number}": PlannerPreferences(weight) for number, weight in enumerate(weights, 1)}


# Arithmetic of the Go program


@given(st.integers(-(2**70), 2**70))
def test_wrap_is_what_the_machine_does(number: int) -> None:
    """A 64-bit integer keeps the low bits, in two's complement."""
    assert arithmetic.wrap(number) == ctypes.c_int64(number & (2**64 - 1)).value


def test_divide_cuts_towards_zero() -> None:
    """Go cuts; Python's // would round -7/2 down to -4."""
    assert [arithmetic.divide(*pair) for pair in ((7, 2), (-7, 2), (7, -2), (-7, -2))] == [3, -3, -3, 3]


def test_half_away() -> None:
    """Halves go away from zero (Python's round goes to even), and a NaN becomes the smallest integer."""
    assert [arithmetic.half_away(number) for number in (0.5, 1.5, 2.5, -0.5, 2.4)] == [1, 2, 3, -1, 2]
    assert arithmetic.half_away(0.49999999999999994) == 0  # adding a half first would give 1
    assert arithmetic.half_away(float("nan")) == -(2**63)


def test_whole_units_round_away_from_zero() -> None:
    """100m of cpu are a whole core for the scheduler."""
    quantities = (Fraction(1, 10), Fraction(2), Fraction(-1, 10))
    assert [arithmetic.whole_units(quantity) for quantity in quantities] == [1, 2, -1]


def test_fnv1_not_fnv1a() -> None:
    """The published test values of 32-bit FNV-1; FNV-1a of "a" would be e40c292c."""
    assert [arithmetic.fnv1(text) for text in ("", "a", "foobar")] == [0x811C9DC5, 0x050C5D7E, 0x31F0B262]


# Spread: minima, then rounds by weight


@pytest.mark.parametrize(
    ("count", "total", "expected"),
    [
        (5, 7, {2: 3, 1: 1, 0: 1}),  # evenly would be 2, 2, 1, 1, 1
        (10, 11, {2: 5, 1: 1, 0: 4}),
        (100, 150, {2: 75, 0: 25}),
        (1000, 1001, {2: 500, 1: 1, 0: 499}),  # a fair share is 1.001, yet half of the clusters get nothing
    ],
)
def test_shares_rounded_up_starve_the_last(count: int, total: int, expected: Mapping[int, int]) -> None:
    """Every share is rounded up until nothing is left, so the last clusters of equals get nothing."""
    placed = list(spread(ask(equals(count), total)).plan.values())
    assert {number: placed.count(number) for number in expected} == expected
    assert sum(placed) == total


def test_light_clusters_lose() -> None:
    """Exact shares are 6.74, 5.11, 4.15, and 5.5, 2.2, 1.1, 1.1, 0.55, 0.55."""
    assert list(spread(ask(weighted(91, 69, 56), 16)).plan.values()) == [7, 6, 3]
    placed = list(spread(ask(weighted(50, 20, 10, 10, 5, 5), 11)).plan.values())
    # Which of the two of weight 10 gets the last two is decided by the hash.
    assert placed[:2] == [6, 3]
    assert sorted(placed[2:4]) == [0, 2]
    assert placed[4:] == [0, 0]


def test_weight_zero_gets_its_minimum_only() -> None:
    """Seven of ten replicas find no place although the cluster of weight 0 has room; nobody says so."""
    clusters = {"a": PlannerPreferences(1, 0, 3), "b": PlannerPreferences(0, 0)}
    assert spread(ask(clusters, 10)).plan == {"a": 3, "b": 0}
    assert spread(ask({"a": PlannerPreferences(1), "b": PlannerPreferences(0, 2)}, 10)).plan == {
        "a": 8,
        "b": 2,
    }
    assert spread(ask({"a": PlannerPreferences(0), "b": PlannerPreferences(0)}, 10)).plan == {"a": 0, "b": 0}


def test_minimum_comes_on_top_of_the_weights() -> None:
    """Weights divide what the minima leave: 4, and half of the other 6 each, not 5 and 5."""
    assert spread(ask({"a": PlannerPreferences(1, 4), "b": PlannerPreferences(1)}, 10)).plan == {
        "a": 7,
        "b": 3,
    }


def test_minima_above_the_total_go_to_the_heavy() -> None:
    """The heavier cluster is served in full, the other gets what remains."""
    assert spread(ask({"a": PlannerPreferences(1, 4), "b": PlannerPreferences(2, 4)}, 5)).plan == {
        "a": 1,
        "b": 4,
    }


def test_minimum_above_maximum() -> None:
    """With 10 replicas the minimum takes all; with 12 a round happens, cuts to 5 and loses the rest."""
    clusters = {"a": PlannerPreferences(1, 10, 5)}
    assert spread(ask(clusters, 10)).plan == {"a": 10}
    assert spread(ask(clusters, 12)).plan == {"a": 5}


def test_products_wrap() -> None:
    """2^31 replicas times 2^40 is 2^71, of which 64 bits keep nothing."""
    assert set(spread(ask(weighted(2**40, 2**40), 2**31)).plan.values()) == {0}


def test_negative_weights_give_replicas_back() -> None:
    """Of 10, a takes 10 and b gives back 2 of every 3, until less than one would come back."""
    # Rounds of 10, 6, 3 and 1: b gives back the integer part of (2 * 10 - 2) / 3 = 6, then 3, 1 and 0.
    assert spread(ask(weighted(5, -2), 10)).plan == {"member1": 20, "member2": -10}


def test_negative_weights_that_never_end() -> None:
    """Each round b gives back four times of what a has taken: the real planner runs for ever."""
    with pytest.raises(UnsupportedError, match="the weight -4 of member2"):
        spread(ask(weighted(5, -4), 10))
    # A maximum closes a, and the weights that are left are negative: that ends.
    assert spread(ask({"a": PlannerPreferences(5, 0, 99), "b": PlannerPreferences(-4)}, 10)).plan["a"] == 99


def test_wildcard_preferences() -> None:
    """``*`` holds for clusters without preferences of their own; without it they are left out."""
    clusters = {"*": PlannerPreferences(1, 0, 2), "a": PlannerPreferences(1)}
    assert spread(ask(clusters, 8, available=("a", "b"))).plan == {"a": 6, "b": 2}
    assert spread(ask({"a": PlannerPreferences(1)}, 8, available=("a", "b"))).plan == {"a": 8}


def test_order_is_weight_then_hash() -> None:
    """Between two equals the hash of name and workload decides; another workload may get the other."""
    clusters = weighted(1, 1, 5)
    keys = [
        f"{namespace}/{name}" for namespace in ("default", "prod") for name in ("web", "db", "nginx", "batch")
    ]
    firsts = {queue(clusters, key)[1][0] for key in keys}
    assert queue(clusters, "default/web")[0][0] == "member3"
    assert firsts == {"member1", "member2"}


def test_overflow_passes_the_maximum() -> None:
    """3 beyond the capacity are counted in the minimum pass and 4 in the round: 2 + 7 is more than 6."""
    division = spread(ask({"a": PlannerPreferences(1, 5, 6)}, 12, estimated={"a": 2}))
    assert division.plan == {"a": 2}
    assert division.overflow == {"a": 7}


def test_overflows_are_cut_one_by_one() -> None:
    """3 replicas, room nowhere: each cluster is still asked for 2, so 4 in all."""
    question = ask(weighted(1, 1), 3, estimated={"member1": 0, "member2": 0}, avoid_disruption=True)
    assert sorted(spread(question).overflow.values()) == [2, 2]


def test_limited_capacity_is_a_maximum_without_overflow() -> None:
    """Custom migration takes the rest elsewhere."""
    division = spread(ask(weighted(1, 1), 10, limited={"member1": 2}))
    assert division.plan == {"member1": 2, "member2": 8}
    assert division.overflow == {}


@pytest.mark.parametrize("running", [(16, 17, 17), (17, 16, 17), (17, 17, 16)])
def test_current_replicas_do_not_matter_without_avoid_disruption(running: tuple[int, int, int]) -> None:
    """50 over three equals end the same way whatever runs, so a pod may move for nothing."""
    current = dict(zip(equals(3), running, strict=True))
    fresh = spread(ask(equals(3), 50)).plan
    assert sorted(fresh.values()) == [16, 17, 17]
    assert spread(ask(equals(3), 50, current=current)).plan == fresh


def test_avoid_disruption_keeps_a_running_total() -> None:
    """8 and 2 are 10 as wanted, so the maximum of 2 is never restored."""
    clusters = {"a": PlannerPreferences(1, 0, 2), "b": PlannerPreferences(1)}
    question = ask(clusters, 10, current={"a": 8, "b": 2}, avoid_disruption=True)
    assert spread(question).plan == {"a": 8, "b": 2}


def test_avoid_disruption_scales_by_the_difference() -> None:
    """Measured in the real planner; 284/272 and 281/119 would be nearer the weights."""
    up = ask(weighted(23, 22), 556, current={"member1": 284, "member2": 270}, avoid_disruption=True)
    assert list(spread(up).plan.values()) == [285, 271]
    down = ask(weighted(853, 361), 400, current={"member1": 290, "member2": 329}, avoid_disruption=True)
    assert list(spread(down).plan.values()) == [282, 118]


def test_auto_migration_can_go_in_circles() -> None:
    """Only C has room; what was learnt of a capacity is forgotten when the cluster is empty."""
    clusters = {"A": PlannerPreferences(1), "B": PlannerPreferences(1), "C": PlannerPreferences(1)}

    def after(current: Mapping[str, int], estimated: Mapping[str, int]) -> dict[str, int]:
        question = ask(clusters, 2, current=current, estimated=estimated, avoid_disruption=True)
        division = spread(question)
        asked = {name: count + division.overflow.get(name, 0) for name, count in division.plan.items()}
        return {name: count for name, count in asked.items() if count}

    first = {"B": 1, "C": 1}
    second = after(first, {"B": 0})
    assert second == {"A": 1, "C": 1}
    assert after(second, {"A": 0}) == first


PREFERENCES = st.builds(PlannerPreferences, weight=st.integers(0, 9), minimum=st.integers(0, 3))
CLUSTERS = st.dictionaries(st.sampled_from("abcdef"), PREFERENCES, min_size=1)
COUNTS = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 9))


@given(CLUSTERS, st.integers(0, 60))
def test_all_replicas_find_a_place_where_a_weight_is_positive(clusters: Clusters, total: int) -> None:
    """Without maxima and capacities only minima and a positive weight matter."""
    placed = sum(spread(ask(clusters, total)).plan.values())
    minima = sum(preference.minimum for preference in clusters.values())
    has_weight = any(preference.weight for preference in clusters.values())
    assert placed == (total if has_weight else min(total, minima))


@given(CLUSTERS, st.integers(0, 60), COUNTS)
def test_avoid_disruption_only_adds_or_only_removes(
    clusters: Clusters, total: int, current: dict[str, int]
) -> None:
    """No replica moves: the plan is nowhere below, or nowhere above, what runs."""
    division = spread(ask(clusters, total, current=current, avoid_disruption=True))
    changes = [count - current.get(name, 0) for name, count in division.plan.items()]
    assert min(changes) >= 0 or max(changes) <= 0


@given(CLUSTERS, st.integers(0, 60), COUNTS, st.booleans())
def test_spread_does_not_depend_on_the_order(
    clusters: Clusters, total: int, current: dict[str, int], avoid: bool
) -> None:
    """Clusters and maps in reverse order give the same plan."""
    backwards = {name: clusters[name] for name in reversed(list(clusters))}
    turned = dict(reversed(current.items()))
    found = spread(ask(clusters, total, current=current, avoid_disruption=avoid))
    assert spread(ask(backwards, total, current=turned, avoid_disruption=avoid)) == found
