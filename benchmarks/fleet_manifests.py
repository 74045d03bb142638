"""A running fleet as Karmada's manifests, as `kubectl get clusters,rb,pp -A -o yaml` shows it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fleet_parts import CPU, MEMORY, Amounts, App, Division, Fleet, Group, Limits, Member, Policy, Selector

from fairlead.manifests.yaml.scalars import to_yaml

SCHEDULED = "2026-08-20T10:00:00Z"
GENERATION = 3
APPLIED = "policy.karmada.io/applied-placement"


def documents(fleet: Fleet) -> list[dict[str, Any]]:
    """Return the clusters, policies and bindings of a fleet."""
    placements = {policy.namespace: placement_of(policy) for policy in fleet.policies}
    return [
        *_clusters(fleet),
        *(_policy(policy, placements[policy.namespace]) for policy in fleet.policies),
        *(_binding(app, placements[app.policy.namespace]) for app in fleet.apps),
    ]


def write(fleet: Fleet, folder: Path, *, as_json: bool = False) -> None:
    """Write a fleet into a folder: clusters, policies and bindings, each a List of their own.

    Parameters
    ----------
    fleet
        The fleet.
    folder
        Made where it does not exist; what is there is replaced.
    as_json
        True for JSON, which large fleets are read from faster; YAML otherwise.
    """
    folder.mkdir(parents=True, exist_ok=True)
    kinds: dict[str, list[dict[str, Any]]] = {"clusters": [], "policies": [], "bindings": []}
    names = {"Cluster": "clusters", "PropagationPolicy": "policies", "ResourceBinding": "bindings"}
    for document in documents(fleet):
        kinds[names[document["kind"]]].append(document)
    for name, items in kinds.items():
        whole = {"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": items}
        if as_json:
            (folder / f"{name}.json").write_text(json.dumps(whole, indent=1) + "\n")
        else:
            (folder / f"{name}.yaml").write_text(to_yaml(whole))


def _clusters(fleet: Fleet) -> list[dict[str, Any]]:
    """Return the clusters with what runs there counted as allocated."""
    used: dict[str, dict[str, int]] = {member.name: dict(member.others) for member in fleet.members}
    for app in fleet.apps:
        for name, count in (app.running or {}).items():
            for resource, need in app.needs.items():
                used[name][resource] = used[name].get(resource, 0) + need * count
    return [_cluster(member, used[member.name]) for member in fleet.members]


def _cluster(member: Member, used: Amounts) -> dict[str, Any]:
    """Return one cluster."""
    spec: dict[str, Any] = {
        "provider": member.provider,
        "region": member.region,
        "zones": [f"{member.name}a"],
        "syncMode": "Push",
        "apiEndpoint": f"https://{member.name}:6443",
    }
    if member.taint is not None:
        spec["taints"] = [{"key": member.taint, "effect": "NoExecute"}]
    ready = {"type": "Ready", "status": "True", "reason": "ClusterReady", "lastTransitionTime": SCHEDULED}
    served = [
        {"name": "deployments", "kind": "Deployment"},
        {"name": "statefulsets", "kind": "StatefulSet"},
    ]
    return {
        "apiVersion": "cluster.karmada.io/v1alpha1",
        "kind": "Cluster",
        "metadata": {"name": member.name, "labels": {"tier": "gpu" if member.has_gpus else "std"}},
        "spec": spec,
        "status": {
            "kubernetesVersion": "v1.31.2",
            "conditions": [ready],
            "apiEnablements": [{"groupVersion": "apps/v1", "resources": served}],
            "resourceSummary": {"allocatable": _amounts(member.offered), "allocated": _amounts(used)},
        },
    }


def _amounts(amounts: Amounts) -> dict[str, str]:
    """Write amounts as quantities."""
    return {resource: quantity(resource, amount) for resource, amount in amounts.items() if amount}


def quantity(resource: str, amount: int) -> str:
    """Write an amount as Kubernetes prints it."""
    if resource == CPU:
        return f"{amount // 1000}" if amount % 1000 == 0 else f"{amount}m"
    if resource == MEMORY:
        return f"{amount // 1024}Gi" if amount % 1024 == 0 else f"{amount}Mi"
    return str(amount)


def _policy(policy: Policy, placement: Mapping[str, Any]) -> dict[str, Any]:
    """Return one policy; it selects every workload of its namespace."""
    selectors = [{"apiVersion": "apps/v1", "kind": kind} for kind in ("Deployment", "StatefulSet")]
    return {
        "apiVersion": "policy.karmada.io/v1alpha1",
        "kind": "PropagationPolicy",
        "metadata": {"name": policy.namespace, "namespace": policy.namespace},
        "spec": {"resourceSelectors": selectors, "placement": placement},
    }


def _binding(app: App, placement: Mapping[str, Any]) -> dict[str, Any]:
    """Return one binding; what was never scheduled has neither clusters nor a status."""
    metadata: dict[str, Any] = {
        "name": f"{app.name}-{app.kind.lower()}",
        "namespace": app.policy.namespace,
        "generation": GENERATION,
    }
    spec: dict[str, Any] = {
        "resource": {
            "apiVersion": "apps/v1",
            "kind": app.kind,
            "namespace": app.policy.namespace,
            "name": app.name,
            "uid": f"u-{app.policy.namespace}-{app.name}",
        },
        "replicas": app.replicas,
        "replicaRequirements": {"resourceRequest": _amounts(app.requests)},
        "schedulerName": "default-scheduler",
        "placement": placement,
    }
    binding = {
        "apiVersion": "work.karmada.io/v1alpha2",
        "kind": "ResourceBinding",
        "metadata": metadata,
        "spec": spec,
        "status": {},
    }
    if app.running is not None:
        metadata["annotations"] = {APPLIED: json.dumps(placement, separators=(",", ":"))}
        spec["clusters"] = [{"name": name, "replicas": count} for name, count in app.running.items()]
        binding["status"] = _status(app)
    return binding


def _status(app: App) -> dict[str, Any]:
    """Return what a scheduler wrote when it placed a workload."""
    done = {
        "type": "Scheduled",
        "status": "True",
        "reason": "Success",
        "message": "Binding has been scheduled successfully.",
        "lastTransitionTime": SCHEDULED,
    }
    status: dict[str, Any] = {
        "lastScheduledTime": SCHEDULED,
        "schedulerObservedGeneration": GENERATION,
        "conditions": [done],
    }
    observed = app.policy.groups[app.group].name
    return status if observed is None else {**status, "schedulerObservingAffinityName": observed}


def placement_of(policy: Policy) -> dict[str, Any]:
    """Write the rules of a policy down as a placement."""
    placement: dict[str, Any] = {}
    if policy.groups[0].name is None:
        placement["clusterAffinity"] = _affinity(policy.groups[0].tiers[0])
    else:
        placement["clusterAffinities"] = [_group(group) for group in policy.groups]
    spread = [
        _spread(field, limits)
        for field, limits in (("region", policy.regions), ("cluster", policy.clusters))
        if limits is not None
    ]
    if spread:
        placement["spreadConstraints"] = spread
    placement["replicaScheduling"] = _scheduling(policy)
    return placement


def _group(group: Group) -> dict[str, Any]:
    """Write an affinity group down, with its overflow tiers."""
    term = {"affinityName": group.name, **_affinity(group.tiers[0])}
    overflow = [
        {"affinityName": f"{group.name}-overflow-{number}", **_affinity(tier)}
        for number, tier in enumerate(group.tiers[1:], 1)
    ]
    return {**term, "overflowAffinities": overflow} if overflow else term


def _affinity(selector: Selector) -> dict[str, Any]:
    """Write a set of clusters down."""
    affinity: dict[str, Any] = {}
    if selector.names:
        affinity["clusterNames"] = list(selector.names)
    if selector.regions:
        expression = {"key": "region", "operator": "In", "values": list(selector.regions)}
        affinity["fieldSelector"] = {"matchExpressions": [expression]}
    if selector.gpus:
        affinity["labelSelector"] = {"matchLabels": {"tier": "gpu"}}
    return affinity


def _spread(field: str, limits: Limits) -> dict[str, Any]:
    """Write a spread constraint down."""
    constraint: dict[str, Any] = {"spreadByField": field, "minGroups": limits.least}
    return constraint if limits.most is None else {**constraint, "maxGroups": limits.most}


def _scheduling(policy: Policy) -> dict[str, Any]:
    """Write down how replicas are divided."""
    if policy.division is Division.DUPLICATED:
        return {"replicaSchedulingType": "Duplicated"}
    aggregated = policy.division is Division.AGGREGATED
    preference: dict[str, Any] = {}
    if policy.division is Division.DYNAMIC:
        preference["dynamicWeight"] = "AvailableReplicas"
    if policy.weights:
        preference["staticWeightList"] = [
            {"targetCluster": _affinity(selector), "weight": weight} for selector, weight in policy.weights
        ]
    if policy.maximum is not None:
        preference["clusterConstraint"] = {"maxReplicas": policy.maximum}
    scheduling: dict[str, Any] = {
        "replicaSchedulingType": "Divided",
        "replicaDivisionPreference": "Aggregated" if aggregated else "Weighted",
    }
    return {**scheduling, "weightPreference": preference} if preference else scheduling
