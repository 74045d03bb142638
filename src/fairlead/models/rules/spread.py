"""Spread: how many groups of clusters (regions, zones, ...) a workload has to stand in."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import repeat
from typing import ClassVar, Self

from fairlead.models.cluster import groups_of, noun_of
from fairlead.models.data import WorkloadData
from fairlead.models.requirement import SPREAD, GivesWay, Groups, Kind, Requirement, Side
from fairlead.models.rules.numbered import Grouped, Number
from fairlead.models.source import Source
from fairlead.models.words import listed

KIND = "spread"


@dataclass(frozen=True, slots=True, repr=False)
class Spread(Grouped):
    """The number of groups that hold at least one replica lies between a minimum and a maximum.

    A workload that is scaled to 0 is in no group, whatever the minimum.
    """

    minimum: int = 0
    """Fewest groups."""
    maximum: int | None = None
    """Most groups; None means no limit."""
    source: Source | None = None
    """Where the rule was declared; None where it was not."""

    kind: ClassVar[str] = KIND

    def requirements(self, workload: WorkloadData) -> Iterator[Requirement]:
        """Yield over how many groups a workload has to be spread, and over how many it may be."""
        scope, source, ways = Groups(self.field, self.groups), self.source, GivesWay.ALWAYS
        if self.minimum:
            yield Requirement(_RULE, Side.LEAST, self.minimum, scope, workload, source, gives_way=ways)
        if self.maximum is not None:
            yield Requirement(_RULE, Side.MOST, self.maximum, scope, workload, source)

    def numbers(self) -> Iterator[Number]:
        """Yield the fewest groups and the most."""
        fewest, most = f"the fewest {self.field} groups", f"the most {self.field} groups"
        yield Number("minimum", self.minimum, Side.LEAST, "fewest-groups", fewest, 1, self.source)
        if self.maximum is not None:
            every = len(self.groups)
            yield Number("maximum", self.maximum, Side.MOST, "most-groups", most, every, self.source)

    def loosened(self) -> Self | None:
        """Return the rule without the fewest groups."""
        return replace(self, minimum=0)

    @property
    def wanted(self) -> int:
        """A replica in every group."""
        return self.minimum

    def impossible(self, most: int, everywhere: frozenset[str]) -> bool:
        """Tell whether there are fewer groups."""
        del most, everywhere
        return self.minimum > sum(1 for clusters in self.groups.values() if clusters)

    def only(self, number: Number) -> Self:
        """Return the rule without its other side."""
        return replace(self, maximum=None) if number.side is Side.LEAST else replace(self, minimum=0)


def used_groups(rule: Spread, placed: Mapping[str, int]) -> tuple[str, ...]:
    """Return the groups that hold at least one replica, in the order of the groups."""
    return Groups(rule.field, rule.groups).used(placed)


def _asked(one: Requirement) -> str:
    most = "least" if one.side is Side.LEAST else "most"
    text = f"{one.who}: replicas in at {most} {groups_of(one.limit, one.detail)}"
    if one.side is not Side.LEAST or not isinstance(one.scope, Groups):
        return text
    scarce = eligible(one.limit, one.scope.field, one.scope.groups)
    return f"{text}; {scarce}" if scarce else text


def eligible(wanted: int, field: str, groups: Mapping[str, frozenset[str]]) -> str:
    """Say which groups have candidates where fewer have than are wanted; empty where they suffice."""
    present = [group for group, clusters in groups.items() if clusters]
    if len(present) >= wanted:
        return ""
    are, have = ("is", "has") if len(present) < 2 else ("are", "have")
    noun = noun_of(field)
    there = f"only {listed(present)}" if present else f"no {noun}"
    return f"{there} {are} eligible" if noun == "cluster" else f"{there} {have} eligible clusters"


def _broken(one: Requirement, found: int) -> str:
    return one.differs(f"replicas in {groups_of(found, one.detail)}", found)


_RULE = Kind(KIND, _asked, _broken, SPREAD)


def most_in_groups(rule: Spread, most: Mapping[str, int]) -> int:
    """Return how many replicas stand at most in as many groups as a spread allows.

    `most`: most replicas by candidate. Where some of them are in no group, or in several, all of them count.
    """
    inside = [name for clusters in rule.groups.values() for name in clusters if name in most]
    if len(inside) != len(most) or len(set(inside)) != len(inside):
        return sum(most.values())
    groups = (sum(map(most.get, clusters, repeat(0))) for clusters in rule.groups.values())
    return sum(sorted(groups, reverse=True)[: rule.maximum])
