"""Karmada's scheduler before it divides anything: documents, affinity, filters, estimates, order."""

import pytest

from fairlead.manifests.api.meta import Toleration
from fairlead.manifests.api.policies import ClusterAffinity, Placement, SpreadConstraint
from fairlead.models.cluster import Cluster, Grade, Taint
from fairlead.solver.dispensers.karmada import BindingInput, Failure
from fairlead.solver.dispensers.karmada.binding import (
    LARGEST,
    Strategy,
    overflows,
    with_defaults,
    wrapped,
)
from fairlead.solver.dispensers.karmada.binding import ignores_spread as ignoring
from fairlead.solver.dispensers.karmada.binding import strategy as strategy_of
from fairlead.solver.dispensers.karmada.candidates import (
    allocation,
    estimate,
    feasible,
    matches,
    ordered,
    refusal,
    tier,
)
from karmada_records import left, member, read_placement, units

HOME = member("m1", 5, provider="aws", region="eu", zones=("a", "b"), labels={"env": "prod"})


def toleration(key: str = "", operator: str = "", value: str = "", effect: str = "") -> Toleration:
    """Return a toleration."""
    return Toleration(key=key, operator=operator, value=value, effect=effect)


def test_an_empty_list_of_overflow_is_not_an_absent_one() -> None:
    """Both read as given: the scheduler assigns tier by tier under an empty list too."""
    terms = read_placement(
        {"clusterAffinities": [{"affinityName": "g1"}, {"affinityName": "g2", "overflowAffinities": []}]}
    ).cluster_affinities
    assert [overflows(term) for term in terms] == [False, True]


def test_fields_that_the_scheduler_does_not_read_are_passed_over() -> None:
    """As the API server prunes them."""
    assert read_placement({"clusterAffinity": {"clusterNames": ["m1"], "colour": "red"}}) == read_placement(
        {"clusterAffinity": {"clusterNames": ["m1"]}}
    )


def test_defaults_leave_max_groups_at_zero() -> None:
    """The webhook fills in cluster, minGroups 1 and Weighted; an absent maxGroups stays 0, a known fault."""
    document = {
        "spreadConstraints": [{}, {"spreadByLabel": "env", "minGroups": 2}, {"spreadByField": "region"}],
        "replicaScheduling": {"replicaSchedulingType": "Divided"},
    }
    placement = with_defaults(read_placement(document))
    assert placement.spread_constraints == (
        SpreadConstraint(spread_by_field="cluster", min_groups=1),
        SpreadConstraint(spread_by_label="env", min_groups=2),
        SpreadConstraint(spread_by_field="region", min_groups=1),
    )
    assert strategy_of(placement) is Strategy.STATIC_WEIGHT
    assert strategy_of(with_defaults(Placement())) is Strategy.DUPLICATED


@pytest.mark.parametrize(
    ("scheduling", "strategy", "ignores_spread"),
    [
        (None, Strategy.DUPLICATED, False),
        ({"replicaSchedulingType": "Duplicated"}, Strategy.DUPLICATED, False),
        ({"replicaDivisionPreference": "Aggregated"}, Strategy.AGGREGATED, False),
        ({"replicaDivisionPreference": "Weighted"}, Strategy.STATIC_WEIGHT, True),
        # An empty weightPreference divides equally, as an absent one does, but honours spread constraints.
        ({"replicaDivisionPreference": "Weighted", "weightPreference": {}}, Strategy.STATIC_WEIGHT, False),
        (
            {
                "replicaDivisionPreference": "Weighted",
                "weightPreference": {"staticWeightList": [{"targetCluster": {}, "weight": 1}]},
            },
            Strategy.STATIC_WEIGHT,
            True,
        ),
        (
            {
                "replicaDivisionPreference": "Weighted",
                "weightPreference": {"dynamicWeight": "AvailableReplicas"},
            },
            Strategy.DYNAMIC_WEIGHT,
            False,
        ),
        ({"replicaSchedulingType": "Divided"}, Strategy.UNKNOWN, False),
    ],
)
def test_strategy(scheduling: dict[str, object] | None, strategy: Strategy, *, ignores_spread: bool) -> None:
    """The strategy follows from type, preference and weights; static weights ignore spread constraints."""
    spread = [{"spreadByField": "cluster", "minGroups": 1, "maxGroups": 2}]
    placement = read_placement({"replicaScheduling": scheduling, "spreadConstraints": spread})
    assert strategy_of(placement) is strategy
    assert ignoring(placement) is ignores_spread


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({}, True),
        ({"clusterNames": ["m1"]}, True),
        ({"clusterNames": ["m2"]}, False),
        ({"clusterNames": ["m1"], "exclude": ["m1"]}, False),
        ({"labelSelector": {"matchLabels": {"env": "prod"}}}, True),
        ({"labelSelector": {"matchLabels": {"env": "dev"}}}, False),
        (
            {"labelSelector": {"matchExpressions": [{"key": "gone", "operator": "NotIn", "values": ["x"]}]}},
            True,
        ),
        # No valid label selector: NotIn needs values. Then nothing matches.
        ({"labelSelector": {"matchExpressions": [{"key": "gone", "operator": "NotIn"}]}}, False),
        ({"fieldSelector": {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["b"]}]}}, True),
        (
            {"fieldSelector": {"matchExpressions": [{"key": "zone", "operator": "NotIn", "values": ["b"]}]}},
            False,
        ),
        (
            {"fieldSelector": {"matchExpressions": [{"key": "region", "operator": "In", "values": ["us"]}]}},
            False,
        ),
        (
            {
                "fieldSelector": {
                    "matchExpressions": [{"key": "provider", "operator": "In", "values": ["aws"]}]
                }
            },
            True,
        ),
    ],
)
def test_affinity(document: dict[str, object], *, expected: bool) -> None:
    """Names, exclusion, labels and fields all have their say."""
    assert matches(ClusterAffinity.model_validate(document), HOME) is expected


