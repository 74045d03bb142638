"""What is short, said once for all workloads that are short of as much for the same reason."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fairlead.models.problem import Problem
from fairlead.models.rules import total
from fairlead.models.statement import Violation
from fairlead.models.words import be, counted, listed


def told_shortages(broken: Iterable[Violation], problem: Problem) -> list[str]:
    """Return a sentence for each rule that is broken, one for workloads of which the same is to be told."""
    alike: dict[object, list[Violation]] = {}
    for position, one in enumerate(broken):
        alike.setdefault(_shared(one, problem) or position, []).append(one)
    return [every[0].text if len(every) == 1 else _of_several(every, problem) for every in alike.values()]


def _shared(one: Violation, problem: Problem) -> object:
    """Return what is the same of those that are told together; None for what is told alone."""
    if one.rule != total.KIND or not one.because or one.workload is None:
        return None
    return one.amount, problem.workload(one.workload).replicas, one.because


def _of_several(every: Sequence[Violation], problem: Problem) -> str:
    """Say what several workloads are short of, with the place of the first."""
    first = every[0]
    wanted = counted(problem.workload(first.workload or "").replicas, "replica")
    names = listed([one.workload or "" for one in every], "workload")
    where = f" ({first.source})" if first.source else ""
    return (
        f"{first.amount} of {wanted} of each of {names} {be(first.amount)} unplaced{where}: {first.because}"
    )
