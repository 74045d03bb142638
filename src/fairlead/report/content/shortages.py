"""What is short, said once for all workloads that are short for the same reason."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fairlead.models.rules import total
from fairlead.models.statement import Violation
from fairlead.models.words import listed


def told_shortages(broken: Iterable[Violation]) -> list[str]:
    """Return a sentence for each rule that is broken, one for all replicas unplaced for the same reason."""
    alike: dict[str | int, list[Violation]] = {}
    for position, one in enumerate(broken):
        alike.setdefault(one.because if one.rule == total.KIND and one.because else position, []).append(one)
    return [every[0].text if len(every) == 1 else _of_several(every) for every in alike.values()]


def _of_several(every: Sequence[Violation]) -> str:
    """Say how many replicas of which workloads are unplaced, with the place of the first."""
    first = every[0]
    names = listed([f"{one.workload} {one.amount}" for one in every], "workload")
    where = f"; {first.source}" if first.source else ""
    return f"{sum(one.amount for one in every)} replicas are unplaced ({names}{where}): {first.because}"
