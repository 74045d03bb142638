"""Amounts used and distances from weights of many replicas at one look: arrays over all places.

The same numbers as those of `fairlead.models.usage` and of `fairlead.models.rules.weights`, exactly: where
64 bits could not hold one, or weights have no small common multiple, nothing is told, and they are asked one
by one. This module needs NumPy, and is imported where there are many places to look at.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, compress, pairwise, repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairlead.models.in_order import Column, in_order_of, names_of, numbers_of
from fairlead.models.levels import Deviation
from fairlead.models.quantity import sum_of_ratios

Whole = NDArray[np.int64]
Placed = Sequence[Mapping[str, int]]
"""Replicas by cluster, of one workload after the other."""

MOST = 2**62
"""Sums below this fit 64 bits."""
EXACT = 2**53
"""Whole numbers below this are exact as floats."""
AT_ONCE = 200_000
"""Places that are looked at together, so that their arrays stay in the processor's cache."""


def used_at_once(
    asked: Sequence[Mapping[str, int]],
    placed: Placed,
    names: tuple[str, ...],
    counted: Callable[[str], AbstractSet[str]],
) -> dict[str, Column] | None:
    """Return the amounts used, by resource and cluster; None where 64 bits may not do.

    `asked`: what one replica of each workload takes by resource. `counted`: tells on which clusters a
    resource counts.

    Raises `OverflowError` where a number alone is beyond 64 bits.
    """
    resources = tuple(dict.fromkeys(chain.from_iterable(asked)))
    largest = max(chain.from_iterable(each.values() for each in asked), default=0)
    sums = np.zeros((len(resources), len(names) + 1), dtype=np.int64)
    replicas = 0
    for rows, lengths, counts in _slices(placed):
        # Floats do not wrap around where a sum is too large for 64 bits, and that is all that is asked.
        replicas += int(counts.sum(dtype=np.float64)) + 1
        if replicas * largest >= MOST:
            return None
        columns = _positions(placed[rows], names, len(counts))
        needs = np.array([[each.get(resource, 0) for each in asked[rows]] for resource in resources])
        if columns is None:
            sums[:, :-1] += needs @ counts.reshape(-1, len(names))
        else:
            for row, need in zip(sums, needs, strict=True):
                np.add.at(row, columns, np.repeat(need, lengths) * counts)
    sums = sums[:, :-1]
    for number, resource in enumerate(resources):
        charged = counted(resource)
        if len(charged) < len(names):
            sums[number] *= np.fromiter(map(charged.__contains__, names), dtype=np.int64, count=len(names))
    found = {}
    for resource, row in zip(resources, sums, strict=True):
        inside = row != 0
        if inside.all():
            found[resource] = Column(names, row)
        else:
            found[resource] = Column(tuple(compress(names, inside.tolist())), row[inside])
    return found


def _positions(placed: Placed, names: tuple[str, ...], count: int) -> Whole | None:
    """Return where each place stands among the names, after the last where it is not among them.

    None where every workload has exactly these places, in order.
    """
    if all(len(each) == len(names) and names_of(each) == names for each in placed):
        return None
    position = {name: at for at, name in enumerate(names)}
    held = map(position.get, chain.from_iterable(placed), repeat(len(names)))
    return np.fromiter(held, dtype=np.int64, count=count)


def in_array(names: tuple[str, ...], values: Mapping[str, int], otherwise: int = 0) -> Whole:
    """Return values by name in the order of names; another one where a name is absent.

    Raises `OverflowError` where a number is beyond 64 bits.
    """
    if type(values) is Column and values.names == names:
        return values.array
    return np.fromiter(in_order_of(names, values, otherwise), dtype=np.int64, count=len(names))


class Divided(NamedTuple):
    """Replicas divided by weights, of a workload or an overflow tier: both mappings are by cluster name."""

    weights: Mapping[str, int]
    replicas: int
    placed: Mapping[str, int]


