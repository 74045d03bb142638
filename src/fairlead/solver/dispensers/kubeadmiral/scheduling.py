"""The whole pipeline for one object, and for a whole problem: filters, scores, selection, division.

Known faults of the real program that are reproduced here:

* while ``disableRescheduling`` holds, a changed number of replicas has no effect on the division;
* where no cluster is open, the object is removed from the clusters that run it;
* in Duplicate mode minima, maxima and weights are not looked at;
* plan and overflow are added up, so a cluster may be asked for more than its maximum; negative numbers from
  negative dynamic weights are passed on, only zeros are dropped;
* replicas that found no place are not reported.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from fairlead.manifests.kubeadmiral.reading import (
    APPLIED_MIGRATION,
    AUTO_MIGRATION,
    feedback_of,
    overridden,
    read_feedback,
    text,
)
from fairlead.manifests.kubeadmiral.stated import numbers
from fairlead.models.cluster import Cluster
from fairlead.models.errors import UsageError
from fairlead.models.problem import Problem
from fairlead.models.source import FederatedUnit
from fairlead.models.workload import Workload
from fairlead.solver.dispensers.kubeadmiral.inputs import (
    PlannerInput,
    PlannerPreferences,
    PlannerResult,
    SchedulingUnit,
    read_gpus,
    wrap,
)
from fairlead.solver.dispensers.kubeadmiral.planner import binpack, spread
from fairlead.solver.dispensers.kubeadmiral.scores import (
    NO_SCHEDULE,
    SelectionError,
    SelectorError,
    dynamic_weights,
    is_dynamic,
    refusal,
    scores,
    select,
    untolerated,
)
from fairlead.solver.dispensers.rules_of_thumb import (
    NO_CLUSTER_FIT,
    SCHEDULER_ERROR,
    Dispensed,
    WorkloadDispensed,
    place_in_turn,
)
from fairlead.solver.running.deadline import Deadline


@dataclass(frozen=True, slots=True)
class ScheduledUnit:
    """Answer of the scheduler for one object."""

    placement: Mapping[str, int | None] = field(default_factory=dict)
    """Replicas by cluster; None means the template's own number. Empty where there is an error."""
    error: str | None = None
    """Why nothing was scheduled, in KubeAdmiral's words; None where it went well."""
    ties: tuple[str, ...] = ()
    """Clusters any of which could have taken the rounding error of the dynamic weights, in name order; the
    real scheduler draws one. Fewer than two where nothing was left to chance."""
    nowhere: bool = False
    """True where no cluster is open."""


def schedule_unit(
    unit: SchedulingUnit, clusters: Sequence[Cluster], now: datetime, tie: str | None = None
) -> ScheduledUnit:
    """Schedule one object as KubeAdmiral does.

    `clusters`: all member clusters; those that have not joined are left out. `now`: the moment with a time
    zone, for evictions that end. `tie`: which cluster takes the rounding error of dynamic weights, one of
    `ScheduledUnit.ties`; None means the first.
    """
    if unit.divides and unit.replicas is None:
        return ScheduledUnit(error=f'replicas path "{unit.replicas_path}" does not exist for FederatedObject')
    if unit.policy.sticky and unit.current:
        return ScheduledUnit(dict(unit.current))
    joined = sorted((cluster for cluster in clusters if cluster.joined), key=lambda cluster: cluster.name)
    reasons = {cluster.name: refusal(unit, cluster, now) for cluster in joined}
    refusals = {name: reason for name, reason in reasons.items() if reason is not None}
    fitting = [cluster for cluster in joined if cluster.name not in refusals]
    if not fitting:
        return ScheduledUnit(error=misfit(refusals), nowhere=True)
    try:
        selected = select(unit, fitting, scores(unit, fitting))
    except SelectorError as error:
        text = (
            f'failed to scoreClusters: plugin "ClusterAffinity" schedulingUnit {unit.key} failed with {error}'
        )
        return ScheduledUnit(error=text)
    except SelectionError as error:
        text = f'plugin "MaxCluster" failed to select clusters for schedulingUnit {unit.key}: {error}'
        return ScheduledUnit(error=f"failed to selectClusters: {text}")
    if not unit.divides:
        return ScheduledUnit({cluster.name: None for cluster in selected})
    division, ties = _divide(unit, selected, tie)
    return ScheduledUnit(_requested(division, selected), None, ties)


def misfit(refusals: Mapping[str, str]) -> str:
    """Return KubeAdmiral's sentence for an object that no cluster is open to."""
    counts = Counter(refusals.values())
    reasons = sorted(f"{count} cluster(s) {reason}" for reason, count in counts.items())
    return f"0/{len(refusals)} clusters are available: {', '.join(reasons)}"


