"""The way out where more has to move than a budget allows: a larger one, which sums tell without a model."""

from fairlead.models.problem import Problem
from fairlead.models.rules import Duplicated, MoveBudget
from fairlead.models.statement import Change
from fairlead.solver.changes.apply import apply
from fairlead.solver.changes.kinds import Kind
from fairlead.solver.conflicts.alone import fails_alone
from fairlead.solver.conflicts.budgets import over_budget
from fairlead.solver.conflicts.scarcity import is_scarce
from fairlead.solver.feasibility import has_placement
from fairlead.solver.relaxation.relaxable import Relaxable
from fairlead.solver.relaxation.stock import relaxables
from fairlead.solver.running.deadline import Deadline


def larger_budgets(problem: Problem, deadline: Deadline, seed: int) -> list[tuple[Change, ...]]:
    """Return a budget that allows what has to move, where that makes a problem feasible; empty where not.

    Nothing else that costs as little does: to scale something down by one saves one move at most. Only a
    toleration could, or replicas that several workloads or copies share: that is left to a search.
    """
    if any(_may_save_more(each) for each in relaxables(problem)):
        return []
    budgets = (each for each in problem.rules if isinstance(each, MoveBudget))
    for rule in budgets:
        found = over_budget(rule, problem)
        copied = any(problem.workload(key).rule(Duplicated) is not None for key in found)
        if found and not copied:
            moving = sum(found.values())
            more = moving - rule.most
            changes = (Change(Kind.MOVE_BUDGET, None, None, rule.name, rule.most, moving, more, rule.source),)
            after = apply(problem, changes)
            # Whoever fails by himself is found much faster than all of them together.
            hopeless = is_scarce(after) or any(fails_alone(each, after) for each in after.workloads)
            if not hopeless and has_placement(after, deadline, seed):
                return [changes]
    return []


def _may_save_more(relaxable: Relaxable) -> bool:
    """Tell whether a change that costs 1 may save several moves."""
    shared = relaxable.kind is Kind.REPLICAS and bool(relaxable.sharing)
    return shared or relaxable.kind is Kind.TOLERATION
