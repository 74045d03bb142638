"""The dispenser ``kubeadmiral``: a whole problem, workload by workload, as the real scheduler answers."""

from collections.abc import Sequence
from datetime import UTC, datetime

from fairlead.models.cluster import Cluster
from fairlead.models.declared import FederatedUnit
from fairlead.models.errors import UsageError
from fairlead.models.problem import Problem
from fairlead.models.workload import Workload
from fairlead.solver.dispensers.answer import Dispensed
from fairlead.solver.dispensers.in_turn import Answer, place_in_turn
from fairlead.solver.dispensers.kubeadmiral.from_problem import members_of, unit_of
from fairlead.solver.dispensers.kubeadmiral.scheduling import Scheduled, schedule_unit

NO_CLUSTER_FIT = "NoClusterFit"
SCHEDULER_ERROR = "SchedulerError"


def place(problem: Problem, *, deduct: bool = False, empty_workload_propagation: bool = False) -> Dispensed:
    """Place all workloads as KubeAdmiral's scheduler does.

    Evictions that end are compared with the present moment, and the rounding error of dynamic weights, for
    which the real scheduler draws a cluster, falls to the first that may take it.

    Parameters
    ----------
    problem
        The question; every workload comes from KubeAdmiral's manifests.
    deduct
        Whether a workload sees what the ones before it have taken.
    empty_workload_propagation
        Karmada's flag; KubeAdmiral has none of the kind and must not be asked for it.

    Raises
    ------
    UsageError
        Naming a workload that KubeAdmiral does not place.
    """
    if empty_workload_propagation:
        raise UsageError("dispenser kubeadmiral knows no empty_workload_propagation")
    now = datetime.now(UTC)

    def answer(workload: Workload, clusters: Sequence[Cluster]) -> Answer:
        if not isinstance(workload.declared, FederatedUnit):
            raise UsageError(
                f"dispenser kubeadmiral cannot place {workload.key}: no policy of KubeAdmiral declares it"
            )
        found = schedule_unit(unit_of(workload, workload.declared), members_of(clusters), now)
        return Answer(_counted(found, workload), _reason(found))

    return place_in_turn(problem, answer, deduct=deduct)


def _counted(found: Scheduled, workload: Workload) -> dict[str, int]:
    """Return replicas by cluster; a duplicate has the template's number, and negative ones place nothing."""
    placed = found.placement.items()
    return {name: workload.replicas if count is None else max(0, count) for name, count in placed}


def _reason(found: Scheduled) -> str | None:
    """Return the category of a failure, in Karmada's terms, as KubeAdmiral has none."""
    if found.error is None:
        return None
    return NO_CLUSTER_FIT if found.error.startswith("0/") else SCHEDULER_ERROR
