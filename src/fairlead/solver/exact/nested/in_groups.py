"""Prices where groups have sums: one of a replica for the whole, and one inside of each group at a bound.

In a group at its most a replica is worth less than around it, in one at its least more. What that is on all
replicas that it has to hold is a merit of its use, so the greatest merit of a set is a bound whatever the
prices, as it is with one price (`fairlead.solver.exact.nested.narrowed_face`). Inside of a group that a set
uses they follow from its best division (`fairlead.solver.exact.laminar`), inside of all others from what the
group would hold.
"""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairlead.solver.exact.costs.pieces import PriceRange
from fairlead.solver.exact.laminar import WHOLE, Place
from fairlead.solver.exact.nested.face import Face, Flags, Numbers
from fairlead.solver.exact.nested.joined_tables import Merits
from fairlead.solver.exact.nested.replica_price import Cost, FaceAtPrice, PriceGuess, PriceLine, PriceSearch
from fairlead.solver.exact.nested.sets_in_groups import SetsInGroups, SummedParts

ROUNDING = 2.0**-30
"""Error of sums in floats at most, as a part of the numbers that are added."""
BLUR = 2.0**-36
"""Error of a price in floats at most, beside its size."""


def in_groups(face: Face, cost: Cost, depth: int, near: Fraction | None) -> FaceAtPrice | None:
    """Return about the best prices, and what is best there; None where a face with sums holds no placement.

    `cost`, `depth`: what the groups of a depth cost; the depth behind the finest groups is that of clusters.
    `near`: what may be about the price of the whole.
    """
    search = _InGroups(SetsInGroups(face, cost, SummedParts.of(face, depth)))
    guess = search.guess(near)
    return None if guess is None else search.exactly(guess)


