"""A requirement: one side of one rule of a workload as data, with what a placement misses of it, in words.

Every rule that must hold yields its requirements (`fairlead.models.check.required`). What a placement breaks,
what gives way in a partial one, and how both are said, are loops over them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from typing import TYPE_CHECKING, NamedTuple, assert_never

from fairlead.models.source import Source
from fairlead.models.statement import Statement, Violation
from fairlead.models.topology import groups_of, noun_of
from fairlead.models.words import counted, listed

if TYPE_CHECKING:
    from fairlead.models.workload import Workload


class Kind(StrEnum):
    """The rules of a workload that must hold."""

    CANDIDATES = "candidates"
    TOTAL = "total"
    DUPLICATED = "duplicated"
    BOUNDS = "bounds"
    GROUP_TOTAL = "group-total"
    SPREAD = "spread"
    SURVIVAL = "survival"


class Side(Enum):
    """On which side of its limit a requirement holds."""

    LEAST = auto()
    MOST = auto()
    EXACTLY = auto()


class Binds(Enum):
    """When a requirement counts at all: always, or only where its clusters hold some replicas, or none."""

    ALWAYS = auto()
    WHERE_HELD = auto()
    WHERE_EMPTY = auto()


class GivesWay(Enum):
    """Whether too little gives way in a partial placement: never, always, or only where all is missing."""

    NEVER = auto()
    ALWAYS = auto()
    WHOLE = auto()


@dataclass(frozen=True, slots=True)
class Everywhere:
    """All replicas of a workload count."""


@dataclass(frozen=True, slots=True)
class Among:
    """The replicas on a set of clusters count.

    Parameters
    ----------
    name
        What people call the set; may be empty.
    clusters
        The clusters.
    """

    name: str
    clusters: frozenset[str]


@dataclass(frozen=True, slots=True)
class Outside:
    """The replicas that are left when a set of clusters is lost count.

    Parameters
    ----------
    field, group
        What is lost, such as ``zone`` and its name.
    clusters
        The clusters that are lost.
    only
        Name of the group that alone has candidates; empty where several have, or none.
    """

    field: str
    group: str
    clusters: frozenset[str]
    only: str = ""


@dataclass(frozen=True, slots=True)
class Groups:
    """The groups of clusters that hold at least one replica count.

    Parameters
    ----------
    field
        What is grouped: ``cluster``, ``region``, ``zone``, ``provider`` or the key of a label.
    groups
        Candidates by group; a candidate may be in several (zones).
    """

    field: str
    groups: Mapping[str, frozenset[str]]

    def used(self, placed: Mapping[str, int]) -> tuple[str, ...]:
        """Return the groups that hold at least one replica, in the order of the groups."""
        holding = {cluster for cluster, replicas in placed.items() if replicas}
        return tuple(group for group, clusters in self.groups.items() if not holding.isdisjoint(clusters))


Scope = str | Everywhere | Among | Outside | Groups
"""What is counted; a name stands for the replicas on one cluster."""


class Requirement(NamedTuple):
    """One side of one rule of a workload.

    Where at least so many are asked for, it does not bind a workload that is scaled to 0.

    Parameters
    ----------
    kind
        The rule.
    side, limit
        How many there are to be, at least, at most or exactly: replicas, or groups where these count.
    scope
        What is counted.
    workload
        The workload whose replicas count.
    source
        Where the limit was declared.
    binds
        When it counts at all.
    gives_way
        Whether a partial placement may miss it by holding too little; too much never gives way.
    reason
        Why a cluster is closed, in the words of `Exclusion.reason`; empty for all other rules.
    paired
        True where the other side has the same limit, so that both together ask for exactly so many.
    """

    kind: Kind
    side: Side
    limit: int
    scope: Scope
    workload: Workload
    source: Source | None = None
    binds: Binds = Binds.ALWAYS
    gives_way: GivesWay = GivesWay.NEVER
    reason: str = ""
    paired: bool = False

    @property
    def cluster(self) -> str | None:
        """The single cluster that it is about; None where it is about none in particular."""
        return self.scope if isinstance(self.scope, str) else None

    @property
    def detail(self) -> str:
        """What else tells it from others of its kind: a set of clusters, a field; may be empty."""
        match self.scope:
            case str() | Everywhere():
                return ""
            case Among():
                return self.scope.name
            case Outside():
                return f"{self.scope.field} {self.scope.group}"
            case Groups():
                return self.scope.field
            case _:
                assert_never(self.scope)

    def count(self, placed: Mapping[str, int]) -> int:
        """Return how many replicas, or groups, count in a placement (replicas by cluster)."""
        match self.scope:
            case str():
                return placed.get(self.scope, 0)
            case Everywhere():
                return sum(placed.values())
            case Among():
                inside = self.scope.clusters
                return sum(replicas for cluster, replicas in placed.items() if cluster in inside)
            case Outside():
                lost = self.scope.clusters
                return sum(replicas for cluster, replicas in placed.items() if cluster not in lost)
            case Groups():
                return len(self.scope.used(placed))
            case _:
                assert_never(self.scope)

    def excess(self, placed: Mapping[str, int]) -> int:
        """Return how many there are too many; negative where there are too few, 0 where it is kept."""
        scope = self.scope
        # Most are about one cluster, and there are very many of them.
        count = placed.get(scope, 0) if isinstance(scope, str) else self.count(placed)
        over = count - self.limit
        if over > 0:
            return 0 if self.side is Side.LEAST else over
        if over == 0 or self.side is Side.MOST or self._sleeps(placed):
            return 0
        return over

    def _sleeps(self, placed: Mapping[str, int]) -> bool:
        """Tell whether too little does not count."""
        match self.binds:
            case Binds.ALWAYS:
                return self.side is Side.LEAST and not self.workload.replicas
            case Binds.WHERE_HELD:
                return not self.workload.replicas or not self._held(placed)
            case Binds.WHERE_EMPTY:
                return not self.workload.replicas or self._held(placed)
            case _:
                assert_never(self.binds)

    def _held(self, placed: Mapping[str, int]) -> bool:
        """Tell whether the clusters that it is about hold replicas."""
        match self.scope:
            case str():
                return bool(placed.get(self.scope))
            case Among() | Outside():
                return any(placed.get(cluster) for cluster in self.scope.clusters)
            case Everywhere() | Groups():
                return any(placed.values())
            case _:
                assert_never(self.scope)

    def violation(self, placed: Mapping[str, int]) -> Violation | None:
        """Return what a placement (replicas by cluster) breaks; None where it keeps the requirement."""
        over = self.excess(placed)
        if not over:
            return None
        return Violation(
            self.kind.value,
            _broken(self, self.limit + over),
            abs(over),
            self.source,
            self.workload.key,
            self.cluster,
            self.detail,
            gives_way=over < 0 and self._may_lack(placed),
        )

    def _may_lack(self, placed: Mapping[str, int]) -> bool:
        """Tell whether too little gives way in a partial placement."""
        match self.gives_way:
            case GivesWay.NEVER:
                return False
            case GivesWay.ALWAYS:
                return True
            case GivesWay.WHOLE:
                return not self._held(placed)
            case _:
                assert_never(self.gives_way)

    def statement(self) -> Statement:
        """Return what it asks for, in the user's words."""
        text = _asked(self)
        return Statement(self.kind.value, text, self.source, self.workload.key, self.cluster)


