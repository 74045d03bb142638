"""One replica more, or one less, on a cluster: what forbids it, the best such placement and what it costs."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal, NamedTuple

from fairlead.models.cluster import Cluster
from fairlead.models.decision_reasons import at_most
from fairlead.models.errors import InternalError
from fairlead.models.levels import Level
from fairlead.models.outcome import Status
from fairlead.models.placement import Placement, differences
from fairlead.models.problem import Problem
from fairlead.models.quantity import format_units
from fairlead.models.requirement import MINIMA
from fairlead.models.result import NOTHING_KEEPS
from fairlead.models.rules import Bounds, Candidates, Duplicated, Total, total
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.capacity import amount_of, graded_room
from fairlead.models.rules.duplicated import copy_on
from fairlead.models.rules.quota import shortage
from fairlead.models.score import levels_of
from fairlead.models.source import Source
from fairlead.models.statement import Conflict
from fairlead.models.usage import more_of
from fairlead.models.validity import largest
from fairlead.models.variants import exchanged, with_workload
from fairlead.models.workload import Workload
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.why.answer import Possible, Shift, Step
from fairlead.solver.why.answered import AnsweredPart, LevelDifference

By = Literal[1, -1]
"""One replica more on a cluster, or one less."""

PIN = Source("<why>", 0)
"""Where a pin was declared; tells it from the bounds of the input."""


class Obstacle(NamedTuple):
    """Why something is not possible, in the user's words, and where that was declared."""

    reason: str
    source: Source | None = None


def no_more(
    problem: Problem,
    workload: Workload,
    cluster: str,
    replicas: int,
) -> Obstacle | None:
    """Return why a candidate can never hold more than it holds; None where no single rule says so."""
    if not workload.replicas:
        return Obstacle("it is scaled to 0", workload.source)
    copies = workload.rule(Duplicated)
    if copies is not None and replicas >= copy_on(copies, workload, cluster):
        return Obstacle(f"a full copy is {replicas}", copies.source)
    bounds = workload.rule(Bounds) or Bounds()
    most = bounds.maximum.get(cluster)
    if most is not None and replicas >= most.replicas:
        return Obstacle(at_most(most, workload), most.source)
    candidates = workload.rule(Candidates)
    if candidates and cluster in candidates.held_only and replicas >= workload.current.get(cluster, 0):
        exclusion = candidates.held_only[cluster]
        return Obstacle(f"it takes no new replicas: {exclusion.reason}", exclusion.source)
    if copies is None and replicas >= largest(workload):
        if workload.rule(Total) is None:
            return Obstacle(f"no cluster is asked for more than {replicas}")
        return Obstacle(
            f"it holds all {workload.replicas} already" if replicas > 1 else "it holds the only one"
        )
    wanted = replicas + 1 if copies is None else copy_on(copies, workload, cluster)
    short = shortage(workload, cluster, wanted, problem.allowances)
    if short is not None:
        return Obstacle(short.text, short.source)
    if problem.has_capacity:
        return _no_room(problem, workload, problem.cluster_by_name[cluster], replicas)
    return None


def no_less(workload: Workload, cluster: str, replicas: int, *, partial: bool) -> Obstacle | None:
    """Return why a candidate can never hold less than it holds; None where no single rule says so.

    `partial`: whether copies and minima give way.
    """
    if not replicas:
        return Obstacle("it holds none")
    if partial:
        return None
    copies = workload.rule(Duplicated)
    if copies is not None and not copies.choice:
        return Obstacle("every eligible cluster holds a full copy", copies.source)
    bounds = workload.rule(Bounds) or Bounds()
    least = bounds.minimum.get(cluster)
    if least and cluster not in bounds.where_held and replicas <= least.replicas:
        return Obstacle(f"at its minimum of {least.replicas}", least.source)
    return None


def most_that_fit(problem: Problem, workload: Workload, cluster: Cluster) -> int | None:
    """Return how many replicas fit on a cluster that is emptied of all else; None where nothing limits it."""
    more, graded = more_of(workload, cluster, problem.limits), graded_room(workload, cluster)
    if more is None or graded is None:
        return graded if more is None else more.replicas
    return min(more.replicas, graded)


def _no_room(problem: Problem, workload: Workload, cluster: Cluster, replicas: int) -> Obstacle | None:
    """Say which resource runs out where even an otherwise empty cluster holds no more."""
    most = most_that_fit(problem, workload, cluster)
    if most is None or replicas < most:
        return None
    graded = graded_room(workload, cluster)
    if graded is not None and replicas >= graded:
        return Obstacle(f"its nodes fit {graded}", cluster.source)
    more = more_of(workload, cluster, problem.limits)
    if more is None:
        return None
    if more.resource not in (cluster.free or {}):
        return Obstacle(f"it offers no {more.resource}", cluster.source)
    whole, need = amount_of(more.resource, more.left), format_units(more.resource, more.need)
    return Obstacle(f"at capacity ({whole} in total, {need} per replica)", cluster.source)


LATE = "not looked at in time"
GIVES_WAY = "a minimum, a spread constraint or a more urgent workload would have to give way"


