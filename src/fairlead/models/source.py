"""Where in the input a value was written."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class ObjectName(NamedTuple):
    """What tells a Kubernetes object from all others, as its manifest spells it.

    Parameters
    ----------
    api_version, kind, name
        Of the object.
    namespace
        Empty where the manifest states none.
    """

    api_version: str
    kind: str
    name: str
    namespace: str = ""


@dataclass(frozen=True, slots=True, order=True)
class Source:
    """File and line of a value.

    Parameters
    ----------
    file
        Path as the user gave it, ``-`` for standard input, ``<dict>`` for a parsed document.
    line
        Line number from 1; 0 where there is none (parsed documents).
    kind
        Kind of the manifest; empty where it is not known. Left out of comparisons, like all that follows.
    path
        Keys and list positions that lead to the value inside the manifest.
    manifest
        The manifest, where it is one of fairlead's own kinds or a quota, or where annotations of it say how
        many replicas stand where; else None. Do not change it.
    holder
        The object that the value is written in; None where it was not read from a manifest.
    """

    file: str
    line: int
    kind: str = field(default="", compare=False, repr=False)
    path: tuple[str | int, ...] = field(default=(), compare=False, repr=False)
    manifest: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)
    holder: ObjectName | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


NOWHERE = Source("<dict>", 0)
"""Stands for objects that were made in Python, not read."""
