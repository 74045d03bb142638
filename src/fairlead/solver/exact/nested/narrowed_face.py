"""A face narrowed to the placements that are best on one more level.

For a price p of a replica a cluster that is used brings the merit ``max (p x - f(x))``. Whatever the price,
no placement costs less than ``p N`` less the greatest merit of a set (Lagrangian relaxation of the total; H.
Everett, 1963). If a set of the greatest merit can hold the total with replicas that are best at that price,
the bound is reached, and then the optima are exactly: all sets of the greatest merit, with all replicas that
are best at the price and add up to the total. That is a face again.

Floats only look for the price. Whether a set has the greatest merit is decided in whole numbers. Where no
price closes the gap, because sets on both sides of it hold too few and too many, the face is cut in two along
a group or a cluster that only one of them uses (branch and bound).
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from fairlead.solver.exact.marginal import exact_sum
from fairlead.solver.exact.nested.best_set import NoPriceError, Picker, TooLongError
from fairlead.solver.exact.nested.face import Face, Flags
from fairlead.solver.exact.nested.in_groups import in_groups
from fairlead.solver.exact.nested.joined_tables import Merits
from fairlead.solver.exact.nested.replica_price import ClusterPriceSearch, Cost, FaceAtPrice, PriceGuess

MOST_NODES = 80
MOST_PRICED_NODES = 8
# Where groups have sums: at most, and times clusters.
MOST_NODES_IN_GROUPS = 16, 2**11


class Rank(NamedTuple):
    """How good the placements of a face are: merit lost on the levels before, then the cost."""

    lost: Any
    cost: Fraction


class _BoundedParts(NamedTuple):
    """Bound of the rank of all placements of a face, and the face in parts."""

    bound: Rank
    parts: tuple[Face, ...]
    price: Fraction
    """Price of a replica in the face, near which those of the parts are looked for."""


def narrow_all(faces: Sequence[Face], cost: Cost, depth: int | None = None) -> list[Face]:
    """Return the parts of some faces, equally good so far, that hold the optima of all on a level.

    `depth`: of the groups that the cost is about; None means clusters.
    """
    found = [narrow(face, cost, depth) for face in faces]
    ranks = [rank for _, rank in found if rank is not None]
    least = min((rank.cost for rank in ranks), default=None)
    return [part for parts, rank in found if rank is not None and rank.cost == least for part in parts]


def narrow(face: Face, cost: Cost, depth: int | None = None) -> tuple[list[Face], Rank | None]:
    """Return the parts of a face that hold all its optima on a level, and how good they are.

    `parts`, `rank`: the parts are disjoint; none, and no rank, where the face holds no placement at all.

    Raises `TooLongError`: too many parts had to be looked at.
    """
    depth = len(face.limits.wider) if depth is None else depth
    stack: list[tuple[Face, Fraction | None]] = [(face, None)]
    best: Rank | None = None
    found: list[Face] = []
    for _ in range(_most_nodes(face)):
        if not stack:
            return found, best
        ended = _narrow_once(*stack.pop(), cost, depth)
        if isinstance(ended, _BoundedParts):
            if best is None or ended.bound <= best:
                stack.extend((part, ended.price) for part in ended.parts)
        elif ended is not None:
            optima, rank = ended
            if best is None or rank < best:
                best, found = rank, []
            if rank == best:
                found.append(optima)
    raise TooLongError


def _most_nodes(face: Face) -> int:
    """Return how many parts of a face may be looked at."""
    if not face.sums:
        return MOST_NODES if isinstance(face.picker, Picker) else MOST_PRICED_NODES
    most, clusters = MOST_NODES_IN_GROUPS
    return min(most, clusters // len(face.lower) + 1)


def _narrow_once(
    face: Face, near: Fraction | None, cost: Cost, depth: int
) -> tuple[Face, Rank] | _BoundedParts | None:
    """Return the optima of a face, or a bound and two parts of it; None where it is empty."""
    if not face.possible:
        return None
    priced = in_groups(face, cost, depth, near) if face.sums else _priced(face, cost, near)
    if priced is None:
        return None
    guess, merits, steps, narrower = priced
    price, exact = guess.price, narrower.merits
    try:
        best = narrower.with_first()
    except NoPriceError as apart:
        parts = _halves(face, apart.few, apart.many)
        if parts is None or not face.settled:
            raise TooLongError from None
        return _BoundedParts(Rank(0, price * face.total - Fraction(apart.bound, steps)), parts, price)
    if best is None or best.first is None:
        return None
    narrower, first = best, best.first
    greatest = int(exact[face.nodes(first)].sum())
    for used in (first, guess.fitting):
        if (
            used is not None
            and not np.any(used & ~narrower.open_to)
            and narrower.holds(used)
            and int(exact[face.nodes(used)].sum()) == greatest
        ):
            return narrower, _rank(face, merits, steps, price, used)
    return _hard(face, narrower, guess, first, _rank(face, merits, steps, price, first))


def _priced(face: Face, cost: Cost, near: Fraction | None) -> FaceAtPrice | None:
    """Return about the best price, and what is best there; None where the face holds no placement."""
    guess = ClusterPriceSearch(face, cost).guess(near)
    if guess is None:
        return None
    low, high = cost.respond(guess.price, face.lower, face.upper)
    at = np.flatnonzero(face.open_to)
    brought, steps = cost.merits(guess.price, low, at)
    merits = np.zeros(len(low), dtype=brought.dtype)
    merits[at] = brought
    narrower = replace(face, lower=low, upper=high, merits=face.combined(merits), first=None)
    return FaceAtPrice(guess, merits, steps, narrower)


def _hard(
    face: Face, narrower: Face, guess: PriceGuess, first: Flags, rank: Rank
) -> tuple[Face, Rank] | _BoundedParts | None:
    """Look for a set of the greatest merit that can hold the total; cut the face in parts where none is."""
    greatest = narrower.merit(first)
    sets: list[Flags] = []
    for used in narrower.extremes():
        if narrower.merit(used) >= greatest:
            sets.append(used)
            if narrower.holds(used):
                return narrower, rank
    if len(sets) == 2 and _has_one_between(narrower, *sets[::-1]):
        return narrower, rank
    many, few = sets[:2] if len(sets) > 1 else (None, None)
    return _parted(face, guess, ((guess.few, guess.many), (few, many), (first, guess.fitting)), rank)


def _parted(
    face: Face, guess: PriceGuess, pairs: Sequence[tuple[Flags | None, Flags | None]], rank: Rank
) -> _BoundedParts:
    """Cut a face along what two sets differ in, else along anything open."""
    for one, other in pairs:
        halves = None if one is None or other is None else _halves(face, one, other)
        if halves is not None:
            return _BoundedParts(rank, halves, guess.price)
    used = pairs[-1][0]
    halves = _any_halves(face, used) if face.sums and used is not None else None
    if halves is None:
        raise TooLongError
    return _BoundedParts(rank, halves, guess.price)


def _has_one_between(face: Face, fewest: Flags, most: Flags) -> bool:
    """Tell whether a best set between one that holds too few and one that holds too many holds the total."""
    few, many = face.box(fewest)[0], face.box(most)[0]
    if not exact_sum(few.upper) < face.total < exact_sum(many.lower):
        return False
    try:
        for count in range(int(fewest.sum()) + 1, int(most.sum())):
            found = face.on(count).pick_exactly(face.combined(-face.lower))
            if found is not None and face.holds(found.used) and face.merit(found.used) == face.merit(fewest):
                return True
    except (TooLongError, NoPriceError):
        pass
    return False


def _rank(face: Face, merits: Merits, steps: int, price: Fraction, used: Flags) -> Rank:
    """Return the bound at a price, which the placements of a set reach that can hold the total."""
    earned = Fraction(int(merits[face.nodes(used)].sum()), steps)
    return Rank(-face.merit(used), price * face.total - earned)


def _halves(face: Face, one: Flags, other: Flags) -> tuple[Face, Face] | None:
    """Cut a face in two along the widest group, else a cluster, that only one of two sets uses."""
    for depth, limit in enumerate(face.limits.wider):
        used = [np.bincount(limit.group[each], minlength=limit.groups) for each in (one, other)]
        only = np.flatnonzero((used[0] > 0) != (used[1] > 0))
        if only.size:
            group = int(only[np.argmax((used[0] + used[1])[only])])
            return face.with_group(depth, group, used=False), face.with_group(depth, group, used=True)
    different = np.flatnonzero(one != other)
    if not different.size:
        return None
    at = int(different[np.argmax(face.upper[different])])
    return face.with_cluster(at, used=False), face.with_cluster(at, used=True)


def _any_halves(face: Face, used: Flags) -> tuple[Face, Face] | None:
    """Cut a face in two along the widest group, else a cluster, that may be used and need not be."""
    for depth, (limit, needed) in enumerate(zip(face.limits.wider, face.needed, strict=True)):
        inside = np.bincount(limit.group[face.required], minlength=limit.groups) > 0
        open_to = np.flatnonzero(
            ~needed & ~inside & (np.bincount(limit.group[face.open_to], minlength=limit.groups) > 0)
        )
        if open_to.size:
            taken = np.bincount(limit.group[used], minlength=limit.groups)[open_to]
            group = int(open_to[np.argmax(taken)])
            return face.with_group(depth, group, used=False), face.with_group(depth, group, used=True)
    left = np.flatnonzero(face.open_to & ~face.required)
    if not left.size:
        return None
    at = int(left[np.argmax(used[left])])
    return face.with_cluster(at, used=False), face.with_cluster(at, used=True)
