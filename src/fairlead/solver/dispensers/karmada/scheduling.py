"""Scheduling a binding: its affinity groups in turn, each by filters, order, selection and assignment."""

from collections.abc import Mapping
from dataclasses import replace

from fairlead.solver.dispensers.karmada.assignment import assign
from fairlead.solver.dispensers.karmada.filters import feasible
from fairlead.solver.dispensers.karmada.inputs import BindingInput
from fairlead.solver.dispensers.karmada.ordering import ordered
from fairlead.solver.dispensers.karmada.placement import AffinityTerm
from fairlead.solver.dispensers.karmada.placement_document import with_defaults
from fairlead.solver.dispensers.karmada.results import NO_CLUSTER_FIT, Failure, Scheduled
from fairlead.solver.dispensers.karmada.selection import select


def schedule(binding: BindingInput) -> Scheduled:
    """Return what the Karmada scheduler makes of a binding.

    Parameters
    ----------
    binding
        A binding that is due to be scheduled; whether it is due is not asked here.

    Returns
    -------
    Scheduled
        The new placement, or why there is none and what stays in the binding.
    """
    if binding.defaulting:
        binding = replace(binding, placement=with_defaults(binding.placement))
    terms = binding.placement.cluster_affinities
    if not terms:
        placed = _schedule_group(binding, None)
        return _failed(binding, placed) if isinstance(placed, Failure) else Scheduled(placed)
    failures: list[Failure] = []
    for term in terms[_first_group(binding) :]:
        placed = _schedule_group(binding, term)
        if not isinstance(placed, Failure):
            return Scheduled(placed, affinity_name=term.affinity_name)
        failures.append(placed)
    # The first failure is reported, whatever kept the later groups from being used.
    return _failed(binding, failures[0])


def _first_group(binding: BindingInput) -> int:
    """Return where the trial begins: at the observed group; at the first where none is, or all is fresh.

    Groups before the observed one are not tried again: the scheduler never wraps round.
    """
    if binding.fresh:
        return 0
    names = [term.affinity_name for term in binding.placement.cluster_affinities]
    return names.index(binding.observed_affinity) if binding.observed_affinity in names else 0


def _schedule_group(binding: BindingInput, term: AffinityTerm | None) -> Mapping[str, int] | Failure:
    clusters = feasible(binding, term)
    if isinstance(clusters, Failure):
        return clusters
    selected = select(binding, ordered(binding, term, clusters))
    if isinstance(selected, Failure):
        return selected.within("failed to select clusters")
    replicas = assign(binding, term, selected)
    return replicas.within("failed to assign replicas") if isinstance(replicas, Failure) else replicas


def _failed(binding: BindingInput, failure: Failure) -> Scheduled:
    """Return the binding after a failure: emptied where no cluster fits, else as it was."""
    stays = {} if failure.reason == NO_CLUSTER_FIT else dict(sorted(binding.previous))
    return Scheduled(stays, affinity_name=binding.observed_affinity, failure=failure)
