"""Convex functions of the whole numbers, cut into straight segments, and their costs in CP-SAT."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

from ortools.sat.python import cp_model

Term = tuple[cp_model.IntVar, int]


# Exact segments on each side of the centre; beyond them segments become longer and only underestimate.
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
    """

    marginal: Callable[[int], int]
    """Cost of the step from k to k + 1; never falls as k grows."""
    closed: Callable[[int], int]
    """The function itself. It has to be known by a formula: there may be billions of steps."""
    anchor: int = 0
    """Argument at which the function is 0."""

    def __call__(self, at: int) -> int:
        """Return the value at a whole number."""
        return self.closed(at)


def proportional(step: int) -> ConvexFunction:
    """Return so many steps for each replica."""
    return ConvexFunction(marginal=lambda _: step, closed=lambda x: step * x)


def missing_up_to(least: int) -> ConvexFunction:
    """Return by how much a number is below another."""
    return ConvexFunction(
        marginal=lambda k: -1 if k < least else 0, anchor=least, closed=lambda x: max(0, least - x)
    )


@dataclass(frozen=True, slots=True)
class SegmentCover:
    """Segments from a lower to an upper bound, in order, with slopes that rise."""

    segments: tuple[Segment, ...]
    """The segments; none where the bounds are equal."""
    first: int
    """Value at the lower bound."""
    gap: int
    """Most by which the segments are below the function; 0 where they are the function itself."""

    def __call__(self, at: int) -> int:
        """Return the value of the segments at a whole number within the bounds."""
        return self.first + sum(
            slope * (min(at, end) - start) for start, end, slope in self.segments if at > start
        )


def cover(function: ConvexFunction, lower: int, upper: int, centre: int) -> SegmentCover:
    """Cut a function into segments: exact ones near the centre, coarse ones that underestimate far from it.

    A segment of the integer hull joins ``(k, g(k))`` and ``(k + 1, g(k + 1))``; neighbours of one slope are
    merged. Of those that are far away some are made longer, up to where they meet.

    `centre`: where the argument is expected to be; moved into the bounds.
    """
    centre = max(lower, min(upper, centre))
    left = _outward(lambda step: function(centre - step), centre - lower)
    right = _outward(lambda step: function(centre + step), upper - centre)
    downward = [Segment(centre - end, centre - start, -slope) for start, end, slope in reversed(left)]
    upward = [Segment(centre + start, centre + end, slope) for start, end, slope in right]
    if downward and upward and downward[-1].slope == upward[0].slope:
        upward[0] = Segment(downward.pop().start, upward[0].end, upward[0].slope)
    segments, first = (*downward, *upward), function(lower)
    risen = accumulate((each.end - each.start) * each.slope for each in segments)
    gaps = (function(each.end) - first - cost for each, cost in zip(segments, risen, strict=True))
    return SegmentCover(segments, first, max(gaps, default=0))


def _outward(value: Callable[[int], int], length: int) -> list[Segment]:
    """Cut the steps 0 to length - 1 away from the centre; they rise more and more."""

    def rise(step: int) -> int:
        return value(step + 1) - value(step)

    found: list[Segment] = []
    start = 0
    while start < length and len(found) < WINDOW:
        end = _end_of_run(rise, start, length)
        found.append(Segment(start, end, rise(start)))
        start = end
    line, width = start, 2
    while line < length - 1:
        other = min(line + width, length - 1)
        flat, steep = rise(line), rise(other)
        if flat < steep:
            meet = (value(line) - flat * line - value(other) + steep * other) // (steep - flat)
            # Between two whole numbers where lines meet a short segment joins them.
            short = value(other) - value(line) - steep * (other - meet - 1) - flat * (meet - line)
            found += [Segment(start, meet, flat)] if meet > start else []
            found += [Segment(meet, meet + 1, short)] if short < steep else []
            start = meet + (short < steep)
        line, width = other, 2 * width
    return [*found, Segment(start, length, rise(line))] if start < length else found


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


