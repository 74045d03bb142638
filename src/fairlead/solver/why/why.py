"""why(): why a workload runs where it runs, and what anything else would cost."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairlead.models.errors import UsageError
from fairlead.models.levels import PRICED
from fairlead.models.names import find_cluster, find_workload
from fairlead.models.outcome import Outcome, Status
from fairlead.models.problem import Problem
from fairlead.models.score import levels_of
from fairlead.models.shapes import checked
from fairlead.models.uncollected import hurried
from fairlead.models.validity import completed
from fairlead.solver.running.deadline import Deadline, attentive, listening
from fairlead.solver.solve import solve
from fairlead.solver.why.answer import ClusterWhy, Gain, Why
from fairlead.solver.why.answered import SAME, AnsweredPart, LevelDifference, answered
from fairlead.solver.why.changes import BoundShift, changes_of
from fairlead.solver.why.steps import By, step_at_once, step_by_solving

SHARE_OF_SOLVING = 0.5
"""Part of the time limit for finding the answer; the rest is for questions about it."""
SHARE_OF_STEPS = 0.7
"""Part of the rest that the clusters may use before the bounds are tried."""
LARGEST_SHARE = 0.25
"""Part of the time left that a single question may use."""


@hurried
@attentive
@checked
def why(  # noqa: PLR0913 - the public face, all by keyword
    problem: Problem,
    workload: str,
    cluster: str | None = None,
    *,
    time_limit: float | None = 10.0,
    workers: int | None = None,
    seed: int = 0,
    deviation: str | None = None,
    partial: bool = False,
    fresh: bool | None = None,
    tolerance: Mapping[str, object] | None = None,
    outcome: Outcome | None = None,
) -> Why:
    """Say why a workload runs where it runs, and what anything else would cost.

    For every cluster: how many replicas and which rule binds; the best placement with one replica more there
    and with one less, and the first level on which it is worse. Then the bounds (minimum, maximum, group
    total, spread, survival, room, replicas) that improve the answer when moved by one. Everything is found by
    formula or by solving the changed problem, so numbers that are called proven are exact.

    Parameters
    ----------
    problem
        Clusters, workloads and rules; all workloads of it are placed.
    workload
        Key of the workload, ``namespace/name``, ``name`` or ``kind/name``.
    cluster
        The only cluster to look at; None looks at all of them.
    time_limit
        Seconds for the whole call; None means no limit. Half of it is for finding the answer. What is not
        reached in time is said to be so.
    workers, seed, deviation, partial, fresh, tolerance
        As for `solve`. Where replicas stay unplaced, the best partial placements are compared.
    outcome
        The answer of `solve` to this problem, where it is known; None solves the problem first.

    Raises
    ------
    UsageError
        Where there is no such workload or cluster, or where `outcome` answers something else.
    """
    started = time.perf_counter()
    deadline = Deadline.after(time_limit)
    problem = completed(problem)
    key = find_workload(problem, workload).key
    asked = None if cluster is None else find_cluster(problem, cluster)
    given: dict[str, Any] = {"deviation": deviation, "fresh": fresh, "tolerance": tolerance}
    if outcome is not None:
        _refuse_others(problem, outcome, {**given, "partial": partial or None})
    else:
        left = None if time_limit is None else time_limit * SHARE_OF_SOLVING
        outcome = solve(problem, time_limit=left, workers=workers, seed=seed, partial=partial, **given)
    solved = time.perf_counter()
    about = answered(outcome, key, workers, seed) if outcome.placement is not None else None
    with listening(deadline):
        clusters = _clusters(outcome, key, asked, about, deadline.part(SHARE_OF_STEPS))
        gains = gains_of(about, deadline) if about is not None else Gains()
    seconds = {"solve": solved - started, "why": time.perf_counter() - solved}
    return Why(outcome, key, clusters, gains.found, gains.tried, gains.untried, asked, seconds)


def _refuse_others(problem: Problem, outcome: Outcome, given: Mapping[str, object]) -> None:
    """Refuse an outcome that is not solve's answer to the problem."""
    if not outcome.by_solver:
        raise UsageError(f"why explains what solve answers; this outcome is that of {outcome.origin}")
    if any(each is not None for each in given.values()):
        raise UsageError(
            "an outcome has its own deviation, partial, fresh and tolerance; leave them out beside it"
        )
    same = outcome.problem.workload_by_key.keys() == problem.workload_by_key.keys()
    if not same or outcome.problem.cluster_by_name.keys() != problem.cluster_by_name.keys():
        raise UsageError("the outcome answers another problem: its workloads or clusters differ")


