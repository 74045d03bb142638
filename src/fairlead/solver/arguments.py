"""Arguments of `solve`, applied to a problem."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, get_args

from fairlead.models.errors import UsageError
from fairlead.models.levels import Deviation, tolerances_of
from fairlead.models.problem import Problem
from fairlead.models.rules import Duplicated, Moves
from fairlead.models.variants import Rules, with_rules
from fairlead.models.words import no_such
from fairlead.models.workload import Workload

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
    return replace(problem, partial=True, workloads=_keeping_copies(problem)) if partial else problem


def _keeping_copies(problem: Problem) -> tuple[Workload, ...]:
    """Return the workloads, of which copies that all clusters should hold stay where they run, too.

    Where everything fits there is no choice. In a partial placement there is: without this, running copies
    would be stopped to start others in their place.
    """
    everywhere = Moves(frozenset(problem.cluster_by_name), keep=True)

    def kept(rules: Rules) -> Rules:
        if not any(isinstance(rule, Duplicated) and not rule.choice for rule in rules):
            return rules
        return (*(rule for rule in rules if not isinstance(rule, Moves)), everywhere)

    return tuple(with_rules(each, kept) if each.current else each for each in problem.workloads)
