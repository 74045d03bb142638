"""A requirement: one side of one rule of a workload as data, with what a placement misses of it, in words.

Every rule that must hold yields its requirements (`fairlead.models.check.required`). What a placement breaks,
what gives way in a partial one, and how both are said, are loops over them. A rule says in its own module
(`fairlead.models.rules`) what it requires and in which words: its `Kind`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple, assert_never

from fairlead.models.data import WorkloadData
from fairlead.models.in_order import numbers_of
from fairlead.models.levels import SHORTFALLS
from fairlead.models.source import Source
from fairlead.models.statement import Statement, Violation
from fairlead.models.words import be

SPREAD, MINIMA, UNPLACED = SHORTFALLS
"""Keys of the levels on which counts what rules are short of in a partial placement."""


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


class Scope:
    """Count over several clusters of a placement: of replicas, or of groups that hold any.

    An abstract class, but not an `ABC`, see `rules.grouped.Grouped`.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def detail(self) -> str:
        """Name of the counted part, to tell it from others: a set of clusters, a field; may be empty."""
        raise NotImplementedError

    @abstractmethod
    def count(self, placed: Mapping[str, int]) -> int:
        """Return how many replicas, or groups, count."""
        raise NotImplementedError

    def held(self, placed: Mapping[str, int]) -> bool:
        """Tell whether the clusters that it is about hold replicas: all, unless it says otherwise."""
        return any(placed.values())

    def shown(self, placed: Mapping[str, int]) -> Scope:
        """Return the part of it that a placement is judged by, where that is not all of it."""
        del placed
        return self


@dataclass(frozen=True, slots=True)
class Everywhere(Scope):
    """All replicas of a workload count."""

    @property
    def detail(self) -> str:
        """There is only one such set, which needs no name."""
        return ""

    def count(self, placed: Mapping[str, int]) -> int:
        """Return all replicas."""
        return sum(numbers_of(placed))


@dataclass(frozen=True, slots=True)
class Among(Scope):
    """The replicas on a set of clusters count."""

    name: str
    """Name of the set, as people call it; may be empty."""
    clusters: frozenset[str]
    """Names of the clusters."""
    several: bool = False
    """Whether the name is a plural."""

    @property
    def detail(self) -> str:
        """The name of the set."""
        return self.name

    def count(self, placed: Mapping[str, int]) -> int:
        """Return the replicas in the set."""
        inside = self.clusters
        return sum(replicas for cluster, replicas in placed.items() if cluster in inside)

    def held(self, placed: Mapping[str, int]) -> bool:
        """Tell whether there are any."""
        return any(placed.get(cluster) for cluster in self.clusters)


@dataclass(frozen=True, slots=True)
class Outside(Scope):
    """The replicas that are left when a set of clusters is lost count."""

    field: str
    group: str
    """Field and name of the group that is lost, such as ``zone`` and ``z1``."""
    clusters: frozenset[str]
    only: str = ""
    """Name of the group that alone has candidates; empty where several have, or none."""

    @property
    def detail(self) -> str:
        """Field and name of the group that is lost, in words: ``zone z1``."""
        return f"{self.field} {self.group}"

    def count(self, placed: Mapping[str, int]) -> int:
        """Return the replicas that are left."""
        lost = self.clusters
        return sum(replicas for cluster, replicas in placed.items() if cluster not in lost)

    def held(self, placed: Mapping[str, int]) -> bool:
        """Tell whether anything would be lost."""
        return any(placed.get(cluster) for cluster in self.clusters)


@dataclass(frozen=True, slots=True)
class Groups(Scope):
    """The groups of clusters that hold at least one replica count."""

    field: str
    """Field of the groups: ``cluster``, ``region``, ``zone``, ``provider`` or the key of a label."""
    groups: Mapping[str, frozenset[str]]
    """Candidates by group; a candidate may be in several (zones)."""

    @property
    def detail(self) -> str:
        """The field."""
        return self.field

    def count(self, placed: Mapping[str, int]) -> int:
        """Return how many groups hold replicas."""
        return len(self.used(placed))

    def used(self, placed: Mapping[str, int]) -> tuple[str, ...]:
        """Return the groups that hold at least one replica, in the order of the groups."""
        holding = {cluster for cluster, replicas in placed.items() if replicas}
        return tuple(group for group, clusters in self.groups.items() if not holding.isdisjoint(clusters))


