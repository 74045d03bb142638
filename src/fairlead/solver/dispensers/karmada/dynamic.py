"""Division by available replicas: dynamic weight and Aggregated."""

from collections.abc import Mapping, Sequence

from fairlead.solver.dispensers.karmada.estimator import allocation
from fairlead.solver.dispensers.karmada.inputs import BindingInput
from fairlead.solver.dispensers.karmada.integers import wrapped
from fairlead.solver.dispensers.karmada.ordering import Candidate
from fairlead.solver.dispensers.karmada.placement import AGGREGATED, AVAILABLE_REPLICAS
from fairlead.solver.dispensers.karmada.results import SCHEDULER_ERROR, UNSCHEDULABLE, Failure
from fairlead.solver.dispensers.karmada.unstable_sort import Weighted, largest_first
from fairlead.solver.dispensers.karmada.webster import divide, names_descending

Replicas = Mapping[str, int]


def divide_by_room(binding: BindingInput, selected: Sequence[Candidate], replicas: int) -> Replicas | Failure:
    """Return the replicas of every selected cluster.

    Parameters
    ----------
    binding
        The binding.
    selected
        The selected clusters, or those of one tier.
    replicas
        Replicas that they are to hold together.

    Returns
    -------
    mapping or Failure
        Fresh: all divided anew, by capacity. Steady: what runs is kept and the rest divided by what is still
        free; where too much runs, the replicas are divided by what runs. A failure where the weights do not
        reach the replicas.
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
    scheduling = binding.placement.replica_scheduling
    preference = scheduling.weight_preference if scheduling is not None else None
    is_aggregated = binding.placement.strategy == AGGREGATED
    if not is_aggregated and preference is not None and preference.dynamic_weight != AVAILABLE_REPLICAS:
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
