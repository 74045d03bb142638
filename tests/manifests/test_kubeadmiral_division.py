"""What KubeAdmiral's policies make of replicas: weights, bounds, tiers, copies, most clusters."""

from typing import Any

import pytest

import fairlead
from fairlead.manifests.loading import load
from fairlead.models.rules import (
    Bounds,
    Copies,
    Duplicated,
    Moves,
    Spread,
    Tiers,
    Weights,
)
from kubeadmiral_manifests import entry, federated, member, members, policy, web
from kubeadmiral_solved import METHODS, divided, kinds, placed, refused
from loaded import bounds, candidates, closed, held, only, texts, weights

# Divide and Spread


def test_minimum_binds_and_weights_share() -> None:
    """Weights 1:1 would give 5 and 5; a minimum of 7 on the one leaves 3 to the other."""
    problem = divided(entry("member1", weight=1, minReplicas=7), entry("member2", weight=1))
    assert kinds(only(problem)) == ["Candidates", "Total", "Bounds", "Weights"]
    assert placed(problem) == {"member1": 7, "member2": 3}


def test_maximum_binds() -> None:
    """At most 2 on member1, so member2 takes 8."""
    problem = divided(entry("member1", weight=1, maxReplicas=2), entry("member2", weight=1))
    assert placed(problem) == {"member1": 2, "member2": 8}


def test_without_weight_beside_others_only_the_minimum() -> None:
    """member2 has no weight and gets its 2; member3 has neither and is no candidate; member4 weighs 0."""
    problem = divided(
        entry("member1", weight=1),
        entry("member2", minReplicas=2),
        entry("member3"),
        entry("member4", weight=0, maxReplicas=5),
    )
    assert weights(only(problem)) == {"member1": 1, "member2": 0}
    assert bounds(only(problem)) == ({"member2": 2}, {"member2": 2})
    assert closed(only(problem)) == {
        "member3": "has no weight beside others that have one, and no minimum",
        "member4": "has weight 0 and no minimum",
    }
    assert placed(problem) == {"member1": 8, "member2": 2}
    assert texts(problem, "bounds") == [
        "policy default/web: the preferences have no effect on member4 (has weight 0 and no minimum) (<dict>)"
    ]


def test_last_entry_of_a_cluster_wins_by_preference() -> None:
    """A second entry resets the minimum to 0, but not the maximum and the weight that it does not name."""
    problem = divided(entry("member1", minReplicas=3, maxReplicas=5, weight=2), entry("member1", priority=1))
    assert bounds(only(problem)) == ({}, {"member1": 5})
    assert weights(only(problem)) == {"member1": 2}


def test_dynamic_weights_of_unknown_capacity() -> None:
    """A cluster of unknown room takes nothing new; one that holds replicas keeps them."""
    clusters = [member("a", "4"), member("b", None), member("c", None)]
    workload = only(load(clusters, policy(), federated(web(6), {"b": 2})))
    assert weights(workload) == {"a": 4, "b": 0}
    assert list(held(workload)) == ["b"]
    assert closed(workload) == {"c": "has unknown capacity, so it cannot be weighed by available replicas"}


def test_dynamic_weights_count_what_runs() -> None:
    """The room of a cluster is what is free and what the workload itself holds there."""
    workload = only(load([member("a", "4"), member("b", "1")], policy(), federated(web(6), {"b": 3})))
    assert weights(workload) == {"a": 4, "b": 4}


def test_dynamic_weights_without_requests() -> None:
    """A workload that requests nothing fits anywhere; it is weighed by free cpu, here 3:1."""
    clusters = [member("a", "6"), member("b", "2"), member("c", "-1")]
    problem = load(clusters, policy(), web(8, cpu=None))
    assert weights(only(problem)) == {"a": 6000, "b": 2000, "c": 0}
    assert placed(problem) == {"a": 6, "b": 2}
    nothing = load([member("a", "-1"), member("b", "0")], policy(), web(8, cpu=None))
    assert weights(only(nothing)) == {"a": 1, "b": 1}


