"""Scripts: dated events, each with the changes of the fleet then; made of the manifest that people write."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import groupby, pairwise
from operator import attrgetter
from typing import Any

from fairlead.manifests.api.script import EventSpec
from fairlead.manifests.api.script import Script as Written
from fairlead.manifests.own.findings import SCRIPT
from fairlead.manifests.validation import Located, validate
from fairlead.manifests.yaml.documents import OWN_API_VERSION, Document, Identity, field_name, object_name
from fairlead.manifests.yaml.reader import Input, NamedDocument, read_documents
from fairlead.models.errors import ManifestError, Mistake, UsageError
from fairlead.models.names import find_workload
from fairlead.models.problem import Problem
from fairlead.models.source import Source
from fairlead.solver.simulate.changes import At, Lose, Scale, clusters_of


class Closure(StrEnum):
    """Ways to close clusters, or to open them again."""

    CORDON = "cordon"
    DRAIN = "drain"
    LOSE = "lose"
    RESTORE = "restore"


@dataclass(frozen=True, slots=True)
class ClosedClusters:
    """Clusters are closed in one way, until they are restored."""

    turn: Closure
    """Way in which they are closed, or ``restore``."""
    name: str
    """Name of the cluster; of the region, zone or provider; value of the label."""
    field: str = "cluster"
    """``cluster``, ``region``, ``zone``, ``provider`` or the key of a label."""


@dataclass(frozen=True, slots=True)
class OtherManifests:
    """From now on the fleet is what other manifests describe together.

    What runs in them counts only for workloads that are new. What the script has scaled stays scaled, and
    what it has closed stays closed.
    """

    problem: Problem


@dataclass(frozen=True, slots=True)
class Rebalance:
    """Whoever plans may move replicas that are not due: so many, or a share of what runs such as ``2%``."""

    budget: int | str


ScriptChange = ClosedClusters | Scale | At | OtherManifests | Rebalance
"""Changes that a script can ask for; closed."""


@dataclass(frozen=True, slots=True)
class ScriptEvent:
    """Event of a script: its time, its changes in order, and a name, which may be empty."""

    at: datetime
    steps: tuple[ScriptChange, ...]
    name: str = ""


@dataclass(frozen=True, slots=True)
class Script:
    """Events in the order of time.

    Raises `UsageError` where there is no event, or one comes too late.
    """

    name: str
    """Name of the script, as people call it."""
    events: tuple[ScriptEvent, ...]
    """At least one; none before the one it follows."""
    end: datetime
    """Up to when the last state counts; not before the last event."""

    def __post_init__(self) -> None:
        times = [event.at for event in self.events]
        if not times:
            raise UsageError("a script needs at least one event")
        if [*times, self.end] != sorted([*times, self.end]):
            raise UsageError("the events of a script come in the order of time, the end after the last one")

    @property
    def hours(self) -> float:
        """Hours from the first event to the end."""
        return (self.end - self.events[0].at).total_seconds() / 3600

    def by_time(self) -> Iterator[tuple[ScriptEvent, float]]:
        """Yield events with the hours until the next one; those of one moment are one event."""
        together = [
            ScriptEvent(
                at,
                tuple(step for event in same for step in event.steps),
                ", ".join(dict.fromkeys(event.name for event in same if event.name)),
            )
            for at, same in ((at, list(same)) for at, same in groupby(self.events, key=attrgetter("at")))
        ]
        ends = [*(event.at for event in together[1:]), self.end]
        for event, end in zip(together, ends, strict=True):
            yield event, (end - event.at).total_seconds() / 3600


Manifest = Mapping[str, Any]
Load = Callable[[Sequence[Manifest]], Problem]
"""Returns the problem that manifests describe."""

_TAIL = timedelta(hours=1)
"""How long the last state counts where a script does not say."""


def read_script(
    source: Input, fleet: Sequence[Manifest], load: Load, before: Problem | None = None
) -> Script:
    """Read a script.

    `source`: the script: a path, ``-``, an open file or a parsed document. `fleet`: the manifests of the
    fleet before the first event. `load`: returns the problem of the manifests as an event leaves them.
    `before`: the problem of the fleet before the first event; None loads it.

    Raises `ManifestError` where anything in it is wrong, or anything that it applies.
    """
    located = _located(source)
    spec, state = located.model.spec, {_identity(one): one for one in fleet}
    problem = load(fleet) if before is None else before
    events: list[ScriptEvent] = []
    strangers: list[Mistake] = []
    for position, written in enumerate(spec.events):
        steps: list[ScriptChange] = []
        if written.apply or written.delete:
            state = _changed(state, written, located, position)
            problem = load(list(state.values()))
            steps.append(OtherManifests(problem))
        strangers += _strangers(written, problem, located, position)
        events.append(ScriptEvent(written.at, (*steps, *_steps(written)), written.name))
    if strangers:
        raise ManifestError(strangers)
    return Script(located.model.metadata.name, tuple(events), spec.end or events[-1].at + _TAIL)


def _located(source: Input) -> Located[Written]:
    """Return the one script of an input; ManifestError where there is not exactly one, or it is wrong."""
    documents, mistakes = read_documents([source])
    if not mistakes and len(documents) != 1:
        name = documents[1].source() if documents else Source(str(source), 0)
        mistakes = [Mistake(name, "", "", f"holds {len(documents)} manifests; a script is one alone")]
    if mistakes:
        raise ManifestError(mistakes)
    (document,) = documents
    if (document.api_version, document.kind) != (OWN_API_VERSION, SCRIPT):
        message = f"is not a script; a script is of kind {SCRIPT} of {OWN_API_VERSION}"
        raise ManifestError([Mistake(document.source(("kind",)), "kind", document.kind, message)])
    found = validate(document, Written)
    wrong = list(found.mistakes)
    wrong += [Mistake(one.source or document.source(), "", "", one.text) for one in found.warnings]
    if found.located is not None:
        wrong += _out_of_order(found.located)
    if wrong or found.located is None:
        raise ManifestError(wrong)
    return found.located


def _out_of_order(located: Located[Written]) -> Iterator[Mistake]:
    """Name the events that come before the one above them, and an end before the last."""
    spec = located.model.spec
    for position, (before, after) in enumerate(pairwise(spec.events), 1):
        if after.at < before.at:
            where = located.source("spec", "events", position, "at")
            yield Mistake(
                where, f"spec.events[{position}].at", after.at.isoformat(), "is before the last event"
            )
    if spec.end is not None and spec.events and spec.end < spec.events[-1].at:
        yield Mistake(
            located.source("spec", "end"), "spec.end", spec.end.isoformat(), "is before the last event"
        )


def _steps(written: EventSpec) -> Iterator[ScriptChange]:
    """Yield the changes of an event beside its manifests."""
    yield from _clusters(Closure.RESTORE, written.restore)
    if written.autoscalers is not None:
        yield At(written.autoscalers)
    yield from (Scale(key, replicas) for key, replicas in sorted(written.scale.items()))
    yield from _clusters(Closure.CORDON, written.cordon)
    yield from _clusters(Closure.DRAIN, written.drain)
    yield from _clusters(Closure.LOSE, written.lose)
    if written.rebalance is not None:
        yield Rebalance(written.rebalance)


def _clusters(turn: Closure, names: Sequence[str]) -> Iterator[ClosedClusters]:
    """Yield the changes of clusters that are named as on the command line."""
    for text in names:
        field, equals, name = text.rpartition("=")
        yield ClosedClusters(turn, name, field) if equals else ClosedClusters(turn, text)


def _strangers(
    written: EventSpec, problem: Problem, located: Located[Written], position: int
) -> Iterator[Mistake]:
    """Name the workloads and clusters of an event that the fleet does not have then, or names twice."""
    met: set[str] = set()
    for key in written.scale:
        where = ("spec", "events", position, "scale", key)
        try:
            workload = find_workload(problem, key)
        except UsageError as error:
            yield _mistake(located, where, error)
        else:
            if workload.key in met:
                yield _mistake(located, where, UsageError(f"{workload.key} is scaled twice"))
            met.add(workload.key)
    for turn in Closure:
        for number, cluster in enumerate(_clusters(turn, getattr(written, turn))):
            try:
                clusters_of(problem, Lose(cluster.name, cluster.field))
            except UsageError as error:
                yield _mistake(located, ("spec", "events", position, turn.value, number), error)


def _mistake(located: Located[Written], path: tuple[str | int, ...], error: UsageError) -> Mistake:
    return Mistake(located.source(*path), field_name(path), "", str(error))


def _identity(manifest: Manifest) -> Identity:
    """Return the identity of a manifest."""
    named = object_name(manifest)
    return Identity.of(named.api_version, named.kind, named.namespace, named.name)


def _changed(
    state: Mapping[Identity, Manifest], written: EventSpec, located: Located[Written], position: int
) -> dict[Identity, Manifest]:
    """Return the manifests after what an event applies and deletes; ManifestError where that is not there."""
    name = f"{located.document.source().file}: {written.name or f'event {position + 1}'}"
    applied = {_identity(one): NamedDocument(name, one) for one in written.apply}
    found = {**state, **applied}
    for number, gone in enumerate(written.delete):
        keys = [key for key in found if key[1:] == (gone.kind, gone.namespace, gone.name)]
        if not keys:
            where = located.source("spec", "events", position, "delete", number)
            field = f"spec.events[{position}].delete[{number}]"
            raise ManifestError([Mistake(where, field, f"{gone.kind} {gone.name}", "is not there")])
        found = {key: one for key, one in found.items() if key not in keys}
    return found


def manifests_of(documents: Sequence[Document]) -> list[Manifest]:
    """Return manifests that were read, each under the name of its file."""
    return [NamedDocument(str(one.source().file), one.data) for one in documents]
