"""Whole steps for the deviation: the least common denominator, or as fine as whole numbers allow."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, assert_never

from fairlead.models.errors import UnsupportedError
from fairlead.models.levels import Deviation
from fairlead.models.problem import Problem
from fairlead.models.rules import MovePrice, Weights
from fairlead.models.workload import Workload

if TYPE_CHECKING:  # costs in whole steps are known where there is no model
    from fairlead.encoders.variables import Interval

# No sum of costs in whole steps exceeds this, so that all of CP-SAT's sums stay inside 64 bits.
LARGEST = 2**60
# Where steps are not exact anyway, finer ones than this only slow the linear relaxation down.
FINEST = 2**36
# No distance of a tier whose total is open rises by more steps from one replica to the next under minimax,
# where it stands in rows: presolve of CP-SAT (OR-Tools 9.15) calls feasible models infeasible where such
# coefficients pass 2^31; `tests/encoders/test_open_tiers.py` has one.
STEEPEST = 2**28


@dataclass(frozen=True, slots=True)
class StepScale:
    """Whole steps in one unit of the deviation."""

    steps: int = 1
    """Steps in one."""
    exact: bool = True
    """True where every cost is a whole number of steps."""


@dataclass(frozen=True, slots=True)
class Apportionment:
    """Total and weights from which a workload's quotas ``N w / W`` come."""

    replicas: int
    """N: replicas of the workload, at least 1."""
    weights: Mapping[str, int]
    """w: weights by cluster, all positive."""
    whole: int
    """W: sum of the weights."""


Held = Mapping[str, Sequence["Interval"]]
"""Fewest and most replicas that overflow tiers may hold, tier by tier, by workload."""


@dataclass(frozen=True, slots=True)
class MeasuredSet:
    """Clusters that are measured together: all candidates, or an overflow tier."""

    clusters: frozenset[str]
    """Names of the clusters; the replicas that they hold together are divided."""
    weights: Mapping[str, int]
    totals: range
    """Numbers of replicas that they may hold together."""

    @property
    def is_open(self) -> bool:
        """Whether there is a choice of how many replicas are divided."""
        return len(self.totals) > 1

    def division(self, replicas: int) -> Apportionment | None:
        """Return the division of so many replicas; None where nothing is measured."""
        positive = {cluster: weight for cluster, weight in sorted(self.weights.items()) if weight > 0}
        return Apportionment(replicas, positive, sum(positive.values())) if positive and replicas else None

    @property
    def divisions(self) -> tuple[Apportionment, ...]:
        """Divisions of every total of at least 1 replica; empty where no cluster has a weight."""
        found = (self.division(replicas) for replicas in self.totals)
        return tuple(division for division in found if division is not None)


def measured_of(rule: Weights, workload: Workload, held: Held | None) -> tuple[MeasuredSet, ...]:
    """Return the clusters measured together: all candidates, or those of every overflow tier.

    Tiers are not measured as long as it is not known how many replicas they may hold.
    """
    if not rule.tiers:
        only = range(workload.replicas, workload.replicas + 1)
        return (MeasuredSet(frozenset(rule.weights), rule.weights, only),)
    found = []
    for tier, (least, most) in zip(rule.tiers, (held or {}).get(workload.key, ()), strict=False):
        inside = {cluster: weight for cluster, weight in rule.weights.items() if cluster in tier}
        found.append(MeasuredSet(tier, inside, range(least, most + 1)))
    return tuple(found)


