"""Which packages that are installed bring rules of their own; nothing of them is loaded here."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "fairlead.extensions"
"""Group of the entry points: a name, and the `fairlead.extending.Extension` that it stands for."""


class Found(NamedTuple):
    """A package that brings something: its name and its version, which may be empty."""

    package: str
    version: str

    def __str__(self) -> str:
        return " ".join(("extension", *filter(None, self)))


def found() -> tuple[Found, ...]:
    """Return the packages that are installed and bring something, by name."""
    every = {
        Found(point.dist.name, point.dist.version) if point.dist else Found(point.module, "")
        for point in points()
    }
    return tuple(sorted(every))


def points() -> Sequence["EntryPoint"]:
    """Return the entry points of all packages that are installed, each once, in the order of their names."""
    from importlib.metadata import entry_points

    every = {(point.name, point.value): point for point in entry_points(group=GROUP)}
    return [every[key] for key in sorted(every)]
