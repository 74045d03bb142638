"""Small plans made by hand, and what they need."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from functools import cache

import fairlead
from fairlead.models.cluster import Cluster
from fairlead.models.outcome import Attained, Outcome, Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Capacity, Moves, Total, Weights
from fairlead.models.workload import Workload
from fairlead.solver.plan.answer import RebalancePlan
from fairlead.solver.plan.waves import Move, Wave, WavePlan
from orders import WITHOUT_BALANCE

NOON = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)
LEVELS = (Attained("deviation", Fraction(1, 9), Fraction(1, 9), proven=True), Attained("moves", 3, 2))


def service(
    name: str, current: Mapping[str, int], replicas: int | None = None, space: str = "shop"
) -> Workload:
    """Return a workload of one cpu that may stand anywhere on east, west and north."""
    names = ("east", "north", "west")
    rules = (Candidates(names), Total(), Weights(dict.fromkeys(names, 1)), Moves(frozenset(names)))
    wanted = sum(current.values()) if replicas is None else replicas
    requests = {"cpu": 1000}
    return Workload(f"{space}/{name}", name, wanted, space, requests=requests, current=current, rules=rules)


def fleet(*workloads: Workload) -> Problem:
    """Return three clusters with 4 cpus free each."""
    clusters = tuple(Cluster(name, free={"cpu": 4000}) for name in ("east", "north", "west"))
    return Problem(clusters, workloads, (Capacity(),), WITHOUT_BALANCE)


def planned(
    asked: Problem,
    target: Mapping[str, Mapping[str, int]],
    *waves: tuple[Move, ...],
    bound: int | None = None,
) -> RebalancePlan:
    """Return a plan made by hand."""
    placement = Placement(target)
    outcome = Outcome(Status.OPTIMAL, "cp-sat", asked, placement, LEVELS[:1], seconds={"solve": 0.25})
    made = tuple(Wave(moves) for moves in waves)
    plan = WavePlan(asked, placement, made, len(made) if bound is None else bound)
    return RebalancePlan(asked, outcome, plan, seconds={"target": 0.5, "waves": 0.75})


def example() -> RebalancePlan:
    """Return a plan in which 3 replicas move, 2 start and 1 stops, in two waves."""
    web = service("web", {"east": 6, "west": 0})
    api = service("api", {"east": 1}, 3)
    old = service("old", {"west": 2}, 1)
    target = {
        "shop/web": {"east": 3, "west": 3},
        "shop/api": {"east": 1, "north": 2},
        "shop/old": {"west": 1},
    }
    return planned(
        fleet(web, api, old, service("calm", {"north": 1})),
        target | {"shop/calm": {"north": 1}},
        (Move("shop/web", "east", "west", 2), Move("shop/api", None, "north", 2)),
        (Move("shop/web", "east", "west", 1), Move("shop/old", "west", None, 1)),
    )


def large(count: int) -> RebalancePlan:
    """Return a plan that moves two replicas of every one of many workloads, over 12 clusters."""
    names = tuple(f"cluster-{number:02}" for number in range(12))
    rules = (Candidates(names), Total(), Weights(dict.fromkeys(names, 1)), Moves(frozenset(names)))
    clusters = tuple(Cluster(name, free={"cpu": 10**7, "memory": 2**50, "pods": 10**5}) for name in names)
    workloads, target, moves = [], {}, []
    for number in range(count):
        key, home = f"shop/service-{number:04}", number % 12
        ring = [names[(home + step) % 12] for step in range(12)]
        current = dict.fromkeys(ring[:6], 2)
        target[key] = dict.fromkeys(ring[:5], 2) | dict.fromkeys(ring[6:8], 1)
        moves += [Move(key, ring[5], ring[6], 1), Move(key, ring[5], ring[7], 1)]
        workloads.append(
            Workload(
                key, key[5:], 12, "shop", requests={"cpu": 10, "memory": 2**20}, current=current, rules=rules
            )
        )
    asked = Problem(clusters, tuple(workloads), (Capacity(),), WITHOUT_BALANCE)
    return planned(asked, target, tuple(moves[::2]), tuple(moves[1::2]))


@cache
def simulated() -> fairlead.Simulation:
    """Return what the loss of east would do to six replicas on it, and then of every cluster by itself.

    North and west have 4 cpus free each: the six fit into both, and not into one.
    """
    asked = fleet(service("web", {"east": 6}))
    return fairlead.simulate(asked, fairlead.Lose("east"), sweep="cluster")


def compared() -> fairlead.Comparison:
    """Return the best placement of 14 replicas where 12 fit, beside that of the reference."""
    return fairlead.compare(replace(fleet(service("web", {}, 14)), partial=True), ["reference", "webster"])