def test_unplaceable_is_a_conflict() -> None:
    """Maxima of 3 and 4 cannot hold 10; the real scheduler silently places 7."""
    problem = divided(entry("member1", maxReplicas=3), entry("member2", maxReplicas=4))
    assert refused(problem)[:3] == [
        "default/web needs 10 replicas; these 2 clusters can hold 7 together",
        "policy default/web: member1 may hold at most 3",
        "policy default/web: member2 may hold at most 4",
    ]


@pytest.mark.parametrize(("avoid", "expected"), [(True, (9, 1)), (False, (5, 5)), (None, (9, 1))])
def test_avoid_disruption(avoid: bool | None, expected: tuple[int, int]) -> None:
    """Moves come before the ratio, unless disruption is allowed; left out means avoided."""
    rescheduling = {} if avoid is None else {"replicaRescheduling": {"avoidDisruption": avoid}}
    problem = divided(
        entry("member1", weight=1),
        entry("member2", weight=1),
        current={"member1": 9, "member2": 1},
        reschedulePolicy=rescheduling,
    )
    moves = only(problem).rule(Moves)
    assert moves is not None
    assert moves.keep == (avoid is not False)
    assert placed(problem) == {"member1": expected[0], "member2": expected[1]}


def test_no_schedule_keeps_at_most_what_it_holds() -> None:
    """Growing from 4 to 10: the tainted cluster keeps its 2 although the weights are equal."""
    clusters = [member("a", taints=["k:NoSchedule"]), member("b")]
    spec = policy(placement=[entry("a", weight=1), entry("b", weight=1)])
    assert placed(load(clusters, spec, federated(web(10), {"a": 2, "b": 2}))) == {"a": 2, "b": 8}


def test_entries_without_effect() -> None:
    """A cluster that is not there, and a minimum on one that is closed; a name alone needs no word."""
    clusters = [member("a"), member("b", ready="False"), member("c", ready="False")]
    problem = load(
        clusters, policy(placement=[entry("a"), entry("b", minReplicas=1), entry("c"), entry("d")]), web(4)
    )
    assert texts(problem, "bounds") == [
        "policy default/web: the placement list names d, which is not in the input (<dict>)",
        "policy default/web: the preferences have no effect on b (is not ready) (<dict>)",
    ]
    assert bounds(only(problem)) == ({}, {})


# Divide and Binpack


@pytest.mark.parametrize("method", METHODS)
def test_binpack_fills_by_priority(method: Any) -> None:
    """member3 first, then member2; both take 4 at most, the rest goes to member1."""
    problem = divided(
        entry("member1", maxReplicas=4, priority=1),
        entry("member2", maxReplicas=4, priority=5),
        entry("member3", maxReplicas=4, priority=9),
        replicasStrategy="Binpack",
    )
    assert kinds(only(problem)) == ["Candidates", "Total", "Bounds", "Tiers", "Aggregated"]
    order = only(problem).rule(Tiers)
    assert order is not None
    assert order.tiers == (frozenset({"member3"}), frozenset({"member2"}), frozenset({"member1"}))
    assert placed(problem, method) == {"member1": 2, "member2": 4, "member3": 4}


def test_binpack_by_weight_within_a_priority() -> None:
    """Equal priorities are ordered by weight; without both a cluster comes last."""
    problem = divided(
        entry("member1", priority=1),
        entry("member2", priority=1, weight=9),
        entry("member3", weight=50),
        entry("member4"),
        replicasStrategy="Binpack",
    )
    order = only(problem).rule(Tiers)
    assert order is not None
    assert [sorted(tier) for tier in order.tiers] == [["member2"], ["member1"], ["member3"], ["member4"]]
    assert only(problem).rule(Weights) is None


