"""Patches: what an apply needs and nothing else; applied to the input, the placement is what runs."""

import json
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path

import pytest
import yaml

import fairlead
import kubeadmiral_manifests as admiral
from applied import PLACEMENTS, applied, detected, example, federated, recorded, scheduled
from builders import Manifest, binding, cluster, policy, static
from fairlead.cli.app import main
from fairlead.models.outcome import Outcome
from kubeadmiral_manifests import entry, member, members, web
from places import EXAMPLES

FOLDERS = sorted(folder.name for folder in EXAMPLES.iterdir() if folder.is_dir())
APPLIED = "policy.karmada.io/applied-placement"
APPLY = "kubectl apply --server-side --force-conflicts --field-manager=fairlead"
EASED: Manifest = {"reschedulePolicy": {"replicaRescheduling": {"avoidDisruption": False}}}


def placed(outcome: Outcome) -> dict[str, dict[str, int]]:
    """Return the placement of an outcome that has one, without what stands nowhere."""
    assert outcome.placement is not None
    return {key: dict(placement) for key, placement in outcome.placement.items() if placement}


def running(problem: fairlead.Problem) -> dict[str, dict[str, int]]:
    """Return what runs by workload and cluster."""
    held = {
        one.key: {name: count for name, count in one.current.items() if count} for one in problem.workloads
    }
    return {key: found for key, found in held.items() if found}


@pytest.mark.parametrize("name", [name for name in FOLDERS if name != "kubeadmiral"])
def test_a_patched_example_runs_the_placement(name: str) -> None:
    """Where nothing fits there is nothing to write."""
    documents = example(name)
    outcome = fairlead.solve(fairlead.load(documents))
    if outcome.placement is None:
        with pytest.raises(fairlead.UsageError, match="there is no placement"):
            outcome.to_manifests()
        return
    after = applied(detected(documents, outcome), outcome.to_manifests())
    assert running(fairlead.load(after)) == placed(outcome)


def drained(documents: list[Manifest], *names: str) -> list[Manifest]:
    """Return the objects with clusters on which nobody may stand any more."""
    found = deepcopy(documents)
    for document in found:
        if document["kind"] == "Cluster" and document["metadata"]["name"] in names:
            document["spec"].setdefault("taints", []).append({"key": "gone", "effect": "NoExecute"})
    return found


def assert_done(documents: list[Manifest], outcome: Outcome, least: int) -> None:
    """Apply the patches of an outcome: they name versions, and read back everything stands right."""
    patches = outcome.to_manifests()
    assert len(patches) >= least
    assert all(patch["metadata"]["resourceVersion"] and APPLIED in str(patch) for patch in patches)
    after = fairlead.load(applied(documents, patches))
    assert running(after) == placed(outcome)
    again = fairlead.solve(after, time_limit=None)
    assert again.status is fairlead.Status.OPTIMAL
    assert (again.to_manifests(), again.to_manifests("status")) == ((), ())


@pytest.mark.usefixtures("counted_time")
def test_a_real_fleet_placed_afresh_has_nothing_to_do_after_its_patches() -> None:
    """Objects of a real API server; what adds up stays, also where it was not proven best.

    The second is counted in looks at the clock, as on a busy machine it may pass before anything has moved.
    """
    documents = [one for one in recorded("karmada") if "Duplicated" not in str(one)]
    outcome = fairlead.solve(fairlead.load(documents), fresh=True, time_limit=1.0)
    assert_done(documents, outcome, 20)


def test_a_real_fleet_that_leaves_a_cluster_has_nothing_to_do_after_its_patches() -> None:
    """Only what stands there moves."""
    known = drained(recorded("karmada"), "paris-2")
    documents = [one for one in known if one["kind"] != "ResourceBinding" or "paris-2" in str(one["spec"])]
    outcome = fairlead.solve(fairlead.load(documents))
    assert outcome.status is fairlead.Status.OPTIMAL
    assert_done(documents, outcome, 1)


