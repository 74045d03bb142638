"""simulate(): what happens to a fleet when something is drained, lost, scaled or added."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from operator import attrgetter
from typing import Any, assert_never

from fairlead.models.cluster import FIELDS, groups
from fairlead.models.errors import UsageError
from fairlead.models.outcome import Outcome, Status
from fairlead.models.problem import Problem
from fairlead.models.rules import duplicated, total
from fairlead.models.score import levels_of
from fairlead.models.shapes import checked
from fairlead.models.shortfall import is_shortfall, unmet
from fairlead.models.triggers import as_triggered
from fairlead.models.uncollected import hurried
from fairlead.models.validity import completed
from fairlead.models.variants import in_full
from fairlead.models.words import no_such
from fairlead.models.workload import from_start, in_group
from fairlead.solver.conflicts.alone import fails_alone, quota_conflicts
from fairlead.solver.conflicts.scarcity import is_scarce
from fairlead.solver.running.deadline import Deadline, listening
from fairlead.solver.simulate.changed import changed
from fairlead.solver.simulate.changes import At, Change, Drain, Lose, Trial, told_once
from fairlead.solver.simulate.result import Scenario, Simulation, effects, fullness_of, gives_way_least
from fairlead.solver.solve import solve

DRAIN = "drain"
AT = "at"

FEW = 20
"""Workloads that are looked at, once time is over, for whether they fit by themselves."""
LARGEST_SHARE = 0.25
"""Part of the time left for the answers without and with the changes, before a sweep."""
SECOND_LOOK = 0.1
"""Part of the time for a sweep that is kept for scenarios of which too little is proven."""


@hurried
@checked
def simulate(problem: Problem, *changes: Change, sweep: str | None = None, **settings: Any) -> Simulation:
    """Solve a problem with and without changes, and show what differs.

    Parameters
    ----------
    problem
        The fleet as it is; what runs now is the starting point.
    *changes
        `Drain`, `Cordon`, `Restore`, `Lose`, `Add`, `At`, `Scale`, `Weight`, made in the order given.
    sweep
        Tries many scenarios on top of the changes, one after the other: every ``cluster``, ``region``,
        ``zone``, ``provider`` or value of the label with this key is lost by itself; ``drain`` drains every
        cluster by itself, and ``at`` takes every autoscaler at its minimum, then at its maximum. None tries
        none.
    **settings
        Arguments of `solve`. `time_limit` is for the whole call: every answer gets its share, and scenarios
        that were not reached are said to be so. Where not everything fits, as much as
        possible is placed (`partial`), without being asked for. `as_triggered` true leaves workloads as they
        run that KubeAdmiral would not look at again, see `fairlead.models.triggers`.

    Returns
    -------
    Simulation
        Both answers, what happens to every workload, and the scenarios, the worst first.

    Raises
    ------
    UsageError
        Where a change names what there is not, or nothing belongs to the sweep.
    UnsupportedError
        Where the problem does not hold what is needed to make a change.
    """
    deadline = Deadline.after(settings.pop("time_limit", 10.0))
    with listening(deadline):
        return _simulated(completed(problem), changes, sweep, _SolveOptions(settings, deadline))


def _simulated(
    problem: Problem, changes: tuple[Change, ...], sweep: str | None, asked: "_SolveOptions"
) -> Simulation:
    """Return both answers and the scenarios, as far as there is time."""
    fleet = changed(problem, changes)
    changes = told_once(changes)
    tried = tuple(_scenarios(fleet, sweep)) if sweep is not None else ()
    before, known = asked.answer(problem, asked.deadline.part(_share(len(tried) + 1 + bool(changes))))
    after = before
    if changes:
        after, known = asked.answer(fleet, asked.deadline.part(_share(len(tried) + 1)))
    scenarios = sorted(_swept(fleet, tried, before, asked), key=attrgetter("rank")) if tried else []
    return Simulation(changes, before, after, effects(before, after), sweep, tuple(scenarios), known)


def _swept(fleet: Problem, tried: Sequence[Trial], before: Outcome, asked: "_SolveOptions") -> list[Scenario]:
    """Return the scenario of every change; time that is left goes to those of which too little is known."""
    each = asked.deadline.part(1 - SECOND_LOOK).each(len(tried), 1)
    found = [_scenario(fleet, change, before, asked, each.begun()) for change in tried]
    unknown = [at for at, scenario in enumerate(found) if not all(scenario.certainty)]
    for rest, at in zip(range(len(unknown), 0, -1), unknown, strict=True):
        until = asked.deadline.part(1 / rest)
        if each.seconds is not None and until.remaining() > each.seconds:
            again = _scenario(fleet, tried[at], before, asked, until)
            found[at] = max(again, found[at], key=attrgetter("certainty"))
    return found


def _share(left: int) -> float:
    """Return the part of the time left that the next of so many answers may use."""
    return max(1 / left, LARGEST_SHARE)


@dataclass(frozen=True, slots=True)
class _SolveOptions:
    """How every single problem is to be solved, and when the last answer is due."""

    settings: Mapping[str, Any]
    deadline: Deadline

    def answer(self, problem: Problem, until: Deadline) -> tuple[Outcome, bool]:
        """Return the best placement of what can be placed, and whether it is known if that is everything."""
        asked = {**self.settings, "partial": True, "time_limit": until.limit}
        question = as_triggered(problem) if asked.pop("as_triggered", False) else problem
        outcome = solve(question, **asked)
        levels = tuple(zip(levels_of(outcome.problem), outcome.objectives, strict=False))
        if outcome.fits:
            told = tuple(found for level, found in levels if not is_shortfall(level))
            return replace(outcome, problem=in_full(outcome.problem), objectives=told), True
        proven = outcome.status is Status.INFEASIBLE or any(
            is_shortfall(level) and (found.bound or 0) > 0 for level, found in levels
        )
        return outcome, proven or _is_hopeless(outcome, quickly=not self.deadline.remaining())


def _is_hopeless(outcome: Outcome, *, quickly: bool) -> bool:
    """Tell whether it is seen without a search that not everything fits; quickly only looks at a few.

    Where no rule gives way, what is missing belongs to workloads that must not change.
    """
    if outcome.placement is None:
        return False
    whole, short = in_full(outcome.problem), unmet(outcome.problem, outcome.placement)
    if not short:
        return not outcome.violations
    failing = (whole.workload(key) for key in dict.fromkeys(each.workload or "" for each in short))
    for workload in islice(failing, FEW if quickly else None):
        tried = [in_group(workload, group) for group in from_start(workload)] or [workload]
        if all(fails_alone(each, whole) for each in tried):
            return True
    # In other affinity groups workloads may leave each other more room.
    chosen = any(each.groups for each in whole.workloads)
    return not (quickly or chosen) and (is_scarce(whole) or bool(quota_conflicts(whole)))


def _scenarios(problem: Problem, sweep: str) -> Iterator[Trial]:
    """Yield the changes to be tried; UsageError where nothing belongs to the sweep."""
    if sweep == DRAIN:
        yield from (Drain(cluster.name) for cluster in problem.clusters)
        return
    if sweep == AT:
        yield from (At("min"), At("max"))
        return
    found = groups(problem.clusters, sweep)
    if not found:
        labels = {key for cluster in problem.clusters for key in cluster.labels}
        known = {AT, DRAIN, *FIELDS, *labels}
        if sweep in known:
            raise UsageError(f"no cluster has a {sweep}, so there is none to lose")
        raise UsageError(f"{no_such('sweep', sweep, known, shown=12)} (or the key of a label)")
    yield from (Lose(name, sweep) for name in found)


def _taken(fleet: Problem, change: Trial) -> tuple[str, ...]:
    """Return the clusters that a change takes, in name order."""
    match change:
        case Drain(name):
            return (name,)
        case Lose(name, field):
            return tuple(sorted(groups(fleet.clusters, field)[name]))
        case At():
            return ()
        case _:
            assert_never(change)


def _scenario(
    fleet: Problem, change: Trial, before: Outcome, asked: _SolveOptions, until: Deadline
) -> Scenario:
    """Try one change and return its result; nothing is known where time is over before that."""
    unanswered = Scenario(change, _taken(fleet, change), str(Status.UNKNOWN))
    if not asked.deadline.remaining():
        return unanswered
    trial = changed(fleet, [change])
    after, known = asked.answer(trial, until)
    if after.status is Status.UNKNOWN:
        return unanswered
    found = [effect for effect in effects(before, after) if effect.caused]
    missing = {one.key: count for one in after.problem.workloads if (count := after.unplaced(one))}
    return replace(
        unanswered,
        status=str(after.status),
        unplaced=missing,
        broken=tuple(_broken(after)),
        moved=sum(effect.moved for effect in found),
        started=sum(effect.started for effect in found),
        lost=sum(effect.lost for effect in found),
        fullness=fullness_of(after) if after.placement is not None else {},
        known=known,
        least=gives_way_least(after),
    )


def _broken(after: Outcome) -> Iterator[str]:
    """Yield the rules that give way beside unplaced replicas, or why there is no answer."""
    if after.conflict is not None:
        yield from (str(statement) for statement in after.conflict.rules)
    for violation in (*after.shortfalls, *after.violations):
        if violation.rule not in (total.KIND, duplicated.KIND):
            yield violation.text
