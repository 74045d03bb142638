"""Tables of merits by numbers of groups and clusters, and how two are put together."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

Merits = NDArray[Any]
"""Merits: floats, 64-bit integers (all together below 2**60 in size) or Python integers."""


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """Pairs of tables put together.

    Parameters
    ----------
    second
        By row, pair and flat entry: the flat entry of the second table; that of the first is the difference.
    """

    second: NDArray[np.int32]

    def apart(self, entries: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the entries of the single tables for the entries of the pairs, both by row."""
        rows, pairs = np.indices(entries.shape)
        second = self.second[rows, pairs, entries].astype(np.int64)
        return np.stack([entries - second, second], axis=2).reshape(entries.shape[0], -1)


def lowest(merits: Merits) -> Any:
    """Return what stands for "no such set": lower than any sum of merits, and than any two of its kind."""
    if merits.dtype == float:
        return -np.inf
    return -(2**61) if merits.dtype == np.int64 else -4 * (int(np.abs(merits).sum()) + 1)


def join(tables: Merits, reach: Sequence[int], least: Any) -> tuple[Merits, tuple[Joined, ...], list[int]]:
    """Put all tables of every row together.

    Parameters
    ----------
    tables
        By row and table; the number of tables is a power of 2.
    reach
        By axis, the last entry that is possible in a single table.
    least
        What stands for "no such set".

    Returns
    -------
    merits, joined, reach
        One table by row, the pairs from the first level on, and the last possible entries by axis.
    """
    sizes = tables.shape[2:]
    entries = np.arange(int(np.prod(sizes, dtype=np.int64))).reshape(sizes)
    joined: list[Joined] = []
    reach = [min(last, size - 1) for last, size in zip(reach, sizes, strict=True)]
    while tables.shape[1] > 1:
        first, second = tables[:, 0::2], tables[:, 1::2]
        found = np.full(first.shape, least, dtype=tables.dtype)
        way = np.zeros(first.shape, dtype=np.int32)
        for entry in product(*(range(last + 1) for last in reach)):
            rest = tuple(slice(0, size - at) for at, size in zip(entry, sizes, strict=True))
            beyond = tuple(slice(at, None) for at in entry)
            alone = second[(slice(None), slice(None), *(slice(at, at + 1) for at in entry))]
            sums = first[(slice(None), slice(None), *rest)] + alone
            target = (slice(None), slice(None), *beyond)
            better = sums > found[target]
            np.copyto(found[target], sums, where=better)
            np.copyto(way[target], entries[entry], where=better, casting="unsafe")
        joined.append(Joined(way.reshape(*way.shape[:2], -1)))
        tables = np.maximum(found, least)
        reach = [min(2 * last, size - 1) for last, size in zip(reach, sizes, strict=True)]
    return tables[:, 0], tuple(joined), reach
