"""From parsed manifests, as the API server hands them out, to what the scheduler sees."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from types import MappingProxyType

from fairlead.models.cluster import Taint
from fairlead.models.quantity import parse_quantity
from fairlead.solver.dispensers.kubeadmiral.arithmetic import whole_units
from fairlead.solver.dispensers.kubeadmiral.documents import (
    Document,
    cluster_names,
    entries,
    preference,
    section,
    terms,
    text,
    tolerations,
)
from fairlead.solver.dispensers.kubeadmiral.inputs import (
    GPU,
    FederatedCluster,
    Feedback,
    PlannerInput,
    Policy,
    Preferences,
)

POD_SPECS: Mapping[tuple[str, str], tuple[str, ...]] = MappingProxyType(
    {
        ("", "Pod"): ("spec",),
        ("apps", "Deployment"): ("spec", "template", "spec"),
        ("apps", "StatefulSet"): ("spec", "template", "spec"),
        ("apps", "DaemonSet"): ("spec", "template", "spec"),
        ("batch", "Job"): ("spec", "template", "spec"),
        ("batch", "CronJob"): ("spec", "jobTemplate", "spec", "template", "spec"),
    }
)
"""Where the pod stands in the kinds that KubeAdmiral knows, by group and kind."""


def read_policy(spec: Document) -> Policy:
    """Return the rules of a policy's ``.spec``.

    ``avoidDisruption`` is false where it is absent: that it is true by default is the work of the API
    server, which writes it into the objects that it stores.
    """
    rescheduling = section(spec, "reschedulePolicy")
    placements = entries(spec, "placement")
    affinity = entries(spec, "clusterAffinity")
    return Policy(
        divide=spec.get("schedulingMode") == "Divide",
        binpack=spec.get("replicasStrategy") == "Binpack",
        sticky=bool(rescheduling.get("disableRescheduling")),
        cluster_selector=dict(section(spec, "clusterSelector")),
        required=terms(affinity) if affinity else None,
        cluster_names=cluster_names(placements),
        tolerations=tolerations(entries(spec, "tolerations")),
        max_clusters=spec.get("maxClusters"),
        minimum=preference(placements, "minReplicas"),
        maximum=preference(placements, "maxReplicas"),
        weights=preference(placements, "weight"),
        priorities=preference(placements, "priority"),
        avoid_disruption=bool(section(rescheduling, "replicaRescheduling").get("avoidDisruption")),
        auto_migration=spec.get("autoMigration") is not None,
        keep_unschedulable=bool(section(spec, "autoMigration").get("keepUnschedulableReplicas")),
    )


def read_feedback(auto: Document, custom: Document) -> Feedback:
    """Return what ``auto-migration-info`` and ``applied-migration-configuration`` say; empty where absent."""
    return Feedback(
        estimated=dict(section(auto, "estimatedCapacity")),
        scheduled=dict(section(auto, "scheduledReplicas")),
        limited=dict(section(custom, "limitedCapacity")),
        unavailable=tuple(
            (text(each, "cluster"), _moment(each.get("validUntil")))
            for each in entries(custom, "unavailableClusters")
        ),
    )


def _moment(written: str | None) -> datetime | None:
    """Return a moment of RFC 3339; None where there is none."""
    if not written:
        return None
    moment = datetime.fromisoformat(written)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def read_cluster(document: Document) -> FederatedCluster:
    """Return a member cluster from a ``FederatedCluster`` object."""
    metadata, status = section(document, "metadata"), section(document, "status")
    conditions = {each.get("type"): each.get("status") for each in entries(status, "conditions")}
    taints = entries(section(document, "spec"), "taints")
    return FederatedCluster(
        name=metadata["name"],
        labels=dict(section(metadata, "labels")),
        taints=tuple(
            Taint(text(taint, "key"), text(taint, "value"), text(taint, "effect")) for taint in taints
        ),
        joined=conditions.get("Joined") == "True",
        ready=conditions.get("Ready") == "True",
        deleting=bool(metadata.get("deletionTimestamp")),
        apis=frozenset(
            (text(api, "group"), text(api, "version"), text(api, "kind"))
            for api in entries(status, "apiResourceTypes")
        ),
        allocatable=_quantities(section(status, "resources", "allocatable")),
        free=_quantities(section(status, "resources", "available")),
    )


def _quantities(resources: Document) -> dict[str, Fraction]:
    return {name: parse_quantity(quantity) for name, quantity in resources.items()}


def read_gpus(template: Document, group: str, kind: str) -> int | None:
    """Return the GPUs that a pod requests: the containers' sum or the largest init container, plus overhead.

    None where the pod requests none, or where KubeAdmiral does not know the pod of this kind. A request of
    0 counts as a request, except in an init container.
    """
    path = POD_SPECS.get((group, kind))
    pod = section(template, *path) if path else {}
    requests = list(_gpu_requests(entries(pod, "containers")))
    gpus = sum(requests) if requests else None
    largest = max(_gpu_requests(entries(pod, "initContainers")), default=0)
    if largest > (gpus or 0):
        gpus = largest
    overhead = section(pod, "overhead").get(GPU)
    if overhead is not None:
        gpus = (gpus or 0) + whole_units(parse_quantity(overhead))
    return gpus


def _gpu_requests(containers: Sequence[Document]) -> Iterator[int]:
    for container in containers:
        quantity = section(container, "resources", "requests").get(GPU)
        if quantity is not None:
            yield whole_units(parse_quantity(quantity))


def read_replicas(template: Document, path: str) -> int | None:
    """Return the replicas under a dotted path of the template; None where there is no such field."""
    *parents, last = path.strip(".").split(".")
    return section(template, *parents).get(last)


def read_question(parameters: Document) -> PlannerInput:
    """Return what a planner is asked, from its own parameter names."""
    preferences = {
        name: Preferences(each.get("weight") or 0, each.get("minReplicas") or 0, each.get("maxReplicas"))
        for name, each in section(parameters, "clusters").items()
    }
    return PlannerInput(
        preferences=preferences,
        total=parameters.get("totalReplicas") or 0,
        available=tuple(entries(parameters, "availableClusters")),
        current=dict(section(parameters, "currentReplicaCount")),
        estimated=dict(section(parameters, "estimatedCapacity")),
        limited=dict(section(parameters, "limitedCapacity")),
        scheduled=dict(section(parameters, "scheduledReplicas")),
        key=text(parameters, "replicaSetKey"),
        avoid_disruption=bool(parameters.get("avoidDisruption")),
        keep_unschedulable=bool(parameters.get("keepUnschedulableReplicas")),
    )
