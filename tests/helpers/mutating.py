"""Mutations of manifests and saved plans: by value, and by character."""

import copy
import json
import random
from typing import Any

import yaml

Path = tuple[str | int, ...]

VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 3, 100, 0.5, 1e308, 2**31 - 1, 2**31, 2**63 - 1, 2**63, 10**40,
    "", "x", "0", "-1", "100", "1e400", "8Ei", "999999999Ei", "1n", "NaN", "Infinity", "25%", "a" * 300,
    "\u202emanifest", "\x1b[31m", "é", "*", "member1", "2026-01-01T00:00:00Z",
    -(2**63), float("nan"), float("-inf"), "0x10", "\u0661", "1e-400", " 1", "1m1", "a\nb", "\ud800",
    "a\u2028b", "=1+1", "::error::x", "../x", "<b>", "yes",
    [], {}, [None], [[]], [{}], {"": 1}, {"a": {"b": {}}}, [1, 2, 3], {"name": "member1"},
)  # fmt: skip
CHARACTERS = (
    "\t",
    "\n",
    " ",
    ":",
    "-",
    "{",
    "}",
    "[",
    "]",
    "&a",
    "*a",
    "!!int ",
    "|",
    ">",
    "'",
    '"',
    "#",
    "---\n",
    "\0",
    "<<: ",
    "é",
    "\r\n",
    "\ufeff",
    "\u2028",
    "!!binary ",
    "? ",
)


def paths_of(value: Any, path: Path = ()) -> list[Path]:
    """Return the paths of all values inside a value."""
    found: list[Path] = []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        found.append((*path, key))
        found.extend(paths_of(item, (*path, key)))
    return found


def mutated(value: Any, chance: random.Random) -> Any:
    """Return a copy of a value with one to four changes, or with one that keeps its type."""
    changed = copy.deepcopy(value)
    gentle = chance.random() < 0.5
    for _ in range(1 if gentle else chance.choice((1, 1, 1, 2, 3, 4))):
        paths = paths_of(changed)
        if not paths:
            break
        *way, last = chance.choice(paths)
        holder = changed
        for step in way:
            holder = holder[step]
        if gentle:
            holder[last] = _alike(holder[last], chance)
        else:
            _change(holder, last, paths, changed, chance)
    return changed


def _alike(value: Any, chance: random.Random) -> Any:
    """Return another value of the same type."""
    alike = [each for each in VALUES if type(each) is type(value)]
    return copy.deepcopy(chance.choice(alike or VALUES))


def _change(holder: Any, key: Any, paths: list[Path], whole: Any, chance: random.Random) -> None:
    """Change one entry of a mapping or list."""
    kind = chance.random()
    if kind < 0.3:
        holder[key] = _alike(holder[key], chance)
    elif kind < 0.5:
        holder[key] = copy.deepcopy(chance.choice(VALUES))
    elif kind < 0.65:
        del holder[key]
    elif kind < 0.8:
        other: Any = whole
        for step in chance.choice(paths):
            other = other[step]
        holder[key] = copy.deepcopy(other)
    elif kind < 0.88 and isinstance(holder, dict):
        holder[chance.choice(("unknown", "", "spec", "name", "0"))] = copy.deepcopy(chance.choice(VALUES))
    elif kind < 0.94 and isinstance(holder, list) and isinstance(key, int):
        holder.extend(copy.deepcopy(holder[key]) for _ in range(chance.choice((1, 2, 50))))
    else:
        deep = holder[key]
        for _ in range(chance.choice((1, 5, 90, 200))):
            deep = {"a": deep} if chance.random() < 0.5 else [deep]
        holder[key] = deep


def scrambled(text: str, chance: random.Random) -> str:
    """Return a text with a few characters changed, or cut off."""
    for _ in range(chance.choice((1, 1, 2, 5))):
        at = chance.randrange(len(text) + 1)
        kind = chance.random()
        if kind < 0.5:
            text = text[:at] + chance.choice(CHARACTERS) + text[at:]
        elif kind < 0.8:
            text = text[:at] + text[at + chance.choice((1, 3, 20)) :]
        elif kind < 0.9:
            text = text[:at]
        else:
            other = chance.randrange(len(text) + 1)
            text = text[:at] + text[other : other + 200] + text[at:]
    return text


def written(documents: list[Any], chance: random.Random) -> str:
    """Return mutated documents as text: JSON or YAML, one after the other or as one list."""
    chosen = {chance.randrange(len(documents)) for _ in range(chance.choice((1, 1, 2, 3)))}
    changed = [mutated(each, chance) if at in chosen else each for at, each in enumerate(documents)]
    chance.shuffle(changed)
    if chance.random() < 0.1 and changed:
        changed.append(copy.deepcopy(chance.choice(changed)))
    if chance.random() < 0.15:
        changed = [{"apiVersion": "v1", "kind": "List", "items": changed}]
    spelled = _as_yaml if chance.random() < 0.4 else _as_json
    text = "---\n".join(spelled(each, chance) for each in changed)
    if chance.random() < 0.25:
        text = scrambled(text, chance)
    ends = chance.random()
    return text.replace("\n", "\r\n") if ends < 0.05 else f"\ufeff{text}" if ends < 0.1 else text


def _as_json(document: Any, chance: random.Random) -> str:
    """Return a document as JSON, on many lines or on one."""
    return json.dumps(document, indent=chance.choice((1, 1, 4, None))) + "\n"


def _as_yaml(document: Any, chance: random.Random) -> str:
    """Return a document as YAML in one of its layouts; what YAML cannot hold stays JSON."""
    try:
        return yaml.safe_dump(
            document,
            sort_keys=False,
            indent=chance.choice((2, 4)),
            width=chance.choice((40, 1000)),
            default_flow_style=chance.choice((False, False, None)),
            allow_unicode=chance.random() < 0.5,
        )
    except (yaml.YAMLError, ValueError, RecursionError):
        return _as_json(document, chance)
