"""What fairlead needs where it runs, and in which versions the lock pins it."""

import re
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]


def needs(name: str, extras: Sequence[str] = ()) -> list[str]:
    """Return what a distribution of this environment asks for, on any machine and Python.

    Parameters
    ----------
    extras
        Extras that are asked for as well.

    Returns
    -------
    list of str
        Names in order; empty for a distribution that this machine does not need and so does not have.
    """
    try:
        requirements = [Requirement(text) for text in requires(name) or []]
    except PackageNotFoundError:
        return []
    found = {
        canonicalize_name(one.name)
        for one in requirements
        if "extra" not in str(one.marker or "") or _is_of(one, extras)
    }
    return sorted(found)


def _is_of(requirement: Requirement, extras: Sequence[str]) -> bool:
    """Tell whether a requirement belongs to one of the extras."""
    marker = requirement.marker
    return marker is not None and any(marker.evaluate({"extra": extra}) for extra in extras)


def runtime(extras: Sequence[str] = ()) -> set[str]:
    """Return the names of everything that fairlead needs at run time, directly or not."""
    found: set[str] = set()
    waiting = needs("fairlead", extras)
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
