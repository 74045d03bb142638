"""Random fleets: what runs now, a target that keeps every rule, and clusters with hardly any room."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from fairlead.models.cluster import CPU, PODS, Cluster, Grade
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Bounds,
    Candidates,
    Capacity,
    Companionship,
    Duplicated,
    GroupedRule,
    GroupTotal,
    Quota,
    SharedRule,
    Skew,
    Spread,
    Survival,
    Total,
    WorkloadRule,
)
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.candidates import Exclusion
from fairlead.models.rules.quota import QuotaLimit, QuotaScope
from fairlead.models.rules.survival import Loss
from fairlead.models.workload import Workload
from fairlead.solver.plan.waves import Availability, MoveOrder, WaveOptions
from orders import WITHOUT_BALANCE

Placed = dict[str, int]


@dataclass(frozen=True)
class RandomFleet:
    """A problem, where it is to go, and how moves may be made."""

    problem: Problem
    target: Placement
    options: WaveOptions


def tiny_fleet(seed: int) -> RandomFleet:
    """Return a fleet of a seed of which every wave can be looked at."""
    return random_fleet(seed, most_workloads=3, most_clusters=3, most_replicas=3)


def random_fleet(
    seed: int, *, most_workloads: int = 6, most_clusters: int = 5, most_replicas: int = 6, plain: bool = False
) -> RandomFleet:
    """Return the fleet of a seed.

    The rules are made to fit the target, so that it keeps all of them; what runs now often breaks some. The
    clusters have room for the target and for little more.

    Parameters
    ----------
    seed
        The same seed gives the same fleet.
    most_workloads, most_clusters, most_replicas
        Sizes are drawn from 1 (clusters: 2) up to these.
    plain
        True for workloads with a total only, and the new replica first.
    """
    rng = random.Random(f"fleet {seed}")
    names = [f"m{number + 1}" for number in range(rng.randint(2, most_clusters))]
    regions = {name: rng.choice("xyz") for name in names}
    workloads, target = [], {}
    for number in range(rng.randint(1, most_workloads)):
        key = f"default/w{number + 1}"
        workload, placed = _workload(rng, key, regions, most_replicas, plain=plain)
        workloads.append(workload)
        target[key] = placed
    clusters = tuple(_cluster(rng, name, regions[name], workloads, target) for name in names)
    rules: tuple[SharedRule, ...] = (Capacity(),)
    if not plain:
        rules += _companions(rng, workloads, target)
        rules += _quota(rng, workloads, target)
    options = WaveOptions() if plain else _options(rng)
    return RandomFleet(
        Problem(clusters, tuple(workloads), rules, WITHOUT_BALANCE), Placement(target), options
    )


def with_quotas(fleet: RandomFleet, seed: int) -> RandomFleet:
    """Return a fleet with tight quotas of its namespace, which the target keeps; all else is as before.

    They count cpu or pods, in all clusters together or on some of them. Others use a part at times, and what
    runs now often asks for more than is allowed.
    """
    rng = random.Random(f"quotas of fleet {seed}")
    problem = fleet.problem
    limits: dict[QuotaScope, QuotaLimit] = {}
    for cluster in (None, *problem.cluster_by_name):
        for resource in (CPU, PODS):
            if rng.random() < (0.5 if cluster is None else 0.25):
                due, now = (
                    sum(
                        (1 if resource == PODS else workload.requests.get(CPU, 0)) * count
                        for workload in problem.workloads
                        for name, count in placed(workload).items()
                        if cluster in (None, name)
                    )
                    for placed in (lambda each: fleet.target.of(each.key), lambda each: each.current)
                )
                spare = rng.choice([0, 1, 2, 3]) * (1 if resource == PODS else 100)
                others = rng.choice([0, 0, 1]) * spare
                limits[QuotaScope(resource, cluster)] = QuotaLimit(due + spare + others, now + others)
    rules = (*problem.rules, Quota("tight", "default", limits))
    return replace(fleet, problem=replace(problem, rules=rules))


def with_skews(fleet: RandomFleet, seed: int) -> RandomFleet:
    """Return a fleet whose workloads may differ between zones as in the target; all else is as before."""
    rng = random.Random(f"skews of fleet {seed}")
    names = tuple(fleet.problem.cluster_by_name)
    groups = {f"g{number}": frozenset(rng.sample(names, rng.randint(1, len(names)))) for number in range(3)}

    return _limited(fleet, lambda number: Skew("zone", groups, number), 0)


def with_losses(fleet: RandomFleet, seed: int) -> RandomFleet:
    """Return a fleet of which as much has to survive two losses at once as in the target."""
    rng = random.Random(f"losses of fleet {seed}")
    names = tuple(fleet.problem.cluster_by_name)
    pairs = {f"g{number}": frozenset(rng.sample(names, min(2, len(names)))) for number in range(2)}
    clusters = {name: frozenset({name}) for name in names}
    two = Survival("cluster", clusters, 1, count=2)
    more = Survival("zone", pairs, 1, besides=(Loss("cluster", clusters),))
    rule = rng.choice((two, more))
    return _limited(fleet, lambda number: replace(rule, minimum=number), 1)


def _limited(fleet: RandomFleet, rule_of: Callable[[int], GroupedRule], free: int) -> RandomFleet:
    """Return a fleet whose workloads have a rule with the number that their targets just keep."""

    def limited(workload: Workload) -> Workload:
        (needed,) = rule_of(free).requirements(workload)
        rule = rule_of(needed.count(fleet.target.of(workload.key)))
        return replace(workload, rules=(*workload.rules, rule))

    workloads = tuple(map(limited, fleet.problem.workloads))
    return replace(fleet, problem=replace(fleet.problem, workloads=workloads))


def _workload(
    rng: random.Random, key: str, regions: Mapping[str, str], most_replicas: int, *, plain: bool
) -> tuple[Workload, Placed]:
    """Return a workload and its target."""
    names = sorted(regions)
    requests = rng.choice([{CPU: 100}, {CPU: 200}, {CPU: 300, "memory": 2}, {"memory": 3}, {}])
    workload = Workload(key, key.partition("/")[2], 1, namespace="default", requests=requests)
    if not plain and rng.random() < 0.12:
        return _duplicated(rng, workload, names)
    replicas = rng.randint(1, most_replicas)
    target = _split(rng, replicas, rng.sample(names, rng.randint(1, len(names))))
    running = replicas if rng.random() < 0.7 else rng.randint(0, most_replicas)
    places = names if plain or rng.random() < 0.9 else [*names, "gone"]
    current = _split(rng, running, rng.sample(places, rng.randint(1, len(places))))
    rules = (Total(),) if plain else (Total(), *_rules(rng, regions, target, current))
    return replace(workload, replicas=replicas, current=current, rules=rules), target


def _duplicated(rng: random.Random, workload: Workload, names: list[str]) -> tuple[Workload, Placed]:
    """Return a workload with full copies on chosen clusters."""
    size = rng.randint(1, 3)
    target = dict.fromkeys(rng.sample(names, rng.randint(1, len(names))), size)
    old = size if rng.random() < 0.7 else rng.randint(1, 3)
    current = dict.fromkeys(rng.sample(names, rng.randint(1, len(names))), old)
    rules = (Candidates(tuple(names)), Duplicated(choice=True))
    return replace(workload, replicas=size, current=current, rules=rules), target


def _split(rng: random.Random, replicas: int, names: list[str]) -> Placed:
    """Return replicas on some clusters."""
    placed: Placed = {}
    for _ in range(replicas):
        name = rng.choice(names)
        placed[name] = placed.get(name, 0) + 1
    return placed


def _rules(
    rng: random.Random, regions: Mapping[str, str], target: Placed, current: Placed
) -> list[WorkloadRule]:
    """Return rules that the target keeps; each is left out at times."""
    names = sorted(regions)
    rules: list[WorkloadRule] = []
    if rng.random() < 0.5:
        rules.append(_candidates(rng, names, target, current))
    if rng.random() < 0.4:
        rules.append(_bounds(rng, names, target))
    by_region = {
        region: frozenset(name for name in names if regions[name] == region)
        for region in sorted(set(regions.values()))
    }
    if rng.random() < 0.3:
        region = rng.choice(sorted(by_region))
        held = sum(target.get(name, 0) for name in by_region[region])
        most = rng.choice([None, held, held + 1])
        rules.append(GroupTotal(region, by_region[region], rng.choice([0, held]), most))
    if rng.random() < 0.4:
        single = rng.random() < 0.5
        groups = {name: frozenset({name}) for name in names} if single else by_region
        used = sum(1 for group in groups.values() if any(name in target for name in group))
        most = rng.choice([None, used, used + 1])
        rules.append(Spread("cluster" if single else "region", groups, rng.randint(0, used), most))
    if rng.random() < 0.2:
        left = min(
            sum(target.values()) - sum(target.get(name, 0) for name in group) for group in by_region.values()
        )
        rules.append(Survival("region", by_region, rng.randint(0, left)))
    return rules


def _candidates(rng: random.Random, names: list[str], target: Placed, current: Placed) -> Candidates:
    """Return candidates that hold the target; some take nothing new."""
    closed = [name for name in names if name not in target and rng.random() < 0.4]
    held_only = [
        name
        for name in names
        if name not in closed and target.get(name, 0) <= current.get(name, 0) and rng.random() < 0.3
    ]
    return Candidates(
        tuple(name for name in names if name not in closed),
        {name: Exclusion("did not match") for name in closed},
        {name: Exclusion("had untolerated taint {gpu}") for name in held_only},
    )


def _bounds(rng: random.Random, names: list[str], target: Placed) -> Bounds:
    """Return minima and maxima that the target keeps."""
    minimum, maximum, where_held = {}, {}, set()
    for name in names:
        held = target.get(name, 0)
        if held and rng.random() < 0.5:
            minimum[name] = Bound(rng.randint(1, held))
        elif not held and rng.random() < 0.5:
            minimum[name] = Bound(rng.randint(2, 3))
            where_held.add(name)
        if minimum.get(name) and rng.random() < 0.5:
            where_held.add(name)
        if rng.random() < 0.3:
            maximum[name] = Bound(max(held, minimum.get(name, Bound(0)).replicas) + rng.randint(0, 2))
    return Bounds(minimum, maximum, frozenset(where_held))


def _cluster(
    rng: random.Random, name: str, region: str, workloads: list[Workload], target: Mapping[str, Placed]
) -> Cluster:
    """Return a cluster with room for the target and for little more; at times it does not say."""
    if rng.random() < 0.1:
        return Cluster(name, region=region)
    free: dict[str, int] = {}
    slack = {
        CPU: rng.choice([0, 0, 100, 200, 500]),
        "memory": rng.choice([0, 0, 2, 5]),
        PODS: rng.choice([1, 3, 50]),
    }
    for resource, more in slack.items():
        change = 0
        for workload in workloads:
            need = 1 if resource == PODS else workload.requests.get(resource, 0)
            change += need * (target[workload.key].get(name, 0) - workload.current.get(name, 0))
        free[resource] = max(change, -100 if rng.random() < 0.1 else 0) + more
    if rng.random() < 0.9:
        return Cluster(name, region=region, free=free)
    nodes = 30
    return Cluster(name, region=region, free=free, grades=(Grade(nodes, {CPU: 500, "memory": 10}),))


def _companions(
    rng: random.Random, workloads: list[Workload], target: Mapping[str, Placed]
) -> tuple[SharedRule, ...]:
    """Return a rule that ties two workloads together or keeps them apart, if their targets keep one."""
    if len(workloads) < 2 or rng.random() < 0.6:
        return ()
    first, second = rng.sample([workload.key for workload in workloads], 2)
    if not target[first].keys() & target[second].keys():
        return (Companionship("apart", (first, second), together=False),)
    if target[second].keys() <= target[first].keys():
        return (Companionship("together", (first, second), together=True),)
    return ()


def _quota(
    rng: random.Random, workloads: list[Workload], target: Mapping[str, Placed]
) -> tuple[SharedRule, ...]:
    """Return a quota that the target keeps, at times."""
    if rng.random() < 0.7:
        return ()
    scope = QuotaScope(CPU, rng.choice([None, "m1", "m2"]))
    due = sum(
        workload.requests.get(CPU, 0) * count
        for workload in workloads
        for name, count in target[workload.key].items()
        if scope.cluster in (None, name)
    )
    return (Quota("team", "default", {scope: QuotaLimit(due + rng.choice([0, 100, 300, 600]))}),)


def _options(rng: random.Random) -> WaveOptions:
    """Return how moves may be made, mostly the default."""
    if rng.random() < 0.5:
        return WaveOptions()
    availability = Availability()
    if rng.random() < 0.4:
        availability = Availability(rng.choice([None, 0, 1, "50%"]), rng.choice([None, 1, 2, "50%"]))
    return WaveOptions(rng.choice(list(MoveOrder)), availability, detours=rng.random() < 0.7)
