"""Policies, clusters and workloads of Karmada and KubeAdmiral, converted into each other and back."""

from collections.abc import Callable
from typing import Any

import pytest

import fairlead
import kubeadmiral_manifests as federal
import random_manifests
from builders import Manifest, cluster, clusters, deployment, duplicated, dynamic, policy, static, term
from fairlead.manifests.convert.conversion import Conversion, System, convert
from places import EXAMPLES

BACK: dict[System, System] = {"karmada": "kubeadmiral", "kubeadmiral": "karmada"}


def spec_of(found: Conversion, kind: str = "PropagationPolicy") -> Any:
    """Return the spec of the only manifest of a kind, of a conversion that loses nothing."""
    assert not found.losses
    assert not found.differing
    (only,) = (one for one in found.documents if one["kind"] == kind)
    return only["spec"]


def lost(found: Conversion) -> list[str]:
    """Return the fields that would be lost."""
    return [one.field for one in found.losses]


def answer(manifests: tuple[Any, ...]) -> Any:
    """Return what fairlead answers: status, levels with values, and the placement."""
    outcome = fairlead.solve(fairlead.load(*manifests), time_limit=20)
    placed = outcome.placement and outcome.placement.to_dict()
    return outcome.status, [(level.name, level.value) for level in outcome.objectives], placed


def test_static_weights_and_bounds_are_written_for_every_cluster() -> None:
    """KubeAdmiral names clusters: a weight by label becomes an entry for each of them."""
    gold = {"labelSelector": {"matchLabels": {"tier": "gold"}}}
    placement = static((gold, 2), ("member3", 1), minReplicas=1)
    given = [
        cluster("member1", cpu=9, labels={"tier": "gold"}),
        cluster("member2", cpu=9, labels={"tier": "gold"}),
        cluster("member3", cpu=9),
        deployment(replicas=10, cpu="500m"),
        policy("nginx", placement),
    ]
    found = convert(*given, to="kubeadmiral")
    assert spec_of(found) == {
        "schedulingMode": "Divide",
        "placement": [
            {"cluster": "member1", "preferences": {"minReplicas": 1, "weight": 2}},
            {"cluster": "member2", "preferences": {"minReplicas": 1, "weight": 2}},
            {"cluster": "member3", "preferences": {"minReplicas": 1, "weight": 1}},
        ],
        "reschedulePolicy": {"replicaRescheduling": {"avoidDisruption": False}},
    }
    assert any("add clusters that join later by hand" in str(note) for note in found.notes)
    assert answer(found.documents) == answer(tuple(given))


def test_a_minimum_of_nothing_is_none() -> None:
    """Both systems take 0 for no minimum, so nothing differs."""
    placement = dynamic(clusterConstraintTerms=[term("member1", 0, 4)])
    given = [*clusters(2, cpu=9), deployment(cpu="1"), policy("nginx", placement)]
    assert spec_of(convert(*given, to="kubeadmiral"))["placement"] == [
        {"cluster": "member1", "preferences": {"minReplicas": 0, "maxReplicas": 4}},
        {"cluster": "member2"},
    ]


def test_a_set_of_clusters_stays_a_selector() -> None:
    """Names, labels and exclusions are written as such, and a region as the label that says it."""
    affinity = {
        "labelSelector": {"matchLabels": {"tier": "gold"}},
        "fieldSelector": {"matchExpressions": [{"key": "region", "operator": "In", "values": ["eu"]}]},
        "exclude": ["member2"],
    }
    members = [cluster(f"member{n}", cpu=9, region="eu", labels={"tier": "gold"}) for n in (1, 2, 3)]
    given = [*members, deployment(cpu="1"), policy("nginx", {"clusterAffinity": affinity, **duplicated()})]
    spec = spec_of(convert(*given, to="kubeadmiral"))
    assert spec["clusterSelector"] == {"tier": "gold"}
    assert spec["clusterAffinity"] == [
        {
            "matchExpressions": [
                {"key": "topology.kubernetes.io/region", "operator": "In", "values": ["eu"]}
            ],
            "matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["member2"]}],
        }
    ]


