"""play(): a script of dated events, handled in turn by every scheduler, each with its own state."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from fairlead.models.problem import Problem
from fairlead.models.rules import Duplicated
from fairlead.models.rules.moves import stopped
from fairlead.models.uncollected import hurried
from fairlead.models.validity import completed
from fairlead.models.workload import Workload
from fairlead.solver.running.deadline import attentive
from fairlead.solver.script.events import Script
from fairlead.solver.script.judge import QualityJudge
from fairlead.solver.script.moments import ScriptMoment, moments
from fairlead.solver.script.played import Handled, HandledEvent, Played
from fairlead.solver.script.question import (
    LastDecision,
    Placed,
    SchedulerState,
    evicted,
    question,
    waiting,
    without,
)
from fairlead.solver.script.schedulers import Decision, Scheduler, SolveSettings, named, planned


@hurried
@attentive
def play(
    problem: Problem,
    script: Script,
    *schedulers: str,
    settings: SolveSettings | None = None,
) -> Played:
    """Let schedulers handle the events of a script, each for itself, and tell what each comes to.

    Parameters
    ----------
    problem
        The fleet before the first event; what runs in it is where all begin.
    script
        The events.
    *schedulers
        Names of `fairlead.solver.script.schedulers.SCHEDULERS`; every one that can place the workloads where
        none is named.
    settings
        How fairlead is asked; None for the usual way.

    Raises
    ------
    UsageError
        Where a scheduler is not known or cannot place a workload, or an event names what is not there.
    UnsupportedError
        Where the problem does not hold what is needed for an event.
    """
    problem = completed(problem)
    courses = [ScriptRun.of(one, problem, settings) for one in named(schedulers, problem)]
    for moment in moments(problem, script):
        for course in courses:
            course.handle(moment)
    return Played(script, tuple(course.handled() for course in courses))


@dataclass(slots=True)
class ScriptRun:
    """A script as one scheduler handles it, so far: where everything stands, and what runs of that."""

    scheduler: Scheduler
    settings: SolveSettings
    standing: SchedulerState
    ran: Placed
    judge: QualityJudge = field(default_factory=QualityJudge)
    steps: list[HandledEvent] = field(default_factory=list)

    @classmethod
    def of(cls, scheduler: Scheduler, problem: Problem, settings: SolveSettings | None = None) -> ScriptRun:
        """Return the beginning: what runs in a problem."""
        standing = SchedulerState.of(problem)
        return cls(scheduler, settings or SolveSettings(), standing, standing.placed)

    def handle(self, moment: ScriptMoment, truth: ScriptMoment | None = None) -> None:
        """Handle one event as the scheduler sees the fleet, judged as the fleet is in truth."""
        truth = truth or moment
        gone = evicted(moment, self.standing)
        left = replace(self.standing, placed=without(self.standing.placed, gone))
        started, cpu = time.perf_counter(), time.process_time()
        due = self.scheduler.due(moment, left, frozenset(gone.keys() & moment.fleet.workload_by_key.keys()))
        decision = self.scheduler.decide(question(moment, left, due), self.settings) if due else None
        after = left if decision is None else _after(moment, left, decision, due)
        planning = moment.budget is not None and self.scheduler.plans
        further = planned(moment, after, self.settings) if planning else None
        final = after if further is None else _after(moment, after, further, moment.fleet.workload_by_key)
        seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
        waits = waiting(truth, final.placed, self.ran)
        self.ran = _less(final.placed, waits)
        last = further or decision
        self.steps.append(
            HandledEvent(
                at=moment.at,
                name=moment.name,
                hours=moment.hours,
                due=len(due),
                moved=_moves(moment, left.placed, after.placed),
                forced=sum(sum(held.values()) for held in gone.values()),
                planned=_moves(moment, after.placed, final.placed),
                planning=planning,
                state=self.judge.state(truth, final.placed),
                waits={key: sum(held.values()) for key, held in waits.items()},
                reasons=final.failed,
                disturbed=_disturbed(left, after, due),
                seconds=seconds,
                cpu=cpu,
                gap=None if last is None else last.gap,
                gap_above=None if last is None else last.gap_above,
            )
        )
        self.standing = final

    def handled(self) -> Handled:
        """Return the script as this scheduler handled it."""
        return Handled(self.scheduler.name, tuple(self.steps))


def _after(
    moment: ScriptMoment, before: SchedulerState, decision: Decision, due: Collection[str]
) -> SchedulerState:
    """Return where everything stands after a decision about what is due."""
    placed = {
        key: {name: count for name, count in decision.placed[key].items() if count}
        for key in due
        if key in decision.placed
    }
    names = tuple(sorted(one.name for one in moment.fleet.clusters if one.joined))
    known = moment.fleet.workload_by_key
    decided = {key: LastDecision(known[key].replicas, names) for key in due}
    return SchedulerState(
        {**before.placed, **placed},
        {**before.groups, **{key: name for key, name in decision.groups.items() if key in due}},
        {
            **{key: why for key, why in before.failed.items() if key not in due},
            **{key: why for key, why in decision.failed.items() if key in due},
        },
        {**before.decided, **decided},
    )


def _disturbed(before: SchedulerState, after: SchedulerState, due: Collection[str]) -> int:
    """Count the workloads that were not due, and stand otherwise all the same."""
    return sum(
        {name: count for name, count in held.items() if count} != dict(after.on(key))
        for key, held in before.placed.items()
        if key not in due
    )


def _moves(moment: ScriptMoment, before: Placed, after: Placed) -> int:
    """Count the replicas that are stopped although no fewer are wanted."""
    return sum(
        _moved(workload, before.get(workload.key, {}), after.get(workload.key, {}))
        for workload in moment.fleet.workloads
    )


def _moved(workload: Workload, before: Mapping[str, int], after: Mapping[str, int]) -> int:
    """Count the replicas of one workload that are stopped although no fewer are wanted."""
    if before is after:
        return 0
    if workload.rule(Duplicated) is not None:
        return sum(count for name, count in before.items() if not after.get(name)) if workload.replicas else 0
    return max(0, stopped(before, after) - max(0, sum(before.values()) - sum(after.values())))


def _less(placed: Placed, waits: Placed) -> Placed:
    """Return the replicas that run of those that are placed."""
    return {
        **placed,
        **{
            key: {name: count - waits[key].get(name, 0) for name, count in placed[key].items()}
            for key in waits
        },
    }