def _broken(one: Requirement, found: int) -> str:
    """Say that a placement with so many replicas, or groups, breaks a requirement."""
    key, scope = one.workload.key, one.scope
    match one.kind:
        case Kind.CANDIDATES:
            keeps = f" and may keep {one.limit}" if one.side is Side.MOST else ""
            return f"{key}: {found} on {scope}, which {one.reason}{keeps}"
        case Kind.TOTAL:
            return f"{key}: {found} of {counted(one.limit, 'replica')} placed"
        case Kind.DUPLICATED if isinstance(scope, str):
            return f"{key}: {scope} holds {counted(found, 'replica')}, a full copy is {one.limit}"
        case Kind.DUPLICATED:
            return f"{key}: no cluster holds a copy"
        case Kind.BOUNDS:
            stands = f"{scope} holds {counted(found, 'replica')}"
        case Kind.GROUP_TOTAL:
            stands = f"{one.detail} holds {counted(found, 'replica')}"
        case Kind.SPREAD:
            stands = f"replicas in {groups_of(found, one.detail)}"
        case Kind.SURVIVAL:
            return f"{key}: losing {one.detail} leaves {found}, {one.limit} are needed"
        case _:
            assert_never(one.kind)
    needed = f"at least {one.limit} are needed" if found < one.limit else f"at most {one.limit} are allowed"
    return f"{key}: {stands}, {needed}"


