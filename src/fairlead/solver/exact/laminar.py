"""Exact allocation where clusters stand in groups inside groups, and groups have bounds as clusters have.

A level minimises a separable convex cost of the groups of one depth. At a price of a replica every group of
that depth takes what is worth it, and each group around them cuts the sum of those inside to its own bounds.
Where a cut binds, that group holds just its bound, and what is inside is divided at a price of its own
(H. Groenevelt, "Two algorithms for maximizing a separable concave function over a polymatroid feasible
region", European Journal of Operational Research 54, 1991).

By complementary slackness a division is optimal exactly if every group of the depth holds what is worth it at
its price and every group whose cut binds holds its bound. So the set of *all* optima is such a box again, and
levels in lexicographic order narrow it in turn, as in `fairlead.solver.exact.marginal`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType

import numpy as np

from fairlead.models.errors import InternalError
from fairlead.solver.exact.costs.deviations import Squares
from fairlead.solver.exact.costs.pieces import Numbers, Pieces

Place = tuple[int, int]
"""A depth and the position of a group there."""
WHOLE: Place = (0, 0)

HALVINGS = 40
"""How often the range of a price is halved before single units are looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class Depth:
    """The groups of one depth; those inside of one group stand side by side."""

    lower: Numbers
    upper: Numbers
    """Fewest and most replicas by group."""
    first: Numbers
    """Position of the first group inside of each, one depth further in; empty for clusters."""


