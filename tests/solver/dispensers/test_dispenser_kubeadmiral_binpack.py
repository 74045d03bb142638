"""KubeAdmiral's planner for Binpack: the smallest instances that show what it does, faults included."""

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from fairlead.solver.dispensers.kubeadmiral.inputs import PlannerPreferences
from fairlead.solver.dispensers.kubeadmiral.planner import binpack, is_due
from kubeadmiral_builders import ask

Clusters = Mapping[str, PlannerPreferences]


def pack(*maxima: int | None) -> Clusters:
    """Return clusters of these maxima."""
    return {f"member{number}": PlannerPreferences(0, 0, maximum) for number, maximum in enumerate(maxima, 1)}


def test_binpack_fills_in_order() -> None:
    """The first cluster takes what it may, whatever its weight; later ones the rest."""
    assert list(binpack(ask(pack(4, None, None), 10)).plan.values()) == [4, 6, 0]


def test_binpack_serves_minima_first() -> None:
    """The minimum of the last cluster is set aside before the first one is filled."""
    clusters = {"a": PlannerPreferences(), "b": PlannerPreferences(minimum=3)}
    assert binpack(ask(clusters, 10)).plan == {"a": 7, "b": 3}


def test_binpack_overflow_is_the_larger_one() -> None:
    """3 beyond the capacity by the minimum, 8 by filling: 8 are requested on top, not 11."""
    question = ask({"a": PlannerPreferences(minimum=5), "b": PlannerPreferences()}, 10, estimated={"a": 2})
    division = binpack(question)
    assert division.plan == {"a": 2, "b": 8}
    assert division.overflow == {"a": 8}


def test_binpack_waits_until_the_state_is_known() -> None:
    """Of 5 replicas 3 are scheduled and no capacity is known: nothing changes, though 9 are wanted now."""
    waiting = ask(pack(None, None), 9, current={"member1": 5}, scheduled={"member1": 3})
    assert not is_due(waiting)
    assert binpack(waiting).plan == {"member1": 5}
    known = ask(
        pack(None, None), 9, current={"member1": 5}, scheduled={"member1": 3}, estimated={"member1": 3}
    )
    assert is_due(known)
    assert binpack(known).plan == {"member1": 3, "member2": 6}


def test_binpack_is_due_where_a_cluster_is_gone_or_limited() -> None:
    """Both override the waiting."""
    waiting = {"current": {"member1": 5}, "scheduled": {"member1": 3}}
    assert is_due(ask(pack(None), 9, **waiting, limited={"member1": 4}))
    assert is_due(ask(pack(None), 9, available=("member2",), **waiting))


def test_binpack_returns_what_is_scheduled() -> None:
    """All 6 run, 2 of them in the second cluster: that is kept, overflow or not."""
    scheduled = {"member1": 4, "member2": 2}
    question = ask(
        pack(None, None),
        6,
        current=scheduled,
        scheduled=scheduled,
        estimated={"member1": 4},
        avoid_disruption=True,
    )
    division = binpack(question)
    assert division.plan == scheduled
    assert division.overflow == {}


def test_binpack_shrinks_from_the_last_and_grows_from_the_first() -> None:
    """4 and 4 run with at most 6 in the first."""
    current = {"member1": 4, "member2": 4}
    question = {"current": current, "avoid_disruption": True}
    assert binpack(ask(pack(6, None), 5, **question)).plan == {"member1": 4, "member2": 1}
    assert binpack(ask(pack(6, None), 11, **question)).plan == {"member1": 6, "member2": 5}


def test_binpack_gives_minima_once_more() -> None:
    """3 run in b, which wants 5 at least: it takes 5 more before a, which comes first, takes any."""
    clusters = {"a": PlannerPreferences(), "b": PlannerPreferences(minimum=5)}
    question = ask(clusters, 9, current={"b": 3}, limited={"a": 2}, avoid_disruption=True)
    # Wanted: a 2, b 7. Six are added: b's minimum of 5 first, then a takes the last one.
    assert binpack(question).plan == {"a": 1, "b": 8}


@given(st.lists(st.integers(0, 5), min_size=1, max_size=6), st.integers(0, 25))
def test_binpack_is_a_running_sum(maxima: list[int], total: int) -> None:
    """With maxima only, every prefix of the clusters holds as much as it can."""
    placed = list(binpack(ask(pack(*maxima), total)).plan.values())
    for count in range(1, len(maxima) + 1):
        assert sum(placed[:count]) == min(total, sum(maxima[:count]))
