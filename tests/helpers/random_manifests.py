"""Random manifests that are often infeasible: what Karmada, KubeAdmiral and fairlead's own kinds can say."""

import json
import random
from collections.abc import Iterator
from typing import Any

import kubeadmiral_manifests as federal
from builders import (
    Manifest,
    binding,
    cluster,
    deployment,
    divided,
    duplicated,
    policy,
    selector,
    static,
    term,
)
from own_builders import own

REGIONS = ("asia", "eu", "us")
TAINTS = ("gpu=true:NoSchedule", "edge:NoExecute")


def karmada(seed: int) -> list[Manifest]:
    """Return clusters, workloads, policies and whatever bounds them, as Karmada and fairlead write them."""
    rng = random.Random(f"karmada {seed}")
    members = list(_clusters(rng))
    names = [each["metadata"]["name"] for each in members]
    found = list(members)
    shared = rng.random() < 0.4
    count = rng.choice((1, 2, 2, 3, 4))
    if shared:
        found.append(policy("all", _placement(rng, names), **_region_list(rng)))
    for at in range(count):
        found += _workload(rng, f"web-{at}", names, shared=shared)
    found += _own_kinds(rng, names) if rng.random() < 0.6 else ()
    if rng.random() < 0.25:
        found.append(_quota(rng, names))
    return found


def _clusters(rng: random.Random) -> Iterator[Manifest]:
    """Yield a few small clusters; some are tainted, of some the capacity is not known."""
    for at in range(rng.choice((1, 2, 3, 3, 4))):
        known = rng.random() < 0.85
        yield cluster(
            f"member{at + 1}",
            cpu=rng.choice((1, 2, 3, 5, 8)) if known else None,
            pods=rng.choice((2, 4, 8)) if known and rng.random() < 0.3 else None,
            region=rng.choice(REGIONS),
            labels={"tier": rng.choice(("gold", "tin"))},
            taints=rng.sample(TAINTS, rng.choice((0, 0, 0, 0, 1, 1, 2))),
            allocated={"cpu": rng.choice((1, 2))} if known and rng.random() < 0.15 else None,
        )


def _workload(rng: random.Random, name: str, names: list[str], *, shared: bool) -> Iterator[Manifest]:
    """Yield a workload: its template, its binding or both, and a policy of its own where none is shared."""
    replicas = rng.choice((1, 2, 3, 3, 4, 6))
    cpu = rng.choice((None, "300m", "500m", 1, 1, 2))
    held = {one: rng.randint(1, 3) for one in rng.sample(names, rng.randint(0, len(names)))}
    placement = _placement(rng, names)
    form = rng.choice(("template", "template", "binding", "copy", "both"))
    groups = [each["affinityName"] for each in placement.get("clusterAffinities", ())]
    observed = rng.choice(groups) if groups and rng.random() < 0.4 else None
    if shared and form == "copy":
        form = "binding"
    status: Manifest = {"lastScheduledTime": "2026-01-01T00:00:00Z"} if observed else {}
    status |= {"schedulerObservingAffinityName": observed} if observed else {}
    if form in ("template", "both"):
        yield deployment(name, replicas, cpu)
    if form != "template":
        stated = None if form == "both" and rng.random() < 0.3 else replicas
        one = binding(name, stated, held, placement if form == "copy" else None, cpu=cpu, status=status)
        if rng.random() < 0.5:
            one["metadata"]["name"] = f"{rng.choice('abc')}-of-{name}"
        if form == "copy":
            _annotated(rng, one, names)
        yield one
    if form != "copy" and not shared:
        own_policy = policy(f"policy-{name}", placement, selects=[selector(name)], **_region_list(rng))
        _annotated(rng, own_policy, names)
        yield own_policy


def _annotated(rng: random.Random, manifest: Manifest, names: list[str]) -> None:
    """Specify totals in an annotation, as solution three of the proposal does."""
    if rng.random() < 0.06:
        totals = [{"name": name, "replicas": rng.randint(0, 3)} for name in names]
        manifest["metadata"]["annotations"] = {"specifiedClusters": json.dumps(totals)}


def _region_list(rng: random.Random) -> dict[str, Any]:
    """Return a total of the policy itself, rarely."""
    return {"replicas": rng.randint(1, 5)} if rng.random() < 0.05 else {}


