"""On which clusters a workload may stand, and why not on the others."""

import pytest

from builders import Manifest, cluster, static
from loaded import candidates, closed, held, placed, weights

NO_AFFINITY = "did not match the placement cluster affinity constraint"


@pytest.mark.parametrize(
    ("affinity", "names"),
    [
        ({}, "abcd"),
        ({"clusterNames": []}, "abcd"),
        ({"clusterNames": ["c", "a", "nowhere"]}, "ac"),
        ({"exclude": ["b"]}, "acd"),
        ({"clusterNames": ["a", "b"], "exclude": ["b"]}, "a"),
        ({"labelSelector": {"matchLabels": {"tier": "gold"}}}, "ab"),
        (
            {
                "labelSelector": {
                    "matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["gold"]}]
                }
            },
            "cd",
        ),
        (
            {"fieldSelector": {"matchExpressions": [{"key": "region", "operator": "In", "values": ["us"]}]}},
            "ac",
        ),
        (
            {
                "fieldSelector": {
                    "matchExpressions": [{"key": "provider", "operator": "NotIn", "values": ["aws"]}]
                }
            },
            "bcd",
        ),
        # Of several zones one is enough for In, and one too many for NotIn.
        (
            {"fieldSelector": {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["z2"]}]}},
            "ab",
        ),
        (
            {"fieldSelector": {"matchExpressions": [{"key": "zone", "operator": "NotIn", "values": ["z1"]}]}},
            "bcd",
        ),
        ({"fieldSelector": {"matchExpressions": [{"key": "zone", "operator": "DoesNotExist"}]}}, "cd"),
        ({"fieldSelector": {"matchExpressions": [{"key": "region", "operator": "Exists"}]}}, "abc"),
        (
            {
                "labelSelector": {"matchLabels": {"tier": "gold"}},
                "fieldSelector": {
                    "matchExpressions": [{"key": "region", "operator": "In", "values": ["us"]}]
                },
            },
            "a",
        ),
    ],
)
def test_cluster_affinity(affinity: Manifest, names: str) -> None:
    """Names, exclusions, labels and fields must all agree; an empty affinity matches everything."""
    members = [
        cluster("a", provider="aws", region="us", zones=["z1", "z2"], labels={"tier": "gold"}),
        cluster("b", region="eu", zones=["z2"], labels={"tier": "gold"}),
        cluster("c", region="us", labels={"tier": "silver"}),
        cluster("d"),
    ]
    workload = placed(members, {"clusterAffinity": affinity})
    assert candidates(workload).names == tuple(names)
    assert closed(workload) == dict.fromkeys(sorted(set("abcd") - set(names)), NO_AFFINITY)


def test_reasons_for_exclusion_in_order() -> None:
    """Deletion first, then affinity, taints and missing kinds; each with Karmada's words."""
    members = [
        cluster("a", deleting=True, taints=["x:NoExecute"]),
        cluster("b", taints=["x:NoExecute"]),
        cluster("c", taints=["dedicated=gpu:NoSchedule"], kinds=["v1 Secret"]),
        cluster("d", taints=["x:PreferNoSchedule"], kinds=["apps/v1 StatefulSet"]),
        cluster("e", taints=["x:PreferNoSchedule"]),
    ]
    workload = placed(members, {"clusterAffinity": {"exclude": ["a", "b"]}})
    assert candidates(workload).names == ("e",)
    assert closed(workload) == {
        "a": "is being deleted",
        "b": NO_AFFINITY,
        "c": "had untolerated taint {dedicated: gpu}",
        "d": "did not have the API resource",
    }


@pytest.mark.parametrize(
    ("toleration", "tolerated"),
    [
        ({"operator": "Exists"}, True),
        ({"key": "dedicated", "operator": "Exists"}, True),
        ({"key": "dedicated", "value": "gpu"}, True),
        ({"key": "dedicated", "operator": "Equal", "value": "gpu", "effect": "NoSchedule"}, True),
        ({"key": "dedicated", "value": "cpu"}, False),
        ({"key": "dedicated", "operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": "other", "operator": "Exists"}, False),
    ],
)
def test_tolerations(toleration: Manifest, *, tolerated: bool) -> None:
    """As Kubernetes matches them."""
    workload = placed(
        [cluster("a", taints=["dedicated=gpu:NoSchedule"])], {"clusterTolerations": [toleration]}
    )
    assert bool(candidates(workload).names) is tolerated


def test_what_runs_on_a_tainted_cluster() -> None:
    """NoSchedule keeps what runs and takes nothing new; NoExecute keeps nothing, also beside NoSchedule."""
    members = [
        cluster("a", taints=["x:NoSchedule"]),
        cluster("b", taints=["x:NoSchedule", "y:NoExecute"]),
        cluster("c", kinds=["v1 Secret"]),
        cluster("d"),
    ]
    workload = placed(members, static(), {"a": 2, "b": 2, "c": 2})
    assert candidates(workload).names == ("a", "c", "d")
    assert held(workload) == {"a": "had untolerated taint {x}", "c": "did not have the API resource"}
    assert closed(workload) == {"b": "had untolerated taint {y}"}
    # Without replicas there is nothing to keep.
    assert candidates(placed(members, static())).names == ("d",)


def test_evicted_clusters_are_left() -> None:
    """A graceful eviction task closes a cluster, also one that keeps replicas under a taint."""
    tasks = [{"fromCluster": "a"}, {"fromCluster": "b"}, {"fromCluster": "gone"}]
    members = [cluster("a"), cluster("b", taints=["x:NoSchedule"]), cluster("c")]
    workload = placed(members, static(), {"a": 1, "b": 2}, gracefulEvictionTasks=tasks)
    assert candidates(workload).names == ("c",)
    assert closed(workload) == dict.fromkeys("ab", "is in the process of eviction")
    assert held(workload) == {}
    assert weights(workload) == {"c": 1}
