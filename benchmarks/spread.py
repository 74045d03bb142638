"""Measure the choice of regions: one workload over many regions of four clusters."""

import random
import statistics
import time
from dataclasses import replace

import fairlead
from fairlead.models.cluster import Cluster
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Capacity, Moves, Spread, Total, Weights
from fairlead.models.workload import Workload

CLUSTERS_OF_A_REGION = 4
# Milliseconds that must not be passed, by the number of regions.
LIMITS = {24: 100, 100: 500}
CP_SAT_SECONDS = 5.0


def over_regions(regions: int, most: float | None, *, dynamic: bool, seed: int) -> Problem:
    """Make one workload, ten replicas for every cluster; it has to stand in at least half of the regions.

    Parameters
    ----------
    regions
        Regions, of four clusters each.
    most
        Part of the regions that may be used; None means all.
    dynamic
        True where the room of the clusters is their weight and what runs is kept.
    seed
        The same seed gives the same problem.
    """
    chance = random.Random(seed)
    names = tuple(f"member{number:04d}" for number in range(regions * CLUSTERS_OF_A_REGION))
    replicas = 10 * len(names)
    rooms = {name: chance.randint(20, 60) for name in names}
    weights = rooms if dynamic else {name: chance.randint(1, 5) for name in names}
    current = {name: chance.randint(1, 10) for name in names if dynamic and chance.random() < 0.2}
    groups = {f"region{number:03d}": frozenset(names[number::regions]) for number in range(regions)}
    maximum = None if most is None else int(most * regions)
    rules = (
        Candidates(names),
        Total(),
        Spread("region", groups, regions // 2, maximum),
        Weights(weights, dynamic=dynamic),
        Moves(frozenset(names), keep=dynamic),
    )
    workload = Workload(
        "bench/web", "web", replicas, "bench", requests={"pods": 1}, current=current, rules=rules
    )
    free = {name: {"cpu": 1_000_000, "pods": room - current.get(name, 0)} for name, room in rooms.items()}
    return Problem(tuple(Cluster(name, free=free[name]) for name in names), (workload,), (Capacity(),))


def measure_spread(*, full: bool) -> list[str]:
    """Print milliseconds by size, limit and weights; with 24 regions also the ratio to CP-SAT."""
    failures: list[str] = []
    print("\nOne workload in a limited number of regions of 4 clusters, at least half; median milliseconds")
    print(f"{'regions':>8} {'at most':>8} {'weights':<8} {'ms':>8} {'limit':>6}  CP-SAT (5 s at most)")
    for regions, limit in LIMITS.items():
        for most in (0.5, 0.75, None):
            for dynamic in (False, True):
                case = over_regions(regions, most, dynamic=dynamic, seed=1)
                milliseconds, outcome = _timed(case, "auto", repeat=7 if full else 3)
                name = (
                    f"{'all' if most is None else f'{most:.0%}':>8} {'dynamic' if dynamic else 'static':<8}"
                )
                beside = _beside_cp_sat(case, milliseconds, outcome) if regions == min(LIMITS) else ""
                print(f"{regions:>8} {name} {milliseconds:>8.1f} {limit:>6}  {beside}")
                if milliseconds > limit:
                    failures.append(f"spread, {regions} regions, {name.strip()}: {milliseconds:.0f} ms")
                if outcome.status is not fairlead.Status.OPTIMAL:
                    failures.append(f"spread, {regions} regions, {name.strip()}: {outcome.status}")
    return failures


def _timed(problem: Problem, method: str, repeat: int) -> tuple[float, fairlead.Outcome]:
    """Solve a problem several times; return the median milliseconds and the last outcome."""
    runs = [_once(problem, method) for _ in range(repeat)]
    return statistics.median(milliseconds for milliseconds, _ in runs), runs[-1][1]


def _once(problem: Problem, method: str) -> tuple[float, fairlead.Outcome]:
    """Solve a problem as a user does."""
    started = time.perf_counter()
    # A copy has none of what a problem remembers of itself.
    outcome = fairlead.solve(replace(problem), time_limit=CP_SAT_SECONDS, method=method)  # type: ignore[arg-type]
    return 1000 * (time.perf_counter() - started), outcome


def _beside_cp_sat(problem: Problem, milliseconds: float, outcome: fairlead.Outcome) -> str:
    """Solve the same by CP-SAT and compare; values that are proven have to agree."""
    other, found = _timed(problem, "cp-sat", repeat=1)
    values = [level.value for level in found.objectives]
    proven = found.status is fairlead.Status.OPTIMAL
    if proven and outcome.status is fairlead.Status.OPTIMAL:
        assert values == [level.value for level in outcome.objectives]
    return f"{other:.0f} ms, {'proven' if proven else 'not proven'}: {other / milliseconds:.0f} times as long"
