"""The section about how the report was made, and what the plan was allowed to do."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from fairlead.models.outcome import Outcome
from fairlead.models.share import Amount
from fairlead.models.words import counted, listed
from fairlead.report.blocks import Block, Facts, Heading
from fairlead.report.pages import Making, Section
from fairlead.solver.plan.options import Others, PlanOptions
from fairlead.version import VERSION

SHOWN = 12
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
    """Return version, date, size and time."""
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
    facts = [
        ("Replicas that may move in all", _amount(budgets.total)),
        ("of every workload", _amount(budgets.per_workload)),
        ("of every namespace", _amount(budgets.per_namespace)),
        ("of single workloads and namespaces", _named({**budgets.workloads, **budgets.namespaces})),
        ("out of single clusters", _named(budgets.leaving)),
        ("into single clusters", _named(budgets.arriving)),
        ("Pinned workloads", listed(sorted(options.pinned), "workload", SHOWN)),
        ("Pinned clusters", listed(sorted(options.pinned_clusters), "cluster", SHOWN)),
        ("Deviation that every move gains", "" if options.gain is None else f"at least {options.gain}"),
        ("As few moves as possible", "before the ratio counts" if options.moves_first else ""),
        ("Workloads that were not asked for", _others(options.others)),
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
    return listed([f"{name} {amount}" for name, amount in sorted(amounts.items())], "limit", SHOWN)


def _others(others: Others) -> str:
    """Return what becomes of workloads that nobody asked to rebalance; empty where they stay."""
    return "may move to free capacity" if others is Others.MAKE_ROOM else ""
