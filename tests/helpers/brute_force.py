"""The slow and certain way: look at every placement there is. Uses the pure checker and scorer only."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

from fairlead.models.amounts import largest
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.score import score
from fairlead.models.shortfall import refused
from fairlead.models.workload import Workload


@dataclass(frozen=True, slots=True)
class Best:
    """The best value of every level in order, and the lexicographically greatest placement that has them."""

    values: tuple[int | Fraction, ...]
    placement: Placement


def brute_force(problem: Problem) -> Best | None:
    """Return the best of all placements of at most N replicas a cluster; None where all break a rule.

    In a partial problem rules that give way are not broken.
    """
    best: Best | None = None
    for placement in placements(problem):
        found = Best(tuple(level.value for level in score(problem, placement)), placement)
        if best is None or _rank(problem, found) < _rank(problem, best):
            best = found
    return best


def placements(problem: Problem) -> Iterator[Placement]:
    """Yield every placement that breaks no rule."""
    choices = [list(_alone(problem, workload)) for workload in problem.workloads]
    for chosen in product(*choices):
        placement = Placement(
            {workload.key: placed for workload, placed in zip(problem.workloads, chosen, strict=True)}
        )
        if not refused(problem, placement):
            yield placement


def _alone(problem: Problem, workload: Workload) -> Iterator[dict[str, int]]:
    """Yield every division of one workload that keeps its own rules."""
    alone = replace(problem, workloads=(workload,), rules=())
    names = [cluster.name for cluster in problem.clusters]
    for numbers in product(range(largest(workload) + 1), repeat=len(names)):
        placed = dict(zip(names, numbers, strict=True))
        if not refused(alone, Placement({workload.key: placed})):
            yield placed


def _rank(problem: Problem, found: Best) -> tuple[tuple[int | Fraction, ...], tuple[int, ...]]:
    """Return what to compare: the levels, then the replicas, more on the first before all."""
    order = tuple(
        -found.placement.of(workload.key).get(cluster.name, 0)
        for workload in problem.workloads
        for cluster in problem.clusters
    )
    return found.values, order
