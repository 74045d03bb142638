"""What stands on the page of a plan, and on that of a placement."""

from __future__ import annotations

from fairlead.models.outcome import Outcome
from fairlead.models.words import counted
from fairlead.report.blocks import Block, Text, Tone
from fairlead.report.content.fleet import is_changed
from fairlead.report.content.outcome import TONES, told_cost, verdict
from fairlead.report.content.plan import change, headline, inside_line, target_line
from fairlead.report.html.attention import Concern, attention_section, calm_words, concerns_of
from fairlead.report.html.figures import change_figures, figure, outcome_figures
from fairlead.report.html.next_steps import steps_of_outcome, steps_of_plan
from fairlead.report.html.run import making_section
from fairlead.report.html.target import conflict_section, proof_section, repaired_section, warnings_section
from fairlead.report.html.utilisation import utilisation_section
from fairlead.report.html.waves import change_section, flow_section, wave_section
from fairlead.report.html.workloads import decision_section, placement_section
from fairlead.report.pages import Figure, Making, Page
from fairlead.solver.plan.answer import RebalancePlan
from fairlead.solver.plan.waves import running

_INSIDE = " Inside of a wave old and new replicas stand side by side."


def plan_page(plan: RebalancePlan, making: Making) -> Page:
    """Return the report of a plan."""
    outcome, waves = plan.outcome, plan.waves
    concerns = concerns_of(outcome)
    sections = [conflict_section(outcome)]
    lead: tuple[Block, ...] = ()
    if waves is not None:
        told = (target_line(plan), inside_line(plan), *told_cost(outcome))
        lead = tuple(Text(_sentence(line)) for line in told if line)
        blocked = f"{counted(plan.blocked, 'replica')} cannot move"
        concerns.insert(0, Concern(blocked, [each.reason for each in waves.blocked], "move"))
    sections += [attention_section(concerns, calm_words(outcome)), steps_of_plan(plan, making)]
    if waves is not None:
        sections.append(flow_section(waves))
        sections.append(utilisation_section(plan, _INSIDE if waves.waves else ""))
        sections += [wave_section(waves), change_section(plan)]
    changed = {one.workload for one in plan.changes}
    sections += [
        repaired_section(outcome),
        proof_section(outcome, "Target and its proof"),
        placement_section(outcome, ()),
        decision_section(outcome, changed),
        warnings_section(outcome),
        making_section(outcome, plan.seconds or outcome.seconds, plan.options, making),
    ]
    tone = _tone(outcome)
    if waves is not None and not waves.complete:
        tone = "notice"
    return Page(
        "Rebalance plan", _sentence(headline(plan)), tone, lead, _plan_figures(plan), tuple(sections), making
    )


def outcome_page(outcome: Outcome, making: Making) -> Page:
    """Return the report of a placement."""
    runs = any(running(outcome.problem).values())
    changed = {one.key for one in outcome.problem.with_replicas if is_changed(outcome, one)} if runs else None
    sections = (
        conflict_section(outcome),
        attention_section(concerns_of(outcome), calm_words(outcome)),
        steps_of_outcome(outcome, making),
        utilisation_section(outcome),
        placement_section(outcome, changed),
        repaired_section(outcome),
        proof_section(outcome, "Levels and their proof"),
        decision_section(outcome, changed),
        warnings_section(outcome),
        making_section(outcome, outcome.seconds, None, making),
    )
    lead = tuple(map(Text, told_cost(outcome)))
    tone, figures = _tone(outcome), outcome_figures(outcome)
    return Page("Placement", _sentence(verdict(outcome)), tone, lead, figures, sections, making)


def _tone(outcome: Outcome) -> Tone:
    """Return how good an outcome is: good only where it is proven and nothing is missing."""
    tone = TONES[outcome.status]
    return "notice" if tone == "good" and (outcome.shortfalls or outcome.missing) else tone


def _sentence(text: str) -> str:
    """Return a sentence that announced lines as one that ends here."""
    return f"{text[:-1]}." if text.endswith(":") else text


def _plan_figures(plan: RebalancePlan) -> tuple[Figure, ...]:
    """Return the numbers of a plan: what goes, and in how many waves."""
    if plan.waves is None:
        return outcome_figures(plan.outcome)
    waves = figure(len(plan.waves.waves), "wave", "waves")
    return change_figures(change(plan), plan.problem, waves)
