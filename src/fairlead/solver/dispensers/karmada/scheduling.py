"""A binding, its affinity groups in turn, by filters, order, selection, assignment; and a whole problem."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fairlead.manifests.api.policies import ClusterAffinityTerm
from fairlead.models.cluster import Cluster
from fairlead.models.errors import UsageError
from fairlead.models.problem import Problem
from fairlead.models.quantity import requested_units
from fairlead.models.source import KarmadaBinding
from fairlead.models.workload import Workload
from fairlead.solver.dispensers.karmada.assignment import assign
from fairlead.solver.dispensers.karmada.binding import BindingInput, Failure, ScheduledBinding, with_defaults
from fairlead.solver.dispensers.karmada.candidates import feasible, ordered
from fairlead.solver.dispensers.karmada.selection import select
from fairlead.solver.dispensers.rules_of_thumb import (
    NO_CLUSTER_FIT,
    Dispensed,
    WorkloadDispensed,
    place_in_turn,
)
from fairlead.solver.running.deadline import Deadline


def schedule(binding: BindingInput) -> ScheduledBinding:
    """Return the binding as the Karmada scheduler leaves it.

    `binding`: a binding that is due to be scheduled; whether it is due is not asked here.
    """
    if binding.defaulting:
        binding = replace(binding, placement=with_defaults(binding.placement))
    terms = binding.placement.cluster_affinities
    if not terms:
        placed = _schedule_group(binding, None)
        return _failed(binding, placed) if isinstance(placed, Failure) else ScheduledBinding(placed)
    failures: list[Failure] = []
    for term in terms[_first_group(binding) :]:
        placed = _schedule_group(binding, term)
        if not isinstance(placed, Failure):
            return ScheduledBinding(placed, affinity_name=term.affinity_name)
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


def _schedule_group(binding: BindingInput, term: ClusterAffinityTerm | None) -> Mapping[str, int] | Failure:
    clusters = feasible(binding, term)
    if isinstance(clusters, Failure):
        return clusters
    selected = select(binding, ordered(binding, term, clusters))
    if isinstance(selected, Failure):
        return selected.within("failed to select clusters")
    replicas = assign(binding, term, selected)
    return replicas.within("failed to assign replicas") if isinstance(replicas, Failure) else replicas


def _failed(binding: BindingInput, failure: Failure) -> ScheduledBinding:
    """Return the binding after a failure: emptied where no cluster fits, else as it was."""
    stays = {} if failure.reason == NO_CLUSTER_FIT else dict(sorted(binding.previous))
    return ScheduledBinding(stays, affinity_name=binding.observed_affinity, failure=failure)


def binding_of(
    workload: Workload,
    declared: KarmadaBinding,
    clusters: tuple[Cluster, ...],
    *,
    empty_workload_propagation: bool = False,
) -> BindingInput:
    """Return the binding of a workload.

    `clusters`: all clusters as they stand to it.
    """
    return BindingInput(
        replicas=workload.replicas,
        clusters=clusters,
        placement=declared.read,
        previous=declared.previous,
        fresh=workload.fresh,
        uid=declared.uid,
        observed_affinity=workload.observed or "",
        evicting=declared.evicting,
        api=(workload.api_version, workload.kind),
        requests=None
        if declared.requests is None
        else {name: requested_units(name, amount) for name, amount in declared.requests.items()},
        empty_workload_propagation=empty_workload_propagation,
        defaulting=declared.defaulting,
    )


def place(
    problem: Problem,
    *,
    deduct: bool = False,
    empty_workload_propagation: bool = False,
    deadline: Deadline | None = None,
) -> Dispensed:
    """Place all workloads as Karmada's scheduler does.

    Raises `UsageError` naming a workload that Karmada does not place.
    """

    def answer(workload: Workload, clusters: Sequence[Cluster]) -> WorkloadDispensed:
        if not isinstance(workload.declared, KarmadaBinding):
            raise UsageError(
                f"dispenser karmada cannot place {workload.key}: no policy or binding of Karmada declares it"
            )
        binding = binding_of(
            workload,
            workload.declared,
            tuple(clusters),
            empty_workload_propagation=empty_workload_propagation,
        )
        found = schedule(binding)
        if found.failure is not None:
            return WorkloadDispensed(found.clusters, found.failure.reason)
        return WorkloadDispensed(found.clusters, None, found.affinity_name)

    return place_in_turn(problem, answer, deadline, deduct=deduct)
