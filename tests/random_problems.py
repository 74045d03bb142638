"""Random problems, small enough for brute force: every rule, in every combination."""

import random
from collections.abc import Sequence

from fairlead.models.cluster import CPU, PODS, Cluster
from fairlead.models.levels import DEVIATION, MOVES_FIRST, MOVES_LAST, Deviation, Level
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Bounds,
    Candidates,
    Capacity,
    Duplicated,
    Moves,
    Total,
    Weights,
    WorkloadRule,
)
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.candidates import Exclusion
from fairlead.models.workload import Workload

ORDERS: Sequence[tuple[Level, ...]] = (
    (MOVES_FIRST, DEVIATION, MOVES_LAST),
    (DEVIATION, MOVES_LAST, MOVES_FIRST),
    (MOVES_LAST, MOVES_FIRST, DEVIATION),
)


def random_problem(
    seed: int,
    deviation: Deviation,
    *,
    most_workloads: int = 2,
    most_clusters: int = 3,
    most_replicas: int = 5,
    orders: Sequence[tuple[Level, ...]] = ORDERS,
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
        _workload(rng, f"default/w{i + 1}", names, most_replicas)
        for i in range(rng.randint(1, most_workloads))
    )
    rules = (Capacity(),) if rng.random() < 0.7 else ()
    return Problem(clusters, workloads, rules, rng.choice(orders), deviation)


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


def _workload(rng: random.Random, key: str, names: list[str], most_replicas: int) -> Workload:
    """Return a workload with a random set of rules."""
    replicas = rng.randint(0, most_replicas)
    current = {name: rng.randint(0, 3) for name in [*names, "gone"] if rng.random() < 0.5}
    return Workload(
        key,
        key.partition("/")[2],
        replicas,
        requests=rng.choice([{}, {CPU: 200}, {CPU: 300, "memory": 3}, {"memory": 4}, {CPU: 150, "gpu": 1}]),
        current={name: count for name, count in current.items() if count},
        fresh=rng.random() < 0.3,
        rules=_rules(rng, names, replicas),
    )


def _rules(rng: random.Random, names: list[str], replicas: int) -> tuple[WorkloadRule, ...]:
    """Return rules in random order; each is left out at times."""
    open_to = [name for name in names if rng.random() < 0.85]
    held_only = {name: Exclusion("had untolerated taint") for name in open_to if rng.random() < 0.15}
    excluded = {name: Exclusion("did not match") for name in names if name not in open_to}
    rules: list[WorkloadRule] = [Candidates(tuple(open_to), excluded, held_only)]
    if rng.random() < 0.9:
        rules.append(Total() if rng.random() < 0.85 else Duplicated())
    if rng.random() < 0.6:
        rules.append(_bounds(rng, open_to, replicas))
    if rng.random() < 0.85:
        weights = {name: rng.choice([0, 1, 1, 2, 3, 5, 7]) for name in open_to}
        rules.append(Weights(weights, dynamic=rng.random() < 0.3))
    if rng.random() < 0.7:
        rules.append(Moves(frozenset(names), keep=rng.random() < 0.5))
    rng.shuffle(rules)
    return tuple(rules)


def _bounds(rng: random.Random, names: list[str], replicas: int) -> Bounds:
    """Return minima and maxima for some clusters; at times they contradict each other or the total."""
    minimum = {name: Bound(rng.randint(0, 2)) for name in names if rng.random() < 0.4}
    maximum = {name: Bound(rng.randint(0, replicas + 1)) for name in names if rng.random() < 0.3}
    return Bounds(minimum, maximum)
