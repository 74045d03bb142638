"""Which clusters are open to a workload by KubeAdmiral's rules, and how a policy divides replicas."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from fairlead.manifests.eligibility import Ground, departing, not_joined, tainted, unready, without_api
from fairlead.manifests.fleet import Fleet, Weighed, roomiest
from fairlead.manifests.kubeadmiral.annotations import Reports
from fairlead.manifests.kubeadmiral.policies import AFFINITY, PLACEMENT, SELECTOR, AppliedPolicy
from fairlead.manifests.kubeadmiral.stated import StatedPreferences
from fairlead.models.cluster import CPU, Cluster
from fairlead.models.rules import Bounds, Copies, Tiers
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.candidates import Cause
from fairlead.models.rules.capacity import room
from fairlead.models.workload import Workload

NOT_LISTED = "is not in the placement list"
NO_SELECTOR = "did not match the cluster selector"
NO_AFFINITY = "did not match the cluster affinity"
UNAVAILABLE = "is excluded by the migration configuration"
NOTHING_RUNS = "does not run it, and rescheduling is disabled"

Api = tuple[str, str]
"""apiVersion and kind of a workload."""


def ground_of(policy: AppliedPolicy, api: Api, cluster: Cluster) -> Ground | None:
    """Return why a cluster is closed to a workload, whatever runs where; None where it is open.

    Where there are several grounds the first one counts. Those that leave alone what runs already come last:
    an untolerated taint with effect ``NoSchedule``, and a cluster that is not ready. Taints with effect
    ``PreferNoSchedule`` are not looked at.
    """
    if outside := not_joined(cluster) or departing(cluster):
        return outside
    if unserved := without_api(cluster, api):
        return replace(unserved, keeps=False)
    if policy.placement.entries and cluster.name not in policy.placement.entries:
        return Ground(NOT_LISTED, policy.sources[PLACEMENT])
    if not policy.selects(cluster):
        return Ground(NO_SELECTOR, policy.sources[SELECTOR])
    if policy.required is not None and not any(term.matches(cluster) for term in policy.required):
        return Ground(NO_AFFINITY, policy.sources[AFFINITY])
    taint = tainted(cluster, cluster.taints, policy.tolerations)
    return replace(taint, taints=()) if taint and not cluster.ready else taint or unready(cluster)


ZERO_WEIGHT = "has weight 0 and no minimum"
NO_WEIGHT = "has no weight beside others that have one, and no minimum"


def is_static(policy: AppliedPolicy) -> bool:
    """Tell whether the weights are given: one entry of the placement list with a weight is enough."""
    return bool(policy.placement.weights)


def static_weights(policy: AppliedPolicy, names: Sequence[str]) -> Weighed:
    """Return the given weights; a candidate without one weighs 0 and is none where it has no minimum."""
    preferred = policy.placement
    weights = {name: preferred.weights[name].replicas if name in preferred.weights else 0 for name in names}
    closed: dict[str, Ground] = {}
    for name, weight in weights.items():
        if not weight and name not in preferred.minimum:
            given = preferred.weights.get(name)
            reason = ZERO_WEIGHT if given else NO_WEIGHT
            where = given.source if given else preferred.entries.get(name)
            closed[name] = Ground(reason, where, cause=Cause.NO_WEIGHT)
    return Weighed({name: weight for name, weight in weights.items() if name not in closed}, closed)


def dynamic_weights(workload: Workload, names: Sequence[str], fleet: Fleet) -> Weighed:
    """Return the room of every candidate; one of unknown room is none, or keeps what it holds.

    A workload that requests nothing is weighed by free cpu, as KubeAdmiral does for every workload; where
    nothing is free, all weigh the same.
    """
    if workload.requests:
        return fleet.weighed(fleet.rooms(names, workload), workload)
    told = {name: (fleet.clusters[name].free or {}).get(CPU) for name in names}
    free = {name: None if cpu is None else max(0, cpu) for name, cpu in told.items()}
    found = fleet.weighed(free, workload)
    return found if any(found.weights.values()) else replace(found, weights=dict.fromkeys(found.weights, 1))


def bounds(policy: AppliedPolicy, feedback: Reports, names: Sequence[str]) -> Bounds | None:
    """Return the fewest and the most replicas of every candidate; None where nothing is bounded.

    The smallest maximum counts: of the policy, of custom migration and, where the policy asks for auto
    migration, of what it has reported. A candidate that weighs 0 beside others gets its minimum only.
    """
    preferred = policy.placement
    minimum = {name: preferred.minimum[name] for name in names if name in preferred.minimum}
    maximum: dict[str, Bound] = {}
    for name in names:
        most = list(_maxima(policy, feedback, name))
        if most:
            ceilings = [bound.ceiling for bound in most if bound.ceiling is not None]
            smallest = min(most, key=lambda bound: bound.replicas)
            maximum[name] = smallest._replace(ceiling=min(ceilings, default=None))
    if not minimum and not maximum:
        return None
    chooses = policy.binpack or policy.max_clusters is not None
    where_held = frozenset(names) if chooses else frozenset[str]()
    return Bounds(minimum, maximum, where_held, preferred=policy.max_clusters is not None and bool(minimum))


def _maxima(policy: AppliedPolicy, feedback: Reports, name: str) -> Iterable[Bound]:
    preferred = policy.placement
    if name in preferred.maximum:
        yield preferred.maximum[name]
    yield from feedback.at_most(name, auto_migration=policy.auto_migration)
    if policy.divide and not policy.binpack and is_static(policy):
        given = preferred.weights.get(name)
        if given is None or not given.replicas:
            least = preferred.minimum.get(name, Bound(0, preferred.entries.get(name)))
            yield least._replace(ceiling=least.replicas)


def tiers(policy: AppliedPolicy, names: Sequence[str]) -> Tiers | None:
    """Return which clusters Binpack fills first: by priority, then by weight; None where all are equal."""
    found: dict[tuple[int, int], set[str]] = {}
    for name in names:
        found.setdefault(_rank(policy, name), set()).add(name)
    if len(found) < 2:
        return None
    ordered = sorted(found)
    preferred = policy.placement
    sources = [
        next((preferred.entries[name] for name in sorted(found[rank]) if name in preferred.entries), None)
        for rank in ordered
    ]
    return Tiers(tuple(frozenset(found[rank]) for rank in ordered), tuple(sources))


def _rank(policy: AppliedPolicy, name: str) -> tuple[int, int]:
    """Return the place of a cluster, the first one lowest; what is not stated counts as 0."""
    nothing = Bound(0)
    priority = policy.placement.priorities.get(name, nothing).replicas
    weight = policy.placement.weights.get(name, nothing).replicas
    return -priority, -weight


def ranking(policy: AppliedPolicy, workload: Workload, names: Sequence[str], fleet: Fleet) -> Copies:
    """Return which clusters are chosen first: by priority, then by room."""
    priorities = {name: stated.replicas for name, stated in policy.placement.priorities.items()}
    return Copies(roomiest(fleet.rooms(names, workload), priorities))


def too_small(limits: Bounds) -> dict[str, Bound]:
    """Return the maxima below the minimum of their cluster, as only a reported capacity can be."""
    minimum = limits.minimum
    return {
        name: most
        for name, most in limits.maximum.items()
        if name in minimum and minimum[name].replicas > most.replicas
    }


def copies(
    limits: Bounds,
    workload: Workload,
    names: Iterable[str],
    clusters: Mapping[str, Cluster],
    preferred: StatedPreferences,
) -> tuple[dict[str, int], dict[str, int], dict[str, Bound]]:
    """Return the size of the copy where it differs, what it would be with more room, and what it has to be.

    That is the minimum where there is less room.

    It is the template's number, put between minimum and maximum.

    Where there is no room for that, and the policy states a minimum or a maximum, a copy has as many replicas
    as fit: at least the minimum, at least one. Neither binds a workload that is scaled to 0.
    """
    found: dict[str, int] = {}
    ample: dict[str, int] = {}
    tight: dict[str, Bound] = {}
    if not workload.replicas:
        return found, ample, tight
    for name in names:
        least, most = limits.minimum.get(name), limits.maximum.get(name)
        size = min(workload.replicas, most.replicas) if most else workload.replicas
        size = max(size, least.replicas) if least else size
        if name in preferred.minimum or name in preferred.maximum:
            fitting = room(workload, clusters[name])
            fewest = max(1, least.replicas if least else 1)
            whole = size
            size = whole if fitting is None else min(whole, max(fewest, fitting))
            if size < whole:
                ample[name] = whole
            if least and fitting is not None and fitting < least.replicas:
                tight[name] = least
        if size != workload.replicas:
            found[name] = size
    return found, ample, tight
