"""A simulation in words: the verdict, what happens, and short renderings for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from fairlead.models.outcome_text import explanation
from fairlead.models.outcome_text import verdict as verdict_on
from fairlead.models.rules import duplicated, total
from fairlead.models.words import counted, listed
from fairlead.solver.simulate.result import Effect, Scenario, Simulation, effects, fits

SHOWN = 20
"""Workloads, scenarios and rules that a short rendering shows before it counts the rest."""


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
    return (
        f"lose any one {sweep}" if sweep in ("cluster", "region", "zone", "provider") else f"lose any {sweep}"
    )


def verdict(simulation: Simulation) -> str:
    """Return what comes of the changes, in one sentence."""
    if simulation.after.placement is None:
        return verdict_on(simulation.after)
    happens = _happens([effect for effect in simulation.effects if effect.caused])
    if fits(simulation.after):
        return f"Fits: {happens}."
    return f"Does not fit: {', '.join(_failures(simulation))}; {happens}."


def _happens(effects_: Sequence[Effect]) -> str:
    """Say how many replicas move, are lost, start and stop, such as ``3 replicas move, 2 are lost``."""
    moved, lost = sum(one.moved for one in effects_), sum(one.lost for one in effects_)
    started, stopped = sum(one.started for one in effects_), sum(one.stopped for one in effects_)
    numbers = (
        (moved, "moves", "move"),
        (lost, "is lost", "are lost"),
        (started - moved, "is started", "are started"),
        (stopped - moved, "is stopped", "are stopped"),
    )
    parts = [(count, one if count == 1 else many) for count, one, many in numbers if count]
    if not parts:
        return "nothing moves"
    first, *others = parts
    head = f"{counted(first[0], 'replica')} {first[1]}"
    return ", ".join([head, *(f"{count} {verb}" for count, verb in others)])


def _failures(simulation: Simulation) -> Iterator[str]:
    """Yield what no longer fits: unplaced replicas by workload, other rules by number."""
    missing = {one.workload: one.unplaced for one in simulation.effects if one.unplaced}
    if missing:
        where = listed([f"{key} {count}" for key, count in missing.items()], "workload")
        yield f"{counted(sum(missing.values()), 'replica')} unplaced ({where})"
    rules = [one for one in simulation.broken if one.rule not in (total.KIND, duplicated.KIND)]
    if rules:
        yield f"{counted(len(rules), 'rule')} {'gives' if len(rules) == 1 else 'give'} way"


def already(simulation: Simulation) -> list[str]:
    """Return what is so without the changes too: what does not fit, and what is to be moved; a line each."""
    lines: list[str] = []
    before = simulation.before
    if before.placement is None:
        lines.append(f"Even without the change: {verdict_on(before)}")
    elif not fits(before):
        found = len(before.shortfalls) or len(before.violations)
        lines.append(f"Even without the change not everything fits: {counted(found, 'shortfall')}.")
    moving = [effect for effect in effects(before, before) if effect.started or effect.stopped]
    if moving:
        where = counted(len(moving), "workload")
        lines.append(f"Even without the change {_happens(moving)}, in {where}.")
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
        return f"Fits: everything has its place in each of the {counted(len(scenarios), 'scenario')}."
    worst = f"the worst is to {bad[0].change}: {told(bad[0])}"
    return f"Does not fit in {len(bad)} of {counted(len(scenarios), 'scenario')}; {worst}."


def told(scenario: Scenario) -> str:
    """Say what is missing or gives way in a scenario; ``fits`` where nothing does."""
    parts: list[str] = []
    missing = sum(scenario.unplaced.values())
    if missing:
        where = listed([f"{key} {count}" for key, count in scenario.unplaced.items()], "workload")
        parts.append(f"{counted(missing, 'replica')} unplaced ({where})")
    if scenario.broken:
        verb = "gives" if len(scenario.broken) == 1 else "give"
        parts.append(f"{counted(len(scenario.broken), 'rule')} {verb} way")
    return ", ".join(parts) or "fits"


def shifts_text(effect: Effect) -> str:
    """Return the clusters of a workload that change, such as ``member1 3 -> 0, member2 3 -> 5``."""
    return ", ".join(f"{name} {before} -> {after}" for name, before, after in effect.shifts)


def to_text(simulation: Simulation) -> str:
    """Return a short, readable rendering."""
    lines = [title(simulation)]
    if simulation.changes or not simulation.scenarios:
        changing = [effect for effect in simulation.effects if effect.caused]
        lines += _shortened([f"  {one.workload}: {_told(one)}" for one in changing], "workload")
        lines += [*already(simulation), verdict(simulation)]
        lines += _shortened(reasons(simulation), "line")
    if simulation.scenarios:
        tried = [f"  {scenario.change}: {told(scenario)}" for scenario in simulation.scenarios]
        lines += [*_shortened(tried, "scenario"), scenario_verdict(simulation)]
    return "\n".join(lines)


def _told(effect: Effect) -> str:
    """Return what happens to one workload in words."""
    missing = f"{effect.unplaced} unplaced" if effect.unplaced else ""
    return "; ".join(filter(None, (shifts_text(effect), missing)))


def _shortened(lines: list[str], noun: str) -> list[str]:
    """Return the first lines, and how many more there are."""
    rest = len(lines) - SHOWN
    return [*lines[:SHOWN], f"  ... and {counted(rest, f'more {noun}')}"] if rest > 0 else lines


def to_html(simulation: Simulation) -> str:
    """Return small tables for notebooks; every text of the input is escaped."""
    parts = [f"<div><p><b>{escape(title(simulation))}</b></p>"]
    changing = [effect for effect in simulation.effects if effect.caused]
    if changing:
        head = ("Workload", "Moved", "Lost", "Started", "Unplaced", "Clusters")
        rows = [
            (one.workload, one.moved, one.lost, one.started, one.unplaced, shifts_text(one))
            for one in changing[:SHOWN]
        ]
        parts.append(_html_table(head, rows, len(changing)))
    if simulation.scenarios:
        tried = [(str(one.change), told(one), one.moved, one.lost) for one in simulation.scenarios[:SHOWN]]
        parts.append(_html_table(("Scenario", "Result", "Moved", "Lost"), tried, len(simulation.scenarios)))
    if simulation.changes or not simulation.scenarios:
        parts.append(f"<p>{escape(verdict(simulation))}</p>")
    if simulation.scenarios:
        parts.append(f"<p>{escape(scenario_verdict(simulation))}</p>")
    return "".join([*parts, "</div>"])


def _html_table(head: Sequence[str], rows: Sequence[Sequence[object]], whole: int) -> str:
    """Return an HTML table of escaped cells, and how many rows are left out."""
    header = "".join(f'<th style="text-align:left">{escape(cell)}</th>' for cell in head)
    body = "".join(
        "<tr>" + "".join(f'<td style="text-align:left">{escape(str(cell))}</td>' for cell in row) + "</tr>"
        for row in rows
    )
    rest = f"<p>... and {whole - len(rows)} more</p>" if whole > len(rows) else ""
    return f"<table><thead><tr>{header}</tr></thead><tbody>{body}</tbody></table>{rest}"
