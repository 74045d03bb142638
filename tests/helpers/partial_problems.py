"""Partial placements the slow and certain way, and short spellings for what gives way."""

from collections.abc import Mapping
from dataclasses import replace

from brute_force import Best, brute_force
from fairlead.models.cluster import CPU, Cluster
from fairlead.models.outcome import Outcome
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Capacity, Duplicated, Moves, SharedRule, Total, WorkloadRule
from fairlead.models.workload import Workload
from orders import WITHOUT_BALANCE
from random_problems import random_problem

NAMES = ("member1", "member2", "member3")


def best_partial(problem: Problem) -> Best:
    """Return the best placement of a partial problem that keeps the rules that never give way."""
    best = brute_force(problem)
    assert best is not None  # nothing placed at all keeps every rule that never gives way
    return best


def random_partial(seed: int, deviation: str, *, most_workloads: int = 2) -> Problem:
    """Return a random problem of all rules; every other seed has workloads of two priorities."""
    from fairlead.models.levels import Deviation

    problem = random_problem(seed, Deviation(deviation), most_workloads=most_workloads, most_replicas=4)
    ranked = (
        replace(workload, priority=10 * (seed % 2) * at) for at, workload in enumerate(problem.workloads)
    )
    return replace(problem, workloads=tuple(ranked), partial=True)


def three(*cpu: int | None) -> tuple[Cluster, ...]:
    """Return clusters member1, member2, ... with so many millicores free; None where nobody knows."""
    return tuple(
        Cluster(f"member{at}", region=f"r{at}", free=None if free is None else {CPU: free})
        for at, free in enumerate(cpu, start=1)
    )


def web(
    replicas: int,
    *rules: WorkloadRule,
    name: str = "web",
    current: Mapping[str, int] | None = None,
    priority: int = 0,
    names: tuple[str, ...] = NAMES,
    copies: Duplicated | None = None,
) -> Workload:
    """Return a workload of 1 cpu a replica that is divided among all clusters, or copied."""
    return Workload(
        f"default/{name}",
        name,
        replicas,
        "default",
        requests={CPU: 1000},
        current=current or {},
        priority=priority,
        policy=f"policy default/{name}",
        rules=(Candidates(names), copies or Total(), Moves(frozenset(NAMES), keep=True), *rules),
    )


def asked(
    clusters: tuple[Cluster, ...], *workloads: Workload, shared: tuple[SharedRule, ...] = ()
) -> Problem:
    """Return a problem in which capacity is shared."""
    return Problem(clusters, workloads, (Capacity(), *shared), WITHOUT_BALANCE)


def given_way(outcome: Outcome) -> dict[str, int]:
    """Return what gave way by level, levels of 0 left out."""
    names = ("made worse", "spread shortfall", "minima shortfall", "unplaced")
    found = {level.name: int(level.value) for level in outcome.objectives if level.name.startswith(names)}
    return {name: value for name, value in found.items() if value}
