"""Changes made: the problem that they make of another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import assert_never

from fairlead.models.check import with_due
from fairlead.models.errors import UnsupportedError, UsageError
from fairlead.models.names import find_cluster, find_workload
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Duplicated, Shares, Survival, Weights
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.candidates import Cause, Exclusion
from fairlead.models.shapes import refuse_misfits
from fairlead.models.source import Declared, FederatedUnit, KarmadaBinding
from fairlead.models.statement import Statement
from fairlead.models.triggers import held_back, is_held_back, triggered
from fairlead.models.usage import without_lag
from fairlead.models.validity import trusted
from fairlead.models.variants import Rules, every_rule, with_each, with_rules, with_workload
from fairlead.models.words import shown
from fairlead.models.workload import Workload
from fairlead.solver.changes.open_clusters import interpreted, restored
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
from fairlead.solver.simulate.closed_clusters import closed_to, cordoned, drained, lost


def changed(problem: Problem, changes: Iterable[Change]) -> Problem:
    """Return the problem after changes, made one after the other.

    What the changes leave without effect, such as the minimum of a cluster that is lost, is dropped, with a
    warning in `Problem.warnings`. What is lost already is neither lost again nor drained or cordoned: no
    change.

    Raises `UsageError` where a change names what the problem does not have, or makes no sense for it. Raises
    `UnsupportedError` where the problem does not hold what is needed to tell.
    """
    asked = tuple(changes)
    refuse_misfits(*asked)
    for change, following in pairwise(asked):
        if isinstance(following, Add) and not isinstance(change, Add):
            raise UsageError(f"manifests are added first, not after: {change}")
    now = whole = problem
    for number, change in enumerate(asked, 1):
        if isinstance(change, Weight) and _is_given_again(change, asked[number:], whole):
            continue
        now = _changed(now, change, whole)
        whole = now if isinstance(change, Add) else whole
    now = triggered(problem, now)
    fleet = replace(now, workloads=with_due(map(_looked_at, now.workloads)))
    only_closed = all(isinstance(change, Drain | Cordon | Restore | Lose) for change in asked)
    return trusted(fleet) if only_closed else fleet


def _is_given_again(weight: Weight, later: Iterable[Change], problem: Problem) -> bool:
    """Tell whether a later change weighs the same cluster for the same workload: the last one counts."""
    key = find_workload(problem, weight.workload).key
    return any(
        isinstance(one, Weight)
        and one.cluster == weight.cluster
        and find_workload(problem, one.workload).key == key
        for one in later
    )


def _looked_at(workload: Workload) -> Workload:
    """Return a workload that is not due for what it broke before the changes, or for numbers it had."""
    binding = workload.declared
    rests = isinstance(binding, KarmadaBinding) and binding.up_to_date
    return replace(workload, due=False) if rests and workload.due else workload


def _changed(problem: Problem, change: Change, whole: Problem) -> Problem:
    """Make one change of a problem that has been `whole` before anything of it was lost."""
    there = problem.cluster_by_name
    match change:
        case Drain(name):
            cluster = there.get(find_cluster(whole, name))
            return problem if cluster is None else drained(problem, cluster)
        case Cordon(name):
            cluster = there.get(find_cluster(whole, name))
            return problem if cluster is None else cordoned(problem, cluster)
        case Restore(name):
            cluster = there.get(find_cluster(whole, name))
            if cluster is None:
                raise UsageError(f"{name} is both lost and restored; leave one of the two out")
            return restored(problem, cluster)
        case Lose():
            names = clusters_of(whole, change).intersection(there)
            return lost(problem, names) if names else problem
        case At():
            return _all_scaled(problem, change)
        case Scale():
            return _scaled(problem, change)
        case Weight():
            find_cluster(whole, change.cluster)
            return with_workload(problem, weighed(find_workload(problem, change.workload), change, problem))
        case Add(together):
            return _together(problem, together)
        case _:
            assert_never(change)


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
        raise UsageError(
            f"{scale.workload}: {shown(scale.replicas)} is not a number of replicas (0, 1, 2, ...)"
        )
    unit = workload.declared
    if isinstance(unit, KarmadaBinding) and unit.in_sets and scale.replicas > 1:
        text = f"{workload.key} is placed as one set of several components, which is not multiplied"
        raise UsageError(f"{text}; scale it to 0, or edit the components and simulate that")
    if is_held_back(workload) and scale.replicas != workload.replicas:
        return _scaled_by_template(problem, workload, scale.replicas)
    after = replace(workload, replicas=scale.replicas)
    # The size of a copy lies between minimum and maximum; a part of the replicas may have to survive.
    in_copies = workload.rule(Duplicated) is not None and isinstance(unit, FederatedUnit)
    rule = workload.rule(Survival)
    if not in_copies and rule is None:
        return with_workload(problem, after)
    again = interpreted(after, without_lag(problem.clusters, problem.workloads))
    if again is None and in_copies:
        text = f"{workload.key}: only the manifests tell the size of its copies"
        raise UnsupportedError(f"{text}; edit them and solve again")
    warnings = problem.warnings
    if again is None and rule is not None and after != workload:
        text = f"{workload.key}: {rule.minimum} replicas still have to survive; where that is a percentage,"
        note = Statement("survival", f"{text} edit the manifest and solve it", rule.source, workload.key)
        warnings = (*warnings, note)
    return replace(with_workload(problem, again or after), warnings=warnings)


def _scaled_by_template(problem: Problem, workload: Workload, replicas: int) -> Problem:
    """Let a workload that must not be rescheduled want another number: only whole copies follow its template.

    Clusters whose number KubeAdmiral has written keep it, also where none is wanted any more.
    """
    following = workload.declared.following if isinstance(workload.declared, FederatedUnit) else frozenset()
    held = {name: replicas if name in following else count for name, count in workload.current.items()}
    after = replace(workload, replicas=replicas, current={name: held[name] for name in held if held[name]})
    if following.intersection(held):
        return with_workload(problem, interpreted(after, problem.clusters) or after)
    told = replace(problem, warnings=(*problem.warnings, held_back(after, after.replicas_source)))
    return with_workload(told, after) if replicas else told


def weighed(workload: Workload, weight: Weight, problem: Problem) -> Workload:
    """Give a cluster another static weight for a workload.

    What its rules were read from is read again, as others may be closed beside the cluster, or weigh the same
    as it does; else it gets the weight in every affinity group where it is a candidate.

    Raises `UsageError` where that makes no sense for the workload.
    """
    name = weight.cluster
    if weight.weight < 0:
        raise UsageError(f"{shown(weight.weight)} is not a weight (0, 1, 2, ...)")
    refused = _unweighable(workload, name)
    if refused:
        raise UsageError(f"{weight.workload}: {refused}")
    if {rule.weights[name] for rule in _static(workload) if name in rule.weights} == {weight.weight}:
        return workload
    after = _reweighed(workload, name, weight.weight)
    if not any(rule.names for rule in after.rules_of(Candidates)):
        raise UsageError(f"{weight.workload}: {name} is its only cluster with a weight")
    if workload.reading is not None:
        read = replace(workload, reading=workload.reading.with_weight(name, weight.weight))
        after = interpreted(read, without_lag(problem.clusters, problem.workloads)) or after
    # Its scheduler looks again: the placement is not the one that was applied last.
    return replace(after, declared=_edited(workload.declared), due=True)


def _unweighable(workload: Workload, cluster: str) -> str:
    """Say why the weight of a cluster cannot be changed; empty where it can."""
    if workload.rule(Shares) is not None:
        return "its hierarchical weights cannot be changed one by one; edit them and solve again"
    weights = [rule for rule in every_rule(workload) if isinstance(rule, Weights)]
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


def _static(workload: Workload) -> Iterator[Weights]:
    """Yield the static weights of every affinity group."""
    return (rule for rule in every_rule(workload) if isinstance(rule, Weights) and not rule.dynamic)


def _reweighed(workload: Workload, name: str, weight: int) -> Workload:
    """Return a workload with another weight of a cluster; with a weight of 0 it leaves it.

    Under KubeAdmiral it holds its minimum there even so, and nothing more.
    """

    def least(rule: Bounds) -> Bounds:
        return replace(rule, maximum={**rule.maximum, name: _only(rule.minimum[name])})

    def another(rule: Weights) -> Weights:
        stated = not rule.dynamic and name in rule.weights
        return replace(rule, weights={**rule.weights, name: weight}) if stated else rule

    def reweighed(rules: Rules) -> Rules:
        return with_each(rules, Weights, another)

    if weight:
        return with_rules(workload, reweighed)
    bounds = (rule for rule in every_rule(workload) if isinstance(rule, Bounds))
    if isinstance(workload.declared, FederatedUnit) and any(name in rule.minimum for rule in bounds):
        return with_rules(workload, lambda rules: with_each(reweighed(rules), Bounds, least))
    zero = Exclusion("has static weight 0", cause=Cause.BESIDE_OTHERS)
    return closed_to(workload, {name: zero})


def _only(minimum: Bound) -> Bound:
    """Return the minimum of a cluster as its maximum."""
    return minimum._replace(ceiling=minimum.replicas)


def _edited(declared: Declared | None) -> Declared | None:
    """Return the manifests of a workload, whose placement was edited, as a scheduler sees them."""
    return replace(declared, up_to_date=False) if isinstance(declared, KarmadaBinding) else declared
