"""Which candidates are selected under spread constraints."""

import heapq
from collections.abc import Sequence

from fairlead.solver.dispensers.karmada.combinations import Group, best_combination
from fairlead.solver.dispensers.karmada.inputs import BindingInput
from fairlead.solver.dispensers.karmada.ordering import Candidate
from fairlead.solver.dispensers.karmada.placement import CLUSTER, REGION, SpreadConstraint
from fairlead.solver.dispensers.karmada.results import SCHEDULER_ERROR, Failure

Selected = tuple[Candidate, ...]

_UNIT = 1000
_ABSENT = SpreadConstraint()


def select(binding: BindingInput, candidates: Selected) -> Selected | Failure:
    """Return the candidates that are to hold the workload.

    Parameters
    ----------
    binding
        The binding.
    candidates
        All candidates, best first.

    Returns
    -------
    tuple of Candidate or Failure
        Without spread constraints, and where static weights make the scheduler ignore them, all candidates.
    """
    placement = binding.placement
    if placement.ignores_spread:
        return candidates
    # The last constraint of each field counts; zone and provider constraints are filters only.
    constraints = {constraint.spread_by_field: constraint for constraint in placement.spread_constraints}
    if REGION in constraints:
        return _by_region(binding, candidates, constraints[REGION], constraints.get(CLUSTER, _ABSENT))
    if CLUSTER in constraints:
        return _by_cluster(binding, candidates, constraints[CLUSTER])
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
    if binding.placement.is_duplicated:
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
        Group(name, len(members), _score(binding, members, region, cluster))
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
    """Return the candidates of every region, best first."""
    members: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        if candidate.cluster.region:
            members.setdefault(candidate.cluster.region, []).append(candidate)
    return members


def _score(
    binding: BindingInput, members: Sequence[Candidate], region: SpreadConstraint, cluster: SpreadConstraint
) -> int:
    """Return the score of a region: capacity first, then how many of its clusters are targets already."""
    if binding.placement.is_duplicated:
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
