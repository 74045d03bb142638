"""Conflicts seen at first sight: of a workload by itself, and of a quota that is too small."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

import numpy as np

from fairlead.models.check import required_by
from fairlead.models.problem import Problem
from fairlead.models.requirement import Binds, Everywhere, Requirement, Side
from fairlead.models.rules import (
    Bounds,
    Candidates,
    Capacity,
    Companionship,
    Duplicated,
    GroupTotal,
    MoveBudget,
    Quota,
    SharedRule,
    Spread,
    Total,
    quota,
)
from fairlead.models.rules.capacity import needs
from fairlead.models.rules.quota import QuotaScope
from fairlead.models.rules.spread import most_in_groups
from fairlead.models.statement import Conflict, Proof
from fairlead.models.workload import Workload, from_start
from fairlead.solver.answers.answer import among
from fairlead.solver.conflicts.scarcity import fewest_over
from fairlead.solver.conflicts.units import moves_too_many
from fairlead.solver.exact.boxes import WorkloadBox, box_of, boxes_of, has_box
from fairlead.solver.exact.marginal import exact_sum

if TYPE_CHECKING:
    from fairlead.solver.conflicts.wording import Contradiction


def alone(workload: Workload, problem: Problem) -> Problem:
    """Return a problem of one workload in which every other one has left its clusters.

    Whatever is infeasible there is infeasible beside the others as well.
    """
    held_here = {workload.key: workload.current}
    rules = tuple(
        quota.recounted(rule, problem, held_here) if isinstance(rule, Quota) else rule
        for rule in problem.rules
        if isinstance(rule, Capacity | Quota) or _limits_moves(rule, workload)
    )
    left = among(problem, (workload,), problem.limits)
    # What others take for good stays as it is told where nobody of the problem holds anything.
    held = {name for each in problem.workloads for name in each.current}
    clusters = tuple(
        left.cluster_by_name[each.name] if each.name in held else each for each in problem.clusters
    )
    return replace(left, clusters=clusters, rules=rules, partial=False)


def _limits_moves(rule: SharedRule, workload: Workload) -> bool:
    """Tell whether a workload alone may not move more than a budget that it shares with others."""
    return isinstance(rule, MoveBudget) and rule.concerns((workload.key,))


def fails_alone(workload: Workload, problem: Problem, boxed: WorkloadBox | None = None) -> bool:
    """Tell whether a workload is seen to have no placement of its own, without a solver."""
    if (workload.replicas and _too_few_groups(workload)) or moves_too_many(workload, problem):
        return True
    if boxed is None:
        if not has_box(workload):
            # Copies that may choose their clusters; whatever else has no total may stand nowhere.
            return _is_shut(workload, problem)
        boxed = box_of(workload, problem)
    if not boxed.box.feasible:
        return True
    if not workload.replicas or workload.rule(Total) is None:
        return False
    return _sum_differs(workload, boxed) or _set_misfits(workload, boxed) or _groups_misfit(workload, boxed)


def _is_shut(workload: Workload, problem: Problem) -> bool:
    """Tell whether copies are wanted, and no cluster is open to them."""
    wanted = bool(workload.replicas) and workload.rule(Duplicated) is not None
    return wanted and not problem.candidates(workload)


def settled(workload: Workload, problem: Problem) -> bool:
    """Tell whether `fails_alone` is all there is to know: a workload's rules bound single clusters only."""
    if not has_box(workload) or not all(_is_kept_alone(rule, workload, problem) for rule in problem.rules):
        return False
    known = workload.rule(Candidates)
    inside = frozenset(problem.cluster_by_name if known is None else known.names)
    required = (one for rule in workload.rules for one in required_by(rule, workload, ()))
    return all(
        isinstance(one.scope, str | Everywhere)
        and one.binds is Binds.ALWAYS
        and (one.cluster is None or one.cluster in inside or one.side is Side.MOST)
        for one in required
    )


def _is_kept_alone(rule: SharedRule, workload: Workload, problem: Problem) -> bool:
    """Tell whether a shared rule leaves to a workload alone all that its box allows."""
    match rule:
        case Capacity():
            return True
        case Quota():
            needed = needs(workload)
            return workload.rule(Duplicated) is None and all(
                scope.cluster is not None or needed.get(scope.resource, 0) * workload.replicas <= limit
                for scope, limit in quota.allowed(rule, problem).items()
                if workload.namespace == rule.namespace
            )
        case MoveBudget():
            return not _limits_moves(rule, workload)
        case Companionship():
            return False
        case _:
            assert_never(rule)


def _sum_differs(workload: Workload, boxed: WorkloadBox) -> bool:
    """Tell whether exact totals of disjoint sets add up to something else than the total."""
    exact = [rule for rule in workload.rules_of(GroupTotal) if rule.minimum == rule.maximum]
    covering = [rule for rule in exact if rule.clusters >= set(boxed.names)]
    if any(rule.minimum != workload.replicas for rule in covering):
        return True
    parts = [rule for rule in exact if rule not in covering]
    inside = frozenset[str]().union(*(rule.clusters for rule in parts))
    if not parts or len(inside) != sum(len(rule.clusters) for rule in parts):
        return False
    told = sum(rule.minimum for rule in parts)
    return told > workload.replicas or (told < workload.replicas and inside >= set(boxed.names))