def scale_of(problem: Problem, held: Held | None) -> StepScale:
    """Return the steps in which the deviation of all workloads of a problem, and the price of moves, count.

    Raises `UnsupportedError` where sums of them would not stay inside 64 bits.
    """
    measured = [each for _, each in _measured(problem, held)]
    divisions = [division for each in measured for division in each.divisions]
    priced = [(each, rule) for each in problem.workloads for rule in each.rules_of(MovePrice)]
    if not (divisions or priced):
        return StepScale()
    greatest: Fraction | int = sum(_greatest(division, problem.deviation) for division in divisions)
    if greatest > LARGEST:
        raise UnsupportedError(_immeasurable(problem, held))
    greatest += sum(rule.price * sum(each.current.values()) for each, rule in priced)
    if greatest > LARGEST:
        raise UnsupportedError(_overpriced(priced))
    most = LARGEST
    if problem.deviation is Deviation.MINIMAX:
        most = STEEPEST // max((_steepest(each) for each in measured if each.is_open), default=1)
    denominators = {rule.price.denominator for _, rule in priced}
    denominators |= {d for division in divisions for d in _denominators(division, problem.deviation)}
    return whole_steps(denominators, greatest, most, FINEST)


def whole_steps(
    denominators: Iterable[int], greatest: Fraction | int, most: int = LARGEST, finest: int = LARGEST
) -> StepScale:
    """Return steps that make all costs whole, or as many as there may be.

    `denominators`: what costs are fractions of; `greatest`: no sum of them exceeds it; `most`: how many steps
    there may be in any case; `finest`: how many are enough where costs are rounded anyway.
    """
    steps, most = 1, min(most, LARGEST // max(1, math.ceil(greatest)))
    for denominator in sorted(set(denominators)):
        steps = math.lcm(steps, denominator)
        if steps > most:
            return StepScale(max(1, min(most, finest)), exact=False)
    return StepScale(steps)


def _immeasurable(problem: Problem, held: Held | None) -> str:
    """Say whose weights differ too much to be measured, where they do most."""
    worst, division = max(
        ((workload, division) for workload, each in _measured(problem, held) for division in each.divisions),
        key=lambda found: _greatest(found[1], problem.deviation),
    )
    least, most = min(division.weights.values()), max(division.weights.values())
    return (
        f"{worst.source}: {worst.key}: weights between {least} and {most} for {division.replicas} replicas "
        f"differ too much to be measured by {problem.deviation} in 64 bits, where workloads share clusters; "
        "use weights that differ less"
    )


def _overpriced(priced: Iterable[tuple[Workload, MovePrice]]) -> str:
    """Say whose moves cost too much, where they do most."""
    worst, rule = max(priced, key=lambda found: (found[1].price, found[0].key))
    return (
        f"{worst.key}: {rule.price} as the price of a move is too much to be measured beside the "
        "deviation in 64 bits, where workloads share clusters; let moves come first instead"
    )


def _steepest(measured: MeasuredSet) -> int:
    """Return by how much the greatest distance of a tier may rise from one replica to the next."""
    return max((each.whole // min(each.weights.values()) + 1 for each in measured.divisions), default=1)


def _measured(problem: Problem, held: Held | None) -> Iterator[tuple[Workload, MeasuredSet]]:
    for workload in problem.workloads:
        for rule in workload.rules_of(Weights):
            yield from ((workload, each) for each in measured_of(rule, workload, held))


def _denominators(division: Apportionment, deviation: Deviation) -> Iterator[int]:
    """Yield the numbers by which a number of steps must be divisible for whole costs."""
    replicas, whole = division.replicas, division.whole
    for weight in set(division.weights.values()):
        match deviation:
            case Deviation.WEBSTER | Deviation.MINIMAX:
                yield Fraction(whole, replicas * weight).denominator
            case Deviation.L1:
                yield Fraction(replicas * weight, whole).denominator
            case _:
                assert_never(deviation)


def _greatest(division: Apportionment, deviation: Deviation) -> int:
    """Return a number that no sum of this division's costs exceeds, nor any number on the way to one."""
    replicas, whole = division.replicas, division.whole
    match deviation:
        case Deviation.WEBSTER:
            return sum(whole * replicas // weight + 1 + 2 * replicas for weight in division.weights.values())
        case Deviation.L1:
            return 2 * replicas * len(division.weights)
        case Deviation.MINIMAX:
            # The rows of the encoding multiply the greatest distance, at most W / w for the least weight, by
            # N w for each weight, and replicas by W.
            least, most = min(division.weights.values()), max(division.weights.values())
            return 4 * whole * replicas * (most // least + 1)
