"""A face narrowed to what is best on a level as if any clusters could be used."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fairlead.solver.exact.costs.pieces import Pieces
from fairlead.solver.exact.marginal import Box
from fairlead.solver.exact.nested.face import Face, Numbers
from fairlead.solver.exact.nested.replica_price import Cost


def without_choice(face: Face, cost: Cost, depth: int | None = None) -> Face | None:
    """Narrow a face as if any clusters could be used: what is best then is best where the limits can be kept.

    None where no set of clusters can keep them, or where it is not seen that one can.
    """
    if (
        face.counts is not None
        or not face.settled
        or (isinstance(cost, Pieces) and cost.using is not None and bool(cost.using.any()))
    ):
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
