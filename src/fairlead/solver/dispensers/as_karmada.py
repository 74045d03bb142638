"""The dispenser ``karmada``: a whole problem, workload by workload, as the real scheduler answers."""

from collections.abc import Sequence

from fairlead.models.cluster import Cluster
from fairlead.models.declared import KarmadaBinding
from fairlead.models.errors import UsageError
from fairlead.models.problem import Problem
from fairlead.models.workload import Workload
from fairlead.solver.dispensers.answer import Dispensed
from fairlead.solver.dispensers.in_turn import Answer, place_in_turn
from fairlead.solver.dispensers.karmada.from_problem import binding_of, members_of
from fairlead.solver.dispensers.karmada.inputs import MemberCluster
from fairlead.solver.dispensers.karmada.scheduling import schedule


def place(problem: Problem, *, deduct: bool = False, empty_workload_propagation: bool = False) -> Dispensed:
    """Place all workloads as Karmada's scheduler does.

    Parameters
    ----------
    problem
        The question; every workload comes from Karmada's manifests.
    deduct
        Whether a workload sees what the ones before it have taken.
    empty_workload_propagation
        The scheduler flag of that name.

    Raises
    ------
    UsageError
        Naming a workload that Karmada does not place.
    """
    # Workloads of one kind see the same clusters as long as nothing is deducted.
    known: dict[tuple[str, str], tuple[MemberCluster, ...]] = {}

    def seen(workload: Workload, clusters: Sequence[Cluster]) -> tuple[MemberCluster, ...]:
        api = (workload.api_version, workload.kind)
        if deduct:
            return members_of(clusters, api)
        if api not in known:
            known[api] = members_of(clusters, api)
        return known[api]

    def answer(workload: Workload, clusters: Sequence[Cluster]) -> Answer:
        if not isinstance(workload.declared, KarmadaBinding):
            raise UsageError(
                f"dispenser karmada cannot place {workload.key}: no policy or binding of Karmada declares it"
            )
        binding = binding_of(
            workload,
            workload.declared,
            seen(workload, clusters),
            empty_workload_propagation=empty_workload_propagation,
        )
        found = schedule(binding)
        if found.failure is not None:
            return Answer(found.clusters, found.failure.reason)
        return Answer(found.clusters, None, found.affinity_name)

    return place_in_turn(problem, answer, deduct=deduct)
