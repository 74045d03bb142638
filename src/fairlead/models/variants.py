"""Problems and workloads with something else in the place of what they had."""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from fairlead.models.in_order import kept
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    BindingRule,
    Bounds,
    CustomCost,
    CustomRule,
    Evenness,
    GroupTotal,
    Price,
    Skew,
    Spread,
    Survival,
    WorkloadRule,
)
from fairlead.models.workload import AffinityGroup, Workload, settled_in

T = TypeVar("T")
R = TypeVar("R")
Rules = tuple[WorkloadRule, ...]


@kept
def in_full(problem: Problem) -> Problem:
    """Return a problem of which nothing gives way; the same one each time, with what is known of it."""
    return replace(problem, partial=False) if problem.partial else problem


def exchanged(every: Iterable[T], before: T, after: T) -> tuple[T, ...]:
    """Return clusters, workloads or rules with another one in the place of the very one that is given."""
    return tuple(after if each is before else each for each in every)


def with_each(every: Iterable[T], kind: type[R], change: Callable[[R], T]) -> tuple[T, ...]:
    """Return rules of which each of a kind was changed."""
    return tuple(change(each) if isinstance(each, kind) else each for each in every)


def sets_of_rules(workload: Workload) -> tuple[Rules, ...]:
    """Return the rules of a workload, then those of its affinity groups in order."""
    return (workload.rules, *(group.rules for group in workload.groups))


def every_rule(workload: Workload) -> Rules:
    """Return the rules of a workload and of all of its affinity groups, each once."""
    return tuple({id(rule): rule for rules in sets_of_rules(workload) for rule in rules}.values())


_MANY = GroupTotal | Spread | Survival | Skew | Evenness | CustomRule | CustomCost
"""Rules of which a workload may have several; of any other it has one, and of prices one on each level."""


def repeated_kinds(workload: Workload) -> Sequence[str]:
    """Return the kinds of rules that a workload has twice: in some places only the first one would count."""
    found: set[str] = set()
    for rules in sets_of_rules(workload):
        if len({*map(type, rules)}) < len(rules):
            single = [rule for rule in rules if not isinstance(rule, _MANY)]
            kinds = Counter((type(rule), rule.level if isinstance(rule, Price) else None) for rule in single)
            found.update(kind.__name__ for (kind, _), count in kinds.items() if count > 1)
    return sorted(found)


def with_rules(workload: Workload, change: Callable[[Rules], Rules]) -> Workload:
    """Return a workload with changed rules, in every affinity group as well."""
    groups = tuple(replace(group, rules=change(group.rules)) for group in workload.groups)
    return replace(workload, rules=change(workload.rules), groups=groups)


def binding(rules: Rules) -> Rules:
    """Return the rules that must hold only."""
    return tuple(
        replace(rule, preferred=False) if isinstance(rule, Bounds) else rule
        for rule in rules
        if isinstance(rule, BindingRule)
    )


def without_preferences(workload: Workload) -> Workload:
    """Return a workload with the rules that must hold only, those of the affinity group that it has now."""
    return replace(workload, rules=binding(workload.rules), settled=True)


def among(problem: Problem, keys: Container[str]) -> Problem:
    """Return a problem of some of its workloads only."""
    return replace(problem, workloads=tuple(each for each in problem.workloads if each.key in keys))


def in_groups(problem: Problem, chosen: Mapping[str, AffinityGroup]) -> Problem:
    """Return a problem in which workloads have the affinity groups that were chosen for them, by key."""
    if not chosen:
        return problem
    workloads = tuple(
        settled_in(each, chosen[each.key]) if each.key in chosen else each for each in problem.workloads
    )
    return replace(problem, workloads=workloads)


def with_workload(problem: Problem, workload: Workload) -> Problem:
    """Return a problem with a workload in the place of the one that has its key."""
    return replace(problem, workloads=exchanged(problem.workloads, problem.workload(workload.key), workload))
