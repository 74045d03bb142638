"""Placements that break one unit of a conflict only: they show that none of its units can be spared."""

from collections.abc import Sequence
from dataclasses import dataclass

from fairlead.models.problem import Problem
from fairlead.solver.deadline import Deadline
from fairlead.solver.explaining.filling import filled
from fairlead.solver.explaining.leaving_out import Judge
from fairlead.solver.explaining.units import Unit

MOST_PLACES = 5_000
"""Workloads times clusters up to which placements are judged by all units, not by those of the conflict."""


@dataclass(frozen=True, slots=True)
class Witnessed:
    """What simple placements show of a conflict.

    Parameters
    ----------
    broken
        What each placement breaks, by position; of all units where `complete`, else of the conflict's.
    needed
        The units of the conflict of which a placement breaks no other one of it.
    unavoidable
        The units that a placement breaks alone among all there are, so that no conflict is without them.
    complete
        Whether placements were judged by all units.
    """

    broken: tuple[frozenset[int], ...]
    needed: frozenset[int]
    unavoidable: frozenset[int]
    complete: bool


def witnessed(
    problem: Problem, units: Sequence[Unit], conflict: Sequence[int], deadline: Deadline
) -> Witnessed:
    """Look for a placement without each unit of a conflict, by filling clusters one after the other.

    Parameters
    ----------
    problem
        The whole question.
    units
        Everything that may be left out.
    conflict
        Positions of the units of the conflict.
    deadline
        When to stop.
    """
    complete = len(problem.workloads) * len(problem.clusters) <= MOST_PLACES
    inside = frozenset(conflict)
    judged = list(range(len(units))) if complete else sorted(inside)
    judge = Judge(problem, [units[at] for at in judged])
    found: list[frozenset[int]] = []
    needed, unavoidable = set[int](), set[int]()
    for left_out in conflict:
        for kept in (judged, sorted(inside)) if complete else (judged,):
            if not deadline.remaining():
                break
            placement = filled(problem, [units[at] for at in kept if at != left_out])
            broken = frozenset(judged[at] for at in judge.broken(placement))
            found.append(broken)
            if complete and broken == {left_out}:
                unavoidable.add(left_out)
            if broken & inside == {left_out}:
                needed.add(left_out)
                break
    return Witnessed(tuple(found), frozenset(needed), frozenset(unavoidable), complete)
