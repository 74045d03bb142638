"""No field of the input is accepted and ignored: somebody reads it, or it is marked as without influence."""

import ast
import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Annotated

import pytest
from pydantic import BaseModel
from pydantic.alias_generators import to_snake

import fairlead.manifests.api as api_package
from fairlead.manifests.api import KINDS
from fairlead.manifests.api.meta import Api, Inert, Object
from fairlead.manifests.api.own import OWN_KINDS
from fairlead.manifests.collect import Manifests

READERS = Path(str(api_package.__file__)).parents[1]
"""The package that turns manifests into a problem; nothing else sees its API types."""
SCRIPTS = READERS.parent / "solver" / "script"
"""The package that reads scripts: their events are changes, which the solver knows."""


def api_types() -> list[type[Api]]:
    """Return every API type of every module of the package, in name order."""
    for module in pkgutil.iter_modules(api_package.__path__, f"{api_package.__name__}."):
        importlib.import_module(module.name)
    found = {one for one in _descendants(Api) if one.__module__.startswith(api_package.__name__)}
    return sorted(found, key=lambda one: (one.__module__, one.__name__))


def _descendants(parent: type[Api]) -> Iterator[type[Api]]:
    """Yield the classes below a class, at any depth."""
    for child in parent.__subclasses__():
        yield child
        yield from _descendants(child)


def names_read(folder: Path) -> frozenset[str]:
    """Return every name that code reads from an object: by attribute, in a class pattern, by ``getattr``."""
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.py")))
    return frozenset(name for tree in trees for node in ast.walk(tree) for name in _names_in(node))


def _names_in(node: ast.AST) -> Iterator[str]:
    """Yield the names that one node reads."""
    match node:
        case ast.Attribute(attr=name, ctx=ast.Load()):
            yield name
        case ast.MatchClass(kwd_attrs=names):
            yield from names
        case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=str(name)), *_]):
            yield name


def keys_read(file: Path) -> frozenset[str]:
    """Return every name that code asks a document for by its key, as its API type calls it."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    asking = (call for call in calls if ast.unparse(call.func).split(".")[-1] in _ASKING)
    values = (
        ast.literal_eval(each) for call in asking for each in call.args if isinstance(each, ast.Constant)
    )
    return frozenset(to_snake(value) for value in values if isinstance(value, str))


_ASKING = ("section", "entries", "text", "get")
"""Calls that read a document by its keys."""


def ignored(models: list[type[Api]], read: frozenset[str]) -> list[str]:
    """Return the fields that nobody reads and that carry no mark."""
    return [
        f"{model.__module__.rpartition('.')[2]}.{model.__name__}.{name}"
        for model in models
        for name, field in model.model_fields.items()
        if name not in read and not any(isinstance(mark, Inert) for mark in field.metadata)
    ]


def test_no_field_is_accepted_and_ignored() -> None:
    """A field that is neither read nor marked `Inert` would be dropped silently."""
    read = names_read(READERS) | names_read(SCRIPTS) | keys_read(READERS / "kubeadmiral" / "reading.py")
    assert ignored(api_types(), read) == []


def test_a_field_that_nobody_reads_is_found() -> None:
    """The walk tells such a field from one that is read, and from one that is marked."""

    class Sample(Api):
        metadata: str = ""
        never_mentioned_anywhere: str = ""
        marked: Annotated[str, Inert("for the test")] = ""

    assert ignored([Sample], names_read(READERS)) == ["test_field_walk.Sample.never_mentioned_anywhere"]


def test_the_table_of_kinds_names_types_and_lists_that_exist() -> None:
    """Both are texts, so that no type is imported before it is needed; fairlead's own kinds are all there."""
    assert all(issubclass(kind.model, Object) for kind in KINDS.values())
    assert {kind.row for kind in KINDS.values()} < {field.name for field in fields(Manifests)}
    assert {name: kind.model for (_, name), kind in KINDS.items() if kind.row == "own"} == OWN_KINDS


@pytest.mark.parametrize("kind", sorted(KINDS), ids="/".join)
def test_every_kind_is_walked(kind: tuple[str, str]) -> None:
    """The walk knows the types of all kinds, down to the innermost."""
    known = set(api_types())
    assert {one for one in _reachable(KINDS[kind].model) if issubclass(one, Api)} <= known


def _reachable(model: type[BaseModel]) -> set[type[BaseModel]]:
    """Return a type with all types of its fields, at any depth."""
    found: set[type[BaseModel]] = set()
    open_ = [model]
    while open_:
        one = open_.pop()
        if one not in found:
            found.add(one)
            open_.extend(
                inner for field in one.model_fields.values() for inner in _types_in(field.annotation)
            )
    return found


def _types_in(annotation: object) -> Iterator[type[BaseModel]]:
    """Yield the models that an annotation mentions."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in getattr(annotation, "__args__", ()):
        yield from _types_in(part)
