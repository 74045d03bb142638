"""Results that are kept with values that never change; clusters in the order of their names.

They are the same in a problem and in those that are made of it (`dataclasses.replace`), and so is what is
known of them; `fairlead.models.workload.Workloads` are the other ones.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, ItemsView, Iterable, Iterator, Mapping, Sequence, ValuesView
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import cached_property, wraps
from itertools import chain, compress, repeat
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, Self, TypeVar, TypeVarTuple, cast

from fairlead.models.cluster import Cluster
from fairlead.models.shapes import fit

if TYPE_CHECKING:
    from numpy import int64
    from numpy.typing import NDArray

    Whole = NDArray[int64]

Found = TypeVar("Found")
Others = TypeVarTuple("Others")


class Known:
    """An immutable value that keeps what was found out about it; copies and pickles of it begin anew."""

    def once(self, find: Callable[[Self, *Others], Found], *others: *Others) -> Found:
        """Return the result of a pure function of this value and of others; asked again it is not called.

        What it returns must not be changed by anybody. Others are told apart by identity, so they have to be
        immutable, and the same object each time.
        """
        known = _known(self)
        # Who is part of a key is kept, so that nobody else gets his identity.
        key = (find, *map(id, others))
        if key not in known:
            known[key] = (others, find(self, *others))
        found: Found = known[key][1]
        return found

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_known"}


Owner = TypeVar("Owner", bound=Known)


def kept(find: Callable[[Owner], Found]) -> Callable[[Owner], Found]:
    """Let a function of a value run once for each."""

    @wraps(find)
    def found(value: Owner) -> Found:
        return value.once(find)

    return found


def keep(value: Owner, find: Callable[[Owner], Found], result: Found) -> None:
    """Let a function that is `kept` return a result for a value of which that is known without a look."""
    _known(value)[(find.__wrapped__,)] = ((), result)  # type: ignore[attr-defined]


def _known(value: Known) -> dict[object, tuple[object, Any]]:
    """Return the results kept with a value, by function and other arguments."""
    known: dict[object, tuple[object, Any]] = vars(value).setdefault("_known", {})
    return known


Value = TypeVar("Value")


WORTH_ARRAYS = 500
"""Places that are worth arrays, and the import of NumPy."""


class Column(Mapping[str, int]):
    """Numbers of many clusters: a list or an array beside names; what else is asked for is made then.

    `names`: names, each once. `amounts`: numbers in that order; must not be changed by anybody.
    """

    __slots__ = ("_amounts", "_array", "_by_name", "names")

    def __init__(self, names: tuple[str, ...], amounts: list[int] | Whole) -> None:
        self.names = names
        self._amounts: list[int] | None = amounts if isinstance(amounts, list) else None
        self._array: Whole | None = None if isinstance(amounts, list) else amounts
        self._by_name: dict[str, int] | None = None

    @property
    def amounts(self) -> list[int]:
        """The numbers in the order of the names."""
        found = self._amounts
        if found is None:
            found = self._amounts = [] if self._array is None else self._array.tolist()
        return found

    @property
    def array(self) -> Whole:
        """The numbers in the order of the names, as an array of 64-bit integers; needs NumPy.

        Raises `OverflowError` where a number is beyond 64 bits.
        """
        if self._array is None:
            from numpy import fromiter, int64

            self._array = fromiter(self.amounts, dtype=int64, count=len(self.names))
            self._array.flags.writeable = False
        return self._array

    @property
    def by_name(self) -> Mapping[str, int]:
        """The numbers by name, as a dictionary."""
        if self._by_name is None:
            self._by_name = dict(zip(self.names, self.amounts, strict=True))
        return self._by_name

    def __getitem__(self, name: str) -> int:
        return self.by_name[name]

    def __contains__(self, name: object) -> bool:
        return name in self.by_name

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return repr(self.by_name)

    def get(self, name: str, otherwise: Any = None, /) -> Any:
        """Return the number of a name, or something else."""
        return self.by_name.get(name, otherwise)

    def values(self) -> ValuesView[int]:
        """Return the numbers."""
        return self.by_name.values()

    def items(self) -> ItemsView[str, int]:
        """Return names with their numbers."""
        return self.by_name.items()


def numbers_of(values: Mapping[str, int]) -> Collection[int]:
    """Return the numbers of a mapping; of a column without its dictionary."""
    return values.amounts if type(values) is Column else values.values()


def names_of(values: Mapping[str, int]) -> tuple[str, ...]:
    """Return the names of a mapping."""
    return values.names if type(values) is Column else tuple(values)


def in_order_of(names: tuple[str, ...], values: Mapping[str, Value], otherwise: Value) -> Iterable[Value]:
    """Return values in the order of names; mostly they have that order, and nothing is looked up."""
    if type(values) is Column:
        if values.names == names:
            return cast("list[Value]", values.amounts)
        values = cast("Mapping[str, Value]", values.by_name)
    if len(values) == len(names) and tuple(values) == names:
        return values.values()
    return map(values.get, names, repeat(otherwise))


def anywhere(
    compare: Callable[[Any, Any], Any], values: Mapping[str, int], others: Mapping[str, int]
) -> bool:
    """Tell whether a number and that of the same name among others (absent means 0) compare like that.

    `compare`: of `operator`, compares two numbers, or two arrays place by place.
    """
    if len(values) >= WORTH_ARRAYS and type(values) is Column and type(others) is Column:
        with suppress(OverflowError):
            if values.names == others.names:
                return bool(compare(values.array, others.array).any())
    return any(map(compare, numbers_of(values), in_order_of(names_of(values), others, 0)))


def extremes(values: Mapping[str, int]) -> tuple[int, int]:
    """Return the least and the greatest of some numbers; 0 where there are none."""
    if len(values) >= WORTH_ARRAYS and type(values) is Column:
        with suppress(OverflowError):
            return int(values.array.min()), int(values.array.max())
    numbers = numbers_of(values)
    return min(numbers, default=0), max(numbers, default=0)


def by_resource(names: tuple[str, ...], amounts: Sequence[Mapping[str, int]]) -> dict[str, Column]:
    """Return amounts of clusters by resource; mostly all of them tell the same ones."""
    found: dict[str, Column] = {}
    first = amounts[0] if amounts else {}
    alike = operator.countOf(map(len, amounts), len(first)) == len(amounts)
    with suppress(KeyError):
        found = {resource: Column(names, [*map(itemgetter(resource), amounts)]) for resource in first}
    if alike and len(found) == len(first):
        return found
    for resource in dict.fromkeys(chain.from_iterable(amounts)):
        inside = [resource in each for each in amounts]
        told = [each[resource] for each in compress(amounts, inside)]
        found[resource] = Column(tuple(compress(names, inside)), told)
    return found


class Clusters(tuple[Cluster, ...], Known):  # noqa: SLOT001 - keeps what was found out
    """Clusters in name order."""

    @classmethod
    def of(cls, clusters: Iterable[Cluster]) -> Clusters:
        """Return clusters in name order."""
        if isinstance(clusters, cls):
            return clusters
        found = cls(sorted(clusters, key=attrgetter("name")))
        _ = found.as_declared  # found out where they are put together, once for all problems that share them
        return found

    def __reduce__(self) -> tuple[type[Clusters], tuple[tuple[Cluster, ...]]]:
        return Clusters, (tuple(self),)

    @cached_property
    def as_declared(self) -> bool:
        """Whether all of them hold what they are declared to hold, as far as types tell."""
        return fit(self, Cluster)

    @cached_property
    def by_name(self) -> Mapping[str, Cluster]:
        """Clusters by name."""
        return dict(zip(self.names, self, strict=True))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Their names."""
        return tuple([cluster.name for cluster in self])

    @cached_property
    def position(self) -> Mapping[str, int]:
        """Position of each cluster, by name."""
        return dict(zip(self.names, range(len(self)), strict=True))

    @cached_property
    def known(self) -> AbstractSet[str]:
        """Names of those of known capacity."""
        if all(self._free):
            return self.by_name.keys()
        return frozenset(compress(self.names, [each is not None for each in self._free]))

    @cached_property
    def _free(self) -> list[Mapping[str, int] | None]:
        return [cluster.free for cluster in self]

    @cached_property
    def free(self) -> Mapping[str, Column]:
        """Free capacity by resource, then cluster; clusters of unknown capacity are absent."""
        return self._by_resource(self._free)

    @cached_property
    def allocatable(self) -> Mapping[str, Column]:
        """Allocatable capacity by resource, then cluster; clusters that do not say it are absent."""
        return self._by_resource([cluster.allocatable for cluster in self])

    def _by_resource(self, amounts: list[Mapping[str, int] | None]) -> Mapping[str, Column]:
        """Return amounts of those clusters that tell any."""
        if all(amounts):
            return by_resource(self.names, cast("list[Mapping[str, int]]", amounts))
        told = [each for each in amounts if each]
        return by_resource(tuple(compress(self.names, map(bool, amounts))), told) if told else {}

    @cached_property
    def graded(self) -> tuple[Cluster, ...]:
        """Clusters that tell the grades of their nodes, in the order of their names."""
        return tuple([cluster for cluster in self if cluster.grades])
