"""What stands on the page of a simulation: what the changes bring about, and the map of its sweep."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter

from fairlead.models.words import counted
from fairlead.report.blocks import (
    ROWS_OPEN,
    Block,
    Folded,
    Table,
    Text,
    Tone,
    cells,
    columns,
    long_table,
    table,
)
from fairlead.report.content.additions import empty_additions
from fairlead.report.content.costs import cost_lines
from fairlead.report.content.fleet import difference
from fairlead.report.content.outcome import TONES
from fairlead.report.content.scenarios import number, scenario_verdict
from fairlead.report.content.simulation import (
    already,
    change,
    fills_first,
    gravest,
    level_table,
    shift_table,
    title,
    verdict,
)
from fairlead.report.html.attention import Concern, attention_section, calm_words, standing_concerns
from fairlead.report.html.figures import change_figures
from fairlead.report.html.heat import heat_section
from fairlead.report.html.next_steps import steps_of_simulation
from fairlead.report.html.run import making_section
from fairlead.report.html.target import conflict_section, warnings_section
from fairlead.report.html.utilisation import utilisation_section
from fairlead.report.pages import Making, Page, Section
from fairlead.solver.simulate.result import Simulation

WORKLOADS = columns("Workload", ">Replicas", ">Moved", ">Lost", "~Fewer", "~More")
ROWS_SHOWN = 2000
"""Workloads, and clusters of workloads, that tables show."""


def simulation_page(simulation: Simulation, making: Making) -> Page:
    """Return the report of a simulation, of its sweep too."""
    after = simulation.after
    sections = (
        conflict_section(after),
        attention_section(_concerns(simulation), calm_words(after) if simulation.fits else ""),
        steps_of_simulation(simulation, making),
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
    costs = cost_lines(after.problem, simulation.now, after.placement) if after.placement is not None else []
    lead = (title(simulation), *others, *already(simulation), *fills_first(simulation), *costs)
    told = simulation.changed and after.placement is not None
    figures = change_figures(change(simulation), after.problem) if told else ()
    tone = _tone(simulation)
    return Page("Simulation", headline, tone, tuple(map(Text, lead)), figures, sections, making)


def _tone(simulation: Simulation) -> Tone:
    """Return how good it is: good only where everything fits and that is proven."""
    return TONES[simulation.after.status] if simulation.fits else "bad"


def _concerns(simulation: Simulation) -> Iterator[Concern]:
    """Yield what is short or broken: at once, and after everything that can be done is done."""
    if simulation.changed and simulation.after.placement is not None:
        yield Concern("What is short, and why", [one.text for one in simulation.broken], "shortfall")
        at_once = [str(each) for each in simulation.broken_at_once]
        yield Concern("Violated until everything is moved", at_once, "rule", "notice")
        yield Concern("Nothing moves to what is added", [*empty_additions(simulation)], "cluster", "notice")
        yield from standing_concerns(simulation.after)
    known = [one for one in simulation.scenarios if one.answered]
    told = [f"{one.change}: {text}" for one in known for text in one.broken]
    yield Concern("Scenarios in which more than replicas are short", told, "case")
    late = [str(one.change) for one in simulation.scenarios if not one.answered]
    yield Concern("Scenarios that were not answered in time", late, "scenario", "notice")


def _change_section(simulation: Simulation) -> Section:
    """Return what changes by workload, and by workload and cluster."""
    if not simulation.changed or simulation.after.placement is None or not simulation.caused:
        return Section("changes", "What changes", ())
    by_cluster = shift_table(simulation)
    few = len(by_cluster.rows) <= ROWS_OPEN
    blocks: tuple[Block, ...] = (
        long_table(
            _short(_by_workload(simulation)), f"{counted(len(simulation.caused), 'workload')} in detail"
        ),
        Folded("By workload and cluster", (_short(by_cluster),), printed=few),
    )
    still = len(simulation.effects) - len(simulation.caused)
    told = (Text(f"No difference to {counted(still, 'other workload')}.", "dim"),) if still else ()
    return Section("changes", "What changes", (*blocks, *told), brief=True)


def _by_workload(simulation: Simulation) -> Table:
    """Return a row for every workload that changes, the gravest first."""
    problem = simulation.after.problem
    rows = (
        (
            *cells(one.workload, problem.workload_by_key[one.workload].replicas),
            number(one.moved, "notice"),
            number(one.lost, "notice"),
            *difference(one.before, one.after),
        )
        for one in gravest(simulation)
    )
    return table(WORKLOADS, rows, "Replicas that move and are lost, by workload")


def _short(found: Table) -> Table:
    """Return the rows of a table that a page can bear."""
    return found.first(ROWS_SHOWN, "row", "and {}: -o json has them all")