@dataclass(frozen=True, slots=True)
class Kind:
    """A rule of a workload that must hold: what it is called, and how it is said."""

    name: str
    """Name of the kind, such as ``spread``."""
    asked: Callable[[Requirement], str]
    """Says what a requirement asks for."""
    broken: Callable[[Requirement, int], str]
    """Says that a placement with so many replicas, or groups, breaks a requirement."""
    level: str = ""
    """Key of the level on which counts what is missing, one of `SHORTFALLS`; empty where it never gives
    way."""


class Requirement(NamedTuple):
    """One side of one rule of a workload.

    Where at least so many are asked for, it does not bind a workload that is scaled to 0.
    """

    kind: Kind
    """The rule."""
    side: Side
    """Whether there are to be so many at least, at most or exactly."""
    limit: int
    """Number of replicas, or of groups where these count."""
    scope: str | Scope
    """Part of the placement that is counted; a name stands for the replicas on one cluster."""
    workload: WorkloadData
    """The workload whose replicas count."""
    source: Source | None = None
    """Where the limit was declared."""
    binds: Binds = Binds.ALWAYS
    """Condition under which it counts at all."""
    gives_way: GivesWay = GivesWay.NEVER
    """Whether a partial placement may miss it by holding too little; too much never gives way."""
    reason: str = ""
    """Why a cluster is closed, in the words of `Exclusion.reason`; empty for all other rules."""
    paired: bool = False
    """True where the other side has the same limit, so that both together ask for exactly so many."""

    @property
    def cluster(self) -> str | None:
        """The single cluster that it is about; None where it is about none in particular."""
        return self.scope if isinstance(self.scope, str) else None

    @property
    def detail(self) -> str:
        """Name of the scope, to tell it from others of its kind: a set, a field; empty for one cluster."""
        return "" if isinstance(self.scope, str) else self.scope.detail

    def count(self, placed: Mapping[str, int]) -> int:
        """Return how many replicas, or groups, count in a placement (replicas by cluster)."""
        return placed.get(self.scope, 0) if isinstance(self.scope, str) else self.scope.count(placed)

    def excess(self, placed: Mapping[str, int]) -> int:
        """Return how many there are too many; negative where there are too few, 0 where it is kept."""
        scope = self.scope
        # Most are about one cluster, and there are very many of them.
        over = (placed.get(scope, 0) if isinstance(scope, str) else scope.count(placed)) - self.limit
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
        return bool(placed.get(self.scope)) if isinstance(self.scope, str) else self.scope.held(placed)

    def violation(self, placed: Mapping[str, int]) -> Violation | None:
        """Return the violation by a placement (replicas by cluster); None where it keeps the requirement."""
        over = self.excess(placed)
        if not over:
            return None
        shown = self if isinstance(self.scope, str) else self._replace(scope=self.scope.shown(placed))
        return Violation(
            self.kind.name,
            self.kind.broken(shown, self.limit + over),
            abs(over),
            self.source,
            self.workload.key,
            self.cluster,
            self.detail,
            gives_way=over < 0 and self._may_lack(placed),
            because=self.reason,
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
        """Return the requirement as a statement, in the user's words."""
        text = self.kind.asked(self)
        return Statement(self.kind.name, text, self.source, self.workload.key, self.cluster)

    @property
    def who(self) -> str:
        """Whose rule it is, in words: the policy, or else the workload."""
        return self.workload.policy or self.workload.key

    def differs(self, stands: str, found: int) -> str:
        """Say how many stand where, and how many of them are needed or allowed instead."""
        side, verb = ("least", "needed") if found < self.limit else ("most", "allowed")
        return f"{self.workload.key}: {stands}, at {side} {self.limit} {be(self.limit)} {verb}"
