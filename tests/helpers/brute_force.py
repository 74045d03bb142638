"""The slow and certain way: look at every placement there is. Uses the pure checker and scorer only."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, product
from math import lcm

from fairlead.models.check import in_kept_group, shared_violations, violations_of
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.score import score
from fairlead.models.statement import Violation
from fairlead.models.validity import largest
from fairlead.models.workload import Workload


@dataclass(frozen=True, slots=True)
class Best:
    """The best value of every level in order, and the lexicographically greatest placement that has them."""

    values: tuple[int | Fraction, ...]
    placement: Placement


@dataclass(frozen=True, slots=True)
class Choice:
    """Where one workload stands, and what counts of that, the least first.

    Parameters
    ----------
    replicas
        By cluster.
    levels
        What it adds to every level, in parts of which a level has the same for all workloads.
    order
        Minus the replicas of every cluster in order: more on the first comes before all.
    """

    replicas: Mapping[str, int]
    levels: tuple[int, ...]
    order: tuple[int, ...]


def brute_force(problem: Problem) -> Best | None:
    """Return the best of all placements of at most N replicas a cluster; None where all break a rule.

    In a partial problem rules that give way are not broken.
    """
    if not adds_up(problem):
        found = (Best(values_of(problem, each), each) for each in placements(problem))
        return min(found, key=lambda each: (each.values, _order(problem, each.placement)), default=None)
    best: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    placement: Placement | None = None
    for chosen in product(*_judged(problem)):
        levels = tuple(map(sum, zip(*(each.levels for each in chosen), strict=True)))
        if best is not None and levels > best[0]:
            continue
        rank = levels, tuple(chain.from_iterable(each.order for each in chosen))
        if best is None or rank < best:
            tried = _placed(problem, [each.replicas for each in chosen])
            if keeps_shared(problem, tried):
                best, placement = rank, tried
    return None if placement is None else Best(values_of(problem, placement), placement)


def adds_up(problem: Problem) -> bool:
    """Tell whether every level is the sum of what single workloads add to it.

    Balance looks at clusters, and of which affinity group the levels count depends on the placement.
    """
    return not problem.balances and all(each.settled or not each.groups for each in problem.workloads)


def values_of(problem: Problem, placement: Placement) -> tuple[int | Fraction, ...]:
    """Return the value of every level in order."""
    return tuple(level.value for level in score(problem, placement))


def placements(problem: Problem) -> Iterator[Placement]:
    """Yield every placement that breaks no rule."""
    for chosen in product(*(list(_alone(problem, workload)) for workload in problem.workloads)):
        placement = _placed(problem, chosen)
        if keeps_shared(problem, placement):
            yield placement


def keeps_shared(problem: Problem, placement: Placement) -> bool:
    """Tell whether a placement of workloads that keep their own rules keeps also those that they share."""
    return _keeps(problem, shared_violations(problem, placement))


def _placed(problem: Problem, chosen: Sequence[Mapping[str, int]]) -> Placement:
    """Return the placement in which every workload, in order, stands where that is chosen."""
    return Placement({one.key: placed for one, placed in zip(problem.workloads, chosen, strict=True)})


def _alone(problem: Problem, workload: Workload) -> Iterator[dict[str, int]]:
    """Yield every division of one workload that keeps its own rules; the first that is broken is enough."""
    names = [cluster.name for cluster in problem.clusters]
    for numbers in product(range(largest(workload) + 1), repeat=len(names)):
        placed = {name: count for name, count in zip(names, numbers, strict=True) if count}
        if _keeps(problem, violations_of(in_kept_group(workload, placed), placed)):
            yield placed


def _keeps(problem: Problem, violations: Iterable[Violation]) -> bool:
    """Tell whether nothing is broken; in a partial problem some of it may be."""
    return all(problem.partial and each.gives_way for each in violations)


def _judged(problem: Problem) -> list[list[Choice]]:
    """Return the choices of every workload: what it adds is what the levels are with it and no other."""
    added = [
        [(placed, values_of(problem, Placement({one.key: placed}))) for placed in _alone(problem, one)]
        for one in problem.workloads
    ]
    every = [values for choices in added for _, values in choices]
    parts = [lcm(*(value.denominator for value in level)) for level in zip(*every, strict=True)]
    return [
        [
            Choice(
                placed,
                tuple(int(value * part) for value, part in zip(values, parts, strict=True)),
                _order(problem, Placement({one.key: placed}), one),
            )
            for placed, values in choices
        ]
        for one, choices in zip(problem.workloads, added, strict=True)
    ]


def _order(problem: Problem, placement: Placement, *workloads: Workload) -> tuple[int, ...]:
    """Return minus the replicas of workloads in order, those of the problem where none are named."""
    return tuple(
        -placement.of(workload.key).get(cluster.name, 0)
        for workload in workloads or problem.workloads
        for cluster in problem.clusters
    )
