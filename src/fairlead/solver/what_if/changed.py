"""What if: changes of a problem as data, and the problem that they make of another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from fairlead.models.check import with_due
from fairlead.models.cluster import Cluster, Taint
from fairlead.models.errors import UsageError
from fairlead.models.problem import Problem
from fairlead.models.rules.candidates import Exclusion
from fairlead.models.statement import Statement
from fairlead.models.usage import without_lag
from fairlead.models.workload import Workload
from fairlead.solver.what_if.again import (
    CORDONED,
    DRAINED,
    IS_CORDONED,
    IS_DRAINED,
    reopened,
    restored,
)
from fairlead.solver.what_if.changes import Add, Change, Cordon, Drain, Lose, Restore, Scale, Weight
from fairlead.solver.what_if.naming import clusters_of
from fairlead.solver.what_if.rules import Closing, holding_only, lost_requirements, without
from fairlead.solver.what_if.workloads import all_rules_of, scaled, weighed, with_rules
from fairlead.solver.why.names import find_cluster


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
    for change in asked:
        problem = _changed(problem, change)
    return replace(problem, workloads=with_due(problem.workloads))


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
        case Scale():
            return scaled(problem, change)
        case Weight():
            return weighed(problem, change)
        case Add(together):
            return _together(problem, together)


def _cluster(problem: Problem, name: str) -> Cluster:
    """Return the cluster of a name."""
    return problem.cluster_by_name[find_cluster(problem, name)]


def _closed(problem: Problem, cluster: Cluster) -> Problem:
    """Close a cluster to everybody; it stays in the problem."""
    closing = Closing(frozenset([cluster.name]), Exclusion(IS_DRAINED), IS_DRAINED)
    clusters = tuple(marked(one, DRAINED) if one is cluster else one for one in problem.clusters)
    return _with_workloads(problem, clusters, closing)


def _lost(problem: Problem, names: frozenset[str]) -> Problem:
    """Take clusters out of the problem."""
    closing = Closing(names, None, "is lost")
    clusters = tuple(one for one in problem.clusters if one.name not in names)
    return _with_workloads(problem, clusters, closing)


def _with_workloads(problem: Problem, clusters: Sequence[Cluster], closing: Closing) -> Problem:
    """Close clusters to every workload; say which of its requirements have no effect any more."""
    told: list[Statement] = []
    workloads: list[Workload] = []
    up_to_date = without_lag(clusters, problem.workloads)
    for workload in problem.workloads:
        all_rules = all_rules_of(workload)
        for rules in all_rules:
            told.extend(lost_requirements(rules, workload, closing))
        left = with_rules(workload, [without(rules, workload, closing) for rules in all_rules])
        again = reopened(workload, left, up_to_date)
        workloads.append(again.workload)
        told.extend(again.warnings)
    warnings = tuple(dict.fromkeys([*problem.warnings, *told]))
    return replace(problem, clusters=tuple(clusters), workloads=tuple(workloads), warnings=warnings)


def marked(cluster: Cluster, taint: Taint) -> Cluster:
    """Return a cluster with one more taint."""
    return cluster if taint in cluster.taints else replace(cluster, taints=(*cluster.taints, taint))


def _cordoned(problem: Problem, cluster: Cluster) -> Problem:
    """Let a cluster take nothing new: what runs there may stay, for all others it is closed."""
    name, exclusion = cluster.name, Exclusion(IS_CORDONED)
    clusters = tuple(marked(one, CORDONED) if one is cluster else one for one in problem.clusters)
    holders = {each.key for each in problem.workloads if each.current.get(name)}
    stay = tuple(each for each in problem.workloads if each.key in holders)
    others = tuple(each for each in problem.workloads if each.key not in holders)
    closing = Closing(frozenset([name]), exclusion, exclusion.reason)
    closed = _with_workloads(replace(problem, workloads=others), clusters, closing)
    held = tuple(
        with_rules(each, [holding_only(rules, {name}, exclusion) for rules in all_rules_of(each)])
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
