"""All ways to give each workload one of the affinity groups that it may still get."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates
from fairlead.models.rules.capacity import needs
from fairlead.models.workload import AffinityGroup, Workload, from_start, in_group
from fairlead.solver.answers.answer import components

MOST = 12
"""Joint choices that are looked at; of more, some that differ from the first one in one group."""


@dataclass(frozen=True, slots=True)
class GroupChoice:
    """A problem in which every workload has one group and no other."""

    problem: Problem
    groups: tuple[tuple[str, str], ...] = ()
    """The group by workload, where a workload had several to choose from."""


def is_open(workload: Workload) -> bool:
    """Tell whether a workload may still get one of several groups."""
    return len(from_start(workload)) > 1


def choices(problem: Problem) -> Iterator[GroupChoice]:
    """Yield joint choices in the order in which they are preferred, the first groups first.

    Where there are more than `MOST`, one that fills the clusters of all groups alike comes first, then the
    one of all first groups, and some that differ from that in a single group.
    """
    workloads = sorted(filter(is_open, problem.workloads), key=lambda each: (-each.priority, each.key))
    groups = [from_start(workload) for workload in workloads]
    if not workloads:
        yield GroupChoice(_only(problem, {}))
        return
    near = (_balanced(workloads, problem), *_near(groups))
    for chosen in product(*groups) if is_complete(problem) else near:
        named = {workload.key: group for workload, group in zip(workloads, chosen, strict=True)}
        told = tuple(sorted((key, group.name) for key, group in named.items()))
        yield GroupChoice(_only(problem, named), told)


def is_complete(problem: Problem) -> bool:
    """Tell whether `choices` yields every joint choice."""
    return math.prod(len(from_start(each)) for each in problem.workloads if is_open(each)) <= MOST


def _balanced(workloads: Sequence[Workload], problem: Problem) -> tuple[AffinityGroup, ...]:
    """Return groups such that workloads, the largest first, stand where there is most room for them."""
    left = dict(problem.limits)
    chosen: dict[str, AffinityGroup] = {}
    for workload in sorted(workloads, key=lambda each: (-_size(each), each.key)):
        found = [(_room(workload, group, left), group) for group in from_start(workload)]
        most = max(room for room, _ in found)
        chosen[workload.key] = next(group for room, group in found if room == most)
        names = _names(chosen[workload.key], problem)
        for resource, need in needs(workload).items():
            for name in names:
                if (name, resource) in left:
                    left[name, resource] -= need * workload.replicas // len(names)
    return tuple(chosen[each.key] for each in workloads)


def _size(workload: Workload) -> int:
    """Return the size of a workload, to sort by: the sum of all its requests."""
    return sum(need * workload.replicas for need in needs(workload).values())


def _room(workload: Workload, group: AffinityGroup, left: Mapping[tuple[str, str], int]) -> float:
    """Return how many replicas of a workload the clusters of a group have room for."""
    rule = next((rule for rule in group.rules if isinstance(rule, Candidates)), Candidates(()))
    needed = needs(workload)
    return sum(
        min((left[name, one] / need for one, need in needed.items() if (name, one) in left), default=math.inf)
        for name in rule.names
    )


def _names(group: AffinityGroup, problem: Problem) -> tuple[str, ...]:
    rule = next((rule for rule in group.rules if isinstance(rule, Candidates)), None)
    return tuple(problem.cluster_by_name) if rule is None else rule.names


def _near(groups: Sequence[Sequence[AffinityGroup]]) -> Iterator[tuple[AffinityGroup, ...]]:
    """Yield the first joint choice, and some that differ from it in one group."""
    first = tuple(each[0] for each in groups)
    yield first
    others = ((at, group) for at, each in enumerate(groups) for group in each[1:])
    for (at, group), _ in zip(others, range(MOST - 2), strict=False):
        yield (*first[:at], group, *first[at + 1 :])


def _only(problem: Problem, chosen: dict[str, AffinityGroup]) -> Problem:
    """Return a problem in which every workload has its group and no other."""
    return replace(problem, workloads=tuple(_settled(each, chosen) for each in problem.workloads))


def _settled(workload: Workload, chosen: dict[str, AffinityGroup]) -> Workload:
    """Return a workload with one group and no other."""
    known = from_start(workload)
    group = chosen.get(workload.key, known[0] if known else None)
    return replace(workload if group is None else in_group(workload, group), groups=())


def in_any_group(workload: Workload, *, opened: bool = False) -> Workload:
    """Return a workload that may stand wherever it may in any of its groups.

    `opened`: True counts the clusters that only taints keep closed as well, and groups before the observed
    one, where a reschedule leads.
    """
    known = workload.groups if opened else from_start(workload)
    every = [group.rules for group in known] or [workload.rules]
    found = [rule for rules in every for rule in rules if isinstance(rule, Candidates)]
    rest = tuple(rule for rule in workload.rules if not isinstance(rule, Candidates))
    if len(found) < len(every):
        # Without the rule every cluster is a candidate.
        return replace(workload, rules=rest)
    names = {name for rule in found for name in rule.names}
    if opened:
        names |= {name for rule in found for name in rule.may_open}
    return replace(workload, rules=(Candidates(tuple(sorted(names))), *rest))


def apart(problem: Problem, *, opened: bool = False) -> tuple[Problem, ...]:
    """Return the independent parts of a problem, whatever groups its workloads get.

    `opened`: as for `in_any_group`.
    """
    wide = tuple(in_any_group(each, opened=opened) for each in problem.workloads)
    return tuple(
        replace(part, workloads=tuple(map(problem.workload, part.workload_by_key)))
        for part in components(replace(problem, workloads=wide))
    )


def is_shut(workload: Workload, *, afresh: bool = False) -> bool:
    """Tell whether no cluster would take a workload, in any affinity group, whatever taints it tolerated.

    `afresh`: True counts groups before the observed one as well.
    """
    asked = workload if afresh else replace(workload, groups=from_start(workload))
    rule = in_any_group(asked, opened=True).rule(Candidates)
    return workload.replicas > 0 and rule is not None and not rule.names
