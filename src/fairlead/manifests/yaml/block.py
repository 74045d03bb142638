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
    column: int
    """Where its first dash or its key stands."""
    dashes: int
    """Items of lists that begin in it."""
    key: str | None
    """Its key; None where it is an item and no more."""
    value: Any
    """Its value; the class of an empty mapping or list, which are made anew each time."""


def parse_block(text: str) -> list[tuple[dict[str, Any], int, int]] | None:
    """Return the documents of a text, each with the first of its lines and the one after its last, from 0.

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
    if groups["plain"] is not None:
        return resolve(groups["plain"])
    quoted = groups["double"] if groups["single"] is None else groups["single"]
    if quoted is not None:
        return quoted
    return {"{}": dict, "[]": list, None: _Nothing}[groups["empty"]]


def _document(lines: Iterable[_Line]) -> dict[str, Any]:  # noqa: C901 - one case a kind of line
    """Return the mapping that lines write.

    Raises `ValueError` where they do not line up, nest too deep, or a key stands there twice.
    """
    root: dict[str, Any] = {}
    # What is not complete, with its column, from the outermost to the innermost; `top` is the innermost, and
    # `awaiting` the key in it whose value may be below. Calls would take most of the time here.
    path: list[tuple[int, Any]] = [(0, root)]
    top: Any = root
    awaiting: str | None = None
    for column, dashes, key, value in lines:
        if dashes:
            if awaiting is not None and column >= path[-1][0]:
                top[awaiting] = top = []
                path.append((column, top))
            else:
                top = _back(path, column, list)
            for number in range(1, dashes):
                holder, top = top, []
                holder.append(top)
                path.append((column + 2 * number, top))
            awaiting = None
        if key is None:
            if not dashes or value is _Nothing or len(path) > DEEPEST:
                raise ValueError("is neither a key nor an item, or nests too deep")
            top.append(value() if value in _FRESH else value)
            continue
        if dashes:
            holder, top = top, {}
            holder.append(top)
            path.append((column + 2 * dashes, top))
        elif awaiting is not None and column > path[-1][0]:
            top[awaiting] = top = {}
            path.append((column, top))
        elif path[-1][0] != column or top.__class__ is not dict:
            top = _back(path, column, dict)
        if key in top or len(path) > DEEPEST:
            raise ValueError("stands there twice, or nests too deep")
        awaiting = key if value is _Nothing else None
        top[key] = None if value is _Nothing else value() if value in _FRESH else value
    return root


def _back(path: list[tuple[int, Any]], column: int, wanted: type) -> Any:
    """Go back to the mapping or list that stands at a column."""
    while path and (path[-1][0] > column or (path[-1][0] == column and type(path[-1][1]) is not wanted)):
        path.pop()
    if not path or path[-1][0] != column:
        raise ValueError("does not line up")
    return path[-1][1]
