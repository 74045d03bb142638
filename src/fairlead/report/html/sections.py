"""Sections that pages share: proof, conflicts, warnings, how the report was made, what to do next."""

from collections.abc import Mapping, Sequence

from fairlead.models.outcome import Outcome, Status
from fairlead.models.quantity import Amount
from fairlead.models.words import counted, listed
from fairlead.report.blocks import (
    Block,
    Facts,
    Folded,
    Heading,
    Manifest,
    Steps,
    Text,
    Tone,
    paragraphs,
    sentences,
)
from fairlead.report.content.next_steps import Step
from fairlead.report.content.outcome import (
    also_infeasible,
    level_table,
    these_rules,
    told_breaches,
    told_rules,
    told_ways,
)
from fairlead.report.pages import Making, Section
from fairlead.solver.plan.answer import OtherWorkloads, PlanOptions
from fairlead.version import VERSION

OPENED = 8
"""Repaired rules that are open; the others are folded."""
CONFLICTS_SHOWN = 200
"""Conflicts that a report lists before it counts the rest."""


def proof_section(outcome: Outcome, title: str) -> Section:
    """Return how good the placement is on every level; empty where there is none."""
    if not outcome.objectives:
        return Section("target", title, ())
    told = (
        "The levels are compared in this order: a level decides only where all levels above it are "
        "equal, and lower is better. Nothing that keeps every rule and the levels above can be lower "
        "than the bound."
    )
    return Section("target", title, (Text(told), level_table(outcome)), brief=True)


def conflict_section(outcome: Outcome) -> Section:
    """Return which rules contradict each other and what would help; empty unless that is known."""
    if outcome.status is not Status.INFEASIBLE:
        return Section("conflict", "Why there is no placement", ())
    if outcome.conflict is None:
        broken = sentences(map(str, outcome.violations), "rule", "bad")
        return Section("conflict", "Rules that the placement violates", broken, brief=True)
    blocks: list[Block] = []
    for number, conflict in enumerate(outcome.conflicts[:CONFLICTS_SHOWN]):
        opening = also_infeasible(conflict) if number else f"No placement keeps {these_rules(conflict)}:"
        blocks += paragraphs([opening, *told_rules(conflict)])
    rest = len(outcome.conflicts) - CONFLICTS_SHOWN
    if rest > 0:
        blocks.append(Text(f"and {counted(rest, 'more conflict')}"))
    blocks += paragraphs(told_ways(outcome.conflict))
    blocks += [
        Folded(f"Manifest: {way.text}", (Manifest(way.manifest),))
        for way in outcome.conflict.relaxations
        if way.manifest
    ]
    return Section("conflict", "Why there is no placement", tuple(blocks), brief=True)


def repaired_section(outcome: Outcome) -> Section:
    """Return the rules broken now that the target repairs, without a target all that are broken."""
    found = outcome.repaired if outcome.placement is not None else outcome.broken_before
    title = "What it fixes" if outcome.placement is not None else "Violated now"
    tone: Tone = "good" if outcome.placement is not None else "bad"
    return Section("broken", title, sentences(told_breaches(found), "rule", tone, OPENED))


def warnings_section(outcome: Outcome) -> Section:
    """Return the warnings about the input; empty where there are none."""
    found = outcome.problem.warnings
    return Section("warnings", "Warnings about the input", sentences(map(str, found), "warning", "notice"))


NAMES_SHOWN = 12
"""Names that an entry lists before it counts the rest."""

_ORIGINS: Mapping[str, str] = {
    "exact": "exact allocation",
    "cp-sat": "CP-SAT (OR-Tools)",
    "prices": "prices of shared capacity, CP-SAT (OR-Tools)",
}


def making_section(
    outcome: Outcome, seconds: Mapping[str, float], options: PlanOptions | None, making: Making
) -> Section:
    """Return the question, the way it was answered, and how long that took.

    `options`: what a plan was allowed to do; None where there is no plan.
    """
    blocks: list[Block] = []
    if options is not None:
        blocks += [Heading("What the plan may do"), Facts(_options(options))]
        blocks.append(Heading("Run"))
    blocks.append(Facts(tuple(_run(outcome, seconds, making))))
    return Section("made", "How this was made", tuple(blocks))


def _run(outcome: Outcome, seconds: Mapping[str, float], making: Making) -> list[tuple[str, str]]:
    problem = outcome.problem
    replicas = sum(workload.replicas for workload in problem.with_replicas)
    size = (
        f"{counted(len(problem.with_replicas), 'workload')} with {counted(replicas, 'replica')}, "
        f"{counted(len(problem.clusters), 'cluster')}"
    )
    took = ", ".join(f"{step} {time:.2f} s" for step, time in seconds.items())
    facts = [("Made by", f"fairlead {VERSION}")]
    facts += [("Made on", making.when)] if making.when else []
    facts += [("Input", size), *making.details, ("Answered by", _ORIGINS.get(outcome.origin, outcome.origin))]
    return [*facts, ("Took", took)] if took else facts


def next_section(steps: Sequence[Step]) -> Section:
    """Return the next steps; empty where there are none."""
    return Section("next", "What to do next", (Steps(tuple(steps)),) if steps else ())


def _options(options: PlanOptions) -> tuple[tuple[str, str], ...]:
    """Return the options that were asked for, and the defaults that hold where none was."""
    budgets, waves = options.budgets, options.waves
    may_move = options.others is OtherWorkloads.MAKE_ROOM
    facts = [
        ("Replicas that may move in all", _amount(budgets.total)),
        ("of every workload", _amount(budgets.per_workload)),
        ("of every namespace", _amount(budgets.per_namespace)),
        ("of single workloads and namespaces", _named({**budgets.workloads, **budgets.namespaces})),
        ("out of single clusters", _named(budgets.leaving)),
        ("into single clusters", _named(budgets.arriving)),
        ("Pinned workloads", listed(sorted(options.pinned), "workload", NAMES_SHOWN)),
        ("Pinned clusters", listed(sorted(options.pinned_clusters), "cluster", NAMES_SHOWN)),
        (
            "Least that a move lowers the deviation",
            "" if options.gain is None else f"at least {options.gain}",
        ),
        ("Fewer moves", "before a better fit to the weights" if options.moves_first else ""),
        ("Workloads that were not selected", "may move to free capacity" if may_move else ""),
        ("Order within a move", str(waves.order)),
        ("Replicas of a workload that may be unavailable", _amount(waves.availability.max_unavailable)),
        ("Replicas of a workload that may run in addition", _amount(waves.availability.max_surge)),
        ("Replicas that one wave may move", _amount(waves.most_moves)),
        ("Waiting on a third cluster", "" if waves.detours else "not allowed"),
    ]
    return tuple((name, value) for name, value in facts if value)


def _amount(amount: Amount | None) -> str:
    return "" if amount is None else str(amount)


def _named(amounts: Mapping[str, Amount]) -> str:
    return listed([f"{name} {amount}" for name, amount in sorted(amounts.items())], "limit", NAMES_SHOWN)
