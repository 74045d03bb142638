"""Exchanges of single replicas: one from here to there, or two that make room for each other.

The gap between a placement and the bound at some prices is the sum of what its replicas cost beyond the
price of their row (their reduced cost) and of the value of what is left unused. So only replicas whose
reduced cost is small are worth looking at, and those all together. What breaks a limit is charged for, dearer
than the limit's price, so that exchanges lead back to what is allowed.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairlead.solver.batch.arrays import Whole
from fairlead.solver.batch.relaxation import Floats, Model, Prices, chunks, marginals

# Moves that are kept for every pair of clusters, and for everything that enters or leaves a cluster.
PER_PAIR = 12
PER_CLUSTER = 96
# Pairs of moves of either kind that are looked at in one turn, about.
MOST_PAIRS = 300_000
# Moves that are listed at most in one round.
MOST_MOVES = 400_000
FEWEST_GAIN = 1e-9
# How often a list of moves is used before it is made anew.
TURNS_OF_A_LIST = 6


@dataclass(frozen=True, slots=True, eq=False)
class Charges:
    """Limits as a table of clusters and resources, with what one unit beyond them is charged.

    Parameters
    ----------
    limit, charge
        By column and resource; no limit is infinite.
    pins, pin_charge
        By pinned level.
    """

    limit: Floats
    charge: Floats
    pins: Floats
    pin_charge: Floats

    @classmethod
    def of(cls, model: Model, prices: Prices, factor: float) -> "Charges":
        """Charge a multiple of the prices, and more than nothing for what has no price."""
        batch = model.batch
        shape = (len(batch.clusters), batch.needs.shape[1])
        limit, charge = np.full(shape, np.inf), np.zeros(shape)
        at = (batch.coupling.column, batch.coupling.resource)
        limit[at] = batch.coupling.limit
        # What one replica more would cost on average where nothing tells a price.
        typical = model.unit / np.maximum(1.0, batch.needs.astype(np.float64).mean(axis=0))
        charge[at] = factor * np.maximum(prices.capacity, typical[batch.coupling.resource])
        pins = np.array(model.pins, dtype=np.float64)
        return cls(limit, charge, pins, factor * np.maximum(prices.pins, 1.0))


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """Replicas that could move, the cheapest first.

    Parameters
    ----------
    row, source, target
        Whose replica, from which column to which.
    cost
        What the move adds to the cost of the level.
    reduced
        The same with prices.
    pinned
        What it adds to the pinned levels, by move and level.
    """

    row: Whole
    source: Whole
    target: Whole
    cost: Floats
    reduced: Floats
    pinned: Floats

    def within(self, worth: Floats, pinned: float) -> "Moves":
        """Return the moves that could be part of an exchange that wins something."""
        if not len(self.row):
            return self
        partner = max(0.0, float(worth.max()) - float(self.reduced[0])) + pinned
        return self.only(np.flatnonzero(self.reduced < worth[self.source] + worth[self.target] + partner))

    def only(self, kept: Whole) -> "Moves":
        """Return some of the moves."""
        where = (self.row[kept], self.source[kept], self.target[kept])
        return Moves(*where, self.cost[kept], self.reduced[kept], self.pinned[kept])

    def without(self, rows: list[int]) -> "Moves":
        """Return the moves of all other rows."""
        return self.only(np.flatnonzero(~np.isin(self.row, rows)))


@dataclass(slots=True, eq=False)
class Exchange:
    """A placement that is improved in place."""

    model: Model
    prices: Prices
    rows: Floats
    replicas: Whole
    charges: Charges
    usage: Floats
    pinned: Floats

    @classmethod
    def start(
        cls, model: Model, prices: Prices, rows: Floats, replicas: Whole, factor: float = 4.0
    ) -> "Exchange":
        """Start from a placement that keeps the totals of all rows."""
        usage = replicas.T.astype(np.float64) @ model.batch.needs.astype(np.float64)
        pinned = np.array([shape.value(replicas).sum(dtype=np.float64) for shape in model.pinned])
        return cls(model, prices, rows, replicas.copy(), Charges.of(model, prices, factor), usage, pinned)

    def improve(self, reach: float) -> float:
        """Make one round of exchanges; return by how much cost and charges fell.

        Parameters
        ----------
        reach
            Reduced cost up to which a move is looked at.
        """
        moves = self._moves(reach)
        total = 0.0
        for _ in range(TURNS_OF_A_LIST):
            if not len(moves.row):
                break
            gain, touched = self._turn(moves)
            if gain <= 0:
                break
            total += gain
            # What a row's other replicas cost has changed; it comes back in the next round.
            moves = moves.without(touched)
        return total

    def shake(self, chance: np.random.Generator, reach: float, many: int) -> None:
        """Make some moves by lot, of small reduced cost and of a row each, good or bad."""
        moves = self._moves(reach)
        at = chance.permutation(len(moves.row))
        _, first = np.unique(moves.row[at], return_index=True)
        self._make(moves, at[np.sort(first)[:many]])

    def _turn(self, moves: Moves) -> tuple[float, list[int]]:
        """Make the best exchanges of a list; return what that gains, and the rows that changed."""
        worth, pinned = self._worth(), self._worth_of_pins()
        moves = moves.within(worth, pinned)
        found = [self._single(moves, worth + pinned), *self._pairs(moves, worth, pinned)]
        gains = np.concatenate([gain for gain, _, _ in found])
        first = np.concatenate([one for _, one, _ in found])
        second = np.concatenate([two for _, _, two in found])
        worthwhile = np.flatnonzero(gains < -FEWEST_GAIN * self.model.unit)
        order = worthwhile[np.argsort(gains[worthwhile], kind="stable")]
        return self._apply(moves, first[order], second[order], gains[order])

    def _worth(self) -> Floats:
        """Return what can be won at most by a change of each column's usage.

        Using what is left wins no more than its value at the prices, and giving back what is used beyond a
        limit no more than what is charged beyond the price.
        """
        coupling = self.model.batch.coupling
        price = np.zeros_like(self.charges.charge)
        price[coupling.column, coupling.resource] = self.prices.capacity
        limit = np.where(np.isfinite(self.charges.limit), self.charges.limit, self.usage)
        left = limit - self.usage
        most: Floats = np.maximum(price * left, (price - self.charges.charge) * left).sum(axis=1)
        return most

    def _worth_of_pins(self) -> float:
        """Return what can be won at most by a change of what pinned levels cost."""
        left = self.charges.pins - self.pinned
        return float(
            np.maximum(self.prices.pins * left, (self.prices.pins - self.charges.pin_charge) * left).sum()
        )

    def _moves(self, reach: float) -> Moves:
        """List the moves of small reduced cost."""
        parts = [self._moves_of(rows, reach) for rows in chunks(len(self.rows))]
        row, source, target, reduced, pinned = (np.concatenate(each) for each in zip(*parts, strict=True))
        order = np.argsort(reduced, kind="stable")[:MOST_MOVES]
        row, source, target, reduced = row[order], source[order], target[order], reduced[order]
        needs = self.model.batch.needs[row]
        value = np.zeros_like(self.charges.limit)
        coupling = self.model.batch.coupling
        value[coupling.column, coupling.resource] = self.prices.capacity
        cost = (
            reduced - (needs * (value[target] - value[source])).sum(axis=1) - pinned[order] @ self.prices.pins
        )
        return Moves(row, source, target, cost, reduced, pinned[order])

    def _moves_of(self, rows: slice, reach: float) -> tuple[Whole, Whole, Whole, Floats, Floats]:
        """List the moves of some rows."""
        up, down, pins = marginals(self.model, self.prices, rows, self.replicas[rows])
        enter, leave = up - self.rows[rows, None], self.rows[rows, None] - down
        to_row, to_column = np.nonzero(enter <= reach)
        from_row, from_column = np.nonzero(leave <= reach)
        starts = np.searchsorted(to_row, np.arange(enter.shape[0] + 1))
        counts = np.diff(starts)[from_row]
        each = np.repeat(np.arange(len(from_row)), counts)
        within = np.arange(len(each)) - np.repeat(np.cumsum(counts) - counts, counts)
        entry = starts[from_row[each]] + within
        row, source, target = from_row[each], from_column[each], to_column[entry]
        reduced = leave[row, source] + enter[row, target]
        kept = np.flatnonzero((source != target) & (reduced <= reach))
        row, source, target, reduced = row[kept], source[kept], target[kept], reduced[kept]
        pinned = (
            np.array([rise[row, target] - fall[row, source] for rise, fall in pins])
            .reshape(len(pins), len(row))
            .T
        )
        return row + rows.start, source, target, reduced, pinned

    def _over(self, column: Whole, change: Floats) -> Floats:
        """Return what a change of usage does to the charges of columns."""
        used, limit = self.usage[column], self.charges.limit[column]
        over = np.maximum(used + change - limit, 0.0) - np.maximum(used - limit, 0.0)
        total: Floats = (over * self.charges.charge[column]).sum(axis=-1)
        return total

    def _over_pins(self, change: Floats) -> Floats:
        """Return what a change does to the charges of pinned levels."""
        over = np.maximum(self.pinned + change - self.charges.pins, 0.0) - np.maximum(
            self.pinned - self.charges.pins, 0.0
        )
        total: Floats = (over * self.charges.pin_charge).sum(axis=-1)
        return total

    def _single(self, moves: Moves, worth: Floats) -> tuple[Floats, Whole, Whole]:
        """Return what moves by themselves do, and that they have no partner."""
        at = np.flatnonzero(moves.reduced < worth[moves.source] + worth[moves.target])
        needs = self.model.batch.needs[moves.row[at]].astype(np.float64)
        gain = moves.cost[at] + self._over(moves.source[at], -needs) + self._over(moves.target[at], needs)
        gain += self._over_pins(moves.pinned[at])
        return gain, at, np.full(len(at), -1)

    def _pairs(self, moves: Moves, worth: Floats, pinned: float) -> Iterator[tuple[Floats, Whole, Whole]]:
        """Return what two moves do: there and back between two clusters, or in and out of one."""
        columns = len(self.model.batch.clusters)
        there = moves.source * columns + moves.target
        back = moves.target * columns + moves.source
        per_pair = max(3, min(PER_PAIR, int(math.sqrt(MOST_PAIRS) / columns)))
        per_cluster = max(12, min(PER_CLUSTER, int(math.sqrt(MOST_PAIRS / columns))))
        for key, partner, most in ((there, back, per_pair), (moves.target, moves.source, per_cluster)):
            first, second = _joined(key, partner, most)
            promise = moves.reduced[first] + moves.reduced[second] - pinned
            promise -= worth[moves.source[first]] + worth[moves.target[first]] + worth[moves.target[second]]
            kept = np.flatnonzero((promise < 0) & (moves.row[first] != moves.row[second]))
            yield self._value_of_pairs(moves, first[kept], second[kept]), first[kept], second[kept]

    def _value_of_pairs(self, moves: Moves, first: Whole, second: Whole) -> Floats:
        """Return what pairs of moves do, the second leaving the cluster that the first enters."""
        batch = self.model.batch
        one, two = (
            batch.needs[moves.row[first]].astype(np.float64),
            batch.needs[moves.row[second]].astype(np.float64),
        )
        gain = moves.cost[first] + moves.cost[second] + self._over(moves.target[first], one - two)
        swap = moves.source[first] == moves.target[second]
        gain += self._over(moves.source[first], np.where(swap[:, None], two - one, -one))
        gain += np.where(swap, 0.0, self._over(moves.target[second], two))
        gain += self._over_pins(moves.pinned[first] + moves.pinned[second])
        return gain

    def _apply(self, moves: Moves, first: Whole, second: Whole, gains: Floats) -> tuple[float, list[int]]:
        """Make the best exchanges that touch neither a row nor a cluster that another one has touched."""
        rows, columns = set[int](), set[int]()
        total = 0.0
        chosen: list[int] = []
        limit = len(self.model.batch.clusters) - 1
        pair = np.stack([first, second])
        table = [moves.row[pair].T.tolist(), moves.source[pair].T.tolist(), moves.target[pair].T.tolist()]
        for number, moved in enumerate(zip(*table, strict=True)):
            many = 1 if second[number] < 0 else 2
            who, sources, targets = (each[:many] for each in moved)
            if columns.isdisjoint(sources) and columns.isdisjoint(targets) and rows.isdisjoint(who):
                if self.model.pins and chosen:
                    # What two exchanges cost on a pinned level adds up; one at a time is safe.
                    break
                chosen.extend([int(first[number]), int(second[number])][:many])
                rows.update(who)
                columns.update(sources, targets)
                total -= float(gains[number])
                if len(columns) >= limit:
                    break
        at = np.array(chosen, dtype=np.int64)
        self._make(moves, at)
        return total, sorted(rows)

    def _make(self, moves: Moves, at: NDArray[np.int64]) -> None:
        """Move replicas."""
        row, source, target = moves.row[at], moves.source[at], moves.target[at]
        needs = self.model.batch.needs[row].astype(np.float64)
        np.add.at(self.replicas, (row, source), -1)
        np.add.at(self.replicas, (row, target), 1)
        np.add.at(self.usage, source, -needs)
        np.add.at(self.usage, target, needs)
        self.pinned += moves.pinned[at].sum(axis=0)

    @property
    def valid(self) -> bool:
        """Whether the placement keeps all limits and pins, in whole numbers."""
        return self.model.keeps(self.replicas)


def _joined(key: Whole, partner: Whole, most: int) -> tuple[Whole, Whole]:
    """Join positions with those whose partner key is their key, the first of each key only."""
    left, right = _ranked(key, most), _ranked(partner, most)
    keys = partner[right]
    starts = np.searchsorted(keys, key[left], side="left")
    counts = np.searchsorted(keys, key[left], side="right") - starts
    first = np.repeat(left, counts)
    within = np.arange(len(first)) - np.repeat(np.cumsum(counts) - counts, counts)
    return first, right[np.repeat(starts, counts) + within]


def _ranked(key: Whole, most: int) -> Whole:
    """Return the first so many positions of every key, in order of the keys."""
    order = np.argsort(key, kind="stable")
    keys = key[order]
    if not len(keys):
        return order
    fresh = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    rank = np.arange(len(keys)) - np.repeat(fresh, np.diff(np.append(fresh, len(keys))))
    return order[rank < most]
