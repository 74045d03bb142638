"""Cost of a workload on a level by itself, as a bowl of every cluster, less what is saved there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fairlead.models.levels import CLUSTERS, COPIES, DEVIATIONS, MOVES, ROOM, Deviation, Level, tier
from fairlead.models.problem import Problem
from fairlead.models.rules import Copies, Moves, Tiers, Weights, moves
from fairlead.models.score import levels_of_workload
from fairlead.models.workload import Workload
from fairlead.solver.columns.choice import ChoiceSet, Floats, Numbers
from fairlead.solver.exact.costs.pieces import Pieces, bent

if TYPE_CHECKING:
    from fairlead.encoders.scale import Held

SMALL = 2**62
"""Integers below this are counted with in 64 bits."""


@dataclass(frozen=True, slots=True)
class OwnCost:
    """The cost ``constant + sum bend x^2 + slope x + using min(x, 1) - saved min(x, held)`` of a placement.

    Parameters
    ----------
    bend, slope
        By cluster; exactly.
    constant
        Constant beside the sum.
    saved
        Saving by each replica where replicas are held, as many as are.
    held
        How many that are, by cluster.
    using
        Cost of a cluster in use.
    """

    bend: Sequence[Fraction]
    slope: Sequence[Fraction]
    constant: Fraction = Fraction(0)
    saved: Fraction = Fraction(0)
    held: Numbers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    using: Fraction = Fraction(0)
    floats: tuple[Floats, Floats] = field(init=False)

    def __post_init__(self) -> None:
        bend, slope = (np.array([float(each) for each in some]) for some in (self.bend, self.slope))
        object.__setattr__(self, "floats", (bend, slope))

    @classmethod
    def nothing(cls, clusters: int) -> OwnCost:
        """Return the cost of which nothing is known but that it is not below 0."""
        return cls([Fraction(0)] * clusters, [Fraction(0)] * clusters)

    @property
    def counts(self) -> bool:
        """Whether anything is known of the cost."""
        return bool(self.floats[1].any()) or any((self.constant, self.saved, self.using))

    def by_cluster(self, counts: Numbers | Floats) -> Floats:
        """Return about the cost of placements, by cluster, without the constant."""
        bend, slope = self.floats
        found: Floats = (bend * counts + slope) * counts + float(self.using) * np.minimum(counts, 1)
        return found - float(self.saved) * np.minimum(counts, self.held) if self.saved else found

    def about(self, counts: Numbers) -> float:
        """Return about the cost of a placement."""
        return float(self.by_cluster(counts).sum()) + float(self.constant)

    def dearest(self, most: int) -> Floats:
        """Return about the most that the last of so many replicas costs, by cluster."""
        bend, slope = self.floats
        found: Floats = 2 * most * bend + np.abs(slope) + float(self.saved + self.using)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Ratios:
    """Fractions in arrays, such as what workloads cost on a level by cluster.

    Parameters
    ----------
    tops, bottoms
        Numerators and denominators, workloads first: Python's integers where 64 bits are too few.
    greatest
        No numerator is greater, its sign aside.
    """

    tops: NDArray[Any]
    bottoms: NDArray[Any]
    greatest: int

    @classmethod
    def of(cls, some: Sequence[Any]) -> Ratios:
        """Return fractions, or sequences of them, as arrays."""
        found = np.array(some, dtype=object)
        tops, bottoms = (
            np.array([getattr(each, part) for each in found.flat], dtype=object).reshape(found.shape)
            for part in ("numerator", "denominator")
        )
        greatest = max(map(abs, tops.flat), default=0)
        if max([greatest, *bottoms.flat]) < SMALL:
            tops, bottoms = tops.astype(np.int64), bottoms.astype(np.int64)
        return cls(tops, bottoms, greatest)

    def rows(self, at: Sequence[int] | slice) -> Ratios:
        """Return the ratios of some of the workloads."""
        return replace(self, tops=self.tops[at], bottoms=self.bottoms[at])

    def in_steps(self, scale: int) -> NDArray[Any]:
        """Return them in so many whole steps a unit, rounded towards less."""
        small = scale < SMALL and self.greatest * scale < SMALL
        found: NDArray[Any] = (self.tops if small else self.tops.astype(object)) * scale // self.bottoms
        return found


ByLevel = tuple[Ratios, ...]
"""Ratios of every level, in order."""


@dataclass(frozen=True, slots=True, eq=False)
class OwnCosts:
    """Costs of several workloads on several levels, as arrays.

    Parameters
    ----------
    bend, slope
        Of every workload and cluster.
    saved
        Cost of a replica that stays, which is less than nothing, by workload: on one level at most.
    using
        Cost of a cluster in use, by workload.
    constant
        By workload.
    held
        How many replicas save that, by workload and cluster.
    dearest
        About what the last replica costs at most, by level, workload and cluster.
    """

    bend: ByLevel
    slope: ByLevel
    saved: ByLevel
    using: ByLevel
    constant: ByLevel
    held: Numbers
    dearest: Floats

    @classmethod
    def of(cls, costs: Sequence[Sequence[OwnCost]], totals: Sequence[int]) -> OwnCosts:
        """Return the costs of some workloads, each on the same levels; by workload, of so many replicas."""
        levels = list(zip(*costs, strict=True))

        def by_level(some: Callable[[OwnCost], Any]) -> ByLevel:
            return tuple(Ratios.of([some(own) for own in level]) for level in levels)

        held = np.array(
            [next((own.held for own in row if own.saved), [0] * len(row[0].bend)) for row in costs], np.int64
        )
        dearest = [[own.dearest(most) for own, most in zip(level, totals, strict=True)] for level in levels]
        return cls(
            by_level(lambda own: own.bend),
            by_level(lambda own: own.slope),
            by_level(lambda own: -own.saved),
            by_level(lambda own: own.using),
            by_level(lambda own: own.constant),
            held,
            np.array(dearest),
        )

    def rows(self, at: Sequence[int] | slice) -> OwnCosts:
        """Return the costs of some of the workloads."""
        bend, slope, saved, using, constant = (
            tuple(each.rows(at) for each in some)
            for some in (self.bend, self.slope, self.saved, self.using, self.constant)
        )
        return OwnCosts(bend, slope, saved, using, constant, self.held[at], self.dearest[:, at])

    def in_steps(self, scales: Sequence[int]) -> tuple[Pieces, Numbers, Sequence[int]]:
        """Return all levels together in so many whole steps a unit, rounded towards less.

        What a cluster in use costs, and constants, are told apart.
        """
        bend, slope, saved, using, constant = (
            np.sum([each.in_steps(scale) for each, scale in zip(some, scales, strict=True)], axis=0)
            for some in (self.bend, self.slope, self.saved, self.using, self.constant)
        )
        bend, slope, saved, using = (each.astype(np.int64) for each in (bend, slope, saved, using))
        return bent(bend, slope, -saved[:, None], self.held), using, constant.tolist()


def is_own(level: Level) -> bool:
    """Tell whether it may be known of a level what single workloads cost on it."""
    return level.base in (*DEVIATIONS, CLUSTERS, COPIES, ROOM) or level.key in {*MOVES, tier(1).key}


def own_cost(
    workload: Workload, choice: ChoiceSet, problem: Problem, level: Level, held: Held | None = None
) -> OwnCost:
    """Return the cost of a workload on a level, or less; 0 where it is not known.

    Parameters
    ----------
    held
        Replicas of overflow tiers, as far as known.
    """
    found = None
    if level.priority == workload.priority and level.base in levels_of_workload(workload):
        rule = workload.rule(Weights)
        if level.base in DEVIATIONS and problem.deviation is Deviation.WEBSTER and rule is not None:
            found = _webster(workload, rule, choice, held or {})
        elif level.key in MOVES:
            found = _moves(workload, choice)
        elif level.base == CLUSTERS:
            found = replace(OwnCost.nothing(len(choice.names)), using=Fraction(1))
        elif level.base in (COPIES, ROOM):
            found = _copies(workload, choice, level)
        elif level.key == tier(1).key:
            found = _beyond(workload, choice, level.number)
    return found or OwnCost.nothing(len(choice.names))


def _webster(workload: Workload, rule: Weights, choice: ChoiceSet, held: Held) -> OwnCost | None:
    """Return the distance from the quotas, or less where it is open how many replicas a tier holds.

    The sum of (x - q)^2 / q over quotas q = N w / W is the sum of W x^2 / N w - x where there is a weight,
    and of x where there is none, as N is the sum of all x; where copies are more or fewer than N, N less that
    sum is added. The more replicas N may be, the less that is.
    """
    if choice.total != workload.replicas and (rule.tiers or not sum(rule.weights.values())):
        return None
    # Clusters that cannot hold any have their part of the weight all the same.
    tiers = rule.tiers or (frozenset(rule.weights).union(choice.names),)
    known = [most for _, most in held.get(workload.key, ())] or [workload.replicas] * len(tiers)
    bend, slope = [Fraction(0)] * len(choice.names), [Fraction(0)] * len(choice.names)
    for names, most in zip(tiers, known, strict=True):
        inside = [at for at, name in enumerate(choice.names) if name in names]
        room = min(most, workload.replicas, int(choice.most[inside].sum())) if rule.tiers else most
        whole = sum(weight for name, weight in rule.weights.items() if name in names)
        for at in inside if room and whole else ():
            weight = rule.weights.get(choice.names[at], 0)
            bend[at] = Fraction(whole, room * weight) if weight else Fraction(0)
            slope[at] = Fraction(-1 if weight else 1)
    return OwnCost(bend, slope, Fraction(workload.replicas - choice.total))


def _beyond(workload: Workload, choice: ChoiceSet, number: int) -> OwnCost | None:
    """Return the replicas beyond a tier."""
    rule = workload.rule(Tiers)
    if rule is None:
        return None
    inside = frozenset[str]().union(*rule.tiers[:number])
    slope = [Fraction(name not in inside) for name in choice.names]
    return OwnCost([Fraction(0)] * len(slope), slope)


def _copies(workload: Workload, choice: ChoiceSet, level: Level) -> OwnCost | None:
    """Return the missing copies, or the ranks of those that stand, or less where copies may differ in size.

    A copy counts by its replicas, each for its part of the largest that may stand there; one that is saved
    for its part of the smallest.
    """
    rule = workload.rule(Copies)
    if rule is None or not workload.replicas:
        return None
    missing = level.base == COPIES
    sizes = choice.smallest if missing else choice.most
    slope = [Fraction(0)] * len(choice.names)
    for at, (name, size) in enumerate(zip(choice.names, sizes.tolist(), strict=True)):
        if size and name in rule.ranks:
            slope[at] = Fraction(-1 if missing else rule.ranks[name], size)
    return OwnCost([Fraction(0)] * len(slope), slope, Fraction(len(rule.ranks) if missing else 0))


def _moves(workload: Workload, choice: ChoiceSet) -> OwnCost | None:
    """Return the replicas that are stopped where they run: each that stays saves one."""
    rule = workload.rule(Moves)
    if rule is None:
        return None
    held = moves.movable(
        workload, {name: count for name, count in workload.current.items() if name in rule.present}
    )
    gone = sum(held.values()) - moves.unavoidable(workload, held)
    nothing = [Fraction(0)] * len(choice.names)
    return OwnCost(nothing, nothing, Fraction(gone), Fraction(1), choice.counts(held))
