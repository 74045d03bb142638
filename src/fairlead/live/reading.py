"""Everything that fairlead reads of a cluster, in one go."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fairlead.live.client import Client, Object, RefusedError
from fairlead.live.discovery import served
from fairlead.live.resources import Resource
from fairlead.manifests import extensions
from fairlead.manifests.api import KINDS
from fairlead.manifests.yaml.reader import NamedDocument
from fairlead.models.errors import UsageError
from fairlead.models.statement import Statement

DENIED = "rights"
"""Rule of a warning: what may not be read."""

_TEMPLATES = ("apps/v1", "batch/v1")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a cluster holds.

    Parameters
    ----------
    documents
        All objects of the kinds that are read, without workloads that other objects made (the ReplicaSets of
        a Deployment).
    warnings
        Kinds that may not be read.
    """

    documents: tuple[NamedDocument, ...]
    warnings: tuple[Statement, ...]


def snapshot(client: Client) -> Snapshot:
    """Read all objects of the kinds that fairlead reads.

    Kinds that the server does not serve are left out; those that may not be listed are named.

    Raises
    ------
    UsageError
        Nothing may be listed, or nothing is served.
    RefusedError
        The server refused for another reason.
    UnreachableError
        It did not answer.
    """
    documents: list[NamedDocument] = []
    denied: list[Resource] = []
    outside = ((kind.group_version, name) for name, kind in extensions.kinds().items())
    resources = served(client, [*KINDS, *outside])
    if not resources:
        raise UsageError(f"{client.context} serves none of the kinds that are read; is it a control plane?")
    for resource in resources:
        try:
            items, _ = client.list(resource)
        except RefusedError as error:
            if error.status != 403:
                raise
            denied.append(resource)
            continue
        kept = (item for item in items if resource.api_version not in _TEMPLATES or not _is_made(item))
        documents.extend(named(client.context, item) for item in kept)
    if len(denied) == len(resources):
        raise UsageError(f"{client.context}: none of the kinds that are read may be listed")
    return Snapshot(tuple(documents), tuple(_denied(client.context, denied)))


def named(context: str, item: Object) -> NamedDocument:
    """Return an object, without managers of fields, under the name by which messages call it."""
    meta = {name: value for name, value in item["metadata"].items() if name != "managedFields"}
    place = "/".join(filter(None, (meta.get("namespace"), meta.get("name"))))
    return NamedDocument(f"<{context}> {item['kind']} {place}", {**item, "metadata": meta})


def _is_made(item: Mapping[str, Any]) -> bool:
    """Tell whether another object made and controls an object."""
    owners = item["metadata"].get("ownerReferences") or ()
    return any(owner.get("controller") for owner in owners)


def _denied(context: str, resources: list[Resource]) -> Iterator[Statement]:
    """Say what may not be read."""
    for resource in resources:
        text = f"{context}: {resource.plural} of {resource.api_version} may not be listed, and are left out"
        yield Statement(DENIED, text)
