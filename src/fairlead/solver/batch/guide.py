"""A guide for a level of one priority: the same level of lower priorities counts as well, but little.

A level of one priority leaves all other workloads free. Whatever is found for it then leaves little room for
them, and a linear program has no reason to choose. With the guide the level is still what counts, and of what
is about equal there the better is found for those that come after.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairlead.solver.batch.arrays import Batch, Whole
from fairlead.solver.batch.costs import LevelCost, Shape
from fairlead.solver.batch.relaxation import Model, Prices
from fairlead.solver.deadline import Deadline

# What one unit of a level of lower priority counts, in units of the level.
SHARE = 2.0**-7
# Which parts of a guide's prices are tried for the level after it.
PARTS = (1.0, 0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625)


Pin = tuple[LevelCost, int]
"""A level that is settled, and what it may cost, in steps."""


@dataclass(frozen=True, slots=True, eq=False)
class Guide:
    """By what placements of a level are searched.

    Parameters
    ----------
    model
        The level with a little of those after it, and the levels before it pinned.
    frozen
        The same with the workloads of higher priority frozen where they stand, and nothing pinned for them;
        None where there is no time to search with them.
    latest
        When a first placement is due, where none is known.
    """

    model: Model
    frozen: Model | None
    latest: Deadline


def followers(costs: Sequence[LevelCost], number: int) -> tuple[LevelCost, ...]:
    """Return the levels of lower priority that measure the same as a level, right after it."""
    found = []
    for cost in costs[number + 1 :]:
        if cost.level.base != costs[number].level.base:
            break
        found.append(cost)
    return tuple(found)


def guide_of(batch: Batch, cost: LevelCost, after: Sequence[LevelCost]) -> LevelCost:
    """Return a level with a little of the levels after it; what it costs is about right, nothing to claim."""
    shape: Shape = cost.shape
    priorities = np.array([workload.priority for workload in batch.problem.workloads])
    for each in after:
        rows: NDArray[np.bool_] = priorities == each.level.priority
        shape = _joined(shape, each.shape, rows, SHARE * cost.scale / each.scale)
    return replace(cost, shape=shape, grain=0)


def _joined(first: Any, second: Any, rows: NDArray[np.bool_], factor: float) -> Any:
    """Return a shape with the costs of some rows replaced by a multiple of those of another of its kind."""
    values: dict[str, Any] = {}
    for each in fields(first):
        one, other = getattr(first, each.name), getattr(second, each.name)
        if isinstance(one, np.ndarray):
            scaled = other if each.name == "anchor" else np.rint(other * factor).astype(np.int64)
            values[each.name] = np.where(rows[:, None], scaled, one)
        elif is_dataclass(one):
            values[each.name] = _joined(one, other, rows, factor)
    return replace(first, **values)


def frozen_at(batch: Batch, cost: LevelCost, pinned: Sequence[Pin], best: Whole) -> tuple[Batch, list[Pin]]:
    """Freeze the workloads of higher priority where they stand.

    Parameters
    ----------
    batch
        The batch.
    cost
        The level that is minimised.
    pinned
        What is pinned before it.
    best
        Where they stand.

    Returns
    -------
    tuple
        The batch, and the pins that could still be broken.
    """
    priorities = np.array([workload.priority for workload in batch.problem.workloads])
    rows: NDArray[np.bool_] = priorities > cost.level.priority
    if not rows.any():
        return batch, list(pinned)
    lower, upper = np.where(rows[:, None], best, batch.lower), np.where(rows[:, None], best, batch.upper)
    same = cost.level.base
    left = [
        (each, pin)
        for each, pin in pinned
        if each.level.base != same or each.level.priority <= cost.level.priority
    ]
    return replace(batch, lower=lower, upper=upper), left


def after_guide(found: Prices, guide: Model, model: Model) -> list[Prices]:
    """Return prices of which some are about right for the level after one that was guided.

    What counted little is all that counts now, and what was the level is a pin, dear as it was before; less
    dear where it leaves much room.

    Parameters
    ----------
    found
        Prices of the guide.
    guide
        The level that was guided.
    model
        The level after it: one pin more than the guide.
    """
    tried = []
    for part in PARTS:
        factor = part * model.unit / guide.unit / SHARE
        tried.append(Prices(found.capacity * factor, np.append(found.pins * factor, factor)))
    return tried