class _InGroups(PriceSearch):
    """Looks for prices of a face in which groups have bounds."""

    blur = Fraction(BLUR)
    close = Fraction(1, 2**20)
    dearest_price = Fraction(2**50)

    def __init__(self, sets: SetsInGroups) -> None:
        super().__init__(sets.face, sets.cost)
        self.sets = sets
        self._merit = 0.0
        self._lines: dict[Fraction, PriceLine] = {}
        self._own: dict[Place, Fraction] = {}
        """The prices of the set that was looked at last."""

    @property
    def start(self) -> Merits:
        """About how desirable clusters are; nothing where a level is about groups."""
        clusters = self.sets.units.depth == len(self.face.limits.wider)
        return super().start if clusters else np.zeros(len(self.face.lower), dtype=np.int64)

    def best(self, price: Fraction) -> Flags | None:
        """Return about the best set at a price; the prices inside of groups are kept."""
        used, self._merit = self.sets.best(float(price))
        if used is not None:
            held = self.sets.held(used)
            missing = Fraction(self.face.total - held)
            self._lines[price] = PriceLine(missing, Fraction(float(price) * held - self._merit))
        return used

    def prices(self, used: Flags) -> PriceRange | None:
        """Return the price at which a set holds the total, near those at hand; None where it cannot."""
        own = self._prices(used)
        if own is None:
            return None
        self._own = own
        return PriceRange(own[WHOLE], own[WHOLE])

    def line(self, price: Fraction, used: Flags) -> PriceLine:
        """Return about the bound of the cost by the best set at a price."""
        del used
        return self._lines[price]

    def is_refuted(self, used: Flags, price: Fraction | None, prices: PriceRange | None) -> bool:
        """Tell whether more is bounded than any placement costs."""
        del prices
        if price is None:
            return False
        size = abs(price) * self.face.total + abs(Fraction(self._merit))
        return self.line(price, used).at(price) - Fraction(ROUNDING) * size > 2 * self.sets.dearest + 1

    def exactly(self, guess: PriceGuess) -> FaceAtPrice:
        """Return merits and replicas at prices in whole numbers."""
        if not guess.is_best:
            self.best(guess.price)
            self._own = {}
        face, limits, units = self.face, self.face.limits, self.sets.units
        prices = self._exact_prices(guess)
        of_units = prices[-1][units.around[-1]] if units.depth else np.full(len(units.lower), guess.price)
        low, high = units.lower.copy(), units.upper.copy()
        found: list[tuple[Numbers, Merits, int]] = []
        for price in dict.fromkeys(of_units.tolist()):
            at = np.flatnonzero((of_units == price) & units.open_to)
            part = self.cost.of(at)
            low[at], high[at] = part.respond(price, units.lower[at], units.upper[at])
            found.append((at, *self.cost.merits(price, low, at)))
        earned = self.sets.earned(prices, guess.price)
        steps = math.lcm(
            *(each for _, _, each in found), *(each.denominator for some in earned for each in some)
        )
        brought = np.zeros(len(units.lower), dtype=object)
        for at, merits, each in found:
            brought[at] = merits.astype(object) * (steps // each)
        groups = [np.zeros(each.groups, dtype=object) for each in limits.wider]
        for number, some in enumerate(earned):
            groups[number] = np.array([int(each * steps) for each in some], dtype=object)
        sums = [
            (np.where(each < around, upper, lower), np.where(each > around, lower, upper))
            for (lower, upper), each, around in zip(
                face.sums, prices, self.sets.outer(prices, guess.price), strict=False
            )
        ]
        clusters, lower, upper = np.zeros(len(face.lower), dtype=object), face.lower, face.upper
        if units.depth == len(limits.wider):
            clusters, lower, upper = brought, low, high
        else:
            groups[units.depth] = brought
            sums.append((low, high))
        merits = np.concatenate([clusters, *groups])
        narrower = replace(
            face,
            lower=lower,
            upper=upper,
            merits=face.combined(merits),
            sums=(*sums, *face.sums[len(sums) :]),
            first=None,
        )
        return FaceAtPrice(guess, merits, steps, narrower)

    def _exact_prices(self, guess: PriceGuess) -> list[NDArray[Any]]:
        """Return the prices inside of groups, by depth: those of a set, about the best in other groups."""
        limits, found = self.face.limits, list[NDArray[Any]]()
        outer = np.full(1, guess.price)
        for number in range(self.sets.units.depth):
            around = outer[limits.around[number]]
            used = np.zeros(limits.wider[number].groups, dtype=bool)
            if self._own and guess.fitting is not None:
                used[limits.wider[number].group[guess.fitting]] = True
            about = self.sets.inside[number]
            close = np.abs(about - around.astype(float)) <= BLUR * np.abs(about)
            outer = np.array(
                [
                    self._own.get((number + 1, group), other if keep else Fraction(each))
                    for group, (other, keep, each) in enumerate(
                        zip(around.tolist(), (used | close).tolist(), about.tolist(), strict=True)
                    )
                ]
            )
            found.append(outer)
        return found

    def _prices(self, used: Flags) -> dict[Place, Fraction] | None:
        """Return the prices of the best division of a set, near those at hand; None where there is none."""
        face, depth = self.face, self.sets.units.depth
        divided = face.division(used)
        if divided is None:
            return None
        box, at = divided
        path = [np.unique(each.group[at], return_index=True) for each in face.limits.wider]
        path = [(group[np.argsort(first)], first) for group, first in path]
        near: dict[Place, Fraction] = {WHOLE: Fraction(self.sets.price)}
        for number, about in enumerate(self.sets.inside):
            groups = path[number][0].tolist()
            near |= {(number + 1, n): Fraction(float(about[group])) for n, group in enumerate(groups)}
        units = at if depth == len(face.limits.wider) else path[depth][0]
        _, own = box.priced(self.cost.of(units), depth + 1, near)
        return {
            (place if place == WHOLE else (place[0], int(path[place[0] - 1][0][place[1]]))): each
            for place, each in own.items()
        }
