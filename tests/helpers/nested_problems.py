"""Random workloads that choose clusters in nested groups, small enough to look at every division."""

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product

from fairlead.models.check import check
from fairlead.models.cluster import CPU, Cluster
from fairlead.models.levels import Deviation
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Aggregated,
    Bounds,
    Candidates,
    Capacity,
    Copies,
    Duplicated,
    Evenness,
    GroupTotal,
    Moves,
    Price,
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
from fairlead.models.rules.duplicated import copy_on
from fairlead.models.rules.shares import ShareGroup
from fairlead.models.score import score
from fairlead.models.workload import Workload
from fairlead.solver.exact.alone import place_alone
from orders import WITHOUT_BALANCE


def nested_problem(seed: int, deviation: Deviation, *, crossing: bool = False) -> Problem:
    """Return one workload over two to six clusters in zones in regions in providers.

    `crossing`: zones and racks have nothing to do with each other; clusters are in none, one or several.
    """
    rng = random.Random(f"nested {seed} {deviation}{' crossing' * crossing}")
    names = [f"m{number}" for number in range(rng.randint(2, 6))]
    replicas = rng.randint(1, 6)
    current = _running(rng, names, replicas)
    spreads = _crossing(rng, names) if crossing else _spreads(rng, names)
    rules = [Candidates(tuple(names)), *spreads, *_bounds(rng, names, replicas)]
    rules.extend(_copied(rng, names) if rng.random() < 0.15 else _divided(rng, names))
    workload = Workload(
        "w", "w", replicas, requests={CPU: 100}, current=current, fresh=rng.random() < 0.2, rules=tuple(rules)
    )
    free = {
        name: {CPU: 100 * (rng.randint(0, 5) - current.get(name, 0))} for name in names if rng.random() < 0.6
    }
    first = rng.choice([None] * 8 + ["moves-last", "cost"])
    order = WITHOUT_BALANCE if first is None else (first, *(key for key in WITHOUT_BALANCE if key != first))
    clusters = tuple(Cluster(name, free=free.get(name)) for name in names)
    return Problem(clusters, (workload,), (Capacity(),), order, deviation)


