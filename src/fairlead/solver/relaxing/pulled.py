"""Levers in a model: how far each is pulled, what that costs, and which changes that makes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ortools.sat.python import cp_model

from fairlead.encoders.variables import Place
from fairlead.models.statement import Change
from fairlead.solver.changes.kinds import ORDER, order
from fairlead.solver.relaxing.lever import Lever
from fairlead.solver.relaxing.stock import Stock

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
    after = lever.before + lever.direction * by
    for at, workload in enumerate(sorted(lever.workloads) or [None]):
        yield Change(
            lever.kind,
            workload,
            lever.cluster,
            lever.detail,
            lever.before,
            after,
            0 if at else cost,
            lever.source,
        )


def lever_order(lever: Lever) -> tuple[int, str, str, str, int]:
    """Return what to sort levers by, see `changes.kinds.order`."""
    return (
        ORDER.index(lever.kind),
        lever.workload or "",
        lever.cluster or "",
        lever.detail,
        lever.direction,
    )
