"""Patches of bindings and federated objects: merged into the input, the placement is what runs."""

from collections.abc import Iterable, Mapping
from typing import Any

import pytest
import yaml

import fairlead
import kubeadmiral_manifests as admiral
from builders import Manifest
from fairlead.cli.app import main
from fairlead.models.outcome import Outcome
from fairlead.report.manifests import SCHEDULER
from kubeadmiral_manifests import entry, federated, member, members, web
from places import ROOT

EXAMPLES = sorted(folder.name for folder in (ROOT / "examples").iterdir() if folder.is_dir())


def merged(target: Any, patch: Any) -> Any:
    """Apply a JSON merge patch, as RFC 7386 writes it down."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def _identity(document: Manifest) -> tuple[str, ...]:
    """Return what names an object; for a binding what it binds, whatever it is called itself."""
    metadata = document["metadata"]
    bound = document.get("spec", {}).get("resource", {}) if document["kind"].endswith("Binding") else metadata
    return (
        document["kind"],
        bound.get("kind", ""),
        bound.get("namespace", ""),
        bound["name"],
    )


def patched(documents: Iterable[Manifest], patches: Iterable[Manifest]) -> list[Manifest]:
    """Return the input after all patches; an object that it does not have is added."""
    found = {_identity(document): document for document in documents}
    for patch in patches:
        found[_identity(patch)] = merged(found.get(_identity(patch), {}), patch)
    return list(found.values())


def written(folder: str) -> list[Manifest]:
    """Return every document of an example, lists taken apart."""
    paths = sorted((ROOT / "examples" / folder).glob("*.yaml"))
    read = [one for path in paths for one in yaml.safe_load_all(path.read_text(encoding="utf-8")) if one]
    return [inner for one in read for inner in (one["items"] if one["kind"] == "List" else [one])]


def placed(outcome: Outcome) -> dict[str, dict[str, int]]:
    """Return the placement of an outcome that has one."""
    assert outcome.placement is not None
    return {key: dict(placement) for key, placement in outcome.placement.items()}


def read_back(documents: list[Manifest], outcome: Outcome) -> dict[str, dict[str, int]]:
    """Return what runs according to the patched input."""
    problem = fairlead.load(patched(documents, outcome.to_manifests()))
    running = {workload.key: workload.current for workload in problem.workloads}
    return {key: {name: count for name, count in held.items() if count} for key, held in running.items()}


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_patched_example_runs_the_placement(name: str) -> None:
    """Karmada's bindings and KubeAdmiral's objects alike; where nothing fits there is nothing to write."""
    documents = written(name)
    outcome = fairlead.solve(fairlead.load(documents))
    if outcome.placement is None:
        with pytest.raises(fairlead.UsageError, match="no placement to write"):
            outcome.to_manifests()
        return
    assert read_back(documents, outcome) == placed(outcome)


BOUNDED = [
    entry("member1", minReplicas=1, maxReplicas=3),
    entry("member2", minReplicas=5),
    entry("member3"),
]
"""Copies of 4 replicas are 3, 5 and 4."""


@pytest.mark.parametrize(
    ("spec", "replicas", "current"),
    [
        ({"placement": [entry("member1", weight=1), entry("member3", weight=2)]}, 9, {"member2": 9}),
        ({}, 10, {"member1": 10}),
        ({"replicasStrategy": "Binpack"}, 10, {"member1": 4, "member2": None}),
        ({"schedulingMode": "Duplicate"}, 4, {"member1": None}),
        ({"schedulingMode": "Duplicate", "placement": BOUNDED}, 4, {"member1": None}),
        ({"schedulingMode": "Duplicate"}, 0, {"member1": None}),
        ({}, 0, {"member1": 3, "member2": 2}),
        ({"maxClusters": 2}, 7, {}),
        ({"reschedulePolicy": {"disableRescheduling": True}}, 7, {"member1": 5, "member2": None}),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_patched_federated_object_runs_the_placement(
    spec: Manifest, replicas: int, current: Mapping[str, int | None]
) -> None:
    """Whatever the policy asks for, and however the numbers were written before."""
    documents = [*members(3), admiral.policy(**spec), federated(web(replicas), current)]
    outcome = fairlead.solve(fairlead.load(documents))
    assert read_back(documents, outcome) == placed(outcome)


def test_the_federated_object_is_spelled_as_kubeadmiral_writes_it() -> None:
    """Clusters of the scheduler, and a replace of the replicas for each; the template is left alone."""
    documents = [*members(2), admiral.policy(), federated(web(5), {"member1": 4})]
    (patch,) = fairlead.solve(fairlead.load(documents)).to_manifests()
    assert patch == {
        "apiVersion": "core.kubeadmiral.io/v1alpha1",
        "kind": "FederatedObject",
        "metadata": {"name": "web-deployments.apps", "namespace": "default"},
        "spec": {
            "placements": [
                {"controller": SCHEDULER, "placement": [{"cluster": "member1"}, {"cluster": "member2"}]}
            ],
            "overrides": [
                {
                    "controller": SCHEDULER,
                    "clusters": [
                        {
                            "cluster": "member1",
                            "patches": [{"op": "replace", "path": "/spec/replicas", "value": 4}],
                        },
                        {
                            "cluster": "member2",
                            "patches": [{"op": "replace", "path": "/spec/replicas", "value": 1}],
                        },
                    ],
                }
            ],
        },
    }


def test_copies_have_a_number_only_where_it_is_not_the_template_s() -> None:
    """A duplicated workload has no override in KubeAdmiral; a bounded copy needs one to be read back."""
    documents = [
        *members(3),
        admiral.policy(schedulingMode="Duplicate", placement=BOUNDED),
        federated(web(4)),
    ]
    (patch,) = fairlead.solve(fairlead.load(documents)).to_manifests()
    ((override,),) = [patch["spec"]["overrides"]]
    assert [(one["cluster"], one["patches"][0]["value"]) for one in override["clusters"]] == [
        ("member1", 3),
        ("member2", 5),
    ]
    plain = [*members(3), admiral.policy(schedulingMode="Duplicate"), federated(web(4))]
    (patch,) = fairlead.solve(fairlead.load(plain)).to_manifests()
    assert patch["spec"]["overrides"] == []


def test_what_other_controllers_wrote_is_kept() -> None:
    """A merge patch replaces lists as a whole, so the entries of others stand in it, in their order."""
    document = federated(web(5), {"member1": 5})
    image = {"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "web:2"}
    before = {
        "controller": "kubeadmiral.io/override-controller",
        "clusters": [{"cluster": "member1", "patches": [image]}],
    }
    follower = {"controller": "kubeadmiral.io/follower-controller", "placement": [{"cluster": "member1"}]}
    document["spec"]["overrides"].insert(0, before)
    document["spec"]["overrides"][1]["clusters"][0]["patches"].insert(0, image)
    document["spec"]["placements"].append(follower)
    documents = [*members(2), admiral.policy(placement=[entry("member1")]), document]
    (patch,) = fairlead.solve(fairlead.load(documents)).to_manifests()
    mine, last = patch["spec"]["placements"]
    assert (mine["controller"], last) == (SCHEDULER, follower)
    first, own = patch["spec"]["overrides"]
    assert first == before
    # The scheduler's own entry keeps what is no number of replicas.
    assert own["clusters"][0]["patches"] == [
        image,
        {"op": "replace", "path": "/spec/replicas", "value": 5},
    ]


def test_what_runs_nowhere_has_no_entry() -> None:
    """Scaled to 0 under Divide, KubeAdmiral takes its entries out; empty lists make a merge patch do so."""
    documents = [*members(2), admiral.policy(), federated(web(0), {"member1": 3})]
    (patch,) = fairlead.solve(fairlead.load(documents)).to_manifests()
    assert patch["spec"] == {"placements": [], "overrides": []}


def test_a_job_is_patched_in_its_parallelism() -> None:
    """Its replicas stand elsewhere, and so does the patch."""
    template = web(6)
    template |= {"apiVersion": "batch/v1", "kind": "Job"}
    template["spec"]["parallelism"] = template["spec"].pop("replicas")
    served = [member(f"member{number}", kinds=[("batch", "v1", "Job")]) for number in (1, 2)]
    documents = [*served, admiral.policy(), federated(template)]
    outcome = fairlead.solve(fairlead.load(documents))
    (patch,) = outcome.to_manifests()
    paths = {one["patches"][0]["path"] for one in patch["spec"]["overrides"][0]["clusters"]}
    assert paths == {"/spec/parallelism"}
    assert read_back(documents, outcome) == placed(outcome)


def test_a_workload_alone_is_patched_under_the_name_that_kubeadmiral_gives() -> None:
    """Where the input has the Deployment only, the object is called <name>-deployments.apps."""
    outcome = fairlead.solve(fairlead.load([*members(2), admiral.policy(), web(4)]))
    (patch,) = outcome.to_manifests()
    assert patch["metadata"] == {"name": "web-deployments.apps", "namespace": "default"}
    documents = [*members(2), admiral.policy(), federated(web(4))]
    assert read_back(documents, outcome) == placed(outcome)


def test_the_patch_changes_nothing_that_was_read() -> None:
    """What comes out shares nothing with what went in."""
    document = federated(web(5), {"member1": 5})
    document["spec"]["placements"].append({"controller": "other", "placement": [{"cluster": "member1"}]})
    documents = [*members(1), admiral.policy(), document]
    outcome = fairlead.solve(fairlead.load(documents))
    (patch,) = outcome.to_manifests()
    patch["spec"]["placements"][1]["placement"].append("changed")
    assert document["spec"]["placements"][1]["placement"] == [{"cluster": "member1"}]
    assert outcome.to_manifests()[0] != patch


def test_the_plan_writes_patches_of_federated_objects(capsys: pytest.CaptureFixture[str]) -> None:
    """Merged into the example, they leave nothing to do."""
    folder = ROOT / "examples" / "kubeadmiral"
    assert main(["plan", "-f", str(folder), "-o", "patch"]) == 0
    patches = list(yaml.safe_load_all(capsys.readouterr().out))
    assert [patch["kind"] for patch in patches] == ["FederatedObject"]
    later = fairlead.load(patched(written("kubeadmiral"), patches))
    assert fairlead.plan(later).nothing_to_do