@pytest.mark.parametrize("method", METHODS)
def test_binpack_of_equals_uses_few_clusters(method: Any) -> None:
    """No priority: 15 replicas on clusters for 10 each need two, the first two by name."""
    problem = divided(replicas=15, replicasStrategy="Binpack")
    assert kinds(only(problem)) == ["Candidates", "Total", "Aggregated"]
    assert set(placed(problem, method)) == {"member1", "member2"}


def test_binpack_minimum_binds_where_held() -> None:
    """member2 may stay empty, but if used at all it gets its 3: the first cluster then gives one back."""
    problem = divided(
        entry("member1", maxReplicas=8, priority=9),
        entry("member2", minReplicas=3),
        replicasStrategy="Binpack",
    )
    found = only(problem).rule(Bounds)
    assert found is not None
    assert found.where_held == {"member1", "member2"}
    assert not found.preferred
    assert placed(problem) == {"member1": 7, "member2": 3}
    few = divided(
        entry("member1", maxReplicas=8, priority=9),
        entry("member2", minReplicas=3),
        replicas=8,
        replicasStrategy="Binpack",
    )
    assert placed(few) == {"member1": 8}


@pytest.mark.parametrize(
    ("replicas", "expected"),
    [
        (6, {"member1": 2, "member2": 4}),
        (5, {"member1": 1, "member2": 4}),
        (3, {"member1": 1, "member2": 2}),
    ],
)
@pytest.mark.parametrize("method", METHODS)
def test_binpack_does_not_touch_what_runs(replicas: int, expected: dict[str, int], method: Any) -> None:
    """1 and 4 run: growing fills the first cluster, shrinking empties the last, and nothing is moved."""
    entries = [entry("member1", priority=9), entry("member2", priority=1)]
    current = {"member1": 1, "member2": 4}
    problem = divided(*entries, replicas=replicas, current=current, replicasStrategy="Binpack")
    assert placed(problem, method) == expected
    anew = divided(
        *entries,
        replicas=replicas,
        current=current,
        replicasStrategy="Binpack",
        reschedulePolicy={"replicaRescheduling": {"avoidDisruption": False}},
    )
    assert placed(anew, method) == {"member1": replicas}


# Duplicate


def test_duplicate_has_no_total() -> None:
    """Every candidate holds a copy; nothing is divided."""
    problem = load(members(2), policy(schedulingMode="Duplicate"), web(3))
    assert kinds(only(problem)) == ["Candidates", "Duplicated"]
    assert placed(problem) == {"member1": 3, "member2": 3}


def test_duplicate_needs_room_for_its_copies() -> None:
    """A copy of 4 does not fit where 3 cores are free; a copy clamped to 3 does."""
    clusters = [member("a", "3"), member("b", "5")]
    assert refused(load(clusters, policy(schedulingMode="Duplicate"), web(4)))
    clamped = policy(schedulingMode="Duplicate", placement=[entry("a", maxReplicas=3), entry("b")])
    assert placed(load(clusters, clamped, web(4))) == {"a": 3, "b": 4}


def test_duplicate_of_nothing() -> None:
    """Scaled to 0, a minimum does not bind."""
    spec = policy(schedulingMode="Duplicate", placement=[entry("member1", minReplicas=3)])
    problem = load(members(1), spec, web(0))
    assert placed(problem) == {}


def test_duplicate_with_maximum_of_nothing() -> None:
    """A cluster that may hold 0 has no copy and is no candidate."""
    spec = policy(schedulingMode="Duplicate", placement=[entry("member1"), entry("member2", maxReplicas=0)])
    problem = load(members(2), spec, web(2))
    assert closed(only(problem)) == {"member2": "may hold at most 0 replicas"}
    assert placed(problem) == {"member1": 2}


def test_duplicate_on_few_clusters_takes_the_most_room() -> None:
    """Two of three: those with 9 and 8 free cores."""
    clusters = [member("a", "7"), member("b", "9"), member("c", "8")]
    problem = load(clusters, policy(schedulingMode="Duplicate", maxClusters=2), web(2))
    assert kinds(only(problem)) == ["Candidates", "Duplicated", "Spread", "Copies"]
    choice, ranking = only(problem).rule(Duplicated), only(problem).rule(Copies)
    assert choice is not None
    assert choice.choice
    assert ranking is not None
    assert ranking.ranking == (("b",), ("c",), ("a",))
    assert placed(problem) == {"b": 2, "c": 2}


