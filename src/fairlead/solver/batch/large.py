"""Very large batches: prices from samples, blends of divisions, and moves in bulk, in time that is linear."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from fairlead.solver.batch.arrays import Whole
from fairlead.solver.batch.ascent import climb
from fairlead.solver.batch.blend import Blend, run
from fairlead.solver.batch.exchange import Exchange
from fairlead.solver.batch.relaxation import Floats, Model, Prices, relax
from fairlead.solver.batch.rows import sample_of
from fairlead.solver.deadline import Deadline

# Rows of the samples on which prices are found first, and how often those are divided.
SAMPLES = ((2000, 60), (5000, 40), (20_000, 15))
# How often all rows are divided before each try to make a placement.
STAGES = (10, 10, 12, 16, 16)
# How far prices go in the first turn of a sample and of all rows, in units of the level for a replica.
SAMPLE_RADIUS = 0.01
FULL_RADIUS = 0.0015
# The same for the shares that a placement is made of, where limits have to be kept.
FIRM_RADIUS = 0.5
# How far from the price of a row moves in bulk look, in units of the level, in turn.
REACHES = (0.005, 0.02, 0.05, 0.1, 0.2, 0.4, 1.0, 2.5, 8.0)
# Passes with one reach, and what breaking a limit is charged, as a multiple of its price.
PASSES = 4
CHARGES = (12.0, 48.0)
# Close enough: what is left to win, as a part of the bound.
CLOSE = 2e-5


@dataclass(frozen=True, slots=True, eq=False)
class Hearer:
    """Hears of what is found.

    Parameters
    ----------
    raised
        Takes prices of what is shared and of the totals; the bound there is evaluated.
    offered
        Takes a placement that may break limits.
    """

    raised: Callable[[Prices, Floats], None]
    offered: Callable[[Whole], bool]


@dataclass(slots=True, eq=False)
class Large:
    """A search in a very large batch."""

    model: Model
    deadline: Deadline
    hearer: Hearer
    best: float = field(default=np.inf)
    bound: float = field(default=-np.inf)

    def search(self, near: Prices | None = None) -> None:
        """Find prices on samples, then on all rows, and a placement after every few turns."""
        blend = Blend.start(self.model, self._sampled(near))
        radius = FULL_RADIUS
        for turns in STAGES:
            before = blend.value
            radius = run(blend, turns, radius, self.deadline)
            self._place(blend)
            if self.best - self.bound <= CLOSE * abs(self.bound) or self.deadline.remaining() <= 0:
                return
            if blend.value - before <= CLOSE / 10 * abs(before) and np.isfinite(self.best):
                return

    def _sampled(self, near: Prices | None) -> Prices:
        """Return prices that are good for samples of the rows."""
        prices = near
        for rows, turns in SAMPLES:
            stride = len(self.model.batch.keys) // rows
            if stride < 2:
                break
            part = sample_of(self.model, stride)
            if prices is None:
                prices = climb(part, turns, self.deadline).prices
            else:
                blend = Blend.start(part, prices)
                run(blend, turns, SAMPLE_RADIUS, self.deadline)
                prices = blend.prices
        return Prices.none(self.model) if prices is None else prices

    def _place(self, blend: Blend) -> None:
        """Evaluate the bound, and lead the blend back to what is allowed."""
        model = self.model
        rows = relax(model, blend.prices, blend.rows).rows
        self.bound = blend.value
        self.hearer.raised(blend.prices, rows)
        blend.turn(FIRM_RADIUS, self.deadline, firm=True)
        replicas = blend.placement()
        for charge in CHARGES:
            exchange = Exchange.start(model, blend.prices, rows, replicas, charge)
            for reach in REACHES:
                if self._swept(exchange, reach):
                    break
            if exchange.valid:
                self._keep(exchange)
                return
            replicas = exchange.replicas
            if self.deadline.remaining() <= 0:
                return

    def _swept(self, exchange: Exchange, reach: float) -> bool:
        """Move single replicas, then pairs, a few times; tell whether all limits are kept or time is over."""
        # Where every cluster is full of one thing or another, only pairs make room for each other.
        for improve in (exchange.sweep, exchange.improve):
            for _ in range(PASSES):
                gained = improve(reach * self.model.unit)
                if exchange.valid or self.deadline.remaining() <= 0:
                    return True
                if gained <= self.model.unit:
                    break
        return False

    def _keep(self, exchange: Exchange) -> None:
        """Offer a placement, and again after moves that use what is left."""
        self._offer(exchange)
        for reach in REACHES[:3]:
            while self.deadline.remaining() > 0 and exchange.sweep(reach * self.model.unit) > self.model.unit:
                self._offer(exchange)

    def _offer(self, exchange: Exchange) -> None:
        """Offer a placement and remember what it costs."""
        if self.hearer.offered(exchange.replicas):
            self.best = min(self.best, float(self.model.steps(exchange.replicas)))
