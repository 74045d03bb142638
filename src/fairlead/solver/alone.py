"""One workload as it stands best where it has all that is shared for itself."""

from collections.abc import Mapping, Sequence

from fairlead.models.problem import Problem
from fairlead.models.rules.quota import Allowance
from fairlead.models.workload import Workload
from fairlead.solver.boxes import Available, box_of, has_box
from fairlead.solver.choosing import choose
from fairlead.solver.exact import allocate


def place_alone(
    workload: Workload,
    problem: Problem,
    available: Available | None = None,
    quotas: Sequence[Allowance] | None = None,
) -> Mapping[str, int] | None:
    """Place one workload as well as its rules allow."""
    if not has_box(workload):
        return None
    boxed = box_of(workload, problem, problem.limits if available is None else available, quotas)
    return allocate(workload, problem, boxed) or choose(workload, problem, boxed)
