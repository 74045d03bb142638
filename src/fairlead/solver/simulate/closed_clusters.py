"""Clusters that are closed or lost: what becomes of the problem, and what has no effect."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace

from fairlead.models.closed_clusters import Closed, one_of_many, without
from fairlead.models.cluster import Cluster, Taint
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Bounds,
    Candidates,
    Companionship,
    GroupTotal,
    Quota,
    SharedRule,
    Shares,
    WorkloadRule,
)
from fairlead.models.rules.candidates import Cause, Exclusion
from fairlead.models.statement import Statement
from fairlead.models.triggers import is_held_back
from fairlead.models.usage import without_lag
from fairlead.models.variants import Rules, exchanged, sets_of_rules, with_rules
from fairlead.models.words import counted
from fairlead.models.workload import Workload, scheduling_order
from fairlead.solver.changes.open_clusters import CORDONED, DRAINED, IS_CORDONED, IS_DRAINED, interpreted


def drained(problem: Problem, cluster: Cluster) -> Problem:
    """Close a cluster to everybody; it stays in the problem."""
    return _with_workloads(problem, _marked(problem, cluster, DRAINED), {cluster.name: Exclusion(IS_DRAINED)})


def lost(problem: Problem, names: frozenset[str]) -> Problem:
    """Take clusters out of the problem."""
    clusters = tuple(one for one in problem.clusters if one.name not in names)
    there = frozenset(one.name for one in clusters)
    rules = tuple(
        _in_order(left, problem, there) for rule in problem.rules for left in _limiting_others(rule, names)
    )
    return _with_workloads(replace(problem, rules=rules), clusters, dict.fromkeys(sorted(names)))


def cordoned(problem: Problem, cluster: Cluster) -> Problem:
    """Let a cluster take nothing new: what runs there may stay, for all others it is closed."""
    exclusion = Exclusion(IS_CORDONED)
    stay = tuple(each for each in problem.workloads if each.current.get(cluster.name))
    others = tuple(each for each in problem.workloads if not each.current.get(cluster.name))
    closed = _with_workloads(
        replace(problem, workloads=others), _marked(problem, cluster, CORDONED), {cluster.name: exclusion}
    )
    held = tuple(
        with_rules(each, lambda rules: _holding_only(rules, cluster.name, exclusion)) for each in stay
    )
    return replace(closed, workloads=(*closed.workloads, *held))


def _limiting_others(rule: SharedRule, lost: frozenset[str]) -> Iterator[SharedRule]:
    """Yield a rule; a quota without what it says of lost clusters, nothing where it says nothing else."""
    if not isinstance(rule, Quota):
        yield rule
        return
    limits = {scope: limit for scope, limit in rule.limits.items() if scope.cluster not in lost}
    if limits:
        yield replace(rule, limits=limits)


def _in_order(rule: SharedRule, problem: Problem, clusters: frozenset[str]) -> SharedRule:
    """Return a rule; of companions those come first that still run on some cluster.

    Companions that stand in another order than that of the schedulers keep it: somebody has chosen it.
    """

    def ordered(members: Sequence[str], there: Container[str]) -> tuple[str, ...]:
        found = sorted(map(problem.workload, members), key=lambda each: scheduling_order(each, there))
        return tuple(each.key for each in found)

    if not isinstance(rule, Companionship):
        return rule
    members = rule.tied(problem)
    as_scheduled = ordered(members, problem.cluster_by_name) == members
    return replace(rule, members=ordered(members, clusters)) if as_scheduled else rule


def _marked(problem: Problem, cluster: Cluster, taint: Taint) -> Sequence[Cluster]:
    """Return the clusters of a problem, one of them with one more taint."""
    if taint in cluster.taints:
        return problem.clusters
    return exchanged(problem.clusters, cluster, replace(cluster, taints=(*cluster.taints, taint)))


def _with_workloads(problem: Problem, clusters: Sequence[Cluster], closed: Closed) -> Problem:
    """Close clusters to every workload; say which of its requirements have no effect any more."""
    told: list[Statement] = []
    workloads: list[Workload] = []
    up_to_date = without_lag(clusters, problem.workloads)
    for workload in problem.workloads:
        for rules in sets_of_rules(workload):
            told.extend(_without_effect(rules, workload, closed))
        left = closed_to(workload, closed)
        again = _reopened(workload, left, up_to_date)
        workloads.append(again or left)
        if again is None:
            text = (
                f"{left.key}: clusters that gave way to those that are closed now may become eligible;"
                " the rules do not say, so they stay closed here"
            )
            told.append(Statement("candidates", text, left.source, left.key))
    warnings = tuple(dict.fromkeys([*problem.warnings, *told]))
    return replace(problem, clusters=tuple(clusters), workloads=tuple(workloads), warnings=warnings)


def closed_to(workload: Workload, closed: Closed) -> Workload:
    """Return a workload without some clusters, in every affinity group."""
    return with_rules(workload, lambda rules: without(rules, workload, closed))


def _holding_only(rules: Rules, held: str, exclusion: Exclusion) -> Rules:
    """Let a candidate take nothing new; where that is so already, the reason stays."""

    def kept(rule: Candidates) -> Candidates:
        limited = {**({held: exclusion} if held in rule.names else {}), **rule.held_only}
        excluded = {name: each.for_good() if name == held else each for name, each in rule.excluded.items()}
        return replace(rule, excluded=excluded, held_only={name: limited[name] for name in sorted(limited)})

    return tuple(kept(rule) if isinstance(rule, Candidates) else rule for rule in rules)


def _without_effect(rules: Rules, workload: Workload, closed: Closed) -> Iterator[Statement]:
    """Tell of minima that cannot bind any more because their clusters are closed or gone."""
    stuck = tuple(_stuck(rules, workload, closed))
    yield from stuck
    for rule in rules if workload.replicas and not stuck else ():
        if isinstance(rule, Bounds):
            for name, (fewest, source, _) in rule.minimum.items():
                if name in closed and fewest:
                    why = f"{name} {_words(closed, name)}"
                    text = f"{workload.key}: the minimum of {fewest} on {name} has no effect: {why}"
                    yield Statement("bounds", text, source, workload.key, name)
        elif isinstance(rule, GroupTotal) and one_of_many(rule, rules, frozenset(closed)) and rule.minimum:
            why = f"every cluster in it {_words(closed, next(iter(closed)))}"
            text = f"{workload.key}: the minimum of {rule.minimum} in {rule.name} has no effect: {why}"
            yield Statement("group-total", text, rule.source, workload.key)


def _stuck(rules: Rules, workload: Workload, closed: Closed) -> Iterator[Statement]:
    """Tell of replicas that are not started elsewhere, because nothing of the workload may change."""
    if not is_held_back(replace(workload, rules=rules)):
        return
    left = (set(rule.names) - closed.keys() for rule in rules if isinstance(rule, Candidates))
    if not any(left):
        return  # it runs nowhere any more, and is scheduled anew
    for name in sorted(closed.keys() & workload.current.keys()):
        count = counted(workload.current[name], "replica")
        text = (
            f"{workload.key}: {count} on {name}, which {_words(closed, name)}, "
            f"will not be started elsewhere: {workload.policy or 'its policy'} disables rescheduling"
        )
        yield Statement("rescheduling", text, workload.source, workload.key, name)


def _words(closed: Closed, name: str) -> str:
    """Return the end of a cluster in words, such as ``is being drained``."""
    exclusion = closed[name]
    return "is lost" if exclusion is None else exclusion.reason


def _reopened(before: Workload, after: Workload, clusters: Sequence[Cluster]) -> Workload | None:
    """Open the clusters that gave way to those that are closed now; None where nothing tells their rules.

    Where no cluster with a static weight is left, all others weigh the same; where no cluster of the first
    overflow tier is left, the next tier is the first; where a workload that must not be rescheduled runs
    nowhere any more, it is scheduled anew. Which rules hold there the placement tells again.
    """
    if not any(_stands_back(rules) for rules in _emptied(before, after)):
        return after
    return interpreted(after, clusters)


def _emptied(before: Workload, after: Workload) -> list[tuple[WorkloadRule, ...]]:
    """Return the rules after the change, of those affinity groups that lost what others gave way to."""
    pairs = zip(sets_of_rules(before), sets_of_rules(after), strict=True)
    return [new for old, new in pairs if _open(old) and (not _open(new) or _depths(old) != _depths(new))]


def _open(rules: Sequence[WorkloadRule]) -> tuple[str, ...]:
    return next((rule.names for rule in rules if isinstance(rule, Candidates)), ())


def _depths(rules: Sequence[WorkloadRule]) -> list[int]:
    """Return the number of groups of every depth of hierarchical weights."""
    return [len(groups) for rule in rules if isinstance(rule, Shares) for groups in rule.depths]


def _stands_back(rules: Sequence[WorkloadRule]) -> bool:
    """Tell whether a cluster is closed only as long as others are open."""
    found = next((rule for rule in rules if isinstance(rule, Candidates)), None)
    return found is not None and any(one.cause is Cause.BESIDE_OTHERS for one in found.excluded.values())
