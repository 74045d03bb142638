"""Mistakes in a manifest beside its single fields, and their places."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from fairlead.manifests.yaml.documents import Document, Path, field_name, shortened
from fairlead.models.errors import Mistake

T = TypeVar("T")


class Finding(NamedTuple):
    """Mistake below some object."""

    path: Path
    """Field, seen from the object."""
    value: object
    """The offending value; None where there is none to show."""
    message: str
    other: Path | None = None
    """Another field that has to do with it; its line is told too. None where there is none."""
    missing: bool = False
    """True where one of several fields is missing, the one at `path` for example."""

    def within(self, *steps: str | int) -> "Finding":
        """Return the same, seen from further outside."""
        other = None if self.other is None else (*steps, *self.other)
        return self._replace(path=(*steps, *self.path), other=other)


def mistakes(document: Document, findings: Iterator[Finding]) -> Iterator[Mistake]:
    """Say where in a document findings stand."""
    for path, value, message, other, missing in findings:
        shown = "" if value is None else shortened(value)
        beside = "" if other is None else f" ({field_name(other)}, {document.source(other)})"
        yield document.mistake(path, f"{message}{beside}", shown, missing=missing)


def below(where: str | int | Path, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Put a step, or a path, before the paths of findings."""
    steps = where if isinstance(where, tuple) else (where,)
    return (finding.within(*steps) for finding in findings)


def each(items: Iterable[T], check: Callable[[T], Iterable[Finding]]) -> Iterator[Finding]:
    """Yield the findings of a check in every item of a list."""
    for position, item in enumerate(items):
        yield from below(position, check(item))


def crossed(
    fewest: int | None, most: int | None, least: str = "minReplicas", greatest: str = "maxReplicas"
) -> Iterator[Finding]:
    """Refuse a minimum above the maximum beside it; None where one of them is not said.

    `least`, `greatest`: the fields of both.
    """
    if fewest is not None and most is not None and fewest > most:
        yield Finding((least,), fewest, f"must be at most {greatest}, which is {most}")


def repeated(
    values: Sequence[object], field: Path = (), message: str = "is listed twice"
) -> Iterator[Finding]:
    """List values, each in a field of an item of a list, that stand in the list before."""
    for position, value in enumerate(values):
        if value in values[:position]:
            yield Finding((position, *field), value, message)
