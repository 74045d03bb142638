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

from fairlead.solver.batch import tuning
from fairlead.solver.batch.arrays import Floats, Whole, spelled_out
from fairlead.solver.batch.model import LevelModel, Prices
from fairlead.solver.batch.primal.moves import Charges, MoveEnds, ReplicaMoves, Tally, moves_of
from fairlead.solver.running.deadline import Deadline


@dataclass(slots=True, eq=False)
class Exchange:
    """A placement that is improved in place."""

    model: LevelModel
    prices: Prices
    rows: Floats
    replicas: Whole
    charges: Charges
    usage: Floats
    pinned: Floats

    @classmethod
    def start(
        cls,
        model: LevelModel,
        prices: Prices,
        rows: Floats,
        replicas: Whole,
        factor: float,
        charged: Prices | None = None,
    ) -> "Exchange":
        """Start from a placement that keeps the totals of all rows; limits are charged by their prices."""
        usage = replicas.T.astype(np.float64) @ model.batch.needs.astype(np.float64)
        pinned = np.array([shape.value(replicas).sum(dtype=np.float64) for shape in model.pinned])
        charges = Charges.of(model, charged or prices, factor)
        return cls(model, prices, rows, replicas.copy(), charges, usage, pinned)

    def improve(self, reach: float, deadline: Deadline | None = None) -> float:
        """Make one round of exchanges of moves whose reduced cost is within reach; return what they gain."""
        moves = moves_of(self.model, self.prices, self.rows, self.replicas, reach)
        total = 0.0
        for _ in range(tuning.TURNS_OF_A_LIST):
            if not len(moves.row) or (deadline is not None and deadline.remaining() <= 0):
                break
            gain, touched = self._turn(moves)
            if gain <= 0:
                break
            total += gain
            # What a row's other replicas cost has changed; it comes back in the next round.
            moves = moves.without(touched)
        return total

    def sweep(self, reach: float) -> float:
        """Make every single move within reach that gains something, in one pass; return what they gain.

        While limits are broken, only columns where one is are left, and only others are entered.
        """
        over: NDArray[np.bool_] = np.any(self.usage > self.charges.limit, axis=1)
        # Columns that hardly have room would fill the list with moves that cannot be made.
        wanted = self.usage + self.model.batch.needs.max(axis=0)
        roomy: NDArray[np.bool_] = np.all(wanted <= self.charges.limit, axis=1)
        ends = MoveEnds(over, roomy) if over.any() else None
        moves = moves_of(self.model, self.prices, self.rows, self.replicas, reach, ends)
        moves = moves.within(self._worth(), self._worth_of_pins())
        return self._in_turn(moves, np.arange(len(moves.row)), np.full(len(moves.row), -1), None)[0]

    def _turn(self, moves: ReplicaMoves) -> tuple[float, list[int]]:
        """Make the best exchanges of a list; return what that gains, and the rows that changed."""
        worth, pinned = self._worth(), self._worth_of_pins()
        moves = moves.within(worth, pinned)
        found = [self._single(moves, worth + pinned), *self._pairs(moves, worth, pinned)]
        gains = np.concatenate([gain for gain, _, _ in found])
        first = np.concatenate([one for _, one, _ in found])
        second = np.concatenate([two for _, _, two in found])
        worthwhile = np.flatnonzero(gains < -tuning.FEWEST_GAIN * self.model.unit)
        order = worthwhile[np.argsort(gains[worthwhile], kind="stable")]
        order = order[: tuning.MOST_TRIED]
        return self._in_turn(moves, first[order], second[order], gains[order])

    def _worth(self) -> Floats:
        """Return the most that a change of each column's usage can win.

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
        """Return the most that a change of the cost of pinned levels can win."""
        left = self.charges.pins - self.pinned
        return float(
            np.maximum(self.prices.pins * left, (self.prices.pins - self.charges.pin_charge) * left).sum()
        )

    def _over(self, column: Whole, change: Floats) -> Floats:
        """Return the difference in charges of columns by a change of usage, by resource."""
        beyond, charge = self.usage - self.charges.limit, self.charges.charge
        total: Floats = -(charge * np.maximum(beyond, 0.0)).sum(axis=1)[column]
        # Resource by resource: an axis of two or three is far slower to add up than two or three arrays.
        for resource, more in enumerate(change):
            over = beyond[:, resource][column] + more
            total += np.maximum(over, 0.0) * charge[:, resource][column]
        return total

    def _asked(self, moves: ReplicaMoves, at: Whole) -> Floats:
        """Return the requests of the rows of some moves, by resource and move."""
        asked: Floats = self.model.batch.needs.T.astype(np.float64)[:, moves.row[at]]
        return asked

    def _over_pins(self, change: Floats) -> Floats:
        """Return the difference in charges of pinned levels by a change of their cost."""
        over = np.maximum(self.pinned + change - self.charges.pins, 0.0) - np.maximum(
            self.pinned - self.charges.pins, 0.0
        )
        total: Floats = (over * self.charges.pin_charge).sum(axis=-1)
        return total

    def _single(self, moves: ReplicaMoves, worth: Floats) -> tuple[Floats, Whole, Whole]:
        """Return the difference in cost by single moves, and that they have no partner."""
        at = np.flatnonzero(moves.reduced < worth[moves.source] + worth[moves.target])
        needs = self._asked(moves, at)
        gain = moves.cost[at] + self._over(moves.source[at], -needs) + self._over(moves.target[at], needs)
        gain += self._over_pins(moves.pinned[at])
        return gain, at, np.full(len(at), -1)

    def _pairs(
        self, moves: ReplicaMoves, worth: Floats, pinned: float
    ) -> Iterator[tuple[Floats, Whole, Whole]]:
        """Return the difference in cost by two moves: there and back, or in and out of one cluster."""
        columns = len(self.model.batch.clusters)
        there = moves.source * columns + moves.target
        back = moves.target * columns + moves.source
        per_pair = max(3, min(tuning.PER_PAIR, int(math.sqrt(tuning.MOST_PAIRS) / columns)))
        per_cluster = max(12, min(tuning.PER_CLUSTER, int(math.sqrt(tuning.MOST_PAIRS / columns))))
        for key, partner, most in ((there, back, per_pair), (moves.target, moves.source, per_cluster)):
            first, second = _joined(key, partner, most)
            promise = moves.reduced[first] + moves.reduced[second] - pinned
            promise -= worth[moves.source[first]] + worth[moves.target[first]] + worth[moves.target[second]]
            kept = np.flatnonzero((promise < 0) & (moves.row[first] != moves.row[second]))
            yield self._value_of_pairs(moves, first[kept], second[kept]), first[kept], second[kept]

    def _value_of_pairs(self, moves: ReplicaMoves, first: Whole, second: Whole) -> Floats:
        """Return the difference in cost by pairs, the second leaving the cluster that the first enters."""
        one, two = self._asked(moves, first), self._asked(moves, second)
        gain = moves.cost[first] + moves.cost[second] + self._over(moves.target[first], one - two)
        swap = moves.source[first] == moves.target[second]
        gain += self._over(moves.source[first], np.where(swap, two - one, -one))
        gain += np.where(swap, 0.0, self._over(moves.target[second], two))
        gain += self._over_pins(moves.pinned[first] + moves.pinned[second])
        return gain

    def _in_turn(
        self, moves: ReplicaMoves, first: Whole, second: Whole, gains: Floats | None
    ) -> tuple[float, list[int]]:
        """Make exchanges in order, each where it gains something by then; return gain and rows that moved.

        A row moves once. The second of an exchange is below 0 where there is none; gains are those as things
        stand at first, None where they are not known.
        """
        tally = Tally.of(self.charges, self.usage, self.pinned)
        rows, columns, chosen = set[int](), set[int](), list[int]()
        total, least = 0.0, -tuning.FEWEST_GAIN * self.model.unit
        needs = self.model.batch.needs
        pair = np.stack([first, second])
        costs, pinned = moves.cost[pair].T.tolist(), moves.pinned[pair]
        for number, (who, sources, targets) in enumerate(_ends_of(moves, first, second)):
            if not rows.isdisjoint(who):
                continue
            many, changes = len(who), _changes(needs, who, sources, targets)
            pins = pinned[:many, number].sum(axis=0).tolist() if tally.pinned else ()
            if gains is None or (chosen and (tally.pinned or not columns.isdisjoint(changes))):
                gain = sum(costs[number][:many]) + tally.change_of_pins(pins)
                gain += sum(tally.change(column, more) for column, more in changes.items())
                if gain >= least:
                    continue
            else:
                gain = float(gains[number])
            chosen.extend([int(first[number]), int(second[number])][:many])
            rows.update(who)
            columns.update(changes)
            for column, more in changes.items():
                tally.use(column, more)
            tally.use_pins(pins)
            total -= gain
        self.make(moves, np.array(chosen, dtype=np.int64))
        return total, sorted(rows)

    def make(self, moves: ReplicaMoves, at: Whole) -> None:
        """Make some moves, each of another row, whatever they break."""
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


def _ends_of(
    moves: ReplicaMoves, first: Whole, second: Whole
) -> Iterator[tuple[list[int], list[int], list[int]]]:
    """Yield of every exchange whose replicas leave and enter which columns."""
    pair = np.stack([first, second])
    table = [moves.row[pair].T.tolist(), moves.source[pair].T.tolist(), moves.target[pair].T.tolist()]
    for partner, who, sources, targets in zip(second.tolist(), *table, strict=True):
        yield (who, sources, targets) if partner >= 0 else (who[:1], sources[:1], targets[:1])


def _changes(needs: Whole, rows: list[int], sources: list[int], targets: list[int]) -> dict[int, list[int]]:
    """Return by how much the usage of columns changes with moves of some rows."""
    changes: dict[int, list[int]] = {}
    for row, source, target in zip(rows, sources, targets, strict=True):
        need = needs[row].tolist()
        for column, sign in ((source, -1), (target, 1)):
            known = changes.get(column)
            if known is None:
                changes[column] = [sign * each for each in need]
            else:
                changes[column] = [one + sign * each for one, each in zip(known, need, strict=True)]
    return changes


def _joined(key: Whole, partner: Whole, most: int) -> tuple[Whole, Whole]:
    """Join positions with those whose partner key is their key, the first of each key only."""
    left, right = _ranked(key, most), _ranked(partner, most)
    keys = partner[right]
    starts = np.searchsorted(keys, key[left], side="left")
    counts = np.searchsorted(keys, key[left], side="right") - starts
    each, within = spelled_out(counts)
    return left[each], right[starts[each] + within]


def _ranked(key: Whole, most: int) -> Whole:
    """Return the first so many positions of every key, in order of the keys."""
    order = np.argsort(key, kind="stable")
    keys = key[order]
    if not len(keys):
        return order
    fresh = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    rank = np.arange(len(keys)) - np.repeat(fresh, np.diff(np.append(fresh, len(keys))))
    return order[rank < most]
