"""Prices where some workloads may use a limited number of groups of clusters only.

At prices of what is shared, and at a price p of a replica, every cluster saves something against holding its
fewest replicas, and a workload takes the groups that save most::

    least cost + p N - (savings of the best groups)

is a bound whatever the prices (H. Everett, 1963; `fairlead.solver.exact.nested.choose` says it for one
workload). All other workloads are divided as ever. What is claimed is evaluated in whole numbers.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairlead.solver.batch import tuning
from fairlead.solver.batch.arrays import Floats, Whole
from fairlead.solver.batch.dual.bound import (
    WholePrices,
    are_cut,
    bound_at,
    held,
    savings,
    whole_costs,
    whole_prices,
)
from fairlead.solver.batch.dual.relaxation import EvaluatedPrices, PricedRows, relax
from fairlead.solver.batch.dual.subgradient import Subgradient
from fairlead.solver.batch.model import LevelModel, Prices, place_prices, rows_of
from fairlead.solver.running.deadline import Deadline

# Sums of limited rows may be of any size.
ENDLESS_SUM = 2**64


@dataclass(frozen=True, slots=True, eq=False)
class GroupLimitedRows:
    """Rows that may use a limited number of groups."""

    rows: Whole
    """Positions of the rows in the batch."""
    group: Whole
    """Number of the group of every cluster, by row and column; -1 where it counts as none."""
    most: Whole
    """Most groups of each of these rows."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PricedBound(EvaluatedPrices):
    """Bound at prices: that of rows without limits, and a price of a replica for each limited row."""

    limited: Floats


@dataclass(slots=True, eq=False)
class Dual:
    """Dual of a level: the least cost of all rows, by prices."""

    model: LevelModel
    groups: GroupLimitedRows
    deadline: Deadline
    plain: LevelModel
    limited: LevelModel

    @classmethod
    def of(cls, model: LevelModel, groups: GroupLimitedRows, deadline: Deadline) -> "Dual":
        """Look at a level of a batch."""
        others = np.setdiff1d(np.arange(len(model.batch.keys)), groups.rows)
        return cls(model, groups, deadline, rows_of(model, others), rows_of(model, groups.rows))

    def climb(self, start: Prices | None = None) -> PricedBound:
        """Raise the bound, as `fairlead.solver.batch.dual.subgradient.climb` does."""
        ascent, share = Subgradient(self.model, self.deadline, self._at), tuning.CARDINALITY_FIRST_STEP
        return ascent.climb(start or Prices.none(self.model), tuning.CARDINALITY_TURNS, share)

    def _at(self, prices: Prices, near: PricedBound | None) -> tuple[PricedBound, Floats]:
        """Return the bound at prices, and by how much every shared row is exceeded there."""
        found = relax(self.plain, prices, None if near is None else near.rows, tuning.COARSE)
        part = LimitedRows.of(self.limited, self.groups, prices)
        rows, replicas, value, pinned = part.divide(None if near is None else near.limited)
        table = self.limited.batch.needs.astype(np.float64).T @ replicas
        coupling = self.model.batch.coupling
        usage = table[coupling.resource, coupling.column]
        pins = np.array(self.model.pins, dtype=np.float64)
        excess = np.concatenate(
            [
                found.usage + usage - coupling.limit,
                np.array(found.pinned, dtype=np.float64) + pinned - pins,
            ]
        )
        return PricedBound(prices, found.rows, found.value + value, limited=rows), excess

    def bound(self, priced: PricedBound) -> int:
        """Return the least cost of every placement at prices, in whole steps."""
        whole = whole_prices(self.model, priced.prices, np.zeros(len(self.model.batch.keys)))
        rows, limited = priced.rows, priced.limited
        if are_cut(whole, priced.prices):
            prices = held(whole)
            rows = relax(self.plain, prices).rows
            limited = LimitedRows.of(self.limited, self.groups, prices).divide(None)[0]
        total = bound_at(self.plain, whole, rows)
        if not len(self.groups.rows):
            return total
        return total + exact_of_limited(self.limited, self.groups, whole, limited)


def exact_of_limited(model: LevelModel, groups: GroupLimitedRows, whole: WholePrices, rows: Floats) -> int:
    """Return the least cost of limited rows, in whole steps, at any price of a replica by row."""
    part = slice(0, len(model.batch.keys))
    costs = whole_costs(model, whole, part)
    price = np.array([round(each) for each in rows.tolist()], dtype=object)
    saved = savings(costs, price, ENDLESS_SUM)
    left = (model.batch.totals - model.batch.lower.sum(axis=1)).tolist()
    base, total = costs.base.tolist(), 0
    for row, most in enumerate(groups.most.tolist()):
        sums: dict[int, int] = {}
        for group, saving in zip(groups.group[row].tolist(), saved[row].tolist(), strict=True):
            sums[group] = sums.get(group, 0) + saving
        anywhere = sums.pop(-1, 0)
        total += base[row] + price[row] * left[row] + anywhere + sum(sorted(sums.values())[:most])
    return int(total)


