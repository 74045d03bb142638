"""What stands on the page of a plan, and on that of a placement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from fairlead.models.outcome import Outcome
from fairlead.models.words import counted
from fairlead.report.blocks import Block, Figure, Page, Section, Text, Tone
from fairlead.report.content.outcome import TONES, verdict
from fairlead.report.content.plan import headline, inside_line, target_line
from fairlead.report.html.run import making_section, when
from fairlead.report.html.target import (
    broken_section,
    conflict_section,
    missing_section,
    proof_section,
    warnings_section,
)
from fairlead.report.html.utilisation import utilisation_section
from fairlead.report.html.waves import change_section, flow_section, wave_section
from fairlead.report.html.workloads import decision_section, placement_section
from fairlead.solver.plan.answer import RebalancePlan
from fairlead.version import VERSION


def plan_page(plan: RebalancePlan, made: datetime | None, details: Mapping[str, str]) -> Page:
    """Return the report of a plan."""
    outcome = plan.outcome
    sections = [conflict_section(outcome), missing_section(outcome)]
    lead: tuple[Block, ...] = ()
    if plan.waves is not None:
        told = (target_line(plan), inside_line(plan))
        lead = tuple(Text(_sentence(line)) for line in told if line)
        sections += [flow_section(plan.waves), wave_section(plan.waves), change_section(plan)]
        sections.append(utilisation_section(plan.problem, outcome.placement, plan.before))
    changed = frozenset(change.workload for change in plan.changes)
    sections += [
        broken_section(outcome),
        proof_section(outcome, "Target and its proof"),
        placement_section(outcome, opened=False),
        decision_section(outcome, changed),
        warnings_section(outcome),
        making_section(outcome, plan.seconds or outcome.seconds, plan.options, made, details),
    ]
    tone = _tone(outcome)
    if plan.waves is not None and not plan.waves.complete:
        tone = "notice"
    figures = _plan_figures(plan)
    return Page(
        "Rebalance plan", _sentence(headline(plan)), tone, lead, figures, _kept(sections), _foot(made)
    )


def outcome_page(outcome: Outcome, made: datetime | None, details: Mapping[str, str]) -> Page:
    """Return the report of a placement."""
    sections = [
        conflict_section(outcome),
        missing_section(outcome),
        placement_section(outcome, opened=True),
        utilisation_section(outcome.problem, outcome.placement, None),
        broken_section(outcome),
        proof_section(outcome, "Levels and their proof"),
        decision_section(outcome, None),
        warnings_section(outcome),
        making_section(outcome, outcome.seconds, None, made, details),
    ]
    tone, figures = _tone(outcome), _figures(outcome)
    return Page("Placement", _sentence(verdict(outcome)), tone, (), figures, _kept(sections), _foot(made))


def _tone(outcome: Outcome) -> Tone:
    """Return how good an outcome is: good only where it is proven and nothing is missing."""
    tone = TONES[outcome.status]
    return "notice" if tone == "good" and (outcome.shortfalls or _missing(outcome)) else tone


def _sentence(text: str) -> str:
    """Return a sentence that announced lines as one that ends here."""
    return f"{text[:-1]}." if text.endswith(":") else text


def _kept(sections: Sequence[Section]) -> tuple[Section, ...]:
    """Return the sections that say something."""
    return tuple(section for section in sections if section.blocks)


def _foot(made: datetime | None) -> str:
    """Return by what the report was made, and when."""
    by = f"Made by fairlead {VERSION}"
    return f"{by} on {when(made)}" if made is not None else by


def _plan_figures(plan: RebalancePlan) -> tuple[Figure, ...]:
    """Return the numbers of a plan: what goes, and in how many waves."""
    if plan.waves is None:
        return _figures(plan.outcome)
    changed = len({change.workload for change in plan.changes})
    size = counted(len(plan.problem.with_replicas), "workload")
    figures = [
        _figure(plan.moves, "replica moves", "replicas move"),
        *([_figure(plan.started, "starts", "start")] if plan.started else []),
        *([_figure(plan.stopped, "stops", "stop")] if plan.stopped else []),
        _figure(len(plan.waves.waves), "wave", "waves"),
        _figure(changed, f"of {size} changes", f"of {size} change"),
        *([_figure(plan.blocked, "cannot move", "cannot move", "bad")] if plan.blocked else []),
    ]
    return (*figures, *_missing(plan.outcome))


def _figures(outcome: Outcome) -> tuple[Figure, ...]:
    """Return the numbers of a placement: how much is placed where."""
    problem = outcome.problem
    if outcome.placement is None:
        return ()
    placed = sum(sum(clusters.values()) for clusters in outcome.placement.values())
    used = {name for clusters in outcome.placement.values() for name in clusters}
    return (
        _figure(len(problem.with_replicas), "workload", "workloads"),
        _figure(placed, "replica placed", "replicas placed"),
        Figure(str(len(used)), f"of {counted(len(problem.clusters), 'cluster')} used"),
        *_missing(outcome),
    )


def _missing(outcome: Outcome) -> tuple[Figure, ...]:
    """Return how many replicas stand nowhere; nothing where none does."""
    if outcome.placement is None:
        return ()
    missing = outcome.missing
    return (_figure(missing, "replica unplaced", "replicas unplaced", "bad"),) if missing else ()


def _figure(count: int, one: str, several: str, tone: Tone = "") -> Figure:
    """Return a number with what it counts."""
    return Figure(str(count), one if count == 1 else several, tone)
