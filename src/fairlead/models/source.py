"""Where in the input a value was written."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple


class ObjectName(NamedTuple):
    """What tells a Kubernetes object from all others, as its manifest spells it."""

    api_version: str
    kind: str
    name: str
    """Name of the object."""
    namespace: str = ""
    """Empty where the manifest states none."""


@dataclass(frozen=True, order=True)
class Source:
    """File and line of a value; the line may be looked for when it is first asked for (`late`)."""

    file: str
    """Path as the user gave it, ``-`` for standard input, ``<dict>`` for a parsed document."""
    line: int
    """Line number from 1; 0 where there is none (parsed documents)."""
    kind: str = field(default="", compare=False, repr=False)
    """Kind of the manifest; empty where it is not known. Left out of comparisons, like all that follows."""
    path: tuple[str | int, ...] = field(default=(), compare=False, repr=False)
    """Keys and list positions that lead to the value inside the manifest."""
    manifest: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)
    """The manifest, where it is one of fairlead's own kinds or a quota, or where annotations of it say how
    many replicas run where; else None. Do not change it."""
    holder: ObjectName | None = field(default=None, compare=False, repr=False)
    """The object that the value is written in; None where it was not read from a manifest."""

    @property
    def annotation(self) -> str:
        """Name of the annotation that holds the value; empty where it does not stand in one."""
        return str(self.path[-1]) if self.path[-2:-1] == ("annotations",) else ""

    @classmethod
    def late(
        cls,
        file: str,
        line: Callable[[], int],
        kind: str,
        path: tuple[str | int, ...],
        manifest: Mapping[str, Any] | None,
        holder: ObjectName | None,
    ) -> "Source":
        """Return a source whose line is looked for by a function, once, when somebody asks for it."""
        source = cls.__new__(cls)
        source.__dict__.update(
            file=file, kind=kind, path=path, manifest=manifest, holder=holder, _find_line=line
        )
        return source

    @property
    def as_declared(self) -> bool:
        """Whether it holds what is declared, as far as types tell; a line that is found later is a number."""
        line = vars(self).get("line", 0)
        return type(line) is int and isinstance(self.file, str) and isinstance(self.kind, str)

    if not TYPE_CHECKING:  # for type checkers the line is there from the beginning

        def __getattr__(self, name: str) -> Any:
            if name != "line" or "_find_line" not in self.__dict__:
                raise AttributeError(name)
            line = self.__dict__["line"] = self.__dict__["_find_line"]()
            self.__dict__.pop("_find_line", None)
            return line

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


NOWHERE = Source("<dict>", 0)
"""Stands for objects that were made in Python, not read."""
