"""What may be said of clusters, workloads and policies: checks yield what is wrong, in the caller's words.

Values are looked at before anything is made of them, so that one error names all mistakes.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from decimal import Decimal
from difflib import get_close_matches
from typing import TypeVar, cast

from fairlead.models.amounts import MOST_REPLICAS
from fairlead.models.quantity import parse_quantity
from fairlead.models.validity import COUNT

T = TypeVar("T")

Quantity = str | float | Decimal
"""An amount of a resource as manifests have it: ``"500m"``, ``"4Gi"``, ``2``, ``0.5``."""

Found = Iterator[tuple[str, object, str]]
"""Field, value and what is wrong with it."""


def entries(field: str, value: object) -> tuple[tuple[str, object], ...]:
    """Return the entries of a mapping with the names of their fields; none where it is no mapping."""
    found = value.items() if isinstance(value, Mapping) else ()
    return tuple((f"{field}[{key}]", item) for key, item in found)


def kept(value: T) -> T:
    """Return a mapping that stays as it is when the caller's changes; all else as it is."""
    return cast("T", dict(value)) if isinstance(value, Mapping) else value


def mapping(field: str, value: object, holds: str) -> Found:
    """Yield what is no mapping of names."""
    if not isinstance(value, Mapping) or not all(isinstance(key, str) and key for key in value):
        yield field, value, f"must be a mapping of {holds}"


def count(field: str, value: object, most: int = MOST_REPLICAS) -> Found:
    """Yield what is no number of replicas, or of anything else that is counted."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        yield field, value, COUNT


def text(field: str, value: object) -> Found:
    """Yield what is no text."""
    if not isinstance(value, str):
        yield field, value, "must be a text"


def texts(field: str, value: object) -> Found:
    """Yield what is no mapping of texts, as labels are."""
    yield from mapping(field, value, "names and texts")
    for name, item in entries(field, value):
        yield from text(name, item)


def quantities(field: str, value: object) -> Found:
    """Yield amounts that are no quantities, or below 0."""
    yield from mapping(field, value, "resources and quantities")
    for name, item in entries(field, value):
        try:
            negative = parse_quantity(str(item) if isinstance(item, Decimal) else _number(item)) < 0
        except ValueError as error:
            yield name, item, str(error)
        else:
            if negative:
                yield name, item, "must be at least 0"


def _number(value: object) -> str | float:
    """Return what may be a quantity; anything else as a text that is none."""
    return value if isinstance(value, str | int | float) else f"<{value}>"


def several(field: str, value: object) -> tuple[Sequence[object], list[tuple[str, object, str]]]:
    """Return the items of a list, and what is wrong where it is none; a text is no list of its letters."""
    if isinstance(value, str | bytes) or not isinstance(value, Sequence):
        return (), [(field, value, "must be a list")]
    return value, []


def known(field: str, name: object, clusters: Collection[str]) -> Found:
    """Yield a name that no cluster of the model has, with the one that comes nearest."""
    if isinstance(name, str) and name in clusters:
        return
    near = get_close_matches(str(name), sorted(clusters), 1)
    yield field, name, f"is not a cluster of the model{f'; did you mean {near[0]}?' if near else ''}"


def all_known(field: str, value: object, clusters: Collection[str]) -> Found:
    """Yield what is no list of clusters of the model, or names none."""
    names, wrong = several(field, tuple(value) if isinstance(value, AbstractSet) else value)
    yield from wrong
    if not wrong and not names:
        yield field, "", "must name a cluster; None means all of them"
    for name in names:
        yield from known(field, name, clusters)


def kinds(field: str, value: object, allowed: type) -> Found:
    """Yield items of a list that are not of a class."""
    items, wrong = several(field, value)
    yield from wrong
    for item in items:
        if not isinstance(item, allowed):
            yield field, item, f"must be a fairlead.{allowed.__name__}"
