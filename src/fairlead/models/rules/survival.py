"""Survival: enough replicas are left when groups of clusters are lost, one or several at once."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import ClassVar, Self

from fairlead.models.cluster import Cluster, groups, groups_of, noun_of
from fairlead.models.data import WorkloadData
from fairlead.models.mistaken import Faults, FleetClusters, PlainRepr, is_count, numbers
from fairlead.models.requirement import (
    SPREAD,
    Among,
    Binds,
    GivesWay,
    Kind,
    Outside,
    Requirement,
    Scope,
    Side,
)
from fairlead.models.rules.numbered import ClustersByGroup, Grouped, Number, joined, left_in
from fairlead.models.source import Source
from fairlead.models.words import be, counted, listed

KIND = "survival"


@dataclass(frozen=True, slots=True, repr=False)
class Loss(PlainRepr):
    """Some groups of one field that are lost at once."""

    field: str
    """Field of the groups that are lost: ``cluster``, ``region``, ``zone``, ``provider`` or the key of a
    label."""
    groups: ClustersByGroup
    """Candidates by group."""
    count: int = 1
    """How many groups are lost at once, at least 1."""
    everywhere: ClustersByGroup = dataclasses.field(default_factory=dict)
    """All clusters by group, candidates or not: what still runs on a closed cluster is lost with its
    group."""

    @property
    def name(self) -> str:
        """Groups that are lost, in words that follow "any one": ``zone``, ``set of 2 zones``."""
        return noun_of(self.field) if self.count == 1 else f"set of {groups_of(self.count, self.field)}"

    @property
    def together(self) -> ClustersByGroup:
        """All clusters that are lost together by group."""
        return joined(self.groups, self.everywhere)

    def opened(self, more: Collection[Cluster]) -> Loss:
        """Return the loss once more clusters are candidates, each in the groups known to be lost with it."""
        names = {cluster.name for cluster in more}
        known = {group: inside & names for group, inside in self.everywhere.items() if inside & names}
        return replace(self, groups=joined(joined(self.groups, known), groups(more, self.field)))

    def without(self, names: AbstractSet[str], *, gone: bool) -> Loss:
        """Return the loss once clusters are closed, which still are lost with their group, or gone."""
        there = left_in(self.everywhere, names) if gone else self.everywhere
        return replace(self, groups=left_in(self.groups, names), everywhere=there)


@dataclass(frozen=True, slots=True)
class Survivors(Scope):
    """The replicas that are left after the worst of several losses at once count."""

    name: str
    """Groups that are lost, in words that follow "any one"."""
    losses: tuple[Loss, ...]
    """Losses at once: of each the worst so many groups of a field."""

    @property
    def detail(self) -> str:
        """Groups that are lost, in words."""
        return self.name

    def choices(self, among: AbstractSet[str]) -> Iterator[tuple[tuple[str, ...], frozenset[str]]]:
        """Yield the losses that may meet some clusters: the groups in words, and the clusters in them.

        Groups that have none of these clusters are left out where others have some: to lose them as well
        changes nothing.
        """
        picks = []
        for loss in self.losses:
            hit = [
                (f"{loss.field} {name}", clusters & among)
                for name, clusters in loss.together.items()
                if not clusters.isdisjoint(among)
            ]
            picks.append(list(combinations(hit, min(loss.count, len(hit)))))
        for picked in product(*picks):
            lost = [each for part in picked for each in part]
            yield tuple(name for name, _ in lost), frozenset[str]().union(*(names for _, names in lost))

    def worst(self, placed: Mapping[str, int]) -> tuple[tuple[str, ...], frozenset[str]]:
        """Return the loss that takes most replicas, the first of several: groups in words, clusters."""
        held = {cluster for cluster, replicas in placed.items() if replicas}
        return max(self.choices(held), key=lambda each: sum(placed[cluster] for cluster in each[1]))

    def count(self, placed: Mapping[str, int]) -> int:
        """Return the replicas that are left after the worst loss."""
        _, lost = self.worst(placed)
        return sum(replicas for cluster, replicas in placed.items() if cluster not in lost)

    def held(self, placed: Mapping[str, int]) -> bool:
        """Tell whether anything would be lost."""
        return any(lost for _, lost in self.choices({name for name, held in placed.items() if held}))

    def shown(self, placed: Mapping[str, int]) -> Scope:
        """Return the worst loss; where nothing is held any one will do."""
        names, lost = self.worst(placed)
        return Among(listed(names, shown=len(names)) or f"any one {self.name}", lost)


@dataclass(frozen=True, slots=True, repr=False)
class Survival(Grouped):
    """Replicas that stand elsewhere are at least so many, whatever groups of clusters are lost.

    Does not bind a workload that is scaled to 0. What one loss leaves is counted for every group; of several
    losses at once the worst counts.
    """

    minimum: int
    """Fewest replicas that are left."""
    source: Source | None = None
    """Where the rule was declared; None where it was not."""
    everywhere: ClustersByGroup = dataclasses.field(default_factory=dict)
    """All clusters by group, candidates or not: what still runs on a closed cluster is lost with its
    group."""
    count: int = 1
    """How many groups are lost at once, at least 1."""
    besides: tuple[Loss, ...] = ()
    """Further losses at the same time; empty where only `field` is lost."""
    percent: int | None = dataclasses.field(default=None, compare=False, repr=False)
    """Percentage of the replicas that `minimum` comes to; None where a number was declared. Left out of
    comparisons."""

    kind: ClassVar[str] = KIND

    @property
    def losses(self) -> tuple[Loss, ...]:
        """Losses at once, that of `field` first."""
        return (Loss(self.field, self.groups, self.count, self.everywhere), *self.besides)

    @property
    def at_once(self) -> bool:
        """Whether several groups are lost at once."""
        return self.count > 1 or bool(self.besides)

    @property
    def name(self) -> str:
        """Groups that may be lost: a field, or words that follow "any one" where several are lost."""
        if not self.at_once:
            return self.field
        first, *others = [loss.name for loss in self.losses]
        return f"{first}{''.join(f' and any one {other}' for other in others)} at once"

    def requirements(self, workload: WorkloadData) -> Iterator[Requirement]:
        """Yield the replicas to be left of every group; without candidates only where it holds something."""
        if not self.minimum:
            return
        if self.at_once:
            if any(loss.together for loss in self.losses):
                binds = Binds.ALWAYS if any(loss.groups for loss in self.losses) else Binds.WHERE_HELD
                yield self._asks(workload, Survivors(self.name, self.losses), binds)
            return
        nothing = frozenset[str]()
        for group in dict.fromkeys([*self.groups, *self.everywhere]):  # the groups of candidates first
            clusters = self.groups.get(group, nothing) | self.everywhere.get(group, nothing)
            binds = Binds.ALWAYS if group in self.groups else Binds.WHERE_HELD
            yield self._left(workload, group, clusters, binds)

    def _left(
        self, workload: WorkloadData, group: str, clusters: frozenset[str], binds: Binds = Binds.ALWAYS
    ) -> Requirement:
        """Return how many replicas have to be left when one group is lost."""
        present = [group for group, clusters in self.groups.items() if clusters]
        scope = Outside(self.field, group, clusters, present[0] if len(present) == 1 else "")
        return self._asks(workload, scope, binds)

    def _asks(self, workload: WorkloadData, scope: Scope, binds: Binds = Binds.ALWAYS) -> Requirement:
        """Return how many replicas have to be left of something."""
        ways = GivesWay.ALWAYS
        return Requirement(_RULE, Side.LEAST, self.minimum, scope, workload, self.source, binds, ways)

    def numbers(self) -> Iterator[Number]:
        """Yield how many have to be left."""
        lost = f"any one {self.name} are" if self.at_once else f"a {self.field} is"
        words = f"what is left when {lost} lost"
        yield Number("minimum", self.minimum, Side.LEAST, KIND, words, 0, self.source)

    def requirement(self, workload: WorkloadData, number: Number) -> Requirement:
        """Return the requirement on the replicas that survive, whatever is lost."""
        del number
        if self.at_once:
            return self._asks(workload, Survivors(self.name, self.losses))
        return self._left(workload, "", frozenset())

    def loosened(self) -> Self | None:
        """Return nothing: all of it is a minimum."""
        return None

    @property
    def wanted(self) -> int:
        """Replicas that are enough: those that have to be left, and as many in every group that is lost."""
        return self.minimum * (1 + sum(loss.count for loss in self.losses))

    def impossible(self, most: int, everywhere: frozenset[str]) -> bool:
        """Tell whether a loss leaves fewer than so many on every cluster."""
        losses = tuple(replace(loss, everywhere={}) for loss in self.losses)
        lost = [clusters for _, clusters in Survivors(self.name, losses).choices(everywhere)]
        return any(self.minimum > most * len(everywhere - each) for each in lost if each)

    def needed(self, minima: int) -> int:
        """Return the replicas that have to be left: one cluster may have to hold all of them."""
        del minima
        return self.minimum

    @property
    def rows(self) -> tuple[str, ...]:
        """A row for every group that may be lost; one for all where several are lost at once."""
        return (self.name,) if self.at_once else tuple(f"{self.field} {group}" for group in self.groups)

    def mistakes(self, known: FleetClusters) -> Faults:
        """Yield the same as of all rules about groups, and losses of no number of groups."""
        if wrong := [loss for loss in self.losses if not is_count(loss.count)]:
            yield from numbers({f"Survival {loss.field}: count": loss.count for loss in wrong})
        else:
            yield from Grouped.mistakes(self, known)

    @property
    def members(self) -> Iterator[tuple[str, frozenset[str]]]:
        """Yield every group that may be lost, with its clusters."""
        for loss in self.losses:
            yield from loss.groups.items()

    def over(self, candidates: Collection[Cluster]) -> Self:
        """Return the rule over other candidates."""
        return self._each(lambda loss: replace(loss, groups=groups(candidates, loss.field)))

    def opened(self, more: Collection[Cluster]) -> Self:
        """Return the rule once more clusters are candidates."""
        return self._each(lambda loss: loss.opened(more))

    def widened(self, closed: Collection[Cluster]) -> Self:
        """Return a rule that knows closed clusters as well, which may hold replicas then."""
        return self._each(
            lambda loss: replace(loss, groups=joined(loss.together, groups(closed, loss.field)))
        )

    def without(self, names: AbstractSet[str], *, gone: bool = False) -> Self:
        """Return the rule once clusters are closed, which still are lost with their group, or gone."""
        return self._each(lambda loss: loss.without(names, gone=gone))

    def _each(self, change: Callable[[Loss], Loss]) -> Self:
        first, *others = [change(loss) for loss in self.losses]
        return replace(self, groups=first.groups, everywhere=first.everywhere, besides=tuple(others))


def part_of(percent: int, replicas: int) -> int:
    """Return how many replicas a percentage comes to, rounded up."""
    return -(-replicas * percent // 100)


def _asked(one: Requirement) -> str:
    left = f"{one.who}: {counted(one.limit, 'replica')} must survive"
    if isinstance(one.scope, Survivors):
        return f"{left} the loss of any one {one.detail}"
    if not isinstance(one.scope, Outside):
        return left
    noun = noun_of(one.scope.field)
    only = f", and {one.scope.only} is the only eligible {noun}" if one.scope.only else ""
    return f"{left} the loss of any one {noun}{only}"


def _broken(one: Requirement, found: int) -> str:
    return f"{one.workload.key}: losing {one.detail} leaves {found}, {one.limit} {be(one.limit)} needed"


_RULE = Kind(KIND, _asked, _broken, SPREAD)
