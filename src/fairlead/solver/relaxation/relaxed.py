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
from fairlead.solver.changes.kinds import ORDER, order
from fairlead.solver.engine import Effort, run
from fairlead.solver.relaxation.relaxable import Lever
from fairlead.solver.relaxation.stock import Stock

FEW = 3
"""Numbers of levers that are tried one by one."""


WIDTH = 3
"""Variables of a lever, which come first among all: steps, cost, on."""


@dataclass(slots=True)
class Pulled:
    """A lever in the model.

    Parameters
    ----------
    lever
        The lever.
    steps
        How far it is pulled, in the steps of its constraints.
    cost
        What that costs.
    on
        1 where it is pulled at all.
    stock
        What it adds to; None where steps are what it costs.
    """

    lever: Lever
    steps: cp_model.IntVar
    cost: cp_model.IntVar
    on: cp_model.IntVar
    stock: Stock | None = None


def support(values: Sequence[int], count: int) -> tuple[int, ...]:
    """Return which of so many levers are pulled by the values of their variables."""
    return tuple(at for at in range(count) if values[WIDTH * at])


def changes_of(
    pulled: Sequence[Pulled], values: Sequence[int], placed: Mapping[Place, int]
) -> tuple[Change, ...]:
    """Return the changes of a solution, in order."""
    found = [
        change
        for at in support(values, len(pulled))
        for change in _changes(pulled[at], values[WIDTH * at], placed)
    ]
    return tuple(sorted((each for each in found if each.amount), key=order))


def _changes(pulled: Pulled, steps: int, placed: Mapping[Place, int]) -> Iterator[Change]:
    """Yield what a lever changes; of the workloads that share a number, the first has the cost."""
    lever = pulled.lever
    by, cost = (steps, steps) if pulled.stock is None else pulled.stock.lacking(placed)
    for at, workload in enumerate(sorted(lever.workloads) or [None]):
        yield lever.change(by, 0 if at else cost, workload)


def lever_order(lever: Lever) -> tuple[int, str, str, str, int]:
    """Return what to sort levers by, see `changes.kinds.order`."""
    return (
        ORDER.index(lever.kind),
        lever.workload or "",
        lever.cluster or "",
        lever.detail,
        lever.direction,
    )


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


def polished(copy: Copy, pulled: Sequence[Pulled], values: Sequence[int]) -> Sequence[int]:
    """Return the values that are chosen among the solutions of one cost.

    Parameters
    ----------
    copy
        A copy of the model, which is changed.
    pulled
        The levers, whose variables are the first ones.
    values
        A solution of the least cost.
    """
    count = len(pulled)
    copy.add([(each.cost, 1) for each in pulled], sum(values[1 : WIDTH * count : WIDTH]))
    levers = [(each.on, 1) for each in pulled]
    for fewer in range(1, min(FEW + 1, len(support(values, count)))):
        # Whether so few are enough is soon known; to minimise their number may take long.
        few = copy.again()
        few.add(levers, fewer)
        found = few.run([], None)
        if found is not None:
            values = found
            break
    copy.add(levers, len(support(values, count)))
    ordered = sorted(range(count), key=lambda at: lever_order(pulled[at].lever))
    kinds = [(pulled[at].on, place) for place, at in enumerate(ordered) if place]
    values = copy.run(kinds, values) or values
    stocks = [at for at in support(values, count) if pulled[at].stock is not None]
    if stocks:
        copy.add([(each.on, 1) for at, each in enumerate(pulled) if not values[WIDTH * at + 2]], 0)
        values = copy.run([(pulled[at].steps, 1) for at in stocks], values) or values
    return values
