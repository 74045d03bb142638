"""A simulation: what happens, what no longer fits, and what is so anyway; the rest is counted."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import islice

from fairlead.models.outcome import Attained
from fairlead.models.problem import Problem
from fairlead.models.rules import Duplicated, duplicated, total
from fairlead.models.words import counted, format_number, listed, plural
from fairlead.report.amounts import happening
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
    Change,
    closing,
    cost_lines,
    difference,
    grouped,
    places_of,
    sum_columns,
    unproven,
)
from fairlead.report.content.fullness import cluster_shifts, format_fullness
from fairlead.report.content.next_steps import Step, again, command, instead, is_given, longer, steps_of
from fairlead.report.content.outcome import SHOWN, explanation, remarks, told_breaches, told_shortages
from fairlead.report.content.outcome import verdict as verdict_on
from fairlead.report.content.plan import shift_cells
from fairlead.report.content.scenarios import (
    empty_additions,
    failures,
    scenario_table,
    scenario_verdict,
    sweep_words,
    told,
)
from fairlead.report.pages import Making
from fairlead.report.tabular import ask_for_column, sorted_by
from fairlead.report.terminal import Look
from fairlead.solver.simulate.changes import Add, At, Drain, Lose, Trial
from fairlead.solver.simulate.changes import Change as Asked
from fairlead.solver.simulate.result import Effect, Simulation, effects

FIRST = 5
"""Reasons, and rules of a kind that are broken, which are shown before the rest is counted."""
FULLEST = 5
"""Clusters that fill first which are named before the rest is counted."""
MORE = "  ... and {} (-A shows all)"

WORKLOADS = columns("~Workload", ">Replicas", ">Moved", ">Lost", ">Unplaced")
SHIFTS = columns("~Workload", "~Cluster", ">Now", ">After", ">Change")
LEVELS = columns("~Objective", ">Before", ">After")


def summary(simulation: Simulation) -> list[str]:
    """Return a short, readable rendering, a line each."""
    lines = [title(simulation)]
    if simulation.changed:
        changing = (f"  {one.workload}: {_told(one)}" for one in simulation.caused)
        lines += [*first_lines(changing, SHOWN, "workload", "  ... and {}")]
        lines += [*already(simulation), verdict(simulation)]
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
    heads = (*WORKLOADS, *columns("~Fewer", "&More"))
    ask_for_column(picked.sort_by, heads, SHIFTS, scenarios.columns, sum_columns(picked.group_by))
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
        found = (
            place
            for one in simulation.effects
            for place in places_of(problem.workload_by_key[one.workload], one.before, one.after)
        )
        return [grouped(found, picked, clusters)]
    changing = gravest(simulation)
    still = [one for one in simulation.effects if not one.caused]
    rows = [
        (
            Cell(one.workload, "bold"),
            *cells(problem.workload_by_key[one.workload].replicas),
            *(number(one.moved, "notice"), number(one.lost, "notice"), number(one.unplaced, "bad")),
            *(() if look.wide else difference(one.before, one.after)),
        )
        for one in (*changing, *(still if picked.every else ()))
    ]
    head = WORKLOADS if look.wide else (*WORKLOADS, *columns("~Fewer", "&More"))
    every = sorted_by(table(head, rows), picked.sort_by).first(look.few(SHOWN), "workload", ALL_SHOWN)
    return [every, *unchanged(simulation)] if rows and not picked.every else some(every)


def unchanged(simulation: Simulation) -> tuple[Text, ...]:
    """Say how many workloads do not change, beside those that do; nothing where all do."""
    still = len(simulation.effects) - len(simulation.caused)
    verb = "does" if still == 1 else "do"
    return (Text(f"{counted(still, 'other workload')} {verb} not change.", "dim"),) if still else ()


def change(simulation: Simulation) -> Change:
    """Return what the changes bring about, in numbers."""
    found = simulation.caused
    moved = sum(one.moved for one in found)
    return Change(
        sum(1 for one in found if one.started or one.stopped or one.lost),
        moved,
        sum(one.started for one in found) - moved,
        sum(one.stopped for one in found) - moved,
        sum(one.unplaced for one in simulation.effects),
        sum(one.lost for one in found),
    )


def gravest(simulation: Simulation) -> list[Effect]:
    """Return what happens to the workloads to which the changes make a difference, the gravest first."""
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
    """Return the value of a level; a dash where it is not there."""
    return NOTHING if level is None else Cell(format_number(level.value))


def _at_once(simulation: Simulation, look: Look) -> list[Line]:
    """Return the rules that are broken until the fleet is repaired."""
    told = told_breaches(simulation.broken_at_once)
    broken = first_lines(map("  {}".format, told), look.few(FIRST), "rule", MORE)
    return texts(["Violated until everything is moved:", *broken] if broken else [])


def _verdicts(simulation: Simulation, look: Look) -> list[Line]:
    """Return what comes of the changes, with what does not fit, and of all scenarios; first words toned."""
    after = simulation.after
    lines = texts(already(simulation))
    if simulation.changed:
        why = first_lines(reasons(simulation), look.few(FIRST), "line", MORE)
        costs = cost_lines(after.problem, simulation.now, after.placement)
        below = [*fills_first(simulation), *remarks(after), *why, *copies_lost(simulation)]
        below += [*empty_additions(simulation), *costs]
        lines.append(_toned(verdict(simulation), fits=after.fits, known=simulation.known))
        lines += texts([*below, *unproven(after)])
    if simulation.scenarios:
        fits = all(one.fits for one in simulation.scenarios)
        known = any(one.answered and one.known and not one.fits for one in simulation.scenarios)
        lines.append(_toned(scenario_verdict(simulation), fits=fits, known=known))
    return lines


def copies_lost(simulation: Simulation) -> list[str]:
    """Say how many lost replicas are copies that every cluster has of its own; a line, or none."""
    workloads = simulation.after.problem.workload_by_key
    copied = (one for one in simulation.caused if workloads[one.workload].rule(Duplicated) is not None)
    count = sum(max(0, one.lost - one.started - one.unplaced) for one in copied)
    verb = "is a copy" if count == 1 else "are copies"
    told = (
        f"{count} of the lost replicas {verb} of Duplicated workloads, which other clusters do not replace."
    )
    return [told] if count else []


def fills_first(simulation: Simulation) -> list[str]:
    """Say which clusters are the fullest where autoscalers are at their maximum; a line, or none."""
    if At("max") not in simulation.changes or not simulation.fullest:
        return []
    named = [
        f"{one.cluster} ({one.resource} {format_fullness(one.share or Fraction(0))})"
        for one in simulation.fullest
    ]
    return [f"Fills first: {listed(named, 'cluster', shown=FULLEST)}."]


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


def title(simulation: Simulation) -> str:
    """Return the question, such as ``What if: drain member1, lose region eu``."""
    asked = ", ".join(_asked(change, simulation.before.problem) for change in simulation.changes)
    if simulation.sweep is None:
        return f"What if: {asked or 'nothing changes'}"
    each = f"{sweep_words(simulation.sweep)} ({counted(len(simulation.scenarios), 'scenario')})"
    return f"What if: {asked}, then {each}" if asked else f"What if: {each}"


def _asked(change: Asked, before: Problem) -> str:
    """Return a change in words, with the names of clusters and workloads that are added."""
    if not isinstance(change, Add):
        return str(change)
    clusters = [one.name for one in change.together.clusters if one.name not in before.cluster_by_name]
    workloads = [one.key for one in change.together.workloads if one.key not in before.workload_by_key]
    found = [
        f"{plural(noun, len(names))} {listed(names, noun)}"
        for noun, names in (("cluster", clusters), ("workload", workloads))
        if names
    ]
    return f"add {listed(found, parted=True)}" if found else str(change)


def verdict(simulation: Simulation) -> str:
    """Return what comes of the changes, in one sentence."""
    if simulation.after.placement is None:
        return verdict_on(simulation.after)
    happens = _happens(simulation.caused)
    if simulation.after.fits:
        return f"Fits: {happens}."
    rules = [one for one in simulation.broken if one.rule not in (total.KIND, duplicated.KIND)]
    left = failures(change(simulation).unplaced, len(rules))
    if not simulation.known:
        return f"Not known whether it fits: {left} when time was over; {happens}. Raise the time limit."
    return f"Does not fit: {left}; {happens}."


def _happens(found: Sequence[Effect]) -> str:
    """Say how many replicas move, are lost, start and stop, such as ``3 replicas move, 2 are lost``."""
    moved = sum(one.moved for one in found)
    numbers = (
        (moved, "moves", "move"),
        (sum(one.lost for one in found), "is lost", "are lost"),
        (sum(one.started for one in found) - moved, "is started", "are started"),
        (sum(one.stopped for one in found) - moved, "is stopped", "are stopped"),
    )
    return happening(numbers, "replica") or "nothing moves"


def already(simulation: Simulation) -> list[str]:
    """Return what is so without the changes too: what does not fit, and what is to be moved; a line each."""
    lines: list[str] = []
    before = simulation.before
    if before.placement is None:
        lines.append(f"Even before the change: {verdict_on(before)}")
    elif not before.fits:
        found = len(before.shortfalls) or len(before.violations)
        lines.append(f"Even before the change, not everything fits: {counted(found, 'shortfall')}.")
    moving = [effect for effect in effects(before, before) if effect.started or effect.stopped]
    if moving:
        where = counted(len(moving), "workload")
        lines.append(f"Even before the change, {_happens(moving)} in {where}.")
    return lines


def reasons(simulation: Simulation) -> list[str]:
    """Return why not everything fits, a line each; empty where it does."""
    if simulation.after.placement is None:
        return explanation(simulation.after)
    return [f"  {line}" for line in told_shortages(simulation.broken)]


def _told(effect: Effect) -> str:
    """Return what happens to one workload, such as ``member1 3 -> 0, member2 3 -> 5; 2 unplaced``."""
    shifts = ", ".join(f"{name} {before} -> {after}" for name, before, after in effect.shifts)
    return "; ".join(filter(None, (shifts, f"{effect.unplaced} unplaced" if effect.unplaced else "")))


def next_steps(simulation: Simulation, making: Making) -> list[Step]:
    """Return what to do after a simulation; after a sweep, to look at the worst that does not fit."""
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
    drained = [
        word for one in simulation.changes if isinstance(one, Drain) for word in ("--drain", one.cluster)
    ]
    if drained and simulation.after.fits and not simulation.sweep:
        steps.append(("Plan the drain, wave by wave:", command("plan", making, *drained)))
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