def _placement(rng: random.Random, names: list[str]) -> Manifest:
    """Return a placement."""
    kind = rng.choice(("static", "static", "static", "dynamic", "duplicated", "aggregated", "specified"))
    if kind == "duplicated":
        placement: Manifest = duplicated()
    elif kind == "specified":
        chosen = rng.sample(names, rng.randint(1, len(names)))
        listed = [
            {"targetCluster": {"clusterNames": [name]}, "replicas": rng.randint(0, 3)} for name in chosen
        ]
        placement = {
            "replicaScheduling": {
                "replicaSchedulingType": "Divided",
                "replicaDivisionPreference": "Specified",
                "specifyPreference": {"staticSpecifyList": listed},
            }
        }
    else:
        preference = {"dynamicWeight": "AvailableReplicas"} if kind == "dynamic" else {}
        placement = divided(preference, **_constraint(rng, names))
        if kind == "static" and rng.random() < 0.3:
            weighed = rng.sample(names, rng.randint(1, len(names)))
            placement = static(*((name, 1) for name in weighed), **_constraint(rng, names))
        if kind == "aggregated":
            placement["replicaScheduling"]["replicaDivisionPreference"] = "Aggregated"
            placement["replicaScheduling"]["weightPreference"].pop("dynamicWeight", None)
    if rng.random() < 0.25:
        field = rng.choice(("region", "cluster", "region"))
        low = rng.choice((1, 1, 2, 3))
        placement["spreadConstraints"] = [
            {"spreadByField": field, "minGroups": low, "maxGroups": low + rng.choice((0, 0, 2))}
        ]
    if rng.random() < 0.45:
        placement["clusterAffinities"] = [
            {
                "affinityName": f"group-{at}",
                "clusterNames": sorted(rng.sample(names, rng.randint(1, len(names)))),
            }
            for at in range(rng.choice((1, 2, 2, 3)))
        ]
    elif rng.random() < 0.4:
        placement["clusterAffinity"] = {"clusterNames": sorted(rng.sample(names, rng.randint(1, len(names))))}
    return placement


def _constraint(rng: random.Random, names: list[str]) -> dict[str, Any]:
    """Return bounds of clusters: for all, by name and by label."""
    found: dict[str, Any] = {}
    if rng.random() < 0.15:
        found["minReplicas"] = rng.choice((1, 2))
    if rng.random() < 0.15:
        found["maxReplicas"] = rng.choice((2, 3))
    terms = []
    least = found.get("minReplicas", 0)
    for _ in range(rng.choice((0, 0, 1, 2))):
        low, high = rng.choice(((1, None), (2, None), (4, None), (None, 1), (None, 2), (1, 3), (0, 1)))
        low, high = (least or None, high) if high is not None and high < least else (low, high)
        high = None if high is not None and high < least else high
        target: Any = rng.choice(names)
        if rng.random() < 0.3:
            target = {"labelSelector": {"matchLabels": {"tier": rng.choice(("gold", "tin"))}}}
        terms.append(term(target, low, high))
    return {**found, **({"clusterConstraintTerms": terms} if terms else {})}


def _own_kinds(rng: random.Random, names: list[str]) -> Iterator[Manifest]:
    """Yield some of fairlead's own kinds."""
    if rng.random() < 0.25:
        one: Manifest = {
            "targetCluster": {"clusterNames": rng.sample(names, rng.randint(1, len(names)))},
            **rng.choice(({"minReplicas": 2}, {"maxReplicas": 2}, {"minReplicas": 1, "maxReplicas": 3})),
        }
        each: Manifest = {
            "groupBy": rng.choice(("region", "cluster")),
            **rng.choice(({"minReplicas": 1}, {"maxReplicas": 2}, {"minReplicas": 1, "maxReplicas": 2})),
        }
        yield own("GroupBounds", "bounds", groups=rng.choice(([one], [each], [one, each])))
    if rng.random() < 0.15:
        left = rng.choice(({"minReplicas": 2}, {"minPercent": "50%"}, {"minPercent": "67%"}))
        both = [{"field": "region"}, {"field": "cluster"}]
        lost = rng.choice(({"field": "region"}, {"field": "cluster"}, {"losses": both}))
        yield own("Survival", "lose", **lost, **left)
    if rng.random() < 0.15:
        yield own("WorkloadAffinity", "beside", type=rng.choice(("AntiAffinity", "Affinity")))
    if rng.random() < 0.2:
        limits: list[Manifest] = [
            {"total": rng.choice((0, 1, "10%", "50%"))},
            {"perWorkload": rng.choice((0, 1, "50%"))},
            {"perNamespace": 1},
            {"leaving": [{"targetCluster": {"clusterNames": [rng.choice(names)]}, "replicas": 0}]},
            {"arriving": [{"targetCluster": {"clusterNames": [rng.choice(names)]}, "replicas": "30%"}]},
        ]
        yield own("MoveBudget", "budget", **rng.choice(limits))


