"""Division of replicas as Karmada's scheduler makes it: Webster, weights, Aggregated, affinity groups."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlead.solver.dispensers.karmada import (
    BindingInput,
    Failure,
    ScheduledBinding,
    schedule,
    unstable_sort,
)
from fairlead.solver.dispensers.karmada.assignment import divide, names_descending
from fairlead.solver.dispensers.karmada.unstable_sort import largest_first
from karmada_records import member, read_placement


@pytest.mark.parametrize(
    ("replicas", "weights", "expected"),
    [
        (9, {"a": 1, "b": 2}, {"a": 3, "b": 6}),
        (9, {"a": 1, "b": 3}, {"a": 2, "b": 7}),
        # Above the upper quota: the share of a is 93.6, but 4 / 1 never beats 936 / 199.
        (100, {"a": 936, **{f"b{i:02}": 4 for i in range(16)}}, {"a": 100}),
        # Below the lower quota of 93: eight seats go to quotients of 8, when a stands at 936 / 185.
        (100, {"a": 936, **{f"b{i}": 8 for i in range(8)}}, {"a": 92, **{f"b{i}": 1 for i in range(8)}}),
        (3, {"a": 0, "b": 1}, {"b": 3}),
        (3, {"a": 0}, {}),
        (0, {"a": 1}, {}),
    ],
)
def test_webster(replicas: int, weights: dict[str, int], expected: dict[str, int]) -> None:
    """Seats one by one to the largest weight / (2 * seats + 1)."""
    assert divide(replicas, weights) == expected


def test_ties_go_to_fewer_seats_then_to_the_name() -> None:
    """With one seat a stands at 3 / 3, b at 1 / 1 without any: b is next. Equal ones go by name."""
    assert divide(2, {"a": 3, "b": 1}) == {"a": 1, "b": 1}
    assert divide(3, {"a": 1, "b": 1}) == {"a": 2, "b": 1}
    assert divide(3, {"a": 1, "b": 1}, descending=True) == {"a": 1, "b": 2}


def test_direction_of_ties_follows_from_the_uid() -> None:
    """The prime of FNV-1a is odd, so the hash is odd if and only if 1 + the sum of all bytes is."""
    # The offset basis 2166136261 is odd, so a single byte b gives parity 1 xor b.
    assert names_descending("") is False
    assert names_descending("a") is False
    assert names_descending("b") is True
    assert names_descending("uid-0") is False
    assert names_descending("uid-1") is True


def _seat_by_seat(replicas: int, weights: Mapping[str, int], *, descending: bool) -> dict[str, int]:
    """Divide as the rule reads, looking at every cluster for every seat."""
    seats = {name: 0 for name in sorted(weights, reverse=descending) if weights[name]}
    for _ in range(replicas if seats else 0):
        # min() keeps the first of equal ones, and names stand in the order of ties.
        winner = min(seats, key=lambda name: (-(weights[name] / (2 * seats[name] + 1)), seats[name]))
        seats[winner] += 1
    return {name: held for name, held in seats.items() if held}


@given(
    replicas=st.integers(0, 300),
    weights=st.lists(st.integers(0, 6) | st.integers(0, 10**9), min_size=1, max_size=12),
    descending=st.booleans(),
)
def test_webster_equals_seat_by_seat(replicas: int, weights: list[int], *, descending: bool) -> None:
    """Beginning with the seats that are certain changes nothing."""
    named = {f"m{place:02}": weight for place, weight in enumerate(weights)}
    assert divide(replicas, named, descending=descending) == _seat_by_seat(
        replicas, named, descending=descending
    )


def test_webster_never_takes_a_replica_away() -> None:
    """House-monotone: one replica more is one cluster's gain."""
    weights = {"a": 82, "b": 5, "c": 5, "d": 2, "e": 2}
    for replicas in range(100):
        fewer, more = divide(replicas, weights), divide(replicas + 1, weights)
        assert sum(more.values()) == replicas + 1
        assert all(more[name] >= held for name, held in fewer.items())


def test_few_weights_are_sorted_stably() -> None:
    """Up to 12 entries Go sorts by insertion, which leaves equal ones as they stand."""
    weights = [(f"m{place:02}", 1 + place % 2) for place in range(12)]
    assert largest_first(weights) == sorted(weights, key=lambda pair: -pair[1])


@given(st.lists(st.integers(0, 5), max_size=200))
def test_many_weights_are_sorted(sizes: list[int]) -> None:
    """However equal ones end up, nothing is lost and larger ones come first."""
    weights = [(f"m{place:03}", size) for place, size in enumerate(sizes)]
    found = largest_first(weights)
    assert sorted(found) == weights
    assert [size for _, size in found] == sorted(sizes, reverse=True)


