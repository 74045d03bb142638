"""Plain YAML read line by line: block mappings and lists of names, numbers and quoted texts.

That is what kubectl and most people write. Where YAML says anything else, its reader reads the whole text.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from fairlead.manifests.yaml.builder import DEEPEST
from fairlead.manifests.yaml.scalars import key_text, resolve

SEPARATOR = "---"

_LINE = re.compile(
    r"""
    (?P<indent>[ ]*)
    (?P<dashes>(?:-[ ])*)
    (?: (?P<key>[A-Za-z_][\w./-]{0,250}) : (?:$|[ ](?=\S)) )?
    (?: (?P<plain> -?[A-Za-z0-9_/.] (?: [\w./+=,()@%$^&*!?<>|;~-] | :(?=\S) | [ ](?=[^\s\#]) )* )
      | "(?P<double>[^"\\]*)"
      | '(?P<single>[^']*)'
      | (?P<empty>\{\}|\[\])
    )?
    """,
    re.VERBOSE | re.ASCII,
)


class _Nothing:
    """Stands for a value that may follow below."""


_FRESH = frozenset({dict, list})
"""Values that are made anew for each place."""


class _Line(NamedTuple):
    """What a line says.

    Parameters
    ----------
    column
        Where its first dash or its key stands.
    dashes
        Items of lists that begin in it.
    key
        Its key; None where it is an item and no more.
    value
        Its value; the class of an empty mapping or list, which are made anew each time.
    """

    column: int
    dashes: int
    key: str | None
    value: Any


def parse_block(text: str) -> list[tuple[dict[str, Any], int, int]] | None:
    """Return the documents of a text, each with the first of its lines and the one after its last, from 0.

    Returns
    -------
    list or None
        None where a line is not plain, or the lines are not laid out as those of mappings are.
    """
    if not text.isascii() or "\r" in text:
        return None
    found = []
    lines = text.split("\n")
    try:
        said = {line: _said(line) for line in set(lines)}  # many lines say the same
        for begin, end in _spans(lines):
            document = _document(filter(None, map(said.__getitem__, lines[begin:end])))
            if document:
                found.append((document, begin, end))
    except ValueError:
        return None
    return found


def _spans(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Yield where each document begins and ends."""
    begin = 0
    for number, line in enumerate(lines):
        if line == SEPARATOR:
            yield begin, number
            begin = number + 1
    yield begin, len(lines)


def _said(line: str) -> _Line | None:
    """Return what a line says; None where that is nothing, ValueError where it is not plain."""
    bare = line.lstrip(" ")
    if not bare or bare[0] == "#" or line == SEPARATOR:
        return None
    match = _LINE.fullmatch(line)
    if match is None:
        raise ValueError(line)
    groups = match.groupdict()
    key = groups["key"]
    indent, dashes = len(groups["indent"]), len(groups["dashes"]) // 2
    return _Line(indent, dashes, None if key is None else key_text(resolve(key)), _value(groups))


def _value(groups: Mapping[str, str | None]) -> Any:
    """Return the value of a line."""
    if groups["plain"] is not None:
        return resolve(groups["plain"])
    quoted = groups["double"] if groups["single"] is None else groups["single"]
    if quoted is not None:
        return quoted
    return {"{}": dict, "[]": list, None: _Nothing}[groups["empty"]]


class _Open:
    """Mappings and lists that are not complete, from the outermost to the innermost."""

    def __init__(self, root: dict[str, Any]) -> None:
        self.top: Any = root
        self._holders: list[Any] = [root]
        self._columns = [0]
        # The key of the innermost mapping whose value may be below it.
        self.awaiting: str | None = None

    def enter(self, column: int, holder: Any) -> None:
        """Begin a mapping or list: as the value of the key that awaits one, else as the next item."""
        if len(self._holders) >= DEEPEST:
            raise ValueError("nests too deep")
        if self.awaiting is None:
            self.top.append(holder)
        else:
            self.top[self.awaiting] = holder
            self.awaiting = None
        self.top = holder
        self._holders.append(holder)
        self._columns.append(column)

    def leave(self, column: int, wanted: type) -> None:
        """Go back to the mapping or list that stands at a column."""
        self.awaiting = None
        columns, holders = self._columns, self._holders
        while columns[-1] > column or (columns[-1] == column and type(holders[-1]) is not wanted):
            columns.pop()
            holders.pop()
            if not columns:
                raise ValueError("does not line up")
        if columns[-1] != column:
            raise ValueError("does not line up")
        self.top = holders[-1]

    def begins_below(self, column: int, *, item: bool) -> bool:
        """Tell whether a column is where the value of the awaiting key begins; items need no indentation."""
        return self.awaiting is not None and (
            column > self._columns[-1] or (item and column == self._columns[-1])
        )


def _document(lines: Iterable[_Line]) -> dict[str, Any]:
    """Return the mapping that lines write.

    Raises
    ------
    ValueError
        Where they do not line up, or a key stands there twice.
    """
    root: dict[str, Any] = {}
    place = _Open(root)
    for column, dashes, key, value in lines:
        if dashes:
            _begin_items(place, column, dashes)
        if key is None:
            if not dashes or value is _Nothing:
                raise ValueError("is neither a key nor an item")
            place.top.append(value() if value in _FRESH else value)
            continue
        at = column + 2 * dashes
        if dashes or place.begins_below(at, item=False):
            place.enter(at, {})
        else:
            place.leave(at, dict)
        if key in place.top:
            raise ValueError("stands there twice")
        if value is _Nothing:
            place.top[key], place.awaiting = None, key
        else:
            place.top[key] = value() if value in _FRESH else value
    return root


def _begin_items(place: _Open, column: int, dashes: int) -> None:
    """Go to the list that the first dash of a line belongs to, or begin it, and begin those of the others."""
    if place.begins_below(column, item=True):
        place.enter(column, [])
    else:
        place.leave(column, list)
    for number in range(1, dashes):
        place.enter(column + 2 * number, [])
