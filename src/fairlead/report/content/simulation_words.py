"""A simulation in numbers and sentences: what was asked, what comes of it, and why."""

from __future__ import annotations

from collections.abc import Sequence

from fairlead.models.problem import Problem
from fairlead.models.rules import Duplicated, duplicated, total
from fairlead.models.words import counted, listed, plural
from fairlead.report.amounts import happening
from fairlead.report.content.fleet import Change
from fairlead.report.content.fullness import format_fullness
from fairlead.report.content.outcome import explanation, told_shortages
from fairlead.report.content.outcome import verdict as verdict_on
from fairlead.report.content.scenarios import (
    failures,
    sweep_words,
)
from fairlead.solver.simulate.changes import Add, At
from fairlead.solver.simulate.changes import Change as Asked
from fairlead.solver.simulate.result import Effect, Simulation, effects

FULLEST = 5
"""Clusters that fill first which are named before the rest is counted."""


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
    limits = [one for one in simulation.changes if isinstance(one, At)]
    if limits[-1:] != [At("max")]:
        return []
    named = [
        f"{one.cluster} ({one.resource} {format_fullness(one.share)})"
        for one in simulation.fullest
        if one.share  # an empty cluster does not fill
    ]
    return [f"Fills first: {listed(named, 'cluster', shown=FULLEST)}."] if named else []


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


def what_happens(effect: Effect) -> str:
    """Return what happens to one workload, such as ``member1 3 -> 0, member2 3 -> 5; 2 unplaced``."""
    shifts = ", ".join(f"{name} {before} -> {after}" for name, before, after in effect.shifts)
    return "; ".join(filter(None, (shifts, f"{effect.unplaced} unplaced" if effect.unplaced else "")))
