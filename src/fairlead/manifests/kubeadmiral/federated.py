"""Federated objects: the workload inside, and where it runs now."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from fairlead.manifests.api import KINDS
from fairlead.manifests.api.kubeadmiral import FederatedObject
from fairlead.manifests.api.workloads import Workload
from fairlead.manifests.kubeadmiral.annotations import feedback_mistakes
from fairlead.manifests.validation import Located, Unread, validate
from fairlead.manifests.yaml.documents import Document, Path, shortened
from fairlead.models.errors import Mistake
from fairlead.models.source import Source
from fairlead.models.statement import Statement
from fairlead.models.words import counted

SCHEDULER = "kubeadmiral.io/global-scheduler"
_PATH = ("spec", "template")


@dataclass(frozen=True, slots=True)
class Federated:
    """A federated object whose template is a workload."""

    located: Located[FederatedObject]
    template: Located[Workload]
    """The workload inside it; its lines are those of the file."""

    @property
    def namespace(self) -> str:
        """Return the namespace of the workload: the template's own, else the federated object's."""
        own = self.template.model.metadata.namespace
        return own or self.located.model.metadata.namespace or "default"


def unpack(objects: Iterable[Located[FederatedObject]]) -> Iterator[Federated | Unread | Statement]:
    """Yield the content of federated objects, those not understood with their mistakes, and warnings.

    What is no workload is passed over with a warning; fields are named as seen from the federated object.
    """
    skipped: dict[tuple[str, str], list[Source]] = {}
    for located in objects:
        inner = _inner(located)
        if inner is None:
            message, shown = "must be an object with apiVersion and kind", located.model.spec.template
            wrong = located.document.mistake(_PATH, message, shortened(shown))
            yield Unread(located.document, located, (wrong, *feedback_mistakes(located)))
            continue
        kind = KINDS.get((inner.api_version, inner.kind))
        if kind is None or kind.row != "workloads":
            skipped.setdefault((inner.api_version, inner.kind), []).append(located.source())
            continue
        validated = validate(inner, cast("type[Workload]", kind.model))
        yield from validated.warnings
        mistakes = [replace(one, field=f"{'.'.join(_PATH)}.{one.field}") for one in validated.mistakes]
        found = Federated(located, validated.located) if validated.located and not mistakes else None
        mistakes += [*(override_mistakes(found) if found else ()), *feedback_mistakes(located)]
        if mistakes:
            yield Unread(located.document, located, tuple(mistakes))
        elif found:
            yield found
    yield from _skipped(skipped)


def _inner(located: Located[FederatedObject]) -> Document | None:
    """Return the template as a document of its own; None where it does not say what it is."""
    data: Any = located.document.data
    lines = located.document.lines
    for step in _PATH:
        lines = lines.entry(data, step)
        data = data[step]
    told = isinstance(data, dict) and all(isinstance(data.get(key), str) for key in ("apiVersion", "kind"))
    return Document(data, lines, located.document, _PATH) if told else None


def _skipped(found: Mapping[tuple[str, str], list[Source]]) -> Iterator[Statement]:
    for (version, kind), sources in sorted(found.items()):
        count = counted(len(sources), "object")
        text = f"FederatedObject of {version} {kind} is not a workload that is placed: {count} skipped"
        yield Statement("unknown-kind", text, min(sources))


def current(federated: Federated, replicas: int) -> dict[str, int]:
    """Return the replicas that run now by cluster, as the scheduler has left them.

    `replicas`: what a cluster holds that has no override: the template's number.

    The scheduler writes its clusters into ``spec.placements`` and the number of each as a JSON patch of the
    replicas into ``spec.overrides``; a duplicated workload has no override.
    """
    held = written(federated)
    found = {name: replicas if count is None else count for name, count in held.items()}
    return {name: count for name, count in found.items() if count}


def written(federated: Federated) -> dict[str, int | None]:
    """Return the clusters of the scheduler with their override of the replicas; None where there is none."""
    numbers = {cluster: value for _, cluster, value in _overrides(federated)}
    return {
        one.cluster: numbers.get(one.cluster)
        for placement in federated.located.model.spec.placements
        if placement.controller == SCHEDULER
        for one in placement.placement
    }


def override_mistakes(federated: Federated) -> Iterator[Mistake]:
    """List overrides of the scheduler that are no number of replicas."""
    for place, _, value in _overrides(federated):
        if type(value) is not int or value < 0:  # no boolean either
            message = "must be a number of replicas, at least 0"
            yield federated.located.document.mistake(place, message, shortened(value))


def _overrides(federated: Federated) -> Iterator[tuple[Path, str, Any]]:
    """Yield where the scheduler writes replicas, the cluster where they count, and what is written."""
    path = replicas_path(federated.template.model)
    for at, override in enumerate(federated.located.model.spec.overrides):
        for position, one in enumerate(override.clusters if override.controller == SCHEDULER else ()):
            for number, patch in enumerate(one.patches):
                if patch.path == path and patch.op != "remove":
                    place = ("spec", "overrides", at, "clusters", position, "patches", number, "value")
                    yield place, one.cluster, patch.value


def replicas_path(template: Workload) -> str:
    """Return where the replicas stand in a template, as JSON patches write it."""
    return f"/spec/{template.spec.counted_in}"
