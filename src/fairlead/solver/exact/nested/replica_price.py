"""The price of a replica at which the clusters of the greatest merit hold the total, searched in floats.

For every set the prices are known at which it holds the total. The best set at one of them is the next to be
looked at, until it is the same. Prices that turn out too low or too high leave a shrinking interval; what the
sets on both sides of it bound the cost by are lines, and where they cross is looked at next.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, NamedTuple

import numpy as np

from fairlead.solver.exact.costs.deviations import Squares
from fairlead.solver.exact.costs.pieces import Pieces, PriceRange
from fairlead.solver.exact.marginal import exact_sum, settle_ties
from fairlead.solver.exact.nested.face import Face, Flags
from fairlead.solver.exact.nested.joined_tables import Merits

Cost = Pieces | Squares
"""Costs of levels among which clusters can be chosen."""

MOST_TURNS = 60
# Merits of earlier levels up to this size leave floats enough digits for one more.
SMALL = 2**24


@dataclass(frozen=True, slots=True, eq=False)
class PriceGuess:
    """A price, and sets that hold too few and too many there; `fitting` can hold the total."""

    price: Fraction
    fitting: Flags | None = None
    few: Flags | None = None
    many: Flags | None = None

    @property
    def is_best(self) -> bool:
        """Whether the set that can hold the total is about the best at the price."""
        return self.few is None and self.many is None


class FaceAtPrice(NamedTuple):
    """A price, and merits and replicas of clusters and groups there."""

    guess: PriceGuess
    merits: Merits
    """Merits of clusters, then of groups where these have sums, in steps."""
    steps: int
    """Steps in 1 of the cost."""
    narrower: Face
    """Face of the replicas that clusters and groups may hold there; only sets of the greatest merit count."""


class PriceLine(NamedTuple):
    """Bound of all costs by price of a replica, from the best set at one price."""

    missing: Fraction
    """Replicas by which the set holds less than the total there."""
    spent: Fraction
    """Cost of the replicas that it holds there."""

    def at(self, price: Fraction) -> Fraction:
        """Return the bound at a price."""
        return self.spent + price * self.missing


Side = tuple[Fraction, Flags]
"""A price, and the best set there."""


class PriceSearch(ABC):
    """Looks for the price of a face."""

    blur: ClassVar[Fraction]
    """Error of a price at most, beside its size."""
    close: ClassVar[Fraction]
    """Part of the greatest bound by which that of a price may be less."""
    dearest_price: ClassVar[Fraction | None] = None
    """Prices stay below this; None where something else keeps them from growing without end."""

    def __init__(self, face: Face, cost: Cost) -> None:
        self.face = face
        self.cost = cost
        self.fitting: Flags | None = None
        """The set that was found last that can hold the total."""

    @property
    def start(self) -> Merits:
        """About how desirable clusters are, for a first set."""
        return self.cost.start if self.face.settled else np.zeros(len(self.face.lower), dtype=np.int64)

    @abstractmethod
    def best(self, price: Fraction) -> Flags | None:
        """Return about the best set at a price; None where no set keeps the limits."""

    @abstractmethod
    def prices(self, used: Flags) -> PriceRange | None:
        """Return the prices at which a set holds the total; None where it cannot."""

    @abstractmethod
    def line(self, price: Fraction, used: Flags) -> PriceLine:
        """Return the bound of the cost by the best set at a price."""

    @abstractmethod
    def is_refuted(self, used: Flags, price: Fraction | None, prices: PriceRange | None) -> bool:
        """Tell whether the best set at a price, if known, shows that none can hold the total."""

    def guess(self, near: Fraction | None) -> PriceGuess | None:
        """Return about the best price, near one if that is known; None where the face holds no placement."""
        low: Side | None = None
        high: Side | None = None
        price, used = near, self._first() if near is None else self.best(near)
        for _ in range(MOST_TURNS):
            if used is None:
                return None
            prices = self.prices(used)
            if prices is not None:
                self.fitting = used
            if price is not None:
                if prices is not None and self._is_within(prices.nearest(price), price):
                    return PriceGuess(prices.nearest(price), used)
                if self.line(price, used).missing > 0 if prices is None else prices.nearest(price) > price:
                    low = price, used
                else:
                    high = price, used
            if self.is_refuted(used, price, prices):
                return None
            price = self._following(low, high, prices)
            if price is None:
                break
            used = self.best(price)
        known = [each for each in (low, high) if each is not None]
        best = max((self.line(*each).at(each[0]), each[0]) for each in known)[1] if known else Fraction(0)
        if low is not None and high is not None:
            best = self._crossing(low, high) or best
        few, many = (None if each is None else each[1] for each in (low, high))
        return PriceGuess(best, self.fitting, few, many)

    def _first(self) -> Flags | None:
        """Return a set that may be good; None where none keeps the limits."""
        if self.face.first is not None:
            return self.face.first
        picked = self.face.pick(self.start)
        return None if picked is None else picked.used

    def _is_within(self, one: Fraction, other: Fraction) -> bool:
        """Tell whether two prices are as good as the same."""
        return abs(one - other) <= self.blur * max(abs(one), abs(other))

    def _following(self, low: Side | None, high: Side | None, prices: PriceRange | None) -> Fraction | None:
        """Return the next price to look at; None where no other one bounds the cost much better."""
        least, most = None if low is None else low[0], None if high is None else high[0]
        if prices is not None:
            inside = prices.within(least, most).middle
            if inside is not None and least != inside != most:
                return inside
        if low is not None and high is not None:
            if self._is_within(low[0], high[0]):
                return None
            crossing = self._crossing(low, high)
            if crossing is None:
                return (low[0] + high[0]) / 2
            known = max(self.line(*each).at(each[0]) for each in (low, high))
            most_bound = self.line(*low).at(crossing)
            return None if most_bound - known <= self.close * abs(most_bound) else crossing
        found = Fraction(0)
        if least is not None:
            found = least + 1 + 3 * abs(least)
        elif most is not None:
            found = most - 1 - 3 * abs(most)
        return found if self.dearest_price is None or abs(found) < self.dearest_price else None

    def _crossing(self, low: Side, high: Side) -> Fraction | None:
        """Return the price at which two sets bound the same; None where that is not between theirs."""
        first, second = self.line(*low), self.line(*high)
        fall = first.missing - second.missing
        if fall <= 0:
            return None
        found = (second.spent - first.spent) / fall
        inside = min(max(found, low[0]), high[0])
        return inside if self._is_within(found, inside) else None


class ClusterPriceSearch(PriceSearch):
    """Looks for the price of a face without sums: only clusters have bounds."""

    blur = Fraction(1, 2**44)
    close = Fraction(0)

    def __init__(self, face: Face, cost: Cost) -> None:
        super().__init__(face, cost)
        self._looked = False
        self._lines: dict[Fraction, PriceLine] = {}
        self._exactly = not face.settled and int(np.abs(face.merits).sum()) >= SMALL

    def best(self, price: Fraction) -> Flags | None:
        """Return about the best set at a price, in whole numbers where floats would not tell it."""
        face = self.face
        if not face.possible:
            return None
        if self._exactly:
            low, _ = self.cost.respond(price, face.lower, face.upper)
            at = np.flatnonzero(face.open_to)
            brought, _ = self.cost.merits(price, low, at)
            exact = np.zeros(len(face.lower), dtype=brought.dtype)
            exact[at] = brought
            picked = face.pick(exact)
        else:
            _, merits = self.cost.guess(float(price), face.lower, face.upper)
            if not face.settled:
                merits = face.merits.astype(float) * (4 * np.abs(merits).sum() + 1) + merits
            picked = face.picker.pick(merits)
        return None if picked is None else picked.used

    def prices(self, used: Flags) -> PriceRange | None:
        """Return the prices at which a set holds the total; None where it cannot."""
        box, at = self.face.box(used)
        if not box.feasible:
            return None
        return self.cost.prices(settle_ties(self.cost.narrow(box, at)), box, at)

    def line(self, price: Fraction, used: Flags) -> PriceLine:
        """Return the bound of the cost by the best set at a price."""
        if price not in self._lines:
            placed, _ = self.cost.respond(price, self.face.lower, self.face.upper)
            placed = np.where(used, placed, 0)
            missing = Fraction(self.face.total - exact_sum(placed))
            self._lines[price] = PriceLine(missing, self.cost.value(placed))
        return self._lines[price]

    def is_refuted(self, used: Flags, price: Fraction | None, prices: PriceRange | None) -> bool:
        """Tell whether no set holds the total, as far as that is seen by the most and the least."""
        del price
        if prices is not None or self._looked:
            return False
        self._looked = True
        face = self.face
        box, _ = face.box(used)
        too_many = exact_sum(box.lower) > face.total
        picked = face.pick(-face.lower if too_many else face.upper)
        if picked is None:
            return True
        extreme, _ = face.box(picked.used)
        if extreme.feasible:
            self.fitting = picked.used
        return exact_sum(extreme.lower) > face.total if too_many else exact_sum(extreme.upper) < face.total
