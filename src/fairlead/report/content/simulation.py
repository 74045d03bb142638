"""A simulation: what happens, what no longer fits, and what is so anyway; the rest is counted."""

import shlex
from collections.abc import Sequence
from itertools import islice

from fairlead.models.outcome import Attained
from fairlead.models.words import format_number
from fairlead.report.blocks import (
    NOTHING,
    Cell,
    Line,
    Row,
    Table,
    Text,
    Tone,
    cells,
    columns,
    first_lines,
    number,
    some,
    table,
    texts,
)
from fairlead.report.content.fleet import (
    ALL_SHOWN,
    ask_for_sorting,
    closing,
    cost_lines,
    difference,
    grouped,
    not_changing,
    places_of,
    unproven,
)
from fairlead.report.content.fullness import cluster_shifts
from fairlead.report.content.next_steps import Step, again, command, instead, is_given, longer, steps_of
from fairlead.report.content.outcome import SHOWN, remarks, told_breaches
from fairlead.report.content.plan import shift_cells
from fairlead.report.content.scenarios import (
    already,
    change,
    copies_lost,
    empty_additions,
    fills_first,
    other_groups,
    reasons,
    scenario_table,
    scenario_verdict,
    title,
    told,
    verdict,
    what_happens,
)
from fairlead.report.pages import Making
from fairlead.report.tabular import sorted_by
from fairlead.report.terminal import Look
from fairlead.solver.simulate.changes import At, Drain, Lose, Trial
from fairlead.solver.simulate.result import Effect, Simulation

FIRST = 5
"""Reasons, and rules of a kind that are broken, which are shown before the rest is counted."""
MORE = "  ... and {} (-A shows all)"

WORKLOADS = columns("~Workload", ">Replicas", ">Moved", ">Lost", ">Unplaced")
CLUSTERS = columns("~Fewer", "&More")
SHIFTS = columns("~Workload", "~Cluster", ">Now", ">After", ">Change")
LEVELS = columns("~Objective", ">Before", ">After")


def summary(simulation: Simulation) -> list[str]:
    """Return a short, readable rendering, a line each."""
    lines = [title(simulation)]
    if simulation.changed:
        changing = (f"  {one.workload}: {what_happens(one)}" for one in simulation.caused)
        lines += [*first_lines(changing, SHOWN, "workload", "  ... and {}")]
        lines += [*already(simulation), verdict(simulation), *other_groups(simulation)]
        lines += first_lines(reasons(simulation), SHOWN, "line", "  ... and {}")
    if simulation.scenarios:
        tried = (f"  {scenario.change}: {told(scenario)}" for scenario in simulation.scenarios)
        lines += [*first_lines(tried, SHOWN, "scenario", "  ... and {}"), scenario_verdict(simulation)]
    return lines


def terminal(simulation: Simulation, look: Look) -> list[list[Line]]:
    """Return everything that a terminal shows.

    Without headers one flat table for scripts is left: the scenarios, or else the clusters of workloads that
    change.
    """
    picked = look.picked
    scenarios = scenario_table(simulation)
    ask_for_sorting(picked, WORKLOADS, CLUSTERS, SHIFTS, scenarios.columns)
    if not look.headers and not picked.group_by:
        only = scenarios if simulation.scenarios else shift_table(simulation)
        return [some(sorted_by(only, picked.sort_by))]
    groups: list[list[Line]] = [[Text(title(simulation), "bold"), *_verdicts(simulation, look)]]
    if simulation.changed and simulation.after.placement is not None:
        groups.append(_workloads(simulation, look))
        groups.append(some(shift_table(simulation)) if look.wide and not picked.group_by else [])
        groups.append([] if picked.group_by else cluster_shifts(simulation.utilisation, look))
        groups.append(some(level_table(simulation)) if look.wide else [])
        groups.append(_at_once(simulation, look))
        groups.append([Text(closing(change(simulation)), "bold")])
    if simulation.scenarios:
        tried = scenarios if simulation.changed else sorted_by(scenarios, picked.sort_by)
        groups += [[tried.first(look.few(SHOWN), "scenario", ALL_SHOWN)], _failing(simulation, look)]
    return groups


def _workloads(simulation: Simulation, look: Look) -> list[Line]:
    """Return a row per workload that changes, the gravest first, and how many do not; or a row per group."""
    picked, problem = look.picked, simulation.after.problem
    if picked.group_by:
        clusters = (*simulation.before.problem.clusters, *problem.clusters)
        standing = (
            place
            for one in simulation.effects
            for place in places_of(problem.workload_by_key[one.workload], one.before, one.after)
        )
        return [grouped(standing, picked, clusters)]
    found = workload_table(simulation, every=picked.every, wide=look.wide)
    every = sorted_by(found, picked.sort_by).first(look.few(SHOWN), "workload", ALL_SHOWN)
    return [every, *unchanged(simulation)] if found.rows and not picked.every else some(every)


def workload_table(simulation: Simulation, *, every: bool = False, wide: bool = False) -> Table:
    """Return a row per workload that changes, the gravest first.

    `every`: whether the others follow. `wide`: whether the clusters are told elsewhere.
    """
    replicas = {one.key: one.replicas for one in simulation.after.problem.workloads}
    still = [one for one in simulation.effects if not one.caused]
    rows = (
        (
            Cell(one.workload, "bold"),
            *cells(replicas[one.workload]),
            *(number(one.moved, "notice"), number(one.lost, "notice"), number(one.unplaced, "bad")),
            *(() if wide else difference(one.before, one.after)),
        )
        for one in (*gravest(simulation), *(still if every else ()))
    )
    head = WORKLOADS if wide else (*WORKLOADS, *CLUSTERS)
    return table(head, rows, "Replicas that move, are lost and are unplaced, by workload")


