"""Batches of other kinds: mixed rules, priorities, nearly full clusters, workloads that do not compete."""

import random
from collections.abc import Mapping
from dataclasses import replace

from batch_cases import GIBIBYTE, RATIO_ONLY, REPLICA_CPU, REPLICA_MEMORY, batch

from fairlead.models.cluster import Cluster
from fairlead.models.levels import DEFAULT_ORDER, Deviation, tolerances_of
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Aggregated,
    Candidates,
    Capacity,
    Spread,
    Tiers,
    Total,
    Weights,
    WorkloadRule,
)
from fairlead.models.rules.capacity import room
from fairlead.models.workload import Workload

REGIONS = 10
PRIORITIES = (0, 1_000, 1_000_000)
KINDS = ("spread", "tiers", "aggregated")


def mixed(
    workloads: int,
    clusters: int,
    seed: int = 0,
    *,
    share: float = 0.1,
    kinds: tuple[str, ...] = KINDS,
    tolerance: str | None = None,
) -> Problem:
    """Make a batch in which some workloads have rules that tie their clusters together.

    Those stand in two to three regions (spread), fill one tier after the other (tiers; with overflow the
    first two fifths of all clusters come first for every workload), or stand on as few clusters as possible
    (aggregated), as the lot decides.

    Parameters
    ----------
    workloads, clusters
        How many there are.
    seed
        The same seed gives the same problem.
    share
        Part of the workloads that is tied.
    kinds
        What the lot is drawn from.
    tolerance
        How much worse than best every level may be, such as ``0.1%``; None where all are exact.
    """
    chance = random.Random(f"mixed {seed}")
    problem = batch(workloads, clusters, seed, deviation=Deviation.WEBSTER)
    tied = set(chance.sample(range(workloads), max(1, round(share * workloads))))
    made = [
        _tied(workload, problem, chance.choice(kinds), chance) if number in tied else workload
        for number, workload in enumerate(problem.workloads)
    ]
    return _tolerant(replace(problem, workloads=tuple(made)), tolerance)


def _tolerant(problem: Problem, tolerance: str | None) -> Problem:
    """Return a problem with the same tolerance on every level that may have one."""
    given = dict.fromkeys(DEFAULT_ORDER, tolerance) if tolerance else {}
    return replace(problem, tolerances=tolerances_of(given))


def _tied(workload: Workload, problem: Problem, kind: str, chance: random.Random) -> Workload:
    """Return a workload with rules of one kind."""
    candidates = workload.rule(Candidates)
    weights = workload.rule(Weights)
    assert candidates is not None
    assert weights is not None
    rules: tuple[WorkloadRule, ...]
    if kind == "spread":
        regions = _regions(candidates.names, problem)
        rules = (Spread("region", regions, min(2, len(regions)), 3), weights)
    elif kind in ("tiers", "overflow"):
        if kind == "tiers":
            half = (len(candidates.names) + 1) // 2
            preferred = chance.sample(candidates.names, len(candidates.names))[:half]
        else:
            preferred = [cluster.name for cluster in problem.clusters[: 2 * len(problem.clusters) // 5]]
        every = frozenset(candidates.names)
        tiers = tuple(part for part in (every.intersection(preferred), every.difference(preferred)) if part)
        rules = (Tiers(tiers), replace(weights, tiers=tiers))
    else:
        rooms = {name: room(workload, problem.cluster_by_name[name]) or 0 for name in candidates.names}
        rules = (Aggregated(), Weights(rooms, dynamic=True))
    return replace(workload, rules=(candidates, Total(), *rules))


def _regions(names: tuple[str, ...], problem: Problem) -> Mapping[str, frozenset[str]]:
    """Deal the clusters out to regions; return those of some clusters."""
    regions: dict[str, set[str]] = {}
    for number, cluster in enumerate(problem.clusters):
        if cluster.name in names:
            regions.setdefault(f"region{number % REGIONS}", set()).add(cluster.name)
    return {region: frozenset(clusters) for region, clusters in sorted(regions.items())}


def priorities(
    workloads: int,
    clusters: int,
    seed: int = 0,
    *,
    load: float = 0.85,
    deviation: Deviation = Deviation.WEBSTER,
    tolerance: str | None = None,
) -> Problem:
    """Make a batch of three priorities; above a load of 1 what is less urgent stays unplaced."""
    chance = random.Random(f"priorities {seed}")
    problem = batch(workloads, clusters, seed, load=load, deviation=deviation)
    made = tuple(replace(workload, priority=chance.choice(PRIORITIES)) for workload in problem.workloads)
    return _tolerant(replace(problem, workloads=made, partial=load > 1), tolerance)


def planted(
    workloads: int, clusters: int, seed: int = 0, *, fill: float = 0.99, most_replicas: int = 60
) -> Problem:
    """Make a batch around a hidden placement that fills every cluster, so that there is an answer.

    Parameters
    ----------
    workloads, clusters
        How many there are.
    seed
        The same seed gives the same problem.
    fill
        Part of both resources of every cluster that the hidden placement asks for.
    most_replicas
        Most replicas of a workload.
    """
    chance = random.Random(f"planted {seed}")
    names = [f"member{number:04d}" for number in range(clusters)]
    used = {name: [0, 0] for name in names}
    made = []
    for number in range(workloads):
        candidates = sorted(chance.sample(names, chance.randint(min(2, clusters), max(2, clusters // 2))))
        cpu, memory = chance.choice(REPLICA_CPU), chance.choice(REPLICA_MEMORY) * GIBIBYTE
        replicas = chance.randint(1, most_replicas)
        for name in chance.choices(candidates, k=replicas):
            used[name][0] += cpu
            used[name][1] += memory
        weights = Weights({name: chance.randint(1, 10) for name in candidates})
        made.append(
            Workload(
                f"bench/app-{number:06d}",
                f"app-{number:06d}",
                replicas,
                "bench",
                requests={"cpu": cpu, "memory": memory},
                rules=(Candidates(tuple(candidates)), Total(), weights),
            )
        )
    members = tuple(
        Cluster(name, free={"cpu": int(cpu / fill), "memory": int(memory / fill)})
        for name, (cpu, memory) in used.items()
    )
    return Problem(members, tuple(made), (Capacity(),), RATIO_ONLY, Deviation.L1)


def independent(workloads: int, clusters: int, seed: int = 0) -> Problem:
    """Make workloads that do not compete: there is room for a hundred times what they ask for."""
    return batch(workloads, clusters, seed, load=0.01, deviation=Deviation.WEBSTER)
