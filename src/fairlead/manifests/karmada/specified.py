"""How a placement, and the object around it, specifies totals: from every spelling to one meaning."""

from collections.abc import Iterator
from dataclasses import replace

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from fairlead.manifests.api import policies as api
from fairlead.manifests.api.meta import Api, Count, Filled, ObjectMeta
from fairlead.manifests.findings import Finding, below
from fairlead.manifests.karmada.preferences import (
    REGIONS,
    SPECIFIED,
    STRATEGY,
    divided_by,
    lists_of,
    preference_of,
    preferences_of,
)
from fairlead.manifests.karmada.totals import NO_TOTALS, SpecifiedTotal, StatedTotal, Totals
from fairlead.manifests.validation import in_plain_words
from fairlead.manifests.yaml.documents import Document, Path, shortened
from fairlead.manifests.yaml.json_text import JsonReading, read_json
from fairlead.models.source import Source

WHOLE = "fairlead.io/replicas"


class NamedRegion(Api):
    """A region in which replicas may stand."""

    name: Filled


class NamedReplicas(NamedRegion):
    """A cluster or region and its replicas."""

    replicas: Count


class ReplicasAnnotation(Api):
    """Content of one annotation."""

    specified_clusters: tuple[NamedReplicas, ...] = ()
    specified_idcs: tuple[NamedReplicas, ...] = ()
    idcs: tuple[NamedRegion, ...] = ()


_EXAMPLES = {
    "specifiedClusters": '[{"name": "member1", "replicas": 2}]',
    "specifiedIdcs": '[{"name": "RegionA", "replicas": 2}]',
    "idcs": '[{"name": "RegionA"}]',
}


def annotated(meta: ObjectMeta) -> Iterator[tuple[Path, ReplicasAnnotation]]:
    """Yield where annotations of an object say what of replicas; what cannot be read says nothing."""
    for path, reading in _readings(meta):
        if isinstance(reading, ReplicasAnnotation):
            yield path, reading


def annotation_findings(meta: ObjectMeta) -> Iterator[Finding]:
    """List the mistakes in annotations about replicas."""
    for path, reading in _readings(meta):
        if not isinstance(reading, ReplicasAnnotation):
            yield from below(path, reading)


def _readings(meta: ObjectMeta) -> Iterator[tuple[Path, ReplicasAnnotation | list[Finding]]]:
    """Yield the path of every annotation that counts, and what it says, or what is wrong in it."""
    if meta.annotation:
        yield ("annotation",), _read(meta.annotation, None)
    for key in (WHOLE, *_EXAMPLES):
        if key in meta.annotations:
            yield ("annotations", key), _read(meta.annotations[key], None if key == WHOLE else key)


def _read(text: str, key: str | None) -> ReplicasAnnotation | list[Finding]:
    """Read an annotation; `key` is the only one that it holds, None for all."""
    reading = read_json("", text)
    if reading.mistakes or len(reading.values) != 1:
        return [_unreadable(text, key, reading)]
    data, _ = reading.values[0]
    try:
        return ReplicasAnnotation.model_validate(
            data if key is None else {key: data}, by_alias=True, by_name=False
        )
    except ValidationError as error:
        return [_wrong(details, key) for details in error.errors(include_url=False)]


def _unreadable(text: str, key: str | None, reading: JsonReading) -> Finding:
    """Say why a text is not one JSON value with every key once."""
    if reading.mistakes:
        shown = text if not reading.is_json else reading.mistakes[0].value
        return Finding((), shown, f"{reading.mistakes[0].message}; {_allowed(key)}")
    number = "more than one JSON value" if reading.values else "no JSON"
    return Finding((), text or None, f"holds {number}; {_allowed(key)}")


def _wrong(details: ErrorDetails, key: str | None) -> Finding:
    place, missing = tuple(details["loc"]), details["type"] == "missing"
    unknown = details["type"] == "extra_forbidden"
    words = "is an unknown field" if unknown else in_plain_words(details)
    if unknown or len(place) < 2:
        words = f"{words}; {_allowed(str(place[0]) if place else None)}"
    path = place if key is None else place[1:]
    return Finding(path, None if missing else shortened(details["input"]), words)


def _allowed(key: str | None) -> str:
    if key in _EXAMPLES:
        return f"allowed is a list such as {_EXAMPLES[key]}"
    return f'allowed is {{"specifiedClusters": {_EXAMPLES["specifiedClusters"]}}}, specifiedIdcs or idcs'


_PLACEMENT: Path = ("spec", "placement")
_WEIGHTS = ("staticWeightList", "dynamicWeight")


def totals_of(
    placement: api.Placement, document: Document, meta: ObjectMeta, replicas: int | None = None
) -> Totals:
    """Return the totals that a policy or binding specifies.

    `NO_TOTALS` where it specifies none, or asks for full copies.

    `replicas`: ``spec.replicas`` of a policy; None where it says none.
    """
    strategy = placement.replica_scheduling
    if is_copied(strategy):
        return NO_TOTALS
    numbers = tuple(_numbers(placement, document, replicas))
    annotations = _annotations(document, meta)
    inside = targets_in(strategy) if is_specified(strategy) else ()
    targets = (*inside, *annotations.targets)
    listed = annotations.regions is not None or preference_of(strategy) == REGIONS
    even = bool(targets) or listed or (strategy is None and bool(numbers))
    return Totals(
        targets,
        numbers,
        annotations.regions,
        annotations.regions_at,
        even=even,
        equal=is_specified(strategy) and not even,
        apart=annotations.apart or replicas is not None,
    )


