"""What needs attention, on top of every page: each thing is said here once, with its cause."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from fairlead.models.outcome import Outcome, Status
from fairlead.models.usage import utilisation
from fairlead.models.words import counted, format_number, format_percent, listed
from fairlead.report.blocks import Block, Heading, Text, Tone, sentences
from fairlead.report.content.fullness import NEARLY
from fairlead.report.content.outcome import remarks
from fairlead.report.pages import Section

OPENED = 8
"""Sentences of a kind that are open; the others are folded."""


class Concern(NamedTuple):
    """Something to look at.

    Parameters
    ----------
    title
        What it is, with its number.
    told
        A sentence for each case, with its cause; without any there is no concern.
    noun
        What a case is called.
    tone
        How grave it is.
    """

    title: str
    told: Sequence[str]
    noun: str
    tone: Tone = "bad"


def attention_section(concerns: Iterable[Concern], calm: str = "") -> Section:
    """Return what needs attention.

    Parameters
    ----------
    concerns
        Everything that might be, the gravest first.
    calm
        What is said where there is nothing; empty leaves the section out.
    """
    blocks: list[Block] = []
    for one in concerns:
        if one.told:
            blocks += [Heading(one.title, one.tone), *sentences(one.told, one.noun, one.tone, OPENED)]
    if not blocks and calm:
        blocks = [Text(calm, "good")]
    return Section("attention", "What needs attention", tuple(blocks), brief=True)


def concerns_of(outcome: Outcome) -> list[Concern]:
    """Return what is short, broken, not proven, nearly full or odd about a placement."""
    return [
        Concern("What is short, and why", [one.text for one in outcome.shortfalls], "shortfall"),
        *standing_concerns(outcome),
    ]


def standing_concerns(outcome: Outcome) -> list[Concern]:
    """Return the same without what is short, for pages that say that in their own way."""
    unproven = [_gap(outcome, name) for name in range(len(outcome.objectives))]
    full, over = _filled(outcome)
    warnings = outcome.problem.warnings
    odd = [f"{counted(len(warnings), 'warning')}, listed at the end of the page"] if warnings else []
    return [
        Concern("Still violated", [*map(str, outcome.still_broken)], "rule"),
        Concern(f"{counted(len(over), 'cluster')} over capacity", over, "cluster"),
        Concern("Not proven best", [*filter(None, unproven)], "level", "notice"),
        Concern(f"{counted(len(full), 'cluster')} nearly full afterwards", full, "cluster", "notice"),
        Concern("Good to know", remarks(outcome), "note", ""),
        Concern("Odd input", odd, "warning", "notice"),
    ]


def calm_words(outcome: Outcome) -> str:
    """Return what can be said where nothing needs attention; empty where there is no placement."""
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
        return f"{level.name}: {format_number(level.value)}; nothing is known of the best"
    return f"{level.name}: {format_number(level.value)}, the best is at least {format_number(level.bound)}"


def _filled(outcome: Outcome) -> tuple[list[str], list[str]]:
    """Return the clusters that are nearly full after the placement, and those that are more than full."""
    if outcome.placement is None:
        return [], []
    found: dict[str, list[tuple[Fraction, str]]] = {}
    for one in utilisation(outcome.problem, outcome.placement):
        if one.fullness is not None and one.used and one.fullness >= NEARLY:
            found.setdefault(one.cluster, []).append((one.fullness, one.resource))
    ranked = sorted(found.items(), key=lambda pair: (-max(pair[1])[0], pair[0]))
    told = [(max(parts)[0] > 1, f"{name}: {_resources(parts)}") for name, parts in ranked]
    return [text for over, text in told if not over], [text for over, text in told if over]


def _resources(parts: Sequence[tuple[Fraction, str]]) -> str:
    """Return resources with the part that is used, the fullest first."""
    ordered = sorted(parts, key=lambda part: (-part[0], part[1]))
    return listed([f"{resource} {format_percent(part)}" for part, resource in ordered], "resource")
