"""How many replicas each selected cluster gets."""

import heapq
from collections.abc import Mapping, Sequence
from typing import assert_never

from fairlead.manifests.api.policies import ClusterAffinity, ClusterAffinityTerm, StaticClusterWeight
from fairlead.solver.dispensers.karmada.binding import (
    BindingInput,
    Failure,
    Strategy,
    overflows,
    strategy,
    weights_of,
    wrapped,
)
from fairlead.solver.dispensers.karmada.candidates import Candidate, allocation, matches
from fairlead.solver.dispensers.karmada.unstable_sort import Weighted, largest_first
from fairlead.solver.dispensers.rules_of_thumb import SCHEDULER_ERROR, UNSCHEDULABLE

Replicas = Mapping[str, int]

_FNV_OFFSET = 2166136261
_FNV_PRIME = 16777619


def names_descending(uid: str) -> bool:
    """Tell whether ties go to the last name: where the 32-bit FNV-1a hash of a UID is odd. No UID: no."""
    if not uid:
        return False
    hashed = _FNV_OFFSET
    for byte in uid.encode():
        hashed = (hashed ^ byte) * _FNV_PRIME % 2**32
    return hashed % 2 == 1


def divide(replicas: int, weights: Mapping[str, int], *, descending: bool = False) -> dict[str, int]:
    """Divide replicas by weight.

    Replicas by cluster, those with 0 left out; empty where all weights are 0.

    `descending`: whether ties go to the last name instead of the first.
    """
    names = sorted((name for name, weight in weights.items() if weight > 0), reverse=descending)
    if not names or replicas <= 0:
        return {}
    seats = _certain_seats(replicas, [weights[name] for name in names])
    queue = [
        (-(weights[name] / (2 * held + 1)), held, turn)
        for turn, (name, held) in enumerate(zip(names, seats, strict=True))
    ]
    heapq.heapify(queue)
    for _ in range(replicas - sum(seats)):
        _, held, turn = queue[0]
        seats[turn] = held + 1
        heapq.heapreplace(queue, (-(weights[names[turn]] / (2 * held + 3)), held + 1, turn))
    return {name: held for name, held in zip(names, seats, strict=True) if held}


