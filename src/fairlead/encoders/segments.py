"""Convex functions of the whole numbers, cut into straight segments. Pure; knows no solver."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

# Exact segments on each side of the centre; beyond them segments double in length and only underestimate.
WINDOW = 6


class Segment(NamedTuple):
    """Whole numbers from start to end over which the cost rises by slope a step."""

    start: int
    end: int
    slope: int


@dataclass(frozen=True, slots=True)
class ConvexFunction:
    """A convex function of the whole numbers with whole values.

    ``g(anchor) = 0`` and ``g(k + 1) - g(k) = marginal(k)``.

    Parameters
    ----------
    marginal
        Cost of the step from k to k + 1; never falls as k grows.
    closed
        The function itself. It has to be known by a formula: there may be billions of steps.
    anchor
        Where the function is 0.
    """

    marginal: Callable[[int], int]
    closed: Callable[[int], int]
    anchor: int = 0

    def __call__(self, at: int) -> int:
        """Return the value at a whole number."""
        return self.closed(at)


@dataclass(frozen=True, slots=True)
class Cover:
    """Segments from a lower to an upper bound, in order, with slopes that rise.

    Parameters
    ----------
    segments
        The segments; none where the bounds are equal.
    first
        Value at the lower bound.
    exact
        True where the segments are the function itself; False where some of them underestimate it.
    """

    segments: tuple[Segment, ...]
    first: int
    exact: bool

    def __call__(self, at: int) -> int:
        """Return the value of the segments at a whole number within the bounds."""
        return self.first + sum(
            slope * (min(at, end) - start) for start, end, slope in self.segments if at > start
        )


def cover(function: ConvexFunction, lower: int, upper: int, centre: int) -> Cover:
    """Cut a function into segments: exact ones near the centre, coarse ones that underestimate far from it.

    A segment of the integer hull joins ``(k, g(k))`` and ``(k + 1, g(k + 1))``; neighbours of one slope are
    merged. A coarse segment takes the slope of its step nearest to the centre, which is the flattest.

    Parameters
    ----------
    function
        What is cut.
    lower, upper
        Bounds of its argument.
    centre
        Where the argument is expected to be; moved into the bounds.
    """
    centre = max(lower, min(upper, centre))
    left, left_exact = _outward(lambda step: function.marginal(centre - 1 - step), centre - lower)
    right, right_exact = _outward(lambda step: function.marginal(centre + step), upper - centre)
    downward = [Segment(centre - end, centre - start, slope) for start, end, slope in reversed(left)]
    upward = [Segment(centre + start, centre + end, slope) for start, end, slope in right]
    if downward and upward and downward[-1].slope == upward[0].slope:
        upward[0] = Segment(downward.pop().start, upward[0].end, upward[0].slope)
    first = function(centre) - sum((end - start) * slope for start, end, slope in downward)
    if upward and upward[0].start < centre:
        first -= (centre - upward[0].start) * upward[0].slope
    return Cover((*downward, *upward), first, left_exact and right_exact)


def _outward(marginal: Callable[[int], int], length: int) -> tuple[list[Segment], bool]:
    """Cut the steps 0 to length - 1 away from the centre; tell whether every segment is exact."""
    found: list[Segment] = []
    start = 0
    while start < length and len(found) < WINDOW:
        end = _end_of_run(marginal, start, length)
        found.append(Segment(start, end, marginal(start)))
        start = end
    exact = start == length
    found.extend(_coarse(marginal, start, length))
    return found, exact


def _coarse(marginal: Callable[[int], int], start: int, length: int) -> Iterator[Segment]:
    """Yield segments that double in length, each with the slope of its first step."""
    width = 2
    while start < length:
        end = min(length, start + width)
        yield Segment(start, end, marginal(start))
        start, width = end, 2 * width


def _end_of_run(marginal: Callable[[int], int], start: int, length: int) -> int:
    """Return where the steps stop costing the same as the step at start (they are in order)."""
    slope = marginal(start)
    inside, width = start, 1
    while inside + width < length and marginal(inside + width) == slope:
        inside += width
        width *= 2
    outside = min(length, inside + width)
    while outside - inside > 1:
        middle = (inside + outside) // 2
        if marginal(middle) == slope:
            inside = middle
        else:
            outside = middle
    return inside + 1
