"""Budgets of moves that allow less than has to move: seen by adding up, with the budget that would do."""

import random
from collections.abc import Mapping
from dataclasses import replace

import pytest

from brute_force import placements
from fairlead.models.cluster import Cluster
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Duplicated, MoveBudget, Total
from fairlead.models.rules.candidates import Exclusion
from fairlead.models.rules.move_budget import moved_by
from fairlead.models.statement import Proof
from fairlead.models.workload import Workload
from fairlead.solver.conflicts.alone import fails_alone
from fairlead.solver.conflicts.scarcity import is_scarce, scarce
from fairlead.solver.conflicts.units import (
    has_to_move,
    is_over,
    over_budget,
    units_of,
)
from fairlead.solver.explaining.conflict import conflict_in
from fairlead.solver.explaining.explanation import conflicts_of
from fairlead.solver.relaxation.stock import larger_budgets
from fairlead.solver.relaxation.ways import ways_of_large
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
    assert [each.key for each in problem.workloads if fails_alone(each, problem)] == ["data"]
    (found,) = conflicts_of(problem, Search())
    assert found.workloads == ("data",)
    assert found.proof is Proof.SMALLEST
    assert [one.rule for one in found.rules] == ["move-budget", "candidates"]
    assert found.relaxations[0].text == "allow 3 moves instead of 2 (all)"


def test_budgets_of_others_do_not_count() -> None:
    """The budget is one of the other workload, which has nothing to move."""
    budget = MoveBudget("web", 0, frozenset({"web"}))
    problem = fleet(service("data", {"a": 3}, "a"), service("web", {"a": 5}), budget)
    assert not any(fails_alone(each, problem) for each in problem.workloads)
    assert not is_scarce(problem)


def test_each_may_move_but_not_all() -> None:
    """Three workloads have to move 4, 3 and 1; of a budget of 6 the first two alone are too many."""
    services = (service("x", {"a": 4}, "a"), service("y", {"a": 3}, "a"), service("z", {"a": 1}, "a"))
    problem = fleet(*services, MoveBudget("all", 6))
    assert not any(fails_alone(each, problem) for each in problem.workloads)
    assert is_scarce(problem)
    found = conflict_in(problem, Search())
    assert found is not None
    assert [each.key for each in found.workloads] == ["x", "y"]
    assert found.proof is not Proof.UNVERIFIED
    (way,) = ways_of_large(problem, Search(), 3)
    assert way.proven
    assert [(each.detail, each.before, each.after, each.cost) for each in way.changes] == [("all", 6, 8, 2)]


def test_only_clusters_closed_by_the_units_count() -> None:
    """Six may move, x has to by 4 and y by 3: with the cluster closed to one of both, that will do."""
    services = (service("x", {"a": 4}, "a"), service("y", {"a": 3}, "a"))
    problem = fleet(*services, MoveBudget("all", 6))
    budget, *closed = (
        unit
        for unit in sorted(units_of(problem), key=lambda each: isinstance(each.part, Candidates))
        if isinstance(unit.part, MoveBudget | Candidates)
    )
    found = scarce(problem, [budget, *closed])
    assert found is not None
    assert (found.units, found.adds_up) == ((0, 1, 2), True)
    for one in closed:
        assert scarce(problem, [budget, one]) is None
        assert not is_over(problem, [budget, one])


def test_what_else_fails_needs_more_than_a_budget() -> None:
    """A larger budget alone is no way out where another workload has no cluster at all."""
    shut = service("shut", {}, "a", "b", "c", replicas=1)
    problem = fleet(service("x", {"a": 4}, "a"), shut, MoveBudget("all", 0))
    assert ways_of_large(problem, Search(), 3) == []


def test_copies_may_do_with_less_than_a_budget() -> None:
    """Two copies of 2 on closed clusters: scaled to 1 they have 2 moves instead of 4, so 4 is no proof."""
    copies = Workload("x", "x", 2, current={"a": 2, "b": 2}, rules=(service("x", {}, "a", "b").rules[0],))
    problem = fleet(replace(copies, rules=(*copies.rules, Duplicated())), MoveBudget("all", 0))
    assert is_scarce(problem)
    assert larger_budgets(problem, Search()) == []


@pytest.mark.parametrize("seed", range(60))
def test_nothing_moves_less_than_what_has_to(seed: int) -> None:
    """Of all placements the one that moves least moves at least so much; without other rules just so much."""
    rng = random.Random(seed)
    closed = rng.sample("abc", rng.randint(0, 2))
    current = {name: rng.randint(0, 3) for name in "abc"}
    workload = service("x", current, *closed, replicas=rng.randint(0, 6))
    if rng.random() < 0.3:
        workload = Workload("x", "x", 2, current=current, rules=(workload.rules[0], Duplicated()))
    everywhere = MoveBudget("all", 0)
    leaving, arriving = (
        replace(everywhere, leaving=frozenset("ab")),
        replace(everywhere, arriving=frozenset("bc")),
    )
    rule = rng.choice((everywhere, leaving, arriving))
    problem = fleet(workload, rule)
    moves = [moved_by(rule, workload, problem, each) for each in placements(fleet(workload))]
    forced = has_to_move(rule, workload, problem)
    assert forced <= min(moves)
    assert bool(over_budget(rule, problem)) is (forced > 0)
    if rule is everywhere and workload.rule(Total) is not None:
        assert forced == min(moves)
