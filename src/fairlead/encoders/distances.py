"""The distance of one cluster from its quota, in whole steps: what `weights` and `move_price` minimise."""

from typing import assert_never

from fairlead.encoders.floor_sums import sum_of_steps
from fairlead.encoders.scale import Division, Scale
from fairlead.encoders.segments import ConvexFunction
from fairlead.models.levels import Deviation


def distance_from_quota(
    division: Division, weight: int, scale: Scale, deviation: Deviation
) -> tuple[ConvexFunction, int]:
    """Return the distance of a cluster's replicas from its quota, less its least value, and that value.

    Parameters
    ----------
    division
        What the quota comes from.
    weight
        Weight of the cluster.
    scale
        Steps in one unit.
    deviation
        The measure. The sum over all clusters of a division is its deviation, under ``webster`` less the
        replicas of the division; under ``minimax`` the greatest is.
    """
    match deviation:
        case Deviation.WEBSTER:
            return _webster(division, weight, scale)
        case Deviation.L1:
            return _absolute(division, weight, scale, division.whole)
        case Deviation.MINIMAX:
            return _absolute(division, weight, scale, division.replicas * weight)
        case _:
            assert_never(deviation)


def _nearest(division: Division, weight: int) -> int:
    """Return the whole number of replicas nearest to the quota; the lower one of two."""
    return -((division.whole - 2 * division.replicas * weight) // (2 * division.whole))


def _webster(division: Division, weight: int, scale: Scale) -> tuple[ConvexFunction, int]:
    """Return ``(W / (N w)) x^2 - 2 x`` less its least value, and that value, in steps."""
    quota = division.replicas * weight
    square, anchor = scale.steps * division.whole, _nearest(division, weight)
    least = (square * anchor * anchor - 2 * scale.steps * quota * anchor) // quota
    slope, offset = 2 * square, square - 2 * scale.steps * quota

    def marginal(k: int) -> int:
        return _towards_zero(slope * k + offset, quota)

    def exactly(x: int) -> int:
        return square * (x * x - anchor * anchor) // quota - 2 * scale.steps * (x - anchor)

    def rounded(x: int) -> int:
        return sum_of_steps(anchor, x, slope, offset, quota)

    return ConvexFunction(marginal, exactly if scale.exact else rounded, anchor), least


def _absolute(division: Division, weight: int, scale: Scale, divisor: int) -> tuple[ConvexFunction, int]:
    """Return ``|W x - N w|`` over a divisor less its least value, and that value, in steps."""
    quota, whole = division.replicas * weight, division.whole
    anchor = _nearest(division, weight)
    least = scale.steps * abs(whole * anchor - quota)

    def marginal(k: int) -> int:
        return _towards_zero(scale.steps * (abs(whole * (k + 1) - quota) - abs(whole * k - quota)), divisor)

    # Only the step over the quota can be shorter than the others, and it is the first one or none.
    def closed(x: int) -> int:
        if x > anchor:
            return marginal(anchor) + (x - anchor - 1) * marginal(anchor + 1)
        return (anchor - x - 1) * marginal(anchor + 1) - marginal(anchor - 1) if x < anchor else 0

    return ConvexFunction(marginal, closed, anchor), least // divisor


def _towards_zero(numerator: int, denominator: int) -> int:
    """Divide and round towards 0."""
    return numerator // denominator if numerator >= 0 else -(-numerator // denominator)
