"""Convex costs of one variable in CP-SAT: segments of the integer hull, and exact lines where needed."""

from collections.abc import Iterator

from ortools.sat.python import cp_model

from fairlead.encoders.segments import ConvexFunction, Cover, cover

Term = tuple[cp_model.IntVar, int]


class ConvexCost:
    """The cost ``g(x)`` of one variable: its segments, made when first needed, and exact lines added later.

    With segments ``[start_j, end_j]`` of slope ``s_j`` from the lower to the upper bound of x::

        x = lower + sum u_j,   0 <= u_j <= end_j - start_j,   cost = first + sum s_j u_j + z,   z >= 0

    Slopes rise, so wherever cost counts the cheap segments fill up first. Where all segments are exact there
    is no z. Where one segment is enough, the cost is a multiple of x itself and there is no u. Coarse
    segments underestimate; then, for every k that `refine` comes to,
    ``cost >= g(k) + (g(k+1) - g(k)) (x - k)``.

    Parameters
    ----------
    model
        Where auxiliary variables and constraints are added.
    variable
        The variable x.
    function
        The cost g.
    bounds
        Least and greatest value of x.
    centre
        Where x is expected to be; segments are exact around it.
    switch
        A literal that is 1 wherever x is positive; None where there is none.
    """

    def __init__(
        self,
        model: cp_model.CpModel,
        variable: cp_model.IntVar,
        function: ConvexFunction,
        bounds: tuple[int, int],
        centre: int,
        switch: cp_model.IntVar | None = None,
    ) -> None:
        self.function = function
        self._switch = switch
        self._model = model
        self._variable = variable
        self._bounds = bounds
        self._centre = centre
        self._cover: Cover | None = None
        self._parts: list[cp_model.IntVar] = []
        self._excess: cp_model.IntVar | None = None
        self._lines: set[int] = set()

    def terms(self) -> tuple[list[Term], int]:
        """Return variables and coefficients, and a number: together they add up to the cost."""
        segments = self._segments()
        if not segments.segments:
            return [], segments.first
        if not self._parts:
            only = segments.segments[0]
            found = [(self._variable, only.slope)] if only.slope else []
            offset = segments.first - only.slope * only.start
        else:
            pairs = zip(self._parts, segments.segments, strict=True)
            found = [(part, segment.slope) for part, segment in pairs if segment.slope]
            offset = segments.first
        return ([*found, (self._excess, 1)] if self._excess is not None else found), offset

    def refine(self, at: int) -> bool:
        """Add the exact lines around a whole number; tell whether the cost there was underestimated."""
        if self._excess is None or self._claimed(at) >= self.function(at):
            return False
        for k in (at - 1, at):
            if self._bounds[0] <= k < self._bounds[1]:
                self._keep_above(k)
        return True

    def values(self, at: int) -> Iterator[Term]:
        """Yield the auxiliary variables with their values where x has the given value."""
        if self._cover is None:
            return
        for part, segment in zip(self._parts, self._cover.segments, strict=False):
            yield part, max(0, min(at, segment.end) - segment.start)
        if self._excess is not None:
            yield self._excess, self._claimed(at) - self._cover(at)

    def _segments(self) -> Cover:
        """Return the segments; the first call adds them to the model."""
        if self._cover is None:
            lower, upper = self._bounds
            self._cover = cover(self.function, lower, upper, self._centre)
            if len(self._cover.segments) > 1:
                widths = [end - start for start, end, _ in self._cover.segments]
                self._parts = [self._model.new_int_var(0, width, "") for width in widths]
                signs = [1] + [-1] * len(self._parts)
                filled = cp_model.LinearExpr.weighted_sum([self._variable, *self._parts], signs)
                self._model.add(filled == lower)
                if self._switch is not None and not lower:
                    # Implied, but it lets the relaxation see what it costs to leave a cluster out.
                    for part, width in zip(self._parts, widths, strict=True):
                        self._model.add(part <= width * self._switch)
            if not self._cover.exact:
                # Far from the centre the gap only grows, so it is greatest at one of the ends.
                most = max(self.function(at) - self._cover(at) for at in self._bounds)
                self._excess = self._model.new_int_var(0, most, "")
        return self._cover

    def _claimed(self, at: int) -> int:
        """Return what the model believes the cost at a whole number to be."""
        lines = (self.function(k) + self.function.marginal(k) * (at - k) for k in self._lines)
        return max([self._segments()(at), *lines])

    def _keep_above(self, k: int) -> None:
        """Keep the cost above the line through ``(k, g(k))`` and ``(k + 1, g(k + 1))``."""
        self._lines.add(k)
        slope = self.function.marginal(k)
        terms, offset = self.terms()
        variables = [variable for variable, _ in terms] + [self._variable]
        coefficients = [coefficient for _, coefficient in terms] + [-slope]
        line = cp_model.LinearExpr.weighted_sum(variables, coefficients)
        self._model.add(line >= self.function(k) - slope * k - offset)