def test_tier_is_the_first_that_matches() -> None:
    """The group itself is tier 0; of its overflow affinities the first match counts, where they count."""
    placement = read_placement(
        {
            "clusterAffinities": [
                {
                    "affinityName": "g",
                    "clusterNames": ["m0"],
                    "overflowAffinities": [
                        {"affinityName": "o1", "clusterNames": ["m9"]},
                        {"affinityName": "o2", "clusterNames": ["m1"]},
                        {"affinityName": "o3"},
                    ],
                }
            ]
        }
    )
    (term,) = placement.cluster_affinities
    assert tier(term, HOME, overflow=True) == 2
    assert tier(term, HOME, overflow=False) is None
    assert tier(None, HOME, overflow=True) == 0


@pytest.mark.parametrize(
    ("tolerated", "expected"),
    [
        (toleration(), False),
        (toleration("key", "", "value"), True),
        (toleration("key", "Equal", "value", "NoSchedule"), True),
        (toleration("key", "Equal", "value", "NoExecute"), False),
        (toleration("key", "Equal", "other"), False),
        (toleration("other", "Exists"), False),
        (toleration("", "Exists"), True),
        (toleration("", "", "value"), True),
        (toleration("key", "Gt", "value"), False),
    ],
)
def test_tolerations(tolerated: Toleration, *, expected: bool) -> None:
    """Empty fields match everything but the value, which is compared unless the operator is Exists."""
    assert tolerated.toleration.tolerates(Taint("key", "value", "NoSchedule")) is expected


def test_tolerated_taints_let_clusters_pass() -> None:
    """Every repelling taint needs a toleration in the placement; the first without one is named."""
    cluster = member("m1", taints=(Taint("a", "x", "NoSchedule"), Taint("b", "", "NoExecute")))
    tolerations = [{"key": "a", "operator": "Equal", "value": "x"}, {"key": "b", "operator": "Exists"}]
    passing = BindingInput(1, (cluster,), read_placement({"clusterTolerations": tolerations}))
    assert refusal(passing, None, cluster, is_target=False) is None
    refused = BindingInput(1, (cluster,), read_placement({"clusterTolerations": tolerations[:1]}))
    text = "cluster(s) had untolerated taint {b:NoExecute}"
    assert refusal(refused, None, cluster, is_target=False) == text


def test_targets_keep_clusters_that_others_could_not_get() -> None:
    """A cluster that is a target already is not asked for the API or for its taints."""
    cluster = Cluster("m1", taints=(Taint("down", "", "NoExecute"),), free={"pods": 1})
    binding = BindingInput(1, (cluster,), Placement())
    assert refusal(binding, None, cluster, is_target=False) == "cluster(s) did not have the API resource"
    assert refusal(binding, None, cluster, is_target=True) is None
    evicting = BindingInput(1, (cluster,), Placement(), evicting=frozenset({"m1"}))
    assert refusal(evicting, None, cluster, is_target=True) == "cluster(s) is in the process of eviction"


def test_why_no_cluster_fits() -> None:
    """The text counts clusters by reason, sorted; a cluster being deleted is counted in the total only."""
    document = {
        "clusterAffinity": {"exclude": ["m4"]},
        "spreadConstraints": [{"spreadByField": field} for field in ("provider", "region", "zone")],
    }
    clusters = (
        member("m1", deleting=True),
        member("m2", taints=(Taint("soft", "", "PreferNoSchedule"), Taint("down", "v", "NoExecute"))),
        member("m3", provider="aws", region="eu"),
        member("m4"),
        member("m5"),
        member("m6"),
        member("m7", provider="aws"),
    )
    failure = feasible(BindingInput(1, clusters, read_placement(document)), None)
    assert failure == Failure(
        "NoClusterFit",
        "0/7 clusters are available: 1 cluster(s) did not have region property, "
        "1 cluster(s) did not have zones property, "
        "1 cluster(s) did not match the placement cluster affinity constraint, "
        "1 cluster(s) had untolerated taint {down=v:NoExecute}, "
        "2 cluster(s) did not have provider property.",
    )
    nothing = Failure("NoClusterFit", "0/0 clusters are available: no cluster exists.")
    assert feasible(BindingInput(1, (), Placement()), None) == nothing


