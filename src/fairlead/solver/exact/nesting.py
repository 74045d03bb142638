"""Sets of clusters that lie inside of each other or have nothing in common, as groups inside groups."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from fairlead.models.rules.shares import Group
from fairlead.solver.exact.asked import Clusters
from fairlead.solver.exact.costs.pieces import Numbers

NO_SET = -1
"""Stands for those inside a group that are in none of the sets of a depth."""


@dataclass(frozen=True, slots=True)
class Tree:
    """The candidates of a workload in groups inside groups, those of one group side by side."""

    order: Numbers
    """Positions of the candidates, in the order of their names, one after the other."""
    sets: tuple[tuple[Clusters | None, ...], ...]
    """By depth the groups that are a set of interest; None stands for what is left inside a group around, and
    for groups that are only measured."""
    first: tuple[Numbers, ...]
    """Position of the first group, or candidate, inside of each, by depth; the whole comes first."""
    measured: tuple[tuple[tuple[Group, ...], int], ...]
    """The groups of every partition that was given, with their depth; the whole is depth 0."""


def tree_of(
    names: Sequence[str], partitions: Sequence[Sequence[Group]], sets: Iterable[Clusters]
) -> Tree | None:
    """Return candidates as a tree; None where sets overlap.

    Parameters
    ----------
    names
        The candidates; at least one.
    partitions
        Groups that hold each candidate once, from the widest to the finest.
    sets
        Other sets of candidates. Single ones need no group: they are the innermost depth.
    """
    kept = sorted({each for each in sets if len(each) > 1}, key=lambda each: (-len(each), sorted(each)))
    columns: list[dict[str, int]] = []
    chosen: list[Sequence[Clusters] | None] = []
    wide: list[Clusters] = [frozenset(names)]
    at_depth = []
    for number in range(len(partitions) + 1):
        # Sets that lie in one group of this partition, but in none of the next one, stand between the two.
        finer = [group.clusters for group in partitions[number]] if number < len(partitions) else []
        here = [each for each in kept if _inside(each, wide) and not _inside(each, finer)]
        kept = [each for each in kept if each not in here]
        for disjoint in _layers(here):
            columns.append({name: at for at, each in enumerate(disjoint) for name in each})
            chosen.append(disjoint)
            if len(columns[-1]) < sum(map(len, disjoint)):
                return None
        if number < len(partitions):
            columns.append({name: at for at, each in enumerate(finer) for name in each})
            chosen.append(None)
            at_depth.append(len(columns))
            wide = finer
            if not columns[-1].keys() >= set(names):
                return None
    return None if kept else _built(names, columns, chosen, list(zip(partitions, at_depth, strict=True)))


def _inside(each: Clusters, groups: Iterable[Clusters]) -> bool:
    return any(each <= group for group in groups)


def _layers(sets: Sequence[Clusters]) -> list[list[Clusters]]:
    """Return sets by how many others each lies in; the widest come first."""
    found: list[list[Clusters]] = []
    for at, each in enumerate(sets):
        around = sum(each < other for other in sets[:at])
        found += [[] for _ in range(around + 1 - len(found))]
        found[around].append(each)
    return found


def _built(
    names: Sequence[str],
    columns: Sequence[dict[str, int]],
    chosen: Sequence[Sequence[Clusters] | None],
    partitions: Collection[tuple[Sequence[Group], int]],
) -> Tree | None:
    """Order candidates by the groups that they are in, column by column; None where a group falls apart."""
    paths = [tuple(column.get(name, NO_SET) for column in columns) for name in names]
    order = sorted(range(len(names)), key=paths.__getitem__)
    outer: list[tuple[int, ...]] = [()]
    sets, first, last = [], [], []
    for number, disjoint in enumerate(chosen, start=1):
        inner = list(dict.fromkeys(paths[at][:number] for at in order))
        ends = [path[-1] for path in inner]
        told = [end for end in ends if end != NO_SET]
        if len(set(told)) < len(told):
            return None
        sets.append(tuple(None if disjoint is None or end == NO_SET else disjoint[end] for end in ends))
        first.append(_first(outer, [path[:-1] for path in inner]))
        last.append(ends)
        outer = inner
    first.append(_first(outer, [paths[at] for at in order]))
    measured = tuple((tuple(groups[end] for end in last[depth - 1]), depth) for groups, depth in partitions)
    return Tree(np.array(order, dtype=np.int64), tuple(sets), tuple(first), measured)


def _first(outer: Sequence[tuple[int, ...]], around: Sequence[tuple[int, ...]]) -> Numbers:
    """Return the position of the first one inside of each, told what is around every one."""
    found: dict[tuple[int, ...], int] = {}
    for at, path in enumerate(around):
        found.setdefault(path, at)
    return np.array([found[path] for path in outer], dtype=np.int64)
