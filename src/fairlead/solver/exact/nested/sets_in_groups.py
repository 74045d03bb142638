"""About the best set of clusters at a price of a replica, where groups have sums: searched in floats.

Inside of a group at a bound a replica has a price of its own: the one at which the group would hold what it
may. Which clusters it would use is told by what these bring. Where clusters are counted and few, a finest
group has a price for every number of them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairlead.solver.exact.nested.best_set import Picker
from fairlead.solver.exact.nested.face import Face, Flags, Numbers
from fairlead.solver.exact.nested.joined_tables import Merits
from fairlead.solver.exact.nested.replica_price import Cost

MOST_COUNTED = 2**12
"""Clusters, times how many are used at most, up to which groups have prices for every number."""
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
        if self.counted:
            return self._best_counted(price)
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

    @cached_property
    def counted(self) -> int:
        """How many clusters are counted at most in finest groups that have bounds; 0 where they are not."""
        face, picker = self.face, self.face.picker
        if not isinstance(picker, Picker) or self.units.depth < len(face.limits.wider):
            return 0
        return picker.counted if picker.counted * np.count_nonzero(face.open_to) <= MOST_COUNTED else 0

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

    def _best_counted(self, price: float) -> tuple[Flags | None, float]:
        """Return about the best set at a price, where groups have prices for every number of clusters."""
        face, units = self.face, self.units
        outer = self._inside(price)[:-1]
        around = (outer[-1] if outer else np.full(1, price))[face.limits.around[-1]]
        inside, never = self._by_count(around)
        rows = []
        for each in inside:
            _, single = self.cost.guess(each[units.around[-1]], units.lower, units.upper)
            rows.append(np.concatenate([single, *self.earned([*outer, each], price)]))
        merits = np.array(rows)
        groups = merits[:, merits.shape[1] - never.shape[1] :]
        groups[never] = -2 * np.abs(merits).max(axis=0).sum() - 1
        picked = face.picker.pick(self._after(merits))
        if picked is None:
            return None, 0.0
        counts = np.bincount(units.around[-1][picked.used], minlength=inside.shape[1])
        mean = round(counts.sum() / max(1, np.count_nonzero(counts)))
        row = np.where(counts > 0, counts, mean) - 1
        self.price, self.inside = (
            price,
            [*outer, inside[np.minimum(row, len(inside) - 1), np.arange(len(row))]],
        )
        # Clusters and finest groups bring what is in the row of their number of clusters.
        leaf = merits.shape[1] - len(counts)
        row = np.zeros(merits.shape[1], dtype=np.int64)
        row[: len(face.lower)], row[leaf:] = counts[units.around[-1]] - 1, counts - 1
        nodes = np.flatnonzero(face.nodes(picked.used))
        return picked.used, float(merits[row[nodes], nodes].sum())

    def _after(self, merits: Floats) -> Merits:
        """Return merits that count after those of levels before, as whole numbers where there are any."""
        face = self.face
        if face.settled:
            return merits
        largest = float(np.abs(merits).max()) or 1.0
        whole = np.rint(merits / largest * WHOLE_STEPS).astype(np.int64)
        open_to = np.concatenate([face.open_to, np.ones(len(face.merits) - len(face.open_to), dtype=bool)])
        whole = np.where(open_to, whole, 0)
        factor = 2 * int(np.abs(whole).reshape(-1, whole.shape[-1]).max(axis=0).sum()) + 1
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
            outer, _ = _at_bounds(partial(self._sums, number), around, *self.face.sums[number])
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

    def _by_count(self, price: Floats) -> tuple[Floats, Flags]:
        """Return prices inside of finest groups, by number of clusters in use, near those around them.

        Returns as well where so many clusters cannot hold what the group may hold.
        """
        at, (lower, upper) = self._rows, self.face.sums[-1]
        flat = np.maximum(at, 0).ravel()
        cost, low, high = self.cost.of(flat), self.units.lower[flat], self.units.upper[flat]
        numbers = np.arange(self.counted)
        first = np.where(self.units.required[flat], 2.0**60, 0.0)
        closed = (at < 0).ravel()

        def sums(inside: Floats) -> Floats:
            spread = np.repeat(inside, at.shape[1], axis=1)
            held, merits = cost.guess(spread, low, high)
            merits = np.where(closed, -np.inf, merits + first).reshape(len(numbers), *at.shape)
            order = np.argsort(-merits, axis=2, kind="stable")
            taken = np.where(closed, 0, held).reshape(merits.shape)
            best = np.cumsum(np.take_along_axis(taken, order, axis=2), axis=2)
            found: Floats = best[numbers, :, numbers].astype(float)
            return found

        return _at_bounds(sums, np.tile(price, (len(numbers), 1)), lower, upper)

    @cached_property
    def _rows(self) -> Numbers:
        """The clusters of every finest group that may be used, filled up with -1."""
        leaf, at = self.units.around[-1], np.flatnonzero(self.units.open_to)
        order = at[np.argsort(leaf[at], kind="stable")]
        groups = len(self.face.sums[-1][0])
        sizes = np.bincount(leaf[order], minlength=groups)
        rank = np.arange(len(order)) - (np.cumsum(sizes) - sizes)[leaf[order]]
        found = np.full((groups, max(int(sizes.max(initial=0)), self.counted)), -1, dtype=np.int64)
        found[leaf[order], rank] = order
        return found


def _at_bounds(
    sums: Callable[[Floats], Floats], price: Floats, lower: Numbers, upper: Numbers
) -> tuple[Floats, Flags]:
    """Return prices inside of groups at which these hold what they may, near given ones.

    Returns as well of which groups no price was found; what is returned for these is the given one.
    """
    found = sums(price)
    over, under = found > upper, found < lower
    if not bool(np.any(over | under)):
        return price, over & under

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
    return np.where((over | under) & ~never, far, price), never
