"""A guide for a level of one priority: the same level of lower priorities counts as well, but little.

A level of one priority leaves all other workloads free. Whatever is found for it then leaves little room for
them, and a linear program has no reason to choose. With the guide the level is still what counts, and of what
is about equal there the better is found for those that come after.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fairlead.solver.batch import tuning
from fairlead.solver.batch.arrays import Batch, Flags, Whole, total_of
from fairlead.solver.batch.costs import BatchLevel
from fairlead.solver.batch.model import LevelModel, Prices, model_of, place_prices, rows_of
from fairlead.solver.batch.shapes import Shape, curve_of
from fairlead.solver.running.deadline import Deadline

MOST_OF_A_ROW = 2.0**60
"""Most that capacity may cost a row, in steps."""

Pin = tuple[BatchLevel, int]
"""A level that is settled, and the most that it may cost, in steps."""


@dataclass(frozen=True, slots=True, eq=False)
class Surrogate:
    """Guide by which placements of a level are searched."""

    level: BatchLevel
    pinned: tuple[BatchLevel, ...]
    """The level, and those before it that are pinned."""
    model: LevelModel
    """The level with a little of those after it, and the levels before it pinned."""
    latest: Deadline
    """When a first placement is due, where none is known."""
    counted: float
    """Steps that one unit of the next level counts."""
    followed: bool
    """Whether levels of lower priority wait for time."""
    settled: Flags | None = None
    urgent: Flags | None = None
    """Rows that stay where they are, and those of the level before, which are made whole before all others;
    None where there are none, or no time for that."""
    straight: LevelModel | None = None
    """The guide without the deviation, where the level and those like it are straight: its program is quick,
    and its prices are a start for those of the guide; None for other levels."""


def followers(costs: Sequence[BatchLevel], number: int) -> tuple[BatchLevel, ...]:
    """Return the levels of lower priority that measure the same as a level, right after it."""
    found = []
    for cost in costs[number + 1 :]:
        if cost.level.base != costs[number].level.base:
            break
        found.append(cost)
    return tuple(found)


def guide_of(
    batch: Batch, cost: BatchLevel, after: Sequence[BatchLevel], share: float = tuning.SHARE
) -> BatchLevel:
    """Return a level with a little of the levels after it; what it costs is about right, nothing to claim."""
    shape: Shape = cost.shape
    priorities = np.array([workload.priority for workload in batch.problem.workloads])
    for each in after:
        rows: Flags = priorities == each.level.priority
        shape = _joined(shape, each.shape, rows, share * cost.scale / each.scale)
    return replace(cost, shape=shape, grain=0)


def straight_guide(
    batch: Batch,
    pins: Sequence[Pin],
    cost: BatchLevel,
    after: Sequence[BatchLevel],
    deviations: Sequence[BatchLevel],
    latest: Deadline,
) -> Surrogate:
    """Return by what placements of a straight level are searched that has deviations after it.

    Levels that come before the deviation do not mind where replicas stand, and what is found for them is no
    good start for the deviation where that is in a few heaps. So the deviation counts as well, though little.
    """
    straight = guide_of(batch, cost, after)
    share = tuning.SHARE_OF_DEVIATION * (tuning.SHARE if after else 1.0)
    whole = _with_deviation(batch, straight, share, deviations)
    counted = tuning.SHARE * cost.scale if after else whole.scale
    return Surrogate(
        cost,
        tuple(each for each, _ in pins),
        model_of(batch, whole, pins),
        latest,
        counted,
        bool(after),
        straight=model_of(batch, straight, pins),
    )


def _with_deviation(
    batch: Batch, guide: BatchLevel, share: float, deviations: Sequence[BatchLevel]
) -> BatchLevel:
    """Return a straight guide with a share of the deviations; its unit is that of the first of them."""
    priorities = np.array([workload.priority for workload in batch.problem.workloads])
    shape: Shape | None = None
    for number, each in enumerate(deviations):
        factor = share * tuning.LESS_URGENT**number * guide.scale / each.scale
        rows: Flags = (priorities == each.level.priority) | (shape is None)
        shape = _joined(each.shape if shape is None else shape, each.shape, rows, factor)
    if shape is None:
        return guide
    return replace(guide, shape=shape + guide.shape, scale=max(1, int(share * guide.scale)))


def _joined(first: Shape, second: Shape, rows: Flags, factor: float) -> Shape:
    """Return a shape with the costs of some rows replaced by a multiple of those of another of its kind."""

    def replaced(one: Whole, other: Whole) -> Whole:
        return np.where(rows[:, None], np.rint(other * factor).astype(np.int64), one)

    return Shape(
        replaced(first.least, second.least),
        replaced(first.before, second.before),
        tuple(np.where(rows[:, None], b, a) for a, b in zip(first.starts, second.starts, strict=True)),
        tuple(replaced(a, b) for a, b in zip(first.after, second.after, strict=True)),
        None if first.step is None or second.step is None else replaced(first.step, second.step),
    )


def frozen_at(model: LevelModel, rows: Flags, replicas: Whole, prices: Prices) -> tuple[LevelModel, Prices]:
    """Freeze some rows of a model as they are in a placement; prices lose those of pins that then hold."""
    inside = [np.where(rows[:, None], replicas, each) for each in (model.batch.lower, model.batch.upper)]
    batch = replace(model.batch, lower=inside[0], upper=inside[1])
    pinned = zip(model.pinned, model.pins, strict=True)
    kept = [number for number, (shape, pin) in enumerate(pinned) if can_break(batch, shape, pin)]
    shapes = (model.shapes[0], *(model.pinned[number] for number in kept))
    frozen = replace(
        model,
        batch=batch,
        curve=curve_of(batch, shapes),
        shapes=shapes,
        pin_units=tuple(model.pin_units[number] for number in kept),
        pins=tuple(model.pins[number] for number in kept),
    )
    return frozen, Prices(prices.capacity, prices.pins[kept])


def by_themselves(model: LevelModel, rows: Flags, prices: Prices) -> LevelModel:
    """Return some rows alone, with capacity at a price: what others make of it, as long as there is any."""
    batch, at = model.batch, np.flatnonzero(rows)
    part = rows_of(model, at)
    others = batch.usage(np.where(rows[:, None], 0, batch.lower))
    coupling = replace(batch.coupling, limit=np.maximum(batch.coupling.limit - others, 0))
    alone = replace(part.batch, coupling=coupling)
    # Sums of a row fit 64 bits, however dear a limit is.
    dearest = MOST_OF_A_ROW / max(1, int(alone.totals.max(initial=1)))
    dear = np.rint(np.minimum(place_prices(model, prices, at), dearest)).astype(np.int64)
    shapes = (part.shapes[0] + Shape.straight(dear), *part.pinned)
    return replace(part, batch=alone, curve=curve_of(alone, shapes), shapes=shapes, grain=1)


@dataclass(frozen=True, slots=True, eq=False)
class SurrogateResult:
    """Guide and prices that a guided search leaves to the level after it."""

    guide: Surrogate
    prices: Prices


def after_guide(found: SurrogateResult, pinned: Sequence[BatchLevel], model: LevelModel) -> list[Prices]:
    """Return prices of which some are about right for the level after one that was guided.

    What counted little is all that counts now, and what was the level is a pin, dear as it was before; less
    dear where it leaves much room, and dearer where it leaves hardly any.
    """
    guide = found.guide
    dear = dict(zip(guide.pinned, found.prices.pins.tolist(), strict=True)) | {guide.level: 1.0}
    prices = Prices(found.prices.capacity, np.array([dear.get(each, 0.0) for each in pinned]))
    return [prices * (part * model.unit / guide.counted) for part in tuning.PARTS]


def can_break(batch: Batch, shape: Shape, pin: int) -> bool:
    """Tell whether some division of the rows within their boxes may cost more than a pin allows."""
    # Costs are convex: at one end of a box they are highest.
    return total_of(np.maximum(shape.value(batch.lower), shape.value(batch.upper)).sum(axis=1)) > pin
