"""Duplicated: every selected cluster holds a full copy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from fairlead.models.data import WorkloadData
from fairlead.models.mistaken import Faults, FleetClusters, PlainRepr, counts, strangers
from fairlead.models.requirement import UNPLACED, Among, Binds, GivesWay, Kind, Requirement, Side
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.candidates import candidates_of
from fairlead.models.source import Source
from fairlead.models.words import counted

KIND = "duplicated"


@dataclass(frozen=True, slots=True, repr=False)
class Duplicated(PlainRepr):
    """Every selected cluster holds a full copy; all candidates are selected, unless there is a choice."""

    source: Source | None = None
    """Where the rule was declared; None where it was not."""
    choice: bool = False
    """True where the solver selects clusters (spread constraints, most clusters): the others hold nothing."""
    copies: Mapping[str, int] = field(default_factory=dict)
    """Size of the copy by candidate, where it differs from the workload's replicas (KubeAdmiral clamps it
    into minimum and maximum)."""
    ample: Mapping[str, int] = field(default_factory=dict)
    """Size of the copy by candidate where only a lack of room makes it smaller than that (KubeAdmiral)."""
    least: Mapping[str, Bound] = field(default_factory=dict, compare=False, repr=False)
    """Minimum by candidate that has less room, so that the copy would be smaller without it (KubeAdmiral)."""

    def mistakes(self, known: FleetClusters) -> Faults:
        """Yield clusters that the problem does not have, and copies that are no numbers of replicas."""
        yield from strangers("Duplicated.copies", self.copies, known)
        yield from counts("Duplicated.copies", self.copies)
        yield from counts("Duplicated.ample", self.ample)

    def requirements(self, workload: WorkloadData) -> Iterator[Requirement]:
        """Yield the copy of every candidate, and that there is one at all where copies may be chosen.

        A copy is whole or missing; a missing one counts as its replicas. Where there is none at all, one of
        the workload's own size is missing.
        """
        names = candidates_of(workload)
        for cluster in names:
            yield full_copy(self, workload, cluster)
        if self.choice or not names:
            yield any_copy(self, workload, names)


def copy_on(rule: Duplicated, workload: WorkloadData, cluster: str) -> int:
    """Return how many replicas a full copy on a cluster has; none where the workload is scaled to 0."""
    return rule.copies.get(cluster, workload.replicas) if workload.replicas else 0


def unplaced(workload: WorkloadData, placed: Mapping[str, int], candidates: Iterable[str]) -> int:
    """Return how many replicas that are wanted stand nowhere; under Duplicated summed over the copies."""
    copies = workload.rule(Duplicated)
    if copies is None:
        return max(0, workload.replicas - sum(placed.values()))
    names = tuple(candidates)
    if (copies.choice or not names) and not any(placed.values()):
        return workload.replicas
    chosen = (name for name in names if placed.get(name) or not copies.choice)
    return sum(max(0, copy_on(copies, workload, name) - placed.get(name, 0)) for name in chosen)


def largest_copy(rule: Duplicated, workload: WorkloadData) -> int:
    """Return how many replicas the largest full copy has."""
    return max([workload.replicas, *rule.copies.values()]) if workload.replicas else 0


def full_copy(rule: Duplicated, workload: WorkloadData, cluster: str) -> Requirement:
    """Return how many replicas a full copy on a cluster has."""
    binds = Binds.WHERE_HELD if rule.choice else Binds.ALWAYS
    full = copy_on(rule, workload, cluster)
    return Requirement(_RULE, Side.EXACTLY, full, cluster, workload, rule.source, binds, GivesWay.WHOLE)


def any_copy(rule: Duplicated, workload: WorkloadData, names: Iterable[str]) -> Requirement:
    """Return that one of the named clusters holds a copy."""
    scope, binds = Among("", frozenset(names)), Binds.WHERE_EMPTY
    least, ways = workload.replicas, GivesWay.WHOLE
    return Requirement(_RULE, Side.LEAST, least, scope, workload, rule.source, binds, ways)


def _asked(one: Requirement) -> str:
    copy = f"a full copy of {counted(one.limit, 'replica')}"
    if one.cluster is not None:
        return f"{one.who}: {one.cluster} needs {copy}"
    return f"{one.who}: {copy} on at least 1 cluster, none on the others"


def _broken(one: Requirement, found: int) -> str:
    if one.cluster is None:
        return f"{one.workload.key}: no cluster holds a copy"
    return f"{one.workload.key}: {one.cluster} holds {counted(found, 'replica')}, a full copy is {one.limit}"


_RULE = Kind(KIND, _asked, _broken, UNPLACED)
