"""Choices of a workload before any level is looked at, as a face."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fairlead.models.rules import Bounds, Duplicated, Shares, Spread
from fairlead.models.workload import Workload
from fairlead.solver.exact.boxes import UNBOUND, Clusters, Range, WorkloadBox, fewest_in_use
from fairlead.solver.exact.nested.face import Face
from fairlead.solver.exact.nested.limits import GroupLimits, limits_of, partition


def whole_face(
    workload: Workload, boxed: WorkloadBox, total: int, ranges: Mapping[Clusters, Range] | None = None
) -> tuple[tuple[str, ...], Face] | None:
    """Return the clusters that can or have to hold replicas, and all placements on them within limits.

    `ranges`: what sets may hold; where they are given, hierarchical weights have their groups there as well.

    None where there is no such placement, or where groups do not nest.
    """
    bounds, shares = workload.rule(Bounds), workload.rule(Shares)
    lower = fewest_in_use(workload, boxed)
    required, copied = boxed.box.lower > 0, workload.rule(Duplicated) is not None
    if copied:
        always = {name for name, bound in bounds.always.items() if bound.replicas} if bounds else set[str]()
        required = np.array([name in always for name in boxed.names], dtype=bool)
    kept = np.flatnonzero((boxed.box.upper >= lower) | required)
    names = tuple(boxed.names[at] for at in kept.tolist())
    lower, upper, required = lower[kept], boxed.box.upper[kept], required[kept]
    partitions = (
        [partition((part.clusters for part in each), names) for each in shares.depths]
        if shares and ranges is not None
        else []
    )
    inside = {each: each.intersection(names) for each in ranges or ()}
    if (
        not names
        or None in partitions
        or any(not inside[each] and low > 0 for each, (low, _) in (ranges or {}).items())
    ):
        return None
    sets = sorted({each for each in inside.values() if each}, key=sorted)
    limits = limits_of(workload.rules_of(Spread), names, filter(None, partitions), sets)
    if limits is None or bool(np.any(upper < lower)):
        return None
    sums = _sums(limits, names, total, ((inside[each], held) for each, held in (ranges or {}).items()))
    *groups, (least, most) = sums
    required, lower, upper = required | (least > 0), np.maximum(lower, least), np.minimum(upper, most)
    open_to = upper >= lower
    if bool(np.any(required & ~open_to)) or any(bool(np.any(low > high)) for low, high in groups):
        return None
    face = Face(
        limits,
        lower,
        lower if copied else upper,
        total,
        open_to,
        required,
        tuple(low > 0 for low, _ in groups),
        np.zeros(len(lower), dtype=np.int64),
    )
    if partitions or any(bool(np.any(low > 0) or np.any(high < total)) for low, high in groups):
        nodes = len(lower) + sum(each.groups for each in limits.wider)
        told = tuple((low, high) for low, high in groups)
        face = replace(face, sums=told, merits=np.zeros(nodes, dtype=np.int64))
    if face.sums and face.relaxed.division(np.ones(len(lower), dtype=bool)) is None:
        return None
    return names, face


def _sums(
    limits: GroupLimits, names: Sequence[str], total: int, ranges: Iterable[tuple[Clusters, Range]]
) -> list[NDArray[np.int64]]:
    """Return the fewest and the most replicas of every group, widest groups first, single clusters last."""
    where = {name: at for at, name in enumerate(names)}
    single = np.array([[0] * len(names), [UNBOUND] * len(names)], dtype=np.int64)
    sums = [np.array([[0] * each.groups, [total] * each.groups], dtype=np.int64) for each in limits.wider]
    sums.append(single)
    for inside, (least, most) in ranges:
        if inside:
            depth, group = limits.place([where[name] for name in inside])
            found = sums[depth][:, group]
            found[:] = max(found[0], least), min(found[1], most)
    return sums