def test_a_real_binding_that_leaves_its_affinity_group_has_nothing_to_do_afterwards() -> None:
    """Both requests together, the second one without the version that the first one has changed."""
    known = drained(recorded("karmada"), "tokyo-1", "tokyo-2", "osaka-1")
    documents = [one for one in known if one["kind"] != "ResourceBinding" or "groups-first" in str(one)]
    outcome = fairlead.solve(fairlead.load(documents))
    patches, status = outcome.to_manifests(), outcome.to_manifests("status")
    assert (len(patches), len(status)) == (1, 1)
    after = fairlead.load(applied(applied(documents, patches), status))
    assert [one.observed for one in after.workloads if one.groups] == [
        status[0]["status"]["schedulerObservingAffinityName"]
    ]
    again = fairlead.solve(after)
    assert (again.to_manifests(), again.to_manifests("status")) == ((), ())


def test_a_fleet_that_stays_has_no_patches() -> None:
    """Karmada's own placements of a real fleet are left alone."""
    outcome = fairlead.solve(fairlead.load(recorded("karmada")))
    assert (outcome.to_manifests(), outcome.to_manifests("status")) == ((), ())


def fleet(replicas: int = 6, placement: Manifest | None = None, **held: int) -> list[Manifest]:
    """Return two clusters and a running binding, as an API server returns it."""
    declared = placement or static(("member1", 2), ("member2", 1))
    document = binding("web", replicas, held or {"member1": replicas}, declared, cpu="1")
    document["metadata"] |= {"resourceVersion": "17", "generation": 3}
    document["status"] = {"conditions": [{"type": "FullyApplied", "status": "True"}]}
    return [cluster("member1", 6), cluster("member2", 6), document]


def test_a_binding_is_patched_as_the_scheduler_writes_it() -> None:
    """Clusters, the placement as JSON without blanks, the version; nothing that the detector owns."""
    weights = static(("member1", 2), ("member2", 1))
    (patch,) = fairlead.solve(fairlead.load(fleet())).to_manifests()
    assert patch == {
        "apiVersion": "work.karmada.io/v1alpha2",
        "kind": "ResourceBinding",
        "metadata": {
            "name": "web-deployment",
            "namespace": "default",
            "resourceVersion": "17",
            "annotations": {APPLIED: json.dumps(weights, separators=(",", ":"))},
        },
        "spec": {"clusters": [{"name": "member1", "replicas": 4}, {"name": "member2", "replicas": 2}]},
    }


def test_a_scale_in_between_is_not_undone() -> None:
    """A patch without the version, merged into a binding that was scaled since, leaves the new number."""
    documents = fleet()
    (patch,) = fairlead.solve(fairlead.load(documents)).to_manifests()
    scaled = deepcopy(documents)
    scaled[-1]["spec"]["replicas"] = 8
    scaled[-1]["metadata"]["resourceVersion"] = "18"
    with pytest.raises(AssertionError, match="409"):
        applied(scaled, [patch])
    del patch["metadata"]["resourceVersion"]
    assert applied(scaled, [patch])[-1]["spec"]["replicas"] == 8


def test_what_scales_to_nothing_leaves_every_cluster() -> None:
    """Entries of 0 are left out, as Karmada does; the list itself stands there, so that it is emptied."""
    (patch,) = fairlead.solve(fairlead.load(fleet(0, member1=3))).to_manifests()
    assert patch["spec"] == {"clusters": []}


