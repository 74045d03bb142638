"""Many workloads at once: changes and their cost, and replicas by cluster, region or namespace."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, NamedTuple, assert_never, cast

from fairlead.models.cluster import Cluster
from fairlead.models.levels import PRICED, Level
from fairlead.models.outcome import Outcome
from fairlead.models.problem import Problem
from fairlead.models.rules import Price
from fairlead.models.rules.moves import stopped
from fairlead.models.words import counted, format_number, format_percent, happening, listed
from fairlead.models.workload import Workload
from fairlead.report.blocks import (
    NOTHING,
    Cell,
    Column,
    Line,
    Row,
    Table,
    Text,
    Tone,
    cells,
    columns,
    number,
    table,
    texts,
)
from fairlead.report.tabular import ask_for_column, sorted_by
from fairlead.report.terminal import Look, Rows

COMPACT_ABOVE = 10
"""Workloads up to which each gets a table of its own."""

TOLD = 4
"""Clusters that gain or lose replicas of a workload which are named before the rest is counted."""

ROWS_SHOWN = 30
"""Rows that a table shows before it counts the rest; a wide table shows all."""
ALL_SHOWN = "... and {} (-A shows all)"

GroupBy = Literal["workload", "cluster", "region", "namespace"]


class ReplicaChanges(NamedTuple):
    """Changes by an answer: workloads, and replicas that move, start or stop without moving, are lost."""

    workloads: int
    moved: int
    started: int
    stopped: int
    unplaced: int
    lost: int = 0


def change_of(outcome: Outcome) -> ReplicaChanges:
    """Return the changes by a placement beside the replicas that run now."""
    every = [shift_of(outcome, workload) for workload in outcome.problem.with_replicas]
    return ReplicaChanges(
        sum(1 for more, fewer in every if more or fewer),
        sum(min(more, fewer) for more, fewer in every),
        sum(max(0, more - fewer) for more, fewer in every),
        sum(max(0, fewer - more) for more, fewer in every),
        outcome.missing,
    )


def closing(change: ReplicaChanges) -> str:
    """Return the changes in one line: ``3 workloads change, 41 replicas move, 0 unplaced``."""
    verb = "changes" if change.workloads == 1 else "change"
    parts = [f"{counted(change.workloads, 'workload')} {verb}"]
    parts.append(f"{counted(change.moved, 'replica')} {'moves' if change.moved == 1 else 'move'}")
    parts += [f"{change.lost} lost"] if change.lost else []
    parts += [f"{change.started} started"] if change.started else []
    parts += [f"{change.stopped} stopped"] if change.stopped else []
    return f"{', '.join([*parts, f'{change.unplaced} unplaced'])}."


def opening(outcome: Outcome, look: Look) -> list[Line]:
    """Return the lines before the rows of many workloads: the changes; none for scripts."""
    if not look.headers:
        return []
    return [Text(closing(change_of(outcome)), "bold"), *texts(unproven(outcome))]


def unproven(outcome: Outcome) -> list[str]:
    """Say of which levels it is not known that they could not be better, in a line; nothing where all are."""
    levels = [level.name for level in outcome.objectives if not level.proven]
    return [f"Not proven best: {listed(levels, 'level')}."] if levels else []


def shown_workloads(outcome: Outcome, look: Look) -> Sequence[Workload]:
    """Return the workloads to show one by one: of a large fleet those that change, unless all are wanted."""
    every = outcome.problem.with_replicas
    large = len(every) > COMPACT_ABOVE and look.headers and not look.wide
    if look.picked.changed or (large and not look.picked.every):
        return [workload for workload in every if is_changed(outcome, workload)]
    return every


def resting(outcome: Outcome, look: Look) -> list[Line]:
    """Say how many workloads are not shown; nothing where only those that change were asked for."""
    shown = len(shown_workloads(outcome, look))
    rest = len(outcome.problem.with_replicas) - shown
    told = not_changing(rest, "other workload" if shown else "workload")
    told = f"{told} (-A shows {'it' if rest == 1 else 'them'})."
    return [Text(told, "dim")] if rest and look.headers and not look.picked.changed else []


def not_changing(count: int, noun: str) -> str:
    """Say how many do not change, such as ``2 other clusters do not change``; empty for none."""
    return happening([(count, "does not change", "do not change")], noun)


def is_changed(outcome: Outcome, workload: Workload) -> bool:
    """Tell whether a workload changes, breaks a rule or is not wholly placed."""
    broken = any(violation.workload == workload.key for violation in outcome.violations)
    return broken or any(shift_of(outcome, workload)) or bool(outcome.unplaced(workload))


def shift_of(outcome: Outcome, workload: Workload) -> tuple[int, int]:
    """Return how many replicas there are more and fewer, cluster by cluster."""
    placed, held = outcome.placed(workload), workload.current
    return stopped(placed, held), stopped(held, placed)


@dataclass(slots=True)
class _Sum:
    """Replicas of a group."""

    workloads: set[str] = field(default_factory=set)
    before: int = 0
    after: int = 0
    more: int = 0
    fewer: int = 0


class ClusterReplicas(NamedTuple):
    """Replicas of a workload on a cluster, now and then."""

    workload: str
    namespace: str
    cluster: str
    before: int
    after: int


def places(outcome: Outcome) -> Iterator[ClusterReplicas]:
    """Yield the workloads and clusters where replicas run or are placed."""
    for workload in outcome.problem.with_replicas:
        yield from places_of(workload, workload.current, outcome.placed(workload))


def places_of(
    workload: Workload, before: Mapping[str, int], after: Mapping[str, int]
) -> Iterator[ClusterReplicas]:
    """Yield the clusters that hold or held replicas of a workload, in name order."""
    for cluster in sorted({*before, *after}):
        here, then = before.get(cluster, 0), after.get(cluster, 0)
        if here or then:
            yield ClusterReplicas(workload.key, workload.namespace or "-", cluster, here, then)


def grouped(found: Iterable[ClusterReplicas], picked: Rows, clusters: Iterable[Cluster]) -> Table:
    """Return a row per workload, cluster, region or namespace: workloads, and replicas now and then.

    `picked`: by what they are grouped and sorted; whether only groups count of which some replicas start or
    stop. A cluster without region counts as ``-``.
    """
    group_by = cast("GroupBy", picked.group_by)
    regions = {cluster.name: cluster.region for cluster in clusters}
    sums: dict[str, _Sum] = {}
    for place in found:
        one = sums.setdefault(_group(place, regions, group_by), _Sum())
        one.workloads.add(place.workload)
        one.before, one.after = one.before + place.before, one.after + place.after
        one.more += max(0, place.after - place.before)
        one.fewer += max(0, place.before - place.after)
    kept = ((name, one) for name, one in sorted(sums.items()) if not picked.changed or one.more or one.fewer)
    rows = (_row(name, one) for name, one in kept)
    return sorted_by(table(sum_columns(group_by), rows, f"Replicas by {group_by}"), picked.sort_by)


def sum_columns(group_by: str) -> Sequence[Column]:
    """Return the head of a row per workload, cluster, region or namespace."""
    return columns(group_by.capitalize(), ">Workloads", ">Now", ">Replicas", ">More", ">Fewer")


def ask_for_sorting(picked: Rows, *heads: Sequence[Column]) -> None:
    """Make sure that a table has the column to sort by: that of sums, else one of those that may be shown.

    Raises `UsageError` where none has.
    """
    ask_for_column(picked.sort_by, *([sum_columns(picked.group_by)] if picked.group_by else heads))


def _group(place: ClusterReplicas, regions: Mapping[str, str | None], group_by: GroupBy) -> str:
    match group_by:
        case "workload":
            return place.workload
        case "cluster":
            return place.cluster
        case "region":
            return regions.get(place.cluster) or "-"
        case "namespace":
            return place.namespace
        case _:
            assert_never(group_by)


def difference(before: Mapping[str, int], after: Mapping[str, int]) -> tuple[Cell, Cell]:
    """Return stopped and started replicas by cluster, most first: ``-3 east``, ``+2 west, +1 south``."""
    changes = {name: after.get(name, 0) - before.get(name, 0) for name in {*before, *after}}
    ordered = sorted(changes.items(), key=lambda one: (-abs(one[1]), one[0]))
    return (
        _several([f"{count} {name}" for name, count in ordered if count < 0], "notice"),
        _several([f"+{count} {name}" for name, count in ordered if count > 0], "good"),
    )


def _several(told: Sequence[str], tone: Tone) -> Cell:
    """Return the first ones, and how many more; a dash for none."""
    if not told:
        return NOTHING
    rest = len(told) - TOLD
    more = [f"{rest} more clusters"] if rest > 1 else told[TOLD:]
    return Cell(", ".join([*told[:TOLD], *more]), tone)


def _row(name: str, one: _Sum) -> Row:
    return (
        NOTHING if name == "-" else Cell(name, "bold"),
        *cells(len(one.workloads), one.before, one.after),
        number(one.more, "good", "+"),
        number(one.fewer, "notice", "-"),
    )


Placed = Mapping[str, Mapping[str, int]]
"""Replicas by workload and cluster."""


def cost_lines(problem: Problem, now: Placed, then: Placed | None) -> list[str]:
    """Return a line per level on which anything has a price; none where nothing has, or without placement.

    `now`, `then`: what runs, and what is compared with it; where nothing runs, nothing is compared.
    """
    priced = [level for level in sorted(PRICED) if _rules(problem, level)]
    return [] if then is None else [_line(problem, level, now, then) for level in priced]


def _line(problem: Problem, level: Level, now: Placed, then: Placed) -> str:
    rules = _rules(problem, level)
    unit = next((rule.currency for rule in rules.values() if rule.currency), "")
    after = sum((rule.total(then.get(key, {})) for key, rule in rules.items()), Fraction(0))
    told = f"{level.name.capitalize()}: {_amount(after, unit)}"
    before = _before(problem, rules, now)
    if before is None:
        return f"{told}."
    if before == after:
        return f"{told}, as now."
    share = f" ({format_percent(abs(after - before) / before)})" if before else ""
    change = f"{_amount(abs(after - before), unit)}{share} {'less' if after < before else 'more'}"
    return f"{told}, {change} than now."


def _rules(problem: Problem, level: Level) -> dict[str, Price]:
    """Return the prices that count on a level, by workload."""
    return {
        workload.key: rule
        for workload in problem.workloads
        for rule in workload.rules_of(Price)
        if rule.level == level
    }


def _before(problem: Problem, rules: Mapping[str, Price], now: Placed) -> Fraction | None:
    """Return the cost of what runs now; None where nothing runs, or some of it is not eligible: no price."""
    held = {key: {name: count for name, count in now.get(key, {}).items() if count} for key in rules}
    eligible = {key: problem.candidates(problem.workload(key)) for key in rules}
    if not any(held.values()) or any(not held[key].keys() <= {*eligible[key]} for key in rules):
        return None
    return sum((rule.total(held[key]) for key, rule in rules.items()), Fraction(0))


def _amount(amount: Fraction, unit: str) -> str:
    return f"{format_number(amount)} {unit}".rstrip()
