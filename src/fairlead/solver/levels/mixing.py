"""Mixes of choices: parts of what workloads can choose, and how all together fill rows at prices.

At a price of every unit that is used, and a weight of every level that is pinned, workloads choose by
themselves what costs least, exactly, and what clusters are filled by is chosen freely. The sum of both, less
what the pinned levels may cost, bounds what is minimised from below, whatever the prices and the weights
(Lagrangian relaxation). The best prices are the marginal costs of the mix of choices that costs least, found
step by step: the choices that are cheapest now come into the mix (M. Frank and P. Wolfe, 1956). Floats only
look for prices and weights; the bound is evaluated in whole numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from fairlead.solver.exact.costs.bowls import Bowls
from fairlead.solver.levels.choice import Choice, Floats, Numbers
from fairlead.solver.levels.filled_rows import FilledRows
from fairlead.solver.levels.own_cost import OwnCost, in_steps

SWEEPS = 30
"""How often a mix is evened out between two rounds of choices."""
DEAREST = 2.0**34
"""The price of a replica in whole steps, at most."""
NOTHING = 1e-9
"""Parts of a mix that are as good as none, and gains that are."""
OVER = 50.0
"""What it costs to fill more than there is room for, in terms of balance."""
STRIDE = 4.0
"""By what the weight of a pinned level is changed at first."""
ABOVE = 1 + 2.0**-30
"""What is above a limit by less than this is at the limit."""
SMALL = 2.0**-10
"""Limits below this count as this where a weight is begun with."""


@dataclass(slots=True)
class Mix:
    """Parts of the choices of one workload that add up to 1, with what they use and cost on every level.

    Parameters
    ----------
    choice
        What can be chosen.
    own
        What choices cost alone, by level.
    counts, used, costs, parts
        By choice in the mix: replicas by cluster, what is used by row, costs by level, and how much of it.
    near
        The clusters that were used by the cheapest choice last.
    """

    choice: Choice
    own: tuple[OwnCost, ...]
    counts: list[Numbers]
    used: list[Floats]
    costs: list[Floats]
    parts: list[float]
    near: Numbers | None = None

    @classmethod
    def of(cls, choice: Choice, own: tuple[OwnCost, ...], counts: Numbers) -> "Mix":
        """Return the mix of one choice."""
        mix = cls(choice, own, [], [], [], [])
        mix.add(counts)
        mix.parts[0] = 1.0
        return mix

    def add(self, counts: Numbers) -> None:
        """Take in a choice, none of it so far."""
        if not any(np.array_equal(counts, each) for each in self.counts):
            self.counts.append(counts)
            self.used.append((self.choice.usage @ counts).astype(float))
            self.costs.append(np.array([own.about(counts) for own in self.own]))
            self.parts.append(0.0)

    def among(self, kept: Sequence[int]) -> "Mix":
        """Return the mix of some of its choices, their parts as they were to each other."""
        whole = sum(self.parts[at] for at in kept)
        parts = [self.parts[at] / whole if whole > NOTHING else 1 / len(kept) for at in kept]
        counts, used, costs = (
            [self.counts[at] for at in kept],
            [self.used[at] for at in kept],
            [self.costs[at] for at in kept],
        )
        return Mix(self.choice, self.own, counts, used, costs, parts, self.near)

    def within(self, lower: Numbers, upper: Numbers) -> "Mix | None":
        """Return the mix within bounds; None where nothing can be chosen there.

        Raises
        ------
        TooLongError
            It takes too long to tell.
        """
        choice = self.choice.within(lower, upper)
        kept = [
            at
            for at, counts in enumerate(self.counts)
            if bool(np.all(counts >= lower)) and bool(np.all(counts <= upper))
        ]
        if not choice.faces:
            return None
        if kept:
            return replace(self.among(kept), choice=choice)
        nothing = np.zeros(len(choice.names), dtype=np.int64)
        found = choice.cheapest(Bowls(nothing, nothing), self.near)
        return None if found is None else Mix.of(choice, self.own, found.counts)

    @property
    def total(self) -> Floats:
        """About what the mix uses, by row."""
        found: Floats = np.array(self.parts) @ np.array(self.used)
        return found

    @property
    def spent(self) -> Floats:
        """About what the mix costs alone, by level."""
        found: Floats = np.array(self.parts) @ np.array(self.costs)
        return found

    @property
    def mean(self) -> Floats:
        """Replicas by cluster in the mean."""
        found: Floats = np.array(self.parts) @ np.array(self.counts, dtype=float)
        return found

    def saved(self, bend: Floats, weights: Floats) -> Floats:
        """Return about what mixing saves by cluster: what choices cost more than their mean would.

        Parameters
        ----------
        bend
            What a square of replicas costs by what they use, by cluster.
        weights
            What a unit of every level costs.
        """
        parts, counts, mean = np.array(self.parts), np.array(self.counts), self.mean
        found: Floats = bend * (parts @ (counts - mean) ** 2)
        for own, weight in zip(self.own, weights.tolist(), strict=True):
            if own.counts:
                found = found + weight * (parts @ own.by_cluster(counts) - own.by_cluster(mean))
        return found

    @property
    def largest(self) -> Numbers:
        """The choice of which there is most in the mix."""
        return self.counts[max(range(len(self.parts)), key=self.parts.__getitem__)]


@dataclass(slots=True)
class Blend:
    """The mixes of all workloads, and what levels weigh: the last of them is balance.

    Parameters
    ----------
    rows
        What is filled.
    mixes
        Of every workload that counts.
    limits
        What every level may cost; None for the one that is minimised.
    weights
        What a unit of every level costs.
    strides
        By what the weights are changed.
    used
        About what is used, by row.
    """

    rows: FilledRows
    mixes: list[Mix]
    limits: tuple[Fraction | None, ...]
    weights: Floats
    strides: Floats
    used: Floats

    @classmethod
    def of(cls, rows: FilledRows, mixes: list[Mix], limits: tuple[Fraction | None, ...]) -> "Blend":
        """Return a blend in which what is pinned weighs as much, all in all, as what is minimised."""
        used = sum((mix.total for mix in mixes), np.zeros(len(rows.rows)))
        blend = cls(rows, mixes, limits, np.ones(len(limits)), np.full(len(limits), STRIDE), used)
        goal = max(1.0, float(blend.levels()[limits.index(None)]))
        for at, limit in enumerate(limits):
            blend.weights[at] = 1.0 if limit is None else goal / max(float(limit), SMALL)
        return blend

    def copied(self, at: int, mix: Mix) -> "Blend":
        """Return the blend with another mix of one workload."""
        mixes = [replace(each, parts=list(each.parts)) for each in self.mixes]
        for each in mixes:
            each.counts, each.used, each.costs = list(each.counts), list(each.used), list(each.costs)
        mixes[at] = mix
        used = self.used - self.mixes[at].total + mix.total
        return replace(self, mixes=mixes, weights=self.weights.copy(), strides=self.strides.copy(), used=used)

    def rounded(self) -> float:
        """Return about what the choices cost of which there is most, as `value`."""
        mixes = [Mix.of(mix.choice, mix.own, mix.largest) for mix in self.mixes]
        used = sum((mix.total for mix in mixes), np.zeros(len(self.used)))
        return replace(self, mixes=mixes, used=used).value()

    def levels(self) -> Floats:
        """Return about what the mix costs on every level."""
        spent = sum((mix.spent for mix in self.mixes), np.zeros(len(self.limits)))
        spent[-1] += self.rows.unevenness(self.rows.standing + self.used)
        return spent

    def value(self) -> float:
        """Return about what the mix costs, levels weighed, and how far pinned levels are from their limits.

        Weights are not best before all that weighs something is at its limit.
        """
        away = self.levels() - np.array([float(limit or 0) for limit in self.limits])
        return float(self.weights @ np.abs(away))

    def prices(self) -> Floats:
        """Return what a unit more costs, by row."""
        over = np.maximum(0.0, self.used - self.rows.room)
        bend = 2 * self.weights[-1] * self.rows.bend
        found: Floats = bend * (self.rows.standing + self.used + OVER * over)
        return found

    def even(self) -> None:
        """Shift parts from what costs most to what costs least, until nothing is gained; then weigh again."""
        for _ in range(SWEEPS):
            if sum(map(self._shift, self.mixes)) < NOTHING * self.weights[-1]:
                break
        self.mixes = [
            mix.among([at for at, part in enumerate(mix.parts) if part > NOTHING]) for mix in self.mixes
        ]
        for at, (limit, cost) in enumerate(zip(self.limits, self.levels(), strict=True)):
            if limit is not None:
                if (cost > float(limit) * ABOVE) != (self.strides[at] > 1):
                    self.strides[at] = self.strides[at] ** -0.5
                self.weights[at] *= self.strides[at]

    def _shift(self, mix: Mix) -> float:
        """Shift as much as gains most; return about what it gained."""
        if len(mix.used) < 2:
            return 0.0
        costs = (np.array(mix.costs) @ self.weights + np.array(mix.used) @ self.prices()).tolist()
        to = min(range(len(costs)), key=costs.__getitem__)
        source = max((at for at in range(len(costs)) if mix.parts[at] > NOTHING), key=costs.__getitem__)
        gain = float(costs[source] - costs[to])
        if gain <= NOTHING * self.weights[-1]:
            return 0.0
        change = mix.used[to] - mix.used[source]
        over = 1 + OVER * (self.used > self.rows.room)
        slowed = float((2 * self.weights[-1] * self.rows.bend * over * change * change).sum())
        part = min(mix.parts[source], gain / slowed if slowed else 1.0)
        mix.parts[to] += part
        mix.parts[source] -= part
        self.used = self.used + part * change
        return part * gain

    def bound(self) -> Fraction | None:
        """Return the bound at the prices of the mix, and take the choices that are cheapest there into it.

        None where a workload has no choice left.

        Raises
        ------
        TooLongError
            It takes too long to tell what is cheapest.
        """
        prices = self.prices()
        dearest = max(
            float((prices @ mix.choice.usage + self._dearest(mix)).max(initial=0.0)) for mix in self.mixes
        )
        scale = DEAREST / max(dearest, 1 / DEAREST)
        whole = np.rint(prices * scale).astype(np.int64)
        # Any weights bound; one that is nothing beside the dearest price counts a step.
        scales = [max(1, int(scale * weight)) for weight in self.weights.tolist()]
        spent = self.rows.least(whole.tolist(), Fraction(scales[-1]))
        for mix in self.mixes:
            own, constant = in_steps(mix.own, scales)
            cost = replace(own, slope=own.slope + whole @ mix.choice.usage)
            cheapest = mix.choice.cheapest(cost, mix.near)
            if cheapest is None:
                return None
            spent += cheapest.least + constant
            mix.add(cheapest.counts)
            mix.near = cheapest.counts
        pinned = (limit * each for limit, each in zip(self.limits, scales, strict=True) if limit is not None)
        return (spent - sum(pinned, Fraction(0))) / scales[self.limits.index(None)]

    def saved(self, mix: Mix) -> Floats:
        """Return about what mixing the choices of a workload saves, by cluster."""
        usage = mix.choice.usage.astype(float)
        return mix.saved(self.weights[-1] * self.rows.bend @ usage**2, self.weights)

    def _dearest(self, mix: Mix) -> Floats:
        """Return about what the last replica of a workload costs alone at most, by cluster."""
        most = (
            weight * own.dearest(mix.choice.total) for weight, own in zip(self.weights, mix.own, strict=True)
        )
        return sum(most, np.zeros(len(mix.choice.names)))