@dataclass(frozen=True, slots=True, eq=False)
class LimitedRows:
    """Rows with limits at prices, in floats."""

    model: LevelModel
    groups: GroupLimitedRows
    prices: Prices
    rows: PricedRows

    @classmethod
    def of(cls, model: LevelModel, groups: GroupLimitedRows, prices: Prices) -> "LimitedRows":
        """Look at rows at prices."""
        return cls(model, groups, prices, PricedRows.of(model, prices, slice(None)))

    def at(self, price: Floats) -> tuple[Floats, NDArray[np.bool_], Floats]:
        """Return the replicas above the fewest, the places of the best groups, and what is saved."""
        taken = list(self.rows.taken(price[:, None]))
        counts = np.sum(taken, axis=0)
        saved = np.zeros(counts.shape)
        for units, dear in zip(taken, self.rows.dear, strict=True):
            saved += units * (dear - price[:, None])
            if self.rows.growth is not None:
                saved += self.rows.growth * (units * (units - 1) / 2)
        chosen = self._best(saved)
        return np.where(chosen, counts, 0.0), chosen, np.where(chosen, saved, 0.0).sum(axis=1)

    def _best(self, saved: Floats) -> NDArray[np.bool_]:
        """Return the places of the groups that save most."""
        group = self.groups.group
        count = int(group.max(initial=0)) + 1
        each = np.arange(len(group))[:, None]
        sums = np.zeros((len(group), count + 1))
        np.add.at(sums, (np.broadcast_to(each, group.shape), np.where(group < 0, count, group)), saved)
        order = np.argsort(sums[:, :count], axis=1, kind="stable")
        rank = np.empty_like(order)
        np.put_along_axis(rank, order, np.arange(count)[None, :], axis=1)
        open_to = np.concatenate(
            [rank < self.groups.most[:, None], np.ones((len(group), 1), dtype=bool)], axis=1
        )
        chosen: NDArray[np.bool_] = np.take_along_axis(open_to, np.where(group < 0, count, group), axis=1)
        return chosen

    def divide(self, guess: Floats | None) -> tuple[Floats, Floats, float, Floats]:
        """Return prices of replicas at which totals are met, replicas, the bound, and pinned costs."""
        batch, curve = self.model.batch, self.model.curve
        left = (batch.totals - batch.lower.sum(axis=1)).astype(np.float64)
        low, high = self._edges()
        if guess is not None and len(guess):
            width = (high - low) * 2.0**-8
            near_low, near_high = np.maximum(low, guess - width), np.minimum(high, guess + width)
            high = np.where(self.at(near_high)[0].sum(axis=1) >= left, near_high, high)
            low = np.where(self.at(near_low)[0].sum(axis=1) < left, near_low, low)
        for _ in range(tuning.HALVES if guess is None else tuning.HALVES_NEARBY):
            middle = (low + high) / 2
            enough = self.at(middle)[0].sum(axis=1) >= left
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        below, _, _ = self.at(low)
        above, _, saved = self.at(high)
        under, over = below.sum(axis=1), above.sum(axis=1)
        part = np.clip((left - under) / np.maximum(over - under, 1.0), 0.0, 1.0)
        mixed = below + part[:, None] * (above - below)
        value = float((high * left + saved).sum())
        for factor, base in zip([1.0, *self.prices.pins.tolist()], curve.base, strict=True):
            value += factor * float(base.sum())
        replicas = mixed + batch.lower
        value += float((place_prices(self.model, self.prices, slice(None)) * batch.lower).sum())
        return high, replicas, value, self._pinned(low, high, part)

    def _pinned(self, low: Floats, high: Floats, part: Floats) -> Floats:
        """Return the cost of divisions between two prices on every pinned level."""
        curve, found = self.model.curve, []
        sides = []
        for price in (low, high):
            chosen = self.at(price)[1]
            sides.append([np.where(chosen, units, 0.0) for units in self.rows.taken(price[:, None])])
        for base, slopes, growth in zip(curve.base[1:], curve.slopes[1:], curve.growth[1:], strict=True):
            total = float(base.sum())
            for side, weight in zip(sides, (1 - part, part), strict=True):
                for units, slope in zip(side, slopes, strict=True):
                    cost = units * slope
                    if growth is not None:
                        cost = cost + growth * (units * (units - 1) / 2)
                    total += float((cost.sum(axis=1) * weight).sum())
            found.append(total)
        return np.array(found, dtype=np.float64)

    def _edges(self) -> tuple[Floats, Floats]:
        """Return prices at which nothing and everything is taken."""
        low, high = self.rows.edges()
        wide = np.maximum(1.0, np.where(np.isfinite(high - low), high - low, 1.0))
        return (
            np.where(np.isfinite(low), low, 0.0) - 1e-6 * wide - 1.0,
            # Groups that hold too few replicas are left for dearer ones only far above the dearest unit.
            np.where(np.isfinite(high), high, 0.0) + 4.0 * wide + 1.0,
        )
