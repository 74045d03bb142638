"""Sentences about rules: what a rule says, and what breaks it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from fairlead.models.cluster import Taint
from fairlead.models.source import Source

NOT_UNDERSTOOD = "not-understood"
"""Rule of what is left out because it cannot be understood; the rest of the input is read all the same."""

PROPAGATED = "propagated"
"""Rule of what has no replicas: it goes to clusters as a whole."""

SUSPENDED = "suspended"
"""Rule of what somebody has taken out of scheduling, or is deleting."""

NODES = "nodes"
"""Rule of what asks for certain nodes, of which clusters do not tell."""

NOTES = frozenset({PROPAGATED, SUSPENDED, NODES})
"""Rules of what is good to know and nothing to repair."""


@dataclass(frozen=True, slots=True)
class Statement:
    """Statement of one rule on one workload and cluster, in the user's words."""

    rule: str
    """Kind of the rule, such as ``bounds``."""
    text: str
    """The sentence."""
    source: Source | None = None
    """Where the rule was declared."""
    workload: str | None = None
    """Key of the workload that it is about; None where it is about none in particular."""
    cluster: str | None = None
    """The cluster that it is about; None likewise."""

    @property
    def is_note(self) -> bool:
        """Whether it is only good to know: nothing in the input is wrong or without effect."""
        return self.rule in NOTES

    def __str__(self) -> str:
        return f"{self.text} ({self.source})" if self.source else self.text


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that a placement breaks."""

    rule: str
    """Kind of the rule, such as ``bounds``."""
    text: str
    """Sentence on how it is broken, in the user's words."""
    amount: int
    """Amount by which it is broken, in the rule's unit (replicas, millicores, bytes, clusters)."""
    source: Source | None = None
    """Where the rule was declared."""
    workload: str | None = None
    """Key of the workload whose rule is broken; None where it is about none in particular."""
    cluster: str | None = None
    """The cluster on which it is broken; None likewise."""
    detail: str = ""
    """Name that tells it from other violations of the rule: a resource, a set of clusters; may be empty."""
    gives_way: bool = False
    """True where there is too little of something, which a partial placement reports instead of refusing:
    unplaced replicas, minima, spread. False for all that must never happen."""
    because: str = ""
    """Cause that keeps it from being less, or for which a cluster is closed, as the text ends; empty where
    there is none in particular."""

    @property
    def about(self) -> tuple[str, str | None, str | None, str, bool, Source | None]:
        """Which rule is broken where: equal for two placements that break the same, by whatever amount."""
        return self.rule, self.workload, self.cluster, self.detail, self.gives_way, self.source

    def __str__(self) -> str:
        return f"{self.text} ({self.source})" if self.source else self.text


class QuotaEntry(NamedTuple):
    """A resource of a quota: namespace and name of the quota, and the resource."""

    namespace: str
    name: str
    resource: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name} {self.resource}"


Detail = str | Taint | QuotaEntry
"""Name of a changed number beside workload and cluster: a set of clusters, the field of a spread constraint,
a resource, a taint, a resource of a quota, a group of workloads; may be empty."""


def detail_text(detail: Detail) -> str:
    """Return the name of a changed number in words: ``gpu=true:NoSchedule``, ``team-a/compute cpu``."""
    return detail.spelled if isinstance(detail, Taint) else str(detail)


@dataclass(frozen=True, slots=True)
class Change:
    """A change of one number of the input, or of one name in it; see `fairlead.solver.changes.kinds`."""

    kind: str
    """Kind of the changed number, one of `changes.kinds.Kind`."""
    workload: str | None
    cluster: str | None
    """Workload and cluster that it is about; None where it is about none in particular."""
    detail: Detail
    """Name of the number beside workload and cluster; may be empty."""
    before: int
    after: int
    """The number as it is and as it should be, in the rule's unit: replicas, groups, or the resource's unit.
    A taint counts as 0 until it is tolerated, a member of a group of workloads as 1 until it leaves, a
    workload as 0 until it is placed afresh."""
    cost: int
    """Amount of the change, counted in replicas, so that changes of different kinds can be compared. 0 where
    the number is that of another change, as for workloads that share a policy."""
    source: Source | None = None
    """Where the number was declared; None where it was not."""

    @property
    def named(self) -> str:
        """Name of the number beside workload and cluster, in words; may be empty."""
        return detail_text(self.detail)

    @property
    def about(self) -> tuple[str, str | None, str | None, Detail]:
        """Which number is changed, whatever it is before and after."""
        return self.kind, self.workload, self.cluster, self.detail

    @property
    def amount(self) -> int:
        """How far the number is changed, in its own unit."""
        return abs(self.after - self.before)


@dataclass(frozen=True, slots=True)
class Relaxation:
    """Changes that together make an infeasible problem feasible, or all of it but some workloads."""

    text: str
    """Sentence on the changes, in the user's words."""
    change: int
    """Size of all changes together, counted in replicas; see `fairlead.solver.changes.kinds`."""
    source: Source | None = None
    """Where the first changed rule was declared; None where nothing was declared there yet."""
    changes: tuple[Change, ...] = ()
    """The single changes; may be empty where the way out is no change of a number."""
    manifest: str = ""
    """Fragments of manifests, ready to be pasted or merged: YAML, one document for every changed object;
    empty where there is none."""
    proven: bool = True
    """True where it is proven that no other changes cost less, those of cheaper relaxations aside."""
    without: tuple[str, ...] = ()
    """Keys of workloads that have no placement with the changes either, or those with them: no way out of
    their part of the problem is known. Empty where the whole problem becomes feasible."""


class Proof(StrEnum):
    """Certainty that a conflict needs all its rules.

    ``SMALLEST``: minimal, and no conflict of fewer rules exists. ``MINIMAL``: all its rules together have no
    placement, and without any one of them there is one. ``UNVERIFIED``: time ran out before that was certain;
    perhaps not all of its rules are needed.
    """

    SMALLEST = "smallest"
    MINIMAL = "minimal"
    UNVERIFIED = "unverified"


@dataclass(frozen=True, slots=True)
class Conflict:
    """Rules that cannot hold together."""

    rules: tuple[Statement, ...]
    """Statements of the rules; leaving out any one of them resolves the conflict. Where a workload may get
    several affinity groups, those that rule out each of them."""
    relaxations: tuple[Relaxation, ...] = ()
    """Changes each of which makes the whole problem feasible, whatever else contradicts itself there, except
    for workloads `without_way_out`: the first conflict of an outcome has them for all. The most useful first;
    may be empty."""
    proof: Proof = Proof.UNVERIFIED
    """Certainty that all its rules are needed."""
    workloads: tuple[str, ...] = ()
    """Keys of the workloads that it is about, in order; empty where that is not known."""
    advice: tuple[str, ...] = ()
    """Sentences on what helps workloads for which none of the relaxations is; the first conflict of an
    outcome has them for all."""
    cause: str = ""
    """Shortage behind the rules, where several workloads request more of a resource than there is: the
    amounts requested together and there; empty where that is not the cause or is easily seen."""

    @property
    def without_way_out(self) -> tuple[str, ...]:
        """Keys of the workloads that none of the relaxations is for; empty where there are none at all."""
        return self.relaxations[0].without if self.relaxations else ()

    def __str__(self) -> str:
        return "; ".join(str(statement) for statement in self.rules)
