"""One workload as it stands best where it has all that is shared for itself."""

from collections.abc import Mapping, Sequence

from fairlead.models.check import violations_of
from fairlead.models.problem import Problem
from fairlead.models.rules import Moves, Total
from fairlead.models.rules.moves import level
from fairlead.models.rules.quota import Allowance
from fairlead.models.score import in_order, levels_of_workload
from fairlead.models.workload import Workload
from fairlead.solver.boxes import Available, box_of, has_box
from fairlead.solver.choosing import choose
from fairlead.solver.exact import allocate
from fairlead.solver.frozen import KEEPING
from fairlead.solver.rows import overfull, usage_of


def place_alone(
    workload: Workload,
    problem: Problem,
    available: Available | None = None,
    quotas: Sequence[Allowance] | None = None,
) -> Mapping[str, int] | None:
    """Place one workload as well as its rules allow."""
    if stands_best(workload, problem):
        return workload.current
    if not has_box(workload):
        return None
    boxed = box_of(workload, problem, problem.limits if available is None else available, quotas)
    return allocate(workload, problem, boxed) or choose(workload, problem, boxed)


def stands_best(workload: Workload, problem: Problem) -> bool:
    """Tell whether a workload of unchanged size can stay where it runs, and moves come first to it."""
    rule = workload.rule(Moves)
    if rule is None or workload.rule(Total) is None or sum(workload.current.values()) != workload.replicas:
        return False
    if level(rule, workload) not in KEEPING or not rule.present.issuperset(workload.current):
        return False
    if in_order(levels_of_workload(workload), problem)[0] not in KEEPING:
        return False
    return not any(violations_of(workload, workload.current)) and not overfull(
        usage_of(workload, workload.current, problem), problem
    )