@dataclass(slots=True, eq=False)
class ConvexCost:
    """The cost ``g(x)`` of one variable: its segments, made when first needed, and exact lines added later.

    With segments ``[start_j, end_j]`` of slope ``s_j`` from the lower to the upper bound of x::

        x = lower + sum u_j,   0 <= u_j <= end_j - start_j,   cost = first + sum s_j u_j + z,   z >= 0

    Slopes rise, so wherever cost counts the cheap segments fill up first. Where all segments are exact there
    is no z. Where one segment is enough, the cost is a multiple of x itself and there is no u. Coarse
    segments underestimate; then, for every k that `refine` comes to,
    ``cost >= g(k) + (g(k+1) - g(k)) (x - k)``.
    """

    model: cp_model.CpModel
    variable: cp_model.IntVar
    """The variable x."""
    function: ConvexFunction
    """The cost g."""
    bounds: tuple[int, int]
    centre: int
    """Value at which x is expected; segments are exact around it."""
    switch: cp_model.IntVar | None = None
    """A literal that is 1 wherever x is positive; None where there is none."""
    _cover: SegmentCover | None = field(default=None, init=False)
    _parts: list[cp_model.IntVar] = field(default_factory=list, init=False)
    _excess: cp_model.IntVar | None = field(default=None, init=False)
    _lines: set[int] = field(default_factory=set, init=False)

    def terms(self) -> tuple[list[Term], int]:
        """Return variables and coefficients, and a number: together they add up to the cost."""
        segments = self._segments()
        if not segments.segments:
            return [], segments.first
        if not self._parts:
            only = segments.segments[0]
            found = [(self.variable, only.slope)] if only.slope else []
            offset = segments.first - only.slope * only.start
        else:
            pairs = zip(self._parts, segments.segments, strict=True)
            found = [(part, segment.slope) for part, segment in pairs if segment.slope]
            offset = segments.first
        return ([*found, (self._excess, 1)] if self._excess is not None else found), offset

    def refine(self, at: int) -> bool:
        """Add the exact lines around a whole number; tell whether the cost there was underestimated."""
        lines = (self.function(k) + self.function.marginal(k) * (at - k) for k in self._lines)
        if self._excess is None or max([self._segments()(at), *lines]) >= self.function(at):
            return False
        terms, offset = self.terms()
        for k in (at - 1, at):
            if self.bounds[0] <= k < self.bounds[1]:
                # The cost stays above the line through (k, g(k)) and (k + 1, g(k + 1)).
                self._lines.add(k)
                variables, factors = zip(*terms, (self.variable, -self.function.marginal(k)), strict=True)
                line = cp_model.LinearExpr.weighted_sum(variables, factors)
                self.model.add(line >= self.function(k) - self.function.marginal(k) * k - offset)
        return True

    def values(self, at: int) -> Iterator[Term]:
        """Yield the auxiliary variables with their values where x has the given value."""
        if self._cover is None:
            return
        for part, segment in zip(self._parts, self._cover.segments, strict=False):
            yield part, max(0, min(at, segment.end) - segment.start)
        if self._excess is not None:
            yield self._excess, self.function(at) - self._cover(at)

    def _segments(self) -> SegmentCover:
        """Return the segments; the first call adds them to the model."""
        if self._cover is None:
            lower, upper = self.bounds
            self._cover = cover(self.function, lower, upper, self.centre)
            if len(self._cover.segments) > 1:
                widths = [end - start for start, end, _ in self._cover.segments]
                self._parts = [self.model.new_int_var(0, width, "") for width in widths]
                signs = [1] + [-1] * len(self._parts)
                filled = cp_model.LinearExpr.weighted_sum([self.variable, *self._parts], signs)
                self.model.add(filled == lower)
                if self.switch is not None and not lower:
                    # Implied, but it lets the relaxation see what it costs to leave a cluster out.
                    for part, width in zip(self._parts, widths, strict=True):
                        self.model.add(part <= width * self.switch)
            if self._cover.gap:
                self._excess = self.model.new_int_var(0, self._cover.gap, "")
        return self._cover
