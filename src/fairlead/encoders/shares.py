"""Shares: hierarchical weights, such as region -> zone -> cluster."""

import math
from collections.abc import Iterator
from fractions import Fraction

from fairlead.encoders.costs import Origin
from fairlead.encoders.distances import distance_from_quota
from fairlead.encoders.encoding import Encoding
from fairlead.encoders.scale import LARGEST, Held, StepScale, whole_steps
from fairlead.encoders.variables import PlaceSet
from fairlead.models.errors import UnsupportedError
from fairlead.models.levels import Deviation, share
from fairlead.models.problem import Problem
from fairlead.models.rules import Shares
from fairlead.models.rules.shares import KIND
from fairlead.models.workload import Workload


def encode(rule: Shares, workload: Workload, encoding: Encoding) -> None:
    """Divide groups as closely to their shares as the other rules allow, depth by depth.

    With y_g the replicas on the clusters of group g and q_g = N share_g, in whole steps of 1 / L::

        webster   minimise  sum (y_g - q_g)^2 / q_g
        l1        minimise  sum |y_g - q_g|

    Raises `UnsupportedError` under ``minimax``, which is not finished for hierarchical weights.
    """
    if encoding.problem.deviation is Deviation.MINIMAX:
        raise UnsupportedError("hierarchical weights cannot be measured by minimax yet; use webster or l1")
    scale = encoding.once(_scale)
    for number, groups in enumerate(rule.depths, start=1):
        costs, start = [], Fraction(0)
        for group in groups:
            quota = group.share * workload.replicas
            if quota:
                function, least = distance_from_quota(quota, scale, encoding.problem.deviation)
                costs.append(encoding.convex_cost(PlaceSet(workload.key, group.clusters), function))
                start += Fraction(math.floor(least), scale.steps)
        because = Origin(KIND, workload.key, None, f"depth {number}")
        encoding.prefer(
            share(number), costs, because=because, constant=start, scale=scale.steps, exact=scale.exact
        )


def _scale(problem: Problem, _held: Held | None) -> StepScale:
    webster = problem.deviation is Deviation.WEBSTER
    denominators, greatest = set[int](), Fraction(0)
    for workload, quota in _quotas(problem):
        # (y - q)^2 / q = y^2 / q - 2 y + q, so these denominators make every step whole.
        denominators |= {quota.denominator, (1 / quota).denominator if webster else 1}
        greatest += Fraction(workload.replicas**2) / quota + quota if webster else workload.replicas
    if greatest > LARGEST:
        raise UnsupportedError(_immeasurable(problem))
    return whole_steps(denominators, greatest)


def _quotas(problem: Problem) -> Iterator[tuple[Workload, Fraction]]:
    """Yield every group that has a quota: its workload and the quota."""
    for workload in problem.workloads:
        for rule in workload.rules_of(Shares):
            for group in (group for depth in rule.depths for group in depth):
                if group.share and workload.replicas:
                    yield workload, group.share * workload.replicas


def _immeasurable(problem: Problem) -> str:
    """Say whose weights differ too much to be measured, where they do most."""
    worst, quota = min(_quotas(problem), key=lambda each: each[1] / each[0].replicas ** 2)
    source = next(rule.source for rule in worst.rules_of(Shares))
    return (
        f"{source or worst.source}: {worst.key}: hierarchical weights give one group {float(quota):.1g} of "
        f"{worst.replicas} replicas; that differs too much from the others to be measured in 64 bits, use "
        "weights that differ less"
    )
