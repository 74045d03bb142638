"""What if: changes of a problem as data, and the problem that they make of another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import assert_never

from fairlead.models.check import with_due
from fairlead.models.cluster import Cluster, Taint
from fairlead.models.declared import FederatedUnit
from fairlead.models.errors import UnsupportedError, UsageError
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Duplicated, Quota, SharedRule, Shares, Survival, Weights
from fairlead.models.rules.candidates import Cause, Exclusion
from fairlead.models.statement import Statement
from fairlead.models.triggers import triggered
from fairlead.models.usage import without_lag
from fairlead.models.validity import trusted
from fairlead.models.workload import Workload
from fairlead.solver.simulate.changes import (
    Add,
    At,
    Change,
    Cordon,
    Drain,
    Lose,
    Restore,
    Scale,
    Weight,
    clusters_of,
)
from fairlead.solver.simulate.closing import Closing, Rules, holding_only, lost_requirements, without
from fairlead.solver.simulate.reopening import (
    CORDONED,
    DRAINED,
    IS_CORDONED,
    IS_DRAINED,
    interpreted,
    reopened,
    restored,
)
from fairlead.solver.why.names import find_cluster, find_workload


def changed(problem: Problem, changes: Iterable[Change]) -> Problem:
    """Return the problem after changes, made one after the other.

    What the changes leave without effect, such as the minimum of a cluster that is lost, is dropped, with a
    warning in `Problem.warnings`.

    Raises
    ------
    UsageError
        Where a change names what the problem does not have, or makes no sense for it.
    UnsupportedError
        Where the problem does not hold what is needed to tell.
    """
    asked = tuple(changes)
    for change, following in pairwise(asked):
        if isinstance(following, Add) and not isinstance(change, Add):
            raise UsageError(f"manifests are added first, not after: {change}")
    now = problem
    for change in asked:
        now = _changed(now, change)
    now = triggered(problem, now)
    fleet = replace(now, workloads=with_due(now.workloads))
    only_closed = all(isinstance(change, Drain | Cordon | Restore | Lose) for change in asked)
    return trusted(fleet) if only_closed else fleet


def _changed(problem: Problem, change: Change) -> Problem:
    """Make one change."""
    match change:
        case Drain(name):
            return _closed(problem, _cluster(problem, name))
        case Cordon(name):
            return _cordoned(problem, _cluster(problem, name))
        case Restore(name):
            return restored(problem, _cluster(problem, name))
        case Lose():
            return _lost(problem, clusters_of(problem, change))
        case At():
            return _all_scaled(problem, change)
        case Scale():
            return _scaled(problem, change)
        case Weight():
            return _weighed(problem, change)
        case Add(together):
            return _together(problem, together)
        case _:
            assert_never(change)


def _cluster(problem: Problem, name: str) -> Cluster:
    """Return the cluster of a name."""
    return problem.cluster_by_name[find_cluster(problem, name)]


def _closed(problem: Problem, cluster: Cluster) -> Problem:
    """Close a cluster to everybody; it stays in the problem."""
    closing = Closing(frozenset([cluster.name]), Exclusion(IS_DRAINED), IS_DRAINED)
    clusters = tuple(_marked(one, DRAINED) if one is cluster else one for one in problem.clusters)
    return _with_workloads(problem, clusters, closing)


def _lost(problem: Problem, names: frozenset[str]) -> Problem:
    """Take clusters out of the problem."""
    closing = Closing(names, None, "is lost")
    clusters = tuple(one for one in problem.clusters if one.name not in names)
    rules = tuple(left for rule in problem.rules for left in _limiting_others(rule, names))
    return _with_workloads(replace(problem, rules=rules), clusters, closing)


def _limiting_others(rule: SharedRule, lost: frozenset[str]) -> Iterator[SharedRule]:
    """Yield a rule; a quota without what it says of lost clusters, nothing where it says nothing else."""
    if not isinstance(rule, Quota):
        yield rule
        return
    limits = {scope: limit for scope, limit in rule.limits.items() if scope.cluster not in lost}
    if limits:
        yield replace(rule, limits=limits)


def _with_workloads(problem: Problem, clusters: Sequence[Cluster], closing: Closing) -> Problem:
    """Close clusters to every workload; say which of its requirements have no effect any more."""
    told: list[Statement] = []
    workloads: list[Workload] = []
    up_to_date = without_lag(clusters, problem.workloads)
    for workload in problem.workloads:
        all_rules = _all_rules_of(workload)
        for rules in all_rules:
            told.extend(lost_requirements(rules, workload, closing))
        left = _with_rules(workload, [without(rules, workload, closing) for rules in all_rules])
        again = reopened(workload, left, up_to_date)
        workloads.append(again.workload)
        told.extend(again.warnings)
    warnings = tuple(dict.fromkeys([*problem.warnings, *told]))
    return replace(problem, clusters=tuple(clusters), workloads=tuple(workloads), warnings=warnings)


def _marked(cluster: Cluster, taint: Taint) -> Cluster:
    """Return a cluster with one more taint."""
    return cluster if taint in cluster.taints else replace(cluster, taints=(*cluster.taints, taint))


def _cordoned(problem: Problem, cluster: Cluster) -> Problem:
    """Let a cluster take nothing new: what runs there may stay, for all others it is closed."""
    name, exclusion = cluster.name, Exclusion(IS_CORDONED)
    clusters = tuple(_marked(one, CORDONED) if one is cluster else one for one in problem.clusters)
    holders = {each.key for each in problem.workloads if each.current.get(name)}
    stay = tuple(each for each in problem.workloads if each.key in holders)
    others = tuple(each for each in problem.workloads if each.key not in holders)
    closing = Closing(frozenset([name]), exclusion, exclusion.reason)
    closed = _with_workloads(replace(problem, workloads=others), clusters, closing)
    held = tuple(
        _with_rules(each, [holding_only(rules, {name}, exclusion) for rules in _all_rules_of(each)])
        for each in stay
    )
    return replace(closed, workloads=(*closed.workloads, *held))


def _together(problem: Problem, together: Problem) -> Problem:
    """Take the problem with what is added; it must hold everything that is there."""
    for what, here, there in (
        ("cluster", problem.cluster_by_name.keys(), together.cluster_by_name.keys()),
        ("workload", problem.workload_by_key.keys(), together.workload_by_key.keys()),
    ):
        missing = sorted(here - there)
        if missing:
            text = (
                f"what is added has to be loaded together with what is there: {what} {missing[0]} is missing"
            )
            raise UsageError(text)
    return together


def _all_rules_of(workload: Workload) -> list[Rules]:
    """Return the rules of a workload, then those of its affinity groups in order."""
    return [workload.rules, *(group.rules for group in workload.groups)]


def _with_rules(workload: Workload, all_rules: Sequence[Rules]) -> Workload:
    """Return a workload with other rules: its own first, then those of its affinity groups in order."""
    groups = tuple(
        replace(group, rules=rules) for group, rules in zip(workload.groups, all_rules[1:], strict=True)
    )
    chosen = next((group.rules for group in groups if group.name == workload.group), all_rules[0])
    return replace(workload, rules=chosen, groups=groups)


def _all_scaled(problem: Problem, at: At) -> Problem:
    """Let every workload with an autoscaler want the fewest or the most replicas that it allows."""
    scaled = [(one.key, one.autoscaler) for one in problem.workloads if one.autoscaler is not None]
    if not scaled:
        raise UsageError(
            "no workload has an autoscaler: none of the HorizontalPodAutoscaler, FederatedHPA and"
            " CronFederatedHPA objects in the input scales one"
        )
    for key, limits in scaled:
        match at.limit:
            case "min":
                problem = _scaled(problem, Scale(key, limits.minimum))
            case "max":
                problem = _scaled(problem, Scale(key, limits.maximum))
            case _:
                raise UsageError(f"no limit {at.limit!r} of an autoscaler; known: min and max")
    return problem


def _scaled(problem: Problem, scale: Scale) -> Problem:
    """Let a workload want another number of replicas."""
    workload = find_workload(problem, scale.workload)
    if scale.replicas < 0:
        raise UsageError(f"{scale.workload}: {scale.replicas} is not a number of replicas (0, 1, 2, ...)")
    after = replace(workload, replicas=scale.replicas)
    if workload.rule(Duplicated) and isinstance(workload.declared, FederatedUnit):
        again = interpreted(after, problem.clusters)  # the size of a copy lies between minimum and maximum
        if again is None:
            text = f"{workload.key}: only the manifests tell the size of its copies"
            raise UnsupportedError(f"{text}; edit them and solve again")
        after = again
    warnings = problem.warnings
    if workload.rule(Survival) and scale.replicas != workload.replicas:
        rule = workload.rules_of(Survival)[0]
        text = f"{workload.key}: {rule.minimum} replicas still have to survive; where that is a percentage,"
        note = Statement("survival", f"{text} edit the manifest and solve it", rule.source, workload.key)
        warnings = (*warnings, note)
    return replace(_with_workload(problem, after), warnings=warnings)


def _with_workload(problem: Problem, workload: Workload) -> Problem:
    """Put a workload into the place of the one with its key."""
    others = (each for each in problem.workloads if each.key != workload.key)
    return replace(problem, workloads=(*others, workload))


def _weighed(problem: Problem, weight: Weight) -> Problem:
    """Give a candidate of a workload another weight, in every affinity group where it is a candidate."""
    workload = find_workload(problem, weight.workload)
    name = find_cluster(problem, weight.cluster)
    if weight.weight < 0:
        raise UsageError(f"{weight.weight} is not a weight (0, 1, 2, ...)")
    refused = _unweighable(workload, name)
    if refused:
        raise UsageError(f"{weight.workload}: {refused}")
    if not weight.weight:
        zero = "has static weight 0"
        closing = Closing(frozenset([name]), Exclusion(zero, cause=Cause.BESIDE_OTHERS), zero)
        left = _with_rules(workload, [without(rules, workload, closing) for rules in _all_rules_of(workload)])
        if not any(rule.names for rule in left.rules_of(Candidates)):
            raise UsageError(f"{weight.workload}: {name} is its only cluster with a weight")
        return _with_workload(problem, replace(left, due=True))
    found = [_reweighed(rules, name, weight.weight) for rules in _all_rules_of(workload)]
    # Its scheduler looks again: the placement is not the one that was applied last.
    return _with_workload(problem, _with_rules(replace(workload, due=True), found))


def _unweighable(workload: Workload, cluster: str) -> str:
    """Say why the weight of a cluster cannot be changed; empty where it can."""
    if workload.rule(Shares) is not None:
        return "its hierarchical weights cannot be changed one by one; edit them and solve again"
    weights = [rule for rules in _all_rules_of(workload) for rule in rules if isinstance(rule, Weights)]
    if not weights:
        return "it is not divided by weights"
    if all(rule.dynamic for rule in weights):
        return "its weights are the capacity of the clusters, which no policy states"
    if not any(cluster in rule.weights for rule in weights):
        candidates = workload.rule(Candidates)
        why = candidates.excluded.get(cluster) if candidates else None
        return f"{cluster} is not eligible" + (f": it {why.reason}" if why else "")
    if isinstance(workload.declared, FederatedUnit) and any(
        rule.weights.get(cluster) == 0 for rule in weights
    ):
        return f"{cluster} has weight 0 and holds its minimum only; edit the policy and solve again"
    return ""


def _reweighed(rules: Rules, cluster: str, weight: int) -> Rules:
    """Return rules with another weight of a cluster where it has one."""
    return tuple(
        replace(rule, weights={**rule.weights, cluster: weight})
        if isinstance(rule, Weights) and not rule.dynamic and cluster in rule.weights
        else rule
        for rule in rules
    )
