"""Batches of workloads that compete for the capacity of clusters, each made from a seed."""

import random

from fairlead.models.cluster import Cluster
from fairlead.models.levels import BALANCE, DEFAULT_ORDER, Deviation
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Capacity, Total, Weights
from fairlead.models.workload import Workload

GIBIBYTE = 2**30
# Millicores and GiB that clusters offer, and that one replica asks for.
CLUSTER_CPU = (200_000, 400_000, 800_000, 1_600_000)
CLUSTER_MEMORY = (400, 800, 1600, 3200)
REPLICA_CPU = (100, 250, 500, 1000, 2000, 4000)
REPLICA_MEMORY = (1, 1, 2, 4, 8)
# The levels of other contenders: what they minimise knows nothing of balance.
RATIO_ONLY = tuple(key for key in DEFAULT_ORDER if key != BALANCE.key)


def batch(
    workloads: int,
    clusters: int,
    seed: int = 0,
    *,
    load: float = 0.85,
    growth: int = 1,
    deviation: Deviation = Deviation.L1,
) -> Problem:
    """Make many workloads with static weights on clusters that are filled to a given load.

    Parameters
    ----------
    workloads, clusters
        How many there are.
    seed
        The same seed gives the same problem.
    load
        Part of the scarcer resource that all replicas together ask for.
    growth
        How many times larger clusters are than drawn; for more workloads than would find room with one
        replica each.
    deviation
        The measure of distance.
    """
    chance = random.Random(f"batch {seed}")
    names = [f"member{number:04d}" for number in range(clusters)]
    members = tuple(
        Cluster(
            name,
            free={
                "cpu": growth * chance.choice(CLUSTER_CPU),
                "memory": growth * chance.choice(CLUSTER_MEMORY) * GIBIBYTE,
            },
        )
        for name in names
    )
    sizes = [
        (
            chance.choice(REPLICA_CPU),
            chance.choice(REPLICA_MEMORY),
            1 + min(200, 3 * chance.paretovariate(1.1)),
        )
        for _ in range(workloads)
    ]
    replicas = _scaled(sizes, members, load)
    return Problem(
        members,
        tuple(
            _workload(number, cpu, memory, count, names, chance)
            for number, ((cpu, memory, _), count) in enumerate(zip(sizes, replicas, strict=True))
        ),
        (Capacity(),),
        RATIO_ONLY,
        deviation,
    )


def _scaled(sizes: list[tuple[int, int, float]], members: tuple[Cluster, ...], load: float) -> list[int]:
    """Return replicas, scaled by one factor so that the scarcer resource is asked for to the given part."""
    offers = [member.free or {} for member in members]
    cpu = sum(need * count for need, _, count in sizes) / sum(offer["cpu"] for offer in offers)
    memory = (
        sum(need * count for _, need, count in sizes) * GIBIBYTE / sum(offer["memory"] for offer in offers)
    )
    factor = load / max(cpu, memory)
    return [max(1, int(count * factor)) for _, _, count in sizes]


def _workload(
    number: int, cpu: int, memory: int, replicas: int, names: list[str], chance: random.Random
) -> Workload:
    """Make a workload that may run on a random part of the clusters."""
    candidates = tuple(sorted(chance.sample(names, chance.randint(max(2, len(names) // 5), len(names)))))
    weights = Weights({name: chance.randint(1, 10) for name in candidates})
    name = f"app-{number:06d}"
    return Workload(
        f"bench/{name}",
        name,
        replicas,
        "bench",
        requests={"cpu": cpu, "memory": memory * GIBIBYTE},
        rules=(Candidates(candidates), Total(), weights),
    )
