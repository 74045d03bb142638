"""The model of a level at prices: every workload by itself, and the least that all must cost.

Take a price for every coupling row (capacity of a cluster, and the pins of levels that are settled) and one
for every workload's total. Then each unit of each place stands for itself: it is taken where its cost and
prices together are below 0. The sum is a bound whatever the prices (J. P. Evans and H. Everett, 1963), and in
whole numbers it is exact.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from fairlead.models.usage import Row
from fairlead.solver.batch import tuning
from fairlead.solver.batch.arrays import Batch, Floats, Whole, total_of
from fairlead.solver.batch.costs import BatchLevel
from fairlead.solver.batch.shapes import Curve, Shape, curve_of

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class LevelModel:
    """A level to be minimised, with the levels before it pinned.

    Parameters
    ----------
    curve, shapes
        Costs in pieces, and whole: first of the level itself, then of the pinned ones.
    unit, pin_units
        Steps in one unit of the level, and of every pinned level.
    grain
        Every cost of the level is a multiple of so many steps.
    pins
        Most that each pinned level may cost, in its steps.
    threads
        How many threads divide rows; answers do not depend on it.
    """

    batch: Batch
    curve: Curve
    shapes: tuple[Shape, ...]
    unit: float
    grain: int
    pin_units: tuple[float, ...] = ()
    pins: tuple[int, ...] = ()
    threads: int = 1

    @property
    def pinned(self) -> tuple[Shape, ...]:
        """The costs of the pinned levels."""
        return self.shapes[1:]

    def steps(self, replicas: Whole, number: int = 0) -> int:
        """Return the cost of a placement on the level, or a pinned one after it, in steps of that."""
        return total_of(self.shapes[number].value(replicas).sum(axis=1))

    def beyond(self, replicas: Whole) -> tuple[Whole, list[int]]:
        """Return by how much a placement breaks capacity, by coupling row, and the pins."""
        capacity: Whole = np.maximum(self.batch.usage(replicas) - self.batch.coupling.limit, 0)
        return capacity, [max(0, self.steps(replicas, each) - pin) for each, pin in enumerate(self.pins, 1)]

    def keeps(self, replicas: Whole) -> bool:
        """Tell whether a placement keeps capacity and pins."""
        if bool(np.any(self.batch.usage(replicas) > self.batch.coupling.limit)):
            return False
        return all(self.steps(replicas, number) <= pin for number, pin in enumerate(self.pins, 1))


def model_of(batch: Batch, level: BatchLevel, pinned: Sequence[tuple[BatchLevel, int]] = ()) -> LevelModel:
    """Return a level with what is pinned before it."""
    shapes = (level.shape, *(cost.shape for cost, _ in pinned))
    return LevelModel(
        batch,
        curve_of(batch, shapes),
        shapes,
        float(level.scale),
        max(1, level.grain),
        tuple(float(cost.scale) for cost, _ in pinned),
        tuple(pin for _, pin in pinned),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Prices:
    """Prices in steps of the level, none below 0."""

    capacity: Floats
    """Price of one unit of resource, by coupling row."""
    pins: Floats
    """Price of one step of each pinned level."""

    @classmethod
    def none(cls, model: LevelModel) -> "Prices":
        """Return that nothing has a price."""
        return cls(np.zeros(len(model.batch.coupling.limit)), np.zeros(len(model.pins)))

    @classmethod
    def of(cls, model: LevelModel, worth: Mapping[Row, float]) -> "Prices":
        """Return prices of one unit of each resource on a cluster, given in units of the level."""
        rows = zip(model.batch.coupling.names, model.batch.sizes.tolist(), strict=True)
        asked = [worth.get(row, 0.0) * unit * model.unit for row, unit in rows]
        return cls(np.array(asked, dtype=np.float64), np.zeros(len(model.pins)))

    def worth(self, model: LevelModel) -> dict[Row, float]:
        """Return the same of every cluster and resource, in units of the level."""
        priced = self.capacity / (model.batch.sizes * model.unit)
        return dict(zip(model.batch.coupling.names, priced.tolist(), strict=True))

    def __mul__(self, factor: float) -> "Prices":
        """Return prices that are several times as high, or a part."""
        return Prices(self.capacity * factor, self.pins * factor)

    @property
    def joined(self) -> Floats:
        """The prices of capacity, then those of pins."""
        return np.concatenate([self.capacity, self.pins])


def chunks(count: int) -> Iterator[slice]:
    """Cut rows into chunks of fixed size."""
    for start in range(0, count, tuning.ROWS):
        yield slice(start, min(count, start + tuning.ROWS))


def in_chunks(model: LevelModel, do: Callable[[slice], T]) -> list[T]:
    """Do something for every chunk of rows, perhaps in several threads; results are in order of the rows."""
    parts = list(chunks(len(model.batch.keys)))
    threads = min(model.threads, len(parts))
    if threads <= 1 or len(parts) < tuning.WORTH_THREADS:
        return [do(rows) for rows in parts]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(do, parts))


def place_prices(model: LevelModel, prices: Prices, rows: slice | Whole) -> Floats:
    """Return the price of capacity for one replica, by row and column."""
    batch = model.batch
    table = np.zeros((batch.needs.shape[1], len(batch.clusters)))
    table[batch.coupling.resource, batch.coupling.column] = prices.capacity
    found: Floats = batch.needs[rows].astype(np.float64) @ table
    return found


def rows_of(model: LevelModel, rows: slice | Whole) -> LevelModel:
    """Return some rows of a model; all that is shared is still there."""
    batch, curve = model.batch, model.curve
    part = replace(
        batch,
        keys=tuple(batch.keys[row] for row in np.arange(len(batch.keys))[rows].tolist()),
        lower=batch.lower[rows],
        upper=batch.upper[rows],
        totals=batch.totals[rows],
        needs=batch.needs[rows],
    )
    shapes = tuple(shape.of_rows(rows) for shape in model.shapes)
    return replace(model, batch=part, curve=curve.of_rows(rows), shapes=shapes)


def sample_of(model: LevelModel, stride: int) -> LevelModel:
    """Return every so manieth row of a model, with as small a part of what is shared.

    Prices of capacity are per unit and those of pins per step, so that they mean the same in both.
    """
    batch = model.batch
    rows = slice(stride // 2, None, stride)
    cut = rows_of(model, rows)
    part = len(cut.batch.totals) / len(batch.totals)
    # What the sampled rows ask for, as a part of what all ask for, is told by resource.
    asked = batch.needs.T.astype(np.float64) @ batch.totals
    sampled = cut.batch.needs.T.astype(np.float64) @ cut.batch.totals
    parts = (sampled / np.maximum(asked, 1.0))[batch.coupling.resource]
    coupling = replace(batch.coupling, limit=(batch.coupling.limit * parts).astype(np.int64))
    pins = tuple(int(pin * part) for pin in model.pins)
    return replace(cut, batch=replace(cut.batch, coupling=coupling), pins=pins)
