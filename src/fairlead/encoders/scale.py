"""Whole steps for the deviation: the least common denominator, or as fine as whole numbers allow."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from fairlead.models.errors import UnsupportedError
from fairlead.models.levels import Deviation
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import MovePrice, Weights
from fairlead.models.workload import Workload

if TYPE_CHECKING:
    from fairlead.encoders.encoding import Encoding

# No sum of costs in whole steps exceeds this, so that all of CP-SAT's sums stay inside 64 bits.
LARGEST = 2**60
# Where steps are not exact anyway, finer ones than this only slow the linear relaxation down.
FINEST = 2**36


@dataclass(frozen=True, slots=True)
class Scale:
    """Whole steps in one unit of the deviation.

    Parameters
    ----------
    steps
        Steps in one.
    exact
        True where every cost is a whole number of steps.
    """

    steps: int = 1
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Division:
    """What a workload's quotas come from.

    Parameters
    ----------
    replicas
        N: replicas of the workload, at least 1.
    weights
        w: weights by cluster, all positive.
    whole
        W: sum of the weights.
    """

    replicas: int
    weights: Mapping[str, int]
    whole: int


def divisions_of(rule: Weights, workload: Workload, settled: Placement | None) -> tuple[Division, ...]:
    """Return what the quotas come from: one division, or one for every overflow tier that holds replicas.

    Nothing is measured without replicas or positive weights, nor before it is settled what tiers hold.
    """
    if not rule.tiers:
        return tuple(_division(rule.weights, workload.replicas))
    placed = settled.of(workload.key) if settled is not None else {}
    return tuple(
        division
        for tier in rule.tiers
        for division in _division(
            {cluster: weight for cluster, weight in rule.weights.items() if cluster in tier},
            sum(replicas for cluster, replicas in placed.items() if cluster in tier),
        )
    )


def _division(weights: Mapping[str, int], replicas: int) -> Iterator[Division]:
    """Yield the division of some replicas; none where there is nothing to measure."""
    positive = {cluster: weight for cluster, weight in sorted(weights.items()) if weight > 0}
    if positive and replicas:
        yield Division(replicas, positive, sum(positive.values()))


def scale_of(encoding: Encoding) -> Scale:
    """Return the steps in which the deviation of all workloads of a problem is measured."""
    problem = encoding.problem
    divisions = list(_divisions(problem, encoding.settled))
    if not divisions:
        return Scale()
    greatest = sum(_greatest(division, problem.deviation) for division in divisions)
    if greatest > LARGEST:
        raise UnsupportedError(_immeasurable(divisions, problem.deviation))
    most = LARGEST // max(1, greatest)
    steps = 1
    wanted = {d for division in divisions for d in _denominators(division, problem.deviation)}
    priced = (rule for workload in problem.workloads for rule in workload.rules_of(MovePrice))
    for denominator in sorted(wanted | {rule.price.denominator for rule in priced}):
        steps = math.lcm(steps, denominator)
        if steps > most:
            return Scale(max(1, min(most, FINEST)), exact=False)
    return Scale(steps)


def _immeasurable(divisions: list[Division], deviation: Deviation) -> str:
    """Say that weights differ too much to be measured, where they do most."""
    worst = max(divisions, key=lambda division: _greatest(division, deviation))
    least, most = min(worst.weights.values()), max(worst.weights.values())
    return (
        f"weights between {least} and {most} for {worst.replicas} replicas differ too much to be measured by "
        f"{deviation} in 64 bits, where workloads share clusters; use weights that differ less"
    )


def _divisions(problem: Problem, settled: Placement | None) -> Iterator[Division]:
    """Yield the divisions of all workloads that are measured."""
    for workload in problem.workloads:
        for rule in workload.rules_of(Weights):
            yield from divisions_of(rule, workload, settled)


def _denominators(division: Division, deviation: Deviation) -> Iterator[int]:
    """Yield what a number of steps must be divisible by for whole costs."""
    replicas, whole = division.replicas, division.whole
    for weight in set(division.weights.values()):
        match deviation:
            case Deviation.WEBSTER:
                yield Fraction(whole, replicas * weight).denominator
            case Deviation.L1:
                yield Fraction(replicas * weight, whole).denominator
            case Deviation.MINIMAX:
                yield Fraction(whole, replicas * weight).denominator


def _greatest(division: Division, deviation: Deviation) -> int:
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
