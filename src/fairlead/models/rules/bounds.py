"""Bounds: the fewest and the most replicas of a workload on a cluster."""

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from operator import gt, itemgetter, lt
from typing import ClassVar, NamedTuple, Self

from fairlead.models.data import WorkloadData
from fairlead.models.in_order import WORTH_ARRAYS, Column, Known, anywhere
from fairlead.models.levels import MINIMA as FOR_MINIMA
from fairlead.models.levels import Level, Measured
from fairlead.models.mistaken import Faults, FleetClusters, counts, strangers
from fairlead.models.requirement import MINIMA, Binds, GivesWay, Kind, Requirement, Side
from fairlead.models.rules.numbered import Number, Numbered
from fairlead.models.source import Source
from fairlead.models.words import counted

KIND = "bounds"


class Bound(NamedTuple):
    """A number of replicas and where it was declared."""

    replicas: int
    """The number."""
    source: Source | None = None
    ceiling: int | None = None
    """The most that a higher maximum in its place would allow, because of what nobody can change by itself: a
    cluster that has no weight beside others, or a report of what a cluster can run. None where nothing like
    that holds; the number itself where nobody declared it."""


_REPLICAS = itemgetter(0)


@dataclass(frozen=True, repr=False)
class Bounds(Known, Numbered):
    """Every named candidate holds at least its minimum and at most its maximum.

    Minima do not bind a workload that is scaled to 0.
    """

    minimum: Mapping[str, Bound] = field(default_factory=dict)
    """Fewest replicas by candidate; absent means 0."""
    maximum: Mapping[str, Bound] = field(default_factory=dict)
    """Most replicas by candidate; absent means no limit."""
    where_held: frozenset[str] = frozenset()
    """Candidates whose minimum binds only where they hold replicas at all: those among which the solver
    chooses (spread constraints, Aggregated, most clusters) and those of later overflow tiers."""
    preferred: bool = False
    """True where clusters with a minimum are chosen before all others (KubeAdmiral's ``maxClusters``)."""

    kind: ClassVar[str] = KIND

    @property
    def always(self) -> Mapping[str, Bound]:
        """The minima that bind whether replicas are held or not."""
        held = self.where_held
        return {name: one for name, one in self.minimum.items() if name not in held} if held else self.minimum

    @property
    def where_used(self) -> Mapping[str, Bound]:
        """The minima of more than one replica that bind only where replicas are held: they leave a gap."""
        held = self.where_held
        found = self.minimum.items() if held else ()
        return {name: one for name, one in found if name in held and one.replicas > 1}

    def mistakes(self, known: FleetClusters) -> Faults:
        """Yield clusters that the problem does not have, and what are no numbers of replicas."""
        for side, numbers in (("minimum", minima(self)), ("maximum", maxima(self))):
            yield from strangers(f"Bounds.{side}", numbers.names, known)
            yield from counts(f"Bounds.{side}", numbers)

    def requirements(self, workload: WorkloadData) -> Iterator[Requirement]:
        """Yield every minimum, then every maximum."""
        for cluster, bound in self.minimum.items():
            if bound.replicas:
                yield minimum(self, workload, cluster)
        for cluster in self.maximum:
            yield maximum(self, workload, cluster)

    def numbers(self) -> Iterator[Number]:
        """Yield every minimum, then every maximum; beyond a ceiling a change does not help."""
        for name, (least, source, ceiling) in self.minimum.items():
            end = least if least == ceiling else 0
            words = f"the minimum of {name}"
            yield Number("minimum", least, Side.LEAST, "minimum", words, end, source, name)
        for name, (most, source, ceiling) in self.maximum.items():
            words = f"the maximum of {name}"
            yield Number("maximum", most, Side.MOST, "maximum", words, ceiling, source, name)

    def requirement(self, workload: WorkloadData, number: Number) -> Requirement:
        """Return the requirement of a minimum or a maximum."""
        return (minimum if number.side is Side.LEAST else maximum)(self, workload, number.cluster or "")

    def only(self, number: Number) -> Self:
        """Return one minimum, or one maximum."""
        name = number.cluster or ""
        if number.side is Side.MOST:
            return type(self)(maximum={name: self.maximum[name]})
        return type(self)({name: self.minimum[name]}, where_held=self.where_held & {name})

    def changed(self, number: Number, value: int) -> Self:
        """Return other bounds; a cluster without a weight holds its minimum and no more."""
        name = number.cluster or ""
        most = self.maximum.get(name)
        if number.side is Side.MOST:
            return replace(self, maximum={**self.maximum, name: self.maximum[name]._replace(replicas=value)})
        least = self.minimum[name]
        changed = replace(self, minimum={**self.minimum, name: least._replace(replicas=value)})
        if most is None or most.ceiling != least.replicas:
            return changed
        lower = Bound(min(most.replicas, value), most.source, value)
        return replace(changed, maximum={**self.maximum, name: lower})

    @property
    def wanted(self) -> int:
        """Sum of the minima, in replicas."""
        return sum(bound.replicas for bound in self.minimum.values())

    def needed(self, minima: int) -> int:
        """Return the greatest minimum."""
        del minima
        return max((bound.replicas for bound in self.minimum.values()), default=0)

    def impossible(self, most: int, everywhere: frozenset[str]) -> bool:
        """Tell whether a minimum is more than that."""
        del everywhere
        return any(bound.replicas > most for bound in self.always.values())

    def tight(self, number: Number, workload: WorkloadData, placed: Mapping[str, int]) -> bool:
        """Tell whether a cluster stands at its bound, or holds nothing as it would have to hold more."""
        del workload
        held = placed.get(number.cluster or "", 0)
        empty = number.side is Side.LEAST and not held and number.cluster in self.where_held
        return held == number.value or empty

    def while_closed(self, open_now: AbstractSet[str]) -> Self:
        """Return the bounds with minima that bind closed clusters only where they hold replicas."""
        return replace(self, where_held=self.where_held.union(self.minimum.keys() - open_now))

    def levels(self, workload: WorkloadData) -> tuple[Level, ...]:
        """Return the level on which clusters with a minimum count that hold nothing; none where all may."""
        del workload
        return (FOR_MINIMA,) if self.preferred else ()

    def cost_of(self, measured: Measured) -> int:
        """Return how many clusters with a minimum hold nothing."""
        return passed_over(self, measured.workload, measured.placed)


