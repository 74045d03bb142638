"""Affinity groups in a partial problem: what no group can hold does not stand in the way of others."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import itemgetter

from fairlead.models.levels import MADE_WORSE, SHORTFALLS, Level
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, MoveBudget, Total
from fairlead.models.shortfall import shortfall_values
from fairlead.models.workload import AffinityGroup, Workload, from_start, settled_in, turn
from fairlead.solver.answers.answer import components
from fairlead.solver.groups.choices import is_open
from fairlead.solver.groups.choosing import Chosen, Feasible
from fairlead.solver.running.deadline import Deadline

Place = Callable[[Problem], tuple[Placement, bool]]
"""Places a problem partially, so that as little as possible gives way; tells whether that is proven."""
_Fits = Callable[[Sequence[Workload], Problem], bool | None]
"""Tells whether some workloads of a problem can be placed beside nobody else; None where it is not known."""


def choose_partially(part: Problem, feasible: Feasible, place: Place, until: Deadline) -> Chosen:
    """Choose affinity groups of workloads that cannot all be placed, whatever their groups.

    One after the other, the most urgent first, each gets the first group in which it can be placed together
    with all that was decided before. A workload that cannot be placed in full, with or without a choice, is
    not among these. Where it has a choice it gets, when all these are decided, the group in which least gives
    way beside them, the first one of several. What workloads hold that are not decided yet is free to the
    others. Where something of that was not known in time, it is not certain that these are the groups
    (`Chosen.exhausted`).

    Parameters
    ----------
    part
        Workloads that may get into each other's way.
    feasible
        Tells whether a problem has a placement that keeps every rule.
    place
        Places a problem partially.
    until
        From when on nothing more is tried: who is left then gets the first group.
    """
    certain = True

    def fits(workloads: Sequence[Workload], problem: Problem) -> bool | None:
        nonlocal certain
        known = feasible(beside_nobody(workloads, problem)) if until.remaining() else None
        certain = certain and known is not None
        return known

    fixed = [_only(each) for each in part.workloads if not is_open(each)]
    decided = _placeable(fixed, part, fits)
    groups = {each.key: from_start(each)[0] for each in part.workloads if each.groups}
    skipped: list[Workload] = []
    for workload in sorted(filter(is_open, part.workloads), key=turn):
        found = _first_feasible(workload, decided, part, fits)
        if found is None:
            skipped.append(workload)
        else:
            decided.append(settled_in(workload, found))
            groups[workload.key] = found
    for workload in skipped:
        if not until.remaining():
            certain = False
            break
        tried = [(*_given_way(workload, each, decided, part, place), each) for each in _usable(workload)]
        certain = certain and all(proven for _, proven, _ in tried)
        groups[workload.key] = min(tried, key=itemgetter(0))[-1]
    return Chosen(groups, found=False, earliest=certain, exhausted=certain)


def _only(workload: Workload) -> Workload:
    """Return a workload without a choice in the only group that it may get."""
    groups = from_start(workload)
    return settled_in(workload, groups[0]) if groups else workload


def _usable(workload: Workload) -> Sequence[AffinityGroup]:
    """Return the groups in which a workload has eligible clusters; all groups where it has none in any."""
    tried = [(group, settled_in(workload, group).rule(Candidates)) for group in from_start(workload)]
    usable = [group for group, candidates in tried if candidates is None or candidates.names]
    return usable or from_start(workload)


def _first_feasible(
    workload: Workload, decided: Sequence[Workload], problem: Problem, fits: _Fits
) -> AffinityGroup | None:
    """Return the first group in which a workload can be placed beside those decided; None for none."""
    for group in from_start(workload):
        if fits([*decided, settled_in(workload, group)], problem):
            return group
    return None


def beside_nobody(workloads: Sequence[Workload], problem: Problem) -> Problem:
    """Return the problem with some workloads only, in which all others give free what they hold."""
    keys = {workload.key for workload in workloads}
    others = [workload for workload in problem.workloads if workload.key not in keys]
    leaving = {workload.key: frozenset(workload.current) for workload in others if workload.current}
    rules = tuple(
        replace(rule, under_way={**rule.under_way, **leaving}) if isinstance(rule, MoveBudget) else rule
        for rule in problem.rules
    )
    return replace(problem, workloads=(*workloads, *(_gone(each) for each in others)), rules=rules)


def _gone(workload: Workload) -> Workload:
    """Return a workload that asks for nothing; what it holds counts as free, and nowhere as a move."""
    return replace(
        workload, replicas=0, rules=(Candidates(()), Total()), groups=(), group=None, settled=False
    )


def _placeable(workloads: Sequence[Workload], problem: Problem, fits: _Fits) -> list[Workload]:
    """Return the workloads that can be placed together, the most urgent first where not all can."""
    if fits(workloads, problem):
        return list(workloads)
    keys = {workload.key for workload in workloads}
    found: list[Workload] = []
    for part in components(beside_nobody(workloads, problem)):
        asked = sorted((workload for workload in part.workloads if workload.key in keys), key=turn)
        found += _beside([], asked, part, fits)
    return found


def _beside(
    together: Sequence[Workload], more: Sequence[Workload], problem: Problem, fits: _Fits
) -> Sequence[Workload]:
    """Return some workloads with each of more that can be placed beside those before it.

    What can be placed together can be placed in part as well, so of many only those are asked about one by
    one that stand near one that cannot.
    """
    if not more or fits([*together, *more], problem):
        return [*together, *more]
    if len(more) == 1:
        return together
    half = len(more) // 2
    return _beside(_beside(together, more[:half], problem, fits), more[half:], problem, fits)


def _given_way(
    workload: Workload, group: AffinityGroup, decided: Sequence[Workload], problem: Problem, place: Place
) -> tuple[tuple[int, ...], bool]:
    """Return how much gives way where a workload gets a group, level by level; whether that is proven.

    Which of those decided it meets depends on the group, the levels do not; whoever it does not meet fits.
    """
    together = beside_nobody([*decided, settled_in(workload, group)], problem)
    part = next(each for each in components(together) if workload.key in each.workload_by_key)
    placement, proven = place(part)
    priorities = sorted({each.priority for each in problem.workloads}, reverse=True)
    levels = [Level(key, priority=priority) for priority in priorities for key in SHORTFALLS]
    missing = shortfall_values(part, placement)
    return tuple(missing.get(level, 0) for level in (MADE_WORSE, *levels)), proven