@pytest.mark.parametrize(
    "sizes",
    [
        # Against the order throughout, so turned round at once; without duplicates Go's way would not matter.
        [0, *range(100)],
        [*range(100, 0, -1), 1],
        [place // 2 for place in range(120)],
        [5] * 60,
        [*range(40), *range(40, 0, -1)] * 3,
        # Nearly sorted: a few entries are shifted instead of partitioned.
        [*range(99, 90, -1), 7, *range(90, 0, -1), 60],
    ],
)
def test_patterns_are_sorted(sizes: list[int]) -> None:
    """Ascending, descending, all equal, nearly sorted: each takes another way through the sort."""
    weights = [(f"m{place:03}", size) for place, size in enumerate(sizes)]
    assert [size for _, size in largest_first(weights)] == sorted(sizes, reverse=True)


def test_equal_weights_end_up_as_in_go() -> None:
    """Of the six weights 3 the real scheduler found the first, the seventh and the eighth in front."""
    sizes = [3, 2, 2, 3, 3, 3, 3, 3, 2, 2, 2, 1, 1, 1, 1]
    found = largest_first([(f"m{place}", size) for place, size in enumerate(sizes, start=1)])
    assert {name for name, _ in found[:3]} == {"m1", "m7", "m8"}


@given(st.lists(st.integers(0, 5), max_size=60))
def test_heap_sort_is_the_last_resort(sizes: list[int]) -> None:
    """After too many unlucky partitions the rest is sorted by heap; here at once."""
    weights = [(f"m{place:03}", size) for place, size in enumerate(sizes)]
    sorting = unstable_sort._Sorting(list(weights))
    sorting.sort(0, len(weights), limit=0)
    assert sorted(sorting.items) == weights
    assert [size for _, size in sorting.items] == sorted(sizes, reverse=True)


STATIC = {"replicaDivisionPreference": "Weighted"}
DYNAMIC = {**STATIC, "weightPreference": {"dynamicWeight": "AvailableReplicas"}}
AGGREGATED = {"replicaDivisionPreference": "Aggregated"}
DUPLICATED = {"replicaSchedulingType": "Duplicated"}


def _weighed(*terms: tuple[Sequence[str], int]) -> dict[str, object]:
    """Return a scheduling by static weights; a term without names means all clusters."""
    entries = [{"targetCluster": {"clusterNames": list(names)}, "weight": weight} for names, weight in terms]
    return {**STATIC, "weightPreference": {"staticWeightList": entries}}


def _binding(
    replicas: int,
    scheduling: Mapping[str, object],
    sizes: Mapping[str, int],
    previous: Mapping[str, int] | None = None,
    **placement: object,
) -> BindingInput:
    return BindingInput(
        replicas=replicas,
        clusters=tuple(member(name, size) for name, size in sizes.items()),
        placement=read_placement({"replicaScheduling": scheduling, **placement}),
        previous=tuple((previous or {}).items()),
        requests={},
    )


def _placed(scheduled: ScheduledBinding) -> Mapping[str, int] | str:
    return scheduled.clusters if scheduled.failure is None else scheduled.failure.text


ABC = {"a": 6, "b": 12, "c": 18}


@pytest.mark.parametrize(
    ("replicas", "scheduling", "previous", "expected"),
    [
        (7, DUPLICATED, {}, {"a": 7, "b": 7, "c": 7}),
        # Capacity and what runs have no say in static weights.
        (90, STATIC, {"a": 1}, {"a": 30, "b": 30, "c": 30}),
        # The largest matching weight counts: a weighs 3, b and c 2.
        (14, _weighed((["a", "b"], 1), (["a"], 3), ([], 2)), {}, {"a": 6, "b": 4, "c": 4}),
        # A cluster without a weight gets nothing, unless none has one.
        (9, _weighed((["a"], 1), (["b"], 2)), {}, {"a": 3, "b": 6}),
        (9, _weighed((["zz"], 5)), {}, {"a": 3, "b": 3, "c": 3}),
        (12, DYNAMIC, {}, {"a": 2, "b": 4, "c": 6}),
        (36, DYNAMIC, {}, {"a": 6, "b": 12, "c": 18}),
        # Scale-up: 12 more by free capacity 6 : 12 : 18, on top of what runs.
        (24, DYNAMIC, {"a": 6, "b": 6}, {"a": 8, "b": 10, "c": 6}),
        # Scale-down: by what runs.
        (6, DYNAMIC, {"a": 8, "b": 4}, {"a": 4, "b": 2}),
        (12, DYNAMIC, {"a": 8, "b": 4}, {"a": 8, "b": 4}),
        # Replicas on a cluster that is gone count as missing: 6 stay, the 6 new ones are split 6 : 12 : 18.
        (12, DYNAMIC, {"b": 6, "gone": 6}, {"a": 1, "b": 8, "c": 3}),
        (10, AGGREGATED, {}, {"c": 10}),
        # The two largest hold 20; within them by proportion 18 : 12.
        (20, AGGREGATED, {}, {"b": 8, "c": 12}),
        # Scale-up begins with clusters in use: a takes 6 of the 7 new ones' proportion with c, 6 : 18.
        (9, AGGREGATED, {"a": 2}, {"a": 4, "c": 5}),
        # Scale-down: the largest that run.
        (5, AGGREGATED, {"a": 4, "b": 5}, {"b": 5}),
        (0, DYNAMIC, {"b": 6}, {}),
    ],
)
def test_division(
    replicas: int, scheduling: dict[str, object], previous: dict[str, int], expected: dict[str, int]
) -> None:
    """Clusters with room for 6, 12 and 18 more."""
    assert _placed(schedule(_binding(replicas, scheduling, ABC, previous))) == expected


@pytest.mark.parametrize(
    ("replicas", "previous", "fresh", "text"),
    [
        (40, {}, False, "failed to scale up: Clusters available replicas 36 are not enough to schedule."),
        (
            40,
            {"a": 2},
            True,
            "failed to do fresh scale: Clusters available replicas 38 are not enough to schedule.",
        ),
    ],
)
def test_too_little_room(replicas: int, previous: dict[str, int], *, fresh: bool, text: str) -> None:
    """Unschedulable; what runs stays in the binding."""
    scheduled = schedule(replace(_binding(replicas, DYNAMIC, ABC, previous), fresh=fresh))
    assert scheduled.failure == Failure("Unschedulable", f"failed to assign replicas: {text}")
    assert scheduled.clusters == previous


def test_fresh_forgets_what_runs() -> None:
    """Steady leaves 10 on a; fresh gathers them on c, where a's room counts what runs there."""
    binding = _binding(10, AGGREGATED, ABC, {"a": 10})
    assert schedule(binding).clusters == {"a": 10}
    # a has 6 + 10 against 18 on c.
    assert schedule(replace(binding, fresh=True)).clusters == {"c": 10}


def test_scaling_to_zero_afresh_wraps_round() -> None:
    """A known fault: with 0 replicas the capacity is 2^31 - 1, and one running replica more is -2^31."""
    scheduled = schedule(replace(_binding(0, DYNAMIC, {"b": 12}, {"b": 1}), fresh=True))
    assert _placed(scheduled) == (
        "failed to assign replicas: failed to do fresh scale: "
        "Clusters available replicas -2147483648 are not enough to schedule."
    )


def test_clusters_without_replicas() -> None:
    """They are left out, or stay with 0 under empty workload propagation; a ConfigMap has only such."""
    binding = _binding(2, STATIC, ABC)
    assert schedule(binding).clusters == {"a": 1, "b": 1}
    assert schedule(replace(binding, empty_workload_propagation=True)).clusters == {"a": 1, "b": 1, "c": 0}
    assert schedule(replace(binding, replicas=0, requests=None)).clusters == {"a": 0, "b": 0, "c": 0}


def test_unknown_strategies_are_errors() -> None:
    """No preference without the webhook's default; dynamic weights by else the API server refuses."""
    undecided = _binding(2, {"replicaSchedulingType": "Divided"}, ABC)
    failure = schedule(undecided).failure
    assert failure is not None
    assert failure.reason == "SchedulerError"
    assert schedule(replace(undecided, defaulting=True)).clusters == {"a": 1, "b": 1}


GROUPS = [{"affinityName": "g1", "clusterNames": ["a"]}, {"affinityName": "g2", "clusterNames": ["b", "c"]}]


def test_groups_are_tried_in_order() -> None:
    """The first group that holds all replicas; static weights never lack room, so they stay in the first."""
    assert schedule(_binding(5, DYNAMIC, ABC, clusterAffinities=GROUPS)) == ScheduledBinding({"a": 5}, "g1")
    assert schedule(_binding(15, DYNAMIC, ABC, clusterAffinities=GROUPS)) == ScheduledBinding(
        {"b": 6, "c": 9}, "g2"
    )
    assert schedule(_binding(500, STATIC, ABC, clusterAffinities=GROUPS)) == ScheduledBinding(
        {"a": 500}, "g1"
    )


def test_the_observed_group_is_not_left_backwards() -> None:
    """Steady begins at the observed group and never wraps round; fresh begins at the first."""
    binding = replace(_binding(5, DYNAMIC, ABC, {"b": 2}, clusterAffinities=GROUPS), observed_affinity="g2")
    assert schedule(binding) == ScheduledBinding({"b": 3, "c": 2}, "g2")
    assert schedule(replace(binding, fresh=True)) == ScheduledBinding({"a": 5}, "g1")
    assert schedule(replace(binding, observed_affinity="gone")) == ScheduledBinding({"a": 5}, "g1")


def test_the_first_failure_is_reported() -> None:
    """Its reason decides what stays: a group without clusters empties the binding, a full one does not."""
    full_first = schedule(_binding(50, DYNAMIC, ABC, {"c": 1}, clusterAffinities=GROUPS))
    assert _placed(full_first) == (
        "failed to assign replicas: failed to scale up: "
        "Clusters available replicas 6 are not enough to schedule."
    )
    assert full_first.clusters == {"c": 1}
    nowhere = [{"affinityName": "g0", "clusterNames": ["zz"]}, *GROUPS]
    none_first = replace(
        _binding(50, DYNAMIC, ABC, {"c": 1}, clusterAffinities=nowhere), observed_affinity="g0"
    )
    scheduled = schedule(none_first)
    assert scheduled.failure is not None
    assert scheduled.failure.reason == "NoClusterFit"
    assert (scheduled.clusters, scheduled.affinity_name) == ({}, "g0")


TIERS = [
    {
        "affinityName": "g1",
        "clusterNames": ["a"],
        "overflowAffinities": [
            {"affinityName": "g2", "clusterNames": ["b"]},
            {"affinityName": "g3", "clusterNames": ["c"]},
        ],
    }
]


@pytest.mark.parametrize(
    ("replicas", "scheduling", "previous", "expected"),
    [
        (5, DYNAMIC, {}, {"a": 5}),
        (10, DYNAMIC, {}, {"a": 6, "b": 4}),
        (30, AGGREGATED, {}, {"a": 6, "b": 12, "c": 12}),
        (
            50,
            AGGREGATED,
            {},
            "failed to assign replicas: Clusters available replicas are not enough to schedule.",
        ),
        # Scaling down refills the first tier: a grows from 6 to 8, so two replicas move.
        (8, DYNAMIC, {"a": 6, "b": 12, "c": 3}, {"a": 8}),
        (0, DYNAMIC, {}, {}),
    ],
)
def test_overflow(
    replicas: int, scheduling: dict[str, object], previous: dict[str, int], expected: dict[str, int] | str
) -> None:
    """The group first, then its overflow tiers, each up to its room with what runs there."""
    assert (
        _placed(schedule(_binding(replicas, scheduling, ABC, previous, clusterAffinities=TIERS))) == expected
    )


def test_overflow_is_for_workloads() -> None:
    """A ConfigMap goes to the group itself only."""
    binding = _binding(0, DYNAMIC, ABC, clusterAffinities=TIERS)
    assert schedule(replace(binding, requests=None)) == ScheduledBinding({"a": 0}, "g1")


def test_a_full_tier_fails_as_a_whole() -> None:
    """Fresh counts in 32 bits: a tier whose room leaves them fails, though it has more than enough."""
    sizes = {"a": 2**31 - 2, "b": 5}
    binding = _binding(
        10, DYNAMIC, sizes, {"a": 3}, clusterAffinities=[{**TIERS[0], "overflowAffinities": []}]
    )
    scheduled = schedule(replace(binding, fresh=True))
    assert _placed(scheduled) == (
        "failed to assign replicas: failed to do fresh scale: "
        "Clusters available replicas -2147483647 are not enough to schedule."
    )


def test_a_failed_selection_is_an_error() -> None:
    """The scheduler says at which step; the condition's reason is the general one."""
    spread = [{"spreadByField": "zone", "minGroups": 1}]
    clusters = (member("a", 5, zones=("z",)),)
    binding = replace(_binding(5, DYNAMIC, {}, spreadConstraints=spread), clusters=clusters)
    text = "failed to select clusters: just support cluster and region spread constraint"
    assert schedule(binding).failure == Failure("SchedulerError", text)


def test_no_selected_cluster_is_an_error() -> None:
    """Duplicated with an absent maxGroups selects none."""
    spread = [{"spreadByField": "cluster", "minGroups": 1}]
    scheduled = schedule(_binding(5, DUPLICATED, ABC, spreadConstraints=spread))
    assert scheduled.failure == Failure(
        "SchedulerError", "failed to assign replicas: no clusters available to schedule"
    )


def test_min_groups_is_not_checked_after_assignment() -> None:
    """Aggregated puts all on one of the three clusters that the constraint made it select."""
    spread = [{"spreadByField": "cluster", "minGroups": 3, "maxGroups": 3}]
    sizes = {"a": 20, "b": 20, "c": 20}
    assert schedule(_binding(10, AGGREGATED, sizes, spreadConstraints=spread)).clusters == {"a": 10}
