"""Objects that fairlead reads of a cluster, in one go: the kinds that its server serves."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from fairlead.live.client import Client, Object, RefusedError, ResourceType
from fairlead.manifests import extensions
from fairlead.manifests.api import KINDS
from fairlead.manifests.yaml.reader import NamedDocument
from fairlead.models.errors import UsageError
from fairlead.models.statement import Statement


def served(client: Client, kinds: Iterable[tuple[str, str]]) -> list[ResourceType]:
    """Return the kinds that a server serves, of some; others are left out.

    Raises `RefusedError` where the server refused for another reason than that it does not know a group, and
    `UnreachableError` where it did not answer.
    """
    wanted: dict[str, set[str]] = {}
    for api_version, kind in kinds:
        wanted.setdefault(api_version, set()).add(kind)
    return [one for version, names in wanted.items() for one in _of_version(client, version, names)]


def _of_version(client: Client, api_version: str, kinds: set[str]) -> list[ResourceType]:
    """Return the kinds that a server serves of one group and version; none where it does not know that."""
    root = "apis" if "/" in api_version else "api"
    try:
        told = client.get(f"/{root}/{api_version}")
    except RefusedError as error:
        if error.status == HTTPStatus.NOT_FOUND:
            return []
        raise
    return [
        ResourceType(api_version, str(one["kind"]), str(one["name"]), bool(one["namespaced"]))
        for one in told.get("resources") or ()
        if one["kind"] in kinds and "/" not in one["name"] and "list" in one.get("verbs", ("list",))
    ]


DENIED = "rights"
"""Rule of a warning: what may not be read."""

_TEMPLATES = ("apps/v1", "batch/v1")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Objects that a cluster holds."""

    documents: tuple[NamedDocument, ...]
    """All objects of the kinds that are read, without workloads that other objects made (the ReplicaSets of a
    Deployment)."""
    warnings: tuple[Statement, ...]
    """Kinds that may not be read."""


def snapshot(client: Client) -> Snapshot:
    """Read all objects of the kinds that fairlead reads.

    Kinds that the server does not serve are left out; those that may not be listed are named.

    Raises `UsageError` where nothing may be listed, or nothing is served, `RefusedError` where the server
    refused for another reason, and `UnreachableError` where it did not answer.
    """
    documents: list[NamedDocument] = []
    denied: list[ResourceType] = []
    outside = ((kind.group_version, name) for name, kind in extensions.kinds().items())
    resources = served(client, [*KINDS, *outside])
    if not resources:
        raise UsageError(f"{client.context} serves none of the kinds that are read; is it a control plane?")
    for resource in resources:
        try:
            items, _ = client.list(resource)
        except RefusedError as error:
            if error.status != HTTPStatus.FORBIDDEN:
                raise
            denied.append(resource)
            continue
        kept = (item for item in items if resource.api_version not in _TEMPLATES or not _is_made(item))
        documents.extend(named(client.context, item) for item in kept)
    if len(denied) == len(resources):
        raise UsageError(f"{client.context}: none of the kinds that are read may be listed")
    warnings = (
        f"{client.context}: {one.plural} of {one.api_version} may not be listed, and are left out"
        for one in denied
    )
    return Snapshot(tuple(documents), tuple(Statement(DENIED, text) for text in warnings))


def named(context: str, item: Object) -> NamedDocument:
    """Return an object, without managers of fields, under the name by which messages call it."""
    meta = {name: value for name, value in item["metadata"].items() if name != "managedFields"}
    place = "/".join(filter(None, (meta.get("namespace"), meta.get("name"))))
    return NamedDocument(f"<{context}> {item['kind']} {place}", {**item, "metadata": meta})


def _is_made(item: Mapping[str, Any]) -> bool:
    """Tell whether another object made and controls an object."""
    owners = item["metadata"].get("ownerReferences") or ()
    return any(owner.get("controller") for owner in owners)
