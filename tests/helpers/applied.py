"""What becomes of patches: an API server takes them, and KubeAdmiral's controllers follow."""

import gzip
from collections.abc import Iterable, Sequence
from copy import deepcopy
from typing import Any

import yaml

import fairlead
from builders import Manifest
from fairlead.models.outcome import Outcome
from places import DATA, EXAMPLES

SCHEDULER = "kubeadmiral.io/global-scheduler"
PLACEMENTS = "kubeadmiral.io/placements"


def objects(documents: Iterable[Manifest]) -> list[Manifest]:
    """Return every object, lists taken apart."""
    return [inner for one in documents if one for inner in one.get("items", [one])]


def example(folder: str) -> list[Manifest]:
    """Return every object of an example."""
    paths = sorted((EXAMPLES / folder).glob("*.yaml"))
    return objects(one for path in paths for one in yaml.safe_load_all(path.read_text(encoding="utf-8")))


def recorded(name: str) -> list[Manifest]:
    """Return every object that a real API server returned."""
    text = gzip.decompress((DATA / "live" / f"{name}.yaml.gz").read_bytes())
    return objects(yaml.load_all(text, Loader=yaml.CSafeLoader))


def merged(target: Any, patch: Any) -> Any:
    """Apply a JSON merge patch, as RFC 7386 writes it down."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def identity(document: Manifest) -> tuple[str, ...]:
    """Return what names an object."""
    metadata = document["metadata"]
    return document["apiVersion"], document["kind"], metadata.get("namespace", ""), metadata["name"]


def applied(documents: Sequence[Manifest], patches: Iterable[Manifest]) -> list[Manifest]:
    """Return the objects after all patches: each has to exist, in the version that a patch names."""
    found = {identity(document): document for document in deepcopy(list(documents))}
    for patch in patches:
        old = found[identity(patch)]
        now = old["metadata"].get("resourceVersion", "")
        assert patch["metadata"].get("resourceVersion", now) == now, "409 Conflict"
        found[identity(patch)] = merged(old, patch)
        if now:
            found[identity(patch)]["metadata"]["resourceVersion"] = f"{now}1"
    return list(found.values())


def detected(documents: Sequence[Manifest], outcome: Outcome) -> list[Manifest]:
    """Return the objects with the bindings that Karmada's detector makes of templates without one."""
    known = {identity(document) for document in documents}
    workloads = {workload.name: workload for workload in outcome.problem.workloads}
    added = []
    for patch in outcome.to_manifests():
        if identity(patch) not in known:
            workload = workloads[patch["metadata"]["name"].rpartition("-")[0]]
            scope = {"namespace": workload.namespace} if workload.namespace else {}
            resource = {
                "apiVersion": workload.api_version,
                "kind": workload.kind,
                "name": workload.name,
                **scope,
            }
            metadata = {"name": patch["metadata"]["name"], **scope}
            spec = {"resource": resource, "replicas": workload.replicas}
            added.append({**patch, "metadata": metadata, "spec": spec})
    return [*documents, *added]


def federated(documents: Sequence[Manifest], patches: Iterable[Manifest]) -> list[Manifest]:
    """Return the objects after the federate controller has copied the annotations of the workloads."""
    noted = {identity(patch)[1:]: patch["metadata"]["annotations"][PLACEMENTS] for patch in patches}
    found = deepcopy(list(documents))
    for document in found:
        if document["kind"] == "FederatedObject":
            template = document["spec"]["template"]
            note = noted.pop(identity(template)[1:], None)
            if note is not None:
                document["metadata"].setdefault("annotations", {})[PLACEMENTS] = note
    assert not noted
    return found


def scheduled(documents: Sequence[Manifest]) -> list[Manifest]:
    """Return the objects after KubeAdmiral's scheduler has written what it answers."""
    answer = fairlead.dispense(fairlead.load(documents), like="kubeadmiral").placement
    assert answer is not None
    found = deepcopy(list(documents))
    for document in found:
        if document["kind"] != "FederatedObject" or "no-scheduling" in str(document["metadata"]):
            continue
        template = document["spec"]["template"]["metadata"]
        numbers = answer.of(f"{template['namespace']}/{template['name']}")
        patches = [
            {"cluster": name, "patches": [{"op": "replace", "path": "/spec/replicas", "value": count}]}
            for name, count in numbers.items()
        ]
        document["spec"]["overrides"] = [{"controller": SCHEDULER, "clusters": patches}]
        chosen = [{"cluster": name} for name in numbers]
        document["spec"]["placements"] = [{"controller": SCHEDULER, "placement": chosen}]
    return found
