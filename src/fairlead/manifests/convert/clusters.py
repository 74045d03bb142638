"""Member clusters of one system, workloads and where they run, as those of the other."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from fairlead.manifests.api import KINDS, KUBEADMIRAL, counted_in
from fairlead.manifests.api.karmada import Cluster
from fairlead.manifests.api.kubeadmiral import FederatedCluster
from fairlead.manifests.clusters import free_of, readiness
from fairlead.manifests.convert.account import LABELS, Account, JsonObject, by_label
from fairlead.manifests.convert.to_kubeadmiral import named
from fairlead.manifests.join import Subject
from fairlead.manifests.karmada.scheduled import binding_head, binding_name, scope, targets
from fairlead.manifests.kubeadmiral.federated import SCHEDULER
from fairlead.manifests.validation import Located
from fairlead.models.quantity import counts_bytes, format_quantity, format_units
from fairlead.models.rules import Duplicated
from fairlead.models.workload import Workload, running

SUMMARY = ("status", "resourceSummary")


def federated_cluster(located: Located[Cluster], account: Account) -> JsonObject:
    """Return a cluster of Karmada as KubeAdmiral knows it."""
    model, document = located.model, located.document
    status = model.status
    account.inert(document, model.spec, ("spec",))
    account.inert(document, status, ("status",))
    zones = model.spec.zones or ((model.spec.zone,) if model.spec.zone else ())
    if len(zones) > 1:
        told = "not written: a label holds one zone only"
        account.note(document, ("spec", "zones"), told)
    if model.spec.resource_models and status.resource_summary:
        message = "has no equivalent: that replicas have to fit onto single nodes would be lost"
        account.lost(document, ("spec", "resourceModels"), message)
    stated = {
        "region": model.spec.region,
        "provider": model.spec.provider,
        "zone": zones[0] if len(zones) == 1 else "",
    }
    places = {by_label(field): value for field, value in stated.items() if value}
    found = _head(located, KUBEADMIRAL, "FederatedCluster", places, account)
    conditions = [_condition("Joined", "True"), _condition("Ready", readiness(model))]
    observed: JsonObject = {"conditions": conditions}
    if status.resource_summary:
        observed["resources"] = {
            "allocatable": document.value((*SUMMARY, "allocatable")) or {},
            "available": _written(free_of(status.resource_summary)),
        }
    served = [
        {"group": group, "version": version, "kind": one.kind}
        for enabled in status.api_enablements
        for group, _, version in (enabled.group_version.rpartition("/"),)
        for one in enabled.resources
    ]
    if served:
        observed["apiResourceTypes"] = served
    return {**found, "status": observed}


def karmada_cluster(located: Located[FederatedCluster], account: Account) -> JsonObject:
    """Return a cluster of KubeAdmiral as Karmada knows it."""
    model, document = located.model, located.document
    account.inert(document, model.spec, ("spec",))
    account.inert(document, model.status, ("status",))
    conditions = {one.type: one.status for one in model.status.conditions}
    if conditions.get("Joined") != "True":
        message = "say that it has not joined, and every cluster of Karmada has"
        account.lost(document, ("status", "conditions"), message)
    found = _head(located, "cluster.karmada.io/v1alpha1", "Cluster", {}, account)
    labels = model.metadata.labels
    places: JsonObject = {field: labels[label] for field, label in LABELS.items() if label in labels}
    if "zone" in places:
        places["zones"] = [places.pop("zone")]
    spec = {**found.get("spec", {}), **places}
    if spec:
        found["spec"] = spec
    observed: JsonObject = {"conditions": [_condition("Ready", conditions.get("Ready", "False"))]}
    if resources := model.status.resources:
        used = {
            name: offered - resources.available.get(name, Fraction(0))
            for name, offered in resources.allocatable.items()
        }
        observed["resourceSummary"] = {
            "allocatable": document.value(("status", "resources", "allocatable")) or {},
            "allocated": _written({name: max(Fraction(0), amount) for name, amount in used.items()}),
        }
    served: dict[str, list[JsonObject]] = {}
    for one in model.status.api_resource_types:
        version = f"{one.group}/{one.version}" if one.group else one.version
        served.setdefault(version, []).append({"kind": one.kind})
    if served:
        observed["apiEnablements"] = [
            {"groupVersion": version, "resources": resources} for version, resources in served.items()
        ]
    return {**found, "status": observed}


def _head(
    located: Located[Any], version: str, kind: str, places: Mapping[str, str], account: Account
) -> JsonObject:
    """Return the fields that both systems write alike: names, labels, deletion and taints."""
    document = located.document
    metadata = named(document, account)
    labels = {**places, **metadata.get("labels", {})}
    if labels:
        metadata["labels"] = labels
    if deleted := document.value(("metadata", "deletionTimestamp")):
        metadata["deletionTimestamp"] = deleted
    found = {"apiVersion": version, "kind": kind, "metadata": metadata}
    taints = document.value(("spec", "taints"))
    return {**found, "spec": {"taints": taints}} if taints else found


def _condition(kind: str, status: str) -> JsonObject:
    return {"type": kind, "status": status}


def _written(amounts: Mapping[str, Fraction]) -> dict[str, str]:
    return {name: format_quantity(amount, binary=counts_bytes(name)) for name, amount in amounts.items()}


Label = tuple[str, str]


def federated_object(workload: Workload, template: JsonObject, label: Label) -> JsonObject:
    """Return a workload, and where it runs, as KubeAdmiral keeps it.

    `template`: the workload itself. `label`: what names its policy.
    """
    field = counted_in(workload.api_version, workload.kind)
    spec = {**template.get("spec", {}), field: workload.replicas}
    found: JsonObject = {
        "apiVersion": KUBEADMIRAL,
        "kind": "FederatedObject" if workload.namespace else "ClusterFederatedObject",
        "metadata": {
            "name": binding_name(workload.name, workload.kind),
            **scope(workload),
            "labels": {label[0]: label[1]},
        },
        "spec": {"template": {**template, "spec": spec}},
    }
    held = dict(sorted(running(workload).items()))
    if held:
        found["spec"]["placements"] = [
            {"controller": SCHEDULER, "placement": [{"cluster": name} for name in held]}
        ]
    differing = {name: count for name, count in held.items() if count != workload.replicas}
    if workload.rule(Duplicated) is None or differing:
        patches = {
            name: [{"op": "replace", "path": f"/spec/{field}", "value": count}]
            for name, count in held.items()
        }
        if patches:
            clusters = [{"cluster": name, "patches": each} for name, each in patches.items()]
            found["spec"]["overrides"] = [{"controller": SCHEDULER, "clusters": clusters}]
    return found


def binding(workload: Workload) -> JsonObject:
    """Return the requests of a workload, and where it runs, as Karmada keeps them."""
    spec: JsonObject = {
        "resource": {
            "apiVersion": workload.api_version,
            "kind": workload.kind,
            **scope(workload),
            "name": workload.name,
        },
        "replicas": workload.replicas,
        "clusters": targets(workload.current, ()),
    }
    if workload.requests:
        spec["replicaRequirements"] = {"resourceRequest": _requests(workload)}
    return {**binding_head(workload), "spec": spec}


def labelled(template: Mapping[str, Any], label: Label) -> JsonObject:
    """Return a manifest with one more label."""
    metadata = template["metadata"]
    labels = {**(metadata.get("labels") or {}), label[0]: label[1]}
    return {**template, "metadata": {**metadata, "labels": labels}}


def template_of(subject: Subject, workload: Workload) -> JsonObject:
    """Return the manifest of a workload; made of what is known of it where the input has none."""
    if subject.template is not None:
        return dict(subject.template.document.data)
    if subject.federated is not None:
        found = dict(subject.federated.template.document.data)
        return {**found, "metadata": {**found["metadata"], **scope(workload)}}
    containers = [{"name": "main", "resources": {"requests": _requests(workload)}}]
    pods = {"spec": {"containers": containers}}
    labels = {"labels": dict(workload.labels)} if workload.labels else {}
    return {
        "apiVersion": workload.api_version,
        "kind": workload.kind,
        "metadata": {"name": workload.name, **scope(workload), **labels},
        "spec": {counted_in(workload.api_version, workload.kind): workload.replicas, "template": pods},
    }


def is_template(api_version: str, kind: str) -> bool:
    """Tell whether KubeAdmiral's objects may hold a kind as one that has replicas."""
    known = KINDS.get((api_version, kind))
    return known is not None and known.row == "workloads"


def _requests(workload: Workload) -> dict[str, str]:
    return {name: format_units(name, units) for name, units in sorted(workload.requests.items())}
