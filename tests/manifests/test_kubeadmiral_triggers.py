"""What KubeAdmiral would not look at again is said, and left as it runs where that is asked for."""

import json
from pathlib import Path
from typing import Any

import pytest

import fairlead
from builders import Manifest
from fairlead.cli.app import main
from fairlead.manifests.loading import load
from fairlead.models.problem import Problem
from fairlead.models.triggers import TRIGGERS, as_triggered, untouched, untriggered
from fairlead.solver.simulate.changed import changed
from fairlead.solver.simulate.changes import Add, Change, Cordon, Drain, Lose, Restore, Scale, Weight
from kubeadmiral_manifests import federated, member, policy, web

NEVER = {"rescheduleWhen": {"clusterJoined": False}, "replicaRescheduling": {"avoidDisruption": False}}
JOINED = {"rescheduleWhen": {"clusterJoined": True}, "replicaRescheduling": {"avoidDisruption": False}}
OLD = [member("member1"), member("member2")]
NEW = member("member3", "100")
RUNS = {"member1": 5, "member2": 5}


def fleet(when: Manifest, replicas: int = 10, record: Manifest | None = None, **more: Any) -> list[Manifest]:
    """Return ten running replicas on two clusters, and a third one with more room."""
    running = federated(web(replicas), more.pop("current", RUNS), marks=more.pop("marks", None))
    if record is not None:
        running["metadata"]["annotations"][TRIGGERS] = json.dumps(record)
    return [*more.pop("members", [*OLD, NEW]), policy(reschedulePolicy=when), running]


def left(problem: Problem) -> list[str]:
    """Return the workloads that KubeAdmiral would leave."""
    return [workload.key for workload in untouched(problem)]


def test_a_cluster_that_joined_does_not_count_unless_asked_for() -> None:
    """The answer moves replicas there; KubeAdmiral would not."""
    outcome = fairlead.solve(load(fleet(NEVER)))
    assert outcome.placement is not None
    assert outcome.placement["default/web"]["member3"] > 0
    (said,) = untriggered(outcome)
    assert said.text.startswith("default/web: KubeAdmiral itself would change nothing")
    assert said.text in str(outcome)
    assert said.text in [one["text"] for one in outcome.to_dict()["warnings"]]
    assert untriggered(fairlead.solve(load(fleet(JOINED)))) == ()


@pytest.mark.parametrize(
    ("documents", "leaves"),
    [
        (fleet(NEVER), True),
        # Never scheduled, another number wanted than runs, a taint where it runs, a cluster that is gone.
        (fleet(NEVER, current={}), False),
        (fleet(NEVER, replicas=12), False),
        (fleet(NEVER, members=[member("member1", taints=["k:NoSchedule"]), OLD[1], NEW]), False),
        (fleet(NEVER, members=[OLD[0], NEW]), False),
        # What KubeAdmiral has written down of its last decision tells more than what runs.
        (fleet(NEVER, record={"replicaCount": 8}), False),
        (fleet(NEVER, record={"resourceRequest": {"millicpu": 500, "memory": 0}}), False),
        (fleet(JOINED, record={"clusters": ["member1", "member2", "member3"]}), True),
        (fleet(JOINED, record={"clusters": ["member1", "member2"]}), False),
        (fleet(NEVER, record={"clusters": ["member1", "gone"]}), False),
        # One that is gone counts first where another came; neither does where the policy says so.
        (fleet(JOINED, record={"clusters": ["member1", "member2", "gone"]}), False),
        (fleet({**JOINED, "disableRescheduling": True}, record={"clusters": ["member1", "gone"]}), True),
        # The annotation disables rescheduling over the policy, or enables it again.
        (fleet(JOINED, marks={"sticky-cluster": "true"}, record={"clusters": ["member1", "gone"]}), True),
        (fleet({**JOINED, "disableRescheduling": True}, marks={"sticky-cluster": "false"}), False),
        (fleet({"replicaRescheduling": {}}, record={"clusters": ["member1", "gone"]}), True),
    ],
)
def test_what_makes_it_look_again(documents: list[Manifest], leaves: bool) -> None:
    """As the reschedule policy says, and what always counts."""
    assert left(load(documents)) == (["default/web"] if leaves else [])


