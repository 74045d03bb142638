"""Overrides of replicas and claims on nodes: where what is counted may be otherwise, it is told."""

from typing import Any

import pytest

import fairlead
import kubeadmiral_manifests as admiral
from builders import Manifest, binding, cluster, deployment, dynamic, policy, static
from fairlead.models.statement import Statement

KARMADA = "policy.karmada.io/v1alpha1"
WEB: Manifest = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}


def override(
    value: Any = 5,
    operator: str = "replace",
    *,
    path: str = "/spec/replicas",
    selects: list[Manifest] | None = None,
    target: Manifest | None = None,
    federal: bool = False,
) -> Manifest:
    """Return an override policy of Karmada, of the namespace default or of the federation."""
    written = {"path": path, "operator": operator} | ({} if operator == "remove" else {"value": value})
    rule: Manifest = {"overriders": {"plaintext": [written], "imageOverrider": []}}
    if target is not None:
        rule["targetCluster"] = target
    spec: Manifest = {"overrideRules": [rule]}
    if selects is not None:
        spec["resourceSelectors"] = selects
    kind = "ClusterOverridePolicy" if federal else "OverridePolicy"
    metadata = {"name": "fixed"} if federal else {"name": "fixed", "namespace": "default"}
    return {"apiVersion": KARMADA, "kind": kind, "metadata": metadata, "spec": spec}


def told(*others: Manifest) -> list[Statement]:
    """Return the warnings on a fleet of two clusters and the running workload default/web."""
    held = {"member1": 2, "member2": 2}
    fleet = [cluster("member1", 9), cluster("member2", 9), binding("web", 4, held, static(), cpu="1")]
    return list(fairlead.load([*fleet, *others]).warnings)


CONTAINER = "/spec/template/spec/containers/0"


@pytest.mark.parametrize(
    ("path", "counts"),
    [
        (f"{CONTAINER}/resources/requests/cpu", True),
        (f"{CONTAINER}/resources", True),
        (CONTAINER, True),
        ("/spec/template/spec/initContainers", True),
        ("/spec/template/spec/overhead/cpu", True),
        (f"{CONTAINER}/image", False),
        ("/spec/template/spec/containersX", False),
    ],
)
@pytest.mark.parametrize("operator", ["replace", "remove"])
def test_other_requests_are_told(path: str, counts: bool, operator: str) -> None:
    """What a replica really takes there is not what capacity counts."""
    manifest = override("8", operator, path=path, target={"clusterNames": ["member2"]})
    text = f"OverridePolicy default/fixed changes {path} of default/web on member2: capacity is counted"
    found = [one.text for one in told(manifest)]
    assert found == counts * [f"{text} for what the workload itself requests"]


@pytest.mark.parametrize(
    ("manifest", "expected"),
    [
        (
            override(),
            "OverridePolicy default/fixed sets /spec/replicas of default/web to 5 on member1 and member2",
        ),
        (override(7, "add"), "of default/web to 7 on member1 and member2"),
        (override(operator="remove"), "of default/web to 1, the default, on member1 and member2"),
        (override(target={"clusterNames": ["member2"]}), "to 5 on member2:"),
        (override(selects=[WEB]), "of default/web to 5"),
        (
            override(selects=[WEB], federal=True),
            "ClusterOverridePolicy fixed sets /spec/replicas of default/web",
        ),
        (override(federal=True), "ClusterOverridePolicy fixed sets"),
    ],
)
def test_an_override_of_replicas_is_named_with_clusters_and_number(manifest: Manifest, expected: str) -> None:
    """What runs there is not what is placed; where the override is written is told as well."""
    (warning,) = told(manifest)
    assert expected in warning.text
    assert "that many run there, whatever is placed" in warning.text
    assert warning.source is not None
    assert "overrideRules" in warning.source.path


@pytest.mark.parametrize(
    "manifest",
    [
        override(path="/metadata/annotations/a"),
        override(path="/spec/parallelism"),
        override(selects=[WEB | {"name": "other"}]),
        override(selects=[WEB | {"kind": "StatefulSet"}]),
        override(target={"clusterNames": ["member9"]}),
        override() | {"metadata": {"name": "fixed", "namespace": "elsewhere"}},
    ],
)
def test_other_overrides_are_nothing_to_tell(manifest: Manifest) -> None:
    """Other fields, other workloads, other clusters, other namespaces."""
    assert told(manifest) == []


def test_of_several_overrides_the_last_one_that_is_applied_is_told() -> None:
    """Both clusters get 7 from the federation's policy, then member1 gets 3 from that of the namespace."""
    texts = [
        one.text for one in told(override(3, target={"clusterNames": ["member1"]}), override(7, federal=True))
    ]
    assert [text.partition(":")[0] for text in texts] == [
        "ClusterOverridePolicy fixed sets /spec/replicas of default/web to 7 on member2",
        "OverridePolicy default/fixed sets /spec/replicas of default/web to 3 on member1",
    ]


def test_the_deprecated_spelling_counts() -> None:
    """One target and its overriders in the spec itself."""
    old = override()
    overriders = old["spec"].pop("overrideRules")[0]["overriders"]
    old["spec"] |= {"overriders": overriders, "targetCluster": {"clusterNames": ["member1"]}}
    (warning,) = told(old)
    assert "to 5 on member1:" in warning.text


