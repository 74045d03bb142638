"""Solution three of the proposal of specified replicas: totals as JSON in annotations.

``metadata.annotation`` holds one text, as the proposal prints it, or ``metadata.annotations`` has the keys
``specifiedClusters``, ``specifiedIdcs`` and ``idcs``, or one key ``fairlead.io/replicas`` with all of it.
"""

from collections.abc import Iterator
from typing import NamedTuple

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from fairlead.manifests.api.base import Api, Count, Filled
from fairlead.manifests.api.meta import ObjectMeta
from fairlead.manifests.documents import Path, shortened
from fairlead.manifests.json_text import JsonReading, read_json
from fairlead.manifests.messages import in_plain_words
from fairlead.manifests.webhook import Finding

WHOLE = "fairlead.io/replicas"


class Named(Api):
    """A region in which replicas may stand."""

    name: Filled


class Counted(Named):
    """A cluster or region and its replicas."""

    replicas: Count


class Annotation(Api):
    """What one annotation says."""

    specified_clusters: tuple[Counted, ...] = ()
    specified_idcs: tuple[Counted, ...] = ()
    idcs: tuple[Named, ...] = ()


_EXAMPLES = {
    "specifiedClusters": '[{"name": "member1", "replicas": 2}]',
    "specifiedIdcs": '[{"name": "RegionA", "replicas": 2}]',
    "idcs": '[{"name": "RegionA"}]',
}


class At(NamedTuple):
    """What stands in an annotation.

    Parameters
    ----------
    path
        Where the annotation stands in its object.
    said
        What it says.
    """

    path: Path
    said: Annotation


def annotated(meta: ObjectMeta) -> Iterator[At]:
    """Yield what the annotations of an object say of replicas; what cannot be read says nothing."""
    for path, text, key in _texts(meta):
        reading = _read(text, key)
        if isinstance(reading, Annotation):
            yield At(path, reading)


def annotation_findings(meta: ObjectMeta) -> Iterator[Finding]:
    """List what is wrong in the annotations that say something of replicas."""
    for path, text, key in _texts(meta):
        reading = _read(text, key)
        if not isinstance(reading, Annotation):
            yield from (finding.within(*path) for finding in reading)


def _texts(meta: ObjectMeta) -> Iterator[tuple[Path, str, str | None]]:
    """Yield path and text of every annotation that counts, and the only key it holds; None for all."""
    if meta.annotation:
        yield ("annotation",), meta.annotation, None
    for key in (WHOLE, *_EXAMPLES):
        if key in meta.annotations:
            yield ("annotations", key), meta.annotations[key], None if key == WHOLE else key


def _read(text: str, key: str | None) -> Annotation | list[Finding]:
    """Return what an annotation says, or what is wrong in it."""
    reading = read_json("", text)
    if reading.mistakes or len(reading.values) != 1:
        return [_unreadable(text, key, reading)]
    data, _ = reading.values[0]
    try:
        return Annotation.model_validate(data if key is None else {key: data}, by_alias=True, by_name=False)
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
    """Put one error in plain words."""
    place, missing = tuple(details["loc"]), details["type"] == "missing"
    unknown = details["type"] == "extra_forbidden"
    words = "is not a known field" if unknown else in_plain_words(details)
    if unknown or len(place) < 2:
        words = f"{words}; {_allowed(str(place[0]) if place else None)}"
    path = place if key is None else place[1:]
    return Finding(path, None if missing else shortened(details["input"]), words)


def _allowed(key: str | None) -> str:
    """Say what an annotation may hold."""
    if key in _EXAMPLES:
        return f"allowed is a list such as {_EXAMPLES[key]}"
    return f'allowed is {{"specifiedClusters": {_EXAMPLES["specifiedClusters"]}}}, specifiedIdcs or idcs'