def test_an_edited_policy_is_noted_and_applied_first(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The answer stands by the policy of the input, which the binding does not have yet."""
    documents = [*fleet(4), policy("web", static(("member1", 1), ("member2", 3)))]
    (patch,) = fairlead.solve(fairlead.load(documents)).to_manifests()
    noted = json.loads(patch["metadata"]["annotations"][APPLIED])
    assert noted == static(("member1", 1), ("member2", 3))
    shown = shown_patch(documents, tmp_path, capsys)
    assert "# made for policy default/web as it is in the input: apply that first" in shown


def test_a_policy_that_says_the_same_leaves_the_copy_of_the_binding() -> None:
    """What the webhook has added to the copy is kept: Karmada compares with that."""
    tolerated = {"key": "cluster.karmada.io/not-ready", "operator": "Exists", "effect": "NoExecute"}
    declared = static(("member1", 2), ("member2", 1))
    copy = {**declared, "clusterTolerations": [tolerated]}
    documents = [*fleet(6, copy), policy("web", declared)]
    (patch,) = fairlead.solve(fairlead.load(documents)).to_manifests()
    assert json.loads(patch["metadata"]["annotations"][APPLIED]) == copy


def shown_patch(
    documents: list[Manifest],
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    output: str = "patch",
    command: str = "solve",
) -> str:
    """Return what the command line prints."""
    file = folder / "fleet.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": documents}))
    assert main([command, "-q", "-f", str(file), "-o", output]) == 0
    return capsys.readouterr().out


def test_what_is_printed_says_how_it_is_applied(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The exact command stands above; an object without a version says what that means."""
    for command in ("solve", "plan"):
        lines = shown_patch(fleet(), tmp_path, capsys, command=command).splitlines()
        assert lines[:3] == ["# 1 object; apply with", f"#   {APPLY} -f -", "---"]
        assert not any("resourceVersion in the input" in line for line in lines)
    documents = fleet()
    del documents[-1]["metadata"]["resourceVersion"]
    assert "# no resourceVersion in the input: whatever" in shown_patch(documents, tmp_path, capsys)


def test_the_affinity_group_goes_into_the_status(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By a command of its own, and the patch of the object says that there is more to do."""
    documents = [*example("affinity-groups")]
    first = shown_patch(documents, tmp_path, capsys)
    assert "# 1 affinity group changes: afterwards, -o status-patch" in first
    assert "status:" not in first
    second = shown_patch(documents, tmp_path, capsys, "status-patch")
    assert f"#   {APPLY} --subresource=status -f -" in second
    (patch,) = yaml.safe_load_all(second)
    assert patch["status"] == {"schedulerObservingAffinityName": "dc-beijing"}
    assert patch.keys() == {"apiVersion", "kind", "metadata", "status"}


def test_nothing_to_change_is_a_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Standard output stays empty; so it does where there is no placement, with the exit code of that."""
    file = tmp_path / "fleet.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": fleet(3, member1=2, member2=1)}))
    assert main(["solve", "-q", "-f", str(file), "-o", "patch"]) == 0
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "nothing to change\n")
    assert main(["solve", "-q", "-f", str(EXAMPLES / "too-tight"), "-o", "patch"]) == 3
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "no placement keeps all" in shown.err


def test_every_wave_is_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """After all waves the target runs; the version that was read counts for the first patch only."""
    swap = [
        binding(name, 4, held, static(("member1", left), ("member2", right)), cpu="1")
        for name, held, left, right in (("a", {"member1": 4}, 1, 3), ("b", {"member2": 4}, 3, 1))
    ]
    for document in swap:
        document["metadata"]["resourceVersion"] = "5"
    documents = [cluster("member1", 5), cluster("member2", 5), *swap]
    file = tmp_path / "fleet.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": documents}))
    folder = tmp_path / "waves"
    assert main(["plan", "-q", "-f", str(file), "--waves", str(folder)]) == 0
    files = sorted(path.name for path in folder.iterdir())
    assert len(files) > 1
    assert files == [f"wave-{number}.yaml" for number in range(1, len(files) + 1)]
    assert f"written to {folder}: wave-1.yaml, wave-2.yaml" in capsys.readouterr().err
    state, seen = documents, set[str]()
    for name in files:
        text = (folder / name).read_text(encoding="utf-8")
        assert text.startswith("# ")
        assert f"{APPLY} -f {name}" in text.splitlines()[1]
        patches = list(yaml.safe_load_all(text))
        for patch in patches:
            assert ("resourceVersion" in patch["metadata"]) == (patch["metadata"]["name"] not in seen)
            seen.add(patch["metadata"]["name"])
        state = applied(state, patches)
        held = running(fairlead.load(state))
        assert all(sum(one.get(member, 0) for one in held.values()) <= 5 for member in ("member1", "member2"))
    assert fairlead.plan(fairlead.load(state)).nothing_to_do


