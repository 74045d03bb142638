"""Placements like a given one, in which something else is broken: cheaper than asking a solver again.

What one cluster holds too many of, another one could; what one workload lacks, another one could lack.
"""

from collections.abc import Iterator

from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Total
from fairlead.solver.explaining.units import Room, Unit

Replicas = dict[str, dict[str, int]]


def exchanged(placement: Placement, unit: Unit, problem: Problem) -> Iterator[Placement]:
    """Yield placements that break other units than a given one breaks.

    Parameters
    ----------
    placement
        A placement that breaks one unit only.
    unit
        That unit.
    problem
        The question.
    """
    held = {workload.key: dict(placement.of(workload.key)) for workload in problem.workloads}
    if isinstance(unit.part, Total):
        yield from _of_workloads(held, unit.workload or "", problem)
        return
    cluster = unit.part.cluster if isinstance(unit.part, Room) else unit.statement.cluster
    if cluster is not None:
        keys = tuple(held) if unit.workload is None else (unit.workload,)
        for other in problem.cluster_by_name:
            if other != cluster:
                yield Placement(_swapped(held, keys, cluster, other))


def _swapped(held: Replicas, keys: tuple[str, ...], one: str, other: str) -> Replicas:
    """Exchange what two clusters hold of some workloads."""
    swapped = dict(held)
    for key in keys:
        placed = dict(held[key])
        placed[one], placed[other] = placed.get(other, 0), placed.get(one, 0)
        swapped[key] = placed
    return swapped


def _of_workloads(held: Replicas, lacking: str, problem: Problem) -> Iterator[Placement]:
    """Give a workload what it lacks in places of another one, for every other one."""
    missing = problem.workload(lacking).replicas - sum(held[lacking].values())
    for workload in problem.workloads:
        if workload.key == lacking or missing <= 0 or sum(held[workload.key].values()) < missing:
            continue
        giving, taking, left = dict(held[workload.key]), dict(held[lacking]), missing
        for name, count in held[workload.key].items():
            moved = min(left, count)
            giving[name] = count - moved
            taking[name] = taking.get(name, 0) + moved
            left -= moved
        yield Placement({**held, workload.key: giving, lacking: taking})
