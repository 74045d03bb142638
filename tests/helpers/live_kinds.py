"""The kinds that the tests serve, with the schemas by which a server prunes and refuses.

Of bindings those fields have types that somebody writes; all else is kept as it is. Names are Karmada's.
"""

from dataclasses import dataclass
from typing import Any

from fairlead.live.client import (
    BINDING,
    CLUSTER,
    CLUSTER_BINDING,
    EVENT,
    LEASE,
    QUOTA,
    REBALANCER,
    ResourceType,
)

Object = dict[str, Any]

ANY: Object = {"x-kubernetes-preserve-unknown-fields": True}
FREE: Object = {"type": "object", **ANY}
TEXT: Object = {"type": "string"}
TIME: Object = {"type": "string", "format": "date-time"}
COUNT: Object = {"type": "integer", "format": "int32"}
NUMBER: Object = {"type": "integer", "format": "int64"}
SWITCH: Object = {"type": "boolean"}


def shaped(properties: Object, *required: str) -> Object:
    """Return the schema of an object; what it does not name is pruned."""
    needed = {"required": list(required)} if required else {}
    return {"type": "object", "properties": properties, **needed}


def several(items: Object) -> Object:
    """Return the schema of a list, which a patch replaces as a whole."""
    return {"type": "array", "items": items}


_COMPONENTS = several(shaped({"name": TEXT, "replicas": COUNT}, "name"))
_SPEC = shaped(
    {
        "clusters": several(shaped({"name": TEXT, "replicas": COUNT, "components": _COMPONENTS}, "name")),
        "components": several(FREE),
        "conflictResolution": TEXT,
        "failover": FREE,
        "gracefulEvictionTasks": several(FREE),
        "placement": FREE,
        "preserveResourcesOnDeletion": SWITCH,
        "propagateDeps": SWITCH,
        "replicaRequirements": FREE,
        "replicas": COUNT,
        "requiredBy": several(FREE),
        "rescheduleTriggeredAt": TIME,
        "resource": shaped(
            dict.fromkeys(("apiVersion", "kind", "namespace", "name", "uid", "resourceVersion"), TEXT),
            "apiVersion",
            "kind",
            "name",
        ),
        "schedulePriority": FREE,
        "schedulerName": TEXT,
        "suspension": FREE,
        "workloadAffinityGroups": FREE,
    },
    "resource",
)
_CONDITION = shaped(
    {
        "type": TEXT,
        "status": {"type": "string", "enum": ["True", "False", "Unknown"]},
        "reason": TEXT,
        "message": TEXT,
        "lastTransitionTime": TIME,
        "observedGeneration": NUMBER,
    },
    "lastTransitionTime",
    "message",
    "reason",
    "status",
    "type",
)
_AGGREGATED = shaped(
    {
        "clusterName": TEXT,
        "status": FREE,
        "applied": SWITCH,
        "appliedMessage": TEXT,
        "health": {"type": "string", "enum": ["Healthy", "Unhealthy", "Unknown"]},
    },
    "clusterName",
)
_STATUS = shaped(
    {
        "aggregatedStatus": several(_AGGREGATED),
        "conditions": several(_CONDITION),
        "lastScheduledTime": TIME,
        "schedulerObservedGeneration": NUMBER,
        "schedulerObservingAffinityName": TEXT,
    }
)
_BINDING = shaped({"spec": _SPEC, "status": _STATUS})


@dataclass(frozen=True)
class Kind:
    """A kind that is served.

    Attributes
    ----------
    resource
        Where.
    schema
        By which objects are pruned and refused; None keeps everything.
    built_in
        Whether only a whole control plane serves it, and no server of custom resources.
    """

    resource: ResourceType
    schema: Object | None = None
    built_in: bool = False


_POLICY = "policy.karmada.io/v1alpha1"
KINDS = (
    Kind(BINDING, _BINDING),
    Kind(CLUSTER_BINDING, _BINDING),
    Kind(CLUSTER),
    Kind(ResourceType(_POLICY, "PropagationPolicy", "propagationpolicies", namespaced=True)),
    Kind(ResourceType(_POLICY, "ClusterPropagationPolicy", "clusterpropagationpolicies", namespaced=False)),
    Kind(QUOTA),
    Kind(REBALANCER),
    Kind(LEASE),
    Kind(ResourceType("apps/v1", "Deployment", "deployments", namespaced=True), built_in=True),
    Kind(ResourceType("apps/v1", "ReplicaSet", "replicasets", namespaced=True), built_in=True),
    Kind(EVENT, built_in=True),
)
RESOURCES = {(one.resource.api_version, one.resource.kind): one.resource for one in KINDS}


def definition(kind: Kind) -> Object:
    """Return a kind as CustomResourceDefinition."""
    resource = kind.resource
    group, version = resource.api_version.split("/")
    served = {
        "name": version,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": kind.schema or FREE},
        **({} if resource == LEASE else {"subresources": {"status": {}}}),
    }
    # Groups of Kubernetes itself are guarded by this annotation.
    guarded = {"api-approved.kubernetes.io": "unapproved, for tests"} if group.endswith(".k8s.io") else {}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{resource.plural}.{group}", "annotations": guarded},
        "spec": {
            "group": group,
            "scope": "Namespaced" if resource.namespaced else "Cluster",
            "names": {
                "plural": resource.plural,
                "singular": resource.kind.lower(),
                "kind": resource.kind,
                "listKind": f"{resource.kind}List",
            },
            "versions": [served],
        },
    }