@dataclass(frozen=True, slots=True, eq=False)
class LaminarBox:
    """Every division that gives each group of each depth no fewer and no more replicas than it may hold."""

    depths: tuple[Depth, ...]
    """The outermost is one group with the total as both bounds, the innermost are the clusters."""

    def cut(self) -> "LaminarBox | None":
        """Return the same divisions with the bounds of groups cut to what those inside can hold.

        None where there is none.
        """
        found = list(self.depths)
        for at in reversed(range(len(found) - 1)):
            outer, inner = found[at], found[at + 1]
            lower = np.maximum(outer.lower, np.add.reduceat(inner.lower, outer.first))
            upper = np.minimum(outer.upper, np.add.reduceat(inner.upper, outer.first))
            found[at] = replace(outer, lower=lower, upper=upper)
        if any(bool((depth.lower > depth.upper).any()) for depth in found):
            return None
        return LaminarBox(tuple(found))

    def tight(self) -> "LaminarBox | None":
        """Return the same divisions with every bound attained by one of them; None where there is none."""
        cut = self.cut()
        if cut is None:
            return None
        found = list(cut.depths)
        for at, inner in enumerate(found[1:], start=1):
            outer = found[at - 1]
            spare = outer.upper - np.add.reduceat(inner.lower, outer.first)
            lacking = np.add.reduceat(inner.upper, outer.first) - outer.lower
            around = self._around(at)
            upper = np.minimum(inner.upper, inner.lower + spare[around])
            lower = np.maximum(inner.lower, inner.upper - lacking[around])
            found[at] = replace(inner, lower=lower, upper=upper)
        return LaminarBox(tuple(found))

    def narrow(self, cost: Pieces | Squares, at: int) -> "LaminarBox":
        """Return all divisions of a box that is cut that cost least, in a tight box.

        `cost`: what the groups of one depth cost. `at`: that depth, counted from the outermost, which is 0;
        at least 1.
        """
        return self.priced(cost, at)[0]

    def priced(
        self, cost: Pieces | Squares, at: int, near: Mapping[Place, Fraction] = MappingProxyType({})
    ) -> tuple["LaminarBox", Mapping[Place, Fraction]]:
        """Return all divisions that cost least, and the prices of a replica that lead there; see `narrow`.

        Prices are those of the whole, and of groups in which a replica has another one than around them.
        Where prices that are near will do, they are taken.
        """
        price = self._last_price(cost, at, near.get(WHOLE))
        if price is None:
            return self.tight() or self, {WHOLE: near.get(WHOLE, Fraction(0))}
        prices = {WHOLE: price}
        worth = self._worth(cost, at, price)
        found = [replace(depth, lower=depth.lower.copy(), upper=depth.upper.copy()) for depth in self.depths]
        holds = np.ones(1, dtype=bool)
        for number in range(1, at + 1):
            # A group is looked at where no group around it has a price of its own.
            holds = holds[self._around(number)]
            few, many = worth[number]
            depth = found[number]
            if number == at:
                depth.lower[holds], depth.upper[holds] = few[holds], many[holds]
                break
            over, under = few > depth.upper, many < depth.lower
            for group in np.flatnonzero(holds & (over | under)).tolist():
                bound = int(depth.upper[group] if over[group] else depth.lower[group])
                spans = tuple(self._inside(number, group))
                inside = {
                    (n - number, each - spans[n - number].start): guess
                    for (n, each), guess in near.items()
                    if number <= n <= at and spans[n - number].start <= each < spans[n - number].stop
                }
                part = self._part(number, spans, bound)
                inner, found_inside = part.priced(cost.of(spans[at - number]), at - number, inside)
                for (n, each), own in found_inside.items():
                    prices[n + number, each + spans[n].start] = own
                for span, into, best in zip(spans, found[number:], inner.depths, strict=True):
                    into.lower[span], into.upper[span] = best.lower, best.upper
            holds = holds & ~(over | under)
        narrowed = LaminarBox(tuple(found)).tight()
        if narrowed is None:
            raise InternalError("no division of a box is best")
        return narrowed, prices

    def settle_ties(self, order: Numbers) -> Numbers:
        """Return the division of a tight box that gives the first cluster as much as possible, then the next.

        `order`: positions of the clusters, the first one first.
        """
        lower = [depth.lower.tolist() for depth in self.depths]
        upper = [depth.upper.tolist() for depth in self.depths]
        held = [
            np.add.reduceat(inner.lower, outer.first).tolist()
            for outer, inner in zip(self.depths, self.depths[1:], strict=False)
        ]
        last = len(self.depths) - 1
        around = [self._around(at).tolist() for at in range(1, last + 1)]
        for cluster in order.tolist():
            path = [cluster]
            for at in reversed(range(last)):
                path.append(around[at][path[-1]])
            groups = list(zip(reversed(range(last)), path[1:], strict=True))
            more, owed = upper[last][cluster] - lower[last][cluster], 0
            for at, group in groups:
                # What those inside a group need not hold yet is taken from what the group has to hold.
                owed += lower[at][group] - held[at][group]
                more = min(more, owed + upper[at][group] - lower[at][group])
            lower[last][cluster] += more
            for at, group in groups:
                held[at][group] += more
                more = max(0, held[at][group] - lower[at][group])
                lower[at][group] += more
        return np.array(lower[last], dtype=np.int64)

    def _around(self, at: int) -> Numbers:
        """Return the position of the group around each group of a depth, one depth further out."""
        first = self.depths[at - 1].first
        sizes = np.diff(first, append=len(self.depths[at].lower))
        return np.repeat(np.arange(len(first)), sizes)

    def _inside(self, number: int, group: int) -> Iterator[slice]:
        """Yield where a group stands, and what is inside of it, by depth."""
        span = slice(group, group + 1)
        for at in range(number, len(self.depths)):
            yield span
            if at + 1 < len(self.depths):
                ends = np.append(self.depths[at].first, len(self.depths[at + 1].lower))
                span = slice(int(ends[span.start]), int(ends[span.stop]))

    def _part(self, number: int, spans: tuple[slice, ...], total: int) -> "LaminarBox":
        """Return a group as a box of its own, with a total."""
        whole = np.array([total], dtype=np.int64)
        found = []
        for at, span in enumerate(spans):
            depth = self.depths[number + at]
            start = spans[at + 1].start if at + 1 < len(spans) else 0
            lower, upper = (depth.lower[span], depth.upper[span]) if at else (whole, whole)
            found.append(Depth(lower, upper, depth.first[span] - start))
        return LaminarBox(tuple(found))

    def _worth(self, cost: Pieces | Squares, at: int, price: Fraction) -> list[tuple[Numbers, Numbers]]:
        """Return the fewest and the most replicas that are worth a price, by depth down to one.

        Those of a group are the sums of what its bounds leave those inside; its own do not cut them yet.
        """
        few, many = cost.respond(price, self.depths[at].lower, self.depths[at].upper)
        found = [(few, many)]
        for number in reversed(range(at)):
            inner, first = self.depths[number + 1], self.depths[number].first
            few = np.add.reduceat(np.clip(few, inner.lower, inner.upper), first)
            many = np.add.reduceat(np.clip(many, inner.lower, inner.upper), first)
            found.append((few, many))
        return found[::-1]

    def _last_price(self, cost: Pieces | Squares, at: int, near: Fraction | None) -> Fraction | None:
        """Return a price at which all replicas can be worth it, no more need be; None where none is free.

        It is the one that is near, where that is such a price.
        """
        depth = self.depths[at]
        free = np.flatnonzero(depth.lower < depth.upper).tolist()
        if not free:
            return None
        total = int(self.depths[0].lower[0])

        def reached(price: Fraction) -> tuple[int, int]:
            (few,), (many,) = self._worth(cost, at, price)[0]
            return int(few), int(many)

        def following(replicas: Numbers, groups: list[int]) -> list[Fraction]:
            """Return the price of the next replica of some groups."""
            steps = cost.marginals(replicas)
            return [Fraction(steps[group]) / cost.step for group in groups]

        if near is not None:
            few, many = reached(near)
            if few <= total <= many:
                return near
        low, high = min(following(depth.lower, free)), max(following(depth.upper - 1, free))
        if reached(low)[1] >= total:
            return low
        halvings = 0
        while reached(high)[0] > total:
            # At the low price too few replicas are worth it, at the high one enough and too many.
            middle = (low + high) / 2
            if halvings >= HALVINGS:
                taken = cost.respond(low, depth.lower, depth.upper)[1]
                open_to = np.flatnonzero(taken < depth.upper).tolist()
                between = sorted(price for price in following(taken, open_to) if price < high)
                middle = between[(len(between) - 1) // 2]
            halvings += 1
            if reached(middle)[1] < total:
                low = middle
            else:
                high = middle
        return high
