"""Independent parts of a problem."""

from dataclasses import replace

import fairlead
from builders import cluster, deployment, policy, selector, static
from fairlead.models.check import check
from fairlead.models.rules import MoveBudget
from fairlead.solver.answers.answer import among, components
from fairlead.solver.parts.coupling import by_themselves
from own_builders import own


def test_workloads_are_tied_by_clusters_of_known_capacity() -> None:
    """Two workloads meet on a; the third only shares c, whose capacity is unknown."""
    problem = fairlead.load(
        [
            cluster("a", cpu=9),
            cluster("b", cpu=9),
            cluster("c"),
            *(deployment(name, 2, cpu=1) for name in ("first", "second", "third")),
            policy("one", static((["a", "c"], 1)), selects=[selector("first"), selector("second")]),
            policy("two", static((["b", "c"], 1)), selects=[selector("third")]),
        ]
    )
    parts = [[workload.name for workload in part.workloads] for part in components(problem)]
    assert parts == [["first", "second"], ["third"]]


def test_of_some_workloads_companions_of_others_are_no_matter() -> None:
    """The first two stand apart; of the third alone nothing is left of that rule."""
    documents = [
        cluster("a", cpu=9),
        cluster("b", cpu=9),
        *(deployment(name, 2, cpu=1) for name in ("first", "second", "third")),
        policy("all", static((["a", "b"], 1))),
        own("WorkloadAffinity", workloadSelector={"names": ["first", "second"]}, type="AntiAffinity"),
    ]
    problem = fairlead.load(documents)
    part = among(problem, [problem.workload("default/third")], problem.limits)
    assert check(part, {"default/third": {"a": 1, "b": 1}}) == ()


def test_budgets_of_others_are_no_matter() -> None:
    """Of a budget for every workload a part has its own: a thousand parts with a thousand each cost much."""
    names = ("first", "second", "third")
    documents = [*(deployment(name, 2) for name in names), policy("all", static((["a", "b"], 1)))]
    problem = fairlead.load([cluster("a"), cluster("b"), *documents])
    budgets = tuple(MoveBudget(name, 1, frozenset({f"default/{name}"})) for name in names)
    every = MoveBudget("all", 2)
    problem = replace(problem, rules=budgets)
    assert [part.rules for part in components(problem)] == [(budget,) for budget in budgets]
    alone = by_themselves(replace(problem, rules=(*budgets, every)), (problem.workload("default/third"),))
    assert alone.rules == (budgets[2], every)
