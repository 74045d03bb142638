"""Prices where groups have sums: one of a replica for the whole, and one inside of each group at a bound.

In a group at its most a replica is worth less than around it, in one at its least more. What that is on all
replicas that it has to hold is a merit of its use, so the greatest merit of a set is a bound whatever the
prices, as it is with one price (`fairlead.solver.exact.nested.narrowing`). Inside of a group that a set uses
they follow from its best division (`fairlead.solver.exact.laminar`), inside of all others from what the group
would hold.
"""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairlead.solver.exact.laminar import WHOLE, Place
from fairlead.solver.exact.nested.face import Face, Flags, Numbers
from fairlead.solver.exact.nested.joining import Merits
from fairlead.solver.exact.nested.pricing import Cost, Guess, Priced
from fairlead.solver.exact.nested.sets_in_groups import Sets, Units

MOST_TURNS = 40
ROUNDING = 2.0**-30
"""By how much sums in floats may be wrong, as a part of the numbers that are added."""
CLOSE = 2.0**-20
"""By how much less than the most a price may bound the cost, as a part of it."""
DEAREST = 2.0**50
"""Prices stay below this."""
BLUR = 2.0**-36
"""By how much a price in floats may be wrong beside its size."""


def in_groups(face: Face, cost: Cost, depth: int, near: Fraction | None) -> Priced | None:
    """Return about the best prices, and what is best there; None where a face with sums holds no placement.

    Parameters
    ----------
    cost, depth
        What the groups of a depth cost; the depth behind the finest groups is that of clusters.
    near
        What may be about the price of the whole.
    """
    search = _Search(Sets(face, cost, Units.of(face, depth), np.zeros(depth + 1)))
    found = search.found(near)
    return None if found is None else search.exactly(*found)


@dataclass(slots=True, eq=False)
class _Line:
    """What a price bounds the cost by, and how many replicas are missing there."""

    price: float
    value: float
    missing: float
    used: Flags