def test_duplicate_on_few_clusters_minima_first() -> None:
    """A cluster with a minimum is chosen before one with more room."""
    clusters = [member("a", "7"), member("b", "9")]
    spec = policy(
        schedulingMode="Duplicate", maxClusters=1, placement=[entry("a", minReplicas=3), entry("b")]
    )
    assert placed(load(clusters, spec, web(2))) == {"a": 3}


# Most clusters


@pytest.mark.parametrize("method", METHODS)
def test_max_clusters_takes_those_with_minima_first(method: Any) -> None:
    """One of two with equal weights: the one that asks for 4; the real scheduler drops it."""
    problem = divided(entry("member1", weight=1), entry("member2", weight=1, minReplicas=4), maxClusters=1)
    found, limit = only(problem).rule(Bounds), only(problem).rule(Spread)
    assert found is not None
    assert limit is not None
    assert (found.preferred, sorted(found.where_held), limit.maximum) == (True, ["member1", "member2"], 1)
    assert placed(problem, method) == {"member2": 10}


def test_max_clusters_respects_room() -> None:
    """member1 may hold 3 only, so the one cluster is member2; the real scheduler places 3 of 10."""
    problem = divided(entry("member1", weight=1, maxReplicas=3), entry("member2", weight=1), maxClusters=1)
    assert placed(problem) == {"member2": 10}


def test_max_clusters_by_priority() -> None:
    """Two of three with equal weights: those of the higher priorities, 5 each."""
    problem = divided(
        entry("member1", priority=1, weight=1),
        entry("member2", priority=5, weight=1),
        entry("member3", priority=9, weight=1),
        maxClusters=2,
    )
    assert placed(problem) == {"member2": 5, "member3": 5}


def test_max_clusters_of_none() -> None:
    """0 clusters hold no replicas, so it is infeasible; without replicas it is not."""
    assert fairlead.solve(divided(maxClusters=0)).status is fairlead.Status.INFEASIBLE
    assert placed(divided(maxClusters=0, replicas=0)) == {}


# Nothing changes


def test_sticky_beats_every_filter() -> None:
    """A cluster that runs 3 keeps them although it is closed to everything new; others get nothing."""
    clusters = [member("a", joined="False"), member("b")]
    spec = policy(reschedulePolicy={"disableRescheduling": True})
    problem = load(clusters, spec, federated(web(3), {"a": 3}))
    assert candidates(only(problem)).names == ("a",)
    assert bounds(only(problem)) == ({"a": 3}, {"a": 3})
    assert closed(only(problem)) == {"b": "does not run it, and rescheduling is disabled"}
    assert problem.warnings == ()
    assert placed(problem) == {"a": 3}


@pytest.mark.parametrize("held", [{"a": 3}, {"a": 5, "b": 3}, {"a": 1}])
def test_sticky_keeps_what_runs_whatever_is_wanted(held: dict[str, int]) -> None:
    """2 are wanted by now. What runs stays all the same: more than 2 on one cluster, or fewer in all."""
    spec = policy(reschedulePolicy={"disableRescheduling": True})
    problem = load([member("a"), member("b")], spec, federated(web(2), held))
    assert placed(problem) == held


def test_sticky_and_scaled_to_nothing_is_left_out() -> None:
    """Scaling has no effect while rescheduling is disabled: what runs stays, so nothing is decided."""
    spec = policy(reschedulePolicy={"disableRescheduling": True})
    problem = load(members(1), spec, federated(web(0), {"member1": 3}))
    assert problem.workloads == ()
    assert texts(problem, "left-out") == [
        "default/web is left out: it is scaled to 0, but policy default/web disables rescheduling (<dict>)"
    ]