def test_the_status_is_a_file_for_after_the_last_wave(tmp_path: Path) -> None:
    """With its own command; the waves say nothing of it."""
    folder = tmp_path / "waves"
    command = ["plan", "-q", "-f", str(EXAMPLES / "affinity-groups"), "-o", "moves", "--waves", str(folder)]
    assert main(command) == 0
    status = (folder / "status.yaml").read_text(encoding="utf-8")
    assert f"{APPLY} --subresource=status -f status.yaml" in status
    assert "# after the last wave" in status
    assert "schedulerObservingAffinityName: dc-beijing" in status
    assert "status" not in (folder / "wave-1.yaml").read_text(encoding="utf-8")


def test_waves_need_a_directory_of_their_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Files of an earlier plan must not be applied with those of a new one."""
    (tmp_path / "wave-9.yaml").write_text("")
    assert main(["plan", "-f", str(EXAMPLES / "safe-migration"), "--waves", str(tmp_path)]) == 2
    assert "is not empty" in capsys.readouterr().err


BOUNDED = [entry("member1", minReplicas=1, maxReplicas=3), entry("member2", minReplicas=5), entry("member3")]
"""Copies of 4 replicas are 3, 5 and 4."""


@pytest.mark.parametrize(
    ("spec", "replicas", "current"),
    [
        ({"placement": [entry("member1", weight=1), entry("member3", weight=2)], **EASED}, 9, {"member2": 9}),
        ({**EASED}, 10, {"member1": 10}),
        ({}, 10, {}),
        ({"replicasStrategy": "Binpack", **EASED}, 10, {"member1": 4, "member2": None}),
        (
            {"replicasStrategy": "Binpack", "placement": [entry("member3", priority=9)], **EASED},
            9,
            {"member1": 9},
        ),
        ({"schedulingMode": "Duplicate"}, 4, {"member1": None}),
        ({"schedulingMode": "Duplicate", "maxClusters": 2}, 4, {}),
        ({"schedulingMode": "Duplicate"}, 0, {"member1": None}),
        ({**EASED}, 0, {"member1": 3, "member2": 2}),
        ({"maxClusters": 2, **EASED}, 7, {}),
        ({"reschedulePolicy": {"disableRescheduling": True}}, 7, {"member1": 5, "member2": None}),
    ],
    ids=lambda value: str(value)[:40],
)
def test_kubeadmiral_follows_the_annotation(
    spec: Manifest, replicas: int, current: Mapping[str, int | None]
) -> None:
    """Its scheduler answers exactly the placement, and read back there is nothing left to change."""
    documents = [*members(3), admiral.policy(**spec), admiral.federated(web(replicas), current)]
    outcome = fairlead.solve(fairlead.load(documents))
    after = scheduled(federated(documents, outcome.to_manifests()))
    assert running(fairlead.load(after)) == placed(outcome)
    assert fairlead.solve(fairlead.load(after)).to_manifests() == ()


def test_a_real_federation_follows_the_annotation() -> None:
    """Objects of a real API server, with policies that let what runs move."""
    documents = recorded("kubeadmiral")
    for document in documents:
        if document["kind"] == "PropagationPolicy":
            document["spec"]["reschedulePolicy"] |= EASED["reschedulePolicy"]
    outcome = fairlead.solve(fairlead.load(documents), partial=True)
    patches = outcome.to_manifests()
    assert len(patches) == 5
    after = fairlead.load(scheduled(federated(documents, patches)))
    assert running(after) == placed(outcome)
    assert fairlead.solve(after, partial=True).to_manifests() == ()


def test_the_annotation_stands_on_the_workload_itself() -> None:
    """With its own version, minimum and maximum alike; a duplicated one only names clusters."""
    source = web(5)
    source["metadata"]["resourceVersion"] = "8"
    documents = [*members(2), admiral.policy(**EASED), source, admiral.federated(web(5), {"member1": 5})]
    (patch,) = fairlead.solve(fairlead.load(documents)).to_manifests()
    numbers = [
        {"cluster": "member1", "preferences": {"minReplicas": 3, "maxReplicas": 3}},
        {"cluster": "member2", "preferences": {"minReplicas": 2, "maxReplicas": 2}},
    ]
    assert json.loads(patch["metadata"]["annotations"].pop(PLACEMENTS)) == numbers
    metadata = {"name": "web", "namespace": "default", "resourceVersion": "8", "annotations": {}}
    assert patch == {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata}
    copied = [*members(2), admiral.policy(schedulingMode="Duplicate"), admiral.federated(web(5))]
    (patch,) = fairlead.solve(fairlead.load(copied)).to_manifests()
    assert patch["metadata"]["annotations"][PLACEMENTS] == '[{"cluster":"member1"},{"cluster":"member2"}]'


def test_how_to_take_the_annotation_away_again_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It holds until somebody removes it."""
    documents = [*members(2), admiral.policy(), admiral.federated(web(5))]
    shown = shown_patch(documents, tmp_path, capsys)
    assert "kubectl annotate -n default deployment/web kubeadmiral.io/placements-" in shown


