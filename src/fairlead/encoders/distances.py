"""The distance of replicas from a quota, in whole steps: of clusters, of groups, and of what a tier holds."""

from collections.abc import Iterable
from fractions import Fraction
from math import ceil, floor
from typing import assert_never

from fairlead.encoders.convex import ConvexFunction
from fairlead.encoders.scale import Apportionment, MeasuredSet, StepScale
from fairlead.models.levels import Deviation


def distances_of(
    division: Apportionment, scale: StepScale, deviation: Deviation
) -> dict[str, tuple[ConvexFunction, int]]:
    """Return the distance of every cluster from its quota, less its least value, and that value in steps.

    The sum over all clusters is the deviation, under ``webster`` less the replicas that are divided; under
    ``minimax`` the greatest is.
    """
    found = {}
    for cluster, weight in division.weights.items():
        quota = Fraction(division.replicas * weight, division.whole)
        function, least = distance_from_quota(quota, scale, deviation)
        left_out = scale.steps * quota if deviation is Deviation.WEBSTER else 0
        found[cluster] = function, floor(least - left_out)
    return found


def known_distances(
    every: Iterable[MeasuredSet], scale: StepScale, deviation: Deviation
) -> tuple[dict[str, ConvexFunction], Fraction]:
    """Return the distances of clusters whose quotas are known, and what comes on top of their sum.

    Clusters of overflow tiers of which it is open how much they hold are left out, see `open_tiers`.
    """
    functions: dict[str, ConvexFunction] = {}
    on_top = Fraction(0)
    for division in (each for measured in every if not measured.is_open for each in measured.divisions):
        on_top += division.replicas if deviation is Deviation.WEBSTER else 0
        for cluster, (function, least) in distances_of(division, scale, deviation).items():
            functions[cluster] = function
            on_top += Fraction(least, scale.steps)
    return functions, on_top


def distance_from_quota(
    quota: Fraction, scale: StepScale, deviation: Deviation
) -> tuple[ConvexFunction, Fraction]:
    """Return the distance from a quota less its least value, and that value, in steps.

    `quota`: how many replicas are wanted; positive. `scale`: steps in one unit. `deviation`: the measure of
    the distance of x from the quota q: ``(x - q)^2 / q``, ``|x - q|`` or ``|x - q| / q``.
    """
    match deviation:
        case Deviation.WEBSTER:
            return squared(quota, Fraction(scale.steps), exact=scale.exact)
        case Deviation.L1:
            return _absolute(quota, scale.steps, quota.denominator)
        case Deviation.MINIMAX:
            return _absolute(quota, scale.steps, quota.numerator)
        case _:
            assert_never(deviation)


def _nearest(quota: Fraction) -> int:
    """Return the whole number of replicas nearest to the quota; the lower one of two."""
    return ceil(quota - Fraction(1, 2))


def squared(quota: Fraction, steps: Fraction, *, exact: bool) -> tuple[ConvexFunction, Fraction]:
    """Return ``(x - q)^2 / q`` less its least value, and that value, in steps.

    `quota`: q; positive. `steps`: steps in one unit. `exact`: True where every cost is a whole number of
    steps; otherwise each step is rounded towards 0.
    """
    anchor, square = _nearest(quota), steps.numerator * quota.denominator
    slope, offset = 2 * square, square - 2 * steps.numerator * quota.numerator
    divisor = steps.denominator * quota.numerator

    def marginal(k: int) -> int:
        return _towards_zero(slope * k + offset, divisor)

    def exactly(x: int) -> int:
        return (slope * (x * (x - 1) - anchor * (anchor - 1)) // 2 + offset * (x - anchor)) // divisor

    def rounded(x: int) -> int:
        return sum_of_steps(anchor, x, slope, offset, divisor)

    least = steps * (anchor - quota) ** 2 / quota
    return ConvexFunction(marginal, exactly if exact else rounded, anchor), least


def _absolute(quota: Fraction, steps: int, divisor: int) -> tuple[ConvexFunction, Fraction]:
    """Return ``|W x - N w|`` over a divisor less its least value, and that value; the quota is N w / W."""
    top, whole, anchor = quota.numerator, quota.denominator, _nearest(quota)

    def marginal(k: int) -> int:
        return _towards_zero(steps * (abs(whole * (k + 1) - top) - abs(whole * k - top)), divisor)

    # Only the step over the quota can be shorter than the others, and it is the first one or none.
    def closed(x: int) -> int:
        if x > anchor:
            return marginal(anchor) + (x - anchor - 1) * marginal(anchor + 1)
        return (anchor - x - 1) * marginal(anchor + 1) - marginal(anchor - 1) if x < anchor else 0

    return ConvexFunction(marginal, closed, anchor), Fraction(steps * abs(whole * anchor - top), divisor)


def _towards_zero(numerator: int, denominator: int) -> int:
    return numerator // denominator if numerator >= 0 else -(-numerator // denominator)


def floor_sum(count: int, slope: int, offset: int, divisor: int) -> int:
    """Return ``sum((slope * k + offset) // divisor for k in range(count))``.

    Whole parts of slope and offset add up by formula. What is left counts the points of a grid below a line;
    turned on its side it is a smaller sum of the same kind, as in Euclid's algorithm.

    `slope` and `offset`: not negative; `divisor`: positive.
    """
    found, sign = 0, 1
    while count > 0:
        found += sign * (count * (count - 1) // 2 * (slope // divisor) + count * (offset // divisor))
        slope, offset = slope % divisor, offset % divisor
        # The line reaches this height, rounded down, right after the last term.
        height = (slope * count + offset) // divisor
        if not height:
            break
        # Points below the line: all of the rectangle, less those on its other side.
        found += sign * count * height
        sign = -sign
        count, slope, offset, divisor = height, divisor, divisor - offset + slope - 1, slope
    return found


def sum_of_steps(first: int, last: int, slope: int, offset: int, divisor: int) -> int:
    """Return the sum of ``(slope * k + offset) / divisor``, rounded towards 0 each, from first to last - 1.

    `first` and `last`: where the sum begins and ends; nothing where they are equal, and less than nothing
    where it would have to go back: ``-sum_of_steps(last, first, ...)``. `slope` and `divisor`: positive.
    """
    if last < first:
        return -sum_of_steps(last, first, slope, offset, divisor)
    # From here on steps are positive.
    turn = min(max(-(offset // slope), first), last)
    upward = floor_sum(last - turn, slope, slope * turn + offset, divisor)
    downward = floor_sum(turn - first, slope, -(slope * (turn - 1) + offset), divisor)
    return upward - downward
