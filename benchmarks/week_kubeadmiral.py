"""A fleet as KubeAdmiral's manifests, as near to its Karmada policies as KubeAdmiral's API can say.

What it cannot say: spread over regions, exclusive affinity groups (a workload stays in the one it runs in),
tiers of workloads that are not packed. A fewest number of clusters cannot be said either.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from fleet_manifests import quantity
from fleet_parts import App, Division, Fleet, Member, Policy, Selector

API = "core.kubeadmiral.io/v1alpha1"
SCHEDULER = "kubeadmiral.io/global-scheduler"


def documents(fleet: Fleet, names: Mapping[str, Member]) -> list[dict[str, Any]]:
    """Return the clusters, policies and federated objects of a fleet.

    Parameters
    ----------
    fleet
        The fleet.
    names
        Every cluster that may ever join, by name, so that policies can name it.
    """
    used: dict[str, dict[str, int]] = {member.name: dict(member.others) for member in fleet.members}
    for app in fleet.apps:
        for name, count in (app.running or {}).items():
            for resource, need in app.needs.items():
                used[name][resource] = used[name].get(resource, 0) + need * count
    policies = {(app.policy.namespace, app.group): app.policy for app in fleet.apps}
    return [
        *(_cluster(member, used[member.name]) for member in fleet.members),
        *(_policy(policy, group, names) for (_, group), policy in policies.items()),
        *(_object(app) for app in fleet.apps),
    ]


def _cluster(member: Member, used: Mapping[str, int]) -> dict[str, Any]:
    """Return one cluster."""
    free = {resource: max(0, amount - used.get(resource, 0)) for resource, amount in member.offered.items()}
    kinds = [{"group": "apps", "version": "v1", "kind": kind} for kind in ("Deployment", "StatefulSet")]
    return {
        "apiVersion": API,
        "kind": "FederatedCluster",
        "metadata": {"name": member.name, "labels": {"region": member.region}},
        "spec": {"apiEndpoint": f"https://{member.name}:6443"},
        "status": {
            "conditions": [{"type": "Joined", "status": "True"}, {"type": "Ready", "status": "True"}],
            "apiResourceTypes": kinds,
            "resources": {
                "allocatable": {name: quantity(name, amount) for name, amount in member.offered.items()},
                "available": {name: quantity(name, amount) for name, amount in free.items()},
            },
        },
    }


def _policy(policy: Policy, group: int, names: Mapping[str, Member]) -> dict[str, Any]:
    """Return the policy of a namespace for the workloads that run in one affinity group."""
    spec: dict[str, Any] = {
        "schedulingMode": "Duplicate" if policy.division is Division.DUPLICATED else "Divide",
        "placement": list(_placement(policy, policy.groups[group].tiers, names)),
    }
    if policy.division is Division.AGGREGATED:
        spec["replicasStrategy"] = "Binpack"
    if policy.clusters is not None and policy.clusters.most is not None:
        spec["maxClusters"] = policy.clusters.most
    return {
        "apiVersion": API,
        "kind": "PropagationPolicy",
        "metadata": {"name": _name(policy, group), "namespace": policy.namespace},
        "spec": spec,
    }


def _placement(
    policy: Policy, tiers: tuple[Selector, ...], names: Mapping[str, Member]
) -> Iterator[dict[str, Any]]:
    """Yield every cluster that a workload may stand on, once, with what is preferred there."""
    weighed = any(selector.matches(member) for selector, _ in policy.weights for member in names.values())
    for name, member in names.items():
        tier = next((number for number, one in enumerate(tiers) if one.matches(member)), None)
        weight = max((weight for one, weight in policy.weights if one.matches(member)), default=0)
        if tier is None or (weighed and not weight):
            continue
        preferences: dict[str, Any] = {}
        if weighed:
            preferences["weight"] = weight
        if policy.maximum is not None:
            preferences["maxReplicas"] = policy.maximum
        if policy.division is Division.AGGREGATED and len(tiers) > 1:
            preferences["priority"] = len(tiers) - tier
        yield {"cluster": name, **({"preferences": preferences} if preferences else {})}


def _name(policy: Policy, group: int) -> str:
    """Return the name of a policy."""
    return policy.namespace if not group else f"{policy.namespace}-{group}"


def _object(app: App) -> dict[str, Any]:
    """Return one federated object with what runs of it."""
    running = app.running or {}
    requests = {name: quantity(name, amount) for name, amount in app.requests.items() if amount}
    labels = {"app": app.name}
    template = {
        "apiVersion": "apps/v1",
        "kind": app.kind,
        "metadata": {"name": app.name, "namespace": app.policy.namespace, "labels": labels},
        "spec": {
            "replicas": app.replicas,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "containers": [{"name": "main", "image": "main", "resources": {"requests": requests}}]
                },
            },
        },
    }
    patches = [
        {"cluster": name, "patches": [{"op": "replace", "path": "/spec/replicas", "value": count}]}
        for name, count in running.items()
    ]
    return {
        "apiVersion": API,
        "kind": "FederatedObject",
        "metadata": {
            "name": f"{app.name}-{app.kind.lower()}s.apps",
            "namespace": app.policy.namespace,
            "labels": {"kubeadmiral.io/propagation-policy-name": _name(app.policy, app.group)},
        },
        "spec": {
            "template": template,
            "placements": [{"controller": SCHEDULER, "placement": [{"cluster": name} for name in running]}],
            "overrides": [{"controller": SCHEDULER, "clusters": patches}],
        },
    }
