"""Mixes of choices: parts of the choices of workloads, and how all together fill rows at prices.

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

from fairlead.solver.columns.choice import ChoiceSet, Floats, Numbers
from fairlead.solver.columns.own_cost import OwnCost

NOTHING = 1e-9
"""Parts of a mix that are as good as none, and gains that are."""


@dataclass(slots=True, eq=False)
class Mix:
    """Parts of the choices of one workload that add up to 1, with what they use and cost on every level.

    Parameters
    ----------
    choice
        Choices of the workload.
    own
        Costs of choices alone, by level.
    counts, used, costs, parts
        By choice in the mix: replicas by cluster, what is used by row, costs by level, and how much of it.
        Another choice makes new arrays; only parts are changed in place.
    near
        The choice that was cheapest last.
    """

    choice: ChoiceSet
    own: tuple[OwnCost, ...]
    counts: Numbers
    used: Floats
    costs: Floats
    parts: Floats
    near: Numbers

    @classmethod
    def of(cls, choice: ChoiceSet, own: tuple[OwnCost, ...], counts: Numbers, column: Numbers) -> "Mix":
        """Return the mix of one choice."""
        used, costs = (choice.need * counts[column]).astype(float), [each.about(counts) for each in own]
        return cls(choice, own, counts[None], used[None], np.array([costs]), np.ones(1), counts)

    def add(self, counts: Numbers, column: Numbers) -> None:
        """Take in a choice, none of it so far."""
        self.near = counts
        if not bool((self.counts == counts).all(axis=1).any()):
            costs = [own.about(counts) for own in self.own]
            self.counts = np.vstack((self.counts, counts))
            self.used = np.vstack((self.used, (self.choice.need * counts[column]).astype(float)))
            self.costs = np.vstack((self.costs, costs))
            self.parts = np.append(self.parts, 0.0)

    def taking(self, counts: Numbers, column: Numbers) -> "Mix":
        """Return the mix of one choice, with none of all others that are known."""
        mix = replace(self, parts=self.parts.copy())
        mix.add(counts, column)
        mix.parts = (mix.counts == counts).all(axis=1).astype(float)
        return mix

    def choices(self) -> Numbers:
        """Return the choices of which there is some, the largest part first."""
        order = np.argsort(-self.parts, kind="stable")
        found: Numbers = self.counts[order[self.parts[order] > NOTHING]]
        return found

    def among(self, kept: Sequence[int] | Numbers) -> "Mix":
        """Return the mix of some of its choices, their parts as they were to each other."""
        parts = self.parts[kept]
        whole = float(parts.sum())
        parts = parts / whole if whole > NOTHING else np.full(len(parts), 1 / len(parts))
        return replace(
            self, counts=self.counts[kept], used=self.used[kept], costs=self.costs[kept], parts=parts
        )

    def within(self, part: "ChoicePart", column: Numbers) -> "Mix":
        """Return the mix of what can be chosen within bounds, and the cheapest choice there."""
        kept = np.flatnonzero(((self.counts >= part.lower) & (self.counts <= part.upper)).all(axis=1))
        if not len(kept):
            return Mix.of(part.choice, self.own, part.counts, column)
        mix = replace(self.among(kept), choice=part.choice)
        mix.add(part.counts, column)
        return mix

    @property
    def total(self) -> Floats:
        """About what the mix uses, by row."""
        found: Floats = self.parts @ self.used
        return found

    @property
    def spent(self) -> Floats:
        """About what the mix costs alone, by level."""
        found: Floats = self.parts @ self.costs
        return found

    @property
    def mean(self) -> Floats:
        """Replicas by cluster in the mean."""
        found: Floats = self.parts @ self.counts
        return found

    @property
    def spread(self) -> Floats:
        """How far replicas are from their mean, squared, by cluster."""
        found: Floats = self.parts @ (self.counts - self.mean) ** 2
        return found

    def bounds(self, cluster: int, least: int = 0, most: int | None = None) -> tuple[Numbers, Numbers]:
        """Return fewest and most replicas by cluster that bound one cluster only."""
        lower = np.zeros(len(self.choice.names), dtype=np.int64)
        upper = lower + self.choice.total
        lower[cluster] = least
        upper[cluster] = self.choice.total if most is None else most
        return lower, upper

    def saved(self, bend: Floats, weights: Floats) -> Floats:
        """Return about the saving by mixing, by cluster: the cost of choices beyond that of their mean.

        Parameters
        ----------
        bend
            Cost of a square of replicas by what they use, by cluster.
        weights
            Weight of a unit of every level.
        """
        mean = self.mean
        found: Floats = bend * self.spread
        for own, weight in zip(self.own, weights.tolist(), strict=True):
            if own.counts:
                found = found + weight * (self.parts @ own.by_cluster(self.counts) - own.by_cluster(mean))
        return found

    @property
    def largest(self) -> Numbers:
        """The choice of which there is most in the mix."""
        found: Numbers = self.counts[int(self.parts.argmax())]
        return found


@dataclass(frozen=True, slots=True, eq=False)
class ChoicePart:
    """A part of what one workload can choose.

    Parameters
    ----------
    at
        Number of the workload.
    lower, upper
        Bounds by cluster.
    choice
        Choices within these bounds.
    counts, term
        A choice that costs least at the prices that are known, and what all of them cost at least.
    """

    at: int
    lower: Numbers
    upper: Numbers
    choice: ChoiceSet
    counts: Numbers
    term: int | Fraction


@dataclass(frozen=True, slots=True, eq=False)
class PricedMixes:
    """Prices, and the least that any placement costs there.

    Parameters
    ----------
    prices
        Of a unit of every row, in whole steps.
    scales
        Steps in a unit of every level.
    step
        Steps in a unit of the level that is minimised.
    rest
        Least cost of rows, less the limits of pinned levels, in steps.
    terms
        Least cost of every workload, in steps.
    earned
        About what the last replica of every workload costs, in steps.
    """

    prices: Numbers
    scales: tuple[int, ...]
    step: int
    rest: Fraction
    terms: tuple[int | Fraction, ...]
    earned: Numbers

    @property
    def bound(self) -> Fraction:
        """Bound of the level that is minimised, in its unit."""
        return (self.rest + sum(self.terms)) / self.step

    def with_term(self, at: int, term: int | Fraction) -> "PricedMixes":
        """Return the same with another term of one workload."""
        return replace(self, terms=(*self.terms[:at], term, *self.terms[at + 1 :]))
