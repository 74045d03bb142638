"""Tables put together two at a time, and the way back.

An entry of a table stands for a number on every axis. The entry of a pair is the best sum of two entries
whose numbers add up to its own (max-plus convolution).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
Numbers = NDArray[np.int64]
Merits = NDArray[Any]
"""Merits: floats, 64-bit integers (all together below 2**60 in size) or Python integers."""
Slices = tuple[slice, ...]

MOST_KEPT = 256
"""Entries of a table up to which it is kept what is left of each without each other one."""


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """Pairs of tables that were put together.

    Parameters
    ----------
    first, second
        By row and pair, the one and the other table.
    least
        What stands for "no such set".
    """

    first: Merits
    second: Merits
    least: Any

    def apart(self, entries: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the entries of the single tables for the entries of the pairs, both by row."""
        sizes = self.first.shape[2:]
        left = _every_rest(sizes)[entries] if math.prod(sizes) <= MOST_KEPT else _rest(sizes, entries)
        inside = left >= 0
        rows, pairs = np.ogrid[: entries.shape[0], : entries.shape[1]]
        first = self.first.reshape(inside.shape)[rows[..., None], pairs[..., None], left]
        sums = np.where(inside, first + self.second.reshape(inside.shape), 2 * self.least)
        second = np.argmax(sums, axis=2)
        return np.stack([entries - second, second], axis=2).reshape(entries.shape[0], -1)


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
    joined: list[Joined] = []
    reach = [min(last, size - 1) for last, size in zip(reach, sizes, strict=True)]
    while tables.shape[1] > 1:
        first, second = tables[:, 0::2], tables[:, 1::2]
        found = np.full(first.shape, least, dtype=tables.dtype)
        for alone, rest, beyond in _steps(sizes, tuple(reach)):
            target = found[beyond]
            np.maximum(target, first[rest] + second[alone], out=target)
        joined.append(Joined(first, second, least))
        tables = found
        reach = [min(2 * last, size - 1) for last, size in zip(reach, sizes, strict=True)]
    return tables[:, 0], tuple(joined), reach


@lru_cache(maxsize=64)
def _steps(sizes: tuple[int, ...], reach: tuple[int, ...]) -> tuple[tuple[Slices, Slices, Slices], ...]:
    """Return, by entry of a second table, where it is, what of a first one is added to it, and where to."""
    everything = (slice(None), slice(None))
    return tuple(
        (
            (*everything, *(slice(at, at + 1) for at in entry)),
            (*everything, *(slice(0, size - at) for at, size in zip(entry, sizes, strict=True))),
            (*everything, *(slice(at, None) for at in entry)),
        )
        for entry in product(*(range(last + 1) for last in reach))
    )


@lru_cache(maxsize=64)
def _every_rest(sizes: tuple[int, ...]) -> Numbers:
    """Return what is left of every entry of a table without every other one."""
    return _rest(sizes, np.arange(math.prod(sizes)))


def _rest(sizes: tuple[int, ...], entries: Numbers) -> Numbers:
    """Return what is left of some entries without each entry of a table; -1 where that is no part of it."""
    numbers = np.indices(sizes).reshape(len(sizes), -1)
    parts = numbers.reshape(len(sizes), *(1 for _ in entries.shape), -1)
    inside = np.all(parts <= numbers[:, entries][..., None], axis=0)
    return np.where(inside, entries[..., None] - np.arange(numbers.shape[1]), -1)
