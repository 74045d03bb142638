"""Budgets of moves that allow less than has to move: seen by adding up, with the budget that would do."""

from collections.abc import Mapping

import fairlead
from fairlead.models.cluster import Cluster
from fairlead.models.outcome import Status
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, MoveBudget, Total
from fairlead.models.rules.candidates import Exclusion
from fairlead.models.statement import Proof
from fairlead.models.workload import Workload
from fairlead.solver.explaining.explanation import conflicts_of
from fairlead.solver.running.search import Search

GONE = Exclusion("is being drained")


def service(key: str, current: Mapping[str, int], *closed: str, replicas: int | None = None) -> Workload:
    """Return a workload that runs on some of three clusters, some of which are closed to it."""
    names = tuple(name for name in ("a", "b", "c") if name not in closed)
    rules = (Candidates(names, dict.fromkeys(closed, GONE)), Total())
    wanted = sum(current.values()) if replicas is None else replicas
    return Workload(key, key, wanted, current=current, rules=rules)


def fleet(*parts: Workload | MoveBudget) -> Problem:
    """Return three clusters of which nothing is known, with workloads and budgets."""
    workloads = tuple(each for each in parts if isinstance(each, Workload))
    rules = tuple(each for each in parts if isinstance(each, MoveBudget))
    return Problem(tuple(map(Cluster, ("a", "b", "c"))), workloads, rules)


def test_who_has_to_move_too_much_fails_alone() -> None:
    """Three replicas run on the closed cluster; the other workload may stay, whatever the budget."""
    problem = fleet(service("data", {"a": 3, "b": 1}, "a"), service("web", {"a": 5}), MoveBudget("all", 2))
    (found,) = conflicts_of(problem, Search())
    assert found.workloads == ("data",)
    assert found.proof is Proof.SMALLEST
    assert [one.rule for one in found.rules] == ["move-budget", "candidates"]
    assert found.relaxations[0].text == "allow 3 moves instead of 2 (all)"


def test_budgets_of_others_do_not_count() -> None:
    """The budget is one of the other workload, which has nothing to move."""
    budget = MoveBudget("web", 0, frozenset({"web"}))
    problem = fleet(service("data", {"a": 3}, "a"), service("web", {"a": 5}), budget)
    assert fairlead.solve(problem).status is Status.OPTIMAL


def test_each_may_move_but_not_all() -> None:
    """Three workloads have to move 4, 3 and 1; of a budget of 6 the first two alone are too many."""
    services = (service("x", {"a": 4}, "a"), service("y", {"a": 3}, "a"), service("z", {"a": 1}, "a"))
    problem = fleet(*services, MoveBudget("all", 6))
    (found,) = conflicts_of(problem, Search())
    assert found.workloads == ("x", "y")
    assert found.proof is Proof.SMALLEST
    way = found.relaxations[0]
    assert way.proven
    assert [(each.detail, each.before, each.after, each.cost) for each in way.changes] == [("all", 6, 8, 2)]