@pytest.mark.parametrize(
    ("spec", "current", "why"),
    [
        (
            {"placement": [entry("member1", maxReplicas=2), entry("member2")]},
            {"member1": 3, "member2": 1},
            "avoids disruption",
        ),
        ({"replicasStrategy": "Binpack"}, {"member1": 1}, "avoids disruption"),
        ({"schedulingMode": "Duplicate", "placement": BOUNDED}, {"member1": None}, "the template's number"),
    ],
)
def test_what_kubeadmiral_would_not_follow_is_refused(
    spec: Manifest, current: Mapping[str, int | None], why: str
) -> None:
    """With the reason; where nothing changes there is nothing to refuse."""
    documents = [*members(3), admiral.policy(**spec), admiral.federated(web(4), current)]
    with pytest.raises(fairlead.UsageError, match=f"default/web: .*{why}"):
        fairlead.solve(fairlead.load(documents)).to_manifests()
    settled = [*members(3), admiral.policy(), admiral.federated(web(4), {"member1": 2, "member2": 2})]
    assert fairlead.solve(fairlead.load(settled)).to_manifests() == ()


@pytest.mark.parametrize(
    ("current", "entries"),
    [
        ({"member1": 1, "member2": 1}, []),
        ({"member1": 5, "member2": 3, "member3": 2}, []),
        ({"member1": 4}, [entry("member2")]),
    ],
    ids=["grows", "shrinks", "leaves a cluster that the annotation does not list"],
)
def test_kubeadmiral_follows_where_no_listed_cluster_gives_to_another(
    current: Mapping[str, int], entries: list[Manifest]
) -> None:
    """It avoids disruption by starting or stopping what the total asks for, which is all there is to do."""
    documents = [*members(3), admiral.policy(placement=entries), admiral.federated(web(4), current)]
    outcome = fairlead.solve(fairlead.load(documents))
    (patch,) = outcome.to_manifests()
    marks = {"placements": json.loads(patch["metadata"]["annotations"][PLACEMENTS])}
    documents[-1] = admiral.federated(web(4), current, marks=marks)
    follows = fairlead.dispense(fairlead.load(documents), like="kubeadmiral")
    assert follows.placement == outcome.placement


def test_a_job_is_patched_as_a_job() -> None:
    """The annotation stands on whatever is placed."""
    template = web(6)
    template |= {"apiVersion": "batch/v1", "kind": "Job"}
    template["spec"]["parallelism"] = template["spec"].pop("replicas")
    served = [member(f"member{number}", kinds=[("batch", "v1", "Job")]) for number in (1, 2)]
    documents = [*served, admiral.policy(), admiral.federated(template)]
    (patch,) = fairlead.solve(fairlead.load(documents)).to_manifests()
    assert (patch["apiVersion"], patch["kind"]) == ("batch/v1", "Job")


def test_the_command_refuses_with_exit_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A policy that says nothing avoids disruption, and here a replica is to change its cluster."""
    limited = admiral.policy(placement=[entry("member1", maxReplicas=2), entry("member2")])
    running = admiral.federated(web(4), {"member1": 3, "member2": 1})
    where = tmp_path / "in.json"
    items = [*members(2), limited, running]
    where.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    assert main(["plan", "-q", "-f", str(where), "-o", "patch"]) == 2
    assert "avoidDisruption to false first" in capsys.readouterr().err
