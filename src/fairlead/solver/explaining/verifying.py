"""A conflict verified by solving: all its units together have no placement, without any one they have."""

from collections.abc import Sequence

from fairlead.models.errors import InternalError
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Total
from fairlead.models.rules.capacity import demands
from fairlead.models.workload import Workload
from fairlead.solver.deadline import Deadline
from fairlead.solver.explaining.leaving_out import Judge, only, widest
from fairlead.solver.explaining.units import Room, Unit
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
    together = has_placement(only(problem, units), deadline, seed)
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
    workload = problem.workloads[0]
    placement = Placement({workload.key: _filled(workload, problem, rest)})
    return judge.broken(placement) <= {left_out}


def _filled(workload: Workload, problem: Problem, units: Sequence[Unit]) -> dict[str, int]:
    """Give every cluster the least it needs, then fill up to the total in name order."""
    most = dict.fromkeys(problem.cluster_by_name, widest(workload))
    least = dict.fromkeys(problem.cluster_by_name, 0)
    open_to: tuple[str, ...] = tuple(problem.cluster_by_name)
    total = 0
    for unit in units:
        match unit.part:
            case Total():
                total = workload.replicas
            case Candidates():
                open_to = tuple(name for name in unit.part.names if name in least)
            case Bounds() as rule:
                for name, bound in rule.minimum.items():
                    least[name] = max(least.get(name, 0), bound.replicas)
                for name, bound in rule.maximum.items():
                    most[name] = min(most.get(name, bound.replicas), bound.replicas)
            case Room() as room:
                asked = demands(workload, problem.cluster_by_name[room.cluster])
                for resource in room.resources & asked.keys():
                    fits = problem.limits.get((room.cluster, resource), 0) // asked[resource]
                    most[room.cluster] = min(most[room.cluster], fits)
            case _:
                continue
    placed: dict[str, int] = {}
    left = total - sum(least[name] for name in open_to)
    for name in open_to:
        more = max(0, min(left, most[name] - least[name]))
        placed[name] = least[name] + more
        left -= more
    return {name: replicas for name, replicas in placed.items() if replicas}
