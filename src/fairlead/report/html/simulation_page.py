"""The page of a simulation: effects of the changes, and the map of its sweep."""

from collections.abc import Iterator
from fractions import Fraction
from operator import itemgetter

from fairlead.models.words import counted
from fairlead.report.blocks import (
    JSON_HAS,
    NOTHING,
    ROWS_OPEN,
    Block,
    Cell,
    Column,
    Folded,
    Row,
    Table,
    Text,
    Tone,
    long_table,
)
from fairlead.report.content.fleet import cost_lines
from fairlead.report.content.fullness import format_fullness, fullest, tone_of
from fairlead.report.content.outcome import TONES, told_breaches, told_shortages
from fairlead.report.content.scenarios import (
    already,
    change,
    copies_lost,
    empty_additions,
    fills_first,
    missing,
    other_groups,
    scenario_table,
    scenario_verdict,
    sweep_words,
    title,
    told,
    verdict,
)
from fairlead.report.content.simulation import level_table, next_steps, shift_table, unchanged, workload_table
from fairlead.report.html.attention import (
    Concern,
    attention_section,
    calm_words,
    change_figures,
    standing_concerns,
)
from fairlead.report.html.sections import conflict_section, making_section, next_section, warnings_section
from fairlead.report.html.utilisation import utilisation_section
from fairlead.report.pages import Making, Page, Section
from fairlead.solver.simulate.result import Simulation
from fairlead.solver.simulate.scenario import Scenario

ROWS_SHOWN = 2000
"""Workloads, and clusters of workloads, that tables show."""


def simulation_page(simulation: Simulation, making: Making) -> Page:
    """Return the report of a simulation, of its sweep too."""
    after = simulation.after
    sections = (
        conflict_section(after),
        attention_section(_concerns(simulation), calm_words(after) if simulation.fits else ""),
        next_section(next_steps(simulation, making)),
        heat_section(simulation),
        utilisation_section(simulation),
        _change_section(simulation),
        Section(
            "target", "Levels before and after", (level_table(simulation),) if simulation.changed else ()
        ),
        warnings_section(after),
        making_section(after, after.seconds, None, making),
    )
    verdicts = [(after.fits, verdict(simulation))] if simulation.changed else []
    if simulation.scenarios:
        verdicts.append((all(one.fits for one in simulation.scenarios), scenario_verdict(simulation)))
    # What does not fit comes first.
    headline, *others = (text for _, text in sorted(verdicts, key=itemgetter(0)))
    costs = cost_lines(after.problem, simulation.now, after.placement)
    told_first = (*fills_first(simulation), *copies_lost(simulation), *other_groups(simulation))
    lead = (title(simulation), *others, *already(simulation), *told_first, *costs)
    told = simulation.changed and after.placement is not None
    figures = change_figures(change(simulation), after.problem) if told else ()
    # Good only where everything fits and that is proven.
    tone: Tone = TONES[after.status] if simulation.fits else "bad" if simulation.known else "notice"
    return Page("Simulation", headline, tone, tuple(map(Text, lead)), figures, sections, making)


def _concerns(simulation: Simulation) -> Iterator[Concern]:
    """Yield shortages and broken rules: at once, and after everything that can be done is done."""
    if simulation.changed and simulation.after.placement is not None:
        short = told_shortages(simulation.broken)
        yield Concern("What is short, and why", short, "shortfall")
        at_once = told_breaches(simulation.broken_at_once)
        yield Concern("Violated until everything is moved", at_once, "rule", "notice")
        yield Concern("Nothing moves to what is added", [*empty_additions(simulation)], "cluster", "notice")
        yield from standing_concerns(simulation.after)
    known = [one for one in simulation.scenarios if one.answered]
    broken = [f"{one.change}: {text}" for one in known for text in one.broken]
    yield Concern("Rules that a scenario breaks", broken, "case")
    perhaps = [f"{one.change}: {told(one)}" for one in known if not one.known]
    yield Concern("Not known whether everything fits: time was over", perhaps, "scenario", "notice")
    late = [str(one.change) for one in simulation.scenarios if not one.answered]
    yield Concern("Scenarios that were not answered in time", late, "scenario", "notice")


def _change_section(simulation: Simulation) -> Section:
    """Return the changes by workload, and by workload and cluster."""
    if not simulation.changed or simulation.after.placement is None or not simulation.caused:
        return Section("changes", "What changes", ())
    by_cluster = shift_table(simulation)
    few = len(by_cluster.rows) <= ROWS_OPEN
    blocks: tuple[Block, ...] = (
        long_table(
            _short(workload_table(simulation)), f"{counted(len(simulation.caused), 'workload')} in detail"
        ),
        Folded("By workload and cluster", (_short(by_cluster),), printed=few),
    )
    return Section("changes", "What changes", (*blocks, *unchanged(simulation)), brief=True)


def _short(found: Table) -> Table:
    return found.first(ROWS_SHOWN, "row", JSON_HAS)


MAP_ROWS, MAP_COLUMNS = 100, 40
"""Scenarios and clusters that the map shows: the worst, and the fullest."""
SCENARIOS_SHOWN, SCENARIOS_OPEN = 1000, 12
"""Scenarios that the table shows, and up to how many it is open."""
UNKNOWN = Cell("?", "notice")
"""Cell of a scenario that was not answered in time."""
HALF = Fraction(1, 2)
"""Used part of a cluster from which on its cell has a colour."""


def heat_section(simulation: Simulation) -> Section:
    """Return the map of a sweep; empty where nothing was tried."""
    scenarios = simulation.scenarios[:MAP_ROWS]
    names = fullest((each for one in scenarios for each in one.fullness.items()), MAP_COLUMNS)
    if not names:
        return Section("sweep", "", ())
    what = scenario_table(simulation).columns[0]
    head = (what, Column("Unplaced", right=True), *(Column(name) for name in names))
    caption = (
        "How full the fullest resource of every cluster becomes. Green: half or more. Amber: 90% or more. "
        "Red: over 100%, or unplaced replicas. Off: lost or drained. ?: not answered in time. "
        "The worst is on top."
    )
    shown = Table(caption, head, tuple(_scenario_row(one, names) for one in scenarios), heat=True)
    every = {name for one in simulation.scenarios for name in one.fullness}
    blocks: list[Block] = [shown]
    if len(every) > len(names) or len(simulation.scenarios) > MAP_ROWS:
        rows = counted(len(simulation.scenarios), "scenario")
        told = f"The {len(scenarios)} worst of {rows}, the {len(names)} fullest of {len(every)} clusters."
        blocks.append(Text(told, "dim"))
    every_one = scenario_table(simulation).first(SCENARIOS_SHOWN, "scenario", "and {}")
    blocks.append(
        Folded("What moves, is lost and is unplaced", (every_one,), opened=len(scenarios) <= SCENARIOS_OPEN)
    )
    return Section("sweep", f"What if we {sweep_words(simulation.sweep or '')}", tuple(blocks), brief=True)


def _scenario_row(scenario: Scenario, names: list[str]) -> Row:

    def cell(name: str) -> Cell:
        part = scenario.fullness.get(name)
        if name in scenario.clusters:
            return Cell("off", "dim")
        if part is None:
            return NOTHING
        return Cell(format_fullness(part), tone_of(part) or ("good" if part >= HALF else ""))

    told = missing(scenario) if scenario.unplaced else Cell("0")
    return (Cell(scenario.name), told if scenario.answered else UNKNOWN, *map(cell, names))