def test_as_triggered_leaves_it_as_it_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In every command that answers with changes."""
    outcome = fairlead.solve(as_triggered(load(fleet(NEVER))))
    assert outcome.placement is not None
    assert dict(outcome.placement["default/web"]) == RUNS
    assert untriggered(outcome) == ()
    source = tmp_path / "fleet.json"
    source.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": fleet(NEVER)}))
    assert main(["plan", "-f", str(source)]) == 0
    assert "KubeAdmiral itself would change nothing" in capsys.readouterr().out
    assert main(["plan", "-f", str(source), "--as-triggered"]) == 0
    assert capsys.readouterr().out.startswith("No changes")


def test_copies_are_left_as_they_run_as_well() -> None:
    """Five copies on each of two clusters are ten replicas where five are wanted."""
    documents = [
        *OLD,
        NEW,
        policy(schedulingMode="Duplicate", reschedulePolicy=NEVER),
        federated(web(5), RUNS),
    ]
    outcome = fairlead.solve(as_triggered(load(documents)))
    assert outcome.placement is not None
    assert dict(outcome.placement["default/web"]) == RUNS


def test_changes_of_a_simulation_count() -> None:
    """A drain and another number trigger; a new cluster does where the policy says so."""
    problem = load(fleet(NEVER, members=OLD))
    drained = fairlead.simulate(problem, Drain("member1"), as_triggered=True)
    assert drained.after.placement is not None
    assert dict(drained.after.placement["default/web"]) == {"member2": 10}
    scaled = fairlead.simulate(problem, Scale("default/web", 12), as_triggered=True)
    assert scaled.after.placement is not None
    assert sum(scaled.after.placement["default/web"].values()) == 12
    grown = Add(load(fleet(NEVER)))
    added = fairlead.simulate(problem, grown, as_triggered=True)
    assert added.after.placement is not None
    assert dict(added.after.placement["default/web"]) == RUNS


EVEN = [{"cluster": one["metadata"]["name"], "preferences": {"weight": 1}} for one in OLD]
NEVER_BUT_GONE = {**NEVER, "rescheduleWhen": {"policyContentChanged": False}}
NOT_AT_ALL: Manifest = {"replicaRescheduling": {"avoidDisruption": False}}


@pytest.mark.parametrize(
    ("when", "placed"),
    [(NEVER, {"member1": 8, "member2": 2}), (NEVER_BUT_GONE, RUNS), (NOT_AT_ALL, RUNS)],
)
def test_another_weight_is_another_policy(when: Manifest, placed: dict[str, int]) -> None:
    """KubeAdmiral looks again, unless the policy says that its own content does not count."""
    problem = load([*OLD, policy(reschedulePolicy=when, placement=EVEN), federated(web(10), RUNS)])
    found = fairlead.simulate(problem, Weight("default/web", "member1", 4), as_triggered=True).after
    assert found.placement is not None
    assert dict(found.placement["default/web"]) == placed


@pytest.mark.parametrize(
    ("change", "when", "leaves"),
    [
        # Nothing of it runs on member3: the input alone would not tell that it was ever there.
        (Lose("member3"), NEVER, False),
        (Lose("member3"), NOT_AT_ALL, True),
        (Lose("member3"), {**NEVER, "disableRescheduling": True}, True),
        (Restore("member3"), NEVER_BUT_GONE, False),
        (Restore("member3"), NOT_AT_ALL, True),
        (Cordon("member2"), NEVER, False),
    ],
)
def test_what_happens_to_any_cluster_counts(change: Change, when: Manifest, *, leaves: bool) -> None:
    """A cluster that is gone or has other taints makes KubeAdmiral look again, where anything does."""
    fleet = [*OLD, member("member3", taints=["k:NoSchedule"])]
    problem = load([*fleet, policy(reschedulePolicy=when), federated(web(10), RUNS)])
    assert left(problem) == ["default/web"]
    assert left(changed(problem, [change])) == (["default/web"] if leaves else [])


def test_a_copy_is_as_large_as_there_is_room_for() -> None:
    """Five replicas, at most three, room for two; a minimum that is left out counts as 1."""
    listed = [
        {"cluster": "member1"},
        {"cluster": "member2", "preferences": {"minReplicas": 1, "maxReplicas": 3}},
        {"cluster": "member3", "preferences": {"maxReplicas": 4}},
    ]
    members = [member("member1"), member("member2", "2"), member("member3", "1")]
    problem = load(members, policy(schedulingMode="Duplicate", placement=listed), web(5))
    outcome = fairlead.solve(problem)
    assert outcome.placement is not None
    assert dict(outcome.placement["default/web"]) == {"member1": 5, "member2": 2, "member3": 1}


@pytest.mark.parametrize("preferences", [{}, {"minReplicas": 3, "maxReplicas": 3}])
def test_a_copy_without_room_is_a_conflict(preferences: Manifest) -> None:
    """Where no bound is stated, and where not even the minimum fits."""
    listed = [{"cluster": "member1", "preferences": preferences}]
    problem = load(member("member1", "2"), policy(schedulingMode="Duplicate", placement=listed), web(5))
    assert str(fairlead.solve(problem).status) == "Infeasible"


def test_reasons_name_the_annotations_that_override_the_policy() -> None:
    """On the cluster that they close, and on those that they open."""
    marks = {"placements": [{"cluster": "member2"}], "maxClusters": "3"}
    outcome = fairlead.solve(load(OLD, policy(maxClusters=1), federated(web(4), marks=marks)))
    told = (
        "(annotations kubeadmiral.io/maxClusters and kubeadmiral.io/placements override policy default/web)"
    )
    reasons = [decision.reason for decision in outcome.decisions["default/web"]]
    assert reasons[0] == f"is not in the placement list {told}"
    assert all(reason.endswith(told) for reason in reasons)
    plain = fairlead.solve(load(OLD, policy(), web(4)))
    assert "annotation" not in "".join(decision.reason for decision in plain.decisions["default/web"])
