"""Whether a problem has any placement at all, and what fits of one that has none.

A part of a problem that has a placement is solved as ever: nothing gives way there. Only a part that has none
is solved with what its rules ask at least giving way, as little as possible, level by level.
"""

from collections.abc import Iterable
from dataclasses import replace

from fairlead.models.check import shared_violations
from fairlead.models.outcome import Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.variants import in_full, without_preferences
from fairlead.models.workload import Workload
from fairlead.solver.batch.separable import MANY, applies
from fairlead.solver.conflicts.alone import hopeless
from fairlead.solver.conflicts.scarcity import is_scarce
from fairlead.solver.exact.alone import place_what_fits
from fairlead.solver.exact.boxes import WorkloadBox, box_of, boxes_of, has_box
from fairlead.solver.exact.nested.choose import most_held
from fairlead.solver.floor import SHARE_OF_FLOOR, keep_and_repair, quickly, standing_well
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import Search


def has_placement(problem: Problem, search: Search) -> bool | None:
    """Tell whether any placement keeps all rules; None where time ran out before that was certain.

    `problem`: the question; what it prefers is not looked at, and nothing gives way.
    """
    # With its preferences a workload has one best placement; without them all would have to be told apart.
    strict = replace(
        problem, workloads=tuple(replace(each, settled=True) for each in problem.workloads), partial=False
    )
    return _fits_at_once(strict, search.deadline) or _searched(strict, search)


def _fits_at_once(strict: Problem, deadline: Deadline) -> bool:
    """Tell whether a placement is found without a search: any that will do, else the best one at once."""
    staying = standing_well(strict)
    return quickly(strict, staying) is not None or keep_and_repair(strict, staying, deadline) is not None


def _searched(strict: Problem, search: Search) -> bool | None:
    """Tell whether a problem has a placement that is not found at once; None where time ran out."""
    bare = replace(strict, workloads=tuple(map(without_preferences, strict.workloads)))
    boxes = boxes_of(bare)
    alone = ((bare.workload(key), boxed) for key, boxed in boxes.items())
    if hopeless(bare, boxes) or without_room(alone, search.deadline):
        return False
    status = _status(bare, search)
    return None if status is Status.UNKNOWN else status is not Status.INFEASIBLE


def without_room(alone: Iterable[tuple[Workload, WorkloadBox]], deadline: Deadline) -> bool:
    """Tell whether a workload is seen to have no placement: whatever clusters it chooses hold too little.

    `alone`: workloads with their boxes; as many are looked at as there is time for.
    """
    for workload, boxed in alone:
        if not deadline.remaining():
            return False
        most = most_held(workload, boxed)
        if most is not None and most < workload.replicas:
            return True
    return False


def _status(bare: Problem, search: Search) -> Status:
    """Look for a placement of a problem without preferences, by prices where there are many workloads."""
    from fairlead.solver.batch.levels import solve_batch
    from fairlead.solver.levels.lexicographic import minimise_levels

    search = Search(search.deadline, 1, search.seed)
    if len(bare.workloads) >= MANY and applies(bare):
        return solve_batch(bare, search).status
    return minimise_levels(bare, search, ties=False).status


# Of the time that is left, what may be spent on finding out whether a part can be placed in full.
SHARE_OF_TIME = 0.4


def has_to_give_way(part: Problem, search: Search) -> bool:
    """Tell whether something has to give way in a part, or may have to where that was not settled in time.

    `search`: how to search; a share of the time that is left is used here.
    """
    strict = in_full(part)
    if hopeless(strict, boxes_of(strict)) or is_scarce(strict):
        return True
    if _fits_at_once(strict, search.deadline.part(SHARE_OF_FLOOR)):
        return False
    if search.deadline.remaining():
        fits = _searched(strict, search.part(SHARE_OF_TIME))
        if fits is not None:
            return not fits
    # Nothing is settled: nobody is to fall short where whatever keeps all rules is found at once.
    return keep_and_repair(strict, standing_well(strict), Deadline.after(0)) is None


def what_fits(part: Problem) -> Placement | None:
    """Place as much of a single workload as fits, without a solver; None where that does not apply."""
    workload = part.workloads[0]
    if not has_box(workload):
        return None
    quotas = part.allowances
    answer = place_what_fits(workload, part, box_of(workload, part, part.limits, quotas), quotas)
    placement = Placement({workload.key: answer or {}})
    return None if answer is None or shared_violations(part, placement) else placement
