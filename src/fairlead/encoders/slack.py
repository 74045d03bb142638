"""Rules that give way: a slack variable for every bound that may be missed, and by how much at most."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ortools.sat.python import cp_model

from fairlead.encoders.costs import Origin

Side = Literal["least", "most"]
"""``least`` for what a constraint asks at least, ``most`` for what it allows at most."""

Giving = Callable[[Origin, Side], int]
"""How far a constraint may be missed on a side, in its own unit; 0 where it must hold."""

# From here on a bound is CP-SAT's word for none.
_ENDLESS = 2**63 - 1


@dataclass(frozen=True, slots=True)
class _ShortfallRow:
    """Amount by which a bound is missed, ``sum a x + b``; not at all where that is negative."""

    variables: tuple[cp_model.IntVar, ...]
    coefficients: tuple[int, ...]
    offset: int

    def missed(self, value_of: Mapping[int, int]) -> int:
        """Return by how much the bound is missed where variables, by index, have these values."""
        pairs = zip(self.variables, self.coefficients, strict=True)
        return max(0, self.offset + sum(factor * value_of[variable.index] for variable, factor in pairs))

    def farthest(self) -> int:
        """Return by how much the bound can be missed at most."""
        worst = self.offset
        for variable, factor in zip(self.variables, self.coefficients, strict=True):
            worst += max(factor * variable.domain.min(), factor * variable.domain.max())
        return max(0, worst)


@dataclass(frozen=True, slots=True, eq=False)
class Slack:
    """The slack variables of a model."""

    model: cp_model.CpModel
    giving: Giving
    """How far each constraint may give way."""
    given: dict[tuple[Origin, Side], cp_model.IntVar] = field(default_factory=dict)
    _rows: dict[tuple[Origin, Side], list[_ShortfallRow]] = field(default_factory=dict)

    def loosen(self, expression: cp_model.BoundedLinearExpression, because: Origin) -> None:
        """Add a linear constraint that may give way.

        ``lower <= e <= upper`` becomes ``lower - e <= s`` and ``e - upper <= t`` with slack s and t of
        at most what is allowed. All constraints of one rule and side share a slack.
        """
        intervals = expression.bounds.flattened_intervals()
        ends: tuple[tuple[Side, int, int], ...] = (("least", -1, intervals[0]), ("most", 1, intervals[-1]))
        ends = tuple(end for end in ends if abs(end[2]) < _ENDLESS)
        if len(intervals) != 2 or not any(self.giving(because, side) > 0 for side, _, _ in ends):
            self.model.add(expression)
            return
        for side, sign, bound in ends:
            coefficients = tuple(sign * factor for factor in expression.coeffs)
            row = _ShortfallRow(tuple(expression.vars), coefficients, sign * (expression.offset - bound))
            slack = self._slack(row, (because, side))
            missed = cp_model.LinearExpr.weighted_sum(row.variables, row.coefficients)
            self.model.add(missed - slack <= -row.offset)

    def values(self, value_of: Mapping[int, int]) -> Iterator[tuple[cp_model.IntVar, int]]:
        """Yield the slack variables with the least values they can have.

        `value_of`: values of all other variables, by index.
        """
        for key, variable in self.given.items():
            yield variable, max(row.missed(value_of) for row in self._rows[key])

    def _slack(self, row: _ShortfallRow, key: tuple[Origin, Side]) -> cp_model.IntVar | int:
        """Return the slack of a row; 0 where the row cannot be missed."""
        widest = min(self.giving(*key), row.farthest())
        if key not in self.given:
            if not widest:
                return 0
            self.given[key] = self.model.new_int_var(0, widest, "")
        elif widest > self.given[key].domain.max():
            self.given[key].with_domain(cp_model.Domain(0, widest))
        self._rows.setdefault(key, []).append(row)
        return self.given[key]
