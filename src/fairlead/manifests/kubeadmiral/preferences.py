"""The placement list of a policy: for every cluster what its entries say together."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from fairlead.manifests.api.kubeadmiral import DesiredPlacement
from fairlead.manifests.documents import Path
from fairlead.models.rules.bounds import Bound
from fairlead.models.source import Source

Locate = Callable[[Path], Source]

MINIMUM, MAXIMUM = "minReplicas", "maxReplicas"
_FIELDS = (MINIMUM, MAXIMUM, "weight", "priority")


@dataclass(frozen=True, slots=True)
class Preferences:
    """How many replicas clusters should get.

    Parameters
    ----------
    entries
        Every listed cluster, with the place of its last entry; empty means that all clusters may be used.
    minimum, maximum, weights, priorities
        What is said, by cluster; a cluster of which nothing is said is absent. Minima of 0 are absent too.
    """

    entries: Mapping[str, Source] = field(default_factory=dict)
    minimum: Mapping[str, Bound] = field(default_factory=dict)
    maximum: Mapping[str, Bound] = field(default_factory=dict)
    weights: Mapping[str, Bound] = field(default_factory=dict)
    priorities: Mapping[str, Bound] = field(default_factory=dict)

    @property
    def told(self) -> frozenset[str]:
        """Return the clusters of which more is said than their name."""
        return frozenset({*self.minimum, *self.maximum, *self.weights, *self.priorities})


def preferences(placement: Sequence[DesiredPlacement], locate: Locate) -> Preferences:
    """Put the entries of a placement list together.

    Where a cluster stands several times, the last entry that states a preference wins; every entry states a
    minimum, which is 0 where it is left out.

    Parameters
    ----------
    placement
        The list.
    locate
        Returns where a field stands, by its path below the list.
    """
    entries: dict[str, Source] = {}
    said: dict[str, dict[str, Bound]] = {name: {} for name in _FIELDS}
    for position, entry in enumerate(placement):
        entries[entry.cluster] = locate((position,))
        for name, number in _numbers(entry).items():
            if number is not None:
                source = locate((position, "preferences", name))
                said[name][entry.cluster] = Bound(number, source)
    minimum = {cluster: bound for cluster, bound in said[MINIMUM].items() if bound.replicas}
    return Preferences(entries, minimum, said[MAXIMUM], said["weight"], said["priority"])


def _numbers(entry: DesiredPlacement) -> Mapping[str, int | None]:
    """Return what an entry states, by the name of the field."""
    said = entry.preferences
    return dict(zip(_FIELDS, (said.min_replicas, said.max_replicas, said.weight, said.priority), strict=True))


class Crossed(NamedTuple):
    """An entry whose minimum is over the maximum of its cluster."""

    position: int
    cluster: str
    minimum: int
    maximum: int


def crossed(placement: Sequence[DesiredPlacement]) -> Iterator[Crossed]:
    """Yield the entries that state a minimum over the maximum, all entries of a cluster taken together."""
    lows: dict[str, tuple[int, int]] = {}
    highs: dict[str, int] = {}
    for position, entry in enumerate(placement):
        lows[entry.cluster] = position, entry.preferences.min_replicas
        if entry.preferences.max_replicas is not None:
            highs[entry.cluster] = entry.preferences.max_replicas
    for cluster, (position, low) in lows.items():
        if low > highs.get(cluster, low):
            yield Crossed(position, cluster, low, highs[cluster])
