"""Small random problems of the kinds that people have: policies that compete, tiers, affinity groups."""

import random
from collections.abc import Sequence
from dataclasses import replace

from fairlead.models.cluster import CPU, Cluster
from fairlead.models.levels import Deviation
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Aggregated,
    Bounds,
    Candidates,
    Capacity,
    Duplicated,
    Moves,
    Spread,
    Tiers,
    Total,
    Weights,
    WorkloadRule,
)
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.capacity import room
from fairlead.models.workload import AffinityGroup, Workload
from orders import WITHOUT_BALANCE
from random_problems import ORDERS, random_problem, with_quotas


def walk_problem(seed: int) -> Problem:
    """Return the problem of a seed: one kind after the other, with levels in any order at times.

    Kinds are all rules mixed (one workload, or several that compete), overflow tiers that compete, what
    Karmada's ordinary policies become, and affinity groups.
    """
    rng = random.Random(f"walk {seed}")
    deviation = rng.choice([Deviation.WEBSTER, Deviation.WEBSTER, Deviation.L1, Deviation.MINIMAX])
    kind = seed % 5
    if kind == 0:
        problem = random_problem(seed, deviation, most_workloads=1, most_clusters=4)
    elif kind == 1:
        problem = random_problem(seed, deviation, most_workloads=3, most_replicas=4)
        problem = with_quotas(problem, seed) if rng.random() < 0.3 else problem
    elif kind == 2:
        problem = _of_kind(rng, deviation, ("tiers",))
    elif kind == 3:
        problem = _of_kind(rng, deviation, ("dynamic", "static", "aggregated", "spread", "tiers"))
    else:
        problem = _grouped(rng, _of_kind(rng, deviation, ("dynamic", "static", "aggregated")))
    workloads = tuple(_with_a_total(workload) for workload in problem.workloads)
    return replace(problem, workloads=workloads, levels=_order(rng))


def standing_problem(seed: int) -> Problem:
    """Return the problem of a seed in which most workloads have no reason to be placed anew."""
    rng = random.Random(f"standing {seed}")
    problem = walk_problem(seed)
    workloads = tuple(replace(each, due=each.fresh or rng.random() < 0.3) for each in problem.workloads)
    return replace(problem, workloads=workloads)


def partial_walk_problem(seed: int) -> Problem:
    """Return the problem of a seed in which not everything has to be placed; at times there is less room."""
    rng = random.Random(f"partial {seed}")
    problem = standing_problem(seed) if rng.random() < 0.3 else walk_problem(seed)
    less = rng.choice([0, 0, 100, 300])
    clusters = tuple(
        each if each.free is None else replace(each, free={**each.free, CPU: max(0, each.free[CPU] - less)})
        for each in problem.clusters
    )
    return replace(problem, clusters=clusters, partial=True)


def _with_a_total(workload: Workload) -> Workload:
    """Return a workload that has a total or copies, as all have that come from manifests.

    Without either, more may run than is wanted, and moves would be below 0.
    """
    if workload.rule(Total) is not None or workload.rule(Duplicated) is not None:
        return workload
    return replace(workload, rules=(*workload.rules, Total()))


def _order(rng: random.Random) -> tuple[str, ...]:
    """Return an order of the levels: mostly one of the usual ones, at times any."""
    if rng.random() < 0.75:
        return rng.choice(ORDERS)
    return tuple(rng.sample(WITHOUT_BALANCE, len(WITHOUT_BALANCE)))


