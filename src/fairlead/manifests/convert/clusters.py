"""Member clusters of one system as those of the other."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from fairlead.manifests.api import KUBEADMIRAL
from fairlead.manifests.api.karmada import Cluster
from fairlead.manifests.api.kubeadmiral import FederatedCluster
from fairlead.manifests.clusters import free_of
from fairlead.manifests.convert.account import Account, JsonObject
from fairlead.manifests.convert.places import LABELS, by_label
from fairlead.manifests.convert.to_kubeadmiral import named
from fairlead.manifests.validation import Located
from fairlead.models.quantity import counts_bytes, format_quantity

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
    conditions = [_condition("Joined", "True"), _condition("Ready", _ready(model))]
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


def _ready(model: Cluster) -> str:
    """Return the condition Ready; a cluster that does not tell is taken to be ready in Karmada."""
    return next((one.status for one in model.status.conditions if one.type == "Ready"), "True")


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
    """Return what both systems write alike: names, labels, deletion and taints."""
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