def unchanged(simulation: Simulation) -> tuple[Text, ...]:
    """Say how many workloads do not change, beside those that do; nothing where all do."""
    still = not_changing(len(simulation.effects) - len(simulation.caused), "other workload")
    return (Text(f"{still}.", "dim"),) if still else ()


def gravest(simulation: Simulation) -> list[Effect]:
    """Return the effects on workloads to which the changes make a difference, the gravest first."""
    return sorted(simulation.caused, key=lambda one: (-one.unplaced, -one.lost - one.moved, one.workload))


def shift_table(simulation: Simulation) -> Table:
    """Return a row per workload and cluster where the number of replicas changes."""
    here = simulation.after.problem.cluster_by_name
    rows: list[Row] = []
    for one in gravest(simulation):
        for cluster, before, after in one.shifts:
            *place, then, change = shift_cells(one.workload, cluster, before, after)
            rows.append((*place, then if cluster in here else Cell("gone", "notice"), change))
    return table(SHIFTS, rows)


def level_table(simulation: Simulation) -> Table:
    """Return the levels of the objective before and after."""
    pairs = level_pairs(simulation)
    return table(LEVELS, ((Cell(name), _value(before), _value(after)) for name, before, after in pairs))


def level_pairs(simulation: Simulation) -> list[tuple[str, Attained | None, Attained | None]]:
    """Return the levels of both placements side by side; the n-th level of a name belongs to the n-th."""
    here, there = _bynumber(simulation.before.objectives), _bynumber(simulation.after.objectives)
    places = dict.fromkeys([*there, *here])
    return [(place[0], here.get(place), there.get(place)) for place in places]


def _bynumber(levels: Sequence[Attained]) -> dict[tuple[str, int], Attained]:
    """Return levels by name, those of one name counted."""
    found: dict[tuple[str, int], Attained] = {}
    for level in levels:
        found[level.name, sum(name == level.name for name, _ in found)] = level
    return found


def _value(level: Attained | None) -> Cell:
    return NOTHING if level is None else Cell(format_number(level.value))


def _at_once(simulation: Simulation, look: Look) -> list[Line]:
    """Return the rules that are broken until the fleet is repaired."""
    told = told_breaches(simulation.broken_at_once)
    broken = first_lines(map("  {}".format, told), look.few(FIRST), "rule", MORE)
    return texts(["Violated until everything is moved:", *broken] if broken else [])


def _verdicts(simulation: Simulation, look: Look) -> list[Line]:
    """Return the verdicts on the changes, with the shortages, and on all scenarios; first words toned."""
    after = simulation.after
    lines = texts(already(simulation))
    if simulation.changed:
        why = first_lines(reasons(simulation), look.few(FIRST), "line", MORE)
        costs = cost_lines(after.problem, simulation.now, after.placement)
        below = [*fills_first(simulation), *remarks(after), *why, *copies_lost(simulation)]
        below += other_groups(simulation)
        below += [*empty_additions(simulation), *costs]
        lines.append(_toned(verdict(simulation), fits=after.fits, known=simulation.known))
        lines += texts([*below, *unproven(after)])
    if simulation.scenarios:
        fits = all(one.fits for one in simulation.scenarios)
        known = any(one.answered and one.known and not one.fits for one in simulation.scenarios)
        lines.append(_toned(scenario_verdict(simulation), fits=fits, known=known))
    return lines


def _toned(text: str, *, fits: bool, known: bool) -> Text:
    """Return a verdict with its first words toned."""
    tone: Tone = "good" if fits else "bad" if known else "notice"
    return Text(text, tone, len(text.partition(":")[0].partition(" in ")[0]))


def _failing(simulation: Simulation, look: Look) -> list[Line]:
    """Return which rules give way in the worst scenarios."""
    lines: list[str] = []
    for scenario in islice((one for one in simulation.scenarios if one.broken), look.few(FIRST)):
        lines.append(f"{scenario.change}:")
        lines += first_lines((f"  {text}" for text in scenario.broken), look.few(FIRST), "", MORE)
    return texts(lines)


def next_steps(simulation: Simulation, making: Making) -> list[Step]:
    """Return the next steps after a simulation; after a sweep, to look at the worst that does not fit."""
    steps = steps_of(simulation.after, "simulate", making) if simulation.changed else []
    worst = next((one for one in simulation.scenarios if not one.fits), None)
    if worst is not None and is_given("--sweep", making):
        closer = instead("simulate", making, "--sweep", *_words(worst.change))
        steps.append(("Look at the worst one:", closer))
    if not simulation.changed and any(not one.answered or not one.known for one in simulation.scenarios):
        more = again("simulate", making, "--time-limit", longer(making))
        steps.append(("Give the search more time:", more))
    if not simulation.sweep and [*empty_additions(simulation)]:
        steps.append(("See what placing everything anew would move:", again("simulate", making, "--fresh")))
    drains = any(isinstance(one, Drain) for one in simulation.changes)
    if drains and simulation.after.fits and not simulation.sweep:
        same = shlex.split(f"{making.changes} {making.asked}")
        steps.append(("Plan the drain, wave by wave:", command("plan", making, *same)))
    return steps


def _words(change: Trial) -> tuple[str, str]:
    """Return the option that makes the change of a scenario."""
    match change:
        case Drain(cluster):
            return "--drain", cluster
        case Lose(name, field):
            return "--lose", name if field == "cluster" else f"{field}={name}"
        case At(limit):
            return "--at", limit
