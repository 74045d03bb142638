"""A simulation: what happens, what no longer fits, and what is so anyway; the rest is counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice

from fairlead.models.outcome import Attained
from fairlead.models.rules import duplicated, total
from fairlead.models.words import counted, format_number, format_percent, listed
from fairlead.report.amounts import happening
from fairlead.report.blocks import (
    NOTHING,
    Brief,
    Cell,
    Column,
    Line,
    Row,
    Table,
    Text,
    Tone,
    cells,
    columns,
    first_lines,
    some,
    table,
    texts,
)
from fairlead.report.content.fullness import cluster_shifts
from fairlead.report.content.outcome import SHOWN, explanation, remarks
from fairlead.report.content.outcome import verdict as verdict_on
from fairlead.report.content.plan import shift_cells
from fairlead.report.terminal import Look
from fairlead.solver.simulate.changes import At
from fairlead.solver.simulate.result import Effect, Scenario, Simulation, effects

AT_ONCE = 5
"""Rules that are broken at once which are shown before the rest is counted."""
FULLEST = 5
"""Clusters that fill first which are named before the rest is counted."""
MORE = "  ... and {}; -o wide shows them all"

WORKLOADS = columns("~Workload", ">Replicas", ">Moved", ">Lost", ">Started", ">Stopped", ">Unplaced")
SHIFTS = columns("~Workload", "~Cluster", ">Now", ">After", ">Change")
LEVELS = columns("Objective", ">Before", ">After")
SCENARIOS = columns("Result", ">Unplaced", ">Violations", ">Moved", ">Lost", "~Workloads")
_EFFECTS = columns("Workload", "Moved", "Lost", "Started", "Unplaced", "Clusters")
_TRIED = columns("Scenario", "Result", "Moved", "Lost")


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


def brief(simulation: Simulation) -> Brief:
    """Return the simulation as notebooks show it: the workloads that change, the scenarios, the verdicts."""
    changing = [
        cells(one.workload, one.moved, one.lost, one.started, one.unplaced, shifts_text(one))
        for one in simulation.caused
    ]
    tried = [cells(str(one.change), told(one), one.moved, one.lost) for one in simulation.scenarios]
    tables = [
        table(head, rows).first(SHOWN, "", "... and {}")
        for head, rows in ((_EFFECTS, changing), (_TRIED, tried))
        if rows
    ]
    below = [[verdict(simulation)]] if simulation.changed else []
    below += [[scenario_verdict(simulation)]] if simulation.scenarios else []
    return Brief(title(simulation), (), tables, below)


def terminal(simulation: Simulation, look: Look) -> list[list[Line]]:
    """Return everything that a terminal shows.

    Without headers one flat table for scripts is left: the scenarios, or else the clusters of workloads that
    change.
    """
    if not look.headers:
        return [[_scenarios(simulation)] if simulation.scenarios else some(_shifts(simulation))]
    shown = look.few(SHOWN)
    groups: list[list[Line]] = [[Text(title(simulation), "bold")]]
    if simulation.changed:
        groups += [_workloads(simulation, look), some(_shifts(simulation).first(shown, "change"))]
        groups += [cluster_shifts(simulation, look), _levels(simulation) if look.wide else []]
        groups += [_at_once(simulation, look), _verdict(simulation, look)]
    if simulation.scenarios:
        groups += [[_scenarios(simulation).first(shown, "scenario")], _failing(simulation, look)]
    return groups


def _workloads(simulation: Simulation, look: Look) -> list[Line]:
    """Return a row per workload that changes, the gravest first, and how many do not."""
    changing = _changing(simulation)
    known = simulation.after.problem.workload_by_key
    rows = (
        (Cell(one.workload, "bold"), *cells(known[one.workload].replicas), *_numbers(one)) for one in changing
    )
    lines = some(table(WORKLOADS, rows).first(look.few(SHOWN), "workload"))
    same = len(simulation.effects) - len(changing)
    if same:
        stay = f"No difference to {counted(same, 'other workload')}."
        lines.append(Text(stay, "dim"))
    return lines


def _changing(simulation: Simulation) -> list[Effect]:
    """Return what happens to the workloads to which the changes make a difference, the gravest first."""
    return sorted(simulation.caused, key=lambda one: (-one.unplaced, -one.lost - one.moved, one.workload))


def _numbers(effect: Effect) -> Iterator[Cell]:
    """Yield the numbers of one workload."""
    yield _number(effect.moved, "notice")
    yield _number(effect.lost, "notice")
    yield _number(effect.started)
    yield _number(effect.stopped)
    yield _number(effect.unplaced, "bad")


def _number(number: int, tone: Tone = "") -> Cell:
    """Return a number; zeros are quiet."""
    return Cell(str(number), tone) if number else NOTHING


def _shifts(simulation: Simulation) -> Table:
    """Return a row per workload and cluster where the number of replicas changes."""
    here = simulation.after.problem.cluster_by_name
    rows: list[Row] = []
    for one in _changing(simulation):
        for cluster, before, after in one.shifts:
            *place, then, change = shift_cells(one.workload, cluster, before, after)
            rows.append((*place, then if cluster in here else Cell("gone", "notice"), change))
    return table(SHIFTS, rows)


def _levels(simulation: Simulation) -> list[Line]:
    """Return the levels of the objective before and after."""
    pairs = level_pairs(simulation)
    return some(table(LEVELS, ((Cell(name), _value(before), _value(after)) for name, before, after in pairs)))


def level_pairs(simulation: Simulation) -> list[tuple[str, Attained | None, Attained | None]]:
    """Return the levels of both placements side by side; the n-th level of a name belongs to the n-th."""
    here, there = _by_number(simulation.before.objectives), _by_number(simulation.after.objectives)
    places = dict.fromkeys([*there, *here])
    return [(place[0], here.get(place), there.get(place)) for place in places]


def _by_number(levels: Sequence[Attained]) -> dict[tuple[str, int], Attained]:
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
    broken = [f"  {violation}" for violation in simulation.broken_at_once]
    return texts(
        ["Violated until then:", *first_lines(broken, look.few(AT_ONCE), "rule", MORE)] if broken else []
    )


def _verdict(simulation: Simulation, look: Look) -> list[Line]:
    """Return what comes of the changes, its first word toned, and what does not fit."""
    why = first_lines(reasons(simulation), look.few(SHOWN), "line", MORE)
    below = [*fills_first(simulation), *remarks(simulation.after), *why]
    return [*texts(already(simulation)), _toned(verdict(simulation)), *texts(below)]


def fills_first(simulation: Simulation) -> list[str]:
    """Say which clusters are the fullest where autoscalers are at their maximum; a line, or none."""
    if At("max") not in simulation.changes or not simulation.fullest:
        return []
    named = [
        f"{one.cluster} ({one.resource} {format_percent(one.share or Fraction(0))})"
        for one in simulation.fullest
    ]
    return [f"Fills first: {listed(named, 'cluster', shown=FULLEST)}."]


def _toned(text: str) -> Text:
    """Return a verdict with its first words toned."""
    if text.startswith("Fits"):
        return Text(text, "good", len("Fits"))
    return Text(text, "bad", len(text.partition(":")[0].partition(" in ")[0]))


def _scenarios(simulation: Simulation) -> Table:
    """Return a row per scenario, the worst first."""
    what = {"drain": "cluster", "at": "autoscalers"}.get(simulation.sweep or "", simulation.sweep or "")
    return table((Column(what), *SCENARIOS), map(_scenario, simulation.scenarios))


def _scenario(scenario: Scenario) -> Row:
    """Return the row of one scenario."""
    unplaced = [f"{key} {count}" for key, count in scenario.unplaced.items()]
    return (
        Cell(scenario.name, "bold"),
        Cell("fits", "good") if scenario.fits else Cell("does not fit", "bad"),
        _number(sum(scenario.unplaced.values()), "bad"),
        _number(len(scenario.broken), "bad"),
        _number(scenario.moved),
        _number(scenario.lost),
        Cell(listed(unplaced, "workload") or "-"),
    )


def _failing(simulation: Simulation, look: Look) -> list[Line]:
    """Return the verdict on all scenarios, and which rules give way in the worst of them."""
    lines: list[str] = []
    for scenario in islice((one for one in simulation.scenarios if one.broken), look.few(AT_ONCE)):
        lines.append(f"{scenario.change}:")
        lines += first_lines((f"  {text}" for text in scenario.broken), look.few(AT_ONCE), "", MORE)
    anyway = [] if simulation.changes else already(simulation)
    return [*texts(anyway), _toned(scenario_verdict(simulation)), *texts(lines)]


def title(simulation: Simulation) -> str:
    """Return the question, such as ``What if: drain member1, lose region eu``."""
    asked = ", ".join(map(str, simulation.changes))
    if simulation.sweep is None:
        return f"What if: {asked or 'nothing changes'}"
    each = f"{sweep_words(simulation.sweep)} ({counted(len(simulation.scenarios), 'scenario')})"
    return f"What if: {asked}, then {each}" if asked else f"What if: {each}"


def sweep_words(sweep: str) -> str:
    """Return what the scenarios of a sweep have in common, such as ``lose any one region``."""
    if sweep == "drain":
        return "drain any one cluster"
    if sweep == "at":
        return "scale to the minimum, and to the maximum, of every autoscaler"
    return (
        f"lose any one {sweep}" if sweep in ("cluster", "region", "zone", "provider") else f"lose any {sweep}"
    )


def verdict(simulation: Simulation) -> str:
    """Return what comes of the changes, in one sentence."""
    if simulation.after.placement is None:
        return verdict_on(simulation.after)
    happens = _happens(simulation.caused)
    if simulation.after.fits:
        return f"Fits: {happens}."
    unplaced = {one.workload: one.unplaced for one in simulation.effects if one.unplaced}
    rules = [one for one in simulation.broken if one.rule not in (total.KIND, duplicated.KIND)]
    return f"Does not fit: {', '.join(_failures(unplaced, len(rules)))}; {happens}."


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


def _failures(unplaced: Mapping[str, int], rules: int) -> Iterator[str]:
    """Yield what does not fit: unplaced replicas by workload, other rules by number."""
    if unplaced:
        where = listed([f"{key} {count}" for key, count in unplaced.items()], "workload")
        yield f"{counted(sum(unplaced.values()), 'replica')} unplaced ({where})"
    if rules:
        yield f"{counted(rules, 'rule')} violated"


def already(simulation: Simulation) -> list[str]:
    """Return what is so without the changes too: what does not fit, and what is to be moved; a line each."""
    lines: list[str] = []
    before = simulation.before
    if before.placement is None:
        lines.append(f"Before the change already: {verdict_on(before)}")
    elif not before.fits:
        found = len(before.shortfalls) or len(before.violations)
        lines.append(f"Before the change already, not everything fits: {counted(found, 'shortfall')}.")
    moving = [effect for effect in effects(before, before) if effect.started or effect.stopped]
    if moving:
        where = counted(len(moving), "workload")
        lines.append(f"Before the change already, {_happens(moving)} in {where}.")
    return lines


def reasons(simulation: Simulation) -> list[str]:
    """Return why not everything fits, a line each; empty where it does."""
    if simulation.after.placement is None:
        return explanation(simulation.after)
    return [f"  {violation.text}" for violation in simulation.broken]


def scenario_verdict(simulation: Simulation) -> str:
    """Say of how many scenarios everything fits; empty where none was tried."""
    scenarios = simulation.scenarios
    if not scenarios:
        return ""
    bad = [scenario for scenario in scenarios if not scenario.fits]
    if not bad:
        return f"Fits: everything can be placed in each of the {counted(len(scenarios), 'scenario')}."
    worst = f"worst: {bad[0].change}, {told(bad[0])}"
    return f"Does not fit in {len(bad)} of {counted(len(scenarios), 'scenario')}; {worst}."


def told(scenario: Scenario) -> str:
    """Say what is missing or gives way in a scenario; ``fits`` where nothing does."""
    return ", ".join(_failures(scenario.unplaced, len(scenario.broken))) or "fits"


def shifts_text(effect: Effect) -> str:
    """Return the clusters of a workload that change, such as ``member1 3 -> 0, member2 3 -> 5``."""
    return ", ".join(f"{name} {before} -> {after}" for name, before, after in effect.shifts)


def _told(effect: Effect) -> str:
    """Return what happens to one workload in words."""
    missing = f"{effect.unplaced} unplaced" if effect.unplaced else ""
    return "; ".join(filter(None, (shifts_text(effect), missing)))
