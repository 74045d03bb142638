"""Changes applied to a problem."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar, assert_never

from fairlead.models.cluster import Cluster
from fairlead.models.errors import InternalError
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Candidates,
    Companionship,
    Duplicated,
    MoveBudget,
    Numbered,
    Preference,
    Survival,
    Total,
    WorkloadRule,
)
from fairlead.models.rules.capacity import room
from fairlead.models.rules.move_budget import followed
from fairlead.models.rules.survival import part_of
from fairlead.models.source import FederatedUnit
from fairlead.models.statement import Change
from fairlead.models.variants import Rules, every_rule, exchanged, with_each, with_rules
from fairlead.models.workload import Workload, at_start
from fairlead.solver.changes.kinds import ChangeKind, taint_of
from fairlead.solver.changes.open_clusters import raised, tolerating
from fairlead.solver.changes.quota import raised as raised_quota

N = TypeVar("N", bound=Numbered)


def apply(problem: Problem, changes: Iterable[Change]) -> Problem:
    """Return a problem after changes.

    `changes`: the changes, in any order. Those of a workload are made in all of its affinity groups.

    Raises `InternalError` where a change names what the problem does not have.
    """
    of_workloads: dict[str, list[Change]] = {}
    for change in changes:
        if ChangeKind(change.kind) in _SHARED:
            problem = _changed(problem, change)
        else:
            of_workloads.setdefault(change.workload or "", []).append(change)
    if not of_workloads:
        return problem
    workloads = tuple(
        _of_workload(each, problem, of_workloads.get(each.key, ())) for each in problem.workloads
    )
    after = replace(problem, workloads=workloads)
    return replace(after, rules=with_each(problem.rules, MoveBudget, lambda rule: followed(rule, after)))


_SHARED = (ChangeKind.CAPACITY, ChangeKind.QUOTA, ChangeKind.MOVE_BUDGET, ChangeKind.COMPANION)
"""Kinds of changes of what several workloads share."""


def _changed(problem: Problem, change: Change) -> Problem:
    """Make one change of what several workloads share."""

    def budgeted(rule: MoveBudget) -> MoveBudget:
        return replace(rule, most=change.after, part=None) if rule.name == change.detail else rule

    def left(rule: Companionship) -> Companionship:
        members = tuple(key for key in rule.members if key != change.workload)
        return replace(rule, members=members) if rule.name == change.detail else rule

    match ChangeKind(change.kind):
        case ChangeKind.CAPACITY:
            cluster = problem.cluster_by_name[change.cluster or ""]
            clusters = exchanged(problem.clusters, cluster, _grown(cluster, change))
            return _with_larger_copies(replace(problem, clusters=clusters), cluster.name)
        case ChangeKind.QUOTA:
            return raised_quota(problem, change)
        case ChangeKind.MOVE_BUDGET:
            return replace(problem, rules=with_each(problem.rules, MoveBudget, budgeted))
        case ChangeKind.COMPANION:
            return replace(problem, rules=with_each(problem.rules, Companionship, left))
        case _:
            raise InternalError(f"a change of {change.kind} is one of a workload")


def _grown(cluster: Cluster, change: Change) -> Cluster:
    """Add capacity to a cluster."""
    if cluster.free is None:
        raise InternalError(f"capacity was added to {cluster.name}, whose capacity is not known")
    resource = change.named
    free = {**cluster.free, resource: cluster.free.get(resource, 0) + change.amount}
    offered = cluster.allocatable
    if offered is not None:
        offered = {**offered, resource: offered.get(resource, 0) + change.amount}
    return replace(cluster, free=free, allocatable=offered)


def _with_larger_copies(problem: Problem, name: str) -> Problem:
    """Let full copies take what a cluster has more of, where they were smaller for lack of room."""
    cluster = problem.cluster_by_name[name]

    def grown(rule: Duplicated, workload: Workload) -> Duplicated:
        if name not in rule.ample:
            return rule
        whole, fitting = rule.ample[name], room(workload, cluster)
        size = (
            whole if fitting is None else min(whole, max(rule.copies.get(name, workload.replicas), fitting))
        )
        return replace(rule, copies={**rule.copies, name: size})

    def all_grown(workload: Workload) -> Workload:
        if not any(name in rule.ample for rule in workload.rules_of(Duplicated)):
            return workload
        return replace(
            workload, rules=with_each(workload.rules, Duplicated, lambda one: grown(one, workload))
        )

    workloads = tuple(map(all_grown, problem.workloads))
    return replace(problem, workloads=workloads)


def _of_workload(workload: Workload, problem: Problem, changes: Sequence[Change]) -> Workload:
    """Make all changes of one workload: those first that open clusters, as others may be about these."""
    opening = [taint_of(change) for change in changes if change.kind == ChangeKind.TOLERATION]
    workload = tolerating(workload, opening, problem) if opening else workload
    left: list[Change] = []
    for change in changes:
        opened = _opened(workload, change, problem)
        workload = opened or workload
        left += [] if opened or change.kind == ChangeKind.TOLERATION else [change]
    for change in left:
        again = _with_smaller_copy(workload, change, problem)
        workload = again or _changed_workload(workload, change)
    return workload


def _opened(workload: Workload, change: Change, problem: Problem) -> Workload | None:
    """Return a workload to which a higher maximum opens a cluster; None for any other change."""
    if change.kind != ChangeKind.MAXIMUM or change.before or change.cluster is None:
        return None
    return raised(workload, change.cluster, change.after, problem)


def _with_smaller_copy(workload: Workload, change: Change, problem: Problem) -> Workload | None:
    """Return a workload whose copy is what fits, down to a lower minimum; None for any other change."""
    name = change.cluster or ""
    copies = (rule for rule in every_rule(workload) if isinstance(rule, Duplicated))
    if change.kind != ChangeKind.MINIMUM or not any(name in rule.least for rule in copies):
        return None

    def smaller(rule: Duplicated) -> Duplicated:
        least = rule.least.get(name)
        if least is None or least.replicas != change.before:
            return rule
        size = max(change.after, room(workload, problem.cluster_by_name[name]) or 0)
        lower = {**rule.least, name: least._replace(replicas=change.after)}
        return replace(rule, copies={**rule.copies, name: size}, least=lower)

    return with_rules(workload, lambda rules: with_each(rules, Duplicated, smaller))


def _changed_workload(workload: Workload, change: Change) -> Workload:
    """Change a workload or its rules."""
    if change.kind == ChangeKind.RESCHEDULE:
        return at_start(replace(workload, fresh=True))
    if change.kind == ChangeKind.REPLICAS:
        # What runs by the template's own number, as federated objects say it, changes with that.
        following = declared.following if isinstance(declared := workload.declared, FederatedUnit) else ()
        current = {**workload.current, **dict.fromkeys(following, change.after)}
        workload = replace(workload, replicas=change.after, current=current)

    def changed(rules: Rules) -> Rules:
        return tuple(_of_rule(rule, workload, change) for rule in rules)

    return with_rules(workload, changed)


def _of_rule(rule: WorkloadRule, workload: Workload, change: Change) -> WorkloadRule:
    """Change one rule if the change is about it."""
    if isinstance(rule, Preference):
        return rule
    match rule:
        case Survival() if change.kind == ChangeKind.REPLICAS:
            return _of_percentage(rule, workload, change)
        case Numbered():
            return _of_numbers(rule, change)
        case Candidates() | Total() | Duplicated():
            return rule
        case _:
            assert_never(rule)


def _of_numbers(rule: N, change: Change) -> N:
    """Change a number of a rule; both of an exact total."""
    for number in rule.numbers():
        same = (number.change, number.cluster, rule.detail) == (change.kind, change.cluster, change.detail)
        if same and (number.cluster is not None or number.value == change.before):
            rule = rule.changed(number, change.after)
    return rule


def _of_percentage(rule: Survival, workload: Workload, change: Change) -> Survival:
    """Change what has to survive with the replicas, where it is a part of them."""
    percent = rule.percent
    if percent is None:
        return rule
    if rule.minimum != part_of(percent, change.before):
        # It was changed before; a part stays one, as `edits` writes it.
        percent = 100 * rule.minimum // change.before
    return replace(rule, minimum=part_of(percent, workload.replicas))
