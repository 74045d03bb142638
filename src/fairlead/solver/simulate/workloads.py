"""Changes of one workload: other replicas, another weight."""

from collections.abc import Sequence
from dataclasses import replace

from fairlead.models.declared import FederatedUnit
from fairlead.models.errors import UnsupportedError, UsageError
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Duplicated, Shares, Survival, Weights
from fairlead.models.rules.candidates import Exclusion
from fairlead.models.statement import Statement
from fairlead.models.workload import Workload
from fairlead.solver.simulate.changes import Scale, Weight
from fairlead.solver.simulate.closing import Closing, Rules, without
from fairlead.solver.simulate.reopening import interpreted
from fairlead.solver.why.names import find_cluster, find_workload

_ZERO_WEIGHT = "has static weight 0"


def all_rules_of(workload: Workload) -> list[Rules]:
    """Return the rules of a workload, then those of its affinity groups in order."""
    return [workload.rules, *(group.rules for group in workload.groups)]


def with_rules(workload: Workload, all_rules: Sequence[Rules]) -> Workload:
    """Return a workload with other rules: its own first, then those of its affinity groups in order."""
    groups = tuple(
        replace(group, rules=rules) for group, rules in zip(workload.groups, all_rules[1:], strict=True)
    )
    chosen = next((group.rules for group in groups if group.name == workload.group), all_rules[0])
    return replace(workload, rules=chosen, groups=groups)


def scaled(problem: Problem, scale: Scale) -> Problem:
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


def weighed(problem: Problem, weight: Weight) -> Problem:
    """Give a candidate of a workload another weight, in every affinity group where it is a candidate."""
    workload = find_workload(problem, weight.workload)
    name = find_cluster(problem, weight.cluster)
    if weight.weight < 0:
        raise UsageError(f"{weight.weight} is not a weight (0, 1, 2, ...)")
    refused = _unweighable(workload, name)
    if refused:
        raise UsageError(f"{weight.workload}: {refused}")
    if not weight.weight:
        closing = Closing(frozenset([name]), Exclusion(_ZERO_WEIGHT), _ZERO_WEIGHT)
        left = with_rules(workload, [without(rules, workload, closing) for rules in all_rules_of(workload)])
        if not any(rule.names for rule in left.rules_of(Candidates)):
            raise UsageError(f"{weight.workload}: {name} is its only cluster with a weight")
        return _with_workload(problem, left)
    found = [_reweighed(rules, name, weight.weight) for rules in all_rules_of(workload)]
    return _with_workload(problem, with_rules(workload, found))


def _unweighable(workload: Workload, cluster: str) -> str:
    """Say why the weight of a cluster cannot be changed; empty where it can."""
    if workload.rule(Shares) is not None:
        return "its hierarchical weights cannot be changed one by one; edit them and solve again"
    weights = [rule for rules in all_rules_of(workload) for rule in rules if isinstance(rule, Weights)]
    if not weights:
        return "it is not divided by weights"
    if all(rule.dynamic for rule in weights):
        return "its weights are the room of the clusters, which no policy states"
    if not any(cluster in rule.weights for rule in weights):
        candidates = workload.rule(Candidates)
        why = candidates.excluded.get(cluster) if candidates else None
        return f"{cluster} is no candidate" + (f": it {why.reason}" if why else "")
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