def distance_at_once(divided: Sequence[Divided], deviation: Deviation) -> Fraction | None:
    """Return the sum of the distances from the weights; None where they have to be asked one by one.

    Raises `OverflowError` where a number alone is beyond 64 bits.
    """
    if deviation is Deviation.MINIMAX:
        return None
    # What has no weights, or no replicas, is at no distance from anything.
    divided = [each for each in divided if each.replicas and any(numbers_of(each.weights))]
    parts: list[tuple[int, int]] = []
    for rows, lengths, counts in _slices([each.placed for each in divided]):
        inside = divided[rows]
        weights = _weights(inside, len(counts))
        wholes = [sum(numbers_of(each.weights)) for each in inside]
        row = _Rows(lengths, counts, weights, wholes, [each.replicas for each in inside])
        found = row.squares() if deviation is Deviation.WEBSTER else row.gaps()
        if found is None:
            return None
        parts.extend(found)
    return Fraction(*sum_of_ratios(parts))


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Workloads one after the other, and their places one after the other."""

    lengths: Whole
    """Number of places of each workload."""
    counts: Whole
    weights: Whole
    """Replicas and weight by place."""
    wholes: Sequence[int]
    replicas: Sequence[int]
    """The sum W of all weights, and N, by workload; both positive."""

    def squares(self) -> Iterator[tuple[int, int]] | None:
        """Return sum (x - q)^2 / q as (W / N) sum x^2 / w - 2 sum x + N, as fractions by N and w."""
        # Floats do not wrap around where a sum is too large, and below this they are exact.
        if max(self.wholes, default=0) * np.square(self.counts, dtype=np.float64).sum() >= EXACT:
            return None
        if self.weights.max(initial=0) > len(self.weights):
            weights, weight = np.unique(self.weights, return_inverse=True)
        else:
            weights, weight = np.arange(self.weights.max(initial=0) + 1), self.weights
        sizes = list(dict.fromkeys(self.replicas))
        place = {total: number for number, total in enumerate(sizes)}
        size = self._by_place([place[total] for total in self.replicas])
        costs = self._by_place(self.wholes) * self.counts**2
        squares = np.bincount(size * len(weights) + weight, costs, minlength=len(sizes) * len(weights))
        squares = squares * np.tile(weights > 0, len(sizes))
        at = np.flatnonzero(squares)
        under = zip((at // len(weights)).tolist(), weights[at % len(weights)].tolist(), strict=True)
        parts = zip(map(int, squares[at].tolist()), (sizes[n] * each for n, each in under), strict=True)
        held = int(self.counts[self.weights > 0].sum())
        return chain(parts, [(sum(self.replicas) - 2 * held, 1)])

    def gaps(self) -> Iterator[tuple[int, int]] | None:
        """Return sum |x - q| as N + sum (|W x - N w| - N w) / W over the places that hold any, by W."""
        whole, total = max(self.wholes, default=0), max(self.replicas, default=0)
        most = (whole + 1) * (int(self.counts.max(initial=0)) + 2 * total + 1)
        if most * (len(self.counts) + 1) >= MOST:
            return None
        wanted = self._by_place(self.replicas) * self.weights
        held = self._by_place(self.wholes) * self.counts
        gaps = self._sums(np.where(self.weights > 0, np.abs(held - wanted) - wanted, 0))
        over: dict[int, int] = {}
        for whole, total, gap in zip(self.wholes, self.replicas, gaps, strict=True):
            over[whole] = over.get(whole, 0) + gap + whole * total
        return ((above, whole) for whole, above in over.items())

    def _by_place(self, values: Sequence[int]) -> Whole:
        """Return a number of every workload at each of its places; of a single workload once for all."""
        numbers = np.array(values, dtype=np.int64)
        return numbers if len(values) == 1 else np.repeat(numbers, self.lengths)

    def _sums(self, values: Whole) -> list[Any]:
        ends = np.cumsum(self.lengths)
        sums = np.concatenate([[0], np.cumsum(values)])
        found: list[Any] = (sums[ends] - sums[ends - self.lengths]).tolist()
        return found


def _slices(placed: Placed) -> Iterator[tuple[slice, Whole, Whole]]:
    """Yield some workloads after the other, how many places each of them has, and the replicas there."""
    lengths = np.fromiter(map(len, placed), dtype=np.int64, count=len(placed))
    ends = np.cumsum(lengths)
    starts = np.flatnonzero(np.diff(ends // AT_ONCE)) + 1 if lengths.sum() >= AT_ONCE else ends[:0]
    for start, end in pairwise([0, *starts.tolist(), len(placed)]):
        rows = slice(start, end)
        yield rows, lengths[rows], _replicas(placed[rows], int(lengths[rows].sum()))


def _replicas(placed: Placed, count: int) -> Whole:
    if count and len(placed) == 1:
        return in_array(names_of(placed[0]), placed[0])
    return np.fromiter(chain.from_iterable(map(numbers_of, placed)), dtype=np.int64, count=count)


def _weights(divided: Sequence[Divided], count: int) -> Whole:
    if count and len(divided) == 1:
        return in_array(names_of(divided[0].placed), divided[0].weights)
    by_place = chain.from_iterable(map(each.weights.get, each.placed, repeat(0)) for each in divided)
    return np.fromiter(by_place, dtype=np.int64, count=count)
