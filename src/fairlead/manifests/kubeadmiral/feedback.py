"""What KubeAdmiral's migration controllers have written on an object."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from fairlead.manifests.api.kubeadmiral import AppliedMigration, AutoMigrationInfo
from fairlead.manifests.api.meta import Object
from fairlead.manifests.documents import field_name, shortened
from fairlead.manifests.kubeadmiral.marks import PREFIX, Annotation, Marks, marks, read_json
from fairlead.manifests.validation import Located
from fairlead.models.errors import Mistake
from fairlead.models.source import Source
from fairlead.models.statement import Statement

AUTO_MIGRATION = PREFIX + "auto-migration-info"
APPLIED_MIGRATION = PREFIX + "applied-migration-configuration"


class _Report(Annotation):
    value: AutoMigrationInfo = AutoMigrationInfo()


class _Configuration(Annotation):
    value: AppliedMigration = AppliedMigration()


class Limits(NamedTuple):
    """Most replicas by cluster, and where that stands."""

    replicas: Mapping[str, int]
    source: Source | None = None


NO_LIMITS = Limits({})


@dataclass(frozen=True, slots=True)
class Feedback:
    """What is known of an object from its annotations.

    Parameters
    ----------
    estimated
        Replicas that overloaded clusters can run (auto migration).
    limited
        Most replicas by custom migration.
    unavailable
        Clusters that the object has to leave, with the place where that stands.
    warnings
        What is assumed of evictions that end.
    """

    estimated: Limits = NO_LIMITS
    limited: Limits = NO_LIMITS
    unavailable: Mapping[str, Source] = field(default_factory=dict)
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


def all_feedback_mistakes(objects: Iterable[Located[Object]]) -> Iterator[Mistake]:
    """List feedback that cannot be read; KubeAdmiral stops with an error there."""
    for located in objects:
        annotations = located.model.metadata.annotations
        if AUTO_MIGRATION in annotations or APPLIED_MIGRATION in annotations:
            yield from _mistakes(marks("annotations", [located]))


def _mistakes(annotations: Marks) -> Iterator[Mistake]:
    """List feedback of one object that cannot be read."""
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
