"""The filters that every cluster passes, in KubeAdmiral's order; the first refusal ends.

The filter for resources (``ClusterResourcesFit``) is off by default in KubeAdmiral and says nothing about the
number of replicas; it is not modelled. Nor is Katalyst, a feature that is off by default.
"""

from collections.abc import Callable, Sequence
from datetime import datetime

from fairlead.models.cluster import Taint, Toleration
from fairlead.solver.dispensers.kubeadmiral.affinity import SelectorError, matches_any
from fairlead.solver.dispensers.kubeadmiral.inputs import FederatedCluster, SchedulingUnit

NO_SCHEDULE = "NoSchedule"
NO_EXECUTE = "NoExecute"

Filter = Callable[[SchedulingUnit, FederatedCluster, datetime], str | None]


def refusal(unit: SchedulingUnit, cluster: FederatedCluster, now: datetime) -> str | None:
    """Return why a cluster is not open to the object, in KubeAdmiral's words; None where it is open."""
    for each in _FILTERS:
        reason = each(unit, cluster, now)
        if reason is not None:
            return reason
    return None


def untolerated(
    cluster: FederatedCluster, tolerations: Sequence[Toleration], effects: Sequence[str]
) -> list[Taint]:
    """Return the taints of some effects that no toleration matches, in the order of the cluster."""
    return [
        taint
        for taint in cluster.taints
        if taint.effect in effects and not any(each.tolerates(taint) for each in tolerations)
    ]


def _lacks_api(unit: SchedulingUnit, cluster: FederatedCluster, _: datetime) -> str | None:
    return None if unit.api in cluster.apis else "didn't support this APIVersion"


def _is_tainted(unit: SchedulingUnit, cluster: FederatedCluster, _: datetime) -> str | None:
    """Refuse by taint; a cluster that is in use is refused under NoExecute only."""
    effects = [NO_EXECUTE] if cluster.name in unit.current else [NO_SCHEDULE, NO_EXECUTE]
    for taint in untolerated(cluster, unit.policy.tolerations, effects):
        return f"had taint {{{taint.key}: {taint.value}}}, that the schedulingUnit didn't tolerate"
    return None


def _is_not_placed(unit: SchedulingUnit, cluster: FederatedCluster, _: datetime) -> str | None:
    names = unit.policy.cluster_names
    return None if not names or cluster.name in names else "were not in placement list"


def _is_not_selected(unit: SchedulingUnit, cluster: FederatedCluster, _: datetime) -> str | None:
    """Refuse by selector and affinity; a wrong requirement refuses as well, without a word about it."""
    refused = "didn't match cluster selector"
    policy = unit.policy
    if any(cluster.labels.get(key) != value for key, value in policy.cluster_selector.items()):
        return refused
    try:
        return None if policy.required is None or matches_any(policy.required, cluster) else refused
    except SelectorError:
        return refused


def _is_unready(unit: SchedulingUnit, cluster: FederatedCluster, _: datetime) -> str | None:
    return None if cluster.ready or cluster.name in unit.current else "were unready"


def _is_terminating(_unit: SchedulingUnit, cluster: FederatedCluster, _: datetime) -> str | None:
    return "were terminating" if cluster.deleting else None


def _is_evicted(unit: SchedulingUnit, cluster: FederatedCluster, now: datetime) -> str | None:
    """Refuse what custom migration has evicted, also where it is in use."""
    for name, until in unit.feedback.unavailable:
        if name == cluster.name and until is not None and now < until:
            return "were evicted due to custom migration configuration"
    return None


_FILTERS: tuple[Filter, ...] = (
    _lacks_api,
    _is_tainted,
    _is_not_placed,
    _is_not_selected,
    _is_unready,
    _is_terminating,
    _is_evicted,
)
