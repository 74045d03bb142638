"""Labels and annotations: what overrides a policy, and what the migration controllers have reported."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

from pydantic import Field

from fairlead.manifests.api import meta
from fairlead.manifests.api.kubeadmiral import (
    AppliedMigration,
    AutoMigrationInfo,
    ClusterSelectorTerm,
    DesiredPlacement,
)
from fairlead.manifests.api.meta import Anything, Api, Object, Text, Texts
from fairlead.manifests.kubeadmiral.policies import (
    AFFINITY,
    MAX_CLUSTERS,
    MODE,
    PLACEMENT,
    RESCHEDULING,
    SELECTOR,
    TOLERATIONS,
    Policy,
    Preferences,
    Term,
    affinity_findings,
    placement_findings,
    preferences,
    terms,
)
from fairlead.manifests.validation import Finding, Located, validate
from fairlead.manifests.yaml.documents import Document, Lines, LineTable, field_name, shortened
from fairlead.models.cluster import Toleration
from fairlead.models.errors import Mistake
from fairlead.models.selectors import LabelSelector
from fairlead.models.source import Source
from fairlead.models.statement import Statement

PREFIX = "kubeadmiral.io/"
POLICY = PREFIX + "propagation-policy-name"
CLUSTER_POLICY = PREFIX + "cluster-propagation-policy-name"
NO_SCHEDULING = PREFIX + "no-scheduling"
PLACEMENTS = PREFIX + "placements"


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


class Annotation(Api):
    """Parent of what annotations hold as JSON; the JSON itself is the field `value` of the children."""

    kind: Text = ""


A = TypeVar("A", bound=Annotation)


def read_json(text: str, model: type[A]) -> tuple[A | None, str]:
    """Read the JSON of an annotation.

    Returns
    -------
    tuple
        What it holds, None where it cannot be read; and what is wrong with it. Unknown fields are passed
        over, as KubeAdmiral does.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None, "is no JSON"
    document = Document({"kind": "annotation", "value": data}, Lines("", LineTable(), 0, 0))
    validated = validate(document, model)
    if validated.mistakes or validated.located is None:
        first = validated.mistakes[0]
        where = first.field.removeprefix("value").removeprefix(".")
        return None, f"{where} {first.value!r} {first.message}" if where else first.message
    return validated.located.model, ""


AUTO_MIGRATION = PREFIX + "auto-migration-info"
APPLIED_MIGRATION = PREFIX + "applied-migration-configuration"


class _Report(Annotation):
    value: AutoMigrationInfo = Field(default_factory=AutoMigrationInfo)


class _Configuration(Annotation):
    value: AppliedMigration = Field(default_factory=AppliedMigration)


class Limits(NamedTuple):
    """Most replicas by cluster, and where that stands."""

    replicas: Mapping[str, int]
    source: Source | None = None


NO_LIMITS = Limits({})


@dataclass(frozen=True, slots=True)
class Feedback:
    """What is known of an object from its annotations."""

    estimated: Limits = NO_LIMITS
    """Replicas that overloaded clusters can run (auto migration)."""
    limited: Limits = NO_LIMITS
    """Most replicas by custom migration."""
    unavailable: Mapping[str, Source] = field(default_factory=dict)
    """Clusters that the object has to leave, with the place where that stands."""
    warnings: tuple[Statement, ...] = ()


def read_feedback(annotations: Marks, key: str) -> Feedback:
    """Return what the annotations of a workload say; negative estimates mean nothing, as in KubeAdmiral."""
    report, migration = annotations.get(AUTO_MIGRATION), annotations.get(APPLIED_MIGRATION)
    estimated = limited = NO_LIMITS
    unavailable: dict[str, Source] = {}
    warnings: list[Statement] = []
    if report is not None:
        read, _ = read_json(report.value, _Report)
        found = read.value.estimated_capacity if read else {}
        known = {name: replicas for name, replicas in found.items() if replicas >= 0}
        estimated = Limits(known, report.source)
    if migration is not None:
        configuration, _ = read_json(migration.value, _Configuration)
        applied = configuration.value if configuration else AppliedMigration()
        limited = Limits(applied.limited_capacity, migration.source)
        ending = [one for one in applied.unavailable_clusters if one.valid_until]
        unavailable = {one.cluster: migration.source for one in ending}
        warnings.extend(_evictions(applied, migration.source, key))
    return Feedback(estimated, limited, unavailable, tuple(warnings))


def _evictions(applied: AppliedMigration, source: Source, key: str) -> Iterator[Statement]:
    """Say how evictions are taken: those with an end as not yet over, those without as over."""
    for one in applied.unavailable_clusters:
        if one.valid_until is None:
            text = f"{key}: the eviction from {one.cluster} has no validUntil and counts as over"
        else:
            until = one.valid_until.isoformat()
            text = f"{key}: {one.cluster} counts as unavailable, as if it were before {until}"
        yield Statement("migration", text, source, key, one.cluster)