@dataclass(slots=True, eq=False)
class _Search:
    """Looks for prices of a face."""

    sets: Sets
    fitting: Flags | None = None
    """The set that was found last that can hold the total."""

    def found(self, near: Fraction | None) -> tuple[Guess, dict[Place, Fraction]] | None:
        """Return a price and sets, with the exact prices that a set has where one was found that holds all.

        None where no set keeps the limits, or none that does holds the total.
        """
        total = self.sets.face.total
        low: _Line | None = None
        high: _Line | None = None
        price = self._first() if near is None else float(near)
        for _ in range(MOST_TURNS):
            if price is None:
                return None
            used, merits = self.sets.best(price)
            if used is None:
                return None
            own = self._prices(used, price)
            if own is not None:
                self.fitting = used
                if abs(float(own[WHOLE]) - price) <= BLUR * abs(price):
                    return Guess(own[WHOLE], used, bound=self._bound(price, merits)), own
            held = self.sets.held(used)
            value = price * total - merits
            if value - ROUNDING * (abs(price) * total + abs(merits)) > 2 * self.sets.dearest + 1:
                return None
            line = _Line(price, value, total - held, used)
            if (own is None and held < total) or (own is not None and own[WHOLE] > price):
                low = line
            else:
                high = line
            price = _following(low, high, None if own is None else float(own[WHOLE]))
            if price is None:
                break
        best = max((each for each in (low, high) if each is not None), key=lambda each: each.value)
        if low is not None and high is not None and (crossing := _crossing(low, high)) is not None:
            best = replace(best, price=crossing)
        used, merits = self.sets.best(best.price)
        bound = self._bound(best.price, merits)
        few, many = (None if each is None else each.used for each in (low, high))
        return Guess(Fraction(best.price), self.fitting, few, many, bound), {}

    def _bound(self, price: float, merit: float) -> Fraction | None:
        """Return what nothing costs less than, where groups have prices by number of clusters in use."""
        if not self.sets.counted:
            return None
        size = abs(price) * self.sets.face.total + abs(merit)
        return Fraction(price * self.sets.face.total - merit - ROUNDING * size)

    def exactly(self, guess: Guess, own: dict[Place, Fraction]) -> Priced:
        """Return what is best at prices in whole numbers."""
        face, limits, units = self.sets.face, self.sets.face.limits, self.sets.units
        prices = self._exact_prices(guess, own)
        of_units = prices[-1][units.around[-1]] if units.depth else np.full(len(units.lower), guess.price)
        low, high = units.lower.copy(), units.upper.copy()
        found: list[tuple[Numbers, Merits, int]] = []
        for price in dict.fromkeys(of_units.tolist()):
            at = np.flatnonzero((of_units == price) & units.open_to)
            part = self.sets.cost.of(at)
            low[at], high[at] = part.respond(price, units.lower[at], units.upper[at])
            found.append((at, *self.sets.cost.merits(price, low, at)))
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
        return Priced(guess, merits, steps, narrower)

    def _exact_prices(self, guess: Guess, own: dict[Place, Fraction]) -> list[NDArray[Any]]:
        """Return the prices inside of groups, by depth: those of a set, about the best in other groups."""
        limits, found = self.sets.face.limits, list[NDArray[Any]]()
        outer = np.full(1, guess.price)
        for number in range(self.sets.units.depth):
            around = outer[limits.around[number]]
            used = np.zeros(limits.wider[number].groups, dtype=bool)
            if own and guess.fitting is not None:
                used[limits.wider[number].group[guess.fitting]] = True
            about = self.sets.inside[number]
            close = np.abs(about - around.astype(float)) <= BLUR * np.abs(about)
            outer = np.array(
                [
                    own.get((number + 1, group), other if keep else Fraction(each))
                    for group, (other, keep, each) in enumerate(
                        zip(around.tolist(), (used | close).tolist(), about.tolist(), strict=True)
                    )
                ]
            )
            found.append(outer)
        return found

    def _first(self) -> float | None:
        """Return the price of a set that may be good; None where none keeps the limits."""
        face, clusters = self.sets.face, self.sets.units.depth == len(self.sets.face.limits.wider)
        start = (
            self.sets.cost.start if clusters and face.settled else np.zeros(len(face.lower), dtype=np.int64)
        )
        used = face.first
        if used is None:
            picked = face.pick(start)
            if picked is None:
                return None
            used = picked.used
        own = self._prices(used, 0.0)
        if own is not None:
            self.fitting = used
        return 0.0 if own is None else float(own[WHOLE])

    def _prices(self, used: Flags, price: float) -> dict[Place, Fraction] | None:
        """Return the prices of the best division of a set, near those at hand; None where there is none."""
        face, depth = self.sets.face, self.sets.units.depth
        divided = face.division(used)
        if divided is None:
            return None
        box, at = divided
        path = [np.unique(each.group[at], return_index=True) for each in face.limits.wider]
        path = [(group[np.argsort(first)], first) for group, first in path]
        near: dict[Place, Fraction] = {WHOLE: Fraction(price)}
        for number, about in enumerate(self.sets.inside):
            groups = path[number][0].tolist()
            near |= {(number + 1, n): Fraction(float(about[group])) for n, group in enumerate(groups)}
        units = at if depth == len(face.limits.wider) else path[depth][0]
        _, own = box.priced(self.sets.cost.of(units), depth + 1, near)
        return {
            (place if place == WHOLE else (place[0], int(path[place[0] - 1][0][place[1]]))): each
            for place, each in own.items()
        }


def _following(low: _Line | None, high: _Line | None, own: float | None) -> float | None:
    """Return the next price to look at; None where prices that are too low and too high are close."""
    least = -math.inf if low is None else low.price
    most = math.inf if high is None else high.price
    if own is not None and least < own < most:
        return own
    if low is None or high is None:
        found = least + 1 + 3 * abs(least) if high is None else most - 1 - 3 * abs(most)
        return found if abs(found) < DEAREST else None
    crossing = _crossing(low, high)
    if crossing is not None:
        # No price in between bounds the cost by more than this.
        best = low.value + low.missing * (crossing - low.price)
        if best - max(low.value, high.value) <= CLOSE * abs(best):
            return None
    if most - least <= BLUR * max(abs(least), abs(most)):
        return None
    middle = (least + most) / 2 if crossing is None else crossing
    return middle if least < middle < most else None


def _crossing(low: _Line, high: _Line) -> float | None:
    """Return the price at which what two lines bound is the same; None where it is not between them."""
    fall = low.missing - high.missing
    if fall <= 0:
        return None
    found = (high.value - low.value + low.missing * low.price - high.missing * high.price) / fall
    return found if low.price < found < high.price else None
