"""Sections that pages share: proof, conflicts, warnings, how the report was made, what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from datetime import datetime

from fairlead.models.outcome import Outcome, Status
from fairlead.models.share import Amount
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
from fairlead.report.content.outcome import also_infeasible, level_table, told_rules, told_ways
from fairlead.report.pages import Making, Section
from fairlead.solver.plan.answer import Others, PlanOptions, RebalancePlan
from fairlead.solver.plan.waves import Order
from fairlead.solver.simulate.changes import Drain
from fairlead.solver.simulate.result import Simulation
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
        these = "this rule" if len(conflict.rules) == 1 else "all of these rules"
        opening = f"Nor can {also_infeasible(conflict)}:" if number else f"No placement keeps {these}:"
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
    """Return what runs now breaks and the target repairs, without a target all that is broken."""
    found = outcome.repaired if outcome.placement is not None else outcome.broken_before
    title = "Fixed by it" if outcome.placement is not None else "Violated now"
    tone: Tone = "good" if outcome.placement is not None else "bad"
    return Section("broken", title, sentences(map(str, found), "rule", tone, OPENED))


def warnings_section(outcome: Outcome) -> Section:
    """Return what is odd about the input; empty for nothing."""
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
    outcome: Outcome,
    seconds: Mapping[str, float],
    options: PlanOptions | None,
    making: Making,
) -> Section:
    """Return what was asked, by what it was answered, and how long that took.

    Parameters
    ----------
    outcome
        The target.
    seconds
        Time by step.
    options
        What a plan was allowed to do; None where there is no plan.
    making
        When, by which command, and what else is to be told.
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
    facts += [
        ("Input", size),
        *making.details,
        ("Answered by", _ORIGINS.get(outcome.origin, outcome.origin)),
    ]
    return [*facts, ("Took", took)] if took else facts


def when(made: datetime) -> str:
    """Return a date as people and programs read it, with its time zone where it has one.

    >>> from datetime import timezone
    >>> when(datetime(2026, 1, 2, 3, 4, tzinfo=timezone.utc))
    '2026-01-02 03:04 UTC'
    """
    return f"{made:%Y-%m-%d %H:%M} {made.tzname() or ''}".rstrip()


def _options(options: PlanOptions) -> tuple[tuple[str, str], ...]:
    """Return what was asked for, and what holds where nothing was."""
    budgets, waves = options.budgets, options.waves
    may_move = options.others is Others.MAKE_ROOM
    facts = [
        ("Replicas that may move in all", _amount(budgets.total)),
        ("of every workload", _amount(budgets.per_workload)),
        ("of every namespace", _amount(budgets.per_namespace)),
        ("of single workloads and namespaces", _named({**budgets.workloads, **budgets.namespaces})),
        ("out of single clusters", _named(budgets.leaving)),
        ("into single clusters", _named(budgets.arriving)),
        ("Pinned workloads", listed(sorted(options.pinned), "workload", NAMES_SHOWN)),
        ("Pinned clusters", listed(sorted(options.pinned_clusters), "cluster", NAMES_SHOWN)),
        ("Deviation that every move gains", "" if options.gain is None else f"at least {options.gain}"),
        ("As few moves as possible", "before the ratio counts" if options.moves_first else ""),
        ("Workloads that were not asked for", "may move to free capacity" if may_move else ""),
        ("What comes first where a replica moves", str(waves.order)),
        ("Replicas of a workload that may be missing", _amount(waves.availability.max_unavailable)),
        ("Replicas of a workload that may be too many", _amount(waves.availability.max_surge)),
        ("Replicas that one wave may move", _amount(waves.most_moves)),
        ("Waiting on a third cluster", "" if waves.detours else "not allowed"),
    ]
    return tuple((name, value) for name, value in facts if value)


def _amount(amount: Amount | None) -> str:
    """Return an amount; empty where there is no limit."""
    return "" if amount is None else str(amount)


