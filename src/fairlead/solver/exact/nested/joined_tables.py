"""Tables put together two at a time, and the way back.

An entry of a table stands for a number on every axis. The entry of a pair is the best sum of two entries
whose numbers add up to its own (max-plus convolution). Where a table says no more than what it is worth to
use a group and what not to, one sort puts all of them together.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
Numbers = NDArray[np.int64]
Merits = NDArray[Any]
"""Merits: floats, 64-bit integers (all together below 2**60 in size) or Python integers."""
Slices = tuple[slice, ...]

MOST_AT_ONCE = 2**17
"""Sums of entries that are looked at together."""
MOST_KEPT = 256
"""Entries of a table up to which it is kept what is left of each without each other one."""


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """Pairs of tables that were put together."""

    first: Merits
    second: Merits
    """Entries of the one and the other table, by row and pair."""
    least: Any
    """Merit that stands for "no such set", below all others."""

    def together(self) -> Merits:
        """Return one table for every pair."""
        rows, sizes = self.first.shape[:2], self.first.shape[2:]
        first, second = self.first.reshape(*rows, -1), self.second.reshape(*rows, -1)
        # What is made of something impossible is not much more than that.
        impossible = self.least if second.dtype == float else self.least // 2
        told = np.flatnonzero((second > impossible).any(axis=(0, 1)))
        found: Merits = np.full(self.first.shape, self.least, dtype=self.first.dtype)
        if found.size * len(told) <= MOST_AT_ONCE and math.prod(sizes) <= MOST_KEPT and found.dtype != object:
            left = _every_rest(sizes)[:, told]
            sums = np.where(left >= 0, first[..., left] + second[..., None, told], self.least)
            merged: Merits = np.max(sums, axis=3, initial=self.least).reshape(found.shape)
            return merged
        for at in told.tolist():
            rest, beyond = _step(sizes, at)
            target = found[beyond]
            alone = second[..., at].reshape(*rows, *(1 for _ in sizes))
            np.maximum(target, self.first[rest] + alone, out=target)
        return found

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


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """Tables of two entries each that were put together: by row and table, how many gain more than it."""

    rank: Numbers

    def apart(self, entries: Numbers) -> Numbers:
        """Return the entries of the single tables for the entry of every row."""
        return (self.rank < entries).astype(np.int64)


Way = tuple[Joined | Ranked, ...]


def join(tables: Merits, reach: Sequence[int], least: Any) -> tuple[Merits, Way, list[int]]:
    """Put all tables of every row together.

    `tables`: by row and table; the number of tables is a power of 2. `reach`: by axis, the last entry that is
    possible in a single table. `least`: what stands for "no such set".

    `merits`, `joined`, `reach`: one table by row, the pairs from the first level on, and the last possible
    entries by axis.
    """
    sizes = tables.shape[2:]
    joined: list[Joined] = []
    reach = [min(last, size - 1) for last, size in zip(reach, sizes, strict=True)]
    if reach[0] == 1 and math.prod(sizes) == sizes[0]:
        merged, rank = _ranked(tables.reshape(tables.shape[:3]), least)
        return merged.reshape(len(tables), *sizes), (rank,), [min(tables.shape[1], sizes[0] - 1), *reach[1:]]
    while tables.shape[1] > 1:
        joined.append(Joined(tables[:, 0::2], tables[:, 1::2], least))
        tables = joined[-1].together()
        reach = [min(2 * last, size - 1) for last, size in zip(reach, sizes, strict=True)]
    return tables[:, 0], tuple(joined), reach


def _ranked(tables: Merits, least: Any) -> tuple[Merits, Ranked]:
    """Put tables of two possible entries together: those that gain most by the second come first."""
    without, within = tables[..., 0], tables[..., 1]
    forced, never = without == least, within == least
    gains = np.where(never, 0, within) - np.where(forced, 0, without)
    gains[forced | never] = 0
    order = np.argsort(
        -np.where(forced, -2 * least, np.where(never, 2 * least, gains)), axis=1, kind="stable"
    )
    rows, rank = np.arange(len(order))[:, None], np.empty_like(order)
    rank[rows, order] = np.arange(order.shape[1])
    counted = gains[rows, order]
    start = np.where(forced, within, without).sum(axis=1, keepdims=True)
    count = min(tables.shape[1], tables.shape[2] - 1) + 1
    number = np.arange(count)
    possible = (number >= forced.sum(axis=1, keepdims=True)) & (number <= (~never).sum(axis=1, keepdims=True))
    possible &= ~(forced & never).any(axis=1, keepdims=True)
    sums = np.concatenate([start, start + np.cumsum(counted, axis=1)], axis=1)
    merged = np.full((len(tables), tables.shape[2]), least, dtype=tables.dtype)
    merged[:, :count] = np.where(possible, sums[:, :count], least)
    return merged, Ranked(rank)


@lru_cache(maxsize=1024)
def _step(sizes: tuple[int, ...], at: int) -> tuple[Slices, Slices]:
    """Return the slices of a first table that are added to an entry of a second one, and their target."""
    everything, entry = (slice(None), slice(None)), np.unravel_index(at, sizes)
    rest = (slice(0, size - int(one)) for one, size in zip(entry, sizes, strict=True))
    return (*everything, *rest), (*everything, *(slice(int(one), None) for one in entry))


@lru_cache(maxsize=64)
def _every_rest(sizes: tuple[int, ...]) -> Numbers:
    """Return the rest of every entry of a table without every other one."""
    return _rest(sizes, np.arange(math.prod(sizes)))


def _rest(sizes: tuple[int, ...], entries: Numbers) -> Numbers:
    """Return the rest of some entries without each entry of a table; -1 where that is no part of it."""
    numbers = np.indices(sizes).reshape(len(sizes), -1)
    parts = numbers.reshape(len(sizes), *(1 for _ in entries.shape), -1)
    inside = np.all(parts <= numbers[:, entries][..., None], axis=0)
    return np.where(inside, entries[..., None] - np.arange(numbers.shape[1]), -1)