def _too_few_groups(workload: Workload) -> bool:
    """Tell whether a spread wants more groups than there are, or than there are replicas."""
    for rule in workload.rules_of(Spread):
        if rule.minimum > sum(1 for clusters in rule.groups.values() if clusters):
            return True
        inside = frozenset[str]().union(*rule.groups.values())
        in_one_only = sum(len(clusters) for clusters in rule.groups.values()) == len(inside)
        # Only a total says how many groups can hold a replica: full copies are not divided.
        if in_one_only and rule.minimum > workload.replicas and workload.rule(Total) is not None:
            return True
    return False


def _groups_misfit(workload: Workload, boxed: WorkloadBox) -> bool:
    """Tell whether as many groups as a spread allows hold less than the total, whichever they are."""
    limited = [
        rule for rule in workload.rules_of(Spread) if (rule.maximum or len(rule.groups)) < len(rule.groups)
    ]
    if not limited:
        return False
    most = dict(zip(boxed.names, boxed.box.upper.tolist(), strict=True))
    return any(most_in_groups(rule, most) < boxed.box.total for rule in limited)


def _set_misfits(workload: Workload, boxed: WorkloadBox) -> bool:
    """Tell whether a set must hold more than its clusters can, or less than they have to."""
    for rule in workload.rules_of(GroupTotal):
        inside = np.array([name in rule.clusters for name in boxed.names], dtype=bool)
        most, least = exact_sum(boxed.box.upper[inside]), exact_sum(boxed.box.lower[inside])
        if most < rule.minimum or (rule.maximum is not None and least > rule.maximum):
            return True
    return False


def hopeless(problem: Problem, boxes: Mapping[str, WorkloadBox]) -> bool:
    """Tell whether it is seen at once that a problem has no placement; boxes as `boxes_of` makes them.

    So it is where a workload has none of its own, and where a quota is too small.
    """
    each = (fails_alone(problem.workload(key), problem, boxed) for key, boxed in boxes.items())
    return any(each) or bool(quota_conflicts(problem))


def conflicts(
    problem: Problem, boxes: Mapping[str, WorkloadBox] | None = None
) -> "tuple[Contradiction, ...]":
    """Return a conflict for every workload that is seen to have no placement of its own.

    In the order of the workloads, each minimal by construction: leaving out any one statement resolves it.

    `problem`: the question. Workloads that only fail together, because they share capacity, are not found
    here. `boxes`: boxes by key of the workloads that are looked at, as `boxes_of` makes them; None looks at
    all.
    """
    asked = problem.workloads if boxes is None else tuple(map(problem.workload, boxes))
    found = boxes_of(problem) if boxes is None else boxes
    failing = [each for each in asked if fails_alone(each, problem, found.get(each.key))]
    each = (_conflict(workload, problem) for workload in failing)
    return tuple(conflict for conflict in each if conflict is not None)


def _conflict(workload: Workload, problem: Problem) -> "Contradiction | None":
    """Return the conflict of one workload; None where it takes a solver to find it."""
    # Few problems have any, so what finds and words them is imported here.
    from fairlead.solver.conflicts.closed_form import closed_form
    from fairlead.solver.conflicts.units import units_of
    from fairlead.solver.conflicts.wording import Contradiction, told

    by_itself = alone(workload, problem)
    units = units_of(by_itself)
    found = closed_form(workload, by_itself, units)
    if found is None:
        return None
    return Contradiction(told([units[at] for at in found.units], by_itself), found.proof, (workload,))


def quota_conflicts(problem: Problem) -> tuple[Conflict, ...]:
    """Return a conflict for every quota that what its workloads want at least does not fit into.

    Only totals, full copies and minima are looked at; leaving out any one statement of a conflict resolves
    it. None where replicas may stay unplaced.
    """
    if problem.partial:
        return ()
    found = (_over(rule, problem) for rule in problem.rules if isinstance(rule, Quota) and rule.limits)
    return tuple(conflict for conflict in found if conflict is not None)


def _over(rule: Quota, problem: Problem) -> Conflict | None:
    """Return why a quota cannot be kept, for the first of its limits."""
    asked: dict[QuotaScope, list[tuple[int, Requirement]]] = {}
    for workload in problem.workloads_in(rule.namespace):
        needed = needs(workload)
        for one in _least(workload, problem):
            # A copy, and all replicas, count in all clusters together as well.
            for cluster in {one.cluster, None} if one.side is Side.EXACTLY else {one.cluster}:
                for resource, need in needed.items():
                    asked.setdefault(QuotaScope(resource, cluster), []).append((need * one.limit, one))
    for scope, limit in sorted(quota.allowed(rule, problem).items(), key=lambda each: each[0].order):
        wanted = fewest_over(asked.get(scope, ()), limit)
        if wanted is not None:
            told = (one.statement() for one in wanted)
            return Conflict((*told, quota.describe(rule, scope, problem)), proof=Proof.MINIMAL)
    return None


def _least(workload: Workload, problem: Problem) -> Iterator[Requirement]:
    """Yield the least of a workload on single clusters, and in all, whatever affinity group it gets."""
    copies, several = workload.rule(Duplicated), len(from_start(workload)) > 1
    if not workload.replicas or (copies is not None and copies.choice):
        return
    names = frozenset(problem.candidates(workload))
    for rule in workload.rules if copies is None else (copies,):
        for one in required_by(rule, workload, ()) if isinstance(rule, Bounds | Duplicated | Total) else ():
            open_to = isinstance(one.scope, Everywhere) or (one.cluster in names and not several)
            if open_to and one.side is not Side.MOST and one.binds is Binds.ALWAYS:
                yield one
