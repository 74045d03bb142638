"""JSON Schema of our own kinds, for editors and for ``kubectl``-like checks before anything is read."""

import ast
import inspect
import sys
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import Any

from pydantic.alias_generators import to_camel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from fairlead.manifests import extensions
from fairlead.manifests.api.meta import Api, Object
from fairlead.manifests.api.own import OWN_KINDS
from fairlead.manifests.api.script import Script
from fairlead.manifests.yaml.documents import OWN_API_VERSION

_DIALECT = "https://json-schema.org/draft/2020-12/schema"

WRITTEN_KINDS: Mapping[str, type[Object]] = {**OWN_KINDS, "Script": Script}
"""Kinds that people write for fairlead alone: those of a fleet, and scripts of what happens to it."""


def written_kinds() -> Mapping[str, type[Object]]:
    """Return these and the kinds of all extensions that are installed, by name."""
    return {**WRITTEN_KINDS, **extensions.kinds()}


_METADATA: Mapping[str, Any] = {
    "description": "Metadata of the object; it belongs to no namespace.",
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {
            "description": "Name, unique among the manifests of its kind.",
            "type": "string",
            "minLength": 1,
        },
        **{
            name: {
                "description": f"{name.capitalize()} of the manifest; they influence nothing.",
                "type": "object",
                "additionalProperties": {"type": "string"},
            }
            for name in ("labels", "annotations")
        },
    },
}


def json_schema(kind: str | None = None) -> dict[str, Any]:
    """Return the JSON Schema of the manifests of a kind.

    `kind`: one of `written_kinds`; None stands for all of them: a manifest is of one of the kinds.

    Raises `KeyError` where there is no such kind.
    """
    if kind is not None:
        schema, definitions = _of_kind(
            kind, (WRITTEN_KINDS if kind in WRITTEN_KINDS else written_kinds())[kind]
        )
        return {"$schema": _DIALECT, **schema, "$defs": definitions}
    every = [_of_kind(*one) for one in written_kinds().items()]
    shared = {name: one for _, definitions in every for name, one in definitions.items()}
    return {"$schema": _DIALECT, "oneOf": [schema for schema, _ in every], "$defs": shared}


def _of_kind(kind: str, model: type[Object]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the schema of a kind, and the definitions that it refers to."""
    schema = model.model_json_schema(schema_generator=_Described)
    version = model.group_version if issubclass(model, extensions.RuleManifest) else OWN_API_VERSION
    definitions = {name: _tidied(one) for name, one in schema["$defs"].items() if name != "ObjectMeta"}
    described = {
        "title": kind,
        "description": schema["description"],
        "type": "object",
        "required": ["apiVersion", "kind", "metadata", "spec"],
        "properties": {
            "apiVersion": {"description": "Group and version of the kind.", "const": version},
            "kind": {"description": "The kind.", "const": kind},
            "metadata": _METADATA,
            "spec": _tidied(schema["properties"]["spec"]),
        },
        "additionalProperties": False,
    }
    return described, definitions


def _tidied(schema: Any) -> Any:
    """Leave out titles, defaults (the descriptions tell them) and null, which is the same as absent."""
    if isinstance(schema, list):
        return [_tidied(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    tidied: dict[str, Any] = {}
    for key, value in schema.items():
        if key in ("properties", "$defs"):
            tidied[key] = {name: _tidied(one) for name, one in value.items()}
        elif key == "anyOf":
            left = [_tidied(one) for one in value if one != {"type": "null"}]
            tidied = {**(left[0] if len(left) == 1 else {"anyOf": left}), **tidied}
        elif key not in ("title", "default"):
            tidied[key] = _tidied(value)
    return tidied


class _Described(GenerateJsonSchema):
    """Describes fields by the texts that stand below them in the source."""

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        """Return the schema of an API type with the descriptions of its fields."""
        model, found = schema["cls"], super().model_schema(schema)
        for parent in reversed(model.__mro__[: model.__mro__.index(Api)]):
            for name, text in _told_below(parent.__module__).get(parent.__name__, {}).items():
                if name in model.model_fields:
                    found["properties"][to_camel(name)]["description"] = text
        return found


@cache
def _told_below(module: str) -> Mapping[str, Mapping[str, str]]:
    """Return the texts below the fields of a module's classes, by class and field; none without source."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except (OSError, TypeError, KeyError):
        return {}
    return {
        one.name: {
            field.target.id: " ".join(below.value.value.split())
            for field, below in pairwise(one.body)
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
            if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
            if isinstance(below.value.value, str)
        }
        for one in tree.body
        if isinstance(one, ast.ClassDef)
    }
