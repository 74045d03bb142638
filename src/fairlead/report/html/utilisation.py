"""The section about how full clusters are: now, in every wave, after; or with every scheduler."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.words import counted, format_percent
from fairlead.report.amounts import short_amount
from fairlead.report.blocks import (
    NOTHING,
    Block,
    Cell,
    Column,
    Folded,
    Panel,
    Panels,
    Table,
    Text,
    cells,
    columns,
    table,
)
from fairlead.report.content.fullness import Course, courses, tone_of
from fairlead.report.html.panels import panel
from fairlead.report.pages import Section
from fairlead.solver.plan.answer import RebalancePlan

PICTURED = 48
"""Clusters that have a panel: the fullest ones."""
WAVES_PICTURED = 60
"""Waves that a panel shows; of more every second one, or every third, ..."""
ROWS_SHOWN = 1000
"""Rows that the table shows."""
AT_A_GLANCE = 3
"""Steps up to which the table has a column for each; else for the first, the highest and the last."""


class Step(NamedTuple):
    """What stands on which clusters, and what that is called."""

    name: str
    problem: Problem
    placement: Placement


def steps_of(plan: RebalancePlan) -> tuple[Step, ...]:
    """Return what stands now, inside of every wave where most does, and in the end."""
    inside = plan.waves.fullest if plan.waves is not None else ()
    every = -(-len(inside) // WAVES_PICTURED) or 1
    waves = [
        Step(f"in wave {number}", plan.problem, one)
        for number, one in enumerate(inside, start=1)
        if number % every == 0
    ]
    target = plan.outcome.placement or Placement({})
    return (Step("now", plan.problem, plan.before), *waves, Step("target", plan.problem, target))


def panels_of(found: Sequence[Course], names: Sequence[str], *, compared: bool) -> tuple[Panel, ...]:
    """Return a panel for every cluster, the fullest first."""
    by_cluster: dict[str, list[Course]] = {}
    for course in found:
        by_cluster.setdefault(course.cluster, []).append(course)
    ranked = sorted(by_cluster.values(), key=lambda rows: (-max(row.most for row in rows), rows[0].cluster))
    return tuple(panel(rows, names, compared=compared) for rows in ranked[:PICTURED])


def utilisation_section(steps: Sequence[Step], note: str = "", *, compared: bool = False) -> Section:
    """Return how full clusters are by resource; without steps, or where nothing is used, nothing.

    Parameters
    ----------
    steps
        What stands, one after the other.
    note
        A sentence more on how the panels are to be read.
    compared
        True where the steps stand side by side, such as the answers of schedulers.
    """
    title = "How full the clusters are"
    names = [step.name for step in steps]
    found = courses([(step.problem, step.placement) for step in steps])
    if not found:
        return Section("utilisation", title, ())
    clusters = len({course.cluster for course in found})
    panels = panels_of(found, names, compared=compared)
    rest = f" The {len(panels)} fullest of {clusters} clusters." if len(panels) < clusters else ""
    blocks: list[Block] = [Panels(f"{_caption(names)}{note}{rest}", panels)]
    blocks.append(
        Folded(f"The numbers of {counted(clusters, 'cluster')}", (_numbers(found, names),), printed=False)
    )
    unknown = {one.name for step in steps for one in step.problem.clusters if one.free is None}
    apart = "1 cluster does" if len(unknown) == 1 else f"{len(unknown)} clusters do"
    blocks += [Text(f"{apart} not report capacity.", "dim")] if unknown else []
    return Section("utilisation", title, tuple(blocks), brief=True)


def _caption(names: Sequence[str]) -> str:
    """Say how the panels are to be read."""
    bars = ", ".join(names if len(names) <= 4 else [names[0], f"{names[1]} to {names[-2]}", names[-1]])
    return (
        f"The share of every resource that is used, by others too. Bars: {bars}. "
        "Dashes: all that the cluster has. Amber: 90% or more. Red: over 100%."
    )


def _numbers(found: Sequence[Course], names: Sequence[str]) -> Table:
    """Return the numbers of the panels."""
    few = len(names) <= AT_A_GLANCE
    shown = (
        [name.capitalize() for name in names]
        if few
        else [names[0].capitalize(), "At most", names[-1].capitalize()]
    )
    head = (*columns("Cluster", "Resource", ">Allocatable"), *(Column(name, right=True) for name in shown))
    rows = (
        (
            *cells(one.cluster, one.resource, short_amount(one.resource, one.whole)),
            *map(_percent, one.parts if few else (one.parts[0], one.most, one.parts[-1])),
        )
        for one in found
    )
    return table(head, rows, "Utilisation").first(ROWS_SHOWN, "row", "and {}: -o json has them all")


def _percent(part: Fraction | None) -> Cell:
    """Return a part as a cell that says where it is high."""
    if part is None:
        return NOTHING
    tone = tone_of(part)
    word = {"bad": " over", "notice": " high"}.get(tone, "")
    return Cell(f"{format_percent(part)}{word}", tone)
