"""The fleet over time, as it would be whoever places its workloads: what is there, open and wanted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import assert_never

from fairlead.models.names import find_workload
from fairlead.models.problem import Problem
from fairlead.models.source import FederatedUnit, KarmadaBinding
from fairlead.models.triggers import triggered
from fairlead.models.usage import Amounts
from fairlead.models.workload import Workload
from fairlead.solver.script.events import (
    ClosedClusters,
    Closure,
    OtherManifests,
    Rebalance,
    Script,
    ScriptEvent,
)
from fairlead.solver.simulate.changed import changed
from fairlead.solver.simulate.changes import At, Change, Cordon, Drain, Lose, Restore, Scale, clusters_of


@dataclass(frozen=True, slots=True)
class ScriptMoment:
    """The fleet from one event to the next."""

    at: datetime
    name: str
    """Time and name of the event."""
    hours: float
    """Hours until the next one."""
    fleet: Problem
    """Clusters, workloads and rules; what runs in it is what ran when it was loaded."""
    judged: Problem
    """The fleet for whoever judges what runs: on cordoned clusters it may stay."""
    room: Amounts
    """Capacity for all workloads together by cluster and resource, also of clusters that are lost."""
    touched: frozenset[str]
    """Keys of workloads of which something else is wanted than before: replicas, requests or policy."""
    opened: bool
    """True where clusters are there, or open, that were not before."""
    budget: int | str | None
    """Replicas that whoever plans may move; None where nobody was asked to."""


def moments(problem: Problem, script: Script) -> Iterator[ScriptMoment]:
    """Yield the fleet after every event of a script; UsageError where one names what is not there."""
    state = _State.of(problem)
    known: Mapping[str, Workload] = problem.workload_by_key
    for event, hours in script.by_time():
        before, fleet = state.open_clusters(), state.fleet
        state = state.after(event)
        fleet = triggered(fleet, state.fleet)  # by this event, not by those before it
        budget = next((step.budget for step in event.steps if isinstance(step, Rebalance)), None)
        now = state.fleet.workload_by_key
        touched = frozenset(
            key for key, one in now.items() if key not in known or _asked_for(known[key]) != _asked_for(one)
        )
        opened = bool(state.open_clusters() - before)
        yield ScriptMoment(
            event.at, event.name, hours, fleet, state.judged, state.room, touched, opened, budget
        )
        known = now


@dataclass(frozen=True, slots=True)
class _State:
    """The fleet after the events up to now; see `ScriptMoment`."""

    whole: Problem
    """Problem of all that the manifests describe, with every cluster open."""
    fleet: Problem
    judged: Problem
    room: Amounts
    made: tuple[Scale | At, ...] = ()
    """How workloads were scaled, in order; made again where the manifests change."""
    closed: Mapping[str, Closure] = field(default_factory=dict)
    """Way in which each closed cluster is closed, by name."""

    @classmethod
    def of(cls, problem: Problem) -> _State:
        """Return the state before the first event."""
        return cls(problem, problem, problem, problem.limits)

    def open_clusters(self) -> set[str]:
        """Return the clusters that are there and not closed."""
        return {cluster.name for cluster in self.whole.clusters} - set(self.closed)

    def after(self, event: ScriptEvent) -> _State:
        """Return the state after an event."""
        state = self
        for step in event.steps:
            match step:
                case ClosedClusters():
                    state = state.turned(step)
                case Scale() | At():
                    state = state.scaled(step)
                case OtherManifests(problem):
                    state = state.described(problem)
                case Rebalance():
                    pass
                case _:
                    assert_never(step)
        return state

    def turned(self, step: ClosedClusters) -> _State:
        """Close clusters, or open them again, also those that were closed before the script began."""
        names = sorted(clusters_of(self.whole, Lose(step.name, step.field)))
        if step.turn is not Closure.RESTORE:
            return replace(self, closed={**self.closed, **dict.fromkeys(names, step.turn)}).closed_again()
        before = [Restore(name) for name in names if name not in self.closed]
        left = {name: turn for name, turn in self.closed.items() if name not in names}
        return replace(self, whole=changed(self.whole, before), closed=left).closed_again()

    def scaled(self, step: Scale | At) -> _State:
        """Let workloads want other replicas."""
        if isinstance(step, Scale):
            step = Scale(find_workload(self.whole, step.workload).key, step.replicas)
        whole = changed(self.whole, [step])
        anew = step.workload if isinstance(step, Scale) else None
        made = (*(one for one in self.made if isinstance(one, At) or one.workload != anew), step)
        if not self.closed:
            return replace(self, whole=whole, fleet=whole, judged=whole, made=made)
        fleet = changed(self.fleet, [step])
        judged = fleet if self.judged is self.fleet else changed(self.judged, [step])
        return replace(self, whole=whole, fleet=fleet, judged=judged, made=made)

    def described(self, problem: Problem) -> _State:
        """Take other manifests; clusters that say the same of what they have keep their room."""
        known = {cluster.name: cluster for cluster in self.whole.clusters}
        same = {
            cluster.name
            for cluster in problem.clusters
            if cluster.name in known
            and (cluster.free, cluster.allocatable)
            == (known[cluster.name].free, known[cluster.name].allocatable)
        }
        room = {
            row: self.room.get(row, amount) if row[0] in same else amount
            for row, amount in problem.limits.items()
        }
        there = problem.workload_by_key
        made = tuple(each for each in self.made if isinstance(each, At) or each.workload in there)
        left = {name: turn for name, turn in self.closed.items() if name in problem.cluster_by_name}
        whole = changed(problem, made)
        return replace(self, whole=whole, room=room, made=made, closed=left).closed_again()

    def closed_again(self) -> _State:
        """Close what is closed, from the whole fleet anew: what opens is as if it had never been closed."""
        fleet = changed(self.whole, _closing(self.closed))
        away = {name: turn for name, turn in self.closed.items() if turn is not Closure.CORDON}
        judged = fleet if away == self.closed else changed(self.whole, _closing(away))
        return replace(self, fleet=fleet, judged=judged)


def _closing(closed: Mapping[str, Closure]) -> list[Change]:
    """Return the changes that close clusters: first those that stay, then those that are gone."""
    found: list[Change] = [Cordon(name) for name, turn in sorted(closed.items()) if turn is Closure.CORDON]
    found += [Drain(name) for name, turn in sorted(closed.items()) if turn is Closure.DRAIN]
    return found + [Lose(name) for name, turn in sorted(closed.items()) if turn is Closure.LOSE]


def _asked_for(workload: Workload) -> tuple[object, ...]:
    """Return the wishes of a workload's owner; rules only where no manifest tells them."""
    asked: object
    match workload.declared:
        case KarmadaBinding(placement=placement):
            asked = placement
        case FederatedUnit(policy=policy):
            asked = policy
        case None:
            asked = None
        case _:
            assert_never(workload.declared)
    return workload.replicas, workload.requests, asked
