"""Candidates: on which clusters a workload may stand at all, and why not on the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from fairlead.models.cluster import Taint
from fairlead.models.data import WorkloadData
from fairlead.models.mistaken import Faults, FleetClusters, PlainRepr, doubles, strangers
from fairlead.models.requirement import Kind, Requirement, Side
from fairlead.models.source import Source
from fairlead.models.statement import Statement
from fairlead.models.words import counted

KIND = "candidates"


class Cause(Enum):
    """Cause for which a cluster is not a candidate, as far as it matters to anything but people.

    ``BESIDE_OTHERS``: it is closed only as long as others are open, such as one without a static weight.
    ``DELETING``, ``NOT_READY``: what has become of the cluster itself. ``UNWEIGHABLE``: its room is not
    known, and weights are rooms; so it would be if its taints were tolerated. ``NO_COPY``: a copy there
    would have no replicas, as its maximum is 0. ``REPORTED``: none can run there, as a controller has found
    out. ``NO_WEIGHT``: it would be open with a weight above 0. ``OTHER``: all else.
    """

    OTHER = auto()
    BESIDE_OTHERS = auto()
    DELETING = auto()
    NOT_READY = auto()
    UNWEIGHABLE = auto()
    NO_COPY = auto()
    REPORTED = auto()
    NO_WEIGHT = auto()


@dataclass(frozen=True, slots=True, repr=False)
class Exclusion(PlainRepr):
    """Reason why a cluster is not a candidate."""

    reason: str
    """The end of Karmada's sentence "1 cluster(s) ...", such as ``had untolerated taint {gpu}``."""
    source: Source | None = None
    taints: tuple[Taint, ...] = ()
    """The taints that would have to be tolerated for the cluster to be open; empty where that would not
    do."""
    spoiling: tuple[Taint, ...] = field(default=(), compare=False, repr=False)
    """Taints that had better not be tolerated: the cluster would open, and change what others hold in a way
    that the rules do not tell, such as weights that count only then. Left out of comparisons."""
    cause: Cause = field(default=Cause.OTHER, compare=False, repr=False)
    """The reason as data. Left out of comparisons."""

    def for_good(self) -> Exclusion:
        """Return the same reason where a toleration opens nothing any more."""
        return replace(self, taints=(), spoiling=()) if self.taints or self.spoiling else self


@dataclass(frozen=True, slots=True, repr=False)
class Candidates(PlainRepr):
    """Replicas stand on candidates only."""

    names: tuple[str, ...]
    """Candidate clusters; `solve` and its like put them in name order."""
    excluded: Mapping[str, Exclusion] = field(default_factory=dict)
    """Every other cluster of the problem with the reason."""
    held_only: Mapping[str, Exclusion] = field(default_factory=dict)
    """Candidates that take nothing new, such as those with an untolerated ``NoSchedule`` taint, with the
    reason: they keep at most what they hold now."""

    @property
    def openable(self) -> tuple[str, ...]:
        """The clusters that only taints keep closed, in name order."""
        return tuple(sorted(name for name, each in self.excluded.items() if each.taints))

    @property
    def may_open(self) -> tuple[str, ...]:
        """The clusters that a change would open, also where rules do not tell what would hold there."""
        return tuple(
            sorted(
                name
                for name, each in self.excluded.items()
                if each.taints or each.spoiling or each.cause is Cause.NO_COPY
            )
        )

    def mistakes(self, known: FleetClusters) -> Faults:
        """Yield candidates that the problem does not have, and those that are named twice."""
        yield from strangers("Candidates.names", self.names, known)
        if len({*self.names}) < len(self.names):
            for name in doubles(self.names):
                yield "Candidates.names", name, "is named twice"

    def in_order(self) -> Candidates:
        """Return the same candidates in name order; this rule itself where they have it."""
        names = tuple(sorted(self.names))
        return self if names == self.names else replace(self, names=names)

    def requirements(self, workload: WorkloadData, clusters: Iterable[str]) -> Iterator[Requirement]:
        """Yield that closed ones among some clusters stay empty, and that nothing grows where none may."""
        asked = tuple(clusters)
        if asked == self.names and not self.held_only:
            return
        allowed = frozenset(self.names)
        for cluster in () if not self.held_only and allowed.issuperset(asked) else asked:
            if cluster not in allowed or cluster in self.held_only:
                yield closed(self, workload, cluster)


def candidates_of(workload: WorkloadData) -> tuple[str, ...]:
    """Return the names of the candidates of a workload; none where no rule says which they are."""
    rule = workload.rule(Candidates)
    return rule.names if rule else ()


def closed(rule: Candidates, workload: WorkloadData, cluster: str) -> Requirement:
    """Return the requirement that keeps a cluster closed to a workload, or to anything new of it."""
    if cluster in rule.held_only:
        side, most, exclusion = Side.MOST, workload.current.get(cluster, 0), rule.held_only[cluster]
    else:
        side, most = Side.EXACTLY, 0
        exclusion = rule.excluded.get(cluster, Exclusion("is not in the input"))
    return Requirement(_RULE, side, most, cluster, workload, exclusion.source, reason=exclusion.reason)


def _asked(one: Requirement) -> str:
    if one.side is not Side.MOST:
        return f"{one.scope} {one.reason}"
    held = counted(one.limit, "replica")
    keeps = f"may keep the {held} it holds there, no more" if one.limit else "may not start there"
    return f"{one.scope} {one.reason}; {one.workload.key} {keeps}"


def _broken(one: Requirement, found: int) -> str:
    keeps = f" and may keep {one.limit}" if one.side is Side.MOST else ""
    return f"{one.workload.key}: {found} on {one.scope}, which {one.reason}{keeps}"


_RULE = Kind(KIND, _asked, _broken)


def describe_exclusions(rule: Candidates, workload: WorkloadData) -> Statement:
    """Say in the sentence that Karmada's users know which clusters are closed to a workload, and why."""
    sources = {exclusion.source for exclusion in rule.excluded.values()}
    source = sources.pop() if len(sources) == 1 else None
    return Statement(KIND, f"{workload.key}: {summarise(rule)}", source or workload.source, workload.key)


def summarise(rule: Candidates) -> str:
    """Return the sentence that Karmada's users know.

    ``0/3 clusters are available: 1 cluster(s) had untolerated taint {gpu}, 2 cluster(s) ...``; the first
    number is the number of candidates.
    """
    counts: dict[str, int] = {}
    for exclusion in rule.excluded.values():
        counts[exclusion.reason] = counts.get(exclusion.reason, 0) + 1
    total = len(rule.names) + len(rule.excluded)
    if not total:
        return "no cluster exists"
    head = f"{len(rule.names)}/{total} clusters are available"
    parts = [f"{count} cluster(s) {_agreeing(reason, count)}" for reason, count in sorted(counts.items())]
    return f"{head}: {', '.join(parts)}" if parts else head


def _agreeing(reason: str, count: int) -> str:
    """Return a reason that is said of one cluster, as it is said of so many."""
    verb, _, rest = reason.partition(" ")
    return reason if count == 1 else f"{_OF_SEVERAL.get(verb, verb)} {rest}"


_OF_SEVERAL = {"is": "are", "has": "have"}
