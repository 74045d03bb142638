"""Plain objects from a stream of scalars, mappings and lists, with the line of each."""

from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NoReturn

from fairlead.manifests.yaml.documents import Lines, LineTable, Places, field_name, shortened
from fairlead.manifests.yaml.scalars import Scalar, key_text, resolve, resolve_tagged
from fairlead.models.errors import InternalError, ManifestError, Mistake
from fairlead.models.source import Source

DEEPEST = 100

# How much aliases may repeat: in all, and against what was written. Kubernetes draws similar lines.
_MOST_EXPANDED = 1_000_000
_FREELY_EXPANDED = 1_000
_EXPANDED_PER_VALUE = 100

# A file with more mistakes inside its documents is not worth reading on.
_MOST_MISTAKES = 1_000

# Steps of a field that are shown; no manifest has so many.
_LONGEST_FIELD = 20

_MERGE = "<<"

Values = list[tuple[Any, Places]]


@dataclass(slots=True)
class _Frame:
    """A mapping or list that is not yet complete."""

    items: dict[str, Any] | list[Any]
    line: int
    anchor: str | None
    """Position where it begins, and the name that aliases use; None where it has none."""
    size_before: int
    """Values of the document before this one."""
    lines: list[int] = field(default_factory=list)
    blocks: list[int] = field(default_factory=list)
    key: str | None = None
    key_line: int = 0
    """In a mapping: the key whose value comes next; None where a key comes next."""
    merges: list[tuple[dict[str, Any], int]] = field(default_factory=list)
    dropped: bool = False
    merging: bool = False
    """True where the next value is not stored (its key is a duplicate) or is merged."""
    height: int = 1
    """Levels inside, this one included."""
    numbered: dict[str, int] = field(default_factory=dict)
    """In a mapping: lines by key, as far as somebody asked."""

    def line_of(self, key: str) -> int:
        """Return the line of a key of the mapping, which is numbered as far as has not been done yet."""
        for number, known in enumerate(islice(self.items, len(self.numbered), None), len(self.numbered)):
            self.numbered[known] = self.lines[number]
        return self.numbered[key]


@dataclass(frozen=True, slots=True)
class _Anchored:
    """A value that aliases may repeat: itself, its block, how many values it holds and how many levels."""

    value: Any
    block: int
    size: int
    height: int


