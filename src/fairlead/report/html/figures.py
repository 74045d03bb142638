"""The numbers that stand large on top of a page."""

from __future__ import annotations

from fairlead.models.outcome import Outcome
from fairlead.models.problem import Problem
from fairlead.models.words import counted
from fairlead.report.content.fleet import Change, change_of
from fairlead.report.pages import Figure
from fairlead.solver.plan.waves import running


def change_figures(change: Change, problem: Problem, *between: Figure) -> tuple[Figure, ...]:
    """Return what changes; what is unplaced needs attention, and is said there.

    Parameters
    ----------
    change
        The numbers.
    problem
        What is placed.
    *between
        Figures between the replicas and the workloads, such as the number of waves.
    """
    some = [
        figure(count, one, several)
        for count, one, several in (
            (change.lost, "is lost", "are lost"),
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
    """Return what a placement changes, or where nothing runs how much is placed where."""
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
