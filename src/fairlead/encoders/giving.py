"""Rules that give way: a slack variable for every bound that may be missed, and by how much at most."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from ortools.sat.python import cp_model

from fairlead.encoders.costs import Because

Side = Literal["least", "most"]
"""``least`` for what a constraint asks at least, ``most`` for what it allows at most."""

Giving = Callable[[Because, Side], int]
"""How far a constraint may be missed on a side, in its own unit; 0 where it must hold."""

# CP-SAT's words for "no bound".
_LOWEST, _HIGHEST = -(2**63), 2**63 - 1


@dataclass(frozen=True, slots=True)
class _Row:
    """A linear expression ``sum a x + b`` with one bound: at least that, or at most."""

    variables: tuple[cp_model.IntVar, ...]
    coefficients: tuple[int, ...]
    offset: int
    bound: int
    side: Side

    def missed(self, value_of: Mapping[int, int]) -> int:
        """Return by how much the bound is missed where variables, by index, have these values."""
        pairs = zip(self.variables, self.coefficients, strict=True)
        reached = self.offset + sum(factor * value_of[variable.index] for variable, factor in pairs)
        return max(0, self._sign * (self.bound - reached))

    def farthest(self) -> int:
        """Return by how much the bound can be missed at most."""
        worst = self.offset
        for variable, factor in zip(self.variables, self.coefficients, strict=True):
            ends = (factor * variable.domain.min(), factor * variable.domain.max())
            worst += min(ends) if self.side == "least" else max(ends)
        return max(0, self._sign * (self.bound - worst))

    @property
    def _sign(self) -> int:
        return 1 if self.side == "least" else -1


class Slack:
    """The slack variables of a model.

    Parameters
    ----------
    giving
        How far each constraint may give way.
    """

    def __init__(self, model: cp_model.CpModel, giving: Giving) -> None:
        self.given: dict[tuple[Because, Side], cp_model.IntVar] = {}
        self._model = model
        self._giving = giving
        self._rows: dict[tuple[Because, Side], list[_Row]] = {}
        self._widest: dict[tuple[Because, Side], int] = {}

    def gives(self, because: Because, side: Side) -> int:
        """Return how far a constraint may be missed on a side."""
        return self._giving(because, side)

    def loosen(
        self, expression: cp_model.BoundedLinearExpression, because: Because
    ) -> Iterator[cp_model.Constraint]:
        """Add a linear constraint that may give way; yield what was added.

        ``lower <= e <= upper`` becomes ``e + s >= lower`` and ``e - t <= upper`` with slack s and t of
        at most what is allowed. All constraints of one rule and side share a slack.
        """
        intervals = expression.bounds.flattened_intervals()
        lower, upper = intervals[0], intervals[-1]
        loose = [side for side in _bounded(lower, upper) if self._giving(because, side) > 0]
        if not loose or len(intervals) != 2:
            yield self._model.add(expression)
            return
        variables, coefficients = tuple(expression.vars), tuple(expression.coeffs)
        for side in _bounded(lower, upper):
            bound = lower if side == "least" else upper
            row = _Row(variables, coefficients, expression.offset, bound, side)
            slack = self._slack(row, because) if side in loose else None
            yield self._add(row, slack)

    def values(self, value_of: Mapping[int, int]) -> Iterator[tuple[cp_model.IntVar, int]]:
        """Yield the slack variables with the least values they can have.

        `value_of`: values of all other variables, by index.
        """
        for key, variable in self.given.items():
            yield variable, max(row.missed(value_of) for row in self._rows[key])

    def _slack(self, row: _Row, because: Because) -> cp_model.IntVar | None:
        """Return the slack of a row; None where the row cannot be missed."""
        key = (because, row.side)
        widest = min(self._giving(because, row.side), row.farthest())
        if key not in self.given:
            if not widest:
                return None
            self.given[key] = self._model.new_int_var(0, widest, "")
            self._widest[key] = widest
        elif widest > self._widest[key]:
            self.given[key].with_domain(cp_model.Domain(0, widest))
            self._widest[key] = widest
        self._rows.setdefault(key, []).append(row)
        return self.given[key]

    def _add(self, row: _Row, slack: cp_model.IntVar | None) -> cp_model.Constraint:
        variables, coefficients = list(row.variables), list(row.coefficients)
        if slack is not None:
            variables.append(slack)
            coefficients.append(1 if row.side == "least" else -1)
        reached = cp_model.LinearExpr.weighted_sum(variables, coefficients)
        least, most = (row.bound, _HIGHEST) if row.side == "least" else (_LOWEST, row.bound)
        return self._model.add_linear_constraint(
            reached,
            least - row.offset if row.side == "least" else least,
            most - row.offset if row.side == "most" else most,
        )


def _bounded(lower: int, upper: int) -> Iterator[Side]:
    """Yield the sides on which there is a bound."""
    if lower > _LOWEST:
        yield "least"
    if upper < _HIGHEST:
        yield "most"