def in_question(rule: Bounds, workload: WorkloadData, placed: Mapping[str, int]) -> Iterator[Requirement]:
    """Yield the bounds that a placement (replicas by cluster) may break; most are kept at first sight."""
    if rule.minimum and anywhere(gt, minima(rule), placed):
        for cluster, bound in rule.minimum.items():
            if placed.get(cluster, 0) < bound.replicas:
                yield minimum(rule, workload, cluster)
    if rule.maximum and anywhere(lt, maxima(rule), placed):
        for cluster, bound in rule.maximum.items():
            if placed.get(cluster, 0) > bound.replicas:
                yield maximum(rule, workload, cluster)


def minima(rule: Bounds) -> Column:
    """Return the numbers of the minima; kept where they are many."""
    return rule.once(_least) if len(rule.minimum) >= WORTH_ARRAYS else _least(rule)


def maxima(rule: Bounds) -> Column:
    """Return the numbers of the maxima; kept where they are many."""
    return rule.once(_most) if len(rule.maximum) >= WORTH_ARRAYS else _most(rule)


def _least(rule: Bounds) -> Column:
    return Column(tuple(rule.minimum), [*map(_REPLICAS, rule.minimum.values())])


def _most(rule: Bounds) -> Column:
    return Column(tuple(rule.maximum), [*map(_REPLICAS, rule.maximum.values())])


def minimum(rule: Bounds, workload: WorkloadData, cluster: str) -> Requirement:
    """Return how many replicas a cluster needs."""
    bound = rule.minimum[cluster]
    return Requirement(
        _RULE,
        Side.LEAST,
        bound.replicas,
        cluster,
        workload,
        bound.source,
        Binds.WHERE_HELD if cluster in rule.where_held else Binds.ALWAYS,
        GivesWay.ALWAYS,
    )


def maximum(rule: Bounds, workload: WorkloadData, cluster: str) -> Requirement:
    """Return how many replicas a cluster may hold."""
    bound = rule.maximum[cluster]
    return Requirement(_RULE, Side.MOST, bound.replicas, cluster, workload, bound.source)


def _asked(one: Requirement) -> str:
    annotation = one.source.annotation if one.source else ""
    who = f"annotation {annotation} of {one.workload.key}" if annotation else one.who
    if one.side is Side.MOST:
        return f"{who}: {one.scope} may hold at most {one.limit}"
    used = " where it is used at all" if one.binds is Binds.WHERE_HELD else ""
    return f"{who}: {one.scope} needs at least {one.limit}{used}"


def _broken(one: Requirement, found: int) -> str:
    return one.differs(f"{one.scope} holds {counted(found, 'replica')}", found)


_RULE = Kind(KIND, _asked, _broken, MINIMA)


def passed_over(rule: Bounds, workload: WorkloadData, placed: Mapping[str, int]) -> int:
    """Return how many clusters with a minimum hold nothing; none where minima do not bind."""
    if not workload.replicas:
        return 0
    return sum(1 for cluster, bound in rule.minimum.items() if bound.replicas and not placed.get(cluster))
