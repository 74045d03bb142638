"""Conflicts that take a solver: minimal, verified, and in words that a person would use."""

import pytest

import fairlead
from builders import cluster, deployment, divided, policy, selector, static, term
from fairlead.models.levels import Deviation
from fairlead.solver.deadline import Deadline
from fairlead.solver.feasibility import has_placement
from fairlead.solver.minimal_conflict import _only, _units, minimal_conflict
from random_problems import random_problem


def feasible(problem: fairlead.Problem) -> bool | None:
    """Tell whether there is a placement, however long it takes."""
    return has_placement(problem, Deadline())


@pytest.mark.parametrize("seed", range(120))
def test_conflicts_are_minimal(seed: int) -> None:
    """All rules of a conflict together have no placement; without any one of them there is one."""
    problem = random_problem(seed, Deviation.WEBSTER)
    if feasible(problem):
        return
    conflict = minimal_conflict(problem, feasible)
    assert conflict is not None
    units = [unit for unit in _units(problem) if unit.statement in conflict.rules]
    assert not feasible(_only(problem, units))
    for left_out in units:
        assert feasible(_only(problem, [unit for unit in units if unit is not left_out]))


def test_two_workloads_that_only_fail_together() -> None:
    """Each wants 3 on a, which has room for 5: both totals and the room of a are named, b is not."""
    problem = fairlead.load(
        [
            cluster("a", cpu=5),
            cluster("b", cpu=5),
            deployment("first", 3, cpu=1),
            deployment("second", 3, cpu=1),
            policy("one", static(("a", 1)), selects=[selector("first")]),
            policy("two", static(("a", 1)), selects=[selector("second")]),
        ]
    )
    outcome = fairlead.solve(problem)
    assert outcome.status is fairlead.Status.INFEASIBLE
    assert outcome.conflict is not None
    texts = [statement.text for statement in outcome.conflict.rules]
    assert "default/first wants 3 replicas" in texts
    assert "default/second wants 3 replicas" in texts
    assert "a has cpu 5 for 2 workloads" in texts
    assert not any(text.startswith("b ") for text in texts)


def test_spread_against_a_minimum() -> None:
    """One region only, but a minimum of 2 in a cluster of each: the spread and one minimum a region clash."""
    placement = divided({}, clusterConstraintTerms=[term("west", 2), term("east", 2)])
    placement["spreadConstraints"] = [{"spreadByField": "region", "minGroups": 2, "maxGroups": 2}]
    problem = fairlead.load(
        [
            cluster("west", cpu=9, region="west"),
            cluster("east", cpu=1, region="east"),
            deployment("nginx", 6, cpu=1),
            policy(placement=placement),
        ]
    )
    outcome = fairlead.solve(problem)
    assert outcome.status is fairlead.Status.INFEASIBLE
    assert outcome.conflict is not None
    texts = [statement.text for statement in outcome.conflict.rules]
    assert texts == [
        "policy default/nginx: east needs at least 2",
        "policy default/nginx: replicas in exactly 2 region group(s)",
        "east has room for 1 of default/nginx (cpu 1 free, 1 each)",
    ]
