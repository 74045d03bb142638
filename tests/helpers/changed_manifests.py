"""Manifests that are changed as a simulation changes the problem, and what has to be equal then."""

import dataclasses
import io
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import yaml

from builders import Manifest
from fairlead.manifests.loading import load
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, GroupTotal
from fairlead.models.rules.candidates import Exclusion
from fairlead.models.source import Source
from fairlead.models.workload import Workload
from places import EXAMPLES

DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def manifests(name: str) -> list[Manifest]:
    """Return the manifests of an example as plain data, those of lists one by one."""
    found: list[Manifest] = []
    for file in sorted((EXAMPLES / name).glob("*.y*ml")):
        for document in yaml.load_all(file.read_text(), LOADER):
            found.extend(document["items"] if document and document.get("kind") == "List" else [document])
    return [one for one in found if one]


def read(documents: list[Manifest]) -> Problem:
    """Load manifests from text, so that every value has a line of its own."""
    return load(io.StringIO(yaml.dump_all(documents, Dumper=DUMPER)))


def is_cluster(document: Manifest) -> bool:
    """Tell whether a manifest is a member cluster."""
    return document["kind"] in ("Cluster", "FederatedCluster")


def edited(documents: list[Manifest], cluster: str, edit: Callable[[Manifest], None]) -> list[Manifest]:
    """Return manifests in which one cluster is edited."""
    copies = deepcopy(documents)
    for document in copies:
        if is_cluster(document) and document["metadata"]["name"] == cluster:
            edit(document)
    return copies


def tainted(effect: str) -> Callable[[Manifest], None]:
    """Return an edit that adds a taint which nothing tolerates by name."""

    def edit(document: Manifest) -> None:
        spec = document.setdefault("spec", {})
        spec["taints"] = [*(spec.get("taints") or ()), {"key": "what-if", "effect": effect}]

    return edit


def plain(value: Any) -> Any:
    """Return a value without lines of files and without reasons, which are worded differently."""
    if isinstance(value, Exclusion):
        return "excluded"
    if isinstance(value, Source):
        return None
    if dataclasses.is_dataclass(value):
        fields = (field.name for field in dataclasses.fields(value) if field.compare)
        return type(value).__name__, {name: plain(getattr(value, name)) for name in fields}
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def essence(problem: Problem) -> list[Any]:
    """Return what a problem says, up to wording."""
    return [
        [cluster.name for cluster in problem.clusters],
        [list(_of_workload(workload)) for workload in problem.workloads],
        plain(problem.rules),
        problem.levels,
        problem.deviation,
        problem.limits,
    ]


def _of_workload(workload: Workload) -> Iterator[Any]:
    """Yield what a workload says."""
    bare = dataclasses.replace(workload, rules=(), groups=(), declared=None, source=Source("", 0))
    yield plain(bare)
    for rules in (workload.rules, *(group.rules for group in workload.groups)):
        somewhere = any(isinstance(rule, Candidates) and rule.names for rule in rules)
        yield [plain(rule) for rule in rules if not _says_nothing(rule, somewhere=somewhere)]


def _says_nothing(rule: Any, *, somewhere: bool) -> bool:
    """Tell whether a total of no cluster asks for nothing, or for what no candidate can give anyway."""
    return isinstance(rule, GroupTotal) and not rule.clusters and not (rule.minimum and somewhere)
