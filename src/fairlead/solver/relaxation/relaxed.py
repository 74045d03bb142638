"""What a solution relaxes, what that costs, and the choice among solutions of one cost.

Of changes that cost the same, the fewest are chosen, of the first kinds, and no more than is needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ortools.sat.python import cp_model

from fairlead.encoders.convex import Term
from fairlead.encoders.encoding import weighted
from fairlead.encoders.variables import Place
from fairlead.models.statement import Change
from fairlead.solver.changes.kinds import order
from fairlead.solver.relaxation.relaxable import Relaxable
from fairlead.solver.relaxation.stock import Stock
from fairlead.solver.running.effort import Effort
from fairlead.solver.running.engine import run

FEW = 3
"""Numbers of relaxables that are tried one by one."""


WIDTH = 3
"""Variables of a relaxable, which come first among all: steps, cost, on."""


@dataclass(slots=True)
class Relaxed:
    """A relaxable in the model.

    Parameters
    ----------
    relaxable
        The relaxable.
    steps
        How far it is relaxed, in the steps of its constraints.
    cost
        What that costs.
    on
        1 where it is relaxed at all.
    stock
        What it adds to; None where steps are what it costs.
    """

    relaxable: Relaxable
    steps: cp_model.IntVar
    cost: cp_model.IntVar
    on: cp_model.IntVar
    stock: Stock | None = None


def support(values: Sequence[int], count: int) -> tuple[int, ...]:
    """Return which of so many relaxables are relaxed by the values of their variables."""
    return tuple(at for at in range(count) if values[WIDTH * at])


def changes_of(
    relaxed: Sequence[Relaxed], values: Sequence[int], placed: Mapping[Place, int]
) -> tuple[Change, ...]:
    """Return the changes of a solution, in order."""
    found = [
        change
        for at in support(values, len(relaxed))
        for change in _changes(relaxed[at], values[WIDTH * at], placed)
    ]
    return tuple(sorted((each for each in found if each.amount), key=order))


def _changes(relaxed: Relaxed, steps: int, placed: Mapping[Place, int]) -> Iterator[Change]:
    """Yield what a relaxable changes; of the workloads that share a number, the first has the cost."""
    relaxable = relaxed.relaxable
    by, cost = (steps, steps) if relaxed.stock is None else relaxed.stock.lacking(placed)
    for at, workload in enumerate(sorted(relaxable.workloads) or [None]):
        yield relaxable.change(by, 0 if at else cost, workload)


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of the model, to which more may be added; variables are those of the original."""

    model: cp_model.CpModel
    variables: Sequence[cp_model.IntVar]
    effort: Effort

    def again(self) -> Copy:
        """Return a copy of the copy."""
        return Copy(self.model.clone(), self.variables, self.effort)

    def add(self, terms: Sequence[Term], most: int) -> None:
        """Bound a sum from above."""
        if terms:
            self.model.add(weighted([(self._same(each), factor) for each, factor in terms]) <= most)

    def run(self, terms: Sequence[Term], start: Sequence[int] | None) -> Sequence[int] | None:
        """Minimise a sum; return the values of the variables, None where none were found."""
        variables = [self._same(each) for each in self.variables]
        # A variable that stands twice among them has one value.
        pairs = zip(variables, start or (), strict=False)
        hint = {variable.index: (variable, value) for variable, value in pairs}
        cost = [(self._same(each), factor) for each, factor in terms]
        return run(self.model, variables, cost, list(hint.values()), self.effort).values

    def _same(self, variable: cp_model.IntVar) -> cp_model.IntVar:
        """Return the variable of the copy that stands for one of the original."""
        return self.model.get_int_var_from_proto_index(variable.index)


def polished(copy: Copy, relaxed: Sequence[Relaxed], values: Sequence[int]) -> Sequence[int]:
    """Return the values that are chosen among the solutions of one cost.

    Parameters
    ----------
    copy
        A copy of the model, which is changed.
    relaxed
        The relaxables, whose variables are the first ones.
    values
        A solution of the least cost.
    """
    count = len(relaxed)
    copy.add([(each.cost, 1) for each in relaxed], sum(values[1 : WIDTH * count : WIDTH]))
    relaxables = [(each.on, 1) for each in relaxed]
    for fewer in range(1, min(FEW + 1, len(support(values, count)))):
        # Whether so few are enough is soon known; to minimise their number may take long.
        few = copy.again()
        few.add(relaxables, fewer)
        found = few.run([], None)
        if found is not None:
            values = found
            break
    copy.add(relaxables, len(support(values, count)))
    changing = [each.relaxable for each in relaxed]
    first = [(order(each.change(1, 0, each.workload)), each.direction) for each in changing]
    ordered = sorted(range(count), key=first.__getitem__)
    kinds = [(relaxed[at].on, place) for place, at in enumerate(ordered) if place]
    values = copy.run(kinds, values) or values
    stocks = [at for at in support(values, count) if relaxed[at].stock is not None]
    if stocks:
        copy.add([(each.on, 1) for at, each in enumerate(relaxed) if not values[WIDTH * at + 2]], 0)
        values = copy.run([(relaxed[at].steps, 1) for at in stocks], values) or values
    return values
