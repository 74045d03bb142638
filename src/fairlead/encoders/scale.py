"""Whole steps for the deviation: the least common denominator, or as fine as whole numbers allow."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from fairlead.models.levels import Deviation
from fairlead.models.problem import Problem
from fairlead.models.rules import Weights
from fairlead.models.workload import Workload

# No sum of costs in whole steps exceeds this, so that all of CP-SAT's sums stay inside 64 bits.
LARGEST = 2**60


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


def division_of(rule: Weights, workload: Workload) -> Division | None:
    """Return what the quotas come from; None where nothing is measured (no replicas, no positive weight)."""
    weights = {cluster: weight for cluster, weight in sorted(rule.weights.items()) if weight > 0}
    whole = sum(weights.values())
    return Division(workload.replicas, weights, whole) if weights and workload.replicas else None


def scale_of(problem: Problem) -> Scale:
    """Return the steps in which the deviation of all workloads of a problem is measured."""
    divisions = list(_divisions(problem))
    if not divisions:
        return Scale()
    most = LARGEST // max(1, sum(_greatest(division, problem.deviation) for division in divisions))
    steps = 1
    for denominator in sorted(
        {d for division in divisions for d in _denominators(division, problem.deviation)}
    ):
        steps = math.lcm(steps, denominator)
        if steps > most:
            return Scale(max(1, most), exact=False)
    return Scale(steps)


def _divisions(problem: Problem) -> Iterator[Division]:
    """Yield the divisions of all workloads that are measured."""
    for workload in problem.workloads:
        rule = workload.rule(Weights)
        division = division_of(rule, workload) if rule else None
        if division is not None:
            yield division


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