def _named(amounts: Mapping[str, Amount]) -> str:
    """Return amounts by name; empty where there are none."""
    return listed([f"{name} {amount}" for name, amount in sorted(amounts.items())], "limit", NAMES_SHOWN)


SLOW = "300"
"""Seconds that are proposed where time ran out."""


def steps_of_outcome(outcome: Outcome, making: Making) -> Section:
    """Return what to do with a placement."""
    return _section([*_steps(outcome, "solve", making), *_carried_out(outcome, making)])


def steps_of_plan(plan: RebalancePlan, making: Making) -> Section:
    """Return what to do with a plan."""
    steps = _steps(plan.outcome, "plan", making)
    waves = plan.waves
    if waves is not None and waves.blocked and waves.options.order is Order.START_FIRST:
        told = "Let old replicas stop first where new ones find no room beside them:"
        steps.append((told, _again("plan", making, "--order", "either")))
    if waves is not None and waves.waves:
        steps.append(("Keep this plan:", _again("plan", making, "--save", "plan.json")))
        if making.from_cluster:
            told = "Carry it out, wave by wave; it asks first:"
            steps.append((told, _again("plan", making, "--resume", "plan.json", "--apply")))
        else:
            told = "Write what to apply, a file for every wave:"
            steps.append((told, _again("plan", making, "--resume", "plan.json", "--waves", "waves")))
    return _section(steps)


def steps_of_simulation(simulation: Simulation, making: Making) -> Section:
    """Return what to do after a simulation."""
    steps = _steps(simulation.after, "simulate", making)
    drained = [
        word for one in simulation.changes if isinstance(one, Drain) for word in ("--drain", one.cluster)
    ]
    if drained and simulation.after.fits:
        steps.append(("Plan the drain, wave by wave:", _command("plan", making, *drained)))
    return _section(steps)


def _steps(outcome: Outcome, name: str, making: Making) -> list[tuple[str, str]]:
    """Return what to do about what is short or not proven."""
    match outcome.status:
        case Status.INFEASIBLE:
            told = "Make one of the changes above and run this again; or place as much as possible:"
            return [(told, _again(name, making, *([] if name == "simulate" else ["--partial"])))]
        case Status.UNKNOWN:
            return [("Give the search more time:", _again(name, making, "--time-limit", SLOW))]
    steps = []
    short = next((one.key for one in outcome.problem.workloads if outcome.unplaced(one)), None)
    if short is not None:
        steps.append(("Ask what is in the way of a workload:", _command("why", making, short)))
        told = "Try what another cluster would change:"
        steps.append((told, _command("simulate", making, "--add", "new-cluster.yaml")))
    if outcome.status is Status.FEASIBLE and outcome.objectives:
        steps.append(("Search longer for a proof:", _again(name, making, "--time-limit", SLOW)))
    return steps


def _carried_out(outcome: Outcome, making: Making) -> list[tuple[str, str]]:
    """Return how a placement gets into the cluster."""
    if outcome.placement is None or outcome.status is Status.INFEASIBLE:
        return []
    if any(any(one.current.values()) for one in outcome.problem.workloads):
        return [("Plan the way there, wave by wave:", _command("plan", making))]
    return [("Write what to apply:", _again("solve", making, "-o", "patch"))]


def _again(name: str, making: Making, *words: str) -> str:
    """Return the same command with other words behind it; the last of an option counts."""
    return " ".join(filter(None, ("fairlead", name, making.arguments, shlex.join(words))))


def _command(name: str, making: Making, *words: str) -> str:
    """Return another command on the same input."""
    return " ".join(filter(None, ("fairlead", name, making.inputs, shlex.join(words))))


def _section(steps: list[tuple[str, str]]) -> Section:
    """Return what to do; empty where there is nothing."""
    return Section("next", "What to do next", (Steps(tuple(steps)),) if steps else ())
