"""Why clusters are closed to a workload, by KubeAdmiral's rules."""

from collections.abc import Mapping
from dataclasses import replace

from fairlead.manifests.kubeadmiral.policies import AFFINITY, PLACEMENT, SELECTOR, Policy
from fairlead.manifests.standing import Ground, departing, not_joined, tainted, unready, without_api
from fairlead.models.cluster import Cluster

NOT_LISTED = "is not in the placement list"
NO_SELECTOR = "did not match the cluster selector"
NO_AFFINITY = "did not match the cluster affinity"
UNAVAILABLE = "is to be left by the migration configuration"
NOTHING_RUNS = "does not run it, and rescheduling is disabled"

Api = tuple[str, str]
"""apiVersion and kind of a workload."""


def closed_clusters(policy: Policy, api: Api, clusters: Mapping[str, Cluster]) -> dict[str, Ground]:
    """Return why clusters are closed to a workload, whatever runs where; open ones are absent.

    Where there are several grounds the first one counts. Those that leave alone what runs already come last:
    an untolerated taint with effect ``NoSchedule``, and a cluster that is not ready. Taints with effect
    ``PreferNoSchedule`` are not looked at.
    """
    found: dict[str, Ground] = {}
    for name in sorted(clusters):
        ground = _first(policy, api, clusters[name])
        if ground is not None:
            found[name] = ground
    return found


def _first(policy: Policy, api: Api, cluster: Cluster) -> Ground | None:
    """Return the first ground against a cluster."""
    unserved = without_api(cluster, api)
    checks = (
        not_joined(cluster),
        departing(cluster),
        unserved and replace(unserved, keeps=False),
        _listed(policy, cluster),
        _selected(policy, cluster),
        _tainted(policy, cluster),
        unready(cluster),
    )
    return next((ground for ground in checks if ground is not None), None)


def _listed(policy: Policy, cluster: Cluster) -> Ground | None:
    entries = policy.preferred.entries
    if not entries or cluster.name in entries:
        return None
    return Ground(NOT_LISTED, policy.sources[PLACEMENT])


def _selected(policy: Policy, cluster: Cluster) -> Ground | None:
    if not policy.selector.matches(cluster.labels):
        return Ground(NO_SELECTOR, policy.sources[SELECTOR])
    if policy.terms is not None and not any(term.matches(cluster) for term in policy.terms):
        return Ground(NO_AFFINITY, policy.sources[AFFINITY])
    return None


def _tainted(policy: Policy, cluster: Cluster) -> Ground | None:
    found = tainted(cluster, cluster.taints, policy.tolerations)
    return replace(found, taints=()) if found and not cluster.ready else found
