"""Labels and annotations of a workload and of its federated object, and the JSON inside annotations."""

import json
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple, TypeVar

from fairlead.manifests.api.base import Api, Text
from fairlead.manifests.api.meta import Object
from fairlead.manifests.documents import Document, Lines, LineTable
from fairlead.manifests.validation import Located, validate
from fairlead.models.source import Source

PREFIX = "kubeadmiral.io/"
POLICY = PREFIX + "propagation-policy-name"
CLUSTER_POLICY = PREFIX + "cluster-propagation-policy-name"
NO_SCHEDULING = PREFIX + "no-scheduling"


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
