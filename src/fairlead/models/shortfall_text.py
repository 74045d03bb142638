"""What gave way in a partial placement, in words: how much, and what stands in the way on which cluster."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from fairlead.models.check import shared_violations, violations_of
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.quantity import format_units
from fairlead.models.rules import (
    Bounds,
    Candidates,
    Capacity,
    Duplicated,
    GroupTotal,
    Spread,
    bounds,
    candidates,
    capacity,
    duplicated,
    group_total,
    spread,
    total,
)
from fairlead.models.rules.duplicated import copy_on
from fairlead.models.rules.spread import used_groups
from fairlead.models.shortfall import unmet
from fairlead.models.statement import Violation
from fairlead.models.usage import Amounts, more_replicas, remaining, scarcest
from fairlead.models.words import counted
from fairlead.models.workload import Workload

NAMED = 3
"""Clusters whose obstacle a sentence names before it counts the rest."""


def shortfalls(problem: Problem, placement: Placement) -> tuple[Violation, ...]:
    """Return what gave way in a placement, each with what stands in the way.

    Returns
    -------
    tuple of Violation
        Workload by workload; the amounts are those of the checker. The texts name the source of the rule and
        say why it is not less.
    """
    answer = _Answer(problem, placement)
    return tuple(_told(violation, answer) for violation in unmet(problem, placement))


@dataclass(frozen=True)
class _Answer:
    """A problem and its placement with what the obstacles are read from."""

    problem: Problem
    placement: Placement

    @cached_property
    def left(self) -> Amounts:
        limited = any(isinstance(rule, Capacity) for rule in self.problem.rules)
        return remaining(self.problem, self.placement) if limited else {}

    @cached_property
    def ties(self) -> bool:
        return any(not isinstance(rule, Capacity) for rule in self.problem.rules)


def _told(violation: Violation, answer: _Answer) -> Violation:
    """Return a violation in the words of a partial placement."""
    workload = answer.problem.workload(violation.workload or "")
    because = _obstacles(violation, workload, answer)
    text = _missing(violation, workload)
    text = f"{text} ({violation.source})" if violation.source else text
    return replace(violation, text=f"{text}: {because}" if because else text)


def _missing(violation: Violation, workload: Workload) -> str:
    """Say what is missing; totals and copies as unplaced replicas."""
    if violation.rule == total.KIND:
        verb = "is" if violation.amount == 1 else "are"
        return (
            f"{violation.amount} of {counted(workload.replicas, 'replica')} of {workload.key} {verb} unplaced"
        )
    if violation.rule == duplicated.KIND and violation.cluster is not None:
        size = counted(violation.amount, "replica")
        return f"{workload.key} has no copy on {violation.cluster}, {size} unplaced"
    if violation.rule == duplicated.KIND:
        return f"{workload.key} has no copy at all, {counted(violation.amount, 'replica')} unplaced"
    return violation.text


def _obstacles(violation: Violation, workload: Workload, answer: _Answer) -> str:
    """Say what keeps the clusters that could help from holding more; empty where nothing special does."""
    rule = workload.rule(Candidates)
    names = rule.names if rule else tuple(answer.problem.cluster_by_name)
    if not names:
        return candidates.summarise(rule or Candidates(()))
    found: dict[str, None] = {}
    helpful = [name for name in _helpful(violation, workload, answer) if name in names]
    for at, cluster in enumerate(helpful):
        if len(found) == NAMED:
            return f"{'; '.join(found)}; and {counted(len(helpful) - at, 'more cluster')}"
        obstacle = _obstacle(workload, cluster, answer)
        if obstacle:
            found[obstacle] = None
    return "; ".join(found)


def _helpful(violation: Violation, workload: Workload, answer: _Answer) -> Sequence[str]:
    """Return the clusters on which more replicas would make less give way."""
    everywhere = tuple(answer.problem.cluster_by_name)
    if violation.cluster is not None:
        return (violation.cluster,)
    if violation.rule == group_total.KIND:
        named = [rule for rule in workload.rules_of(GroupTotal) if rule.name == violation.detail]
        inside = frozenset[str]().union(*(rule.clusters for rule in named))
        return [name for name in everywhere if name in inside]
    if violation.rule == spread.KIND:
        placed = answer.placement.of(workload.key)
        for rule in workload.rules_of(Spread):
            if (rule.field, rule.source) == (violation.detail, violation.source):
                used = used_groups(rule, placed)
                unused = [members for group, members in rule.groups.items() if group not in used]
                inside = frozenset[str]().union(*unused)
                return [name for name in everywhere if name in inside]
    return everywhere


def _obstacle(workload: Workload, cluster: str, answer: _Answer) -> str:
    """Say what keeps a candidate from holding more of a workload; empty where nothing special does."""
    copies = workload.rule(Duplicated)
    placed = dict(answer.placement.of(workload.key))
    full = copy_on(copies, workload, cluster) if copies else placed.get(cluster, 0) + 1
    if copies and placed.get(cluster):
        return ""
    limits = workload.rule(Bounds) or Bounds()
    if cluster in limits.maximum and full > limits.maximum[cluster].replicas:
        return str(bounds.maximum(limits, workload, cluster).statement())
    rule = workload.rule(Candidates)
    if rule and cluster in rule.held_only and full > workload.current.get(cluster, 0):
        return str(candidates.closed(rule, workload, cluster).statement())
    if any(isinstance(shared, Capacity) for shared in answer.problem.rules):
        crowded = _crowded(workload, cluster, full, answer)
        if crowded:
            return crowded
    return next(_refusals(workload, cluster, full, answer), "")


def _crowded(workload: Workload, cluster: str, full: int, answer: _Answer) -> str:
    """Say that what is left of a cluster does not suffice; empty where it does."""
    where = answer.problem.cluster_by_name[cluster]
    held = answer.placement.of(workload.key).get(cluster, 0)
    room = more_replicas(workload, where, answer.left)
    scarce = scarcest(workload, where, answer.left)
    if room is not None and scarce is not None and room < full - held:
        if where.free is not None and scarce not in where.free:
            return f"{cluster} offers no {scarce}"
        rest = capacity.amount_of(scarce, max(0, answer.left.get((cluster, scarce), 0)))
        need = format_units(scarce, capacity.demands(workload, where)[scarce])
        fits = "no capacity left" if not room else f"capacity for {room} more only"
        return f"{cluster} has {fits} ({rest} left, {need} per replica)"
    graded = capacity.graded_room(workload, where)
    if graded is not None and full > graded:
        return f"the nodes of {cluster} fit at most {counted(graded, 'replica')} of {workload.key}"
    return ""


def _refusals(workload: Workload, cluster: str, full: int, answer: _Answer) -> Iterator[str]:
    """Yield what one more replica, or a copy, would break that must not be broken."""
    placed = {**answer.placement.of(workload.key), cluster: full}
    for violation in violations_of(workload, placed):
        if not violation.gives_way:
            yield f"one more on {cluster} would violate a rule ({violation})"
    if answer.ties:
        more = Placement({**answer.placement, workload.key: placed})
        for violation in shared_violations(answer.problem, more):
            yield f"one more on {cluster} would violate a rule ({violation})"
