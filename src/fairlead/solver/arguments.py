"""What the arguments of `solve` make of a problem."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, get_args

from fairlead.models.errors import UsageError
from fairlead.models.levels import Deviation, tolerances_of
from fairlead.models.problem import Problem
from fairlead.models.words import no_such

Method = Literal["auto", "exact", "cp-sat"]


def applied(
    problem: Problem,
    deviation: str | None,
    fresh: bool | None,
    partial: bool,
    method: str,
    tolerance: Mapping[str, object] | None,
) -> Problem:
    """Return the problem with the arguments of the call applied."""
    if method not in get_args(Method):
        raise UsageError(no_such("method", method, get_args(Method)))
    if deviation is not None:
        if deviation not in list(Deviation):
            raise UsageError(no_such("deviation", deviation, Deviation))
        problem = replace(problem, deviation=Deviation(deviation))
    if tolerance is not None:
        problem = replace(problem, tolerances={**problem.tolerances, **tolerances_of(tolerance)})
    if fresh is not None:
        problem = replace(problem, workloads=tuple(replace(each, fresh=fresh) for each in problem.workloads))
    return replace(problem, partial=True) if partial else problem
