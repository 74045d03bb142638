"""About the best set of clusters at a price of a replica, where groups have sums: searched in floats.

Inside of a group at a bound a replica has a price of its own: the one at which the group would hold what it
may. Which clusters it would use is told by what these bring.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairlead.solver.exact.nested.face import Face, Flags, Numbers
from fairlead.solver.exact.nested.joined_tables import Merits
from fairlead.solver.exact.nested.replica_price import Cost

DOUBLINGS = 60
HALVINGS = 20
WHOLE_STEPS = 2.0**40
"""Steps of the greatest merit where merits are counted after those of levels before."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class SummedParts:
    """Parts of the sum that a level is: clusters, or the groups of a depth."""

    depth: int
    lower: Numbers
    upper: Numbers
    """Fewest and most replicas of one in use."""
    open_to: Flags
    required: Flags
    around: Sequence[Numbers]
    """Group around each, by depth further out."""

    @classmethod
    def of(cls, face: Face, depth: int) -> "SummedParts":
        """Return the units of a depth."""
        wider = face.limits.wider
        if depth == len(wider):
            upper = np.minimum(face.upper, face.total)
            around = [each.group for each in wider]
            return cls(depth, face.lower, upper, face.open_to, face.required, around)
        limit, (lower, upper) = wider[depth], face.sums[depth]
        most, needed = np.zeros(limit.groups, dtype=np.int64), np.zeros(limit.groups, dtype=np.int64)
        least = np.full(limit.groups, face.total + 1)
        at = np.flatnonzero(face.open_to)
        np.add.at(most, limit.group[at], np.minimum(face.upper, face.total)[at])
        np.minimum.at(least, limit.group[at], face.lower[at])
        np.add.at(needed, limit.group[face.required], face.lower[face.required])
        around, outer = [], np.arange(limit.groups)
        for number in reversed(range(depth)):
            outer = face.limits.around[number + 1][outer]
            around.append(outer)
        lower, upper = np.maximum(lower, np.maximum(least, needed)), np.minimum(upper, most)
        required = face.needed[depth] | (needed > 0)
        return cls(depth, lower, np.maximum(lower, upper), lower <= upper, required, around[::-1])


