"""Affinity groups in a partial problem: a workload that no group can hold does not stand in others' way."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from operator import itemgetter
from typing import NamedTuple

from fairlead.models.levels import MADE_WORSE, SHORTFALLS, Level
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, MoveBudget, Total
from fairlead.models.shortfall import shortfall_values
from fairlead.models.workload import AffinityGroup, Workload, from_start, settled_in, turn
from fairlead.solver.answers.answer import components
from fairlead.solver.groups.choices import MOST, is_open
from fairlead.solver.groups.choose import ChosenGroups, Feasible
from fairlead.solver.running.deadline import Deadline

Place = Callable[[Problem], tuple[Placement | None, bool]]
"""Places a problem partially, so that as little as possible gives way; tells whether that is proven. None
where it has no placement, whatever gives way."""
_Fits = Callable[[Sequence[Workload], Problem], bool | None]
"""Tells whether some workloads of a problem can be placed beside nobody else; None where it is not known."""


def choose_partially(part: Problem, feasible: Feasible, place: Place, until: Deadline) -> ChosenGroups:
    """Choose affinity groups of workloads that cannot all be placed, whatever their groups.

    One after the other, the most urgent first, each gets the first group in which it can be placed together
    with all that was decided before. A workload that cannot be placed in full, with or without a choice, is
    not among these. When all these are decided, those of the others that have a choice get the groups in
    which least gives way of all, the first ones of several: together where there are up to `MOST` joint
    choices, else one after the other. What workloads hold that are not decided yet is free to the others.
    Where something of that was not known in time, or more gives way of workloads that were chosen for one
    after the other than where each has all clusters for itself, it is not certain that these are the groups
    (`ChosenGroups.exhausted`). Where nothing can be placed then, whatever gives way, all are chosen together.

    `part`: workloads that may get into each other's way. `feasible`: tells whether a problem has a placement
    that keeps every rule. `place`: places a problem partially. `until`: from when on nothing more is tried:
    who is left then gets the first group.
    """
    certain = True

    def fits(workloads: Sequence[Workload], problem: Problem) -> bool | None:
        nonlocal certain
        known = feasible(beside_nobody(workloads, problem)) if until.remaining() else None
        certain = certain and known is not None
        return known

    fixed = [_decided(each) for each in part.workloads if not is_open(each)]
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
    given_way = _GivenWay(part, decided, place)
    fitting = {each.key for each in decided}
    settled = [each for each in fixed if each.key not in fitting]
    short, rounds = [*settled, *skipped], _at_once(skipped)
    for together in rounds:
        tried = _tried(together, settled, given_way, until)
        certain = certain and tried.complete
        if tried.best is None:
            break
        settled += tried.best
        groups.update(_groups_of(tried.best, together))
    if len(settled) == len(short) and len(rounds) > 1:
        given = given_way.of(settled)
        certain = certain and given is not None and given == _least(short, part, place)
    certain = certain and given_way.certain
    if certain and (len(settled) < len(short) or given_way.of(settled) is None):
        return _whatever_is_placed(part, fixed, groups, place, until)
    return ChosenGroups(groups, found=False, earliest=certain, exhausted=certain)


def _whatever_is_placed(
    part: Problem,
    fixed: Sequence[Workload],
    groups: Mapping[str, AffinityGroup],
    place: Place,
    until: Deadline,
) -> ChosenGroups:
    """Choose where what was decided one after the other leaves no placement, whatever gives way.

    That is where what never gives way, such as a budget of moves, is used up. Of all joint choices that have
    one at all, those in which least gives way; not certain where there are too many to try.
    """
    waiting = sorted(filter(is_open, part.workloads), key=turn)
    (together, *more) = _at_once(waiting)
    given_way = _GivenWay(part, (), place)
    tried = _tried(together, fixed, given_way, until)
    chosen = {} if tried.best is None or more else _groups_of(tried.best, together)
    certain = tried.complete and given_way.certain and not more
    return ChosenGroups({**groups, **chosen}, found=False, earliest=certain, exhausted=certain)


class _GroupTrial(NamedTuple):
    """Result of trying the groups of some workloads."""

    best: list[Workload] | None
    """The workloads in the groups in which least gives way; None where no choice has a placement."""
    complete: bool
    """False where time was over before all had been tried."""


def _tried(
    together: Sequence[Workload], others: Sequence[Workload], given_way: "_GivenWay", until: Deadline
) -> _GroupTrial:
    """Try the groups of some workloads together, beside others in theirs."""
    found: list[tuple[tuple[int, ...], list[Workload]]] = []
    complete = True
    for chosen in product(*map(_usable, together)):
        if not until.remaining():
            complete = False
            break
        trial = [settled_in(each, group) for each, group in zip(together, chosen, strict=True)]
        given = given_way.of([*others, *trial])
        if given is not None:
            found.append((given, trial))
    return _GroupTrial(min(found, key=itemgetter(0))[1] if found else None, complete)


def _groups_of(settled: Sequence[Workload], before: Sequence[Workload]) -> dict[str, AffinityGroup]:
    """Return the groups in which workloads are that had a choice before."""
    inside = {each.key: each.group for each in settled}
    return {
        each.key: group for each in before for group in from_start(each) if group.name == inside[each.key]
    }


def _decided(workload: Workload) -> Workload:
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


def _at_once(skipped: Sequence[Workload]) -> Sequence[Sequence[Workload]]:
    """Return the workloads whose groups are chosen together: all where that are few choices, else each."""
    few = math.prod(len(_usable(each)) for each in skipped) <= MOST
    return [skipped] if skipped and few else [[each] for each in skipped]


def _least(short: Sequence[Workload], part: Problem, place: Place) -> tuple[int, ...] | None:
    """Return how much gives way of some workloads together at least; None where that is not known.

    That is what each leaves in its best group with all clusters for itself. Groups that were chosen one after
    the other and leave no more are the first joint choice that leaves so little: an earlier group would have
    been seen to leave as little when its workload was chosen for.
    """
    alone = _GivenWay(part, (), place)
    found = []
    for each in short:
        groups = [settled_in(each, group) for group in _usable(each)] if is_open(each) else [each]
        given = [amounts for one in groups if (amounts := alone.of([one])) is not None]
        if not given:
            return None
        found.append(min(given))
    return tuple(map(sum, zip(*found, strict=True))) if alone.certain else None


@dataclass(slots=True)
class _GivenWay:
    """Replicas and other amounts that give way beside those decided, as far as it was asked."""

    problem: Problem
    decided: Sequence[Workload]
    place: Place
    certain: bool = True
    """False once something of it was not proven."""
    known: dict[frozenset[tuple[str, str | None]], Mapping[Level, int] | None] = field(default_factory=dict)
    """Amounts that give way by level, by the workloads that are in each other's way and their groups; None
    where they have no placement."""

    def of(self, others: Sequence[Workload]) -> tuple[int, ...] | None:
        """Return how much gives way, level by level, where others have the groups that they are in.

        Whoever of those decided meets none of the others fits. None where there is no placement, whatever
        gives way.
        """
        keys = {each.key for each in others}
        missing: Counter[Level] = Counter()
        for part in components(beside_nobody([*self.decided, *others], self.problem)):
            if keys.isdisjoint(part.workload_by_key):
                continue
            of_part = self._of_part(part)
            if of_part is None:
                return None
            missing.update(of_part)
        priorities = sorted({each.priority for each in self.problem.workloads}, reverse=True)
        levels = [Level(key, priority=priority) for priority in priorities for key in SHORTFALLS]
        return tuple(missing[level] for level in (MADE_WORSE, *levels))

    def _of_part(self, part: Problem) -> Mapping[Level, int] | None:
        asked = frozenset((each.key, each.group) for each in part.workloads)
        if asked not in self.known:
            placement, proven = self.place(part)
            self.certain = self.certain and proven
            self.known[asked] = None if placement is None else shortfall_values(part, placement)
        return self.known[asked]
