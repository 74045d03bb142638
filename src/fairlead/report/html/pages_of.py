"""The pages of answers: what stands on each, and in which order."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from fairlead.models.outcome import Comparison, Outcome
from fairlead.models.problem import Problem
from fairlead.models.shown import Shown
from fairlead.models.words import amounts, counted, listed
from fairlead.models.workload import running as running_of
from fairlead.report.blocks import (
    JSON_HAS,
    Block,
    Items,
    Line,
    Row,
    Text,
    Tone,
    cells,
    columns,
    first_lines,
    long_table,
    paragraphs,
    some,
    table,
    texts,
)
from fairlead.report.content import comparison, script
from fairlead.report.content import why as reasons
from fairlead.report.content.comparison import answers, replicas
from fairlead.report.content.fleet import is_changed
from fairlead.report.content.next_steps import next_steps
from fairlead.report.content.outcome import TONES, told_cost, verdict
from fairlead.report.content.plan import change, headline, inside_line, plans_terminal, target_line
from fairlead.report.content.plan import next_steps as steps_after_plan
from fairlead.report.html.attention import (
    Concern,
    attention_section,
    calm_words,
    change_figures,
    concerns_of,
    figure,
    outcome_figures,
)
from fairlead.report.html.sections import (
    conflict_section,
    making_section,
    next_section,
    proof_section,
    repaired_section,
    warnings_section,
)
from fairlead.report.html.simulation_page import simulation_page
from fairlead.report.html.utilisation import utilisation_section
from fairlead.report.html.waves import change_section, flow_section, wave_section
from fairlead.report.html.workloads import decision_section, placement_section
from fairlead.report.pages import Figure, Making, Page, Section
from fairlead.report.terminal import Look
from fairlead.solver.compare import Benchmark
from fairlead.solver.plan.answer import RebalancePlan
from fairlead.solver.plan.saved import PlanComparison
from fairlead.solver.plan.waves import running
from fairlead.solver.script.played import Played
from fairlead.solver.simulate.result import Simulation
from fairlead.solver.why.answer import Why


def page_of(shown: Shown, making: Making) -> Page:
    """Return the page of an answer, or of a problem."""
    match shown:
        case RebalancePlan():
            return plan_page(shown, making)
        case Outcome():
            return outcome_page(shown, making)
        case Simulation():
            return simulation_page(shown, making)
        case Comparison():
            return comparison_page(shown, making)
        case Benchmark():
            return _told("Bench", comparison.bench_terminal(shown, Look(wide=True)), making)
        case Why():
            return _told("Why", reasons.told_clusters(shown), making)
        case Played():
            return _told("Script", script.terminal(shown, Look(wide=True)), making)
        case PlanComparison():
            return _told("Two plans", plans_terminal(shown, Look(wide=True)), making)
        case Problem():
            return _told("Problem", _problem_lines(shown), making)
        case _:
            raise TypeError(f"{type(shown).__name__} has no page")


def _told(title: str, groups: Iterable[Iterable[Line]], making: Making) -> Page:
    """Return the lines of a terminal as a page; a sentence that begins them is the headline."""
    lines = [line for group in groups for line in group]
    first = lines[0] if lines else Text(title)
    headline = first.text if isinstance(first, Text) else title
    rest = lines[1:] if isinstance(first, Text) else lines
    blocks: list[Block] = []
    for is_text, some_lines in groupby(rest, lambda line: isinstance(line, Text)):
        found = list(some_lines)
        # Indented ones become the items of a list.
        blocks += paragraphs(line.text for line in found if isinstance(line, Text)) if is_text else found
    section = Section("answer", "Details", tuple(blocks), brief=True)
    return Page(title, headline, "", (), (), (section,), making)


_INSIDE = " Inside a wave, old and new replicas run side by side."


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
    sections += [
        attention_section(concerns, calm_words(outcome)),
        next_section(steps_after_plan(plan, making)),
    ]
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
        next_section(next_steps(outcome, making)),
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
    if plan.waves is None:
        return outcome_figures(plan.outcome)
    waves = figure(len(plan.waves.waves), "wave", "waves")
    return change_figures(change(plan), plan.problem, waves)


DIFFERENCES_SHOWN = 1000
"""Differences that the table shows."""


def comparison_page(comparison: Comparison, making: Making) -> Page:
    """Return the report of a comparison."""
    best = comparison.best
    told = Items(tuple(each.verdict for each in comparison.contenders))
    differing = replicas(comparison)
    listed = differing.first(DIFFERENCES_SHOWN, "difference", JSON_HAS)
    rows = (long_table(listed, counted(len(differing.rows), "difference")),)
    same = (Text("All place the same replicas on the same clusters.", "good"),)
    sections = (
        conflict_section(best),
        attention_section(_comparison_concerns(comparison)),
        Section("answers", "The answers", (told, answers(comparison)), brief=True),
        utilisation_section(comparison),
        Section("differences", "Where they differ", rows if differing.rows else same, brief=True),
        proof_section(best, "Levels of the best placement and their proof"),
        warnings_section(best),
        making_section(best, best.seconds, None, making),
    )
    headline = verdict(best).removesuffix(":").removesuffix(".")
    return Page("Comparison", f"{headline}.", TONES[best.status], (), (), sections, making)


def _comparison_concerns(comparison: Comparison) -> Iterator[Concern]:
    """Yield the shortages of the best placement, and the rules that the contenders break."""
    yield from concerns_of(comparison.best)
    for each in comparison.contenders:
        yield Concern(f"{each.name} violates", [str(one) for one in each.outcome.violations], "rule")


PROBLEM_SHOWN = 20
"""Clusters, workloads and warnings that are shown before the rest is counted."""
_CLUSTERS = columns("Cluster", "Region", "Free")
_WORKLOADS = columns("Workload", ">Replicas", "Per replica", "Runs on")


def _problem_lines(problem: Problem) -> list[list[Line]]:
    clusters: list[Row] = [cells(one.name, one.region or "", _amounts(one.free)) for one in problem.clusters]
    workloads: list[Row] = [
        cells(
            one.key,
            one.replicas,
            _amounts(one.requests),
            listed([f"{name} {count}" for name, count in sorted(running_of(one).items())]),
        )
        for one in problem.workloads
    ]
    warnings = first_lines(map(str, problem.warnings), PROBLEM_SHOWN, "warning")
    return [
        texts([problem.sizes, *warnings]),
        some(table(_CLUSTERS, clusters).first(PROBLEM_SHOWN, "cluster", "... and {}")),
        some(table(_WORKLOADS, workloads).first(PROBLEM_SHOWN, "workload", "... and {}")),
    ]


def _amounts(units: Mapping[str, int] | None) -> str:
    told = {} if units is None else amounts(units)
    return ", ".join(f"{resource} {amount}" for resource, amount in told.items())
