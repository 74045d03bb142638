"""Which candidates are selected under spread constraints."""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from fairlead.manifests.api.policies import SpreadConstraint
from fairlead.solver.dispensers.karmada.binding import BindingInput, Failure, ignores_spread, is_duplicated
from fairlead.solver.dispensers.karmada.candidates import Candidate
from fairlead.solver.dispensers.rules_of_thumb import SCHEDULER_ERROR


@dataclass(frozen=True, slots=True)
class RegionGroup:
    """A region as the search sees it."""

    name: str
    clusters: int
    """Number of candidates in it, at least 1."""
    score: int
    """Score of the region, not negative."""


def best_combination(
    groups: Sequence[RegionGroup], min_groups: int, max_groups: int, min_clusters: int
) -> tuple[RegionGroup, ...]:
    """Return the groups that the scheduler selects.

    By score descending, then by name; empty where no combination will do.

    `groups`: all groups, in any order. `min_groups` and `max_groups`: bounds on the number of groups; a
    `max_groups` of 0 allows none. `min_clusters`: clusters that the groups must have together.
    """
    if min_groups <= 0 and min_clusters <= 0:
        # The scheduler then records the empty chain at once, and takes it for a failure.
        return ()
    chain = sorted(groups, key=lambda group: (group.clusters, -group.score, group.name))
    best = _best_recorded(chain, min_groups, min(max_groups, len(chain)), max(min_clusters, 0))
    return _shortest_prefix(best, min_groups, min_clusters)


def _best_recorded(
    chain: Sequence[RegionGroup], min_groups: int, max_groups: int, min_clusters: int
) -> tuple[RegionGroup, ...]:
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


def _shortest_prefix(
    best: Sequence[RegionGroup], min_groups: int, min_clusters: int
) -> tuple[RegionGroup, ...]:
    """Return the shortest beginning of the best set, by score, that the search recorded too.

    The scheduler walks all other sets in order of merit and takes each that is a beginning of its current
    choice. Shorter beginnings have less merit, so it ends at the shortest.
    """
    ranked = sorted(best, key=lambda group: (-group.score, group.name))
    for length in range(max(min_groups, 1), len(ranked)):
        if _is_recorded(ranked[:length], min_groups, min_clusters):
            return tuple(ranked[:length])
    return tuple(ranked)


def _is_recorded(groups: Sequence[RegionGroup], min_groups: int, min_clusters: int) -> bool:
    clusters = sum(group.clusters for group in groups)
    last = max(groups, key=lambda group: (group.clusters, -group.score, group.name))
    return clusters >= min_clusters and (len(groups) == min_groups or clusters - last.clusters < min_clusters)


Selected = tuple[Candidate, ...]

_UNIT = 1000
_ABSENT = SpreadConstraint()


def select(binding: BindingInput, candidates: Selected) -> Selected | Failure:
    """Return the candidates that are to hold the workload.

    Without spread constraints, and where static weights make the scheduler ignore them, all candidates.

    `candidates`: all candidates, best first.
    """
    placement = binding.placement
    if ignores_spread(placement):
        return candidates
    # The last constraint of each field counts; zone and provider constraints are filters only.
    constraints = {constraint.spread_by_field: constraint for constraint in placement.spread_constraints}
    if "region" in constraints:
        return _by_region(binding, candidates, constraints["region"], constraints.get("cluster", _ABSENT))
    if "cluster" in constraints:
        return _by_cluster(binding, candidates, constraints["cluster"])
    return _error("just support cluster and region spread constraint")


def _error(text: str) -> Failure:
    return Failure(SCHEDULER_ERROR, text)


def _by_cluster(
    binding: BindingInput, candidates: Selected, constraint: SpreadConstraint
) -> Selected | Failure:
    """Return the best candidates, exchanged for larger ones where they cannot hold all replicas."""
    if len(candidates) < constraint.min_groups:
        return _error("the number of feasible clusters is less than spreadConstraint.MinGroups")
    # An absent maxGroups is 0, so that nothing can be selected: a known fault.
    count = min(len(candidates), constraint.max_groups)
    if is_duplicated(binding.placement):
        return candidates[:count]
    chosen = _with_room(candidates, count, binding.replicas)
    return chosen or _error(f"no enough resource when selecting {count} clusters")


def _with_room(candidates: Selected, count: int, replicas: int) -> Selected:
    """Return `count` candidates that hold the replicas, empty where the exchange finds none.

    From the last chosen one to the first, each is exchanged for the largest of the others where that one is
    larger, until the room suffices. The result is no longer in order.
    """
    chosen = list(candidates[:count])
    # The largest of the others is on top, the first of equal ones; what is exchanged takes the other's place.
    others = [(-each.available, place, each) for place, each in enumerate(candidates[count:])]
    heapq.heapify(others)
    room = sum(candidate.available for candidate in chosen)
    for place in reversed(range(count)):
        if room >= replicas or not others:
            break
        given, spot, largest = chosen[place], others[0][1], others[0][2]
        if largest.available > given.available:
            room += largest.available - given.available
            chosen[place] = largest
            heapq.heapreplace(others, (-given.available, spot, given))
    return tuple(chosen) if room >= replicas else ()


def _by_region(
    binding: BindingInput, candidates: Selected, region: SpreadConstraint, cluster: SpreadConstraint
) -> Selected | Failure:
    """Return the best candidate of every selected region, then the best of the others."""
    regions = _regions(candidates)
    if len(regions) < region.min_groups:
        return _error("the number of feasible region is less than spreadConstraint.MinGroups")
    groups = [
        RegionGroup(name, len(members), _score(binding, members, region, cluster))
        for name, members in regions.items()
    ]
    best = best_combination(groups, region.min_groups, region.max_groups, cluster.min_groups)
    if not best:
        return _error("the number of clusters is less than the cluster spreadConstraint.MinGroups")
    firsts = tuple(regions[group.name][0] for group in best)
    others = sorted((each for group in best for each in regions[group.name][1:]), key=lambda each: each.rank)
    # Every region keeps its first cluster, even beyond the maxGroups of clusters: a known fault.
    return firsts + tuple(others[: max(0, cluster.max_groups - len(firsts))])


def _regions(candidates: Selected) -> dict[str, list[Candidate]]:
    members: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        if candidate.cluster.region:
            members.setdefault(candidate.cluster.region, []).append(candidate)
    return members


def _score(
    binding: BindingInput, members: Sequence[Candidate], region: SpreadConstraint, cluster: SpreadConstraint
) -> int:
    """Return the score of a region: capacity first, then how many of its clusters are targets already."""
    if is_duplicated(binding.placement):
        fitting = [each for each in members if each.available >= binding.replicas]
        return _UNIT * len(fitting) + _mean_score(fitting) if fitting else 0
    # Its fair share of replicas, were the fewest regions allowed selected.
    target = -(-binding.replicas // max(region.min_groups, 1))
    wanted = max(cluster.min_groups, region.min_groups)
    room = 0
    for taken, member in enumerate(members, start=1):
        room += member.available
        if taken >= wanted and room >= target:
            return _UNIT * target + _mean_score(members[:taken])
    return _UNIT * min(room, target) + _mean_score(members)


def _mean_score(members: Sequence[Candidate]) -> int:
    return sum(each.score for each in members) // len(members)