def _with_summary(allocatable: dict[str, str], allocated: dict[str, str] | None = None) -> Cluster:
    free = left({"allocatable": allocatable, "allocated": allocated, "allocating": {"pods": "1"}})
    return Cluster("m1", free=free)


def test_estimate_by_summary() -> None:
    """The scarcest resource counts: cpu in millicores, others in whole units, all rounded up."""
    cluster = _with_summary({"cpu": "4", "memory": "10Gi", "pods": "110"}, {"cpu": "1", "pods": "9"})
    assert estimate(cluster, None) == 100
    assert estimate(cluster, {}) == 100
    # 3 cores are left: 12 x 250m; 10 GiB: 10 x 1Gi.
    assert estimate(cluster, units({"cpu": "250m"})) == 12
    assert estimate(cluster, units({"cpu": "250m", "memory": "1Gi"})) == 10
    # 100.1 millicores count as 101; 3000 // 101 is 29, though 29.97 would fit.
    assert estimate(cluster, units({"cpu": "100100u"})) == 29
    # What nobody asks for does not matter; what the cluster does not list is not there.
    assert estimate(cluster, units({"nvidia.com/gpu": "0"})) == 100
    assert estimate(cluster, units({"nvidia.com/gpu": "1"})) == 0


def test_free_parts_of_a_unit_are_rounded_up() -> None:
    """A known generosity: 2.5 GPUs left are taken for 3."""
    cluster = _with_summary({"gpu": "4", "pods": "110"}, {"gpu": "1500m"})
    assert estimate(cluster, units({"gpu": "1"})) == 3


def test_estimate_without_room() -> None:
    """No summary, no pods left, nothing left of a resource: no replica."""
    assert estimate(member("m1"), None) == 0
    assert estimate(_with_summary({"pods": "1"}), None) == 0
    assert estimate(_with_summary({"cpu": "1", "pods": "9"}, {"cpu": "2"}), units({"cpu": "1"})) == 0
    assert estimate(member("m1", -3), {}) == 0


def test_estimate_by_models() -> None:
    """Each node holds what its grade's minimum holds, at most 110 pods; the summary counts only pods."""
    models = (
        Grade(5, units({"cpu": "0", "memory": "0"})),
        Grade(3, units({"cpu": "2", "memory": "8Gi"})),
        Grade(1, units({"cpu": "64", "memory": "512Gi"})),
    )
    cluster = Cluster("m1", free=units({"cpu": "1", "pods": "1000"}), grades=models)
    # 1500m: one on each of the three nodes of 2 cores, 42 on the node of 64.
    assert estimate(cluster, units({"cpu": "1500m", "memory": "1Gi"})) == 3 + 42
    # 100m: 0 + 3 x 20 + at most 110.
    assert estimate(cluster, units({"cpu": "100m"})) == 60 + 110
    # No request at all: 9 nodes x 110.
    assert estimate(cluster, {}) == 990
    # A resource that the grades do not name is nowhere.
    assert estimate(cluster, units({"nvidia.com/gpu": "1"})) == 0


def test_allocation() -> None:
    """With 0 replicas the largest 32-bit number; where no limit is known, what is asked for."""
    assert allocation(7, 0) == LARGEST
    assert allocation(7, 100) == 7
    assert allocation(LARGEST, 100) == 100


def test_numbers_wrap_round() -> None:
    """Go's 32-bit addition goes over from the largest number to the smallest."""
    assert wrapped(LARGEST) == LARGEST
    assert wrapped(LARGEST + 1) == -(2**31)
    assert wrapped(2 * LARGEST) == -2
    assert wrapped(-5) == -5


def test_order_of_candidates() -> None:
    """Tier, then targets, then capacity with what runs there, then name."""
    document = {
        "clusterAffinities": [
            {
                "affinityName": "g",
                "exclude": ["z"],
                "overflowAffinities": [{"affinityName": "o", "clusterNames": ["z"]}],
            }
        ]
    }
    placement = read_placement(document)
    sizes = {"z": 99, "a": 5, "b": 5, "c": 9, "d": 1, "e": 0}
    clusters = tuple(member(name, size) for name, size in sizes.items())
    binding = BindingInput(10, clusters, placement, previous=(("d", 0), ("e", 3), ("gone", 2)), requests={})
    candidates = ordered(binding, placement.cluster_affinities[0], clusters)
    assert [candidate.name for candidate in candidates] == ["e", "d", "c", "a", "b", "z"]
    assert [candidate.available for candidate in candidates] == [3, 1, 9, 5, 5, 99]
