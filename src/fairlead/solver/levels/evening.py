"""Placements that fill clusters more evenly, where there is no time for more."""

from fractions import Fraction
from itertools import takewhile

from fairlead.models.levels import BALANCE
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules.balance import Balance
from fairlead.models.rules.balance import cost as balance_of
from fairlead.models.score import better, levels_of, value_of
from fairlead.models.shortfall import refused
from fairlead.solver.answers.attainment import Apart
from fairlead.solver.levels.filling_bound import Asked, branches_of
from fairlead.solver.levels.own_cost import is_own
from fairlead.solver.levels.targets import Target
from fairlead.solver.running.deadline import Deadline


def evened_out(
    rule: Balance, problem: Problem, placement: Placement, apart: Apart, target: Target, until: Deadline
) -> tuple[Placement, Target]:
    """Return a placement that is better on balance, if one is found, and no worse on the levels before that.

    The second is the target with what prices bound balance by, among placements that cost no more before it.

    Parameters
    ----------
    rule, problem, placement, apart
        As for `branches_of`.
    target
        What balance may be.
    until
        When to stop.
    """
    best = placement

    def wanted(found: Placement | None) -> Fraction:
        nonlocal best
        tried = Placement({**best, **(found or {})})
        best = best if refused(problem, tried) else better(problem, tried, best) or best
        return balance_of(rule, problem, best) - target.tolerance

    everybody = frozenset(problem.workload_by_key)
    pins = {
        level: Fraction(value_of(problem, placement, level))
        for level in takewhile(lambda each: each != BALANCE, levels_of(problem))
        if is_own(level) and not everybody <= apart.get(level, frozenset())
    }
    asked = Asked(BALANCE, wanted, pins, parts=1)
    branches = branches_of(rule, problem, placement, apart, None, asked)
    if branches is not None:
        branches.search(asked, until)
    return best, target if branches is None else target.raised(branches.bound or 0)
