"""The answer: how many replicas of which workload run on which cluster."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import compress, islice
from operator import lt
from types import MappingProxyType

from fairlead.models.errors import UsageError
from fairlead.models.in_order import WORTH_ARRAYS, Column, Known
from fairlead.models.quantity import MOST_COUNTED
from fairlead.models.words import shown

SHOWN = 6
"""Workloads up to which a placement prints as what makes it; a larger one is counted."""


class Placement(Mapping[str, Mapping[str, int]], Known):
    """Replicas by workload and cluster; an immutable, hashable and picklable value.

    Clusters that hold none are absent; workloads and clusters are in name order.

    Parameters
    ----------
    replicas
        Replicas by workload key and cluster name.

    Raises
    ------
    UsageError
        Where it is no mapping of mappings, or a number is not a whole number of at least 0.
    """

    def __init__(self, replicas: Mapping[str, Mapping[str, int]]) -> None:
        if not isinstance(replicas, Mapping):
            raise UsageError(
                f"{shown(replicas)} is not a placement: replicas by workload key and cluster name"
            )
        for key in replicas:
            if not isinstance(key, str):
                raise UsageError(f"{shown(key)} is not a key of a workload, such as 'default/web'")
        self._replicas = {key: _clean(key, replicas[key]) for key in sorted(replicas)}

    def __getitem__(self, workload: str) -> Mapping[str, int]:
        try:
            return self._replicas[workload]
        except KeyError:
            # A mapping is asked this way whether a key is in it, so nothing is looked through.
            such = f", such as {next(iter(self._replicas))!r}" if self._replicas else ""
            raise KeyError(f"no workload {shown(workload)}; keys are namespace/name{such}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._replicas)

    def __len__(self) -> int:
        return len(self._replicas)

    def __hash__(self) -> int:
        return hash(tuple((key, tuple(placed.items())) for key, placed in self._replicas.items()))

    def __repr__(self) -> str:
        if len(self) <= SHOWN:
            return f"Placement({self.to_dict()!r})"
        replicas = sum(sum(placed.values()) for placed in self._replicas.values())
        return f"<Placement of {len(self)} workloads, {replicas} replicas>"

    def __reduce__(self) -> tuple[type["Placement"], tuple[dict[str, dict[str, int]]]]:
        return Placement, (self.to_dict(),)

    def of(self, workload: str) -> Mapping[str, int]:
        """Return the replicas of a workload by cluster; empty where it has none."""
        return self._replicas.get(workload, _NOTHING)

    def to_dict(self) -> dict[str, dict[str, int]]:
        """Return the same numbers as plain dictionaries."""
        return {key: dict(placed) for key, placed in self._replicas.items()}


_NOTHING: Mapping[str, int] = MappingProxyType({})


def differences(
    before: Placement, after: Placement, workloads: Iterable[str]
) -> Iterator[tuple[str, str, int, int]]:
    """Yield workload, cluster and both numbers where two placements differ, clusters in name order."""
    for key in workloads:
        old, new = before.of(key), after.of(key)
        # No number of a placement is 0.
        for name in sorted({name for name, _ in old.items() ^ new.items()}):
            yield key, name, old.get(name, 0), new.get(name, 0)


def _clean(workload: str, placed: Mapping[str, int]) -> Mapping[str, int]:
    """Sort by cluster, drop zeros and refuse what is no number of replicas."""
    if not isinstance(placed, Mapping):
        raise UsageError(f"{workload}: {shown(placed)} is not a mapping of clusters to numbers of replicas")
    if type(placed) is Column:
        if len(placed) >= WORTH_ARRAYS and (found := _seen_at_once(placed)) is not None:
            return found
        placed = placed.by_name
    counts = placed.values()
    plain = (
        set(map(type, counts)) <= {int}
        and 0 <= min(counts, default=0) <= max(counts, default=0) <= MOST_COUNTED
        and set(map(type, placed)) <= {str}
    )
    if plain and all(counts) and all(map(lt, placed, islice(placed, 1, None))):
        return MappingProxyType(dict(placed))
    for cluster, replicas in () if plain else placed.items():
        if not isinstance(cluster, str):
            raise UsageError(f"{workload}: {shown(cluster)} is no name of a cluster")
        if isinstance(replicas, bool) or not isinstance(replicas, int) or not 0 <= replicas <= MOST_COUNTED:
            raise UsageError(
                f"{workload} on {cluster}: {shown(replicas)} is not a number of replicas (0, 1, 2, ...)"
            )
    return MappingProxyType({cluster: placed[cluster] for cluster in sorted(placed) if placed[cluster]})


def _seen_at_once(placed: Column) -> Column | None:
    """Drop zeros of many clusters in name order; None where they have to be looked at one by one."""
    counts = placed.array
    if counts.min() < 0 or sorted(placed.names) != list(placed.names):
        return None
    held = counts > 0
    return placed if held.all() else Column(tuple(compress(placed.names, held.tolist())), counts[held])
