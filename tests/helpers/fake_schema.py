"""Schemas of custom resources, as far as the tests need them: they prune and refuse."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "boolean": (bool,),
}
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")


def pruned(schema: Mapping[str, Any], value: Any) -> Any:
    """Return a value without the fields that a schema does not know."""
    if schema.get("x-kubernetes-preserve-unknown-fields"):
        return value
    if isinstance(value, Mapping):
        known = schema.get("properties", {})
        return {name: pruned(known[name], each) for name, each in value.items() if name in known}
    if isinstance(value, list):
        return [pruned(schema.get("items", {}), each) for each in value]
    return value


def mistakes(schema: Mapping[str, Any], value: Any, path: str) -> Iterator[str]:
    """Yield what a schema does not allow."""
    asked = schema.get("type")
    if asked is not None and (
        not isinstance(value, _TYPES[asked]) or (asked == "integer" and isinstance(value, bool))
    ):
        yield f'{path}: Invalid value: "{type(value).__name__}": must be of type {asked}'
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{path}: Unsupported value: {value!r}"
    if schema.get("format") == "date-time" and not _TIME.fullmatch(value):
        yield f"{path}: Invalid value: {value!r}: must be a date-time"
    if isinstance(value, Mapping):
        yield from (
            f"{path}.{name}: Required value" for name in schema.get("required", ()) if name not in value
        )
        for name, inside in schema.get("properties", {}).items():
            if name in value:
                yield from mistakes(inside, value[name], f"{path}.{name}")
    if isinstance(value, list) and "items" in schema:
        for number, each in enumerate(value):
            yield from mistakes(schema["items"], each, f"{path}[{number}]")