def test_a_job_is_overridden_in_its_parallelism() -> None:
    """Its replicas stand there."""
    job = binding("batch", 2, {}, static(), cpu="1", kind="Job", api_version="batch/v1")
    (warning,) = told(job, override(3, path="/spec/parallelism"))
    assert "sets /spec/parallelism of default/batch to 3" in warning.text


def test_a_job_of_another_group_has_no_parallelism() -> None:
    """A Job of Volcano is called the same, and is another kind."""
    job = binding("batch", 2, {}, static(), cpu="1", kind="Job", api_version="batch.volcano.sh/v1alpha1")
    assert not told(job, override(3, path="/spec/parallelism"))


def test_an_override_of_many_workloads_is_told_once() -> None:
    """With the workloads named, as far as one can read them."""
    others = [binding(f"app{number}", 1, {}, static(), cpu="1") for number in range(6)]
    (warning,) = told(*others, override())
    assert "more workloads to 5 on" in warning.text
    assert warning.workload is None


@pytest.mark.parametrize(
    ("kind", "label"), [("", "override-policy-name"), ("Cluster", "cluster-override-policy-name")]
)
def test_an_override_of_kubeadmiral_is_named(kind: str, label: str) -> None:
    """For workloads that name it in a label; clusters by name and by label."""
    metadata = {"name": "fixed"} | ({} if kind else {"namespace": "default"})
    patches = [{"path": "/spec/replicas", "value": 6}, {"path": "/spec/paused", "value": True}]
    rules = [
        {"targetClusters": {"clusters": ["member1"]}, "overriders": {"jsonpatch": patches}},
        {"targetClusters": {"clusterSelector": {"tier": "gold"}}, "overriders": {"jsonpatch": patches[:1]}},
    ]
    named = {
        "apiVersion": admiral.API,
        "kind": f"{kind}OverridePolicy",
        "metadata": metadata,
        "spec": {"overrideRules": rules},
    }
    fleet = [
        admiral.member("member1"),
        admiral.member("member2", labels={"tier": "gold"}),
        admiral.policy(),
        named,
    ]
    plain = admiral.federated(admiral.web(4))
    assert fairlead.load([*fleet, plain]).warnings == ()
    plain["metadata"]["labels"][admiral.PREFIX + label] = "fixed"
    texts = [one.text for one in fairlead.load([*fleet, plain]).warnings]
    assert [text.partition(":")[0].rpartition(" to ")[2] for text in texts] == [
        "6 on member1",
        "6 on member2",
    ]


def test_a_label_that_names_an_absent_override_policy_is_told_once() -> None:
    """What such a policy writes is not known; workloads that name one policy are told together."""
    found = []
    for name in ("api", "web"):
        template = admiral.web(4)
        template["metadata"]["name"] = name
        template["metadata"]["labels"][admiral.PREFIX + "override-policy-name"] = "fixed"
        found.append(admiral.federated(template))
    (warning,) = fairlead.load([admiral.member("member1"), admiral.policy(), *found]).warnings
    assert warning.text == (
        "default/api and default/web: a label names OverridePolicy default/fixed, which is not in the input,"
        " so it is not known whether it writes other numbers of replicas"
    )


def test_unknown_fields_and_operators_are_reported() -> None:
    """As in every other kind."""
    wrong = override(operator="replace")
    wrong["spec"]["overrideRules"][0]["overriders"]["plaintext"][0]["operator"] = "set"
    with pytest.raises(fairlead.ManifestError, match="operator: 'set'"):
        told(wrong)
    odd = override()
    odd["spec"]["overrideRule"] = []
    assert any("overrideRule" in one.text and "an unknown field" in one.text for one in told(odd))


def claimed(name: str, **claim: Any) -> Manifest:
    """Return a binding whose replicas ask for certain nodes."""
    found = binding(name, 2, {"member1": 2}, dynamic(), cpu="1")
    found["spec"]["replicaRequirements"]["nodeClaim"] = claim
    return found


def test_claims_on_nodes_are_told_once_for_all_that_make_them() -> None:
    """It is a note: nothing in the input is wrong, and a strict validation does not fail."""
    notes = told(claimed("a", nodeSelector={"disk": "ssd"}), claimed("b", nodeSelector={"disk": "ssd"}))
    (note,) = notes
    assert note.is_note
    assert note.text.startswith("default/a and default/b ask for nodes with disk=ssd; clusters do not report")
    (note,) = told(claimed("a", hardNodeAffinity={"nodeSelectorTerms": []}))
    assert 'asks for nodes with the node affinity {"nodeSelectorTerms": []}' in note.text


def test_tolerations_ask_for_no_nodes() -> None:
    """They let pods on more of them."""
    assert told(claimed("a", tolerations=[{"key": "gpu", "operator": "Exists"}])) == []


def test_a_template_alone_claims_nodes_too() -> None:
    """Karmada makes the claim of what the pods ask for; beside a binding that says nothing, none is made."""
    template = deployment("web", 2)
    pod = template["spec"]["template"]["spec"]
    pod["nodeSelector"] = {"disk": "ssd"}
    declared = policy("web", static())
    (note,) = fairlead.load([cluster("member1", 9), declared, template]).warnings
    assert "default/web asks for nodes with disk=ssd" in note.text
    held = binding("web", 2, {"member1": 2}, static(), cpu="1")
    assert fairlead.load([cluster("member1", 9), declared, template, held]).warnings == ()
