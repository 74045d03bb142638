"""What fairlead needs where it runs, and in which versions the lock pins it."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]


def extras() -> tuple[str, ...]:
    """Return the names of the extras, in order."""
    return tuple(sorted(_project()["optional-dependencies"]))


def declared(chosen: Sequence[str] = ()) -> list[str]:
    """Return the names of what fairlead itself asks for, with the chosen extras."""
    texts = list(_project()["dependencies"])
    for extra in chosen:
        texts += _project()["optional-dependencies"][extra]
    return sorted({canonicalize_name(Requirement(text).name) for text in texts})


def needs(name: str) -> list[str]:
    """Return what a distribution of this environment asks for, on any machine and Python, without extras.

    Returns
    -------
    list of str
        Names in order; empty for a distribution that this machine does not need and so does not have.
    """
    try:
        requirements = [Requirement(text) for text in requires(name) or []]
    except PackageNotFoundError:
        return []
    return sorted(
        {canonicalize_name(one.name) for one in requirements if "extra" not in str(one.marker or "")}
    )


def _project() -> dict[str, Any]:
    """Return the table ``project`` of pyproject.toml."""
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


def runtime(chosen: Sequence[str] = ()) -> set[str]:
    """Return the names of everything that fairlead needs at run time, directly or not, with some extras."""
    found: set[str] = set()
    waiting = declared(chosen)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(needs(name))
    return found


def locked_entries() -> Iterator[tuple[str, str]]:
    """Yield the name and the text (pin, marker, hashes) of every entry of the lock."""
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    for entry in re.split(r"\n(?=[A-Za-z0-9])", lock):
        yield canonicalize_name(re.split(r"[=\[ ]", entry, maxsplit=1)[0]), entry


def pins() -> Iterator[tuple[str, str]]:
    """Yield the name and the version of every entry of the lock; a name twice where Pythons differ."""
    for name, entry in locked_entries():
        if found := re.match(r"[^=]+==([^\s;]+)", entry):
            yield name, found[1]
