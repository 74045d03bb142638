"""Relaxables of a solution, their cost, and the choice among solutions of one cost.

Of changes that cost the same, the fewest are chosen, of the first kinds, and no more than is needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ortools.sat.python import cp_model

from fairlead.encoders.convex import Term
from fairlead.encoders.encoding import total
from fairlead.models.placement import Placement
from fairlead.models.statement import Change
from fairlead.solver.changes.kinds import order
from fairlead.solver.relaxation.relaxable import Relaxable
from fairlead.solver.relaxation.stock import Stock
from fairlead.solver.running.engine import run
from fairlead.solver.running.search import RunLimits, RunResult

FEW = 3
"""Numbers of relaxables that are tried one by one."""


Values = Mapping[int, int]
"""Values of variables, by their index in the model."""


@dataclass(slots=True)
class RelaxableVariables:
    """Variables of one relaxable in the model."""

    relaxable: Relaxable
    """The relaxable."""
    steps: cp_model.IntVar
    """Number of steps by which it is relaxed."""
    cost: cp_model.IntVar
    """Cost of that, in replicas."""
    on: cp_model.IntVar
    """1 where it is relaxed at all."""
    stock: Stock | None = None
    """Stock that it adds to; None where each step costs 1."""


def by_index(variables: Sequence[cp_model.IntVar], found: RunResult) -> Values | None:
    """Return the values of some variables in a run; None where it found nothing."""
    if found.values is None:
        return None
    return {variable.index: value for variable, value in zip(variables, found.values, strict=True)}


def support(relaxed: Sequence[RelaxableVariables], values: Values) -> tuple[int, ...]:
    """Return the positions of the relaxables that are relaxed."""
    return tuple(at for at, each in enumerate(relaxed) if values[each.steps.index])


def changes_of(
    relaxed: Sequence[RelaxableVariables], values: Values, placement: Placement
) -> tuple[Change, ...]:
    """Return the changes of a solution, in order."""
    found = (
        change
        for at in support(relaxed, values)
        for change in _changes(relaxed[at], values[relaxed[at].steps.index], placement)
    )
    return tuple(sorted((each for each in found if each.amount), key=order))


def _changes(relaxed: RelaxableVariables, steps: int, placement: Placement) -> Iterator[Change]:
    """Yield the changes by a relaxable; of the workloads that share a number, the first has the cost."""
    relaxable = relaxed.relaxable
    by, cost = (steps, steps) if relaxed.stock is None else relaxed.stock.lacking(placement)
    for at, workload in enumerate(sorted(relaxable.workloads) or [None]):
        yield relaxable.change(by, 0 if at else cost, workload)


def polished(
    model: cp_model.CpModel,
    variables: Sequence[cp_model.IntVar],
    relaxed: Sequence[RelaxableVariables],
    values: Values,
    effort: RunLimits,
) -> Values:
    """Return the values that are chosen among the solutions of one cost.

    `model`: a copy of the model, which is changed. `variables`: those whose values are wanted. `values`: a
    solution of the least cost. `effort`: how much each choice may be.
    """

    def least(terms: Sequence[Term], start: Values) -> Values:
        hint = [(each, start[each.index]) for each in variables]
        return by_index(variables, run(model, variables, terms, hint, effort)) or start

    model.add(total(each.cost for each in relaxed) <= sum(values[each.cost.index] for each in relaxed))
    for fewer in range(1, min(FEW + 1, len(support(relaxed, values)))):
        # Whether so few are enough is soon known; to minimise their number may take long.
        few = model.clone()
        few.add(total(each.on for each in relaxed) <= fewer)
        found = by_index(variables, run(few, variables, [], [], effort))
        if found is not None:
            values = found
            break
    model.add(total(each.on for each in relaxed) <= len(support(relaxed, values)))
    changing = [each.relaxable for each in relaxed]
    first = [(order(each.change(1, 0, each.workload)), each.direction) for each in changing]
    ordered = sorted(range(len(relaxed)), key=first.__getitem__)
    values = least([(relaxed[at].on, place) for place, at in enumerate(ordered) if place], values)
    stocks = [at for at in support(relaxed, values) if relaxed[at].stock is not None]
    if stocks:
        model.add(total(each.on for each in relaxed if not values[each.on.index]) <= 0)
        values = least([(relaxed[at].steps, 1) for at in stocks], values)
    return values
