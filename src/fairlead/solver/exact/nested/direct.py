"""Faces narrowed without a search for prices: as if any clusters could be used, or to the fewest clusters."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fairlead.solver.exact.costs.pieces import Pieces, linear
from fairlead.solver.exact.marginal import Box, exact_sum
from fairlead.solver.exact.nested.best_set import NoPriceError, TooLongError
from fairlead.solver.exact.nested.face import Face, Numbers
from fairlead.solver.exact.nested.narrowed_face import narrow
from fairlead.solver.exact.nested.replica_price import Cost

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
        held = most_together(replace(face, limits=replace(limits, most=most), first=None))
    except NoPriceError as apart:
        # Not known; that it is not enough shows later.
        return apart.bound >= face.total or not face.settled
    return held is not None and held >= face.total


def most_together(face: Face) -> int | None:
    """Return how many replicas the clusters of one set hold at most; None where no set keeps the limits.

    Raises `NoPriceError` or `TooLongError` where that is not known.
    """
    room = face.most_held
    picked = face.pick(room)
    return None if picked is None else exact_sum(room[picked.used])


def _least(face: Face) -> int:
    """Return how many clusters are needed at least: the required ones, then those with the most room."""
    room = face.gains() if face.sums else np.where(face.open_to, face.upper, 0)
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
    limited = face.on(count)
    most = limited.most_held
    for side in (*((limited.gains(),) if face.sums else ()), most, -limited.lower):
        try:
            picked = limited.pick(side)
        except NoPriceError as apart:
            if apart.known is not None and face.settled and limited.holds(apart.known.used):
                return [limited]
            continue
        if picked is None or (face.first is not None and face.merit(picked.used) < face.merit(face.first)):
            return []
        if limited.holds(picked.used):
            return [limited]
        if side is most and exact_sum(most[picked.used]) < limited.total:
            return []
    parts, _ = narrow(limited, linear(np.zeros_like(limited.lower)))
    return parts


def without_choice(face: Face, cost: Cost, depth: int | None = None) -> Face | None:
    """Narrow a face as if any clusters could be used: what is best then is best where the limits can be kept.

    None where no set of clusters can keep them, or where it is not seen that one can.
    """
    if not face.settled or (isinstance(cost, Pieces) and cost.using is not None and bool(cost.using.any())):
        return None
    if face.sums:
        found = _best_in_groups(face, cost, len(face.limits.wider) if depth is None else depth)
        if found is None:
            return None
        (least, most), sums, placed = found
    else:
        box = Box(np.where(face.required, face.lower, 0), np.where(face.open_to, face.upper, 0), face.total)
        if not box.feasible:
            return None
        best = cost.narrow(box, np.arange(len(box.lower)))
        least, most, sums, placed = best.lower, best.upper, (), None
    required = face.required | (least > 0)
    lower = np.maximum(face.lower, least)
    open_to = face.open_to & (most >= lower)
    if bool(np.any(required & ~open_to)):
        return None
    needed = (
        [asked | (low > 0) for asked, (low, _) in zip(face.needed, sums, strict=True)]
        if sums
        else face.needed
    )
    narrower = replace(
        face,
        lower=lower,
        upper=most,
        open_to=open_to,
        required=required,
        needed=needed,
        sums=sums,
        first=None,
    )
    if placed is not None and face.limits.keeps(placed > 0) and not np.any((placed > 0) & (placed < lower)):
        return narrower
    return narrower if any(map(narrower.holds, narrower.extremes())) else None


def _best_in_groups(
    face: Face, cost: Cost, depth: int
) -> tuple[tuple[Numbers, Numbers], Sequence[tuple[Numbers, Numbers]], Numbers] | None:
    """Return the bounds of clusters and groups at best as if any could be used, and one such placement."""
    divided = face.relaxed.division(np.ones(len(face.lower), dtype=bool))
    if divided is None:
        return None
    box, at = divided
    path = [list(dict.fromkeys(each.group[at].tolist())) for each in face.limits.wider]
    places = [*(np.array(groups, dtype=np.int64) for groups in path), at]
    best = box.narrow(cost.of(places[depth]), depth + 1).tight()
    if best is None:
        return None
    found = []
    for where, inside in zip(places, best.depths[1:], strict=True):
        lower, upper = np.zeros_like(inside.lower), np.zeros_like(inside.upper)
        lower[where], upper[where] = inside.lower, inside.upper
        found.append((lower, upper))
    placed = np.zeros(len(at), dtype=np.int64)
    placed[at] = best.settle_ties(np.argsort(at))
    return found[-1], found[:-1], placed
