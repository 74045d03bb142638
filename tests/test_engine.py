"""The one caller of CP-SAT: what a run that is cut short may claim."""

from ortools.sat.python import cp_model

from fairlead.solver.deadline import Deadline
from fairlead.solver.engine import Effort, Verdict, run


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
        finding = run(model, variables, cost, [], Effort(Deadline.after(seconds)))
        if finding.values is None:
            assert finding.bound is None
        else:
            reached = sum(factor * value for (_, factor), value in zip(cost, finding.values, strict=True))
            assert finding.bound is None or finding.bound <= reached


def test_a_finished_run_proves_its_bound() -> None:
    """With time enough the bound is the optimum itself."""
    model, variables = knapsack()
    cost = [(variable, -(11 * number % 17) - 1) for number, variable in enumerate(variables)]
    finding = run(model, variables, cost, [], Effort(Deadline.after(30)))
    assert finding.verdict is Verdict.OPTIMAL
    assert finding.values is not None
    assert finding.bound == sum(
        factor * value for (_, factor), value in zip(cost, finding.values, strict=True)
    )
