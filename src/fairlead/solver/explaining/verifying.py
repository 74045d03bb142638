"""A conflict verified by solving: all its units together have no placement, without any one they have."""

from collections.abc import Sequence

from fairlead.models.errors import InternalError
from fairlead.models.problem import Problem
from fairlead.solver.deadline import Deadline
from fairlead.solver.explaining.filling import filled
from fairlead.solver.explaining.leaving_out import Judge, only
from fairlead.solver.explaining.sums import sums_of
from fairlead.solver.explaining.together import excess_of, minimal_under_quota
from fairlead.solver.explaining.units import Unit
from fairlead.solver.feasibility import has_placement


def verified(
    problem: Problem,
    units: Sequence[Unit],
    spared: frozenset[int],
    deadline: Deadline,
    seed: int = 0,
) -> bool:
    """Tell whether some units have no placement together, and have one without any one of them.

    Parameters
    ----------
    problem
        The whole question.
    units
        The conflict.
    spared
        Positions of those of which a placement was seen that breaks them and none of the others, judged by
        the meaning of the rules.
    deadline
        When the answer is due.
    seed
        Random seed of CP-SAT.

    Returns
    -------
    bool
        False also where time ran out.

    Raises
    ------
    InternalError
        Where all of them have a placement together: a bug in fairlead or in the solver.
    """
    sums = sums_of(problem, units)
    if sums is not None:
        if sums.possible():
            raise InternalError("rules that were called a conflict have a placement")
        return sums.minimal()
    if minimal_under_quota(problem, units):
        return True
    together = False if excess_of(problem, units) else has_placement(only(problem, units), deadline, seed)
    if together:
        raise InternalError("rules that were called a conflict have a placement")
    if together is None:
        return False
    judge = Judge(problem, units)
    for at in range(len(units)):
        rest = [*units[:at], *units[at + 1 :]]
        if at in spared or _is_kept_simply(problem, rest, judge, at):
            continue
        if not has_placement(only(problem, rest), deadline, seed):
            return False
    return True


def _is_kept_simply(problem: Problem, rest: Sequence[Unit], judge: Judge, left_out: int) -> bool:
    """Tell whether filling one cluster after the other keeps all units but the one that is left out."""
    if len(problem.workloads) != 1:
        return False
    return judge.broken(filled(problem, rest)) <= {left_out}
