"""Measure many new workloads that nothing ties together, placed in one call: CPU time, as ratios to a sort.

python benchmarks/many.py
"""

import random
import sys
import time

import numpy as np
from singles import sorting_of
from trend import Ratio

import fairlead
from fairlead.models.cluster import Cluster
from fairlead.models.levels import Deviation
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Capacity, Total, Weights
from fairlead.models.rules.bounds import Bound
from fairlead.models.workload import Workload

BARS = {(10_000, 100): 5_000, (1_000, 500): 1_000}
"""Workloads a second that are to be placed, proven, by workloads and clusters."""


def many(workloads: int, clusters: int, seed: int = 1) -> Problem:
    """Make workloads with static weights and a few bounds on clusters with room for all of them."""
    chance = random.Random(seed)
    free = {"cpu": 10**9, "memory": 2**60, "pods": 10**8}
    members = tuple(Cluster(f"member{number:04d}", free=free) for number in range(clusters))
    names = tuple(member.name for member in members)
    found = []
    for number in range(workloads):
        replicas = chance.randint(1, 10 * clusters)
        least = {name: Bound(chance.randint(0, 1)) for name in chance.sample(names, min(3, replicas))}
        most = {name: Bound(replicas // 2 + chance.randint(1, 5)) for name in chance.sample(names, 5)}
        weights = Weights({name: chance.randint(1, 5) for name in names})
        rules = (Candidates(names), Total(), Bounds(least, most), weights)
        requests = {"cpu": 100, "memory": 2**28}
        name = f"web{number:05d}"
        found.append(Workload(f"bench/{name}", name, replicas, "bench", requests=requests, rules=rules))
    return Problem(members, tuple(found), (Capacity(),))


def measure_many(ratios: list[Ratio]) -> list[str]:
    """Place all at once, add the ratios, and return which bars are missed."""
    fairlead.solve(many(10, 100))
    failures: list[str] = []
    print("\nMany workloads with weights and bounds in one call, CPU time:")
    for (workloads, clusters), bar in BARS.items():
        sorting = sorting_of(np.random.default_rng(0).random((workloads, clusters)))
        for deviation in (Deviation.WEBSTER, Deviation.L1):
            problem = many(workloads, clusters)
            started = time.process_time()
            outcome = fairlead.solve(problem, deviation=deviation)
            seconds = time.process_time() - started
            name = f"{workloads:,} x {clusters} {deviation.value}"
            ratios.append(Ratio(f"many {name}", "NumPy sort", seconds / sorting))
            rate = f"{workloads / seconds:,.0f} a second (bar {bar:,})"
            print(f"{name:<22} {seconds:6.2f} s, {rate}, {seconds / sorting:.1f} times a sort by NumPy")
            if outcome.status is not fairlead.Status.OPTIMAL:
                failures.append(f"{name}: {outcome.status.value}")
            if workloads / seconds < bar:
                failures.append(f"{name}: {rate}")
    return failures


if __name__ == "__main__":
    missed = measure_many([])
    print("".join(f"MISSED: {each}\n" for each in missed), end="")
    sys.exit(1 if missed else 0)
