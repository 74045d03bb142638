"""The price of a replica at which the clusters of the greatest merit hold the total, searched in floats."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from fairlead.solver.exact.costs.deviations import Squares
from fairlead.solver.exact.costs.pieces import Pieces, Prices
from fairlead.solver.exact.marginal import exact_sum, settle_ties
from fairlead.solver.exact.nested.face import Face, Flags
from fairlead.solver.exact.nested.joining import Merits

Cost = Pieces | Squares
"""Costs of levels among which clusters can be chosen."""

MOST_TURNS = 60
# Merits of earlier levels up to this size leave floats enough digits for one more.
SMALL = 2**24
NARROW = Fraction(1, 2**44)


@dataclass(frozen=True, slots=True, eq=False)
class Guess:
    """A price, and sets that hold too few and too many there; `fitting` can hold the total."""

    price: Fraction
    fitting: Flags | None = None
    few: Flags | None = None
    many: Flags | None = None
    bound: Fraction | None = None
    """What is known that no placement costs less than; None where the price says so."""


class Priced(NamedTuple):
    """A price, and what is best there."""

    guess: Guess
    merits: Merits
    """What clusters bring, and groups where these have sums, in steps."""
    steps: int
    """How many steps are 1."""
    narrower: Face
    """What clusters and groups may hold; only sets of the greatest merit count."""


def find_price(face: Face, cost: Cost, price: Fraction | None = None) -> Guess | None:
    """Return about the best price; None where the face holds no placement.

    For every set the prices are known at which it holds the total. The best set at one of them is the next to
    be looked at, until it is the same; prices that turn out too low or too high leave a shrinking interval.
    The first set is the best one at a price that is near, if one is known.
    """
    search = _Search(face, cost)
    used = face.first
    if used is None:
        used = search.first(price)
    else:
        price = None
    for _ in range(MOST_TURNS):
        prices = None if used is None else search.prices(used)
        if used is None or (prices is None and not search.fits_somewhere(used)):
            return None
        if price is not None and prices is not None and _within(price, prices):
            return Guess(price, used)
        if price is not None:
            search.note(used, price, prices)
        price = search.following(prices)
        if price is None:
            break
        used = search.best(price)
    return search.guess()


def _within(price: Fraction, prices: Prices) -> bool:
    """Tell whether a price is among those at which a set holds the total."""
    return (prices.low is None or prices.low <= price) and (prices.high is None or price <= prices.high)


class _Search:
    """What is known of prices: below `low` too few replicas stand, above `high` too many."""

    def __init__(self, face: Face, cost: Cost) -> None:
        self._face = face
        self._cost = cost
        self._low: Fraction | None = None
        self._high: Fraction | None = None
        self._few: Flags | None = None
        self._many: Flags | None = None
        self._fitting: Flags | None = None
        self._looked = False
        self._dearest = Fraction(0)
        self.best: Callable[[Fraction], Flags | None] = self._best_exactly
        if face.settled or int(np.abs(face.merits).sum()) < SMALL:
            self.best = self._best_about

    def first(self, price: Fraction | None) -> Flags | None:
        """Return the best set at a price; any that may be good where none is known."""
        if price is not None:
            return self.best(price)
        face = self._face
        start = self._cost.start if face.settled else np.zeros(len(face.lower), dtype=np.int64)
        picked = face.pick(start)
        return None if picked is None else picked.used

    def _best_about(self, price: Fraction) -> Flags | None:
        """Return about the best set at a price, in floats."""
        face = self._face
        if not face.possible:
            return None
        _, merits = self._cost.guess(float(price), face.lower, face.upper)
        if not face.settled:
            merits = face.merits.astype(float) * (4 * np.abs(merits).sum() + 1) + merits
        picked = face.picker.pick(merits)
        return None if picked is None else picked.used

    def _best_exactly(self, price: Fraction) -> Flags | None:
        """Return the best set at a price, in whole numbers."""
        face = self._face
        low, _ = self._cost.respond(price, face.lower, face.upper)
        at = np.flatnonzero(face.open_to)
        brought, _ = self._cost.merits(price, low, at)
        merits = np.zeros(len(face.lower), dtype=brought.dtype)
        merits[at] = brought
        picked = face.pick(merits)
        return None if picked is None else picked.used

    def prices(self, used: Flags) -> Prices | None:
        """Return the prices at which a set holds the total; None where it cannot."""
        box, at = self._face.box(used)
        if not box.feasible:
            return None
        self._fitting = used
        return self._cost.prices(settle_ties(self._cost.narrow(box, at)), box, at)

    def fits_somewhere(self, used: Flags) -> bool:
        """Tell whether any set can hold the total, as far as that is seen by the most and the least."""
        if self._looked:
            return True
        self._looked = True
        face = self._face
        box, _ = face.box(used)
        too_many = exact_sum(box.lower) > face.total
        picked = face.pick(-face.lower if too_many else face.upper)
        if picked is None:
            return False
        extreme, _ = face.box(picked.used)
        if extreme.feasible:
            self._fitting = picked.used
        return exact_sum(extreme.lower) <= face.total if too_many else exact_sum(extreme.upper) >= face.total

    def note(self, used: Flags, price: Fraction, prices: Prices | None) -> None:
        """Take down that the best set at a price holds too few or too many there."""
        if prices is None:
            box, _ = self._face.box(used)
            few = exact_sum(box.upper) < self._face.total
        else:
            few = prices.low is not None and price < prices.low
        self._dearest = max(self._dearest, abs(price))
        if few:
            self._low, self._few = price, used
        else:
            self._high, self._many = price, used

    def following(self, prices: Prices | None) -> Fraction | None:
        """Return the next price to look at; None where the interval is as good as closed."""
        if prices is not None:
            inside = _between(_largest(prices.low, self._low), _least(prices.high, self._high))
            if inside is not None and self._open(inside):
                return inside
        low, high = self._low, self._high
        if low is not None and high is not None:
            crossing = self._crossing()
            if high - low <= self._blur or crossing in (low, high):
                return None
            return (low + high) / 2 if crossing is None else crossing
        if low is not None:
            return low + 1 + 3 * abs(low)
        return Fraction(0) if high is None else high - 1 - 3 * abs(high)

    @property
    def _blur(self) -> Fraction:
        """By how much a price may be wrong: what floats do not see beside the dearest one."""
        return NARROW * self._dearest

    def _open(self, price: Fraction) -> bool:
        """Tell whether a price was not ruled out."""
        return (self._low is None or self._low < price) and (self._high is None or price < self._high)

    def guess(self) -> Guess:
        """Return the price at which the sets on both sides are equally good, as nearly as it is known."""
        price = self._low if self._low is not None else self._high if self._high is not None else Fraction(0)
        crossing = self._crossing()
        return Guess(price if crossing is None else crossing, self._fitting, self._few, self._many)

    def _crossing(self) -> Fraction | None:
        """Return the price at which the sets on both sides are equally good; None where it is not between."""
        if self._low is None or self._high is None or self._few is None or self._many is None:
            return None
        few, spent_few = self._held(self._few, self._low)
        many, spent_many = self._held(self._many, self._high)
        if many == few:
            return None
        crossing = (spent_many - spent_few) / (many - few)
        return crossing if self._low - self._blur <= crossing <= self._high + self._blur else None

    def _held(self, used: Flags, price: Fraction) -> tuple[int, Fraction]:
        """Return how many replicas a set holds at a price, and what they cost."""
        placed, _ = self._cost.respond(price, self._face.lower, self._face.upper)
        placed = np.where(used, placed, 0)
        return exact_sum(placed), self._cost.value(placed)


def _largest(one: Fraction | None, other: Fraction | None) -> Fraction | None:
    """Return the larger one of two bounds from below; None means none."""
    return one if other is None else other if one is None else max(one, other)


def _least(one: Fraction | None, other: Fraction | None) -> Fraction | None:
    """Return the smaller one of two bounds from above; None means none."""
    return one if other is None else other if one is None else min(one, other)


def _between(low: Fraction | None, high: Fraction | None) -> Fraction | None:
    """Return a price between two bounds, either of which may be missing; None where they cross."""
    if low is not None and high is not None:
        return None if low > high else low if low == high else (low + high) / 2
    if low is not None:
        return low + 1
    return Fraction(0) if high is None else high - 1
