"""Many workloads at once: what changes in a sentence, and replicas by cluster, region or namespace."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, assert_never, cast

from fairlead.models.outcome import Outcome
from fairlead.models.words import counted
from fairlead.models.workload import Workload
from fairlead.report.blocks import NOTHING, Cell, Line, Row, Table, Text, Tone, cells, columns, table
from fairlead.report.terminal import Look

COMPACT_ABOVE = 10
"""Workloads up to which each gets a table of its own."""

GroupBy = Literal["workload", "cluster", "region", "namespace"]


class Change(NamedTuple):
    """What a placement changes: workloads, and replicas that move, start and stop without moving."""

    workloads: int
    moved: int
    started: int
    stopped: int
    unplaced: int


def change_of(outcome: Outcome) -> Change:
    """Return what a placement changes beside what runs now."""
    every = [_shift(outcome, workload) for workload in outcome.problem.with_replicas]
    return Change(
        sum(1 for more, fewer in every if more or fewer),
        sum(min(more, fewer) for more, fewer in every),
        sum(max(0, more - fewer) for more, fewer in every),
        sum(max(0, fewer - more) for more, fewer in every),
        outcome.missing,
    )


def closing(change: Change) -> str:
    """Return what changes in one line: ``3 workloads change, 41 replicas move, 0 unplaced``."""
    verb = "changes" if change.workloads == 1 else "change"
    parts = [f"{counted(change.workloads, 'workload')} {verb}"]
    parts.append(f"{counted(change.moved, 'replica')} {'moves' if change.moved == 1 else 'move'}")
    parts += [f"{change.started} started"] if change.started else []
    parts += [f"{change.stopped} stopped"] if change.stopped else []
    return f"{', '.join([*parts, f'{change.unplaced} unplaced'])}."


def opening(outcome: Outcome, look: Look) -> list[Line]:
    """Return what comes before the rows of many workloads: what changes; nothing for scripts."""
    return [Text(closing(change_of(outcome)), "bold")] if look.headers else []


def shown_workloads(outcome: Outcome, look: Look) -> Sequence[Workload]:
    """Return the workloads to show one by one: of a large fleet those that change, unless all are wanted."""
    every = outcome.problem.with_replicas
    large = len(every) > COMPACT_ABOVE and look.headers and not look.wide
    if look.picked.changed or (large and not look.picked.every):
        return [workload for workload in every if is_changed(outcome, workload)]
    return every


def resting(outcome: Outcome, look: Look) -> list[Line]:
    """Say how many workloads are not shown; nothing where only those that change were asked for."""
    rest = len(outcome.problem.with_replicas) - len(shown_workloads(outcome, look))
    told = f"and {counted(rest, 'workload')} without a change (-A shows them)"
    return [Text(told, "dim")] if rest and look.headers and not look.picked.changed else []


def is_changed(outcome: Outcome, workload: Workload) -> bool:
    """Tell whether a workload changes, breaks a rule or is not wholly placed."""
    return any(_shift(outcome, workload)) or bool(outcome.unplaced(workload)) or _broken(outcome, workload)


def _broken(outcome: Outcome, workload: Workload) -> bool:
    """Tell whether a rule of the workload is violated."""
    return any(violation.workload == workload.key for violation in outcome.violations)


def _shift(outcome: Outcome, workload: Workload) -> tuple[int, int]:
    """Return how many replicas there are more and fewer, cluster by cluster."""
    placed, held = outcome.placed(workload), workload.current
    more = sum(max(0, count - held.get(name, 0)) for name, count in placed.items())
    fewer = sum(max(0, count - placed.get(name, 0)) for name, count in held.items())
    return more, fewer


@dataclass(slots=True)
class _Sum:
    """Replicas of a group."""

    workloads: int = 0
    before: int = 0
    after: int = 0
    more: int = 0
    fewer: int = 0


def grouped(outcome: Outcome, group_by: str, *, changed: bool = False) -> Table:
    """Return a row per cluster, region or namespace: workloads, and replicas now and in the placement.

    Parameters
    ----------
    outcome
        An outcome with a placement.
    group_by
        ``cluster``, ``region`` or ``namespace``; a cluster without region counts as ``-``.
    changed
        True for the groups only of which some replicas start or stop.
    """
    found: dict[str, _Sum] = {}
    for workload in outcome.problem.with_replicas:
        seen: set[str] = set()
        for cluster, before, after in _places(outcome, workload):
            name = _group(outcome, workload, cluster, cast("GroupBy", group_by))
            one = found.setdefault(name, _Sum())
            one.workloads += name not in seen
            seen.add(name)
            one.before, one.after = one.before + before, one.after + after
            one.more, one.fewer = one.more + max(0, after - before), one.fewer + max(0, before - after)
    kept = ((name, one) for name, one in sorted(found.items()) if not changed or one.more or one.fewer)
    rows = (_row(name, one) for name, one in kept)
    head = columns(group_by.capitalize(), ">Workloads", ">Now", ">Replicas", ">More", ">Fewer")
    return table(head, rows, f"Replicas by {group_by}")


def _places(outcome: Outcome, workload: Workload) -> Iterator[tuple[str, int, int]]:
    """Yield the clusters that hold or held replicas, with both numbers."""
    placed: Mapping[str, int] = outcome.placed(workload)
    for cluster in sorted({*placed, *workload.current}):
        before, after = workload.current.get(cluster, 0), placed.get(cluster, 0)
        if before or after:
            yield cluster, before, after


def _group(outcome: Outcome, workload: Workload, cluster: str, group_by: GroupBy) -> str:
    """Return the group of a workload on a cluster."""
    match group_by:
        case "workload":
            return workload.key
        case "cluster":
            return cluster
        case "region":
            known = outcome.problem.cluster_by_name.get(cluster)
            return (known.region if known else None) or "-"
        case "namespace":
            return workload.namespace or "-"
        case _:
            assert_never(group_by)


def _row(name: str, one: _Sum) -> Row:
    """Return the row of a group."""
    return (
        NOTHING if name == "-" else Cell(name, "bold"),
        *cells(one.workloads, one.before, one.after),
        _signed(one.more, "+", "good"),
        _signed(one.fewer, "-", "notice"),
    )


def _signed(count: int, sign: str, tone: Tone) -> Cell:
    """Return a number with its sign; a dash for none."""
    return Cell(f"{sign}{count}", tone) if count else NOTHING
