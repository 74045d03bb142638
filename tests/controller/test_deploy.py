"""What is deployed: exactly the rights that the controller uses, and options that it has."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from controlled import change, controlled, eventually, is_done
from fairlead.cli.controller import controller_command
from fairlead.live.client import CLUSTER_BINDING
from fairlead.version import VERSION
from live_objects import binding, cluster
from places import ROOT
from served_api import ServedApi

VERBS = {"PATCH": ("patch",), "POST": ("create",), "PUT": ("update",), "DELETE": ("delete",)}


class Right(NamedTuple):
    """One verb on one kind."""

    group: str
    resource: str
    verb: str


def documents(name: str) -> list[dict[str, Any]]:
    """Return the manifests of a file."""
    return list(yaml.safe_load_all((ROOT / "deploy" / name).read_text(encoding="utf-8")))


def granted() -> set[Right]:
    """Return all rights that are given."""
    return {
        Right(group, kind, verb)
        for one in documents("control-plane.yaml")
        for rule in one.get("rules", ())
        for group in rule["apiGroups"]
        for kind in rule["resources"]
        for verb in rule["verbs"]
    }


def needed(method: str, path: str) -> Iterator[Right]:
    """Yield the rights of which a request needs one: a list and a watch have one path."""
    parts = path.strip("/").split("/")
    group, rest = ("", parts[2:]) if parts[0] == "api" else (parts[1], parts[3:])
    rest = rest[2:] if rest[:1] == ["namespaces"] else rest
    if rest:
        kind = "/".join([rest[0], *rest[2:]])
        verbs = VERBS.get(method) or (("get",) if len(rest) > 1 else ("list", "watch"))
        yield from (Right(group, kind, verb) for verb in verbs)


def test_the_rights_are_those_that_are_used(api: ServedApi, tmp_path: Path) -> None:
    """Nothing is refused, and no right is given that is not used."""
    used: set[Right] = set()
    rights = granted()

    def authorise(method: str, path: str) -> int | None:
        wanted = set(needed(method, path))
        used.update(wanted)
        return 403 if wanted - rights else None

    api.refuse = authorise
    api.add(cluster("member1"))
    api.add(binding("web", 3))
    whole = binding("whole", 1)
    whole["kind"] = "ClusterResourceBinding"
    del whole["metadata"]["namespace"], whole["spec"]["resource"]["namespace"]
    api.add(whole)
    with controlled(api, tmp_path, lease="one", duration=1.0):
        eventually(lambda: is_done(api, "web"))
        eventually(lambda: api.get(CLUSTER_BINDING, "whole-deployment").get("status"))
        meddled = iter([True])  # a stale version makes the binding be read again

        def meddle(method: str, path: str) -> int | None:
            if method == "PATCH" and next(meddled, False):
                change(api, "web", {"status": {"aggregatedStatus": []}}, "status")
            return authorise(method, path)

        api.refuse = meddle
        change(api, "web", {"spec": {"replicas": 5}})
        eventually(lambda: is_done(api, "web"))
        eventually(lambda: any(one.method == "PUT" for one in api.requests))
        eventually(lambda: Right("", "events", "create") in used)
    own = {Right("fairlead.io", "*", verb) for verb in ("list", "watch")}
    assert rights - used == own | {Right("work.karmada.io", "clusterresourcebindings", "get")}
    assert used <= rights


def test_the_deployment_uses_options_that_there_are() -> None:
    """The image has this version, the arguments are options of the command."""
    (deployment,) = documents("deployment.yaml")
    container = deployment["spec"]["template"]["spec"]["containers"][0]
    assert container["image"] == f"fairlead:{VERSION}"
    options = {name for option in controller_command.params for name in option.opts}
    assert {one.partition("=")[0] for one in container["args"]} <= options
    assert f"fairlead:{VERSION}" in (ROOT / "Containerfile").read_text(encoding="utf-8")


def test_the_page_tells_every_option_and_number() -> None:
    """docs/controller.md is complete: options, metrics and reasons."""
    page = (ROOT / "docs" / "controller.md").read_text(encoding="utf-8")
    source = ROOT / "src" / "fairlead" / "controller"
    metrics = set(re.findall(r'"(fairlead_\w+)"', (source / "metrics.py").read_text(encoding="utf-8")))
    assert len(metrics) >= 10
    options = {option.opts[-1] for option in controller_command.params}
    assert [name for name in sorted(metrics | options) if f"`{name}" not in page] == []
