"""Labels and annotations: those that override a policy, and reports of the migration controllers."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeVar

from pydantic import Field

from fairlead.manifests.api import meta
from fairlead.manifests.api.kubeadmiral import (
    AppliedMigration,
    AutoMigrationInfo,
    ClusterSelectorTerm,
    DesiredPlacement,
)
from fairlead.manifests.api.meta import Anything, Api, Object, Text, Texts
from fairlead.manifests.findings import Finding
from fairlead.manifests.kubeadmiral.policies import (
    AFFINITY,
    MAX_CLUSTERS,
    MODE,
    PLACEMENT,
    RESCHEDULING,
    SELECTOR,
    TOLERATIONS,
    AppliedPolicy,
    affinity_findings,
    placement_findings,
)
from fairlead.manifests.kubeadmiral.reading import (
    APPLIED_MIGRATION,
    AUTO_MIGRATION,
    MODES,
    PREFIX,
    STICKY,
    feedback_of,
    read_annotation,
    read_feedback,
)
from fairlead.manifests.kubeadmiral.stated import StatedPolicy
from fairlead.manifests.validation import Located, validate
from fairlead.manifests.yaml.documents import Document, Lines, Path, field_name, shortened
from fairlead.models.errors import Mistake
from fairlead.models.rules.bounds import Bound
from fairlead.models.source import Source
from fairlead.models.statement import Statement
from fairlead.models.words import nearest

POLICY = PREFIX + "propagation-policy-name"
CLUSTER_POLICY = PREFIX + "cluster-propagation-policy-name"
NO_SCHEDULING = PREFIX + "no-scheduling"
PLACEMENTS = PREFIX + "placements"
MIGRATION = PREFIX + "migration-configuration"
ALIKE = 0.8
"""How near an unknown annotation has to come to a known one to be taken for it, from 0 to 1."""


class Mark(NamedTuple):
    """The value of a label or annotation, and where it stands."""

    value: str
    source: Source


Marks = Mapping[str, Mark]


def marks(field: Literal["labels", "annotations"], objects: Iterable[Located[Object]]) -> dict[str, Mark]:
    """Return the labels or annotations of several objects; where a key repeats, the last object wins."""
    found: dict[str, Mark] = {}
    for located in objects:
        values: Mapping[str, str] = getattr(located.model.metadata, field)
        for key, value in values.items():
            found[key] = Mark(value, located.source("metadata", field, key))
    return found


T = TypeVar("T")


class Annotation(Api, Generic[T]):
    """JSON in an annotation."""

    kind: Text = ""
    value: T | None = None
    """The JSON itself; None where it is null."""


@dataclass(frozen=True, slots=True)
class Reports:
    """Reports on an object from its annotations."""

    estimated: Mapping[str, Bound] = field(default_factory=dict)
    """Replicas that overloaded clusters can run (auto migration)."""
    limited: Mapping[str, Bound] = field(default_factory=dict)
    """Most replicas by custom migration."""
    unavailable: Mapping[str, Source] = field(default_factory=dict)
    """Clusters that the object has to leave, with the place where that stands."""
    warnings: tuple[Statement, ...] = ()

    def at_most(self, name: str, *, auto_migration: bool) -> tuple[Bound, ...]:
        """Return the most that a cluster may hold by what counts; what can run does with auto migration."""
        counting = (self.limited, self.estimated) if auto_migration else (self.limited,)
        return tuple(one[name] for one in counting if name in one)


def read_reports(annotations: Marks, key: str) -> Reports:
    """Return the reports in the annotations of a workload."""
    readable = {
        name: annotations[name]
        for name, model in _REPORTS.items()
        if name in annotations and not _fault(model, annotations[name])
    }
    said = {name: mark.value for name, mark in readable.items()}
    found = read_feedback(feedback_of(said, AUTO_MIGRATION), feedback_of(said, APPLIED_MIGRATION))
    estimated = _limits(found.estimated, readable.get(AUTO_MIGRATION))
    if APPLIED_MIGRATION not in readable:
        asked = annotations.get(MIGRATION)
        if asked is None:
            return Reports(estimated)
        # What a user has asked for counts only once KubeAdmiral has taken it over.
        text = f"{key}: annotation {MIGRATION} has no effect until KubeAdmiral writes {APPLIED_MIGRATION}"
        return Reports(estimated, warnings=(Statement("migration", text, asked.source, key),))
    source = readable[APPLIED_MIGRATION].source
    leaving = {name: source for name, until in found.unavailable if until is not None}
    warnings = tuple(_evictions(found.unavailable, source, key))
    return Reports(estimated, _limits(found.limited, readable[APPLIED_MIGRATION]), leaving, warnings)


def _limits(most: Mapping[str, int], mark: Mark | None) -> dict[str, Bound]:
    """Return most replicas by cluster; negative estimates mean nothing, as in KubeAdmiral."""
    return {name: Bound(count, mark.source, count) for name, count in most.items() if mark and count >= 0}


def _evictions(
    evicted: Iterable[tuple[str, datetime | None]], source: Source, key: str
) -> Iterator[Statement]:
    """Say how evictions are taken: those with an end as not yet over, those without as over."""
    for cluster, until in evicted:
        if until is None:
            text = f"{key}: the eviction from {cluster} has no validUntil and counts as over"
        else:
            text = f"{key}: {cluster} counts as unavailable until {until.isoformat()}, whatever the time"
        yield Statement("migration", text, source, key, cluster)


def feedback_mistakes(located: Located[Object]) -> Iterator[Mistake]:
    """List feedback on an object that cannot be read; KubeAdmiral stops with an error there."""
    stated = located.model.metadata.annotations
    if AUTO_MIGRATION not in stated and APPLIED_MIGRATION not in stated:
        return
    annotations = marks("annotations", [located])
    for key, model in _REPORTS.items():
        if key in annotations:
            mark = annotations[key]
            if fault := _fault(model, mark):
                path = ("metadata", "annotations", key)
                yield located.document.mistake(path, f"cannot be read: {fault}", shortened(mark.value))


class _Required(Api):
    cluster_selector_terms: tuple[ClusterSelectorTerm, ...] = ()


class _ClusterAffinity(Api):
    required: Annotated[_Required | None, Field(alias="requiredDuringSchedulingIgnoredDuringExecution")] = (
        None
    )
    preferred: Annotated[Anything, Field(alias="preferredDuringSchedulingIgnoredDuringExecution")] = None


class _NamedAffinity(Api):
    cluster_affinity: _ClusterAffinity = Field(default_factory=_ClusterAffinity)


def overridden(policy: AppliedPolicy, annotations: Marks, key: str) -> tuple[AppliedPolicy, list[Statement]]:
    """Return a policy with everything replaced that annotations of an object override, where it is right."""
    warnings: list[Statement] = []
    for name, (part, fault) in _PARTS.items():
        mark = annotations.get(PREFIX + name)
        if mark is None:
            continue
        changed = read_annotation(name, mark.value, policy, partial(_in_one_line, mark))
        problem = fault(mark) or ("cannot be read" if changed is None else "")
        if changed is None or problem:
            shown = shortened(mark.value)
            text = f"{key}: annotation {PREFIX}{name} {shown!r} {problem}; {policy.name} holds instead"
            warnings.append(Statement("annotation", text, mark.source, key))
            continue
        sources, known = {**policy.sources, part: mark.source}, (policy.key, name, mark)
        policy = replace(changed, sources=sources, key=known)
        if part == AFFINITY and policy.preferred:
            text = (
                f"{key}: preferred terms of annotation {PREFIX}affinity have no effect; only required ones do"
            )
            warnings.append(Statement("annotation", text, mark.source, key))
    return policy, warnings


def misspelt(annotations: Marks, key: str) -> Iterator[Statement]:
    """Say which annotations KubeAdmiral does not know and are written nearly like one that it reads."""
    for name, mark in annotations.items():
        if not name.startswith(PREFIX) or name in _READ or name in _OTHERS:
            continue
        if near := nearest(_plain(name), map(_plain, _READ), alike=ALIKE):
            meant = next(one for one in _READ if _plain(one) == near[0])
            text = f"{key}: annotation {name} is unknown to KubeAdmiral; did you mean {meant}?"
            yield Statement("annotation", text, mark.source, key)


def _plain(name: str) -> str:
    """Return a name as people confuse it with others: without its prefix, case and hyphens."""
    return name.removeprefix(PREFIX).lower().replace("-", "")


def _in_one_line(mark: Mark, _: Path) -> Source:
    """Return the place of anything that an annotation says."""
    return mark.source


def _fault(
    model: type[Annotation[T]], mark: Mark, findings: Callable[[T], Iterator[Finding]] | None = None
) -> str:
    """Return the fault in the JSON of an annotation, also of parts that are right alone and wrong together.

    Unknown fields are passed over, as KubeAdmiral does.
    """
    try:
        data = json.loads(mark.value)
    except (ValueError, RecursionError):
        return "is not JSON"
    validated = validate(Document({"kind": "annotation", "value": data}, Lines("")), model)
    if validated.mistakes or validated.located is None:
        first = validated.mistakes[0]
        where = first.field.removeprefix("value").removeprefix(".")
        return f"{where} {first.value!r} {first.message}" if where else first.message
    value = validated.located.model.value
    wrong = next(findings(value), None) if findings is not None and value is not None else None
    return f"{field_name(wrong.path)} {wrong.message}" if wrong else ""


def _in_affinity(read: _NamedAffinity) -> Iterator[Finding]:
    """List the required terms that cannot match."""
    required = read.cluster_affinity.required
    return affinity_findings(required.cluster_selector_terms if required else ())


def _no_word(allowed: Mapping[str, bool], mark: Mark) -> str:
    """Say which words are allowed where it is none of them."""
    return "" if mark.value in allowed else f"is not allowed; allowed are {' and '.join(allowed)}"


def _no_limit(mark: Mark) -> str:
    """Say what a number of clusters is where it is none."""
    found = read_annotation("maxClusters", mark.value, StatedPolicy())
    return "" if found else "must be a whole number, at least 0"


_REPORTS: Mapping[str, type[Annotation[Any]]] = {
    AUTO_MIGRATION: Annotation[AutoMigrationInfo],
    APPLIED_MIGRATION: Annotation[AppliedMigration],
}

_PARTS: Mapping[str, tuple[str, Callable[[Mark], str]]] = {
    "scheduling-mode": (MODE, partial(_no_word, MODES)),
    "sticky-cluster": (RESCHEDULING, partial(_no_word, STICKY)),
    "tolerations": (TOLERATIONS, partial(_fault, Annotation[tuple[meta.Toleration, ...]])),
    "placements": (
        PLACEMENT,
        partial(_fault, Annotation[tuple[DesiredPlacement, ...]], findings=placement_findings),
    ),
    "clusterSelector": (SELECTOR, partial(_fault, Annotation[Texts])),
    "affinity": (AFFINITY, partial(_fault, Annotation[_NamedAffinity], findings=_in_affinity)),
    "maxClusters": (MAX_CLUSTERS, _no_limit),
}
"""Field that each annotation overrides, and the check of its value, which returns what is wrong (empty:
nothing)."""

_READ = (*(PREFIX + name for name in _PARTS), *_REPORTS, NO_SCHEDULING, MIGRATION)

_OTHERS = frozenset(
    PREFIX + name
    for name in (
        "disable-following",
        "fed-hpa-enabled",
        "followers",
        "follows-object",
        "latest-replicaset-digests",
        "propagated-annotation-keys",
        "propagated-label-keys",
        "retain-replicas",
        "scale-target-ref-path",
        "scheduling",
        "scheduling-triggers",
        "source-generation",
    )
)
"""Annotations that KubeAdmiral knows beside those that count here."""
