"""Documents that know the line of each of their values."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, ClassVar, NamedTuple, Protocol

from fairlead.models.errors import Mistake
from fairlead.models.source import ObjectName, Source
from fairlead.models.words import counted, shown

Path = tuple[str | int, ...]

OWN_GROUP = "fairlead.io"
OWN_API_VERSION = f"{OWN_GROUP}/v1alpha1"

_LONGEST_VALUE = 60

# Mappings of up to so many keys are looked through.
_NARROW = 32


@dataclass(frozen=True, slots=True)
class LineTable:
    """Lines of all entries of a file.

    The entries of one mapping or list stand next to each other, in the order of the mapping or list: a block.
    A block number is where a block begins, 0 where there are no entries. That makes 8 bytes for a value.
    """

    lines: "array[int]" = field(default_factory=lambda: array("I", [0]))
    """Line of every entry: of the key in a mapping, of the item in a list."""
    blocks: "array[int]" = field(default_factory=lambda: array("I", [0]))
    """Block of the entry's own entries."""
    _positions: dict[int, dict[str, int]] = field(default_factory=dict, compare=False, repr=False)

    def add(self, lines: list[int], blocks: list[int]) -> int:
        """Append the entries of one mapping or list and return their block."""
        if not lines:
            return 0
        block = len(self.lines)
        self.lines.extend(lines)
        self.blocks.extend(blocks)
        return block

    def position(self, block: int, data: dict[str, Any], key: str) -> int:
        """Return where a key stands in a mapping.

        Wide mappings are numbered when they are first asked about, so that asking for every key takes time in
        proportion to their width.
        """
        if len(data) <= _NARROW:
            return list(data).index(key)
        if block not in self._positions:
            self._positions[block] = {name: position for position, name in enumerate(data)}
        return self._positions[block][key]


class Places(Protocol):
    """Where the values of one document, or of a part of it, stand: known, or looked for when asked."""

    known: ClassVar[bool]

    @property
    def file(self) -> str:
        """Path as the user gave it."""
        ...

    @property
    def line(self) -> int:
        """Line where the document, or the part, begins; 0 where there is none."""
        ...

    def entry(self, data: Any, step: str | int) -> "Places":
        """Return the places of the entry that a step leads to from `data`, which these describe.

        Raises `LookupError` where there is no such entry.
        """
        ...

    def extended(self, size: int, places: "Sequence[Places]") -> "Places":
        """Return the places of a mapping of `size` entries that got more entries at its end."""
        ...


def has_entry(data: Any, step: str | int) -> bool:
    """Tell whether a mapping or list has an entry."""
    if isinstance(data, dict):
        return step in data
    return isinstance(data, list) and isinstance(step, int) and 0 <= step < len(data)


@dataclass(frozen=True, slots=True)
class Lines:
    """Places of the values of one document, all known."""

    file: str
    line: int = 0
    table: LineTable | None = None
    """Table of lines; None for what was never a text: everything in it stands where it does."""
    block: int = 0
    known: ClassVar[bool] = True

    def entry(self, data: Any, step: str | int) -> "Lines":
        """Return the lines of the entry that a step leads to from `data`, which these lines describe."""
        if not has_entry(data, step):
            raise LookupError(step)
        if self.table is None:
            return self
        position = step if isinstance(step, int) else self.table.position(self.block, data, step)
        place = self.block + position
        return Lines(self.file, self.table.lines[place], self.table, self.table.blocks[place])

    def extended(self, size: int, places: Sequence[Places]) -> "Lines":
        """Return the lines of a mapping of `size` entries that got more entries, all scalars, at its end."""
        if self.table is None:
            return self
        own = slice(self.block, self.block + size)
        lines = [*self.table.lines[own], *(place.line for place in places)]
        blocks = [*self.table.blocks[own], *(0 for _ in places)]
        return Lines(self.file, self.line, self.table, self.table.add(lines, blocks))


