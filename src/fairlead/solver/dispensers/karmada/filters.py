"""Which clusters may take the workload at all, and in the scheduler's words why others may not."""

from collections import Counter
from collections.abc import Iterable

from fairlead.models.cluster import Taint
from fairlead.solver.dispensers.karmada import affinity
from fairlead.solver.dispensers.karmada.inputs import BindingInput, MemberCluster
from fairlead.solver.dispensers.karmada.placement import (
    PROVIDER,
    REGION,
    ZONE,
    AffinityTerm,
    ClusterToleration,
    SpreadConstraint,
)
from fairlead.solver.dispensers.karmada.results import NO_CLUSTER_FIT, Failure

API_MISSING = "cluster(s) did not have the API resource"
AFFINITY_MISMATCH = "cluster(s) did not match the placement cluster affinity constraint"
EVICTING = "cluster(s) is in the process of eviction"

_REPELLING = ("NoSchedule", "NoExecute")


def feasible(binding: BindingInput, term: AffinityTerm | None) -> tuple[MemberCluster, ...] | Failure:
    """Return the clusters that pass all filters.

    Parameters
    ----------
    binding
        The binding.
    term
        The affinity group under trial; None where the placement has no groups.

    Returns
    -------
    tuple of MemberCluster or Failure
        Clusters in the order of the binding; a failure where none passes.
    """
    targets = frozenset(name for name, _ in binding.previous)
    passing: list[MemberCluster] = []
    reasons: list[str] = []
    for cluster in binding.clusters:
        if cluster.deleting:
            continue
        reason = refusal(binding, term, cluster, is_target=cluster.name in targets)
        if reason is None:
            passing.append(cluster)
        else:
            reasons.append(reason)
    return tuple(passing) or _nothing_fits(len(binding.clusters), reasons)


def refusal(
    binding: BindingInput, term: AffinityTerm | None, cluster: MemberCluster, *, is_target: bool
) -> str | None:
    """Return the first filter's reason against a cluster, None where it passes.

    Parameters
    ----------
    binding
        The binding.
    term
        The affinity group under trial.
    cluster
        The cluster; its deletion is not looked at.
    is_target
        Whether the workload is there already, if only with 0 replicas. Targets are not asked for the API or
        for tolerated taints.
    """
    placement = binding.placement
    if not is_target and not cluster.has_api:
        return API_MISSING
    if not _matches_affinity(binding, term, cluster):
        return AFFINITY_MISMATCH
    if cluster.taints and not is_target:
        taint = _untolerated(cluster.taints, placement.cluster_tolerations)
        if taint is not None:
            return f"cluster(s) had untolerated taint {{{_written(taint)}}}"
    missing = _missing_property(cluster, placement.spread_constraints)
    if missing is not None:
        return f"cluster(s) did not have {missing} property"
    return EVICTING if cluster.name in binding.evicting else None


def tolerates(toleration: ClusterToleration, taint: Taint) -> bool:
    """Tell whether a toleration matches a taint.

    An empty key matches every key, under ``Equal`` too, which Kubernetes' validation would refuse.
    """
    if toleration.effect not in ("", taint.effect) or toleration.key not in ("", taint.key):
        return False
    if toleration.operator == "Exists":
        return True
    return toleration.operator in ("", "Equal") and toleration.value == taint.value


def _matches_affinity(binding: BindingInput, term: AffinityTerm | None, cluster: MemberCluster) -> bool:
    single = binding.placement.cluster_affinity
    if single is not None:
        return affinity.matches(single, cluster)
    return affinity.tier(term, cluster, overflow=binding.is_workload) is not None


def _untolerated(taints: Iterable[Taint], tolerations: tuple[ClusterToleration, ...]) -> Taint | None:
    repelling = (taint for taint in taints if taint.effect in _REPELLING)
    return next(
        (taint for taint in repelling if not any(tolerates(each, taint) for each in tolerations)), None
    )


def _missing_property(cluster: MemberCluster, constraints: Iterable[SpreadConstraint]) -> str | None:
    for constraint in constraints:
        field = constraint.spread_by_field
        if field == PROVIDER and not cluster.provider:
            return "provider"
        if field == REGION and not cluster.region:
            return "region"
        if field == ZONE and not cluster.zones:
            return "zones"
    return None


def _written(taint: Taint) -> str:
    return f"{taint.key}={taint.value}:{taint.effect}" if taint.value else f"{taint.key}:{taint.effect}"


def _nothing_fits(clusters: int, reasons: list[str]) -> Failure:
    counts = sorted(f"{count} {reason}" for reason, count in Counter(reasons).items())
    return Failure(
        NO_CLUSTER_FIT, f"0/{clusters} clusters are available: {', '.join(counts) or 'no cluster exists'}."
    )
