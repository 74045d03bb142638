"""The placements of faces that use the fewest clusters."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fairlead.solver.exact.costs.pieces import linear
from fairlead.solver.exact.marginal import exact_sum
from fairlead.solver.exact.nested.best_set import NoPriceError, TooLongError
from fairlead.solver.exact.nested.face import Face
from fairlead.solver.exact.nested.narrowed_face import narrow

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