@dataclass(frozen=True)
class Document:
    """One manifest as it was written."""

    data: dict[str, Any]
    """The manifest as JSON could hold it: dicts, lists, strings, ints, floats, bools and None. Values that an
    alias repeats are one object; do not change it."""
    lines: Places
    outer: "Document | None" = None
    """The manifest that holds this one, such as a FederatedObject its template; None where none does."""
    at: Path = ()

    @property
    def api_version(self) -> str:
        """``apiVersion`` of the manifest."""
        return str(self.data["apiVersion"])

    @property
    def kind(self) -> str:
        """``kind`` of the manifest; empty for a part of one, which has none."""
        return str(self.data.get("kind", ""))

    @cached_property
    def holder(self) -> ObjectName:
        """Identity of the manifest, or of the one that holds it."""
        return object_name((self.outer or self).data)

    def value(self, path: Path) -> Any:
        """Return the value at a path of keys and positions; None where there is none."""
        return value_at(self.data, *path)

    def source(self, path: Path = ()) -> Source:
        """Return where the value at a path was written.

        File and line of the key, or of the list item; of the nearest existing parent where the path does not
        exist. A value that came through an alias has the line where the alias' anchor was written.

        `path`: keys and list positions from the top, such as ``("spec", "clusters", 0, "name")``.
        """
        data: Any = self.data
        lines = self.lines
        for step in path:
            try:
                lines = lines.entry(data, step)
            except LookupError:
                break
            data = data[step]
        own = self.data if str(self.data.get("apiVersion")) == OWN_API_VERSION else None
        holder = self.holder
        whole = (*self.at, *path)
        if lines.known:
            return Source(lines.file, lines.line, holder.kind, whole, own, holder)
        return Source.late(lines.file, partial(getattr, lines, "line"), holder.kind, whole, own, holder)

    def mistake(self, path: Path, message: str, value: str = "", *, missing: bool = False) -> Mistake:
        """Return the mistake in a field, which is named with its line; see `Mistake`."""
        return Mistake(self.source(path), field_name(path), value, message, missing)


def value_at(data: Any, *path: str | int) -> Any:
    """Return the value at a path of keys and positions inside another; None where there is none."""
    for step in path:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def object_name(data: Mapping[str, Any]) -> ObjectName:
    """Return the identity of a manifest; parts that it does not state are empty."""
    stated = data.get("metadata")
    meta = stated if isinstance(stated, Mapping) else {}
    named = (data.get("apiVersion"), data.get("kind"), meta.get("name"), meta.get("namespace"))
    return ObjectName(*("" if each is None else str(each) for each in named))


def group_of(api_version: str) -> str:
    """Return the API group of an ``apiVersion``; empty for the core group."""
    return api_version.rpartition("/")[0]


class Identity(NamedTuple):
    """Identity of a resource in template and binding alike: the version of its API does not count."""

    group: str
    kind: str
    namespace: str
    name: str

    @classmethod
    def of(cls, api_version: str, kind: str, namespace: str, name: str) -> "Identity":
        """Return the identity of a resource of an apiVersion."""
        return cls(group_of(api_version), kind, namespace, name)


def field_name(path: Path) -> str:
    """Return a path as people write it.

    >>> field_name(("spec", "clusters", 0, "name"))
    'spec.clusters[0].name'
    >>> field_name(("metadata", "labels", "example.com/tier"))
    'metadata.labels[example.com/tier]'
    """
    text = ""
    for step in path:
        if isinstance(step, int) or "." in step or "/" in step or not step:
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text


def shortened(value: object) -> str:
    """Return a value as it is written, of at most 60 characters; blanks of a text may be what is wrong."""
    if isinstance(value, Mapping):
        text = "{" + ", ".join(f"{key}: ..." for key in list(value)[:4]) + "}"
    elif isinstance(value, list | tuple):
        text = f"[{counted(len(value), 'item')}]" if value else "[]"
    elif value is None or isinstance(value, bool):
        text = {None: "null", True: "true", False: "false"}[value]
    else:
        text = value if isinstance(value, str) else shown(value)
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 3] + "..."
