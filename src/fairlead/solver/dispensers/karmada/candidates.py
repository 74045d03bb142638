"""Which clusters may take a workload, how many replicas each, and in which order they are looked at."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fairlead.manifests.api.meta import Toleration
from fairlead.manifests.api.policies import ClusterAffinity, ClusterAffinityTerm, SpreadConstraint
from fairlead.manifests.karmada import groups
from fairlead.manifests.karmada.findings import labels_findings
from fairlead.models.cluster import PODS, Cluster, Taint
from fairlead.solver.dispensers.karmada.binding import LARGEST, BindingInput, Failure, wrapped
from fairlead.solver.dispensers.rules_of_thumb import NO_CLUSTER_FIT


def matches(affinity: ClusterAffinity, cluster: Cluster) -> bool:
    """Tell whether an affinity matches a cluster; a label selector that is no valid one matches nothing."""
    return not any(labels_findings(affinity)) and groups.matches(affinity, cluster)


def tier(term: ClusterAffinityTerm | None, cluster: Cluster, *, overflow: bool) -> int | None:
    """Return the tier of a cluster in an affinity group.

    0 for the group itself, k for its k-th overflow affinity, None where no tier matches.

    `term`: the group; None means that every cluster belongs. `overflow`: whether the overflow affinities of
    the group count.
    """
    if term is None or matches(term, cluster):
        return 0
    tiers = term.overflow_affinities if overflow else ()
    return next((number for number, each in enumerate(tiers, start=1) if matches(each, cluster)), None)


API_MISSING = "cluster(s) did not have the API resource"
AFFINITY_MISMATCH = "cluster(s) did not match the placement cluster affinity constraint"
EVICTING = "cluster(s) is in the process of eviction"

_REPELLING = ("NoSchedule", "NoExecute")


def feasible(binding: BindingInput, term: ClusterAffinityTerm | None) -> tuple[Cluster, ...] | Failure:
    """Return the clusters that pass all filters.

    Clusters in the order of the binding; a failure where none passes.

    `term`: the affinity group under trial; None where the placement has no groups.
    """
    targets = frozenset(name for name, _ in binding.previous)
    passing: list[Cluster] = []
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
    binding: BindingInput, term: ClusterAffinityTerm | None, cluster: Cluster, *, is_target: bool
) -> str | None:
    """Return the first filter's reason against a cluster, None where it passes.

    `cluster`: the cluster; its deletion is not looked at. `is_target`: whether the workload is there already,
    if only with 0 replicas. Targets are not asked for the API or for tolerated taints.
    """
    placement = binding.placement
    if not is_target and binding.api not in (cluster.api_kinds or ()):
        return API_MISSING
    if not _matches_affinity(binding, term, cluster):
        return AFFINITY_MISMATCH
    if cluster.taints and not is_target:
        taint = _untolerated(cluster.taints, placement.cluster_tolerations)
        if taint is not None:
            return f"cluster(s) had untolerated taint {{{taint.spelled}}}"
    missing = _missing_property(cluster, placement.spread_constraints)
    if missing is not None:
        return f"cluster(s) did not have {missing} property"
    return EVICTING if cluster.name in binding.evicting else None


def _matches_affinity(binding: BindingInput, term: ClusterAffinityTerm | None, cluster: Cluster) -> bool:
    single = binding.placement.cluster_affinity
    if single is not None:
        return matches(single, cluster)
    return tier(term, cluster, overflow=binding.is_workload) is not None


def _untolerated(taints: Iterable[Taint], tolerations: tuple[Toleration, ...]) -> Taint | None:
    repelling = (taint for taint in taints if taint.effect in _REPELLING)
    return next(
        (taint for taint in repelling if not any(each.toleration.tolerates(taint) for each in tolerations)),
        None,
    )


def _missing_property(cluster: Cluster, constraints: Iterable[SpreadConstraint]) -> str | None:
    for constraint in constraints:
        field = constraint.spread_by_field
        if field == "provider" and not cluster.provider:
            return "provider"
        if field == "region" and not cluster.region:
            return "region"
        if field == "zone" and not cluster.zones:
            return "zones"
    return None


def _nothing_fits(clusters: int, reasons: list[str]) -> Failure:
    counts = sorted(f"{count} {reason}" for reason, count in Counter(reasons).items())
    return Failure(
        NO_CLUSTER_FIT, f"0/{clusters} clusters are available: {', '.join(counts) or 'no cluster exists'}."
    )


_PODS_OF_A_NODE = 110


def estimate(cluster: Cluster, requests: Mapping[str, int] | None) -> int:
    """Return the replicas that a cluster can take.

    Of resources what is left of the cluster as a whole counts, or where it tells grades of nodes what fits
    onto these, each with its grade's minimum: the scheduler places replicas first-fit one by one, and equal
    ones fill every node, so counting per node gives the same. What is not named is not there.

    From 0 to 2^31 - 1, which stands for no limit.

    `requests`: request per replica; None where the workload states none, so that only pods count.
    """
    free = cluster.free or {}
    pods = free.get(PODS, 0)
    if requests is None or pods <= 0:
        return wrapped(max(0, pods))
    asked = {resource: amount for resource, amount in requests.items() if amount > 0}
    if cluster.grades:
        rooms = ((grade.nodes, _fitting(grade.offers, asked)) for grade in cluster.grades)
        room = sum(nodes * min([_PODS_OF_A_NODE, *fitting]) for nodes, fitting in rooms)
    else:
        room = min([LARGEST, *_fitting(free, asked)])
    return wrapped(min(pods, room))


def _fitting(offered: Mapping[str, int], requests: Mapping[str, int]) -> list[int]:
    """Return how many requests fit into what is offered, by resource."""
    return [max(0, offered.get(resource, 0)) // amount for resource, amount in requests.items()]


def allocation(estimated: int, replicas: int) -> int:
    """Return the capacity that the scheduler works with.

    With 0 replicas the largest 32-bit integer, whatever the estimate: adding to it wraps round later on, a
    known fault. Else the estimate, and `replicas` where it knows no limit.

    `estimated`: what `estimate` says.
    """
    if replicas == 0:
        return LARGEST
    return replicas if estimated == LARGEST else min(estimated, LARGEST)


LOCALITY_SCORE = 100


@dataclass(frozen=True, slots=True)
class Candidate:
    """A cluster that passed the filters."""

    cluster: Cluster
    tier: int
    """0 for the affinity group itself, k for its k-th overflow affinity."""
    score: int
    """100 where the workload is there already, else 0."""
    estimated: int
    available: int
    """Capacity for the workload: what can be added plus what is there."""

    @property
    def name(self) -> str:
        """Name of the cluster."""
        return self.cluster.name

    @property
    def rank(self) -> tuple[int, int, int, str]:
        """Sorting key: tier, then score and capacity descending, then name."""
        return self.tier, -self.score, -self.available, self.cluster.name


def ordered(
    binding: BindingInput, term: ClusterAffinityTerm | None, clusters: Iterable[Cluster]
) -> tuple[Candidate, ...]:
    """Return feasible clusters as candidates, best first."""
    previous = dict(binding.previous)
    candidates = (_candidate(binding, term, cluster, previous.get(cluster.name)) for cluster in clusters)
    return tuple(sorted(candidates, key=lambda candidate: candidate.rank))


def _candidate(
    binding: BindingInput, term: ClusterAffinityTerm | None, cluster: Cluster, running: int | None
) -> Candidate:
    estimated = estimate(cluster, binding.requests)
    return Candidate(
        cluster=cluster,
        tier=tier(term, cluster, overflow=True) or 0,
        score=0 if running is None else LOCALITY_SCORE,
        estimated=estimated,
        available=allocation(estimated, binding.replicas) + (running or 0),
    )