def test_what_kubeadmiral_says_becomes_the_proposal_of_bounds() -> None:
    """Bounds have no other place in Karmada; workloads are selected by their label."""
    stated = [
        federal.entry("member1", minReplicas=2, weight=1),
        federal.entry("member2", maxReplicas=5, weight=3),
    ]
    given = [
        *federal.members(2),
        federal.web(),
        federal.policy(
            placement=stated,
            maxClusters=None,
            reschedulePolicy={"replicaRescheduling": {"avoidDisruption": False}},
        ),
    ]
    found = convert(*given, to="karmada")
    spec = spec_of(found)
    labels = {"matchLabels": {"kubeadmiral.io/propagation-policy-name": "web"}}
    assert spec["resourceSelectors"] == [
        {"apiVersion": "apps/v1", "kind": "Deployment", "labelSelector": labels}
    ]
    preference = spec["placement"]["replicaScheduling"]["weightPreference"]
    assert preference["clusterConstraint"] == {
        "clusterConstraintTerms": [
            {"targetCluster": {"clusterNames": ["member1"]}, "minReplicas": 2},
            {"targetCluster": {"clusterNames": ["member2"]}, "maxReplicas": 5},
        ]
    }
    # 10 by 1:3 would be 2.5 and 7.5; member2 takes 5 at most.
    assert answer(found.documents)[2] == {"default/web": {"member1": 5, "member2": 5}}
    assert any("a proposal that fairlead follows" in str(note) for note in found.notes)


def test_what_runs_is_kept() -> None:
    """A binding becomes a federated object with the same numbers, and that a binding again."""
    held = federal.federated(federal.web(), {"member1": 4, "member2": 6})
    given = [*federal.members(2), held, federal.policy()]
    there = convert(*given, to="karmada")
    (binding,) = (one for one in there.documents if one["kind"] == "ResourceBinding")
    assert binding["spec"]["clusters"] == [
        {"name": "member1", "replicas": 4},
        {"name": "member2", "replicas": 6},
    ]
    back = convert(*there.documents, to="kubeadmiral")
    assert not back.losses
    assert not back.differing
    (workload,) = fairlead.load(*back.documents).workloads
    assert workload.current == {"member1": 4, "member2": 6}


def test_groups_of_workloads_become_an_own_kind() -> None:
    """KubeAdmiral cannot keep workloads apart, WorkloadAffinity can."""
    apart = {"workloadAffinity": {"antiAffinity": {"groupByLabelKey": "app"}}, **dynamic()}
    given = [
        *clusters(2, cpu=9),
        *(deployment(name, cpu="1", labels={"app": "shop"}) for name in ("one", "two")),
        policy("both", apart, selects=[{"apiVersion": "apps/v1", "kind": "Deployment"}]),
    ]
    spec = spec_of(convert(*given, to="kubeadmiral"), "WorkloadAffinity")
    assert spec["type"] == "AntiAffinity"
    assert spec["groupByLabelKey"] == "app"


def test_own_kinds_ask_for_labels_where_there_are_no_fields() -> None:
    """Regions are labels in KubeAdmiral: Survival of a region counts by the label, and means the same."""
    found = convert(str(EXAMPLES / "survival"), to="kubeadmiral")
    assert spec_of(found, "Survival")["field"] == "topology.kubernetes.io/region"


@pytest.mark.parametrize(
    ("placement", "field"),
    [
        (
            {
                "clusterAffinities": [
                    {"affinityName": "a", "clusterNames": ["member1"]},
                    {"affinityName": "b", "clusterNames": ["member2"]},
                ]
            },
            "spec.placement.clusterAffinities[1]",
        ),
        (
            {"spreadConstraints": [{"spreadByField": "region", "minGroups": 2}]},
            "spec.placement.spreadConstraints[0].spreadByField",
        ),
        (
            {"spreadConstraints": [{"spreadByField": "cluster", "minGroups": 2}]},
            "spec.placement.spreadConstraints[0].minGroups",
        ),
        (
            {
                "replicaScheduling": {
                    "replicaSchedulingType": "Divided",
                    "replicaDivisionPreference": "Aggregated",
                }
            },
            "spec.placement.replicaScheduling.replicaDivisionPreference",
        ),
        (
            {
                "clusterAffinity": {
                    "clusterNames": ["member1"],
                    "supplements": [{"clusterNames": ["member2"]}],
                }
            },
            "spec.placement.clusterAffinity.supplements[0]",
        ),
    ],
)
def test_what_kubeadmiral_cannot_say_is_lost_by_name(placement: Manifest, field: str) -> None:
    """The field is named, with the line in a file; nothing is left out in silence."""
    members = [cluster(f"member{n}", cpu=9, region=f"r{n}") for n in (1, 2)]
    asked = {**dynamic(), **placement}
    given = [*members, deployment(cpu="1"), policy("nginx", asked)]
    assert lost(convert(*given, to="kubeadmiral")) == [field]


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        # Left out avoidDisruption is true, and Karmada divides by static weights whatever runs.
        (
            {"placement": [federal.entry("member1", weight=1)]},
            "spec.reschedulePolicy.replicaRescheduling.avoidDisruption",
        ),
        ({"replicasStrategy": "Binpack"}, "spec.replicasStrategy"),
        ({"reschedulePolicy": {"disableRescheduling": True}}, "spec.reschedulePolicy.disableRescheduling"),
        ({"maxClusters": 0}, "spec.maxClusters"),
    ],
)
def test_what_karmada_cannot_say_is_lost_by_name(spec: Manifest, field: str) -> None:
    """The same the other way round."""
    given = [*federal.members(2), federal.web(), federal.policy(**spec)]
    assert lost(convert(*given, to="karmada")) == [field]