def grouped_problem(seed: int, deviation: Deviation) -> Problem:
    """Return one workload that chooses clusters while sets of them are bounded, measured or kept alike."""
    rng, problem = random.Random(f"grouped {seed} {deviation}"), nested_problem(seed, deviation)
    (workload,) = problem.workloads
    if workload.rule(Duplicated) is not None:
        return problem
    names = [cluster.name for cluster in problem.clusters]
    spreads = [rule.groups for rule in workload.rules_of(Spread)]
    halves = {"a": frozenset(names[: len(names) // 2]), "b": frozenset(names[len(names) // 2 :])}
    groups = rng.choice([*spreads, halves])
    rules = [rule for rule in workload.rules if rng.random() < 0.8 or isinstance(rule, Total | Candidates)]
    for name, clusters in groups.items():
        if rng.random() < 0.4:
            least = rng.choice([0, 0, 1, 2])
            rules.append(GroupTotal(name, clusters, least, least + rng.randint(0, 3)))
    if rng.random() < 0.25:
        rules.append(Survival("region", groups, rng.randint(1, max(1, workload.replicas // 2))))
    if rng.random() < 0.25:
        rules.append(Skew("region", groups, rng.randint(1, 3)))
    if rng.random() < 0.25:
        rules = [rule for rule in rules if not isinstance(rule, Weights)]
        rules.append(_shares(rng, groups))
    if rng.random() < 0.2:
        rules.append(Evenness(tuple(rng.sample(names, 2))))
    return replace(problem, workloads=(replace(workload, rules=tuple(rules)),))


def _shares(rng: random.Random, groups: Mapping[str, frozenset[str]]) -> Shares:
    """Return weights of groups and of the clusters inside each."""
    weights = {name: rng.randint(1, 3) for name in groups}
    outer = [
        ShareGroup(name, some, Fraction(weights[name], sum(weights.values())))
        for name, some in groups.items()
    ]
    inner = [
        ShareGroup(f"{group.name}/{name}", frozenset({name}), group.share / len(group.clusters))
        for group in outer
        for name in sorted(group.clusters)
    ]
    return Shares((tuple(outer), tuple(inner)) if rng.random() < 0.7 else (tuple(outer),))


def _running(rng: random.Random, names: list[str], replicas: int) -> dict[str, int]:
    """Return what runs: nothing, anything, or as many replicas as are wanted."""
    kind = rng.random()
    if kind < 0.3:
        return {}
    if kind < 0.8:
        return {name: rng.randint(1, 3) for name in names if rng.random() < 0.35}
    places = [rng.choice(names) for _ in range(replicas)]
    return {name: places.count(name) for name in names if name in places}


def _spreads(rng: random.Random, names: list[str]) -> Iterator[WorkloadRule]:
    """Yield constraints by zone, region, provider and cluster; every zone lies in one region and so on."""
    zone = {name: rng.randint(0, 3) for name in names}
    region = [rng.randint(0, 2) for _ in range(4)]
    provider = [rng.randint(0, 1) for _ in range(3)]
    fields: dict[str, Callable[[str], str]] = {
        "zone": lambda name: f"z{zone[name]}",
        "region": lambda name: f"r{region[zone[name]]}",
        "provider": lambda name: f"p{provider[region[zone[name]]]}",
        "cluster": lambda name: name,
    }
    for field, group_of in fields.items():
        if rng.random() < 0.45:
            groups = {
                group: frozenset(n for n in names if group_of(n) == group) for group in map(group_of, names)
            }
            least = rng.choice([0, 1, 1, 2, 3])
            most = rng.choice([None, 1, 2, 3, least])
            yield Spread(field, groups, least, None if most is None else max(least, most))


def _crossing(rng: random.Random, names: list[str]) -> Iterator[WorkloadRule]:
    """Yield constraints by zone and rack, of which clusters are in none, one or several, and by cluster."""
    zones, racks = ([f"{kind}{number}" for number in range(3)] for kind in ("zone", "rack"))
    inside = {name: {*rng.sample(zones, rng.choice([0, 1, 1, 2, 2, 3])), rng.choice(racks)} for name in names}
    fields = (("zone", zones, 0.9), ("rack", racks, 0.5), ("cluster", names, 0.4))
    for field, groups, chance in fields:
        if rng.random() < chance:
            found = {
                group: frozenset(name for name in names if group == name or group in inside[name])
                for group in groups
            }
            least = rng.choice([0, 1, 1, 2, 3])
            most = rng.choice([None, 1, 2, least])
            yield Spread(
                field,
                {group: each for group, each in found.items() if each},
                least,
                None if most is None else max(least, most),
            )


def _bounds(rng: random.Random, names: list[str], replicas: int) -> Iterator[WorkloadRule]:
    """Yield minima, most of them where replicas are held only, and maxima."""
    minimum = {name: Bound(rng.randint(1, 3)) for name in names if rng.random() < 0.3}
    maximum = {name: Bound(rng.randint(0, replicas)) for name in names if rng.random() < 0.2}
    where_held = frozenset(name for name in names if rng.random() < 0.8)
    if rng.random() < 0.6:
        yield Bounds(minimum, maximum, where_held, preferred=rng.random() < 0.2)


def _copied(rng: random.Random, names: list[str]) -> Iterator[WorkloadRule]:
    """Yield the rules of full copies on chosen clusters."""
    yield Duplicated(choice=True, copies={name: rng.randint(0, 3) for name in names if rng.random() < 0.2})
    yield Copies(tuple((name,) for name in rng.sample(names, len(names))))
    if rng.random() < 0.5:
        yield Moves(frozenset(names), keep=rng.random() < 0.5)


def _divided(rng: random.Random, names: list[str]) -> Iterator[WorkloadRule]:
    """Yield the rules of a workload that is divided."""
    yield Total()
    if rng.random() < 0.3:
        yield Aggregated()
    if rng.random() < 0.9:
        # Few different weights, so that there are many ties; seldom one of 0.
        yield Weights(
            {name: rng.choice([1, 1, 2, 3, 5, 1, 1, 2, 3, 0]) for name in names}, rng.random() < 0.5
        )
    yield Moves(frozenset(names), keep=rng.random() < 0.5)
    if rng.random() < 0.1:
        yield Price({name: Fraction(rng.randint(0, 5), rng.choice([1, 2])) for name in names})
    if rng.random() < 0.1:
        number = {name: rng.randint(0, 2) for name in names}
        tiers = [frozenset(name for name in names if number[name] == each) for each in range(3)]
        yield Tiers(tuple(tier for tier in tiers if tier))


def placed_alone(problem: Problem) -> dict[str, int] | None:
    """Return the exact answer for the one workload, empty clusters left out; None where there is none."""
    found = place_alone(problem.workloads[0], problem)
    return None if found is None else {name: count for name, count in found.items() if count}


def best_division(problem: Problem) -> dict[str, int] | None:
    """Look at every division of the one workload; None where all break a rule."""
    (workload,) = problem.workloads
    names = [cluster.name for cluster in problem.clusters]
    copies = workload.rule(Duplicated)
    divisions: Iterator[tuple[int, ...]] = _divisions(workload.replicas, len(names))
    if copies is not None:
        divisions = product(*({0, copy_on(copies, workload, name)} for name in names))
    found = []
    for counts in divisions:
        placement = Placement({workload.key: dict(zip(names, counts, strict=True))})
        if not check(problem, placement):
            values = tuple(level.value for level in score(problem, placement))
            found.append((values, tuple(-count for count in counts)))
    if not found:
        return None
    return {name: -count for name, count in zip(names, min(found)[1], strict=True) if count}


def _divisions(replicas: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to divide replicas."""
    if parts == 1:
        yield (replicas,)
        return
    for first in range(replicas + 1):
        for rest in _divisions(replicas - first, parts - 1):
            yield (first, *rest)
