"""Prices by subgradient ascent: limits that are exceeded become dearer, turn by turn.

Every coordinate takes steps of its own size, as large as its recent excess was steady (D. P. Kingma and
J. Ba, 2015, used here for a concave function without noise); the sizes fall to almost nothing in a number of
turns that is known before. Turns are counted, not timed, so that the same batch gets the same prices.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np

from fairlead.models.errors import InternalError
from fairlead.solver.batch import tuning
from fairlead.solver.batch.arrays import Batch, Floats
from fairlead.solver.batch.costs import FINEST, BatchLevel, nothing
from fairlead.solver.batch.dual.bound import lower_bound
from fairlead.solver.batch.dual.relaxation import EvaluatedPrices, relax
from fairlead.solver.batch.model import LevelModel, Prices, model_of, sample_of
from fairlead.solver.running.deadline import Deadline

T = TypeVar("T", bound=EvaluatedPrices)


@dataclass(frozen=True, slots=True, eq=False)
class Subgradient(Generic[T]):
    """Turns in which a bound rises."""

    model: LevelModel
    """Level whose shared limits get prices."""
    deadline: Deadline
    """When to stop before the last turn."""
    evaluate: Callable[[Prices, T | None], tuple[T, Floats]]
    """Evaluates the bound at prices, where something may be known of prices near them; tells as well by how
    much every shared row is exceeded there."""

    def climb(self, start: Prices, turns: int, share: float) -> T:
        """Raise the bound with a first step of about the right size, which a few short runs find.

        The first one that is tried is a share of what filling a cluster costs; the last run takes all turns.
        """
        best = self.run(start, 1, 0.0, None)
        if not len(_worth(self.model)):
            return best
        first, rising = first_step(self.model, share), False
        for _ in range(tuning.SUBGRADIENT_MOST_PROBES):
            before = best.value
            best = self.run(best.prices, turns // 5, first, best)
            if self.deadline.remaining() <= 0:
                break
            if best.value > before:
                rising = True
                if best.value - before <= tuning.FURTHER * abs(best.value):
                    break
                first *= 3
            elif rising:
                break
            else:
                first /= 4
        # Where no step wins anything nothing that is shared keeps the rows from what is best for each alone.
        return self.run(best.prices, turns, first, best) if rising else best

    def run(self, start: Prices, turns: int, first: float, best: T | None) -> T:
        """Start at prices with steps of a size; return the best that is known, perhaps what was known."""
        steps = PriceAscent.towards(self.model, start, turns, first)
        near = best
        for turn in range(1, turns + 1):
            near, excess = self.evaluate(steps.prices, near)
            if best is None or near.value > best.value:
                best = near
            if self.deadline.remaining() <= 0:
                break
            steps.take(excess, turn)
        if best is None:
            raise InternalError("no turn of an ascent was asked for")
        return best


def climb(model: LevelModel, turns: int, deadline: Deadline, start: Prices | None = None) -> EvaluatedPrices:
    """Raise the bound from prices, or from none, in so many turns once prices have their size."""

    def evaluate(prices: Prices, near: EvaluatedPrices | None) -> tuple[EvaluatedPrices, Floats]:
        found = relax(model, prices, None if near is None else near.rows, tuning.COARSE)
        over = found.usage - model.batch.coupling.limit
        excess = np.concatenate([over, found.pinned - np.array(model.pins, dtype=np.float64)])
        return EvaluatedPrices(prices, found.rows, found.value), excess

    ascent, share = Subgradient(model, deadline, evaluate), tuning.SUBGRADIENT_FIRST_STEP
    stride = len(model.batch.keys) // tuning.SAMPLE
    if stride > 1 and start is None and len(_worth(model)):
        # The prices of a part of the rows, on as small a part of what is shared, are close to those of all.
        sampled = climb(sample_of(model, stride), turns, deadline).prices
        return ascent.run(sampled, turns // 3, first_step(model, share), ascent.run(sampled, 1, 0.0, None))
    return ascent.climb(start or Prices.none(model), turns, share)


def first_step(model: LevelModel, share: float) -> float:
    """Return the first step of the price of a whole cluster: a share of what filling one costs."""
    return share * model.unit * float(model.batch.totals.sum()) / len(model.batch.clusters)


@dataclass(slots=True, eq=False)
class PriceAscent:
    """Prices on their way up."""

    model: LevelModel
    """Level whose shared limits get prices."""
    turns: int
    first: float
    """Number of steps, and size of the first one."""
    worth: Floats
    """Size of every coupling row, then of every pin; see `_worth`."""
    at: Floats
    """Price of the whole of each, at the moment."""
    mean: Floats
    squares: Floats
    """Excess of the last turns on average, as a part of each, and its square."""

    @classmethod
    def towards(cls, model: LevelModel, start: Prices, turns: int, first: float) -> "PriceAscent":
        """Start at prices."""
        worth = _worth(model)
        at = start.joined * worth
        return cls(model, turns, first, worth, at, np.zeros_like(worth), np.zeros_like(worth))

    @property
    def prices(self) -> Prices:
        """The prices at the moment."""
        values, count = self.at / self.worth, len(self.model.batch.coupling.limit)
        return Prices(values[:count], values[count:])

    def take(self, excess: Floats, turn: int) -> None:
        """Raise the prices of what was asked for too much, and lower the others; turns are counted from 1."""
        excess = excess / self.worth
        self.mean = tuning.KEEP * self.mean + (1 - tuning.KEEP) * excess
        self.squares = tuning.KEEP_SQUARES * self.squares + (1 - tuning.KEEP_SQUARES) * excess * excess
        size = self.first * 0.5 ** (tuning.SUBGRADIENT_HALVINGS * turn / self.turns)
        steady = (
            self.mean
            / (1 - tuning.KEEP**turn)
            / (np.sqrt(self.squares / (1 - tuning.KEEP_SQUARES**turn)) + 1e-3)
        )
        self.at = np.maximum(0.0, self.at + size * steady)


def _worth(model: LevelModel) -> Floats:
    """Return the size of every coupling row, so that prices of all rows are of one kind."""
    limits = np.maximum(model.batch.coupling.limit, 1).astype(np.float64)
    # A pin is measured by what the pinned level would cost where every replica cost one unit of it.
    most = max(1.0, float(model.batch.totals.sum()))
    pins = np.maximum(np.abs(np.array(model.pins, dtype=np.float64)), most)
    return np.concatenate([limits, pins])


def refuted(batch: Batch, rows: Sequence[tuple[BatchLevel, int]], deadline: Deadline) -> bool:
    """Tell whether prices prove that no placement keeps capacity and some more rows; False says nothing."""
    model = model_of(batch, replace(nothing(batch), scale=FINEST), rows)
    starts = [Prices(prices, np.zeros(len(rows))) for prices in _one_resource_each(model)]
    if not starts:
        return False
    # Where no price costs anything there is no way up: a resource that all clusters run out of is one.
    start = max(starts, key=lambda prices: relax(model, prices).value)
    found = relax(model, start)
    if found.value > 0:
        return _above_nothing(model, start, found.rows, found.value)
    stride = len(batch.keys) // tuning.SAMPLE
    # Prices that refute a part of very many rows are asked of all of them.
    asked = sample_of(model, stride) if stride > 1 else model
    climbed = climb(asked, tuning.SUBGRADIENT_TURNS, deadline, start)
    found = relax(model, climbed.prices)
    return found.value > 0 and _above_nothing(model, climbed.prices, found.rows, found.value)


def _above_nothing(model: LevelModel, prices: Prices, rows: Floats, value: float) -> bool:
    """Tell whether the exact bound at prices is above 0 as well."""
    factor = tuning.LARGE / value
    return lower_bound(model, prices * factor, rows * factor) > 0


def _one_resource_each(model: LevelModel) -> Iterator[Floats]:
    """Yield, for every resource, prices that are the same everywhere and 0 for all others."""
    coupling, needs = model.batch.coupling, model.batch.needs
    for resource in np.unique(coupling.resource).tolist():
        typical = max(1.0, float(needs[:, resource].mean()))
        yield np.where(coupling.resource == resource, model.unit / typical, 0.0)
