"""A sweep as a heat map: what is lost against how full that makes every cluster."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from fairlead.models.words import counted, format_percent
from fairlead.report.blocks import NOTHING, Block, Cell, Column, Folded, Row, Table, Text, Tone
from fairlead.report.content.fullness import tone_of
from fairlead.report.content.scenarios import number, scenario_table, sweep_words
from fairlead.report.pages import Section
from fairlead.solver.simulate.result import Scenario, Simulation

ROWS, COLUMNS = 100, 40
"""Scenarios and clusters that the map shows: the worst, and the fullest."""
SHOWN, FEW = 1000, 12
"""Scenarios that the table shows, and up to how many it is open."""
UNKNOWN = Cell("?", "notice")
"""Of a scenario that was not answered in time."""
HALF = Fraction(1, 2)
"""From here on a cell has a colour."""


def heat_section(simulation: Simulation) -> Section:
    """Return the map of a sweep; empty where nothing was tried."""
    scenarios = simulation.scenarios[:ROWS]
    names = _clusters(scenarios)
    if not names:
        return Section("sweep", "", ())
    what = scenario_table(simulation).columns[0]
    head = (what, Column("Unplaced", right=True), *(Column(name) for name in names))
    caption = (
        "How full the fullest resource of every cluster becomes. Green: half or more. Amber: 90% or more. "
        "Red: over 100%, or unplaced replicas. Off: lost or drained. ?: not answered in time. "
        "The worst is on top."
    )
    shown = Table(caption, head, tuple(_row(one, names) for one in scenarios), heat=True)
    every = {name for one in simulation.scenarios for name in one.fullness}
    blocks: list[Block] = [shown]
    if len(every) > len(names) or len(simulation.scenarios) > ROWS:
        rows = counted(len(simulation.scenarios), "scenario")
        told = f"The {len(scenarios)} worst of {rows}, the {len(names)} fullest of {len(every)} clusters."
        blocks.append(Text(told, "dim"))
    every_one = scenario_table(simulation).first(SHOWN, "scenario", "and {}")
    blocks.append(Folded("What moves, is lost and is unplaced", (every_one,), opened=len(scenarios) <= FEW))
    return Section("sweep", f"What if we {sweep_words(simulation.sweep or '')}", tuple(blocks), brief=True)


def _clusters(scenarios: tuple[Scenario, ...]) -> list[str]:
    """Return the clusters that become fullest in any scenario, in name order."""
    most: dict[str, Fraction] = {}
    for one in scenarios:
        for name, part in one.fullness.items():
            most[name] = max(part, most.get(name, Fraction(0)))
    return sorted(sorted(most, key=lambda name: (-most[name], name))[:COLUMNS])


def _row(scenario: Scenario, names: list[str]) -> Row:
    """Return the row of a scenario."""
    missing = number(sum(scenario.unplaced.values()), "bad") if scenario.answered else UNKNOWN
    return (Cell(scenario.name), missing, *_cells(scenario, names))


def _cells(scenario: Scenario, names: list[str]) -> Iterator[Cell]:
    """Yield how full every cluster becomes."""
    for name in names:
        part = scenario.fullness.get(name)
        if name in scenario.clusters:
            yield Cell("off", "dim")
        elif part is None:
            yield NOTHING
        else:
            tone: Tone = tone_of(part) or ("good" if part >= HALF else "")
            yield Cell(format_percent(part), tone)
