"""Very large batches: prices from samples, column generation, and moves in bulk, in time that is linear."""

from dataclasses import dataclass

import numpy as np

from fairlead.solver.batch.dual.column_generation import Blend, run
from fairlead.solver.batch.dual.relaxation import relax
from fairlead.solver.batch.dual.subgradient import climb
from fairlead.solver.batch.incumbent import Incumbent
from fairlead.solver.batch.model import Model, Prices, sample_of
from fairlead.solver.batch.primal.exchange import Exchange
from fairlead.solver.batch.tuning import (
    CLOSE_ENOUGH,
    COLUMNS_CHARGES,
    COLUMNS_REACHES,
    FIRM_RADIUS,
    FULL_RADIUS,
    PASSES,
    SAMPLE_RADIUS,
    SAMPLES,
    STAGES,
)
from fairlead.solver.deadline import Deadline


@dataclass(slots=True, eq=False)
class Large:
    """A search in a very large batch; `best` and `bound` are its own."""

    level: Incumbent
    best: float = np.inf
    bound: float = -np.inf

    @property
    def model(self) -> Model:
        """What is minimised."""
        return self.level.model

    @property
    def deadline(self) -> Deadline:
        """When to stop."""
        return self.level.deadline

    def search(self, near: Prices | None = None) -> None:
        """Find prices on samples, then on all rows, and a placement after every few turns."""
        blend = Blend.start(self.model, self._sampled(near))
        radius = FULL_RADIUS
        for turns in STAGES:
            before = blend.value
            radius = run(blend, turns, radius, self.deadline)
            self._place(blend)
            if self.best - self.bound <= CLOSE_ENOUGH * abs(self.bound) or self.deadline.remaining() <= 0:
                return
            if blend.value - before <= CLOSE_ENOUGH / 10 * abs(before) and np.isfinite(self.best):
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
        self.level.raise_bound(blend.prices, rows)
        blend.turn(FIRM_RADIUS, self.deadline, firm=True)
        replicas = blend.placement()
        for charge in COLUMNS_CHARGES:
            exchange = Exchange.start(model, blend.prices, rows, replicas, charge)
            for reach in COLUMNS_REACHES:
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
        for reach in COLUMNS_REACHES[:3]:
            while self.deadline.remaining() > 0 and exchange.sweep(reach * self.model.unit) > self.model.unit:
                self._offer(exchange)

    def _offer(self, exchange: Exchange) -> None:
        """Offer a placement and remember what it costs."""
        if self.level.offer(exchange.replicas):
            self.best = min(self.best, float(self.model.steps(exchange.replicas)))
