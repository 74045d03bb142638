"""Budgets of moves that are too small: what runs on clusters that are closed to it has to move."""

from collections.abc import Container, Mapping, Sequence

from fairlead.models.data import WorkloadData
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, MoveBudget
from fairlead.models.rules.move_budget import members, moved_by
from fairlead.models.workload import Workload
from fairlead.solver.conflicts.units import Unit


def has_to_move(rule: MoveBudget, workload: WorkloadData, problem: Problem) -> int:
    """Return how many replicas of a workload count against a budget at the least, whatever the placement."""
    if not workload.current:
        return 0
    stays = {name: workload.current.get(name, 0) for name in problem.candidates(workload)}
    # Nothing else has to stop, and what starts elsewhere may start where no budget counts.
    return max(0, moved_by(rule, workload, problem, Placement({workload.key: stays})))


def over_budget(
    rule: MoveBudget, problem: Problem, keys: Container[str | None] | None = None
) -> Mapping[str, int]:
    """Return how many replicas of which workloads have to move; nothing where the budget allows them all.

    `keys`: the workloads that are looked at; None looks at all that share the budget.
    """
    inside = (each for each in members(rule, problem) if keys is None or each.key in keys)
    moving = {each.key: count for each in inside if (count := has_to_move(rule, each, problem))}
    return moving if sum(moving.values()) > rule.most else {}


def moves_too_many(workload: Workload, problem: Problem) -> bool:
    """Tell whether a workload alone has to move more than a budget allows that it may share."""
    if not workload.current or workload.current.keys() <= set(problem.candidates(workload)):
        return False
    return any(
        isinstance(rule, MoveBudget)
        and rule.concerns((workload.key,))
        and has_to_move(rule, workload, problem) > rule.most
        for rule in problem.rules
    )


def is_over(problem: Problem, units: Sequence[Unit]) -> bool:
    """Tell whether a budget among some units does not allow what clusters closed by them force to move."""
    closed = _closed(units)
    return any(over_budget(rule, problem, closed) for rule in _budgets(units))


def is_minimal_under_budget(problem: Problem, units: Sequence[Unit]) -> bool:
    """Tell whether some units are a budget and closed clusters, a conflict of which none can be spared.

    Without any other rule everything else may stay, so that sums are the whole truth.
    """
    budgets = _budgets(units)
    if len(budgets) != 1:
        return False
    moving = over_budget(budgets[0], problem, _closed(units))
    spare = sum(moving.values()) - budgets[0].most
    return len(moving) + 1 == len(units) and 0 < spare <= min(moving.values())


def _budgets(units: Sequence[Unit]) -> list[MoveBudget]:
    return [unit.part for unit in units if isinstance(unit.part, MoveBudget)]


def _closed(units: Sequence[Unit]) -> frozenset[str | None]:
    """Return the workloads of which some units close clusters."""
    return frozenset(unit.workload for unit in units if isinstance(unit.part, Candidates))
