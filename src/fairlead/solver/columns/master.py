"""The restricted master: the mixes of all workloads, how they fill rows, and the prices of that."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from fairlead.encoders.variables import Interval
from fairlead.models.usage import Row
from fairlead.solver.columns.choice import Floats, Numbers
from fairlead.solver.columns.filled_rows import FilledRows
from fairlead.solver.columns.mix import NOTHING, ChoicePart, Mix, PricedMixes
from fairlead.solver.columns.own_cost import OwnCosts
from fairlead.solver.columns.pricing import LARGEST, Pricing
from fairlead.solver.exact.costs.pieces import EVERYWHERE, Pieces

SWEEPS = 30
"""Times that a mix is evened out between two rounds of choices, at most."""
FINE = 2.0**-20
"""Part of its cost that shifting has to gain to go on."""
DEAREST = 2.0**34
"""Price of a replica in whole steps, at most."""
FINEST = 2.0**40
"""Price of a replica in whole steps, at most, where it takes so many units that each has a whole price."""
MANY_UNITS = 2.0**20
"""Units of one replica from which on prices are finer than `DEAREST`."""
OVER = 50.0
"""Units that each unit beyond the room counts as more, in the cost of balance."""
STRIDE = 4.0
"""Factor by which the weight of a pinned level is changed at first."""
STRIDE_AGAIN = 1.5
"""Factor at first in a part, where the weights of the whole are about right."""
NEAR = 2.0**-8
"""Part of a limit by which a cost above it is about at the limit."""
ABOVE = 1 + 2.0**-30
"""Factor of a limit up to which a cost is at the limit."""
MOST_SETTLED = 3
"""Choices of a mix that are looked at by themselves, at most."""
SMALL = 2.0**-10
"""Least limit with which a weight is begun: smaller ones count as this."""


@dataclass(slots=True, eq=False)
class MixMaster:
    """The mixes of all workloads, and what levels weigh: the last of them is balance.

    Parameters
    ----------
    rows
        Rows that are filled.
    mixes
        Of every workload that counts.
    limits
        Most that every level may cost, in its unit; None for the one that is minimised.
    aims
        Most that placements may cost: less, where models round their costs.
    weights
        Weight of a unit of every level.
    strides
        By what the weights are changed.
    used
        About what is used, by row.
    needs
        Units that a replica uses, by workload and row.
    own
        Costs of workloads alone.
    full
        By row, what is paid for room that runs out, as if so much more was used.
    priced
        The prices at which the bound is best so far; None before the first.
    """

    rows: FilledRows
    mixes: list[Mix]
    limits: tuple[Fraction | None, ...]
    aims: tuple[Fraction | None, ...]
    weights: Floats
    strides: Floats
    used: Floats
    needs: Numbers
    own: OwnCosts
    full: Floats
    priced: PricedMixes | None = None

    @classmethod
    def of(
        cls,
        rows: FilledRows,
        mixes: list[Mix],
        limits: tuple[Fraction | None, ...],
        aims: tuple[Fraction | None, ...],
    ) -> "MixMaster":
        """Return a master in which what is pinned weighs as much, all in all, as what is minimised."""
        used = sum((mix.total for mix in mixes), np.zeros(len(rows.rows)))
        own = OwnCosts.of([mix.own for mix in mixes], [mix.choice.total for mix in mixes])
        master = cls(
            rows,
            mixes,
            limits,
            aims,
            np.ones(len(limits)),
            np.full(len(limits), STRIDE),
            used,
            np.array([mix.choice.need for mix in mixes]),
            own,
            np.zeros(len(used)),
        )
        goal = max(1.0, float(master.levels()[limits.index(None)]))
        for at, limit in enumerate(limits):
            master.weights[at] = 1.0 if limit is None else goal / max(float(limit), SMALL)
        return master

    def parts(
        self, priced: PricedMixes, bounds: Sequence[tuple[int, Numbers, Numbers]]
    ) -> list[ChoicePart | None]:
        """Return parts of what some workloads can choose, at prices; None for one that holds nothing."""
        choices = [self.mixes[at].choice.within(lower, upper) for at, lower, upper in bounds]
        open_to = [number for number, choice in enumerate(choices) if choice.faces]
        found: list[ChoicePart | None] = [None] * len(bounds)
        if not open_to:
            return found
        rows = [bounds[number][0] for number in open_to]
        cost, using, constants = self._costs(priced.prices, priced.scales, rows)
        pricing = Pricing.of([choices[number] for number in open_to], using)
        near = np.array([self.mixes[at].near for at in rows])
        cheapest = pricing.cheapest(cost, near, priced.earned[rows])
        for row, (number, constant) in enumerate(zip(open_to, constants, strict=True)):
            least = cheapest.least[row]
            if least is not None:
                found[number] = ChoicePart(
                    *bounds[number], choices[number], cheapest.counts[row], least + constant
                )
        return found

    def within(self, priced: PricedMixes, part: ChoicePart) -> "MixMaster":
        """Return the master of a part of what one workload can choose, at the same prices."""
        at = part.at
        mixes = [replace(each, parts=each.parts.copy()) for each in self.mixes]
        mixes[at] = self.mixes[at].within(part, self.rows.column)
        used = self.used - self.mixes[at].total + mixes[at].total
        strides, priced = np.full(len(self.limits), STRIDE_AGAIN), priced.with_term(at, part.term)
        return replace(
            self, mixes=mixes, weights=self.weights.copy(), strides=strides, used=used, priced=priced
        )

    def most_mixed(self) -> int | None:
        """Return the number of the mix that saves most by being one; None where all are one choice."""
        mixed = (at for at, mix in enumerate(self.mixes) if len(mix.choices()) > 1)
        return max(mixed, key=lambda at: float(self.saved(self.mixes[at]).sum()), default=None)

    def settled(self, at: int) -> Iterator["MixMaster"]:
        """Yield masters with one choice for a mix, at the same prices, the largest part first."""
        if self.priced is not None:
            choices = self.mixes[at].choices()[:MOST_SETTLED]
            parts = self.parts(self.priced, [(at, each, each) for each in choices])
            yield from (self.within(self.priced, part) for part in parts if part is not None)

    def beginning(self, other: "MixMaster") -> "MixMaster":
        """Return the same choices, of which only those are taken that another master has most of."""
        pairs = zip(self.mixes, other.mixes, strict=True)
        return self._of([mix.taking(each.largest, self.rows.column) for mix, each in pairs])

    def rounded(self) -> "MixMaster":
        """Return the choices of which there is most, whole."""
        return self._of([Mix.of(mix.choice, mix.own, mix.largest, self.rows.column) for mix in self.mixes])

    def spread(self) -> "MixMaster":
        """Return the same choices, as much of each of a workload's."""
        sizes = (len(mix.parts) for mix in self.mixes)
        return self._of(
            [replace(mix, parts=np.full(size, 1 / size)) for mix, size in zip(self.mixes, sizes, strict=True)]
        )

    def _of(self, mixes: list[Mix]) -> "MixMaster":
        """Return the master of other mixes, at the same prices."""
        return replace(self, mixes=mixes, used=sum((mix.total for mix in mixes), np.zeros(len(self.used))))

    def levels(self) -> Floats:
        """Return about the cost of the mix on every level, in its unit."""
        spent = sum((mix.spent for mix in self.mixes), np.zeros(len(self.limits)))
        spent[-1] += self.rows.unevenness(self.rows.standing + self.used)
        return spent

    def value(self) -> float:
        """Return about the cost of the mix, levels weighed by how far they are from their limits.

        Weights are not best before all that weighs something is at its limit.
        """
        away = self.levels() - np.array([float(limit or 0) for limit in self.limits])
        return float(self.weights @ np.abs(away))

    def keeps(self, near: float = NEAR) -> bool:
        """Tell whether the mix costs on pinned levels about what it may, and uses no more than there is.

        `near` is the part of what a level may cost by which more is about as much.
        """
        if bool((self.used > self.rows.room + NOTHING * self.rows.total).any()):
            return False
        pairs = zip(self.levels().tolist(), self.limits, strict=True)
        return all(limit is None or cost <= (1 + near) * float(limit) + NOTHING for cost, limit in pairs)

    def prices(self) -> Floats:
        """Return the price of a unit more, by row."""
        over = np.maximum(0.0, self.used - self.rows.room)
        bend = 2 * self.weights[-1] * self.rows.bend
        found: Floats = bend * (self.rows.standing + self.used + OVER * over + self.full)
        return found

    def even(self) -> None:
        """Shift parts from what costs most to what costs least, until nothing is gained; then weigh again."""
        enough = FINE * self.value()
        for _ in range(SWEEPS):
            if sum(map(self._shift, self.mixes)) < enough:
                break
        self.full = np.maximum(0.0, self.full + OVER * (self.used - self.rows.room))
        self.mixes = [mix.among(np.flatnonzero(mix.parts > NOTHING)) for mix in self.mixes]
        for at, (limit, cost) in enumerate(zip(self.limits, self.levels(), strict=True)):
            if limit is not None:
                if (cost > float(limit) * ABOVE) != (self.strides[at] > 1):
                    self.strides[at] = self.strides[at] ** -0.5
                self.weights[at] *= self.strides[at]

    def _shift(self, mix: Mix) -> float:
        """Shift as much as gains most; return about what it gained."""
        if len(mix.used) < 2:
            return 0.0
        costs = mix.costs @ self.weights + mix.used @ self.prices()
        to = int(costs.argmin())
        source = int(np.where(mix.parts > NOTHING, costs, -np.inf).argmax())
        gain = float(costs[source] - costs[to])
        if gain <= NOTHING * self.weights[-1]:
            return 0.0
        change = mix.used[to] - mix.used[source]
        over = 1 + OVER * (self.used > self.rows.room)
        slowed = float((2 * self.weights[-1] * self.rows.bend * over * change * change).sum())
        part = min(float(mix.parts[source]), gain / slowed if slowed else 1.0)
        mix.parts[to] += part
        mix.parts[source] -= part
        self.used = self.used + part * change
        return part * gain

    def price(self) -> bool:
        """Look for a better bound at the prices of the mix; take the choices that are cheapest there into it.

        False where a workload has no choice left.
        """
        prices = self.prices()
        scale, scales = self._scales(self.rows.by_cluster(self.needs * prices), self.weights)
        # What nobody uses may be dearer than any replica.
        whole = np.rint(np.minimum(prices * scale, LARGEST)).astype(np.int64)
        pinned = (limit * each for limit, each in zip(self.limits, scales, strict=True) if limit is not None)
        rest = self.rows.least(whole.tolist(), scales[-1]) - sum(pinned, Fraction(0))
        cost, using, constants = self._costs(whole, scales)
        near = np.array([mix.near for mix in self.mixes])
        pricing = Pricing.of([mix.choice for mix in self.mixes], using)
        found = pricing.cheapest(cost, near, np.zeros(len(self.mixes), dtype=np.int64))
        terms = list[int | Fraction]()
        for mix, counts, least, constant in zip(
            self.mixes, found.counts, found.least, constants, strict=True
        ):
            if least is None:
                return False
            mix.add(counts, self.rows.column)
            terms.append(least + constant)
        step = scales[self.limits.index(None)]
        priced = PricedMixes(whole, scales, step, rest, tuple(terms), found.price)
        if self.priced is None or priced.bound > self.priced.bound:
            self.priced = priced
        return True

    def filled(self, most: Fraction) -> Iterator[tuple[Row, Interval]]:
        """Yield how much is used in rows where what is minimised costs so much at most.

        At the prices that bound best what a row costs is a bowl, and nothing else costs less than it does
        there: what is missing to `most` is all by which a row may be above the bottom.
        """
        priced, rows = self.priced, self.rows
        spare = Fraction(-1) if priced is None else (most - priced.bound) * priced.step
        if priced is None or spare < 0:
            return
        numbers = zip(rows.standing.tolist(), rows.total.tolist(), rows.room.tolist(), strict=True)
        for row, price, share, (standing, total, room) in zip(
            rows.rows, priced.prices.tolist(), rows.share, numbers, strict=True
        ):
            wide = share * total * total / priced.scales[-1]
            middle = min(max(price * wide / 2, Fraction(standing)), Fraction(standing + room))
            reach, unit = math.isqrt(int(spare * wide)) + 1, rows.units[row[1]]
            known = Interval(math.floor(middle) - reach, math.ceil(middle) + reach)
            least, greatest = known.within(standing, standing + room)
            yield row, Interval(unit * least, unit * greatest)

    def answers(self, counts: Numbers, weights: Floats) -> Numbers:
        """Return where every workload costs least, or nearly, beside all others as they stand; in their room.

        Parameters
        ----------
        counts
            Replicas by workload and cluster.
        weights
            Weight of a unit of every level.
        """
        rows, needs = self.rows, self.needs
        used = needs * counts[:, rows.column]
        others = used.sum(axis=0) - used
        room = np.full(counts.shape, LARGEST)
        free = np.where(needs > 0, (rows.room - others) // np.maximum(needs, 1), LARGEST)
        np.minimum.at(room.T, rows.column, free.T)
        bend = weights[-1] * rows.bend * needs
        square, slope = (
            rows.by_cluster(each) for each in (bend * needs, 2 * bend * (rows.standing + others))
        )
        total = np.array([mix.choice.total for mix in self.mixes])
        scale, scales = self._scales(2 * total[:, None] * square + slope, weights)
        own, using, _ = self.own.in_steps(scales)
        square, slope = (np.rint(each * scale).astype(np.int64) for each in (square, slope))
        none = np.zeros(counts.shape[1], dtype=np.int64)
        choices = [mix.choice.within(none, most) for mix, most in zip(self.mixes, room, strict=True)]
        open_to = np.flatnonzero([bool(choice.faces) for choice in choices])
        if not open_to.size:
            return counts
        cost = own.bowed(square).dearer(slope).of(open_to)
        pricing = Pricing.of([choices[at] for at in open_to], using[open_to])
        found = pricing.cheapest(cost, counts[open_to], np.zeros(len(open_to), dtype=np.int64))
        answers = counts.copy()
        answers[open_to] = found.counts
        return answers

    def _scales(self, dearest: Floats, weights: Floats) -> tuple[float, tuple[int, ...]]:
        """Return steps in a unit of what is minimised, and in one of every level as it weighs.

        Any weights bound; one that is nothing beside the dearest replica counts a step.
        """
        alone = np.tensordot(weights, self.own.dearest, axes=1)
        most = len(self.rows.names) * max(mix.choice.total for mix in self.mixes)
        dear = float((dearest + alone).max(initial=0.0))
        finer = max(1.0, float(self.needs.max(initial=0)) / MANY_UNITS)
        scale = min(DEAREST * finer, FINEST, LARGEST / most) / max(dear, 1 / DEAREST)
        return scale, tuple(max(1, int(scale * weight)) for weight in weights.tolist())

    def saved(self, mix: Mix) -> Floats:
        """Return about the saving by mixing the choices of a workload, by cluster."""
        bend = self.rows.by_cluster(self.rows.bend * mix.choice.need.astype(float) ** 2)
        return mix.saved(self.weights[-1] * bend, self.weights)

    def _costs(
        self, prices: Numbers, scales: Sequence[int], at: Sequence[int] | slice = EVERYWHERE
    ) -> tuple[Pieces, Numbers, Sequence[int]]:
        """Return the costs of placements of some workloads at prices, in steps, and their constants."""
        own, using, constants = self.own.rows(at).in_steps(scales)
        return own.dearer(self.rows.by_cluster(self.needs[at] * prices)), using, constants
