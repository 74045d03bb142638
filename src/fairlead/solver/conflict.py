"""Conflicts that need no solver: rules of one workload that cannot hold together."""

from collections.abc import Mapping

from fairlead.models.problem import Problem
from fairlead.models.statement import Conflict, Proof
from fairlead.models.workload import Workload
from fairlead.solver.boxes import WorkloadBox, boxes_of
from fairlead.solver.explaining.alone import alone
from fairlead.solver.explaining.failing import fails_alone
from fairlead.solver.explaining.quick import quick
from fairlead.solver.explaining.telling import told
from fairlead.solver.explaining.units import units_of


def hopeless(problem: Problem, boxes: Mapping[str, WorkloadBox]) -> bool:
    """Tell whether a workload is seen to have no placement of its own; boxes as `boxes_of` makes them."""
    return any(fails_alone(problem.workload(key), problem, boxed) for key, boxed in boxes.items())


def conflicts(problem: Problem, boxes: Mapping[str, WorkloadBox] | None = None) -> tuple[Conflict, ...]:
    """Return a conflict for every workload that is seen to have no placement of its own.

    Parameters
    ----------
    problem
        The question. Workloads that only fail together, because they share capacity, are not found here.
    boxes
        Boxes by workload key, as `boxes_of` makes them; None means that they are made here.

    Returns
    -------
    tuple of Conflict
        In the order of the workloads, each minimal by construction: leaving out any one statement resolves
        it.
    """
    found = boxes_of(problem) if boxes is None else boxes
    failing = [key for key, boxed in found.items() if fails_alone(problem.workload(key), problem, boxed)]
    each = (_conflict(problem.workload(key), problem) for key in failing)
    return tuple(conflict for conflict in each if conflict is not None)


def _conflict(workload: Workload, problem: Problem) -> Conflict | None:
    """Return the conflict of one workload; None where it takes a solver to find it."""
    by_itself = alone(workload, problem)
    units = units_of(by_itself)
    found = quick(workload, by_itself, units)
    if found is None:
        return None
    proof = Proof.SMALLEST if found.smallest else Proof.MINIMAL
    return Conflict(
        told([units[at] for at in found.units], by_itself), proof=proof, workloads=(workload.key,)
    )
