"""What is declared correctly and cannot be done yet: named, never silently ignored."""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from pydantic import BaseModel

from fairlead.models.manifests.api.base import Inert, Later
from fairlead.models.manifests.documents import Path, field_name
from fairlead.models.manifests.facts import Declared
from fairlead.models.manifests.join import Subject

Found = Iterator[tuple[Path, str]]

_PLACEMENT = frozenset({"placement"})


def unsupported(placed: Iterable[tuple[Subject, Declared]]) -> Iterator[str]:
    """Say what workloads and their placements ask for that cannot be done yet, with file, line and field.

    What a policy asks for is said once, not for every binding that holds a copy.
    """
    said: set[tuple[str, str]] = set()
    checked: set[int] = set()
    for subject, declared in placed:
        if id(declared.placement) not in checked:
            checked.add(id(declared.placement))
            for path, what in later_in(declared.placement):
                name = field_name((*declared.path, *path))
                if (declared.name, name) not in said:
                    said.add((declared.name, name))
                    yield f"{declared.source(path)}: {name}: not supported yet: {what}"
        yield from _around_placement(subject, checked)


def _around_placement(subject: Subject, checked: set[int]) -> Iterator[str]:
    """Say what policy and binding ask for beside the placement."""
    for located in (subject.policy, subject.binding):
        if located is None or id(located.model) in checked:
            continue
        checked.add(id(located.model))
        for path, what in later_in(located.model.spec, skip=_PLACEMENT):
            name = field_name(("spec", *path))
            yield f"{located.source('spec', *path)}: {name}: not supported yet: {what}"


def later_in(model: BaseModel, *, skip: frozenset[str] = frozenset()) -> Found:
    """Yield the path of every field that says something and is marked `Later`, and what it asks for.

    Parameters
    ----------
    model
        Where to look, at any depth.
    skip
        Python names of fields of the model itself that are not looked at.
    """
    for name, alias, mark in _fields(type(model)):
        value = getattr(model, name)
        if name in skip or _says_nothing(value):
            continue
        if mark is not None:
            yield (alias,), mark.what
        elif isinstance(value, BaseModel):
            for path, what in later_in(value):
                yield (alias, *path), what
        elif isinstance(value, tuple):
            yield from _in_list(alias, value)


def _in_list(alias: str, items: tuple[Any, ...]) -> Found:
    """Look at the items of a list."""
    for position, item in enumerate(items):
        if isinstance(item, BaseModel):
            for path, what in later_in(item):
                yield (alias, position, *path), what


@cache
def _fields(model: type[BaseModel]) -> tuple[tuple[str, str, Later | None], ...]:
    """Return Python name, name in the manifest and mark of every field that is worth a look."""
    found = []
    for name, field in model.model_fields.items():
        mark = next((mark for mark in field.metadata if isinstance(mark, Later)), None)
        inert = any(isinstance(mark, Inert) for mark in field.metadata)
        if mark is not None or (not inert and _holds_models(field.annotation)):
            found.append((name, field.alias or name, mark))
    return tuple(found)


def _holds_models(annotation: Any) -> bool:
    """Tell whether a field may hold objects of the API."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return True
    return any(_holds_models(part) for part in getattr(annotation, "__args__", ()))


def _says_nothing(value: Any) -> bool:
    """Tell whether a field is as good as absent."""
    if isinstance(value, BaseModel):
        return all(_says_nothing(getattr(value, name)) for name in type(value).model_fields)
    return value is None or value in ("", (), [], {})
