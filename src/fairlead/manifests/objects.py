"""Documents from what somebody else has parsed already."""

import datetime as dt
import decimal
import operator
from collections.abc import Mapping
from typing import Any, SupportsIndex

from fairlead.manifests.builder import Builder
from fairlead.manifests.documents import Lines
from fairlead.manifests.scalars import Scalar, key_text, whole
from fairlead.models.errors import ManifestError, Mistake

PARSED = "<dict>"


def read_object(parsed: Mapping[Any, Any]) -> tuple[tuple[Any, Lines] | None, list[Mistake]]:
    """Copy a parsed document, so that it holds only what JSON could hold.

    Returns
    -------
    tuple
        The document with its (empty) lines, None where it cannot be copied; and what is wrong.
    """
    builder = Builder(PARSED)
    try:
        _add(builder, parsed, {})
    except ManifestError as error:
        return None, [*builder.mistakes, *error.mistakes]
    return builder.end(), builder.mistakes


def _add(builder: Builder, value: Any, names: dict[int, str]) -> None:
    """Hand a value to the builder; an object that was met before is an alias, as it would be in YAML."""
    if not isinstance(value, Mapping | list | tuple):
        builder.value(_plain(builder, value), 0)
        return
    if id(value) in names:
        builder.alias(names[id(value)], 0)
        return
    names[id(value)] = name = str(len(names))
    if isinstance(value, Mapping):
        builder.open({}, 0, name)
        for key, item in value.items():
            builder.key(_key(builder, key), 0)
            _add(builder, item, names)
    else:
        builder.open([], 0, name)
        for item in value:
            _add(builder, item, names)
    builder.close()


def _key(builder: Builder, key: Any) -> str:
    try:
        return key_text(_plain(builder, key))
    except ValueError as error:
        builder.note(0, str(error))
        return "null"


def _plain(builder: Builder, value: Any) -> Scalar:
    """Return a scalar as JSON holds it; dates, which other YAML readers make, become text again."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, SupportsIndex):
        return operator.index(value)
    if isinstance(value, decimal.Decimal):
        value = float(value)
    if isinstance(value, float):
        if value - value == 0:
            return whole(value)
        builder.note(0, "is not a number that a manifest can hold; write a finite number", value)
        return None
    if isinstance(value, dt.date):
        return value.isoformat().replace("+00:00", "Z")
    builder.note(0, f"is a {type(value).__name__}; allowed is what JSON can hold", value)
    return None
