"""Survival: enough replicas are left when any one region, zone, provider or cluster is lost."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Self

from fairlead.models.requirement import SPREAD, Binds, GivesWay, Kind, Outside, Requirement, Side
from fairlead.models.rules.grouped import Clusters, Grouped, Number, left_in
from fairlead.models.source import Source
from fairlead.models.topology import noun_of
from fairlead.models.words import counted

if TYPE_CHECKING:
    from fairlead.models.statement import Statement
    from fairlead.models.workload import Workload

KIND = "survival"


@dataclass(frozen=True, slots=True)
class Survival(Grouped):
    """Whatever single group of clusters is lost, at least so many replicas stand elsewhere.

    Does not bind a workload that is scaled to 0.

    Parameters
    ----------
    everywhere
        All clusters by group, candidates or not: what still runs on a closed cluster is lost with its group.
    """

    minimum: int
    source: Source | None = None
    everywhere: Clusters = dataclasses.field(default_factory=dict)

    kind: ClassVar[str] = KIND

    def requirements(self, workload: Workload) -> Iterator[Requirement]:
        """Yield what has to be left of every group; without candidates only where it holds something."""
        for group, clusters in self._lost_with().items() if self.minimum else ():
            binds = Binds.ALWAYS if group in self.groups else Binds.WHERE_HELD
            yield self._left(workload, group, clusters, binds)

    def _lost_with(self) -> Clusters:
        """Return all clusters that are lost together by group, the groups of candidates first."""
        names = dict.fromkeys([*self.groups, *self.everywhere])
        nothing = frozenset[str]()
        return {name: self.groups.get(name, nothing) | self.everywhere.get(name, nothing) for name in names}

    def _left(
        self, workload: Workload, group: str, clusters: frozenset[str], binds: Binds = Binds.ALWAYS
    ) -> Requirement:
        """Return how many replicas have to be left when one group is lost."""
        present = [group for group, clusters in self.groups.items() if clusters]
        scope = Outside(self.field, group, clusters, present[0] if len(present) == 1 else "")
        ways = GivesWay.ALWAYS
        return Requirement(_RULE, Side.LEAST, self.minimum, scope, workload, self.source, binds, ways)

    def numbers(self) -> Iterator[Number]:
        """Yield how many have to be left."""
        words = f"what is left when a {self.field} is lost"
        yield Number("minimum", self.minimum, Side.LEAST, KIND, words, 0, self.source)

    def statement(self, number: Number, workload: Workload) -> Statement:
        """Say what has to survive."""
        del number
        return self._left(workload, "", frozenset()).statement()

    def loosened(self) -> Self | None:
        """Return nothing: all of it is a minimum."""
        return None

    @property
    def wanted(self) -> int:
        """As many as are left, and as many that are lost."""
        return 2 * self.minimum

    def impossible(self, most: int, everywhere: frozenset[str]) -> bool:
        """Tell whether a loss leaves fewer than so many on every cluster."""
        return any(self.minimum > most * len(everywhere - lost) for lost in self.groups.values())

    def needed(self, minima: int) -> int:
        """Return what has to be left: one cluster may have to hold all of it."""
        del minima
        return self.minimum

    @property
    def rows(self) -> tuple[str, ...]:
        """A row for every group that may be lost."""
        return tuple(f"{self.field} {group}" for group in self.groups)

    def without(self, names: AbstractSet[str], *, gone: bool = False) -> Self:
        """Return the rule once clusters are closed, which still are lost with their group, or gone."""
        there = left_in(self.everywhere, names) if gone else self.everywhere
        return replace(self, groups=left_in(self.groups, names), everywhere=there)


def _asked(one: Requirement) -> str:
    """Say what has to survive the loss of any group."""
    left = f"{one.who}: {counted(one.limit, 'replica')} must survive"
    if not isinstance(one.scope, Outside):
        return left
    noun = noun_of(one.scope.field)
    only = f", and {one.scope.only} is the only {noun}" if one.scope.only else ""
    return f"{left} the loss of any one {noun}{only}"


def _broken(one: Requirement, found: int) -> str:
    """Say what a loss leaves."""
    return f"{one.workload.key}: losing {one.detail} leaves {found}, {one.limit} are needed"


_RULE = Kind(KIND, _asked, _broken, SPREAD)