def step_at_once(about: AnsweredPart, cluster: str, by: By) -> Step | None:
    """Return why one replica more or less on a candidate is not possible; None where a solve has to tell."""
    workload, replicas = about.workload, about.replicas(cluster)
    less = None if by > 0 else no_less(workload, cluster, replicas, partial=about.part.partial)
    block = no_more(about.part, workload, cluster, replicas) if by > 0 else less
    return None if block is None else _blocked(block)


def step_by_solving(about: AnsweredPart, cluster: str, by: By, deadline: Deadline) -> Step:
    """Return the step of one replica more or less on a candidate, by solving again."""
    if not deadline.remaining():
        return Step(Possible.UNKNOWN, reason=LATE)
    changed = pinned(about.part, about.key, cluster, about.replicas(cluster), by)
    outcome = about.resolve(changed, deadline)
    if outcome.status is Status.INFEASIBLE:
        return _blocked(_because(about, outcome.conflict, by))
    if outcome.placement is None:
        return Step(Possible.UNKNOWN, reason="not settled in time")
    moved = shifts(about.part, about.placement, outcome.placement, about.key)
    replicas = outcome.placement.of(about.key).get(cluster, 0)
    levels = levels_of(changed)
    difference = about.compare(levels, outcome.objectives)
    if by > 0 and about.part.partial and difference.level in _before_pin(about, levels):
        return Step(Possible.NO, proven=difference.proven, reason=GIVES_WAY)
    return _step(difference, replicas, moved)


def _before_pin(about: AnsweredPart, levels: tuple[Level, ...]) -> tuple[Level, ...]:
    """Return the levels up to the one on which a pin counts that gives way, as every minimum does."""
    own = Level(MINIMA, priority=about.workload.priority)
    return levels[: levels.index(own) + 1]


def _blocked(block: Obstacle) -> Step:
    """Return that a step is not possible."""
    return Step(Possible.NO, proven=True, reason=block.reason, source=block.source)


def _step(difference: LevelDifference, replicas: int, moved: tuple[Shift, ...]) -> Step:
    """Return a step; a proven answer cannot be beaten by a placement that was open to it."""
    level, before, change, proven = difference
    if level is None:
        return Step(Possible.YES, replicas, change=0, proven=proven, shifts=moved)
    if proven and change < 0:
        raise InternalError(f"{level.name} {before} is called proven, and {-change} less was found")
    return Step(Possible.YES, replicas, level.name, before, change, proven, moved)


def _because(about: AnsweredPart, conflict: Conflict | None, by: By) -> Obstacle:
    """Return the rule against a step; the step itself and the number of replicas go without saying."""
    said = [each for each in conflict.rules if each.source != PIN] if conflict else []
    telling = [each for each in said if each.rule != total.KIND]
    if said and not telling:
        return Obstacle(
            "no other cluster can give one up" if by > 0 else "no other cluster can take one more"
        )
    if not telling:
        copies = about.workload.rule(Duplicated)
        return Obstacle(NOTHING_KEEPS, copies.source if copies else None)
    others = len(telling) - 1
    rest = f", together with {others} other rule{'s' * (others > 1)}" if others else ""
    return Obstacle(f"{telling[0].text}{rest}", telling[0].source)


def shifts(problem: Problem, before: Placement, after: Placement, first: str) -> tuple[Shift, ...]:
    """Return the differences between two placements, those of one workload before all others."""
    keys = sorted((each.key for each in problem.workloads), key=lambda key: (key != first, key))
    return tuple(shift for key in keys for shift in _of_workload(key, before, after))


def _of_workload(key: str, before: Placement, after: Placement) -> Iterator[Shift]:
    """Yield the shifts of one workload: what is given up goes to the first cluster that takes something."""
    change = {name: new - old for _, name, old, new in differences(before, after, [key])}
    giving = {name: -count for name, count in change.items() if count < 0}
    taking = {name: count for name, count in change.items() if count > 0}
    while giving or taking:
        start, end = next(iter(giving), None), next(iter(taking), None)
        count = min(rest[name] for name, rest in ((start, giving), (end, taking)) if name is not None)
        yield Shift(key, count, start, end)
        for name, rest in ((start, giving), (end, taking)):
            if name is not None:
                rest[name] -= count
                if not rest[name]:
                    del rest[name]


def pinned(problem: Problem, key: str, cluster: str, replicas: int, by: By) -> Problem:
    """Return the problem in which a workload holds at least one replica more on a candidate, or one less.

    A cluster that holds some is not passed over by ``maxClusters``, so the bound changes no level.
    """
    workload = problem.workload(key)
    own = workload.rule(Bounds)
    bounds = own or Bounds()
    known = bounds.minimum if by > 0 else bounds.maximum
    limit = replicas + by
    if cluster in known:
        limit = max(limit, known[cluster].replicas) if by > 0 else min(limit, known[cluster].replicas)
    pin = {**known, cluster: Bound(limit, PIN)}
    if by > 0:
        other = replace(bounds, minimum=pin, where_held=bounds.where_held - {cluster})
    else:
        other = replace(bounds, maximum=pin)
    rules = (*workload.rules, other) if own is None else exchanged(workload.rules, own, other)
    return with_workload(problem, replace(workload, rules=rules))
