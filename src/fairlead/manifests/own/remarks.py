"""What there is to say about manifests of our own kinds, gathered so that nothing is said twice."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from fairlead.models.source import Source
from fairlead.models.statement import Statement

KIND = "own-kind"
"""Rule of these warnings."""


class Remark(NamedTuple):
    """A warning.

    Parameters
    ----------
    text
        The sentence.
    source
        What it is about.
    workload
        Key of the workload it holds for; None where it holds whatever the workload.
    """

    text: str
    source: Source
    workload: str | None = None


def statements(remarks: Iterable[Remark]) -> Iterator[Statement]:
    """Say what holds for several workloads once, with their names."""
    found: dict[tuple[str, Source], set[str]] = {}
    for text, source, workload in remarks:
        found.setdefault((text, source), set()).update([workload] if workload else [])
    for (text, source), keys in found.items():
        about = f" ({listed(sorted(keys))})" if keys else ""
        yield Statement(KIND, f"{text}{about}", source, next(iter(keys)) if len(keys) == 1 else None)


def listed(names: Sequence[str]) -> str:
    """Return the first three names, and how many more there are."""
    rest = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + rest
