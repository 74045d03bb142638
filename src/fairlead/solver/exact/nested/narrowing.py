"""A face narrowed to what is best on one more level, the fewest clusters among them.

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

from fairlead.solver.exact.costs.pieces import linear
from fairlead.solver.exact.marginal import exact_sum
from fairlead.solver.exact.nested.face import Face, Flags, settle
from fairlead.solver.exact.nested.joining import Merits
from fairlead.solver.exact.nested.picking import ApartError, Picker, TooLongError
from fairlead.solver.exact.nested.pricing import Cost, Guess, find_price

MOST_NODES = 80
MOST_PRICED_NODES = 8
# Floats of merits are off by much less than this part of the largest one.
ROUNDING = 2.0**-30


class Rank(NamedTuple):
    """How good the placements of a face are: merit lost on the levels before, then the cost."""

    lost: Any
    cost: Fraction


class _Gap(NamedTuple):
    """What no placement of a face is better than, and the face in two parts."""

    bound: Rank
    parts: tuple[Face, Face]
    price: Fraction
    """What may be about the best price of the parts."""


def narrow_all(faces: Sequence[Face], cost: Cost) -> list[Face]:
    """Return the parts of some faces, equally good so far, that hold the optima of all on a level."""
    found = [narrow(face, cost) for face in faces]
    ranks = [rank for _, rank in found if rank is not None]
    least = min((rank.cost for rank in ranks), default=None)
    return [part for parts, rank in found if rank is not None and rank.cost == least for part in parts]


def narrow(face: Face, cost: Cost) -> tuple[list[Face], Rank | None]:
    """Return the parts of a face that hold all its optima on a level, and how good they are.

    Returns
    -------
    parts, rank
        The parts are disjoint; none, and no rank, where the face holds no placement at all.

    Raises
    ------
    TooLongError
        Too many parts had to be looked at.
    """
    stack: list[tuple[Face, Fraction | None]] = [(face, None)]
    best: Rank | None = None
    found: list[Face] = []
    for _ in range(MOST_NODES if isinstance(face.picker, Picker) else MOST_PRICED_NODES):
        if not stack:
            return found, best
        ended = _narrow_once(*stack.pop(), cost)
        if isinstance(ended, _Gap):
            if best is None or ended.bound <= best:
                stack.extend((part, ended.price) for part in ended.parts)
        elif ended is not None:
            optima, rank = ended
            if best is None or rank < best:
                best, found = rank, []
            if rank == best:
                found.append(optima)
    raise TooLongError


def _narrow_once(face: Face, near: Fraction | None, cost: Cost) -> tuple[Face, Rank] | _Gap | None:
    """Return the optima of a face, or a bound and two parts of it; None where it is empty."""
    guess = find_price(face, cost, price=near) if face.possible else None
    if guess is None:
        return None
    price = guess.price
    kept = _relevant(face, cost, price)
    low, high = cost.respond(price, face.lower, face.upper)
    at = np.flatnonzero(kept)
    brought, steps = cost.merits(price, low, at)
    merits = np.zeros(len(kept), dtype=brought.dtype)
    merits[at] = brought
    exact = face.combined(merits, kept)
    narrower = replace(face, open_to=kept, lower=low, upper=high, merits=exact, first=None)
    try:
        best = narrower.with_first()
    except ApartError as apart:
        parts = _halves(face, apart.few, apart.many)
        if parts is None or not face.settled:
            raise TooLongError from None
        return _Gap(Rank(0, price * face.total - Fraction(apart.bound, steps)), parts, price)
    if best is None or best.first is None:
        return None
    narrower, first = best, best.first
    greatest = int(exact[first].sum())
    for used in (first, guess.fitting):
        if (
            used is not None
            and not np.any(used & ~narrower.open_to)
            and narrower.holds(used)
            and int(exact[used].sum()) == greatest
        ):
            return narrower, _rank(face, merits, steps, price, used)
    return _hard(face, narrower, guess, first, _rank(face, merits, steps, price, first))


def _hard(
    face: Face, narrower: Face, guess: Guess, first: Flags, rank: Rank
) -> tuple[Face, Rank] | _Gap | None:
    """Look for a set of the greatest merit that can hold the total; cut the face in two where none is."""
    greatest = int(narrower.merits[first].sum())
    sets: list[Flags] = []
    for side in (-narrower.lower, narrower.upper):
        try:
            picked = narrower.pick(side)
        except ApartError as apart:
            picked = apart.known
        if picked is None or int(narrower.merits[picked.used].sum()) < greatest:
            continue
        sets.append(picked.used)
        if narrower.holds(picked.used):
            return narrower, rank
    if len(sets) == 2 and _between(narrower, *sets) and _mixed(narrower, *sets):
        return narrower, rank
    few, many = sets if len(sets) == 2 else (None, None)
    for one, other in ((guess.few, guess.many), (few, many), (first, guess.fitting)):
        parts = None if one is None or other is None else _halves(face, one, other)
        if parts is not None:
            return _Gap(rank, parts, guess.price)
    raise TooLongError


def _between(face: Face, fewest: Flags, most: Flags) -> bool:
    """Tell whether the total lies between what the set that holds least and that which holds most can."""
    few, many = face.box(fewest)[0], face.box(most)[0]
    return exact_sum(few.upper) < face.total < exact_sum(many.lower)


def _mixed(face: Face, fewest: Flags, most: Flags) -> bool:
    """Tell whether some set between one that holds too few and one that holds too many holds the total."""
    try:
        for count in range(int(fewest.sum()) + 1, int(most.sum())):
            found = _on(face, count).pick_exactly(face.combined(-face.lower))
            if found is None or not face.holds(found.used):
                continue
            if _merit(face, found.used) == _merit(face, fewest):
                return True
        return settle(face) is not None
    except (TooLongError, ApartError):
        return False


def _rank(face: Face, merits: Merits, steps: int, price: Fraction, used: Flags) -> Rank:
    """Return the bound at a price, which the placements of a set reach that can hold the total."""
    return Rank(-int(face.merits[used].sum()), price * face.total - Fraction(int(merits[used].sum()), steps))


def _relevant(face: Face, cost: Cost, price: Fraction) -> Flags:
    """Return the clusters that a set of the greatest merit can hold at a price.

    Where so many clusters may be used, the others of a group with more merit than that many have no place.
    """
    most = face.limits.most
    if most is None or not face.settled or most >= int(face.open_to.sum()):
        return face.open_to
    _, merits = cost.guess(float(price), face.lower, face.upper)
    open_at = np.flatnonzero(face.open_to)
    wider = face.limits.wider
    leaf = wider[-1].group[open_at] if wider else np.zeros(len(open_at), dtype=np.int64)
    order = np.lexsort((-merits[open_at], leaf))
    sizes = np.bincount(leaf)
    start = np.cumsum(sizes) - sizes
    # The last cluster that has a place, or the last of its group.
    last = order[np.minimum(start + most, start + sizes)[sizes > 0] - 1]
    worst = np.full(len(sizes), -np.inf)
    worst[sizes > 0] = merits[open_at[last]]
    margin = ROUNDING * float(
        np.abs(merits[open_at]).max() + np.abs(float(price) * face.upper[open_at]).max()
    )
    kept = face.required.copy()
    kept[open_at[merits[open_at] >= worst[leaf] - margin]] = True
    return kept


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


MOST_MORE = 4


def on_fewest(faces: list[Face]) -> list[Face]:
    """Return the placements of some faces that use the fewest clusters."""
    least = min(map(_least, faces))
    # Mostly the fewest that have enough room at all have it in few enough groups as well.
    if found := _with_counts(faces, least):
        return found
    least = max(least + 1, min(_least_in_groups(face) if face.limits.wider else 0 for face in faces))
    for count in range(least, least + MOST_MORE):
        if found := _with_counts(faces, count):
            return found
    raise TooLongError


def _with_counts(faces: Sequence[Face], count: int) -> list[Face]:
    """Return the parts of some faces that use so many clusters."""
    return [limited for face in faces for limited in _with_count(face, count)]


def _least_in_groups(face: Face) -> int:
    """Return the fewest clusters that have enough room within the groups that may be used."""
    low, high = _least(face), int(face.open_to.sum())
    step = 1
    while low < high and not _has_room(face, min(low + step - 1, high)):
        low, step = low + step, 2 * step
    high = min(high, low + step - 1)
    while low < high:
        middle = (low + high) // 2
        if _has_room(face, middle):
            high = middle
        else:
            low = middle + 1
    return low


def _has_room(face: Face, most: int) -> bool:
    """Tell whether at most so many clusters may have enough room."""
    limits = face.limits
    most = most if limits.most is None else min(most, limits.most)
    if most < limits.least:
        return False
    try:
        picked = replace(face, limits=replace(limits, most=most), first=None).pick(face.upper)
    except ApartError as apart:
        # Not known; that it is not enough shows later.
        return apart.bound >= face.total or not face.settled
    return picked is not None and int(face.upper[picked.used].sum()) >= face.total


def _least(face: Face) -> int:
    """Return how many clusters are needed at least: the required ones, then those with the most room."""
    room = np.where(face.open_to, face.upper, 0)
    held = room[face.required].sum()
    others = np.cumsum(np.sort(room[~face.required])[::-1])
    missing = face.total - int(held)
    more = int(np.searchsorted(others, missing)) + 1 if missing > 0 else 0
    return max(int(face.required.sum()) + more, face.limits.least, 1)


def _with_count(face: Face, count: int) -> list[Face]:
    """Return the parts of a face that use so many clusters; none where nothing fits on them."""
    limits = face.limits
    if count > int(face.open_to.sum()) or (limits.most is not None and count > limits.most):
        return []
    limited = _on(face, count)
    for side in (limited.upper, -limited.lower):
        try:
            picked = limited.pick(side)
        except ApartError as apart:
            if apart.known is not None and face.settled and limited.holds(apart.known.used):
                return [limited]
            continue
        if picked is None or (
            face.first is not None and _merit(face, picked.used) < _merit(face, face.first)
        ):
            return []
        if limited.holds(picked.used):
            return [limited]
        if side is limited.upper and exact_sum(limited.upper[picked.used]) < limited.total:
            return []
    parts, _ = narrow(limited, linear(np.zeros_like(limited.lower)))
    return parts


def _on(face: Face, count: int) -> Face:
    """Return the sets of a face that use so many clusters."""
    return replace(face, limits=replace(face.limits, least=count, most=count), first=None)


def _merit(face: Face, used: Flags) -> int:
    """Return the merit of a set by the levels so far."""
    return int(face.merits[used].sum())