def test_a_difference_that_no_field_tells_is_found_by_reading_again() -> None:
    """Without requests KubeAdmiral weighs free cpu, Karmada the room: the weights are not the same."""
    given = [*federal.members(1), federal.member("member2", "20"), federal.web(cpu=None), federal.policy()]
    found = convert(*given, to="karmada")
    assert not found.losses
    assert any("default/web: weights" in one for one in found.differing)


def test_what_has_no_influence_is_noted() -> None:
    """Whatever is not written is told, also where no placement depends on it; alike notes are one."""
    stated = policy("nginx", dynamic(), priority=2, propagateDeps=True)
    stated["metadata"]["annotations"] = {"owner": "shop"}
    found = convert(*clusters(2, cpu=9), deployment(cpu="1"), stated, to="kubeadmiral")
    assert not found.losses
    told = [note.text.removeprefix("PropagationPolicy: ") for note in found.notes]
    assert [text for text in told if "not written" in text] == [
        "metadata.annotations: not written",
        "spec.propagateDeps: not written: concerns what the workload needs, not its replicas",
        "spec.priority: not written: a label names the policy of a workload",
    ]


def test_a_copy_in_a_binding_is_no_policy() -> None:
    """One document is written per policy; without it there is nothing to write."""
    found = convert(str(EXAMPLES / "scale-up"), to="kubeadmiral")
    assert [one.message for one in found.losses] == [
        "is a copy of a policy that is not in the input; add it: kubectl get pp,cpp -A"
    ]


LOSING = {
    "affinity-groups",
    "aggregated",
    "autoscaled",
    "failover",
    "fleet",
    "kubeadmiral",
    "openb",
    "overflow",
    "recovered",
    "region-list",
    "scale-up",
    "specified",
    "spread",
    "taints",
    "two-aggregated",
}
"""Examples that say what the other system cannot."""

FOLDERS = sorted(one.name for one in EXAMPLES.iterdir() if one.is_dir())


@pytest.mark.parametrize("name", FOLDERS)
def test_examples(name: str) -> None:
    """An example says what the other system cannot, or has the same answer there and back again."""
    own: System = "kubeadmiral" if name == "kubeadmiral" else "karmada"
    given = str(EXAMPLES / name)
    assert not convert(given, to=own).losses  # what is there already stays as it is
    found = convert(given, to=BACK[own])
    assert bool(found.losses or found.differing) is (name in LOSING)
    if name not in LOSING:
        back = convert(*found.documents, to=own)
        assert not back.losses
        assert not back.differing
        assert answer((given,)) == answer(found.documents) == answer(back.documents)


@pytest.mark.parametrize(
    ("make", "to", "seeds"),
    [(random_manifests.karmada, "kubeadmiral", 100), (random_manifests.kubeadmiral, "karmada", 120)],
)
def test_random_manifests(make: Callable[[int], list[Manifest]], to: System, seeds: int) -> None:
    """Whatever is converted without loss has the same answer there and back."""
    converted = 0
    for seed in range(seeds):
        given = make(seed)
        try:
            found = convert(*given, to=to)
        except fairlead.FairleadError:  # what is random may be wrong
            continue
        if found.losses or found.differing:
            continue
        converted += 1
        back = convert(*found.documents, to=BACK[to])
        assert not back.losses, seed
        assert not back.differing, seed
        assert answer(tuple(given)) == answer(found.documents) == answer(back.documents), seed
    assert converted > 7
