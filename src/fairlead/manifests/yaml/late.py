"""Lines that are looked for when somebody asks for them."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, ClassVar

from fairlead.manifests.yaml.builder import Builder
from fairlead.manifests.yaml.documents import Path, Places, has_entry
from fairlead.manifests.yaml.json_text import build, skip_space

ITEMS = "items"

_decoder = json.JSONDecoder()


@dataclass(frozen=True)
class LateText:
    """Text of one object, JSON or YAML in blocks, which is known to be sound."""

    file: str
    text: str = field(repr=False)
    is_json: bool
    first: int = 1
    """Line where it begins."""
    is_item: bool = False
    """True for an item of a list in YAML, with its dash."""

    @cached_property
    def whole(self) -> tuple[Any, Places]:
        """The object with all its lines."""
        builder = Builder(self.file)
        if self.is_json:
            begin = skip_space(self.text, 0)
            build(builder, self.text, begin, len(self.text), self.first + self.text.count("\n", 0, begin))
            return builder.end()
        # Few answers tell a line.
        from fairlead.manifests.yaml.events import EventReader

        reading = EventReader(builder)
        reading.read(self.text, self.first - 1)
        value, places = reading.values[0]
        return (value[0], places.entry(value, 0)) if self.is_item else (value, places)

    @cached_property
    def items(self) -> "Sequence[LateText]":
        """The items of a list of manifests, each a text of its own; none where the object has no items."""
        found = []
        line, before = self.first, 0
        for begin, end in _items(self.text) if self.is_json else _block_items(self.text):
            line += self.text.count("\n", before, begin)
            before = begin
            found.append(LateText(self.file, self.text[begin:end], self.is_json, line, not self.is_json))
        return found

    def __reduce__(self) -> tuple[type["LateText"], tuple[str, str, bool, int, bool]]:
        """Leave what was read aside; it can be read again."""
        return LateText, (self.file, self.text, self.is_json, self.first, self.is_item)

    def part(self, path: Path) -> "tuple[LateText, Path]":
        """Return the text of the item that a path leads into, and the rest of the path."""
        if len(path) < 2 or path[0] != ITEMS or not isinstance(path[1], int) or path[1] >= len(self.items):
            return self, path
        return self.items[path[1]], path[2:]

    def places(self, path: Path) -> Places:
        """Return the places of the value at a path, of which no more is read than its item."""
        text, rest = self.part(path)
        value, places = text.whole
        for step in rest:
            places = places.entry(value, step)
            value = value[step]
        return places

    def line(self, path: Path) -> int:
        """Return the line of the value at a path."""
        text, rest = self.part(path)
        return text.first if text is not self and not rest else self.places(path).line


def _items(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each item of a list of manifests begins and ends; nothing where the object has none."""
    position = skip_space(text, 0)
    while text[position] in "{,":
        key, position = _decoder.raw_decode(text, skip_space(text, position + 1))
        position = skip_space(text, skip_space(text, position) + 1)
        if key == ITEMS and text[position] == "[":
            while text[position] in "[,":
                begin = skip_space(text, position + 1)
                end = _decoder.raw_decode(text, begin)[1]
                yield begin, end
                position = skip_space(text, end)
            return
        position = skip_space(text, _decoder.raw_decode(text, position)[1])


def _block_items(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each item of a list of manifests begins, with its dash, and ends."""
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    begins: list[int] = []
    column = 0
    after = lines.index(f"{ITEMS}:") + 1 if f"{ITEMS}:" in lines else len(lines)
    end = len(lines)
    for number in range(after, len(lines)):
        bare = lines[number].lstrip(" ")
        indent = len(lines[number]) - len(bare)
        if not bare or bare[0] == "#" or (begins and indent > column):
            continue
        if not bare.startswith("- ") or (begins and indent < column):
            end = number
            break
        column = indent
        begins.append(number)
    return pairwise([starts[number] for number in (*begins, end)])


@dataclass(frozen=True, slots=True)
class LateLines:
    """Places that are looked for in the text when a line is asked for; see `Places`."""

    text: LateText
    path: Path = ()
    """Path of the value that these places are of, from the top of the text."""
    known: ClassVar[bool] = False

    @property
    def file(self) -> str:
        """Path as the user gave it."""
        return self.text.file

    @property
    def line(self) -> int:
        """Line where it begins."""
        return self.text.line(self.path)

    def entry(self, data: Any, step: str | int) -> "LateLines":
        """Return the places of an entry."""
        if not has_entry(data, step):
            raise LookupError(step)
        return LateLines(self.text, (*self.path, step))

    def extended(self, size: int, places: Sequence[Places]) -> Places:
        """Return the places of a mapping that got more entries at its end."""
        return self.text.places(self.path).extended(size, places)

    def __reduce__(self) -> tuple[type["LateLines"], tuple[LateText, Path]]:
        """Take no more of the text along to other processes than is needed."""
        return LateLines, self.text.part(self.path)
