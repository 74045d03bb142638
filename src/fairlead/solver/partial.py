"""Partial placements: what can be placed is, where not everything can.

A part of a problem that has a placement is solved as ever: nothing gives way there. Only a part that has none
is solved with what its rules ask at least giving way, as little as possible, level by level.
"""

from dataclasses import replace

from fairlead.models.check import shared_violations
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.solver.conflicts.alone import conflicts
from fairlead.solver.conflicts.quotas import quota_conflicts
from fairlead.solver.exact.boxes import box_of, has_box
from fairlead.solver.exact.partial_boxes import place_what_fits
from fairlead.solver.feasibility import has_placement
from fairlead.solver.keeping import SHARE_OF_FLOOR, repaired
from fairlead.solver.running.search import Search

# Of the time that is left, what may be spent on finding out whether a part can be placed in full.
SHARE_OF_TIME = 0.4


def has_to_give_way(part: Problem, search: Search) -> bool:
    """Tell whether something has to give way in a part, or may have to where that was not settled in time.

    Parameters
    ----------
    search
        How to search; a share of the time that is left is used here.
    """
    strict = replace(part, partial=False)
    if conflicts(strict) or quota_conflicts(strict):
        return True
    if repaired(strict, (), search.deadline.part(SHARE_OF_FLOOR)) is not None:
        return False
    if not search.deadline.remaining():
        return True
    return not has_placement(strict, search.part(SHARE_OF_TIME).deadline, search.seed)


def what_fits(part: Problem) -> Placement | None:
    """Place as much of a single workload as fits, without a solver; None where that does not apply."""
    workload = part.workloads[0]
    if not has_box(workload):
        return None
    quotas = part.allowances
    answer = place_what_fits(workload, part, box_of(workload, part, part.limits, quotas), quotas)
    placement = Placement({workload.key: answer or {}})
    return None if answer is None or shared_violations(part, placement) else placement
