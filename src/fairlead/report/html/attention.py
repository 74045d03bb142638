"""Top of every page: its numbers, and what needs attention, each said once with its cause."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from fairlead.models.outcome import Outcome, Status
from fairlead.models.problem import Problem
from fairlead.models.words import counted, format_number, listed
from fairlead.report.blocks import Block, Heading, Text, Tone, sentences
from fairlead.report.content.fleet import ReplicaChanges, change_of
from fairlead.report.content.fullness import NEARLY, courses, format_fullness
from fairlead.report.content.outcome import remarks, told_breaches, told_shortages
from fairlead.report.pages import Figure, Section
from fairlead.solver.plan.waves import running


def change_figures(change: ReplicaChanges, problem: Problem, *between: Figure) -> tuple[Figure, ...]:
    """Return the figures of the changes; unplaced replicas need attention, and are told there.

    `*between`: figures between the replicas and the workloads, such as the number of waves.
    """
    some = [
        figure(count, one, several)
        for count, one, several in (
            (change.lost, "replica lost", "replicas lost"),
            (change.started, "starts", "start"),
            (change.stopped, "stops", "stop"),
        )
        if count
    ]
    size = counted(len(problem.with_replicas), "workload")
    return (
        figure(change.moved, "replica moves", "replicas move"),
        *some,
        *between,
        figure(change.workloads, f"of {size} changes", f"of {size} change"),
    )


def outcome_figures(outcome: Outcome) -> tuple[Figure, ...]:
    """Return the figures of the changes, or where nothing runs how much is placed where."""
    problem = outcome.problem
    if outcome.placement is None:
        return ()
    used = {name for clusters in outcome.placement.values() for name in clusters}
    where = Figure(str(len(used)), f"of {counted(len(problem.clusters), 'cluster')} used")
    if any(running(problem).values()):
        return (*change_figures(change_of(outcome), problem), where)
    placed = sum(sum(clusters.values()) for clusters in outcome.placement.values())
    return (
        figure(len(problem.with_replicas), "workload", "workloads"),
        figure(placed, "replica placed", "replicas placed"),
        where,
    )


def figure(count: int, one: str, several: str) -> Figure:
    """Return a number with what it counts."""
    return Figure(str(count), one if count == 1 else several)


RISING = Fraction(1, 100)
"""Rise of the used part of a cluster from which on it is told apart from those that hardly change."""
OPENED = 5
"""Sentences of a kind that are open; the others are folded."""


_GRAVITY: Sequence[Tone] = ("bad", "notice", "")


class Concern(NamedTuple):
    """Concern that somebody should look at."""

    title: str
    """Title of the concern, with its number."""
    told: Sequence[str]
    """A sentence for each case, with its cause; without any there is no concern."""
    noun: str
    """Noun for one case."""
    tone: Tone = "bad"
    """Tone, by how grave it is."""


def attention_section(concerns: Iterable[Concern], calm: str = "") -> Section:
    """Return the section of concerns.

    `concerns`: everything that might be; the gravest come first. `calm`: what is said where there is nothing;
    empty leaves the section out.
    """
    blocks: list[Block] = []
    for one in sorted(concerns, key=lambda one: _GRAVITY.index(one.tone)):
        if one.told:
            blocks += [Heading(one.title, one.tone), *sentences(one.told, one.noun, one.tone, OPENED)]
    if not blocks and calm:
        blocks = [Text(calm, "good")]
    return Section("attention", "What needs attention", tuple(blocks), brief=True)


def concerns_of(outcome: Outcome) -> list[Concern]:
    """Return shortages, broken rules, open proofs, nearly full clusters and oddities of a placement."""
    return [
        Concern("What is short, and why", told_shortages(outcome.shortfalls), "shortfall"),
        *standing_concerns(outcome),
    ]


def standing_concerns(outcome: Outcome) -> list[Concern]:
    """Return the same without what is short, of which pages tell in a place of its own."""
    unproven = [_gap(outcome, name) for name in range(len(outcome.objectives))]
    full, over = _filled(outcome)
    warnings = outcome.problem.warnings
    odd = [f"{counted(len(warnings), 'warning')}, listed at the end of the page"] if warnings else []
    short = {one.about for one in outcome.shortfalls}
    still = told_breaches(one for one in outcome.still_broken if one.about not in short)
    return [
        Concern("Still violated", still, "rule"),
        Concern("Over capacity", over, "cluster"),
        Concern("Not proven best", [*filter(None, unproven)], "level", "notice"),
        Concern("Nearly full afterwards", full, "cluster", "notice"),
        Concern("Good to know", remarks(outcome), "note", ""),
        Concern("Odd input", odd, "warning", "notice"),
    ]


def calm_words(outcome: Outcome) -> str:
    """Return the words where nothing needs attention; empty where there is no placement."""
    if outcome.placement is None:
        return ""
    proven = ", the placement is proven best" if outcome.status is Status.OPTIMAL else ""
    return f"Nothing. Everything is placed, every rule holds{proven}, and no cluster is nearly full."


def _gap(outcome: Outcome, at: int) -> str:
    """Say how far a level may be from the best; empty where it is proven."""
    level = outcome.objectives[at]
    if level.proven:
        return ""
    if level.bound is None:
        return f"{level.name}: {format_number(level.value)}; no bound is known"
    return f"{level.name}: {format_number(level.value)}, the best is at least {format_number(level.bound)}"


def _filled(outcome: Outcome) -> tuple[list[str], list[str]]:
    """Return the clusters that are nearly full after the placement, and those that are more than full.

    Those that it makes fuller come first and have a sentence each; the others are named in one.
    """
    if outcome.placement is None:
        return [], []
    steps = ((outcome.problem, running(outcome.problem)), (outcome.problem, outcome.placement))
    rising: dict[bool, list[tuple[Fraction, str]]] = {True: [], False: []}
    steady: dict[bool, list[str]] = {True: [], False: []}
    for one in courses(steps):
        before, after = (part or Fraction(0) for part in one.parts)
        if after < NEARLY:
            continue
        told = f"{one.cluster}: {one.resource} {format_fullness(after)}"
        if after - before >= RISING:
            rising[after > 1].append((-after, f"{told}, {format_fullness(before)} now"))
        else:
            steady[after > 1].append(told)
    nearly, over = (
        [text for _, text in sorted(rising[kind])] + _as_now(steady[kind]) for kind in (False, True)
    )
    return nearly, over


def _as_now(told: Sequence[str]) -> list[str]:
    """Return a sentence that names what is no fuller than now; none where nothing is."""
    return [f"as full now: {listed(told, 'cluster', shown=OPENED)}"] if told else []
