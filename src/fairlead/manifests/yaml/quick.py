"""JSON and parsed documents taken as they are, where nothing about them needs a closer look.

Most files hold nothing unusual. They are parsed at once, without lines; what might be a mistake, or might be
read differently by the reader of YAML, is left to that. So the answers are the same, only sooner.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, compress, repeat
from operator import is_
from typing import Any

import orjson

from fairlead.manifests.yaml.builder import DEEPEST
from fairlead.manifests.yaml.scalars import EXACT_FLOATS, whole
from fairlead.models.uncollected import uncollected

_CONTAINERS = frozenset({dict, list})
_EXACT: frozenset[type] = frozenset({str, int, bool, type(None), dict, list})
_WITH_FLOATS = _EXACT | {float}

# JSON allows space between a key and its colon; hardly anybody writes one.
_SPACED_COLON = tuple(f"{space}:" for space in " \t\n\r")
_SPACED_KEY = re.compile(r'(?<!\\)(?:\\\\)*"\s*:')


def parse_json(text: str) -> dict[str, Any] | None:
    """Return what a text of one JSON object holds.

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

    Parameters
    ----------
    types
        Types that values may have; floats that are whole become ints.
    own
        True where mappings and lists may be shared.
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
    """Return what a document holds as text that is equal for equal values, whatever the order of keys."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    except (TypeError, ValueError):  # what orjson does not write, such as numbers of more than 64 bits
        return json.dumps(value, sort_keys=True)