def _certain_seats(replicas: int, weights: list[int]) -> list[int]:
    """Return seats that the queue would give in any case, to begin with.

    With n clusters, W the sum of weights and N replicas, at most N seats have a quotient of at least W / (2 N
    - n), so all of these come first. One less for each cluster leaves more than any rounding of floats can
    change.
    """
    total = sum(weights)
    doubled = 2 * replicas - len(weights)
    if doubled <= 0:
        return [0] * len(weights)
    return [max(0, (weight * doubled + total) // (2 * total) - 1) for weight in weights]


def divide_by_room(binding: BindingInput, selected: Sequence[Candidate], replicas: int) -> Replicas | Failure:
    """Return the replicas of every selected cluster.

    Fresh: all divided anew, by capacity. Steady: what runs is kept and the rest divided by what is still
    free; where too much runs, the replicas are divided by what runs. A failure where the weights do not reach
    the replicas.

    `replicas`: replicas that they are to hold together.
    """
    names = {candidate.name for candidate in selected}
    running = [(name, count) for name, count in binding.previous if name in names]
    held = wrapped(sum(count for _, count in running))
    if binding.fresh:
        counts = dict(running)
        # The sum may leave 32 bits (with 0 replicas it always does) and then fails below: a known fault.
        weights = [(name, wrapped(free + counts.get(name, 0))) for name, free in _free(selected, replicas)]
        return _divide(binding, weights, replicas, "failed to do fresh scale")
    if held > replicas:
        return _divide(binding, running, replicas, "failed to scale down")
    if held == replicas:
        return dict(running)
    added = _divide(binding, _free(selected, replicas), replicas - held, "failed to scale up", dict(running))
    if isinstance(added, Failure):
        return added
    counts = dict(running)
    return {name: counts.get(name, 0) + added.get(name, 0) for name in counts | added}


def _free(selected: Sequence[Candidate], replicas: int) -> list[Weighted]:
    return [(candidate.name, allocation(candidate.estimated, replicas)) for candidate in selected]


def _divide(
    binding: BindingInput,
    weights: list[Weighted],
    replicas: int,
    step: str,
    kept: Mapping[str, int] | None = None,
) -> dict[str, int] | Failure:
    """Divide replicas by weight, under Aggregated over as few clusters as hold them.

    `kept` are the replicas that stay; Aggregated prefers their clusters.
    """
    preference = weights_of(binding.placement)
    is_aggregated = strategy(binding.placement) is Strategy.AGGREGATED
    if not is_aggregated and preference is not None and not preference.dynamic_weight:
        return Failure(
            SCHEDULER_ERROR, f"undefined replica dynamic weight factor: {preference.dynamic_weight}"
        )
    room = wrapped(sum(weight for _, weight in weights))
    if room < replicas:
        text = f"Clusters available replicas {room} are not enough to schedule."
        return Failure(UNSCHEDULABLE, text).within(step)
    chosen = _fewest(weights, replicas, kept or {}) if is_aggregated else weights
    return divide(replicas, dict(chosen), descending=names_descending(binding.uid))


def _fewest(weights: list[Weighted], replicas: int, kept: Mapping[str, int]) -> list[Weighted]:
    """Return the fewest weights that reach the replicas: kept clusters first, then the largest."""
    ranked = sorted(largest_first(weights), key=lambda pair: kept.get(pair[0], 0) <= 0)
    room = 0
    for length, (_, weight) in enumerate(ranked, start=1):
        room = wrapped(room + weight)
        if room >= replicas:
            return ranked[:length]
    return ranked


def assign(
    binding: BindingInput, term: ClusterAffinityTerm | None, selected: Sequence[Candidate]
) -> Replicas | Failure:
    """Return the replicas of every cluster that stays in the binding.

    Replicas by cluster, sorted by name. 0 for all where the binding is no workload; else clusters without
    replicas are left out, unless empty workloads are to be propagated.
    """
    if not selected:
        return Failure(SCHEDULER_ERROR, "no clusters available to schedule")
    names = sorted(candidate.name for candidate in selected)
    if not binding.is_workload:
        return dict.fromkeys(names, 0)
    if term is not None and overflows(term):
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
    match strategy(binding.placement):
        case Strategy.DUPLICATED:
            return {candidate.name: replicas for candidate in selected}
        case Strategy.STATIC_WEIGHT:
            preference = weights_of(binding.placement)
            weights = static_weights(preference.static_weight_list if preference else (), selected)
            return divide(replicas, weights, descending=names_descending(binding.uid))
        case Strategy.AGGREGATED | Strategy.DYNAMIC_WEIGHT:
            return divide_by_room(binding, selected, replicas)
        case Strategy.UNKNOWN:
            return Failure(SCHEDULER_ERROR, "unsupported replica scheduling strategy")
        case unknown:
            assert_never(unknown)


def static_weights(terms: Sequence[StaticClusterWeight], selected: Sequence[Candidate]) -> dict[str, int]:
    """Return the weight of every selected cluster: the largest among the terms that match it.

    Where no cluster has a weight, all weigh 1.
    """
    clusters = {candidate.name: candidate.cluster for candidate in selected}
    weights = dict.fromkeys(clusters, 0)
    for term in terms:
        # The proposal writes the set beside the field too, where the scheduler does not look for it.
        target = term.below or ClusterAffinity()
        # A term that names clusters is tried on these only: with one term for each cluster, trying all takes
        # too long.
        for name in (target.names & clusters.keys()) if target.names else clusters:
            if term.weight > weights[name] and matches(target, clusters[name]):
                weights[name] = term.weight
    return weights if any(weights.values()) else dict.fromkeys(clusters, 1)