def _clusters(
    outcome: Outcome, key: str, asked_of: str | None, about: AnsweredPart | None, deadline: Deadline
) -> tuple[ClusterWhy, ...]:
    """Return clusters with their steps: what is known at once first, the rest in the time there is."""
    decisions = [each for each in outcome.decisions[key] if asked_of in (None, each.cluster)]
    names = frozenset(outcome.problem.candidates(outcome.problem.workload(key)))
    if about is None:
        return tuple(ClusterWhy(each, each.cluster in names) for each in decisions)
    open_to = [each.cluster for each in decisions if each.cluster in names]
    sides: tuple[By, By] = (1, -1)
    steps = {(name, by): step_at_once(about, name, by) for name in open_to for by in sides}
    # Where replicas stand is asked about before where none do.
    ordered = sorted(open_to, key=lambda name: not about.replicas(name))
    asked: list[tuple[str, By]] = [(name, by) for name in ordered for by in sides if steps[name, by] is None]
    for (name, by), share in zip(asked, shares(len(asked)), strict=True):
        steps[name, by] = step_by_solving(about, name, by, deadline.part(share))
    return tuple(
        ClusterWhy(each, each.cluster in names, *(steps.get((each.cluster, by)) for by in sides))
        for each in decisions
    )


@dataclass(frozen=True, slots=True)
class Gains:
    """Bounds that improve the answer, the best first; how many were tried, and how many not in time."""

    found: tuple[Gain, ...] = ()
    tried: int = 0
    untried: int = 0


def gains_of(about: AnsweredPart, deadline: Deadline) -> Gains:
    """Return the bounds of a workload that improve the answer when moved by one.

    Nothing is tried where no level of the answer is proven best; from the first one on that may be worse than
    best, levels do not count.
    """
    changes = changes_of(about)
    if about.levels and not about.proven:
        return Gains(untried=len(changes))
    if not any(attained.value for attained in about.values) and PRICED.isdisjoint(
        level.base for level in about.levels
    ):
        return Gains(tried=len(changes))  # no level can be lower than 0
    apart = [change for change in changes if change.binding or change.cluster is None]
    if _none_helps(about, [change for change in changes if change not in apart], deadline):
        tried = len(changes) - len(apart)
    else:
        apart, tried = list(changes), 0
    found = [
        (change, _tried(about, change, deadline, share))
        for change, share in zip(apart, shares(len(apart)), strict=True)
    ]
    known = [(change, difference) for change, difference in found if difference is not None]
    gains = [(change, difference) for change, difference in known if difference.change < 0]
    gains.sort(key=lambda pair: _rank(about, *pair))
    best = tuple(_gain(change, difference) for change, difference in gains)
    return Gains(best, tried + len(known), len(found) - len(known))


def _none_helps(about: AnsweredPart, changes: Sequence[BoundShift], deadline: Deadline) -> bool:
    """Tell whether it is proven that no level gets better even where all of some changes are made.

    They only allow more, and cost nothing: then none of them helps by itself either.
    """
    if len(changes) < 2 or not deadline.remaining():
        return False
    changed = about.part
    for change in changes:
        changed = change.build(changed)
    if levels_of(changed) != about.levels:
        return False
    outcome = about.resolve(changed, deadline.part(LARGEST_SHARE))
    return outcome.placement is not None and about.is_same(outcome.objectives)


def shares(count: int) -> Iterator[float]:
    """Yield the share of the remaining time that each of so many questions may use."""
    return (max(1 / rest, LARGEST_SHARE) for rest in range(count, 0, -1))


def _tried(
    about: AnsweredPart, change: BoundShift, deadline: Deadline, share: float
) -> LevelDifference | None:
    """Return the difference that a change makes to the answer; None where that is not known in time."""
    if not deadline.remaining():
        return None
    changed = change.build(about.part)
    if levels_of(changed) != about.levels:
        return SAME  # nothing to compare
    outcome = about.resolve(changed, deadline.part(share))
    if outcome.placement is None:
        return SAME if outcome.status is Status.INFEASIBLE else None
    difference = about.compare(about.levels, outcome.objectives)
    if difference.proven:
        return difference
    if about.is_same(outcome.objectives):
        return SAME
    return difference if difference.change < 0 else None


def _rank(about: AnsweredPart, change: BoundShift, difference: LevelDifference) -> tuple[object, ...]:
    """Return the sort key of gains: the level, the gain, single clusters first, then the words."""
    place = about.levels.index(difference.level) if difference.level else len(about.levels)
    return place, difference.change, change.cluster is None, change.action


def _gain(change: BoundShift, difference: LevelDifference) -> Gain:
    return Gain(
        change.action,
        difference.level.name if difference.level else "",
        difference.before,
        -difference.change,
        difference.proven,
        change.source,
        change.cluster,
    )
