"""A minimal conflict by leaving rules out: for problems whose contradiction is not seen without a solver.

Every rule that a user has declared is a unit. Units are left out, many at a time and then one by one, for as
long as no placement exists; what remains is a minimal conflict. Each step is a solve, so nothing is taken
from an unverified core.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from fairlead.models.problem import Problem
from fairlead.models.quantity import format_units
from fairlead.models.rules import (
    Bounds,
    Candidates,
    Capacity,
    Companionship,
    Duplicated,
    GroupTotal,
    Spread,
    Survival,
    Total,
    WorkloadRule,
    bounds,
    candidates,
    capacity,
    companionship,
    duplicated,
    group_total,
    spread,
    survival,
    total,
)
from fairlead.models.statement import Conflict, Statement
from fairlead.models.workload import Workload

Key = tuple[str, ...]
"""Names a unit: kind of the rule, workload, and what else tells it from its like."""


@dataclass(frozen=True, slots=True)
class Unit:
    """Something that may be left out, and how people say it."""

    key: Key
    statement: Statement


def minimal_conflict(problem: Problem, feasible: Callable[[Problem], bool | None]) -> Conflict | None:
    """Return rules that cannot hold together, none of which can be spared.

    Parameters
    ----------
    problem
        A problem without any placement.
    feasible
        Tells whether a problem has a placement; None where time ran out.

    Returns
    -------
    Conflict or None
        All its rules together have no placement, leaving out any one of them gives one; both were solved.
        None where time ran out before that was certain.
    """
    kept = list(_units(problem))
    size = max(1, len(kept) // 2)
    while True:
        at = 0
        while at < len(kept):
            rest = kept[:at] + kept[at + size :]
            answer = feasible(_only(problem, rest))
            if answer is None:
                return None
            if answer:
                at += size
            else:
                kept = rest
        if size == 1:
            return Conflict(tuple(unit.statement for unit in kept)) if kept else None
        size = max(1, size // 2)


def _units(problem: Problem) -> Iterator[Unit]:
    """Yield everything that may be left out: preferred to stay in a conflict are the first ones."""
    for workload in problem.workloads:
        for rule in workload.rules:
            yield from _units_of(rule, workload)
    for shared in problem.rules:
        match shared:
            case Capacity():
                yield from _capacities(problem)
            case Companionship():
                yield Unit((companionship.KIND, shared.name), companionship.describe(shared))


def _units_of(rule: WorkloadRule, workload: Workload) -> Iterator[Unit]:
    """Yield the units of one rule of one workload."""
    key = workload.key
    match rule:
        case Candidates() if rule.excluded and workload.rule(Duplicated) is None:
            text = f"{key}: {candidates.summarise(rule)}"
            yield Unit((candidates.KIND, key), Statement(candidates.KIND, text, workload.source, key))
        case Total():
            yield Unit((total.KIND, key), total.describe(rule, workload))
        case Duplicated():
            yield Unit((duplicated.KIND, key), _copies(rule, workload))
        case Bounds():
            yield from _bounds(rule, workload)
        case GroupTotal():
            yield Unit((group_total.KIND, key, rule.name), group_total.describe(rule, workload))
        case Spread():
            yield Unit((spread.KIND, key, rule.field), spread.describe(rule, workload))
        case Survival():
            yield Unit((survival.KIND, key, rule.field), survival.describe(rule, workload))
        case _:
            return


def _bounds(rule: Bounds, workload: Workload) -> Iterator[Unit]:
    """Yield every minimum and maximum."""
    for name, bound in rule.minimum.items():
        if bound.replicas:
            yield Unit(("minimum", workload.key, name), bounds.describe_minimum(rule, workload, name))
    for name in rule.maximum:
        yield Unit(("maximum", workload.key, name), bounds.describe_maximum(rule, workload, name))


def _copies(rule: Duplicated, workload: Workload) -> Statement:
    """Say that full copies are wanted."""
    where = "every chosen cluster" if rule.choice else "every candidate"
    text = f"{workload.policy or workload.key}: a full copy of {workload.replicas} replicas on {where}"
    return Statement(duplicated.KIND, text, rule.source, workload.key)


def _capacities(problem: Problem) -> Iterator[Unit]:
    """Yield the capacity of every cluster that is known."""
    for cluster in problem.clusters:
        if cluster.free is None:
            continue
        interested = [each for each in problem.workloads if cluster.name in _names(each)]
        if len(interested) == 1 and capacity.demands(interested[0], cluster):
            yield Unit((capacity.KIND, cluster.name), capacity.describe(interested[0], cluster))
        elif interested:
            needed = sorted({each for workload in interested for each in capacity.demands(workload, cluster)})
            left = ((each, problem.limits.get((cluster.name, each), 0)) for each in needed)
            told = ", ".join(f"{each} {format_units(each, amount)}" for each, amount in left)
            text = f"{cluster.name} has {told} for {len(interested)} workloads"
            statement = Statement(capacity.KIND, text, cluster.source, None, cluster.name)
            yield Unit((capacity.KIND, cluster.name), statement)


def _names(workload: Workload) -> tuple[str, ...]:
    """Return the candidates of a workload."""
    rule = workload.rule(Candidates)
    return rule.names if rule else ()


def _only(problem: Problem, units: Sequence[Unit]) -> Problem:
    """Return a problem with these units only."""
    keys = {unit.key for unit in units}
    everywhere = tuple(cluster.name for cluster in problem.clusters)
    clusters = tuple(
        cluster if (capacity.KIND, cluster.name) in keys else replace(cluster, free=None, grades=())
        for cluster in problem.clusters
    )
    workloads = tuple(_reduced(workload, keys, everywhere) for workload in problem.workloads)
    rules = tuple(
        rule
        for rule in problem.rules
        if not isinstance(rule, Companionship) or (companionship.KIND, rule.name) in keys
    )
    return replace(problem, clusters=clusters, workloads=workloads, rules=rules)


def _reduced(workload: Workload, keys: set[Key], everywhere: tuple[str, ...]) -> Workload:
    """Return a workload with the rules that were kept."""
    copied = workload.rule(Duplicated) is not None
    rules = (_kept(rule, workload.key, keys, everywhere, copied=copied) for rule in workload.rules)
    return replace(workload, rules=tuple(rule for rule in rules if rule is not None), groups=())


def _kept(
    rule: WorkloadRule, key: str, keys: set[Key], everywhere: tuple[str, ...], *, copied: bool
) -> WorkloadRule | None:
    """Return what is left of a rule; None where it was left out."""
    match rule:
        case Candidates():
            # Without it a full copy would be asked of more clusters, so it stays where copies are wanted.
            return rule if copied or (candidates.KIND, key) in keys else replace(rule, names=everywhere)
        case Bounds():
            low = {name: bound for name, bound in rule.minimum.items() if ("minimum", key, name) in keys}
            high = {name: bound for name, bound in rule.maximum.items() if ("maximum", key, name) in keys}
            return replace(rule, minimum=low, maximum=high)
        case Total():
            return rule if (total.KIND, key) in keys else None
        case Duplicated():
            return rule if (duplicated.KIND, key) in keys else None
        case GroupTotal():
            return rule if (group_total.KIND, key, rule.name) in keys else None
        case Spread():
            return rule if (spread.KIND, key, rule.field) in keys else None
        case Survival():
            return rule if (survival.KIND, key, rule.field) in keys else None
        case _:
            return rule
