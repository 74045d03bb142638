"""Workloads, and where they run now, as the other system keeps them: bindings and federated objects."""

from collections.abc import Mapping
from typing import Any

from fairlead.manifests.api import KINDS, KUBEADMIRAL
from fairlead.manifests.convert.account import JsonObject
from fairlead.manifests.join import Subject
from fairlead.manifests.karmada.scheduled import binding_name, target
from fairlead.manifests.kubeadmiral.federated import SCHEDULER
from fairlead.models.quantity import format_units
from fairlead.models.rules import Duplicated
from fairlead.models.workload import Workload

Label = tuple[str, str]


def federated_object(workload: Workload, template: JsonObject, label: Label) -> JsonObject:
    """Return a workload, and where it runs, as KubeAdmiral keeps it.

    `template`: the workload itself. `label`: what names its policy.
    """
    counted_in = _counted_in(workload)
    spec = {**template.get("spec", {}), counted_in: workload.replicas}
    found: JsonObject = {
        "apiVersion": KUBEADMIRAL,
        "kind": "FederatedObject" if workload.namespace else "ClusterFederatedObject",
        "metadata": {
            "name": binding_name(workload.name, workload.kind),
            **_scope(workload),
            "labels": {label[0]: label[1]},
        },
        "spec": {"template": {**template, "spec": spec}},
    }
    held = {name: count for name, count in sorted(workload.current.items()) if count}
    if held:
        found["spec"]["placements"] = [
            {"controller": SCHEDULER, "placement": [{"cluster": name} for name in held]}
        ]
    differing = {name: count for name, count in held.items() if count != workload.replicas}
    if workload.rule(Duplicated) is None or differing:
        patches = {
            name: [{"op": "replace", "path": f"/spec/{counted_in}", "value": count}]
            for name, count in held.items()
        }
        if patches:
            clusters = [{"cluster": name, "patches": each} for name, each in patches.items()]
            found["spec"]["overrides"] = [{"controller": SCHEDULER, "clusters": clusters}]
    return found


def binding(workload: Workload) -> JsonObject:
    """Return what a workload needs, and where it runs, as Karmada keeps it."""
    spec: JsonObject = {
        "resource": {
            "apiVersion": workload.api_version,
            "kind": workload.kind,
            **_scope(workload),
            "name": workload.name,
        },
        "replicas": workload.replicas,
        "clusters": [target(name, count, ()) for name, count in sorted(workload.current.items()) if count],
    }
    if workload.requests:
        spec["replicaRequirements"] = {"resourceRequest": _requests(workload)}
    return {
        "apiVersion": "work.karmada.io/v1alpha2",
        "kind": "ResourceBinding" if workload.namespace else "ClusterResourceBinding",
        "metadata": {"name": binding_name(workload.name, workload.kind), **_scope(workload)},
        "spec": spec,
    }


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
        return {**found, "metadata": {**found["metadata"], **_scope(workload)}}
    containers = [{"name": "main", "resources": {"requests": _requests(workload)}}]
    pods = {"spec": {"containers": containers}}
    labels = {"labels": dict(workload.labels)} if workload.labels else {}
    return {
        "apiVersion": workload.api_version,
        "kind": workload.kind,
        "metadata": {"name": workload.name, **_scope(workload), **labels},
        "spec": {_counted_in(workload): workload.replicas, "template": pods},
    }


def is_template(api_version: str, kind: str) -> bool:
    """Tell whether KubeAdmiral's objects may hold a kind as one that has replicas."""
    known = KINDS.get((api_version, kind))
    return known is not None and known.row == "workloads"


def _counted_in(workload: Workload) -> str:
    """Return the field of a workload's spec that says how many replicas there are."""
    spec = KINDS[workload.api_version, workload.kind].model.model_fields["spec"].annotation
    return str(getattr(spec, "counted_in", "replicas"))


def _scope(workload: Workload) -> dict[str, str]:
    return {"namespace": workload.namespace} if workload.namespace else {}


def _requests(workload: Workload) -> dict[str, str]:
    return {name: format_units(name, units) for name, units in sorted(workload.requests.items())}