def _requested(division: PlannerResult, selected: Sequence[Cluster]) -> dict[str, int | None]:
    """Return the replicas written to the selected clusters: plan and overflow together, without zeros."""
    requested: dict[str, int | None] = {}
    for cluster in selected:
        count = wrap(division.plan.get(cluster.name, 0) + division.overflow.get(cluster.name, 0))
        if count:
            requested[cluster.name] = count
    return requested


def _divide(
    unit: SchedulingUnit, selected: Sequence[Cluster], tie: str | None
) -> tuple[PlannerResult, tuple[str, ...]]:
    """Return the division of the replicas, and the clusters that could have taken the rounding error."""
    total = unit.replicas or 0
    if not selected or total <= 0:
        return PlannerResult({}), ()
    if unit.policy.binpack:
        return binpack(_question(unit, selected, total, {})), ()
    if not is_dynamic(unit):
        return spread(_question(unit, selected, total, numbers(unit.policy.placement.weights))), ()
    weights = dynamic_weights(unit, selected)
    answer = spread(_question(unit, selected, total, weights.corrected(tie)))
    return answer, weights.heaviest if weights.correction else ()


def _question(
    unit: SchedulingUnit, selected: Sequence[Cluster], total: int, weights: Mapping[str, int]
) -> PlannerInput:
    """Return the planner's input: the policy's numbers, and the feedback where auto migration is on."""
    # A cluster that held a duplicate counts as holding all replicas.
    current = {name: total if count is None else count for name, count in unit.current.items()}
    policy, feedback = unit.policy, unit.feedback
    migrates, least = policy.auto_migration, numbers(policy.placement.minimum)
    return PlannerInput(
        preferences={
            cluster.name: PlannerPreferences(
                weights.get(cluster.name, 0),
                least.get(cluster.name, 0),
                _maximum(unit, cluster, current.get(cluster.name, 0)),
            )
            for cluster in selected
        },
        total=total,
        available=tuple(cluster.name for cluster in selected),
        current=current,
        estimated={name: room for name, room in feedback.estimated.items() if room >= 0} if migrates else {},
        limited=feedback.limited,
        scheduled=feedback.scheduled if migrates else {},
        key=unit.key,
        avoid_disruption=policy.avoid_disruption,
        keep_unschedulable=migrates and policy.keep_unschedulable,
    )


def _maximum(unit: SchedulingUnit, cluster: Cluster, current: int) -> int | None:
    """Return the maximum of a cluster; under an untolerated NoSchedule it is what the cluster holds."""
    maximum = numbers(unit.policy.placement.maximum).get(cluster.name)
    if not untolerated(cluster, unit.policy.tolerations, [NO_SCHEDULE]):
        return maximum
    return current if maximum is None else min(maximum, current)


def unit_of(workload: Workload, declared: FederatedUnit) -> SchedulingUnit:
    """Return the object to schedule."""
    template, annotations = declared.template, declared.annotations
    api = text(template, "apiVersion"), text(template, "kind")
    return SchedulingUnit(
        namespace=workload.namespace,
        name=workload.name,
        api=api,
        policy=overridden(declared.read, annotations),
        replicas=workload.replicas,
        replicas_path=declared.replicas_path,
        current=dict(declared.current),
        gpus=read_gpus(template, api),
        feedback=read_feedback(
            feedback_of(annotations, AUTO_MIGRATION), feedback_of(annotations, APPLIED_MIGRATION)
        ),
    )


def place(
    problem: Problem,
    *,
    deduct: bool = False,
    empty_workload_propagation: bool = False,
    deadline: Deadline | None = None,
) -> Dispensed:
    """Place all workloads as KubeAdmiral's scheduler does.

    Evictions that end are compared with the present moment, and the rounding error of dynamic weights, for
    which the real scheduler draws a cluster, falls to the first that may take it.

    `empty_workload_propagation`: Karmada's flag; KubeAdmiral has none of the kind and must not be asked for
    it.

    Raises `UsageError` naming a workload that KubeAdmiral does not place.
    """
    if empty_workload_propagation:
        raise UsageError("dispenser kubeadmiral knows no empty_workload_propagation")
    now = datetime.now(UTC)

    def answer(workload: Workload, clusters: Sequence[Cluster]) -> WorkloadDispensed:
        if not isinstance(workload.declared, FederatedUnit):
            raise UsageError(
                f"dispenser kubeadmiral cannot place {workload.key}: no policy of KubeAdmiral declares it"
            )
        found = schedule_unit(unit_of(workload, workload.declared), clusters, now)
        # A duplicate has the template's number, and negative ones place nothing.
        placed = {
            name: workload.replicas if count is None else max(0, count)
            for name, count in found.placement.items()
        }
        # KubeAdmiral has no categories of failures; these are Karmada's.
        reason = NO_CLUSTER_FIT if found.nowhere else SCHEDULER_ERROR
        return WorkloadDispensed(placed, None if found.error is None else reason)

    return place_in_turn(problem, answer, deadline, deduct=deduct)
