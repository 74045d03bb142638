"""KubeAdmiral in a script: it looks again because of an event, and not because of those before it."""

from datetime import UTC, datetime, timedelta

import fairlead
from fairlead.models.workload import Workload
from fairlead.solver.script.events import ClosedClusters, Closure, Script, ScriptChange, ScriptEvent
from fairlead.solver.script.moments import moments
from fairlead.solver.script.play import play
from fairlead.solver.simulate.changes import Scale
from kubeadmiral_manifests import federated, member, policy, web

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
STEPS: tuple[ScriptChange, ...] = (
    ClosedClusters(Closure.CORDON, "member2"),
    Scale("default/web", 6),
    ClosedClusters(Closure.RESTORE, "member2"),
    Scale("default/web", 8),
)
"""member2 stays closed while the workload is scaled for the first time."""


def script(*steps: ScriptChange) -> Script:
    """Return a script with an event every hour."""
    events = tuple(
        ScriptEvent(NOON + timedelta(hours=hour), (each,), f"{hour}") for hour, each in enumerate(steps)
    )
    return Script("hours", events, NOON + timedelta(hours=len(events)))


def is_told(workload: Workload) -> bool:
    """Tell whether a moment says that KubeAdmiral looks at a workload again."""
    return bool(workload.declared and getattr(workload.declared, "triggered", False))


def test_every_event_is_looked_at_by_itself() -> None:
    """A taint that comes or goes counts at its own event only."""
    problem = fairlead.load(
        [member("member1"), member("member2"), policy(), federated(web(4), {"member1": 4})]
    )
    told = [is_told(moment.fleet.workloads[0]) for moment in moments(problem, script(*STEPS))]
    assert told == [True, False, True, False]


def test_who_is_not_asked_for_is_not_looked_at() -> None:
    """Two events while member2 is closed: only the one that closes it makes both workloads due."""
    manifests = [member("member1"), member("member2"), policy()]
    other = web(2)
    other["metadata"]["name"] = "api"
    manifests += [federated(web(4), {"member1": 4}), federated(other, {"member1": 2})]
    problem = fairlead.load(manifests)
    (handled,) = play(problem, script(*STEPS[:2]), "kubeadmiral").handled
    assert [step.due for step in handled.steps] == [2, 1]
