"""Which regions the scheduler selects, found without its exponential search.

The real scheduler sorts regions by number of clusters (then by score descending, then by name), extends
chains of regions depth-first in that order, and records a chain, without extending it further, as soon as it
has enough regions and clusters. So a set of regions, read in that order, is recorded if and only if it has
enough of both and, unless it has just the minimum number of regions, would not have enough clusters without
its last region.

Of all recorded sets the one with the greatest score wins, then the one with most clusters, then the first
found; all three add up over regions, so a dynamic programme over (regions taken, clusters taken) finds the
same set.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate


@dataclass(frozen=True, slots=True)
class Group:
    """A region as the search sees it.

    Parameters
    ----------
    name
        Its name.
    clusters
        Number of candidates in it, at least 1.
    score
        Its score, not negative.
    """

    name: str
    clusters: int
    score: int


def best_combination(
    groups: Sequence[Group], min_groups: int, max_groups: int, min_clusters: int
) -> tuple[Group, ...]:
    """Return the groups that the scheduler selects.

    Parameters
    ----------
    groups
        All groups, in any order.
    min_groups, max_groups
        Bounds on the number of groups; a `max_groups` of 0 allows none.
    min_clusters
        Clusters that the groups must have together.

    Returns
    -------
    tuple of Group
        By score descending, then by name; empty where no combination will do.
    """
    if min_groups <= 0 and min_clusters <= 0:
        # The scheduler then records the empty chain at once, and takes it for a failure.
        return ()
    chain = sorted(groups, key=lambda group: (group.clusters, -group.score, group.name))
    best = _best_recorded(chain, min_groups, min(max_groups, len(chain)), max(min_clusters, 0))
    return _shortest_prefix(best, min_groups, min_clusters)


def _best_recorded(
    chain: Sequence[Group], min_groups: int, max_groups: int, min_clusters: int
) -> tuple[Group, ...]:
    """Return the best set that the search records, in the order of the chain."""
    size = len(chain)
    scale = 1 + sum(group.clusters for group in chain)
    # largest[n] is what the n groups with most clusters hold together: the last n of the chain.
    largest = list(accumulate((group.clusters for group in reversed(chain)), initial=0))
    # by_count[n] maps the clusters that n groups hold (at most min_clusters) to the greatest merit of such
    # groups.
    by_count: list[dict[int, int]] = [{0: 0}, *({} for _ in range(max_groups))]
    best = 0
    for position, group in enumerate(chain):
        later = size - 1 - position
        # Score before clusters before the first found: of two sets, the one whose first difference has the
        # smaller position is found first, and has the higher bit.
        merit = (group.score * scale + group.clusters << size) + (1 << later)
        for count in range(min(position, max_groups - 1), -1, -1):
            taken, further = count + 1, by_count[count + 1]
            reachable = largest[min(later, max_groups - taken)]
            if taken + later < min_groups:
                continue
            for held, gained in by_count[count].items():
                clusters = min(held + group.clusters, min_clusters)
                if clusters + reachable < min_clusters:
                    continue
                if taken >= min_groups and clusters == min_clusters:
                    best = max(best, gained + merit)
                elif further.get(clusters, -1) < gained + merit:
                    further[clusters] = gained + merit
    return tuple(group for position, group in enumerate(chain) if best >> (size - 1 - position) & 1)


def _shortest_prefix(best: Sequence[Group], min_groups: int, min_clusters: int) -> tuple[Group, ...]:
    """Return the shortest beginning of the best set, by score, that the search recorded too.

    The scheduler walks all other sets in order of merit and takes each that is a beginning of its current
    choice. Shorter beginnings have less merit, so it ends at the shortest.
    """
    ranked = sorted(best, key=lambda group: (-group.score, group.name))
    for length in range(max(min_groups, 1), len(ranked)):
        if _is_recorded(ranked[:length], min_groups, min_clusters):
            return tuple(ranked[:length])
    return tuple(ranked)


def _is_recorded(groups: Sequence[Group], min_groups: int, min_clusters: int) -> bool:
    clusters = sum(group.clusters for group in groups)
    last = max(groups, key=lambda group: (group.clusters, -group.score, group.name))
    return clusters >= min_clusters and (len(groups) == min_groups or clusters - last.clusters < min_clusters)
