"""Which kinds an API server serves, under which names."""

from collections.abc import Iterable

from fairlead.live.client import Client, RefusedError
from fairlead.live.resources import Resource


def served(client: Client, kinds: Iterable[tuple[str, str]]) -> list[Resource]:
    """Return those of some kinds that a server serves; what it does not serve is left out.

    Raises
    ------
    RefusedError
        The server refused for another reason than that it does not know a group.
    UnreachableError
        It did not answer.
    """
    wanted: dict[str, set[str]] = {}
    for api_version, kind in kinds:
        wanted.setdefault(api_version, set()).add(kind)
    return [one for version, names in wanted.items() for one in _of_version(client, version, names)]


def _of_version(client: Client, api_version: str, kinds: set[str]) -> list[Resource]:
    """Return what a server serves of one group and version; nothing where it does not know that."""
    root = "apis" if "/" in api_version else "api"
    try:
        told = client.get(f"/{root}/{api_version}")
    except RefusedError as error:
        if error.status == 404:
            return []
        raise
    return [
        Resource(api_version, str(one["kind"]), str(one["name"]), bool(one["namespaced"]))
        for one in told.get("resources") or ()
        if one["kind"] in kinds and "/" not in one["name"] and "list" in one.get("verbs", ("list",))
    ]