def is_copied(strategy: api.ReplicaSchedulingStrategy | None) -> bool:
    """Tell whether full copies are asked for in so many words."""
    return strategy is not None and strategy.replica_scheduling_type == "Duplicated"


def is_specified(strategy: api.ReplicaSchedulingStrategy | None) -> bool:
    """Tell whether targets count: under ``Specified``, or where no other preference is named."""
    preference = preference_of(strategy)
    return preference in SPECIFIED or (preference is None and bool(targets_in(strategy)))


def targets_in(strategy: api.ReplicaSchedulingStrategy | None) -> tuple[SpecifiedTotal, ...]:
    """Return the targets of a strategy, under any of the names that the proposal gives the list."""
    found = []
    for base, preferences in preferences_of(strategy):
        for name, targets in lists_of(preferences).items():
            for position, target in enumerate(targets):
                if target.total is None:
                    continue
                field: Path = ("replicas",) if target.replicas is not None else ("extendFields", "replicas")
                path = (*base, name, position, *field)
                found.append(SpecifiedTotal(target.target_cluster, target.total, path))
    return tuple(found)


def _numbers(placement: api.Placement, document: Document, replicas: int | None) -> Iterator[StatedTotal]:
    """Yield the totals of all candidates; a number that is said twice counts once."""
    if replicas is not None:
        yield StatedTotal(replicas, document.source(("spec", "replicas")))
    if placement.replicas is not None and placement.replicas != replicas:
        yield StatedTotal(placement.replicas, ("replicas",))


def _annotations(document: Document, meta: ObjectMeta) -> Totals:
    targets: list[SpecifiedTotal] = []
    regions: set[str] = set()
    regions_at: Path | Source = ()
    apart = False
    for path, said in annotated(meta):
        source, apart = replace(document.source(("metadata", *path)), manifest=document.data), True
        targets += [
            SpecifiedTotal(
                api.ClusterSet(cluster_names=(one.name,)),
                one.replicas,
                _entry(source, "specifiedClusters", at),
            )
            for at, one in enumerate(said.specified_clusters)
        ]
        targets += [
            SpecifiedTotal(_region(one.name), one.replicas, _entry(source, "specifiedIdcs", at))
            for at, one in enumerate(said.specified_idcs)
        ]
        if said.idcs:
            regions.update(one.name for one in said.idcs)
            regions_at = source
    return Totals(tuple(targets), (), frozenset(regions) or None, regions_at, apart=apart)


def _entry(source: Source, field: str, position: int) -> Source:
    """Return where an entry of a list stands: in an annotation of that name, or under it in one for all."""
    own = () if source.path[-1] == field else (field,)
    return replace(source, path=(*source.path, *own, position))


def _region(name: str) -> api.ClusterSet:
    expression = api.FieldSelectorRequirement(key="region", operator="In", values=(name,))
    return api.ClusterSet(field_selector=api.FieldSelector(match_expressions=(expression,)))


def idle_parts(
    placement: api.Placement, meta: ObjectMeta, replicas: int | None = None
) -> Iterator[tuple[Path, str]]:
    """Yield the declarations that do nothing, by their path inside the object, with the reason."""
    strategy = placement.replica_scheduling
    stated = [(*_PLACEMENT, *path) for path in divided_by(strategy)]
    extension = strategy.extend_replica_division_preference if strategy else None
    if extension and extension not in (*SPECIFIED, REGIONS):
        own = f"{extension} is not a known strategy; {', '.join(SPECIFIED)} and {REGIONS} are"
        yield (*_PLACEMENT, *STRATEGY, "extendReplicaDivisionPreference"), own
    if is_copied(strategy):
        copied = "replicaSchedulingType Duplicated puts all replicas into every cluster"
        yield from ((path, copied) for path in (*_outside(placement, meta, replicas), *stated))
        return
    if not is_specified(strategy):
        weighed = f"only {', '.join(SPECIFIED[:-1])} and {SPECIFIED[-1]} divide by it"
        yield from ((path, weighed) for path in stated if path[-1] not in _WEIGHTS)
    by_annotation = any(True for _ in annotated(meta))
    even = is_specified(strategy) or preference_of(strategy) == REGIONS or by_annotation
    aggregated = strategy is not None and strategy.replica_division_preference == "Aggregated"
    if even and aggregated:
        teller = "an annotation" if by_annotation else "its extension"
        yield (*_PLACEMENT, *STRATEGY, "replicaDivisionPreference"), f"{teller} says how to divide"
    weights = [path for path in stated if path[-1] in _WEIGHTS]
    for *holder, name in weights:
        if even:
            yield (*holder, name), "no weight counts where totals are specified"
        elif holder[-1] != "weightPreference":
            yield (*holder, name), "weightPreference holds weights"
        elif aggregated:
            yield (*holder, name), "Aggregated uses as few clusters as possible, whatever they weigh"
        elif name == "staticWeightList" and (*holder, "dynamicWeight") in weights:
            yield (*holder, name), "dynamicWeight precedes it"


def _outside(placement: api.Placement, meta: ObjectMeta, replicas: int | None) -> Iterator[Path]:
    if replicas is not None:
        yield ("spec", "replicas")
    if placement.replicas is not None:
        yield ("spec", "placement", "replicas")
    yield from (("metadata", *path) for path, _ in annotated(meta))
