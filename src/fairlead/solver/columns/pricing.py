"""Pricing: the cheapest choices of many workloads, in arrays, and the least that all cost.

Every placed replica earns a price of its workload. What each cluster earns if it is used is then independent
of the others, and no placement costs less than the price of all replicas less what the best set of clusters
earns. At the right price that set holds all replicas, and the bound is what its placement costs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from fairlead.solver.columns.choice import NONE, AllowedSets, ChoiceSet, Flags, Floats, Numbers
from fairlead.solver.exact.costs.pieces import Pieces
from fairlead.solver.exact.nested.best_set import TooLongError
from fairlead.solver.exact.nested.face import Face

TURNS = 16
"""How many prices of a replica are tried at most."""
MOST_ENTRIES = 8_000
"""Numbers of groups, times the square of those of clusters, up to which they are counted in arrays."""
LARGEST = 2**58
"""Costs, merits and what is earned stay below this, each added up."""


@dataclass(frozen=True, slots=True, eq=False)
class Pricing:
    """The choices of many workloads; those of one row each.

    Parameters
    ----------
    choices
        All on the same clusters.
    lower, upper
        Fewest and most replicas by row and cluster: of clusters in use, if these are chosen.
    total
        Replicas by row.
    merits, greatest
        By row and cluster, and what the merits of a set have to add up to.
    using
        By row, what a cluster in use costs.
    chosen
        Rows of which the clusters are chosen.
    limited
        Which sets they may use; None where there are no such rows.
    odd
        Rows that are asked one by one.
    """

    choices: tuple[ChoiceSet, ...]
    lower: Numbers
    upper: Numbers
    total: Numbers
    merits: Numbers
    greatest: Numbers
    using: Numbers
    chosen: Numbers
    limited: AllowedSets | None
    odd: Numbers

    @classmethod
    def of(cls, choices: Sequence[ChoiceSet], using: Numbers) -> "Pricing":
        """Return the pricing of some choices on the same clusters; by choice, what a cluster in use costs."""
        shape = len(choices), len(choices[0].names)
        lower, upper, merits = (np.zeros(shape, dtype=np.int64) for _ in range(3))
        total, greatest = (np.zeros(len(choices), dtype=np.int64) for _ in range(2))
        chosen, odd, faces = list[int](), list[int](), list[Face]()
        for row, choice in enumerate(choices):
            face = choice.faces[0] if len(choice.faces) == 1 else None
            if face is None or choice.greatest is None or not _in_arrays(face):
                odd.append(row)
                continue
            total[row], upper[row] = face.total, np.where(face.open_to, face.upper, 0)
            if face.is_box and not using[row]:
                lower[row] = np.where(face.required, face.lower, 0)
                continue
            lower[row], merits[row] = np.minimum(face.lower, upper[row]), face.merits
            greatest[row] = choice.greatest or 0
            chosen.append(row)
            faces.append(face)
        limited = AllowedSets.of(faces) if faces else None
        at_chosen, at_odd = (np.array(each, dtype=np.int64) for each in (chosen, odd))
        return cls(tuple(choices), lower, upper, total, merits, greatest, using, at_chosen, limited, at_odd)

    def cheapest(self, cost: Pieces, near: Numbers, price: Numbers) -> "CheapestChoices":
        """Return placements that cost least, or nearly, and what all cost at least, by row.

        Parameters
        ----------
        cost
            By row and cluster; `LARGEST` bounds what all clusters of a row can hold together.
        near
            Placements that may be close, by row and cluster.
        price
            By row, about what the last replica costs.
        """
        counts, price = near.copy(), price.copy()
        least: list[int | Fraction | None] = [0] * len(self.choices)
        box = np.ones(len(self.choices), dtype=bool)
        box[self.chosen] = box[self.odd] = False
        odd = list(self.odd.tolist())
        at = np.flatnonzero(box)
        if at.size:
            inside, lower, upper, total = cost.of(at), self.lower[at], self.upper[at], self.total[at]
            empty = (lower.sum(axis=1) > total) | (upper.sum(axis=1) < total)
            price[at], counts[at] = _divided(
                inside, lower, upper, np.clip(total, lower.sum(axis=1), upper.sum(axis=1))
            )
            spent = _spent(inside, counts[at]).tolist()
            for row, cost_of, nothing in zip(at.tolist(), spent, empty.tolist(), strict=True):
                least[row] = None if nothing else cost_of
        if self.limited is not None:
            sets = _Sets.begun(self, self.limited, cost, near, price)
            sets.search()
            counts[self.chosen], price[self.chosen] = sets.counts, sets.price
            for row, bound, known in zip(
                self.chosen.tolist(), sets.least.tolist(), sets.known.tolist(), strict=True
            ):
                least[row] = bound
                if not known:
                    odd.append(row)
        for row in odd:
            try:
                found = self.choices[row].cheapest(cost.of(row))
            except TooLongError:
                least[row] = NONE
                continue
            counts[row], least[row] = (near[row], None) if found is None else found
        return CheapestChoices(counts, least, price)


@dataclass(frozen=True, slots=True, eq=False)
class CheapestChoices:
    """Cheapest placements, by row.

    Parameters
    ----------
    counts
        Placements.
    least
        Least cost of any placement, in steps; None for a row without any placement.
    price
        About what the last replica costs.
    """

    counts: Numbers
    least: Sequence[int | Fraction | None]
    price: Numbers


@dataclass(slots=True, eq=False)
class _Sets:
    """Sets of clusters at prices of a replica, by row; what is found of rows whose clusters are chosen."""

    limited: AllowedSets
    cost: Pieces
    lower: Numbers
    upper: Numbers
    total: Numbers
    merits: Numbers
    offset: Numbers
    using: Numbers
    counts: Numbers
    spent: Numbers
    known: Flags
    least: Numbers
    price: Numbers
    stride: Floats

    @classmethod
    def begun(
        cls, pricing: Pricing, limited: AllowedSets, cost: Pieces, near: Numbers, price: Numbers
    ) -> "_Sets":
        """Return the sets that are used now, where these may be used, at the prices of what they hold."""
        at = pricing.chosen
        inside, lower, upper, total = cost.of(at), pricing.lower[at], pricing.upper[at], pricing.total[at]
        near, price = near[at], price[at]
        used = (near > 0) & limited.open_to
        fits = (near <= upper) & (near >= np.where(limited.required, lower, 0))
        known = fits.all(axis=1) & (near.sum(axis=1) == total)
        high = np.abs(_merits(inside, price, lower, upper)).sum(axis=1) * 4 + 1
        weight = np.minimum(high, LARGEST // (np.abs(pricing.merits[at]).sum(axis=1) + 1))
        weight = np.where(pricing.merits[at].any(axis=1), weight, 0)
        stride = np.abs(inside.steps(upper)).max(axis=1) + 1.0
        found = cls(
            limited,
            inside,
            lower,
            upper,
            total,
            pricing.merits[at] * weight[:, None],
            pricing.greatest[at] * weight,
            pricing.using[at],
            near.copy(),
            np.full(len(at), LARGEST),
            np.zeros(len(at), dtype=bool),
            np.full(len(at), NONE),
            price,
            stride,
        )
        found._place(np.flatnonzero(known), used[known])
        return found

    def _place(self, rows: Numbers, used: Flags) -> None:
        """Place everything on sets, where these have room and no less merit, at the prices of that."""
        if not rows.size:
            return
        lower, upper = np.where(used, self.lower[rows], 0), np.where(used, self.upper[rows], 0)
        total = self.total[rows]
        fits = (self.merits[rows] * used).sum(axis=1) == self.offset[rows]
        fits &= (lower.sum(axis=1) <= total) & (upper.sum(axis=1) >= total)
        rows, lower, upper = rows[fits], lower[fits], upper[fits]
        inside = self.cost.of(rows)
        self.price[rows], counts = _divided(inside, lower, upper, total[fits])
        spent = _spent(inside, counts) + self.using[rows] * used[fits].sum(axis=1)
        better = spent < self.spent[rows]
        self.counts[rows[better]], self.spent[rows[better]] = counts[better], spent[better]
        self.known[rows] = True

    def search(self) -> None:
        """Look at the best sets at one price after the other.

        The bound is a concave function of the price; at every price that was looked at a line is above it.
        The next price is one at which the last set holds all replicas, else where two of these lines cross.
        """
        rows = np.arange(len(self.total))
        below, above = (np.full((len(rows), 3), each, dtype=float) for each in (-np.inf, np.inf))
        for _ in range(TURNS):
            price, total = self.price[rows], self.total[rows]
            inside, lower, upper = self.cost.of(rows), self.lower[rows], self.upper[rows]
            held = inside.upto(price[:, None], lower, upper)
            merits = (
                price[:, None] * held - inside.spent(held) + self.merits[rows] - self.using[rows][:, None]
            )
            used, value = self.limited.rows(rows).best(merits)
            possible = value > NONE // 2
            bound = np.where(possible, price * total - value + self.offset[rows], LARGEST)
            self.least[rows] = np.maximum(self.least[rows], bound)
            missing = total - (held * used).sum(axis=1)
            line = np.array([price, bound, missing], dtype=float).T
            below[rows] = np.where(missing[:, None] > 0, line, below[rows])
            above[rows] = np.where(missing[:, None] > 0, above[rows], line)
            self._place(rows[possible], used[possible])
            most = LARGEST // (upper.sum(axis=1) + 1)
            following = _between(self.price[rows], below[rows], above[rows], self.stride[rows])
            self.price[rows] = np.clip(following, -most, most)
            open_to = possible & (self.spent[rows] > self.least[rows])
            rows = rows[open_to & (self.price[rows] > below[rows, 0]) & (self.price[rows] < above[rows, 0])]
            if not rows.size:
                return


def _between(price: Numbers, below: Floats, above: Floats, stride: Floats) -> Numbers:
    """Return whole prices between two that are too low and too high, by row; the given ones where they are.

    Else where lines of these prices, what is bounded there, and what is missing of all replicas, cross; a
    stride further where one of the two is not known.
    """
    low, high = below[:, 0], above[:, 0]
    with np.errstate(invalid="ignore"):
        crossing = above[:, 1] - below[:, 1] + below[:, 2] * low - above[:, 2] * high
        crossing = crossing / (below[:, 2] - above[:, 2])
        crossing = np.where((crossing > low) & (crossing < high), crossing, (low + high) / 2)
        crossing = np.where(np.isinf(high), low + np.maximum(stride, np.abs(low)), crossing)
        crossing = np.where(np.isinf(low), high - np.maximum(stride, np.abs(high)), crossing)
    found = np.where((price > low) & (price < high), price, np.rint(crossing))
    return np.clip(found, -float(LARGEST), float(LARGEST)).astype(np.int64)


def _in_arrays(face: Face) -> bool:
    """Tell whether the sets of a face are few enough for arrays, and its groups hold no groups."""
    limits = face.limits
    groups = limits.wider[0].groups if limits.wider else 0
    most = int(face.open_to.sum()) if limits.most is None else limits.most
    small = int(np.abs(face.merits).sum()) < 2**40
    nested = len(limits.wider) <= 1 and limits.crossing is None
    return face.possible and nested and groups * (most + 1) ** 2 <= MOST_ENTRIES and small


def _spent(cost: Pieces, counts: Numbers) -> Numbers:
    """Return the cost of placements, by row, in steps."""
    found: Numbers = cost.spent(counts).sum(axis=1)
    return found


def _merits(cost: Pieces, price: Numbers, lower: Numbers, upper: Numbers) -> Numbers:
    """Return the merit of clusters at a price of a replica, by row and cluster."""
    held = cost.upto(price[:, None], lower, upper)
    found: Numbers = price[:, None] * held - cost.spent(held)
    return found


def _divided(cost: Pieces, lower: Numbers, upper: Numbers, total: Numbers) -> tuple[Numbers, Numbers]:
    """Return prices at which just so many replicas are worth it, and the cheapest placements, by row.

    Prices are halved in; every other time the next one is tried at which anything changes.
    """
    free, none = lower < upper, np.zeros_like(total)
    low = np.where(free, cost.steps(lower), LARGEST).min(axis=1) - 1
    high = np.where(free, cost.steps(np.maximum(upper - 1, lower)), -LARGEST).max(axis=1)
    less, more, jump = lower, upper, False
    while True:
        few, many = less.sum(axis=1), more.sum(axis=1)
        if bool(((few == total) | (many == total) | (high - low <= 1)).all()):
            break
        following = np.where(less < upper, cost.steps(less), LARGEST).min(axis=1)
        price = np.minimum(following if jump else (low + high) // 2, high)
        held = cost.upto(price[:, None], lower, upper)
        enough = held.sum(axis=1) >= total
        low, high = np.where(enough, price - 1 if jump else low, price), np.where(enough, price, high)
        less, more = np.where(enough[:, None], less, held), np.where(enough[:, None], held, more)
        jump = not jump
    # What is too much at the price goes, from the last cluster on.
    surplus = np.where((few == total)[:, None], 0, more - less)
    behind = np.cumsum(surplus[:, ::-1], axis=1)[:, ::-1] - surplus
    counts = np.where((few == total)[:, None], less, more)
    counts = counts - np.clip(np.maximum(many - total, none)[:, None] - behind, 0, surplus)
    last = np.where(counts > lower, cost.steps(counts - 1), -LARGEST).max(axis=1)
    following = np.where(counts < upper, cost.steps(counts), LARGEST).min(axis=1)
    both = (last > -LARGEST) & (following < LARGEST)
    one = np.where(
        last > -LARGEST,
        last,
        np.where(following < LARGEST, following, _spent(cost, counts) // np.maximum(total, 1)),
    )
    return np.where(both, (last + following) // 2, one), counts
