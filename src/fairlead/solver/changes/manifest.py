"""Changes as fragments of manifests, fit for a merge patch: lists stand there as a whole."""

from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from fairlead.models.problem import Problem
from fairlead.models.source import ObjectName
from fairlead.models.statement import Change
from fairlead.models.yaml_text import to_yaml_stream
from fairlead.solver.changes.edits import Edit, Path
from fairlead.solver.changes.places import Place, places

Document = dict[str, Any]


@dataclass(slots=True)
class _Object:
    """An object that is changed: as it was written, as far as that is known, and where it differs now."""

    name: ObjectName
    data: Document = field(default_factory=dict)
    touched: dict[Path, Any] = field(default_factory=dict)

    def know(self, data: Mapping[str, Any]) -> None:
        """Learn more of what was written; what is known already, or was changed, stays."""
        _fill(self.data, data)

    def change(self, edit: Edit) -> None:
        """Make an edit; of two numbers for one entry the one that suits everybody counts."""
        if edit.lenient is not None and edit.path in self.touched:
            choose = min if edit.lenient == "least" else max
            chosen = choose((self.touched[edit.path], edit.value), key=_size)
            edit = Edit(edit.path, chosen, edit.lenient)
        edit.into(self.data)
        self.touched[edit.path] = edit.value

    def fragment(self) -> Document:
        """Return what names the object and all values that changed; lists as a whole."""
        found = _header(self.name)
        for keys in dict.fromkeys(_up_to_list(path) for path in self.touched):
            value: Any = self.data
            for key in keys:
                value = value[key]
            _put(found, keys, deepcopy(value))
        return found


def fragments(changes: Iterable[Change], problem: Problem) -> str:
    """Return what to paste into the manifests, or to merge into them (``kubectl patch --type merge``).

    Parameters
    ----------
    changes
        The changes.
    problem
        The problem as it was before.

    Returns
    -------
    str
        YAML, one document for every object; an object that the input does not have is to be created. Empty
        where none of the changes is one of a manifest. What was not read from manifests is spelled as Karmada
        does.
    """
    found = documents(changes, problem)
    if not found:
        return ""
    return to_yaml_stream(found)


def documents(changes: Iterable[Change], problem: Problem) -> tuple[Document, ...]:
    """Return the fragments as `fragments` does, parsed."""
    objects: dict[ObjectName, _Object] = {}
    for place in _every_place(changes, problem):
        changed = objects.setdefault(place.name, _Object(place.name))
        changed.know(place.data)
        # Later changes see what earlier ones put there, such as the end of a list.
        for edit in place.edits(changed.data):
            changed.change(edit)
    return tuple(changed.fragment() for changed in objects.values() if changed.touched)


def _every_place(changes: Iterable[Change], problem: Problem) -> Iterator[Place]:
    """Yield all places of all changes."""
    for change in changes:
        yield from places(change, problem)


def _header(name: ObjectName) -> Document:
    """Return what names an object."""
    scope = {"namespace": name.namespace} if name.namespace else {}
    return {
        "apiVersion": name.api_version,
        "kind": name.kind,
        "metadata": {"name": name.name, **scope},
    }


def _fill(data: Document, more: Mapping[str, Any]) -> None:
    """Add what is missing in a document."""
    for key, value in more.items():
        if key not in data:
            data[key] = deepcopy(value) if isinstance(value, dict | list) else value
        elif isinstance(data[key], dict) and isinstance(value, Mapping):
            _fill(data[key], value)


def _size(value: int | str) -> int:
    """Return a number, or the number of a percentage."""
    return int(str(value).removesuffix("%"))


def _up_to_list(path: Path) -> tuple[str, ...]:
    """Return a path as far as it leads through mappings only."""
    keys: list[str] = []
    for step in path:
        if not isinstance(step, str):
            break
        keys.append(step)
    return tuple(keys)


def _put(document: Document, path: tuple[str, ...], value: Any) -> None:
    """Put a value into nested mappings."""
    inner = document
    for key in path[:-1]:
        inner = inner.setdefault(key, {})
    inner[path[-1]] = value