def _of_kind(rng: random.Random, deviation: Deviation, kinds: Sequence[str]) -> Problem:
    """Return workloads with policies of some kinds that compete for little room."""
    regions = {f"m{number}": rng.choice("xy") for number in range(1, rng.randint(2, 3) + 1)}
    workloads = [
        _ordinary(rng, f"default/w{number}", regions, rng.choice(kinds))
        for number in range(1, rng.randint(2, 3) + 1)
    ]
    asked = sum(workload.replicas * workload.requests[CPU] for workload in workloads)
    share = max(100, asked // len(regions) // 100 * 100)
    clusters = []
    for name, region in regions.items():
        held = sum(workload.requests[CPU] * workload.current.get(name, 0) for workload in workloads)
        offered = share + rng.choice([0, 100, 200, 400])
        clusters.append(Cluster(name, region=region, free={CPU: max(0, offered - held)}))
    problem = Problem(tuple(clusters), tuple(workloads), (Capacity(),), WITHOUT_BALANCE, deviation)
    return replace(problem, workloads=tuple(_weighed(workload, problem) for workload in workloads))


def _ordinary(rng: random.Random, key: str, regions: dict[str, str], kind: str) -> Workload:
    """Return a workload as a policy of a kind describes it; dynamic weights are not known yet."""
    names = sorted(regions)
    replicas = rng.randint(1, 4)
    current: dict[str, int] = {}
    for _ in range(rng.choice([0, replicas, replicas, max(1, replicas - 1), replicas + 1])):
        name = rng.choice(names)
        current[name] = current.get(name, 0) + 1
    dynamic = kind != "static"
    rules: list[WorkloadRule] = [Candidates(tuple(names)), Total()]
    tiers: tuple[frozenset[str], ...] = ()
    if kind == "tiers":
        cut = rng.randint(1, len(names) - 1)
        mixed = rng.sample(names, len(names))
        tiers = (frozenset(mixed[:cut]), frozenset(mixed[cut:]))
        rules.append(Tiers(tiers))
    if kind == "spread":
        by_region = {
            region: frozenset(name for name in names if regions[name] == region)
            for region in set(regions.values())
        }
        single = {name: frozenset({name}) for name in names}
        rules.append(Spread("region", by_region, 1, rng.choice([None, 1, 2])))
        least = min(replicas, rng.randint(1, 2))
        rules.append(Spread("cluster", single, least, rng.choice([None, max(2, least)])))
    if kind == "aggregated":
        rules.append(Aggregated())
    if rng.random() < 0.3:
        where_held = frozenset(names) if kind in ("spread", "aggregated") else frozenset[str]()
        maximum = {name: Bound(rng.randint(1, replicas)) for name in names}
        rules.append(Bounds({}, maximum, where_held))
    rules.append(Weights({name: rng.randint(1, 4) for name in names}, dynamic, None, tiers))
    rules.append(Moves(frozenset(names), keep=dynamic))
    return Workload(
        key,
        key.partition("/")[2],
        replicas,
        "default",
        requests={CPU: rng.choice([100, 100, 200])},
        current=current,
        priority=rng.choice([0, 0, 0, 10]),
        fresh=rng.random() < 0.15,
        rules=tuple(rules),
    )


def _weighed(workload: Workload, problem: Problem) -> Workload:
    """Return a workload whose dynamic weights are its rooms."""

    def weighed(rule: WorkloadRule) -> WorkloadRule:
        if not isinstance(rule, Weights) or not rule.dynamic:
            return rule
        rooms = {name: room(workload, problem.cluster_by_name[name]) or 0 for name in rule.weights}
        return replace(rule, weights=rooms)

    return replace(workload, rules=tuple(weighed(rule) for rule in workload.rules))


def _grouped(rng: random.Random, problem: Problem) -> Problem:
    """Return a problem in which some workloads have two affinity groups, and may run in the second."""
    names = [cluster.name for cluster in problem.clusters]

    def grouped(workload: Workload) -> Workload:
        if rng.random() < 0.4:
            return workload
        first = tuple(sorted(rng.sample(names, rng.randint(1, len(names) - 1))))
        second = tuple(name for name in names if name not in first or rng.random() < 0.3)
        groups = tuple(
            AffinityGroup(name, tuple(_inside(rule, inside) for rule in workload.rules))
            for name, inside in (("first", first), ("second", second))
        )
        observed = rng.choice([None, "first", "second"])
        return replace(workload, groups=groups, rules=groups[0].rules, group="first", observed=observed)

    return replace(problem, workloads=tuple(grouped(workload) for workload in problem.workloads))


def _inside(rule: WorkloadRule, names: tuple[str, ...]) -> WorkloadRule:
    """Return a rule for some of the clusters."""
    if isinstance(rule, Candidates):
        return Candidates(names)
    if isinstance(rule, Weights):
        return replace(rule, weights={name: rule.weights[name] for name in names})
    if isinstance(rule, Bounds):
        return replace(rule, maximum={name: rule.maximum[name] for name in names})
    return rule