@dataclass(eq=False)
class SetsInGroups:
    """Finds sets of a face at prices, and keeps the prices inside of groups that it found last."""

    face: Face
    cost: Cost
    units: SummedParts
    price: float = 0.0
    inside: list[Floats] = field(default_factory=list)
    """The price that was looked at last, and those inside of groups by depth."""

    def best(self, price: float) -> tuple[Flags | None, float]:
        """Return about the best set at a price, and its merit; the prices inside of groups are kept."""
        face = self.face
        merits = self._merits(price)
        picked = face.picker.pick(self._after(merits))
        if picked is None:
            return None, 0.0
        return picked.used, float(merits[face.nodes(picked.used)].sum())

    @cached_property
    def dearest(self) -> float:
        """No placement costs more: a cluster costs most where it holds most or least, as costs are convex."""
        ends = (self.units.lower, self.units.upper)
        merits = np.minimum(*(self.cost.guess(0.0, each, each)[1] for each in ends))
        return float(-np.minimum(merits, 0)[self.units.open_to].sum())

    def earned(self, prices: Sequence[NDArray[Any]], price: Any) -> list[NDArray[Any]]:
        """Return the merit of the use of groups by the replicas that they have to hold, by depth."""
        return [
            (around - each) * np.where(each < around, upper, lower)
            for (lower, upper), each, around in zip(
                self.face.sums, prices, self.outer(prices, price), strict=False
            )
        ]

    def outer(self, prices: Sequence[NDArray[Any]], price: Any) -> list[NDArray[Any]]:
        """Return the prices around groups, by depth."""
        whole = np.full(1, price)
        return [
            outer[around] for outer, around in zip([whole, *prices], self.face.limits.around, strict=False)
        ][: len(prices)]

    def held(self, used: Flags) -> float:
        """Return about how many replicas a set holds at the prices at hand."""
        units = self.units
        of_units = self.inside[-1][units.around[-1]] if units.depth else self.price
        held, _ = self.cost.guess(of_units, units.lower, units.upper)
        return float(self._up(np.where(self._of_units(used), held, 0)).sum())

    def _after(self, merits: Floats) -> Merits:
        """Return merits that count after those of levels before, as whole numbers where there are any."""
        face = self.face
        if face.settled:
            return merits
        largest = float(np.abs(merits).max()) or 1.0
        whole = np.rint(merits / largest * WHOLE_STEPS).astype(np.int64)
        open_to = np.concatenate([face.open_to, np.ones(len(face.merits) - len(face.open_to), dtype=bool)])
        whole = np.where(open_to, whole, 0)
        factor = 2 * int(np.abs(whole).sum()) + 1
        return face.merits.astype(object) * factor + whole

    def _merits(self, price: float) -> Floats:
        """Return about the merits of clusters and groups at a price."""
        face, units = self.face, self.units
        self.price, self.inside = price, self._inside(price)
        of_units = self.inside[-1][units.around[-1]] if units.depth else np.full(len(units.lower), price)
        _, single = self.cost.guess(of_units, units.lower, units.upper)
        groups = [np.zeros(each.groups) for each in face.limits.wider]
        for number, each in enumerate(self.earned(self.inside, price)):
            groups[number] = each
        if units.depth < len(groups):
            groups[units.depth] = single
        clusters = single if units.depth == len(groups) else np.zeros(len(face.lower))
        return np.concatenate([clusters, *groups])

    def _inside(self, price: float) -> list[Floats]:
        """Return about the prices inside of groups at a price of the whole, by depth."""
        found: list[Floats] = []
        outer = np.full(1, price)
        for number in range(self.units.depth):
            around = outer[self.face.limits.around[number]]
            outer = _at_bounds(partial(self._sums, number), around, *self.face.sums[number])
            found.append(outer)
        return found

    def _sums(self, number: int, price: Floats) -> Floats:
        """Return about the replicas of the groups of a depth at prices inside of them."""
        units = self.units
        held, merits = self.cost.guess(price[units.around[number]], units.lower, units.upper)
        return self._up(np.where(self._taken(merits, number), held, 0), number)

    def _up(self, held: Numbers, number: int = -1) -> Floats:
        """Return the sums of groups of a depth, or of the whole, those of groups further in cut to bounds."""
        face, sums = self.face, held.astype(float)
        for depth in reversed(range(max(number, 0), self.units.depth)):
            lower, upper = face.sums[depth]
            sums = np.bincount(self._around(depth + 1), sums, len(lower)).astype(float)
            if depth > number:
                sums = np.where(sums > 0, np.clip(sums, lower, upper), 0.0)
        return sums

    def _of_units(self, used: Flags) -> Flags:
        """Return the units that a set of clusters uses."""
        if self.units.depth == len(self.face.limits.wider):
            return used
        limit = self.face.limits.wider[self.units.depth]
        return np.bincount(limit.group[used], minlength=limit.groups) > 0

    def _taken(self, merits: Floats, number: int) -> Flags:
        """Return about which units groups of a depth would use.

        Whatever brings anything is used, and of a group that is used something is.
        """
        face, units = self.face, self.units
        value, taken = np.where(units.open_to, merits, -np.inf), list[Flags]()
        depths = range(number + 1, units.depth + 1)
        for depth in reversed(depths):
            required = units.required if depth == units.depth else face.needed[depth]
            around, groups = self._around(depth), face.limits.wider[depth - 1].groups
            best = np.full(groups, -np.inf)
            np.maximum.at(best, around, value)
            taken.append(required | (value > 0) | ((value == best[around]) & (value > -np.inf)))
            value = np.bincount(around, np.where(taken[-1] & (value > -np.inf), value, 0), groups)
            value = np.where(best > -np.inf, value, -np.inf)
        used = np.ones(1, dtype=bool)
        for each, depth in zip(reversed(taken), depths, strict=True):
            used = each & (used[self._around(depth)] if depth > number + 1 else True)
        return used & units.open_to

    def _around(self, depth: int) -> Numbers:
        """Return the group around each unit, or each group of a depth."""
        return self.units.around[-1] if depth == self.units.depth else self.face.limits.around[depth]


def _at_bounds(sums: Callable[[Floats], Floats], price: Floats, lower: Numbers, upper: Numbers) -> Floats:
    """Return prices inside of groups at which these hold what they may, near given ones.

    The given one where none was found.
    """
    found = sums(price)
    over, under = found > upper, found < lower
    if not bool(np.any(over | under)):
        return price

    def beyond(inside: Floats) -> Flags:
        found = sums(inside)
        return (over & (found > upper)) | (under & (found < lower))

    step = np.where(over, -1.0, 1.0) * (np.abs(price) * 2.0**-8 + 2.0**-20) * (over | under)
    far, near = price + step, price
    for _ in range(DOUBLINGS):
        short = beyond(far)
        if not short.any():
            break
        near, step = np.where(short, far, near), 2 * step
        far = np.where(short, far + step, far)
    never = beyond(far)
    for _ in range(HALVINGS):
        middle = (near + far) / 2
        short = beyond(middle)
        near, far = np.where(short, middle, near), np.where(short, far, middle)
    return np.where((over | under) & ~never, far, price)
