"""The fields of our own kinds, made from their JSON Schema."""

from collections.abc import Iterator, Mapping
from typing import Any

from fairlead.manifests.own.schema import WRITTEN_KINDS, json_schema
from site_text import described, prose

Schema = Mapping[str, Any]

_BEGINNING = """# Fields of our kinds

Every manifest has `apiVersion: fairlead.io/v1alpha1`, its `kind`, `metadata` with a `name`, and a `spec`.
What the kinds are for is told in [Own kinds](../own-kinds.md); `fairlead schema KIND` prints the same
for programs, as JSON Schema.
"""
_LIMITS: Mapping[str, str] = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "minLength": "characters: {} or more",
    "minItems": "entries: {} or more",
    "pattern": "matches `{}`",
    "format": "{}",
    "default": "if left out: `{}`",
}
"""Words for what a schema says of a value beside its type."""
_COMMON = ("apiVersion", "kind", "metadata")


def kinds_page() -> str:
    """Return the page: every kind with the parts that only it has, then the parts that kinds share."""
    schemas = {kind: json_schema(kind) for kind in WRITTEN_KINDS}
    users: dict[str, list[str]] = {}
    for kind, schema in schemas.items():
        for name in schema["$defs"]:
            users.setdefault(name, []).append(kind)
    shared = {name: schemas[kinds[0]]["$defs"][name] for name, kinds in users.items() if len(kinds) > 1}
    parts = [_BEGINNING]
    for kind, schema in schemas.items():
        parts.append(f"## {kind}\n\n{prose(schema['description'])}\n")
        parts += _fields({**schema, "properties": _own(schema)})
        own = schema["$defs"].keys() - shared.keys()
        for name in sorted(own, key=lambda name: (not name.endswith("Spec"), name)):
            parts += _part(name, schema["$defs"][name])
    parts.append("## Parts that kinds share\n")
    for name, part in sorted(shared.items()):
        parts += _part(name, part)
    return "\n".join(parts)


def _own(schema: Schema) -> Schema:
    """Return the fields of a manifest that not all manifests have."""
    return {name: field for name, field in schema["properties"].items() if name not in _COMMON}


def _part(name: str, schema: Schema) -> Iterator[str]:
    """Yield a part of a manifest: its name, what it is, which fields exclude each other, its fields."""
    yield f"### {name}\n"
    if "description" in schema:
        yield prose(schema["description"]) + "\n"
    if "oneOf" in schema:
        ways = (" and ".join(f"`{field}`" for field in way["required"]) for way in schema["oneOf"])
        yield f"Exactly one of {', '.join(ways)} is required.\n"
    yield from _fields(schema)


def _fields(schema: Schema) -> Iterator[str]:
    """Yield an entry for every field."""
    for name, field in schema.get("properties", {}).items():
        needed = ", required" if name in schema.get("required", ()) else ""
        told = [f"{_type(field)}{needed}", *([prose(field["description"])] if "description" in field else [])]
        yield described(f"`{name}`", told)


def _type(schema: Schema) -> str:
    """Return in words which values are allowed."""
    limits = [words.format(schema[key]) for key, words in _LIMITS.items() if key in schema]
    return _basic_type(schema) + (f" ({', '.join(limits)})" if limits else "")


def _basic_type(schema: Schema) -> str:
    """Return the type of a value, with a link to a part that is told elsewhere."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(_type(one) for one in schema["anyOf"])
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return "one of " + ", ".join(f"`{value}`" for value in schema["enum"])
    if schema["type"] in ("array", "object"):
        return _composed(schema)
    return schema["type"] if isinstance(schema["type"], str) else " or ".join(schema["type"])


def _composed(schema: Schema) -> str:
    """Return the type of a list, or of a map from names."""
    if schema["type"] == "array":
        return f"list of {_type(schema['items'])}"
    values = schema.get("additionalProperties")
    return f"map of names to {_type(values)}" if isinstance(values, Mapping) else "object"
