"""Random problems, small enough for brute force: every rule, in every combination."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from fairlead.models.cluster import CPU, PODS, Cluster
from fairlead.models.levels import Deviation
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Aggregated,
    Bounds,
    Candidates,
    Capacity,
    Companionship,
    Copies,
    Duplicated,
    Evenness,
    GroupTotal,
    Moves,
    Price,
    Quota,
    SharedRule,
    Shares,
    Skew,
    Spread,
    Survival,
    Tiers,
    Total,
    Weights,
    WorkloadRule,
)
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.candidates import Exclusion
from fairlead.models.rules.quota import QuotaLimit, QuotaScope
from fairlead.models.rules.shares import ShareGroup
from fairlead.models.rules.survival import Loss
from fairlead.models.workload import Workload
from orders import WITHOUT_BALANCE

ORDERS: Sequence[tuple[str, ...]] = (
    WITHOUT_BALANCE,
    ("minima", "cost", "tiers", *(key for key in WITHOUT_BALANCE if key not in ("minima", "cost", "tiers"))),
    ("tiers", "moves-last", *(key for key in WITHOUT_BALANCE if key not in ("tiers", "moves-last"))),
)


def random_problem(
    seed: int,
    deviation: Deviation,
    *,
    most_workloads: int = 2,
    most_clusters: int = 3,
    most_replicas: int = 5,
    orders: Sequence[tuple[str, ...]] = ORDERS,
) -> Problem:
    """Return the problem of a seed; about one in four has no placement.

    Parameters
    ----------
    seed
        The same seed gives the same problem.
    deviation
        The measure of distance.
    most_workloads, most_clusters, most_replicas
        Sizes are drawn from 1 up to these (replicas from 0).
    orders
        Orders of levels to draw from.
    """
    rng = random.Random(f"{seed} {deviation}")
    names = [f"member{i + 1}" for i in range(rng.randint(1, most_clusters))]
    clusters = tuple(Cluster(name, free=_free(rng)) for name in names)
    workloads = tuple(
        _workload(rng, f"default/w{i + 1}", names, most_replicas, deviation)
        for i in range(rng.randint(1, most_workloads))
    )
    rules: tuple[SharedRule, ...] = (Capacity(),) if rng.random() < 0.7 else ()
    rules += _companions(rng, workloads)
    without = frozenset(["capacity"])  # where it is not among the rules
    return Problem(clusters, workloads, rules, rng.choice(orders), deviation, without=without)


def _free(rng: random.Random) -> dict[str, int] | None:
    """Return what is free: often scarce, sometimes overcommitted or unknown."""
    if rng.random() < 0.15:
        return None
    free = {CPU: rng.choice([-200, 0, 300, 700, 1000, 1500, 4000])}
    if rng.random() < 0.8:
        free["memory"] = rng.choice([0, 7, 12, 40])
    if rng.random() < 0.6:
        free[PODS] = rng.choice([1, 2, 5, 10])
    return free


def _workload(
    rng: random.Random, key: str, names: list[str], most_replicas: int, deviation: Deviation
) -> Workload:
    """Return a workload with a random set of rules, or with those that a spread over few groups has."""
    replicas = rng.randint(0, most_replicas)
    current = {name: rng.randint(0, 3) for name in [*names, "gone"] if rng.random() < 0.5}
    return Workload(
        key,
        key.partition("/")[2],
        replicas,
        requests=rng.choice([{}, {CPU: 200}, {CPU: 300, "memory": 3}, {"memory": 4}, {CPU: 150, "gpu": 1}]),
        current={name: count for name, count in current.items() if count},
        fresh=rng.random() < 0.3,
        rules=_few_groups(rng, names) if rng.random() < 0.2 else _rules(rng, names, replicas, deviation),
        without=frozenset(["total"]),  # where it is not among the rules
    )


def _few_groups(rng: random.Random, names: list[str]) -> tuple[WorkloadRule, ...]:
    """Return what spread constraints and Aggregated become: few groups, a share for every candidate."""
    zones = {name: rng.choice("ab") for name in names}
    spreads: list[WorkloadRule] = []
    if rng.random() < 0.8:
        clusters = {name: frozenset({name}) for name in names}
        most = rng.randint(1, max(1, len(names) - 1))
        spreads.append(Spread("cluster", clusters, rng.randint(0, most), most))
    if rng.random() < 0.4:
        parted = {zone: frozenset(name for name in names if zones[name] == zone) for zone in "ab"}
        spreads.append(Spread("zone", {zone: inside for zone, inside in parted.items() if inside}, 1, 1))
    aggregated = (Aggregated(),) if rng.random() < 0.3 else ()
    weights = Weights({name: rng.choice([1, 1, 2, 3, 5]) for name in names}, rng.random() < 0.5)
    moves = Moves(frozenset(names), keep=rng.random() < 0.6)
    minimum = {name: Bound(rng.randint(1, 3)) for name in names if rng.random() < 0.1}
    bounds = Bounds(minimum, where_held=frozenset(names))
    return (Candidates(tuple(names)), Total(), bounds, *spreads, *aggregated, weights, moves)


def _rules(
    rng: random.Random, names: list[str], replicas: int, deviation: Deviation
) -> tuple[WorkloadRule, ...]:
    """Return rules in random order; each is left out at times."""
    open_to = [name for name in names if rng.random() < 0.85]
    held_only = {name: Exclusion("had untolerated taint") for name in open_to if rng.random() < 0.15}
    excluded = {name: Exclusion("did not match") for name in names if name not in open_to}
    tiers = _tiers(rng, open_to) if rng.random() < 0.25 else ()
    rules: list[WorkloadRule] = [Candidates(tuple(open_to), excluded, held_only)]
    if tiers:
        rules.append(Total())
    elif rng.random() < 0.9:
        rules.extend(_amount(rng, open_to))
    if rng.random() < 0.6:
        rules.append(_bounds(rng, open_to, replicas))
    rules.extend(_groups(rng, open_to))
    if tiers:
        rules.append(Tiers(tiers))
    rules.extend(_preferences(rng, names, open_to, tiers))
    if rng.random() < 0.15 and deviation is not Deviation.MINIMAX:
        rules.append(_shares(rng, open_to))
    rng.shuffle(rules)
    return tuple(rules)


def _amount(rng: random.Random, names: list[str]) -> Iterator[WorkloadRule]:
    """Yield a total, full copies everywhere or copies on chosen clusters."""
    kind = rng.random()
    if kind < 0.8:
        yield Total()
    else:
        copies = {name: rng.randint(0, 3) for name in names if rng.random() < 0.2}
        yield Duplicated(choice=kind < 0.92, copies=copies)
        if kind < 0.92:
            yield Copies(tuple((name,) for name in rng.sample(names, len(names))))


def _bounds(rng: random.Random, names: list[str], replicas: int) -> Bounds:
    """Return minima and maxima for some clusters; at times they contradict each other or the total."""
    minimum = {name: Bound(rng.randint(0, 3)) for name in names if rng.random() < 0.4}
    maximum = {name: Bound(rng.randint(0, replicas + 1)) for name in names if rng.random() < 0.3}
    where_held = frozenset(name for name in names if rng.random() < 0.4)
    return Bounds(minimum, maximum, where_held, preferred=rng.random() < 0.2)


def _some(rng: random.Random, names: list[str]) -> frozenset[str]:
    """Return some of the names, perhaps none."""
    return frozenset(name for name in names if rng.random() < 0.6)


def _tiers(rng: random.Random, names: list[str]) -> tuple[frozenset[str], ...]:
    """Divide the names among up to three tiers; none is empty."""
    numbers = {name: rng.randint(0, 2) for name in names}
    tiers = [frozenset(name for name in names if numbers[name] == number) for number in range(3)]
    return tuple(tier for tier in tiers if tier)


def _groups(rng: random.Random, names: list[str]) -> Iterator[WorkloadRule]:
    """Yield rules over sets of clusters, which may overlap."""
    if rng.random() < 0.2:
        low = rng.randint(0, 3)
        high = rng.choice([None, low, low + 1, 5])
        yield GroupTotal("some", _some(rng, names), low, high)
    if rng.random() < 0.25:
        groups = {f"g{number}": _some(rng, names) for number in range(rng.randint(1, 3))}
        least = rng.randint(0, 2)
        yield Spread("zone", groups, least, rng.choice([None, least, 2, 3]))
    if rng.random() < 0.2:
        clusters = {name: frozenset({name}) for name in names}
        least = rng.randint(0, 2)
        yield Spread("cluster", clusters, least, rng.choice([None, least, 1, 2]))
    if rng.random() < 0.15:
        yield Survival("region", {"a": _some(rng, names), "b": _some(rng, names)}, rng.randint(0, 2))


def _preferences(
    rng: random.Random, names: list[str], open_to: list[str], tiers: tuple[frozenset[str], ...]
) -> Iterator[WorkloadRule]:
    """Yield what is minimised; each is left out at times."""
    if rng.random() < 0.8:
        weights = {name: rng.choice([0, 1, 1, 2, 3, 5, 7]) for name in open_to}
        yield Weights(weights, rng.random() < 0.3, None, tiers)
    if rng.random() < 0.7:
        yield Moves(frozenset(names), keep=rng.random() < 0.5)
    if rng.random() < 0.2:
        yield Aggregated()
    if rng.random() < 0.2:
        yield Price({name: Fraction(rng.randint(0, 6), rng.choice([1, 2, 3])) for name in open_to})
    if rng.random() < 0.2:
        yield Evenness(tuple(sorted(_some(rng, open_to))))


def _shares(rng: random.Random, names: list[str]) -> Shares:
    """Return weights of regions and of the clusters inside each; a region may have none."""
    inside = {name: rng.choice("xy") for name in names}
    regions = [(region, frozenset(name for name in names if inside[name] == region)) for region in "xy"]
    weights = [rng.randint(0, 3) if clusters else 0 for _, clusters in regions]
    outer = [
        ShareGroup(region, clusters, Fraction(weight, max(1, sum(weights))))
        for (region, clusters), weight in zip(regions, weights, strict=True)
    ]
    inner = [
        ShareGroup(f"{group.name}/{name}", frozenset({name}), group.share / len(group.clusters))
        for group in outer
        for name in sorted(group.clusters)
    ]
    return Shares((tuple(outer), tuple(inner)))


def _companions(rng: random.Random, workloads: tuple[Workload, ...]) -> tuple[SharedRule, ...]:
    """Return a rule that ties workloads together or keeps them apart, at times."""
    if len(workloads) < 2 or rng.random() < 0.7:
        return ()
    keys = [workload.key for workload in workloads]
    return (Companionship("group", tuple(rng.sample(keys, len(keys))), together=rng.random() < 0.5),)


def with_skews(problem: Problem, seed: int) -> Problem:
    """Return a problem of which most workloads may not differ much between groups; the rest stays the same.

    Groups overlap as zones do, have closed clusters in them, and some have none at all.
    """
    rng = random.Random(f"skews {seed}")
    names = [cluster.name for cluster in problem.clusters]

    def skews() -> tuple[Skew, ...]:
        groups = {f"g{number}": _some(rng, names) for number in range(rng.randint(2, 3))}
        each = {name: frozenset({name}) for name in names}
        found = (Skew("zone", groups, rng.randint(0, 2)), Skew("cluster", each, rng.randint(0, 3)))
        return tuple(rule for rule in found if rng.random() < 0.6)

    def open_only(rule: Skew, workload: Workload) -> Skew:
        candidates = workload.rule(Candidates)
        inside = frozenset(candidates.names if candidates else names)
        return replace(rule, groups={group: some & inside for group, some in rule.groups.items()})

    workloads = tuple(
        replace(each, rules=(*each.rules, *(open_only(rule, each) for rule in skews())))
        for each in problem.workloads
    )
    return replace(problem, workloads=workloads)


def with_losses(problem: Problem, seed: int) -> Problem:
    """Return a problem of which most workloads have to survive several losses at once; the rest stays.

    Groups overlap as zones do, some are closed, some are empty, and at times more are lost than there are.
    """
    rng = random.Random(f"losses {seed}")
    names = [cluster.name for cluster in problem.clusters]
    clusters = {name: frozenset({name}) for name in names}

    def survival(workload: Workload) -> Survival:
        candidates = workload.rule(Candidates)
        inside = frozenset(candidates.names if candidates else names)
        zones = {f"g{number}": _some(rng, names) for number in range(rng.randint(1, 3))}

        def loss(field: str, groups: Mapping[str, frozenset[str]], count: int) -> Loss:
            opened = {group: some & inside for group, some in groups.items() if some & inside}
            return Loss(field, opened, count, groups)

        first = loss("zone", zones, rng.randint(1, 2))
        besides = (loss("cluster", clusters, 1),) if first.count == 1 or rng.random() < 0.3 else ()
        minimum = rng.randint(0, 2)
        return Survival(first.field, first.groups, minimum, None, first.everywhere, first.count, besides)

    workloads = tuple(
        replace(each, rules=(*each.rules, survival(each))) if rng.random() < 0.8 else each
        for each in problem.workloads
    )
    return replace(problem, workloads=workloads)


def with_quotas(problem: Problem, seed: int) -> Problem:
    """Return a problem with quotas of its namespaces; the problem itself is the same as without them.

    Most workloads are in one namespace. Quotas are on all clusters together, on single ones or both, some
    are partly used by others, and at times there is one that concerns no workload.
    """
    rng = random.Random(f"quotas {seed}")
    names = [cluster.name for cluster in problem.clusters]
    workloads = tuple(
        replace(workload, namespace="team-a" if rng.random() < 0.8 else "team-b")
        for workload in problem.workloads
    )
    quotas = tuple(
        Quota(f"quota{number}", rng.choice(["team-a"] * 6 + ["team-b", "nobody"]), _limits(rng, names))
        for number in range(rng.randint(1, 2))
    )
    return replace(problem, workloads=workloads, rules=(*problem.rules, *quotas))


def _limits(rng: random.Random, names: list[str]) -> dict[QuotaScope, QuotaLimit]:
    """Return hard limits, mostly about as much as a few replicas ask for."""
    amounts = {
        CPU: [0, 400, 600, 900, 1200],
        "memory": [4, 9, 16],
        PODS: [1, 1, 2, 2, 3, 4, 6],
        "gpu": [1, 2],
    }
    found: dict[QuotaScope, QuotaLimit] = {}
    for resource, hard in amounts.items():
        used = rng.choice([0, 0, 200 if resource == CPU else 2])
        if rng.random() < 0.4:
            found[QuotaScope(resource)] = QuotaLimit(hard[-1] * rng.choice([1, 1, 2]), used)
        for name in names:
            if rng.random() < (0.5 if resource == PODS else 0.25):
                found[QuotaScope(resource, name)] = QuotaLimit(
                    rng.choice(hard), used if rng.random() < 0.3 else 0
                )
    return found
