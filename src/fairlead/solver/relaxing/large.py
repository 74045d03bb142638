"""Ways out of parts with many workloads: what those need that fail by themselves, tried on the whole part.

A model of all workloads with all their numbers would take too long. Of workloads that are alike one stands
for all; whatever changes help each of them are verified together.
"""

from collections.abc import Sequence
from dataclasses import replace

from fairlead.models.check import check
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Total, Weights
from fairlead.models.source import Source
from fairlead.models.statement import Change
from fairlead.models.workload import Workload
from fairlead.solver.alike import alike
from fairlead.solver.changes.apply import apply
from fairlead.solver.changes.kinds import order
from fairlead.solver.conflicts.alone import alone, fails_alone
from fairlead.solver.deadline import Deadline
from fairlead.solver.dispensers import reference
from fairlead.solver.feasibility import has_placement
from fairlead.solver.relaxing.sharing import for_all
from fairlead.solver.relaxing.ways import Way, chosen, ways

MOST_PLACES = 4_000
"""Workloads times clusters up to which one model of everything is made."""
MOST_DISPENSED = 2_000
"""Workloads up to which the reference dispenser is asked for a placement."""
SHARE = 0.5
"""Of the time, what may go into ways of single workloads; the rest verifies them."""


def is_large(part: Problem) -> bool:
    """Tell whether a part is too large for one model."""
    return len(part.workloads) * len(part.clusters) > MOST_PLACES


def ways_of_large(part: Problem, deadline: Deadline, seed: int, most: int) -> list[Way]:
    """Return changes that make a large part feasible: those of its workloads that fail by themselves.

    Parameters
    ----------
    part
        A problem without placement, in which every workload has its group, preferences left out.
    deadline
        When the answer is due; what is verified by then is returned.
    seed
        Random seed of CP-SAT.
    most
        How many are wanted.

    Returns
    -------
    list of Way
        The cheapest first; empty where no workload fails by itself, or nothing was verified in time.
    """
    failing = alike(each for each in part.workloads if fails_alone(each, part))
    each_way: list[list[Way]] = []
    for members in failing:
        due = deadline.part(SHARE)
        if not due.remaining():
            return []
        found = ways(alone(members[0], part), due, seed, most)
        if not found:
            return []
        each_way.append([Way(_of_all(way.changes, members, part), way.proven) for way in found])
    if not each_way:
        return []
    joined = [_together(each_way, at) for at in range(max(map(len, each_way)))]
    verified: list[Way] = []
    for way in chosen(joined, len(joined)):
        if len(verified) < most and deadline.remaining() and _fits(apply(part, way.changes), deadline, seed):
            verified.append(way)
    # What one workload needs at least, all of them need; that is the truth only where it counts once.
    return [Way(way.changes, way.proven and _counts_once(way, failing)) for way in verified]


def _counts_once(way: Way, failing: Sequence[Sequence[Workload]]) -> bool:
    """Tell whether a way costs all workloads no more than it costs one of them."""
    return len(failing) == 1 and sum(1 for change in way.changes if change.cost) == 1


def _of_all(changes: Sequence[Change], members: Sequence[Workload], part: Problem) -> tuple[Change, ...]:
    """Return what one workload changes, for all that are alike; a number that they share counts once."""
    shared = for_all(changes, members, part)
    known = {(each.kind, each.workload, each.cluster, each.detail) for each in shared}
    mine = [
        replace(change, workload=workload.key, source=_source(change, workload))
        for change in changes
        if change.workload is not None
        for workload in members
        if (change.kind, workload.key, change.cluster, change.detail) not in known
    ]
    return tuple(sorted((*shared, *mine), key=order))


def _source(change: Change, workload: Workload) -> Source | None:
    """Return where the number stands for a workload that is like the one of a change."""
    return workload.replicas_source if change.kind == "replicas" else change.source


def _together(each_way: Sequence[Sequence[Way]], at: int) -> Way:
    """Return one way of every class, the last one where a class has no more; nothing is changed twice."""
    changes: dict[tuple[str, ...], Change] = {}
    picked = [found[min(at, len(found) - 1)] for found in each_way]
    for change in (change for way in picked for change in way.changes):
        key = (change.kind, change.workload or "", change.cluster or "", change.detail)
        known = changes.get(key)
        if known is None or (known.amount, known.cost) < (change.amount, change.cost):
            changes[key] = change
    return Way(tuple(sorted(changes.values(), key=order)), all(way.proven for way in picked))


def _fits(problem: Problem, deadline: Deadline, seed: int) -> bool:
    """Tell whether a problem has a placement: the reference dispenser's, or any other."""
    if len(problem.workloads) <= MOST_DISPENSED:
        spread_out = replace(problem, workloads=tuple(map(_evenly, problem.workloads)))
        if not check(problem, reference.place(spread_out)):
            return True
    return has_placement(problem, deadline, seed) is True


def _evenly(workload: Workload) -> Workload:
    """Return a workload that is divided evenly where it is divided at all, so that it spreads by itself."""
    rule = workload.rule(Candidates)
    if workload.rule(Total) is None or rule is None:
        return workload
    return replace(workload, rules=(*workload.rules, Weights(dict.fromkeys(rule.names, 1))))
