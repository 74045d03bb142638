"""dispense(): what a greedy scheduler would have done with the same problem."""

import time
from collections.abc import Callable, Mapping
from types import MappingProxyType

from fairlead.models.errors import UsageError
from fairlead.models.outcome import Outcome
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.solver.conclusion import conclude_greedy
from fairlead.solver.dispensers import reference

DISPENSERS: Mapping[str, Callable[[Problem], Placement]] = MappingProxyType({"reference": reference.place})


def dispense(problem: Problem, like: str = "reference") -> Outcome:
    """Place greedily, the way a named scheduler does.

    Parameters
    ----------
    problem
        The question.
    like
        ``reference``: fairlead's own greedy, workloads by priority and size, capacity deducted.

    Returns
    -------
    Outcome
        Levels without bounds; broken rules, unplaced replicas among them, are in `violations`, and the
        status is INFEASIBLE where there are any.

    Raises
    ------
    UsageError
        Where there is no dispenser of that name.
    """
    if like not in DISPENSERS:
        raise UsageError(f"no dispenser {like!r}; known: {', '.join(sorted(DISPENSERS))}")
    started = time.perf_counter()
    placement = DISPENSERS[like](problem)
    return conclude_greedy(problem, placement, like, {"solve": time.perf_counter() - started})
