"""Plain texts and parsed documents taken as they are, where nothing about them needs a closer look.

Most files hold nothing unusual. They are parsed at once, without lines; what might be a mistake, or might be
read differently by the reader of YAML, is left to that. So the answers are the same, only sooner.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, compress, repeat
from operator import is_
from typing import Any, NamedTuple

import orjson

from fairlead.manifests.yaml.builder import DEEPEST
from fairlead.manifests.yaml.scalars import EXACT_FLOATS, key_text, resolve, whole
from fairlead.models.uncollected import uncollected

_CONTAINERS = frozenset({dict, list})
_EXACT: frozenset[type] = frozenset({str, int, bool, type(None), dict, list})
_WITH_FLOATS = _EXACT | {float}

# JSON allows space between a key and its colon; hardly anybody writes one.
_SPACED_COLON = tuple(f"{space}:" for space in " \t\n\r")
_SPACED_KEY = re.compile(r'(?<!\\)(?:\\\\)*"\s*:')


def parse_json(text: str) -> dict[str, Any] | None:
    """Return the mapping that a text of one JSON object holds.

    None where the text is something else, or needs a closer look: it has a key twice, nests too deep, or has
    numbers that Python and Kubernetes might read differently.
    """
    with uncollected():
        try:
            value = orjson.loads(text)
        except ValueError:
            return None
        keys = _number_of_keys(value, _WITH_FLOATS) if isinstance(value, dict) else None
        return value if keys is not None and keys == _keys_written(text) else None


def copy_plain(value: Mapping[Any, Any]) -> dict[str, Any] | None:
    """Return a copy of a parsed document that is what a parser of JSON makes.

    None where the document is something else: mappings or lists are shared, keys are no text, numbers have a
    fraction.
    """
    if type(value) is not dict:
        return None
    with uncollected():
        if _number_of_keys(value, _EXACT, own=True) is None:
            return None
        try:
            copied: dict[str, Any] = orjson.loads(orjson.dumps(value))
        except (TypeError, ValueError):  # keys that are no text, and what else only Python can hold
            return None
    return copied


def _number_of_keys(root: dict[Any, Any], types: frozenset[type], *, own: bool = False) -> int | None:
    """Return how many keys all mappings have together.

    None where a value is of another type, mappings or lists are shared, or they nest too deep.

    `types`: types that values may have; floats that are whole become ints. `own`: True where mappings and
    lists may be shared.
    """
    mappings: list[dict[Any, Any]] = [root]
    lists: list[list[Any]] = []
    keys = 0
    for _ in range(DEEPEST):
        if own and _shares(mappings, lists):
            return None
        keys += sum(map(len, mappings))
        values = list(chain(chain.from_iterable(map(dict.values, mappings)), chain.from_iterable(lists)))
        kinds = list(map(type, values))
        found = set(kinds)
        if not found <= types or (float in found and not _made_whole(mappings, lists)):
            return None
        if found.isdisjoint(_CONTAINERS):
            return keys
        mappings, lists = (_of_type(each, values, kinds, found) for each in (dict, list))
    return None


def _of_type(kind: type, values: list[Any], kinds: list[type], found: set[type]) -> list[Any]:
    """Return the values of a type, of which there are many: types of all, and which there are, are known."""
    if found == {kind}:
        return values
    return list(compress(values, map(is_, kinds, repeat(kind)))) if kind in found else []


def _shares(mappings: list[dict[Any, Any]], lists: list[list[Any]]) -> bool:
    """Tell whether a mapping or list stands at several places, equally deep: others cannot multiply."""
    return len(set(map(id, chain(mappings, lists)))) < len(mappings) + len(lists)


def _made_whole(mappings: list[dict[str, Any]], lists: list[list[Any]]) -> bool:
    """Turn floats without a fraction into ints, as the reader of YAML does; tell whether that is certain."""
    holders: Iterator[tuple[Any, Iterable[tuple[Any, Any]]]] = chain(
        ((one, one.items()) for one in mappings), ((one, enumerate(one)) for one in lists)
    )
    floats = [
        (holder, key, value) for holder, entries in holders for key, value in entries if type(value) is float
    ]
    for holder, key, value in floats:
        if not abs(value) < EXACT_FLOATS:
            return False
        holder[key] = whole(value)
    return True


def _keys_written(text: str) -> int:
    """Return how many keys a JSON text writes, a repeated one each time; it may be more, never fewer."""
    quoted = text.count('":')
    if quoted != text.count(":") and any(colon in text for colon in _SPACED_COLON):
        return sum(1 for _ in _SPACED_KEY.finditer(text))
    if "\\" not in text:
        return quoted
    bare = text.replace("\\\\", "")
    return bare.count('":') - bare.count('\\":')


def as_text(value: object) -> str:
    """Return a document as text that is equal for equal values, whatever the order of keys."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    except (TypeError, ValueError):  # what orjson does not write, such as numbers of more than 64 bits
        return json.dumps(value, sort_keys=True)


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


class _Line(NamedTuple):
    column: int
    """Column where its first dash or its key stands."""
    dashes: int
    """Items of lists that begin in it."""
    key: str | None
    """Key in the line; None where it is an item and no more."""
    value: Any
    """Value in the line; the class of an empty mapping or list, which are made anew each time."""


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
    """Return the content of a line; None where it has none, ValueError where it is not plain."""
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
            top.append(value() if value in _CONTAINERS else value)
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
        top[key] = None if value is _Nothing else value() if value in _CONTAINERS else value
    return root


def _back(path: list[tuple[int, Any]], column: int, wanted: type) -> Any:
    """Go back to the mapping or list that stands at a column."""
    while path and (path[-1][0] > column or (path[-1][0] == column and type(path[-1][1]) is not wanted)):
        path.pop()
    if not path or path[-1][0] != column:
        raise ValueError("does not line up")
    return path[-1][1]
