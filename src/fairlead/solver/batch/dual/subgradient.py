"""Prices by ascent: what is asked for too much becomes dearer, turn by turn.

Every coordinate takes steps of its own size, as large as its recent excess was steady (D. P. Kingma and
J. Ba, 2015, used here for a concave function without noise); the sizes fall to almost nothing in a number of
turns that is known before. Turns are counted, not timed, so that the same batch gets the same prices.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

import numpy as np

from fairlead.solver.batch.arrays import Batch, Floats
from fairlead.solver.batch.costs import FINEST, LevelCost, nothing
from fairlead.solver.batch.dual.bound import lower_bound
from fairlead.solver.batch.dual.relaxation import Relaxed, relax
from fairlead.solver.batch.model import Model, Prices, model_of, sample_of
from fairlead.solver.batch.tuning import (
    FURTHER,
    KEEP,
    KEEP_SQUARES,
    LARGE,
    SAMPLE,
    SUBGRADIENT_COARSE,
    SUBGRADIENT_FIRST_STEP,
    SUBGRADIENT_HALVINGS,
    SUBGRADIENT_MOST_PROBES,
    SUBGRADIENT_TURNS,
)
from fairlead.solver.deadline import Deadline


class HasValue(Protocol):
    """What is known of a bound."""

    @property
    def value(self) -> float:
        """The bound, in steps, as a float."""
        ...


T = TypeVar("T", bound=HasValue)


@dataclass(frozen=True, slots=True, eq=False)
class Climbed:
    """The best prices that were found.

    Parameters
    ----------
    prices
        Of capacity and pins.
    rows
        Of the rows' totals.
    value
        The bound there, in steps, as a float.
    """

    prices: Prices
    rows: Floats
    value: float


def climb(model: Model, turns: int, deadline: Deadline, start: Prices | None = None) -> Climbed:
    """Raise the bound.

    Parameters
    ----------
    model
        What is minimised.
    turns
        How often all rows are divided once prices have their size; before that it takes a part of as many.
    deadline
        When to stop before that.
    start
        Prices to start from; None for none.
    """
    stride = len(model.batch.keys) // SAMPLE
    if stride > 1 and start is None and len(_worth(model)):
        # The prices of a part of the rows, on as small a part of what is shared, are close to those of all.
        sampled = climb(sample_of(model, stride), turns, deadline).prices
        found = _Ascent(model, deadline).run(sampled, 1, 0.0, None)
        return _Ascent(model, deadline).run(sampled, turns // 3, _first_step(model), found)
    first = _first_step(model)
    best = _Ascent(model, deadline).run(start or Prices.none(model), 1, 0.0, None)
    if not len(_worth(model)):
        return best

    def run(known: Climbed, many: int, step: float) -> Climbed:
        return _Ascent(model, deadline).run(known.prices, many, step, known)

    return with_probed_step(best, first, turns, deadline, run)


def with_probed_step(
    best: T, first: float, turns: int, deadline: Deadline, run: Callable[[T, int, float], T]
) -> T:
    """Raise a bound with a first step of about the right size, which a few short runs find.

    Parameters
    ----------
    best
        What is known.
    first
        A first step that may be too large or too small.
    turns
        Turns of the last run.
    deadline
        When to stop before that.
    run
        Makes some turns with a first step, from the best known; returns the best, perhaps the same.
    """
    rising = False
    for _ in range(SUBGRADIENT_MOST_PROBES):
        before = best.value
        best = run(best, turns // 5, first)
        if deadline.remaining() <= 0:
            break
        if best.value > before:
            rising = True
            if best.value - before <= FURTHER * abs(best.value):
                break
            first *= 3
        elif rising:
            break
        else:
            first /= 4
    # Where no step wins anything nothing that is shared keeps the rows from what is best for each alone.
    return run(best, turns, first) if rising else best


def _first_step(model: Model) -> float:
    """Return the first step of the price of a whole cluster."""
    return SUBGRADIENT_FIRST_STEP * model.unit * float(model.batch.totals.sum()) / len(model.batch.clusters)


@dataclass(slots=True, eq=False)
class _Ascent:
    """One run of turns."""

    model: Model
    deadline: Deadline

    def run(self, start: Prices, turns: int, first: float, best: Climbed | None) -> Climbed:
        """Start at prices with steps of a size; return the best prices, perhaps those that were known."""
        model = self.model
        steps = Steps.towards(model, start, turns, first)
        rows = None if best is None else best.rows
        for turn in range(1, turns + 1):
            prices = steps.prices
            found = relax(model, prices, rows, SUBGRADIENT_COARSE)
            rows = found.rows
            if best is None or found.value > best.value:
                best = Climbed(prices, rows, found.value)
            if self.deadline.remaining() <= 0:
                break
            steps.take(_excess(model, found), turn)
        if best is None:
            raise ValueError("no turn was asked for")
        return best


@dataclass(slots=True, eq=False)
class Steps:
    """Prices on their way up.

    Parameters
    ----------
    model
        What is shared.
    turns, first
        How many steps there are, and how large the first one is.
    worth
        The size of every coupling row and pin; see `_worth`.
    at
        What each of them is worth at the moment.
    mean, squares
        What was asked for too much in the last turns, and its squares.
    """

    model: Model
    turns: int
    first: float
    worth: Floats
    at: Floats
    mean: Floats
    squares: Floats

    @classmethod
    def towards(cls, model: Model, start: Prices, turns: int, first: float) -> "Steps":
        """Start at prices."""
        worth = _worth(model)
        at = np.concatenate([start.capacity, start.pins]) * worth
        return cls(model, turns, first, worth, at, np.zeros_like(worth), np.zeros_like(worth))

    @property
    def prices(self) -> Prices:
        """The prices at the moment."""
        values, count = self.at / self.worth, len(self.model.batch.coupling.limit)
        return Prices(values[:count], values[count:])

    def take(self, excess: Floats, turn: int) -> None:
        """Raise the prices of what was asked for too much, and lower the others; turns are counted from 1."""
        excess = excess / self.worth
        self.mean = KEEP * self.mean + (1 - KEEP) * excess
        self.squares = KEEP_SQUARES * self.squares + (1 - KEEP_SQUARES) * excess * excess
        size = self.first * 0.5 ** (SUBGRADIENT_HALVINGS * turn / self.turns)
        steady = self.mean / (1 - KEEP**turn) / (np.sqrt(self.squares / (1 - KEEP_SQUARES**turn)) + 1e-3)
        self.at = np.maximum(0.0, self.at + size * steady)


def _worth(model: Model) -> Floats:
    """Return the size of every coupling row, so that prices of all rows are of one kind."""
    limits = np.maximum(model.batch.coupling.limit, 1).astype(np.float64)
    # A pin is measured by what the pinned level would cost where every replica cost one unit of it.
    most = max(1.0, float(model.batch.totals.sum()))
    pins = np.maximum(np.abs(np.array(model.pins, dtype=np.float64)), most)
    return np.concatenate([limits, pins])


def _excess(model: Model, found: Relaxed) -> Floats:
    """Return by how much every coupling row is exceeded."""
    over = found.usage - model.batch.coupling.limit
    return np.concatenate([over, found.pinned - np.array(model.pins, dtype=np.float64)])


def refuted(batch: Batch, rows: Sequence[tuple[LevelCost, int]], deadline: Deadline) -> bool:
    """Tell whether prices prove that a batch has no placement; False says nothing.

    Parameters
    ----------
    batch
        The batch.
    rows
        What every placement has to keep beside capacity, such as budgets.
    deadline
        When to stop.
    """
    model = model_of(batch, replace(nothing(batch), scale=FINEST), rows)
    starts = [Prices(prices, np.zeros(len(rows))) for prices in _one_resource_each(model)]
    if not starts:
        return False
    # Where no price costs anything there is no way up: a resource that all clusters run out of is one.
    start = max(starts, key=lambda prices: relax(model, prices).value)
    found = relax(model, start)
    if found.value > 0:
        return _above_nothing(model, start, found.rows, found.value)
    climbed = climb(model, SUBGRADIENT_TURNS, deadline, start)
    return climbed.value > 0 and _above_nothing(model, climbed.prices, climbed.rows, climbed.value)


def _above_nothing(model: Model, prices: Prices, rows: Floats, value: float) -> bool:
    """Tell whether the exact bound at prices is above 0 as well."""
    factor = LARGE / value
    larger = Prices(prices.capacity * factor, prices.pins * factor)
    return lower_bound(model, larger, rows * factor) > 0


def _one_resource_each(model: Model) -> Iterator[Floats]:
    """Yield, for every resource, prices that are the same everywhere and 0 for all others."""
    coupling, needs = model.batch.coupling, model.batch.needs
    for resource in np.unique(coupling.resource).tolist():
        typical = max(1.0, float(needs[:, resource].mean()))
        yield np.where(coupling.resource == resource, model.unit / typical, 0.0)