def _quota(rng: random.Random, names: list[str]) -> Manifest:
    """Return a quota of the namespace, perhaps with a part assigned to one cluster."""
    resource = rng.choice(("cpu", "requests.cpu"))
    spec: Manifest = {"overall": {resource: rng.choice((1, 2, 4))}}
    if rng.random() < 0.4:
        spec["staticAssignments"] = [{"clusterName": rng.choice(names), "hard": {resource: "1"}}]
    return {
        "apiVersion": "policy.karmada.io/v1alpha1",
        "kind": "FederatedResourceQuota",
        "metadata": {"name": "compute", "namespace": "default"},
        "spec": spec,
    }


def kubeadmiral(seed: int) -> list[Manifest]:
    """Return clusters, workloads and policies as KubeAdmiral writes them."""
    rng = random.Random(f"kubeadmiral {seed}")
    members = [
        federal.member(
            f"member{at + 1}",
            rng.choice(("1", "2", "3", "5", None)),
            labels={"region": rng.choice(REGIONS)},
            taints=rng.sample(TAINTS, rng.choice((0, 0, 0, 1, 2))),
        )
        for at in range(rng.choice((1, 2, 3, 3)))
    ]
    names = [each["metadata"]["name"] for each in members]
    found = list(members)
    shared = rng.random() < 0.4
    if shared:
        found.append(federal.policy("shared", **_federal_spec(rng, names)))
    for at in range(rng.choice((1, 2, 3))):
        name = "shared" if shared else f"policy-{at}"
        if not shared:
            found.append(federal.policy(name, **_federal_spec(rng, names)))
        found += _federal_workload(rng, f"web-{at}", name, names)
    found += _own_kinds(rng, names) if rng.random() < 0.5 else ()
    return found


def _federal_spec(rng: random.Random, names: list[str]) -> dict[str, Any]:
    """Return the spec of a policy."""
    spec: dict[str, Any] = {"schedulingMode": rng.choice(("Divide", "Divide", "Divide", "Duplicate"))}
    if rng.random() < 0.6:
        chosen = rng.sample(names, rng.randint(1, len(names)))
        spec["placement"] = [federal.entry(name, **_preferences(rng)) for name in chosen]
    if rng.random() < 0.3:
        spec["maxClusters"] = rng.choice((1, 2))
    if rng.random() < 0.2:
        spec["replicasStrategy"] = "Binpack"
    if rng.random() < 0.2:
        spec["autoMigration"] = {"when": {"podUnschedulableFor": "1m"}}
    return spec


def _preferences(rng: random.Random) -> dict[str, int]:
    """Return the preferences of one cluster; a minimum is never over a maximum."""
    low, high = rng.choice(((None, None), (1, None), (3, None), (None, 1), (None, 2), (1, 2)))
    weight = rng.choice((None, None, 1, 2))
    told = {"minReplicas": low, "maxReplicas": high, "weight": weight}
    return {key: value for key, value in told.items() if value is not None}


def _federal_workload(rng: random.Random, name: str, chosen: str, names: list[str]) -> Iterator[Manifest]:
    """Yield a workload that names its policy: alone, in its federated object, or both."""
    template = deployment(name, rng.choice((1, 2, 3, 5)), rng.choice((None, "500m", 1)))
    labels = {federal.PREFIX + "propagation-policy-name": chosen}
    marks = dict(_marks(rng, names))
    form = rng.choice(("template", "federated", "both"))
    if form == "template":
        template["metadata"]["labels"] = labels
        template["metadata"]["annotations"] = {
            federal.PREFIX + key: value if isinstance(value, str) else json.dumps(value)
            for key, value in marks.items()
        }
        yield template
        return
    held = {one: rng.choice((None, 1, 2)) for one in rng.sample(names, rng.randint(0, len(names)))}
    yield federal.federated(template, held, marks=marks, labels=labels)
    if form == "both":
        yield template


def _marks(rng: random.Random, names: list[str]) -> Iterator[tuple[str, Any]]:
    """Yield annotations that override the policy or report what was migrated."""
    if rng.random() < 0.15:
        entries = [{"cluster": name, "preferences": _preferences(rng)} for name in names]
        yield "placements", entries
    if rng.random() < 0.1:
        yield "maxClusters", str(rng.choice((1, 2)))
    if rng.random() < 0.1:
        yield "tolerations", [{"key": "gpu", "operator": "Exists"}]
    if rng.random() < 0.15:
        yield "auto-migration-info", {"estimatedCapacity": {rng.choice(names): rng.choice((0, 1))}}
