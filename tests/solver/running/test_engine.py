"""The one caller of CP-SAT: what a run that is cut short may claim."""

from collections.abc import Mapping
from typing import Any

import pytest
from ortools.sat.python import cp_model

from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.engine import SETTINGS, THOROUGH, run
from fairlead.solver.running.search import RunLimits, Verdict


def knapsack() -> tuple[cp_model.CpModel, list[cp_model.IntVar]]:
    """Return a model whose costs are negative: its optimum is far below 0."""
    model = cp_model.CpModel()
    variables = [model.new_int_var(0, 50, "") for _ in range(40)]
    weights = [7 * number % 31 + 5 for number in range(40)]
    model.add(cp_model.LinearExpr.weighted_sum(variables, weights) <= 2_000)
    return model, variables


def test_a_run_cut_short_claims_no_bound() -> None:
    """CP-SAT reports 0 where it had no time to begin; that is not below costs that are negative."""
    model, variables = knapsack()
    cost = [(variable, -(11 * number % 17) - 1) for number, variable in enumerate(variables)]
    for seconds in (1e-9, 1e-6, 1e-4, 1e-3):
        finding = run(model, variables, cost, [], RunLimits(Deadline.after(seconds)))
        if finding.values is None:
            assert finding.bound is None
        else:
            reached = sum(factor * value for (_, factor), value in zip(cost, finding.values, strict=True))
            assert finding.bound is None or finding.bound <= reached


@pytest.mark.parametrize("way", [{}, {"thorough": True}, {"upwards": True}])
def test_a_finished_run_proves_its_bound(way: Mapping[str, bool]) -> None:
    """With time enough the bound is the optimum itself, whatever way it is searched."""
    model, variables = knapsack()
    cost = [(variable, -(11 * number % 17) - 1) for number, variable in enumerate(variables)]
    finding = run(model, variables, cost, [], RunLimits(Deadline.after(30), **way))
    assert finding.verdict is Verdict.OPTIMAL
    assert finding.values is not None
    assert finding.bound == sum(
        factor * value for (_, factor), value in zip(cost, finding.values, strict=True)
    )


def test_what_is_near_is_better_and_the_same_every_time() -> None:
    """One worker that only looks around a hint finds better, proves nothing, and repeats itself."""
    found = set()
    for _ in range(2):
        model, variables = knapsack()
        cost = [(variable, -(11 * number % 17) - 1) for number, variable in enumerate(variables)]
        effort = RunLimits(Deadline.after(60), work=0.02, nearby=True)
        finding = run(model, variables, cost, [(variable, 1) for variable in variables], effort)
        assert finding.values is not None
        reached = sum(factor * value for (_, factor), value in zip(cost, finding.values, strict=True))
        assert finding.bound is not None
        assert finding.bound < reached < sum(factor for _, factor in cost)
        found.add(finding.values)
    assert len(found) == 1


@pytest.mark.parametrize("settings", [SETTINGS, {**SETTINGS, **THOROUGH}])
def test_what_presolve_calls_infeasible_is(settings: Mapping[str, Any]) -> None:
    """Two of three and one of three, priced just as dear as they are in the end: that has a solution.

    With its default settings CP-SAT 9.15 says INFEASIBLE, from coefficients of 2**31 on. The numbers around
    are the smallest found that make presolve look at the rows together.
    """
    model = cp_model.CpModel()
    first, second = ([model.new_bool_var("") for _ in range(3)] for _ in range(2))
    many = [model.new_int_var(0, 17, "") for _ in range(3)]
    few = [model.new_int_var(0, 6, "") for _ in range(3)]
    alone = model.new_int_var(0, 7, "")
    model.add(sum(first) == 2)
    model.add(sum(second) == 1)
    model.add(sum(many) == 16)
    model.add(sum(few) == 5)
    model.add(4 * many[0] + 2 * few[0] <= 41)
    model.add(4 * first[0] + second[0] + 4 * many[1] <= 24)
    model.add(4 * first[1] + second[1] + 2 * few[1] <= 6)
    model.add(2 * alone + 4 * many[2] + 2 * few[2] <= 24)
    dear, cheap = 2**31 + 3, 2**31 + 1
    model.add(dear * sum(first) + cheap * sum(second) <= 2 * dear + cheap)
    solver = cp_model.CpSolver()
    for name, value in settings.items():
        setattr(solver.parameters, name, value)
    assert solver.solve(model) == cp_model.OPTIMAL