def feedback_mistakes(located: Located[Object]) -> Iterator[Mistake]:
    """List feedback on an object that cannot be read; KubeAdmiral stops with an error there."""
    stated = located.model.metadata.annotations
    if AUTO_MIGRATION not in stated and APPLIED_MIGRATION not in stated:
        return
    annotations = marks("annotations", [located])
    models: tuple[tuple[str, type[_Report | _Configuration]], ...] = (
        (AUTO_MIGRATION, _Report),
        (APPLIED_MIGRATION, _Configuration),
    )
    for key, model in models:
        if key in annotations:
            mark = annotations[key]
            read, problem = read_json(mark.value, model)
            if read is None:
                name = field_name(("metadata", "annotations", key))
                yield Mistake(mark.source, name, shortened(mark.value), f"cannot be read: {problem}")


_COUNT = re.compile(r"\+?[0-9]{1,18}")


class _Tolerations(Annotation):
    value: tuple[meta.Toleration, ...] = ()


class _Placements(Annotation):
    value: tuple[DesiredPlacement, ...] = ()


class _Selector(Annotation):
    value: Texts = Field(default_factory=dict)


class _Required(Api):
    cluster_selector_terms: tuple[ClusterSelectorTerm, ...] = ()


class _ClusterAffinity(Api):
    required: Annotated[_Required | None, Field(alias="requiredDuringSchedulingIgnoredDuringExecution")] = (
        None
    )
    preferred: Annotated[Anything, Field(alias="preferredDuringSchedulingIgnoredDuringExecution")] = None


class _NamedAffinity(Api):
    cluster_affinity: _ClusterAffinity = Field(default_factory=_ClusterAffinity)


class _Affinity(Annotation):
    value: _NamedAffinity = Field(default_factory=_NamedAffinity)


class _UnreadableError(Exception):
    """An annotation cannot be read; the text says why."""


def overridden(policy: Policy, annotations: Marks, key: str) -> tuple[Policy, list[Statement]]:
    """Return a policy with everything replaced that annotations of an object override."""
    warnings: list[Statement] = []
    for name, (part, own, read) in _READERS.items():
        mark = annotations.get(PREFIX + name)
        if mark is None:
            continue
        try:
            value = read(mark)
        except _UnreadableError as problem:
            shown = shortened(mark.value)
            text = f"{key}: annotation {PREFIX}{name} {shown!r} {problem}; {policy.name} holds instead"
            warnings.append(Statement("annotation", text, mark.source, key))
            continue
        changed: dict[str, Any] = {own: value, "sources": {**policy.sources, part: mark.source}}
        policy = replace(policy, **changed, key=(policy.key, name, mark))
        warnings.extend(_without_effect(name, mark, key))
    return policy, warnings


def _parsed(mark: Mark, model: type[A]) -> A:
    """Read the JSON of an annotation."""
    read, problem = read_json(mark.value, model)
    if read is None:
        raise _UnreadableError(problem)
    return read


def _refuse(findings: Iterator[Finding]) -> None:
    """Refuse what is right alone and wrong together."""
    for finding in findings:
        raise _UnreadableError(f"{field_name(finding.path)} {finding.message}")


def _chosen(allowed: Mapping[str, bool], mark: Mark) -> bool:
    """Return what one of two words means."""
    if mark.value not in allowed:
        raise _UnreadableError(f"is not allowed; allowed are {' and '.join(allowed)}")
    return allowed[mark.value]


def _tolerated(mark: Mark) -> tuple[Toleration, ...]:
    return tuple(one.toleration for one in _parsed(mark, _Tolerations).value)


def _placements(mark: Mark) -> Preferences:
    placement = _parsed(mark, _Placements).value
    _refuse(placement_findings(placement))
    return preferences(placement, lambda _: mark.source)


def _selector(mark: Mark) -> LabelSelector:
    return LabelSelector.of(_parsed(mark, _Selector).value)


def _affinity(mark: Mark) -> tuple[Term, ...] | None:
    required = _parsed(mark, _Affinity).value.cluster_affinity.required
    if required is None:
        return None
    _refuse(affinity_findings(required.cluster_selector_terms))
    return terms(required.cluster_selector_terms)


def _max_clusters(mark: Mark) -> int:
    if not _COUNT.fullmatch(mark.value):
        raise _UnreadableError("must be a whole number, at least 0")
    return int(mark.value)


def _without_effect(name: str, mark: Mark, key: str) -> Iterator[Statement]:
    """Say what of a readable annotation has no effect."""
    if name == "affinity" and _parsed(mark, _Affinity).value.cluster_affinity.preferred:
        text = f"{key}: preferred terms of annotation {PREFIX}affinity have no effect; only required ones do"
        yield Statement("annotation", text, mark.source, key)


_READERS: Mapping[str, tuple[str, str, Callable[[Mark], object]]] = MappingProxyType(
    {
        "scheduling-mode": (MODE, "divide", partial(_chosen, {"Divide": True, "Duplicate": False})),
        "sticky-cluster": (RESCHEDULING, "sticky", partial(_chosen, {"true": True, "false": False})),
        "tolerations": (TOLERATIONS, "tolerations", _tolerated),
        "placements": (PLACEMENT, "preferred", _placements),
        "clusterSelector": (SELECTOR, "selector", _selector),
        "affinity": (AFFINITY, "terms", _affinity),
        "maxClusters": (MAX_CLUSTERS, "max_clusters", _max_clusters),
    }
)
"""By annotation: what it overrides in a manifest, the field of `Policy` that this is, and what reads it."""