class Builder:
    """Builds one document after the other; every mistake is noted, and only what cannot go on is raised."""

    def __init__(self, file: str) -> None:
        self.mistakes: list[Mistake] = []
        self._file = file
        self._table = LineTable()
        self._values: dict[str, Scalar] = {}
        self._keys: dict[str, str] = {}
        self.begin()

    def begin(self) -> None:
        """Begin a document."""
        self._stack: list[_Frame] = []
        self._top: _Frame | None = None
        self._anchors: dict[str, _Anchored | None] = {}
        self._written = 0
        self._expanded = 0
        self._root: tuple[Any, Lines] = (None, Lines(self._file, 0, self._table))

    def end(self) -> tuple[Any, Lines]:
        """Return the document, None where it is empty, and its lines."""
        return self._root

    def scalar(
        self, text: str, line: int, *, plain: bool, tag: str | None = None, anchor: str | None = None
    ) -> None:
        """Take a scalar, as a key or as a value; a plain one is not quoted."""
        try:
            if self._awaits_key():
                if tag is None and anchor is None:
                    self.key(self._key(text) if plain else text, line, merge=plain and text == _MERGE)
                    return
                value = self._scalar(text, plain, tag)
                self.key(key_text(value), line)
            else:
                value = self._scalar(text, plain, tag)
                self.value(value, line)
        except ValueError as error:
            value = None
            self._refuse_value(text, line, str(error))
        if anchor is not None:
            self._anchors[anchor] = _Anchored(value, 0, 1, 0)

    def _scalar(self, text: str, plain: bool, tag: str | None) -> Scalar:
        if tag is not None:
            return resolve_tagged(tag, text)
        if not plain:
            return text
        if text not in self._values:
            self._values[text] = resolve(text)
        return self._values[text]

    def _key(self, text: str) -> str:
        if text not in self._keys:
            self._keys[text] = key_text(resolve(text))
        return self._keys[text]

    def _refuse_value(self, text: str, line: int, message: str) -> None:
        """Note a scalar that cannot be; null takes its place, and a key loses its value."""
        self.note(line, message, text)
        top = self._top
        if top is not None and self._awaits_key():
            top.key, top.key_line, top.dropped = text, line, True
        else:
            self.value(None, line)

    def key(self, key: str, line: int, *, merge: bool = False) -> None:
        """Take a key of the innermost mapping."""
        top = self._top
        if top is None:
            raise InternalError(f"{self._file}:{line}: a key outside of a mapping")
        self._written += 1
        top.key, top.key_line = key, line
        if merge:
            top.merging = True
        elif key in top.items:
            first = top.line_of(key)
            again = f" (first on line {first})" if first else ""
            self.note(line, f"is a duplicate key{again}; write it once", key)
            top.dropped = True

    def value(self, value: Any, line: int, block: int = 0) -> None:
        """Take a value of the innermost mapping or list, or the document itself."""
        self._written += 1
        top = self._top
        if top is None:
            self._root = (value, Lines(self._file, line, self._table, block))
            return
        items = top.items
        if isinstance(items, list):
            items.append(value)
            top.lines.append(line)
        elif top.key is None:
            self.note(line, "is a mapping or list used as a key; a key is a name", value)
            top.key, top.key_line, top.dropped = shortened(value), line, True
            return
        elif top.dropped or top.merging:
            if top.merging:
                self._merge(top, value, block)
            top.key, top.dropped, top.merging = None, False, False
            return
        else:
            items[top.key] = value
            top.lines.append(top.key_line)
            top.key = None
        top.blocks.append(block)

    def _merge(self, top: _Frame, value: Any, block: int) -> None:
        """Remember what ``<<`` names: a mapping, or a list of mappings of which the first wins."""
        merged = [(value, block)]
        if isinstance(value, list):
            merged = [(item, self._table.blocks[block + position]) for position, item in enumerate(value)]
        if not all(isinstance(item, dict) for item, _ in merged):
            self.note(top.key_line, "can only merge a mapping or a list of mappings", value)
            return
        top.merges.extend(merged)

    def open(self, items: dict[str, Any] | list[Any], line: int, anchor: str | None = None) -> None:
        """Take the beginning of a mapping or list, given empty."""
        if len(self._stack) >= DEEPEST:
            self._refuse(line, f"nests deeper than {DEEPEST} levels")
        if anchor is not None:
            self._anchors[anchor] = None
        self._top = _Frame(items, line, anchor, self._written + self._expanded)
        self._stack.append(self._top)

    def close(self) -> None:
        """Take the end of the innermost mapping or list."""
        frame = self._stack.pop()
        if frame.merges and isinstance(frame.items, dict):
            self._add_merged(frame, frame.items)
        block = self._table.add(frame.lines, frame.blocks)
        self._top = top = self._stack[-1] if self._stack else None
        if top is not None and top.height <= frame.height:
            top.height = frame.height + 1
        self.value(frame.items, frame.line, block)
        if frame.anchor is not None:
            size = self._written + self._expanded - frame.size_before
            self._anchors[frame.anchor] = _Anchored(frame.items, block, size, frame.height)

    def _add_merged(self, frame: _Frame, items: dict[str, Any]) -> None:
        """Add the merged entries that the mapping does not have itself."""
        for mapping, block in frame.merges:
            for position, (key, value) in enumerate(mapping.items()):
                if key not in items:
                    items[key] = value
                    frame.lines.append(self._table.lines[block + position])
                    frame.blocks.append(self._table.blocks[block + position])

    def alias(self, name: str, line: int) -> None:
        """Take an alias: the value of its anchor once more."""
        if name not in self._anchors:
            self._refuse(line, "is an alias without an anchor; write the anchor before it", f"*{name}")
        anchored = self._anchors[name]
        if anchored is None:
            self._refuse(line, "is an alias of a value that contains it", f"*{name}")
        self._expanded += anchored.size
        allowed = min(_MOST_EXPANDED, max(_FREELY_EXPANDED, _EXPANDED_PER_VALUE * self._written))
        if self._expanded > allowed:
            self._refuse(line, f"is an alias that repeats more than {allowed} values", f"*{name}")
        if len(self._stack) + anchored.height > DEEPEST:
            self._refuse(line, f"is an alias that nests deeper than {DEEPEST} levels", f"*{name}")
        top = self._top
        if top is not None and top.height <= anchored.height:
            top.height = anchored.height + 1
        if anchored.height or not self._awaits_key():
            self.value(anchored.value, line, anchored.block)
        elif anchored.value is None:
            self._refuse_value(f"*{name}", line, "is null, which cannot be a key; write a name")
        else:
            self.key(key_text(anchored.value), line)

    def _awaits_key(self) -> bool:
        top = self._top
        return top is not None and top.key is None and isinstance(top.items, dict)

    def note(self, line: int, message: str, value: object = "") -> None:
        """Note a mistake at the current place and go on, unless there are too many."""
        if len(self.mistakes) >= _MOST_MISTAKES:
            self._refuse(line, f"is the last mistake shown, after {_MOST_MISTAKES} others", shortened(value))
        self.mistakes.append(Mistake(Source(self._file, line), self._field(), shortened(value), message))

    def _refuse(self, line: int, message: str, value: str = "") -> NoReturn:
        raise ManifestError([Mistake(Source(self._file, line), self._field(), value, message)])

    def _field(self) -> str:
        steps = [frame.key if isinstance(frame.items, dict) else len(frame.items) for frame in self._stack]
        path = tuple(step for step in steps if step is not None)
        return field_name(path) if len(path) <= _LONGEST_FIELD else f"{field_name(path[:_LONGEST_FIELD])}..."
