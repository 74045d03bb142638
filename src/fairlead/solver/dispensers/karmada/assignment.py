"""How many replicas each selected cluster gets."""

from collections.abc import Mapping, Sequence

from fairlead.solver.dispensers.karmada import affinity
from fairlead.solver.dispensers.karmada.dynamic import divide_by_room
from fairlead.solver.dispensers.karmada.inputs import BindingInput
from fairlead.solver.dispensers.karmada.ordering import Candidate
from fairlead.solver.dispensers.karmada.placement import (
    DUPLICATED,
    STATIC_WEIGHT,
    AffinityTerm,
    StaticWeight,
)
from fairlead.solver.dispensers.karmada.results import SCHEDULER_ERROR, UNSCHEDULABLE, Failure
from fairlead.solver.dispensers.karmada.webster import divide, names_descending

Replicas = Mapping[str, int]


def assign(
    binding: BindingInput, term: AffinityTerm | None, selected: Sequence[Candidate]
) -> Replicas | Failure:
    """Return the replicas of every cluster that stays in the binding.

    Parameters
    ----------
    binding
        The binding.
    term
        The affinity group under trial; None where the placement has no groups.
    selected
        The selected clusters.

    Returns
    -------
    mapping or Failure
        Replicas by cluster, sorted by name. 0 for all where the binding is no workload; else clusters without
        replicas are left out, unless empty workloads are to be propagated.
    """
    if not selected:
        return Failure(SCHEDULER_ERROR, "no clusters available to schedule")
    names = sorted(candidate.name for candidate in selected)
    if not binding.is_workload:
        return dict.fromkeys(names, 0)
    if term is not None and term.overflow_affinities is not None:
        replicas = _tier_by_tier(binding, selected)
    else:
        replicas = _by_strategy(binding, selected, binding.replicas)
    if isinstance(replicas, Failure):
        return replicas
    if binding.empty_workload_propagation:
        return {name: replicas.get(name, 0) for name in names}
    return {name: replicas[name] for name in names if replicas.get(name, 0) > 0}


def _tier_by_tier(binding: BindingInput, selected: Sequence[Candidate]) -> Replicas | Failure:
    """Fill the affinity group first, then its overflow affinities, each up to its capacity.

    Every run starts at the first tier again, so a workload that shrinks may grow there: replicas move back.
    """
    rest = binding.replicas
    assigned: dict[str, int] = {}
    for number in sorted({candidate.tier for candidate in selected}):
        tier = [candidate for candidate in selected if candidate.tier == number]
        share = min(rest, sum(candidate.available for candidate in tier))
        if share <= 0:
            continue
        replicas = _by_strategy(binding, tier, share)
        if isinstance(replicas, Failure):
            return replicas
        assigned.update(replicas)
        rest -= share
    if rest > 0:
        return Failure(UNSCHEDULABLE, "Clusters available replicas are not enough to schedule.")
    return assigned


def _by_strategy(binding: BindingInput, selected: Sequence[Candidate], replicas: int) -> Replicas | Failure:
    strategy = binding.placement.strategy
    if strategy == DUPLICATED:
        return {candidate.name: replicas for candidate in selected}
    if strategy == STATIC_WEIGHT:
        weights = static_weights(_weight_terms(binding), selected)
        return divide(replicas, weights, descending=names_descending(binding.uid))
    if strategy is None:
        return Failure(SCHEDULER_ERROR, "unsupported replica scheduling strategy")
    return divide_by_room(binding, selected, replicas)


def static_weights(terms: Sequence[StaticWeight], selected: Sequence[Candidate]) -> dict[str, int]:
    """Return the weight of every selected cluster: the largest among the terms that match it.

    Where no cluster has a weight, all weigh 1.
    """
    clusters = {candidate.name: candidate.cluster for candidate in selected}
    weights = dict.fromkeys(clusters, 0)
    for term in terms:
        target = term.target_cluster
        # A term that names clusters is tried on these only: with one term for each cluster, trying all takes
        # too long.
        for name in (target.cluster_names & clusters.keys()) if target.cluster_names else clusters:
            if term.weight > weights[name] and affinity.matches(target, clusters[name]):
                weights[name] = term.weight
    return weights if any(weights.values()) else dict.fromkeys(clusters, 1)


def _weight_terms(binding: BindingInput) -> Sequence[StaticWeight]:
    scheduling = binding.placement.replica_scheduling
    weights = scheduling.weight_preference if scheduling is not None else None
    return weights.static_weight_list if weights is not None else ()
