"""How values are written, and what may be wrong with numbers of a problem and with clusters that it names."""

import operator
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any, TypeVar

from fairlead.models.in_order import Clusters, extremes, numbers_of
from fairlead.models.words import shown

T = TypeVar("T", bound=Hashable)


class PlainRepr:
    """A data class (with ``repr=False``) that is written as any other, whatever its numbers.

    Python itself refuses to write a number of more than some thousand digits.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        value: Any = self
        told = (f"{each.name}={shown(getattr(value, each.name))}" for each in fields(value) if each.repr)
        return f"{type(self).__qualname__}({', '.join(told)})"


Faults = Iterator[tuple[str, Any, str]]
"""Field, value and what is wrong with it."""

FleetClusters = Clusters
"""The clusters that a problem has, beside which rules are looked at."""

MOST_REPLICAS = 2**31 - 1
"""Replicas that a workload can have, as in Kubernetes."""

COUNT = f"must be a whole number from 0 to {MOST_REPLICAS}"
AMOUNT = "must be a whole number of at least 0: millicores of cpu, bytes, pods or devices of all else"
MOST_WEIGHT = 2**63 - 1
"""The greatest weight, as in Kubernetes."""
WEIGHT = f"must be a whole number from 0 to {MOST_WEIGHT}"
FREE = "must be a whole number: millicores of cpu, bytes, pods or devices of all else"
LONGEST = 10**100
"""Numbers of fractions stay below this."""
UNKNOWN = "is not a cluster of the problem"


class Unmistakable(PlainRepr):
    """A rule in which nothing can be wrong: it states no number, and strangers that it names do no harm."""

    __slots__ = ()

    def mistakes(self, known: FleetClusters, keys: frozenset[str] = frozenset()) -> Faults:
        """Yield nothing."""
        del known, keys
        yield from ()


def is_whole(value: object) -> bool:
    """Tell whether a value is a whole number; True and False are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def all_whole(numbers: Collection[object]) -> bool:
    """Tell whether all numbers are plain whole ones."""
    return operator.countOf(map(type, numbers), int) == len(numbers)


def is_count(value: Any) -> bool:
    """Tell whether a value is a number of replicas."""
    return is_whole(value) and 0 <= value <= MOST_REPLICAS


def amounts(
    field: str, found: Mapping[str, Any], allowed: str, *, least: int | None, most: int | None = None
) -> Faults:
    """Yield amounts that are not whole, too small or too large."""

    def fits(smallest: int, largest: int) -> bool:
        return (least is None or smallest >= least) and (most is None or largest <= most)

    if all_whole(numbers_of(found)) and fits(*extremes(found)):
        return
    for resource, amount in found.items():
        if not is_whole(amount) or not fits(amount, amount):
            yield f"{field}[{resource}]", amount, allowed


def numbers(found: Mapping[str, Any], most: int = MOST_REPLICAS) -> Faults:
    """Yield numbers, by field, that are no numbers of replicas."""
    for field, number in found.items():
        if not (is_whole(number) and 0 <= number <= most):
            yield field, number, COUNT


def counts(field: str, found: Mapping[str, Any]) -> Faults:
    """Yield numbers of one field, by what they are for, that are no numbers of replicas."""
    return amounts(field, found, COUNT, least=0, most=MOST_REPLICAS)


def fractions(field: str, found: Mapping[str, Fraction], most: int | None = None) -> Faults:
    """Yield prices or shares of one field, by what they are for, that are negative, too large or too long.

    `most`: the greatest of them; None where there is none.
    """
    for name, value in found.items():
        short = -LONGEST < value.numerator < LONGEST and value.denominator < LONGEST
        if not (short and value >= 0 and (most is None or value <= most)):
            yield f"{field}[{name}]" if name else field, str(value) if short else "", _fraction(most)


def _fraction(most: int | None) -> str:
    ends = "of at least 0" if most is None else f"from 0 to {most}"
    return f"must be a fraction {ends}, of two numbers of at most 100 digits"


def doubles(values: Iterable[T]) -> list[T]:
    """Return the values that stand among others twice, each once."""
    return [value for value, count in Counter(values).items() if count > 1]


def strangers(field: str, clusters: Collection[str], known: FleetClusters) -> Faults:
    """Yield clusters that the problem does not have."""
    # Very often all are named, in order.
    if clusters == known.names or all(map(known.by_name.__contains__, clusters)):
        return
    for name in sorted(set(clusters) - known.by_name.keys()):
        yield field, name, UNKNOWN