def _asked(one: Requirement) -> str:
    """Say what a requirement asks for."""
    who, scope, limit = one.workload.policy or one.workload.key, one.scope, one.limit
    match one.kind:
        case Kind.CANDIDATES:
            return f"{scope} {one.reason}{_kept(one) if one.side is Side.MOST else ''}"
        case Kind.TOTAL:
            return f"{one.workload.key} needs {counted(limit, 'replica')}"
        case Kind.DUPLICATED if isinstance(scope, str):
            return f"{who}: {scope} needs a full copy of {counted(limit, 'replica')}"
        case Kind.DUPLICATED:
            copy = f"a full copy of {counted(limit, 'replica')} on at least 1 cluster"
            return f"{who}: {copy}, none on the others"
        case Kind.BOUNDS if one.side is Side.LEAST:
            used = " where it is used at all" if one.binds is Binds.WHERE_HELD else ""
            return f"{who}: {scope} needs at least {limit}{used}"
        case Kind.BOUNDS:
            return f"{who}: {scope} may hold at most {limit}"
        case Kind.GROUP_TOTAL:
            return f"{who}: {one.detail} {_of_set(one)}"
        case Kind.SPREAD:
            most = "least" if one.side is Side.LEAST else "most"
            return f"{who}: replicas in at {most} {groups_of(limit, one.detail)}{_scarce(one)}"
        case Kind.SURVIVAL:
            return f"{who}: {_left(one)}"
        case _:
            assert_never(one.kind)


def _kept(one: Requirement) -> str:
    """Say what a workload keeps on a cluster that takes nothing new."""
    held = counted(one.limit, "replica")
    keeps = f"may keep the {held} it holds there" if one.limit else "holds nothing there"
    return f"; {one.workload.key} {keeps}"


def _of_set(one: Requirement) -> str:
    """Say how many replicas a set holds: exactly, at least or at most."""
    several = one.detail.startswith("the ") and one.detail.endswith("s")
    if one.paired:
        told = f"{'hold' if several else 'holds'} exactly {counted(one.limit, 'replica')}"
    elif one.side is Side.LEAST:
        told = f"{'need' if several else 'needs'} at least {counted(one.limit, 'replica')}"
    else:
        return f"may hold at most {one.limit}"
    empty = one.side is Side.LEAST and isinstance(one.scope, Among) and not one.scope.clusters
    return f"{told}, but no eligible cluster is in it" if empty else told


def _scarce(one: Requirement) -> str:
    """Say which groups have candidates where these are too few; empty where they suffice."""
    if one.side is not Side.LEAST or not isinstance(one.scope, Groups):
        return ""
    present = [group for group, clusters in one.scope.groups.items() if clusters]
    if len(present) >= one.limit:
        return ""
    there = f"only {listed(present)} has" if len(present) == 1 else f"only {listed(present)} have"
    return f"; {there if present else f'no {noun_of(one.scope.field)} has'} eligible clusters"


def _left(one: Requirement) -> str:
    """Say what has to survive the loss of any group."""
    left = f"{counted(one.limit, 'replica')} must survive"
    if not isinstance(one.scope, Outside):
        return left
    noun = noun_of(one.scope.field)
    only = f", and {one.scope.only} is the only {noun}" if one.scope.only else ""
    return f"{left} the loss of any one {noun}{only}"
