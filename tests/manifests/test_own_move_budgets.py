"""MoveBudget, a kind of our own: how many replicas may move, in solve, plan, why, conflicts and what-if."""

import io
import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

import fairlead
from brute_force import brute_force
from builders import Manifest, binding, cluster, clusters, deployment, divided, policy
from fairlead.models.problem import Problem
from fairlead.models.rules import MoveBudget
from fairlead.solver.simulate.changes import Lose
from loaded import STREAM, load_text, mistake, mistakes
from orders import WITHOUT_BALANCE
from own_builders import own, told

EVEN = divided({})


def service(name: str, current: Mapping[str, int], **more: Any) -> list[Manifest]:
    """Return a deployment that runs somewhere and wants to be divided evenly."""
    namespace = more.get("namespace", "default")
    count = sum(current.values())
    bound = binding(name, count, dict(current), EVEN, cpu="1", namespace=namespace)
    return [deployment(name, count, cpu="1", **more), bound]


def budgeted(*manifests: Manifest, members: list[Manifest] | None = None) -> Problem:
    """Load nine replicas on member1 of three clusters, and manifests of our own."""
    return fairlead.load(
        members or clusters(3, cpu=50, pods=100), *service("web", {"member1": 9}), list(manifests)
    )


def budget(name: str = "calm", **spec: Any) -> Manifest:
    """Return a budget."""
    return own("MoveBudget", name, **spec)


def rules(problem: Problem) -> dict[str, int]:
    """Return the budgets of a problem by name."""
    return {rule.name: rule.most for rule in problem.rules if isinstance(rule, MoveBudget)}


def solved(problem: Problem) -> dict[str, int]:
    """Return the placement of the only workload, proven the best."""
    outcome = fairlead.solve(problem)
    assert outcome.status is fairlead.Status.OPTIMAL
    assert outcome.placement is not None
    (placement,) = outcome.placement.values()
    return dict(placement)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        # Without a budget 3, 3 and 3; every replica that may move goes to the emptier cluster, by name.
        ({"total": 4}, {"member1": 5, "member2": 2, "member3": 2}),
        ({"total": "50%"}, {"member1": 5, "member2": 2, "member3": 2}),  # 4.5 of 9, rounded down
        ({"perWorkload": 2}, {"member1": 7, "member2": 1, "member3": 1}),
        ({"perNamespace": "25%"}, {"member1": 7, "member2": 1, "member3": 1}),  # 2.25
        ({"total": 0}, {"member1": 9}),
        ({"leaving": [{"replicas": 3}]}, {"member1": 6, "member2": 2, "member3": 1}),  # every cluster
        (
            {"leaving": [{"targetCluster": {"clusterNames": ["member1"]}, "replicas": "12%"}]},
            {"member1": 8, "member2": 1},
        ),  # 1.08
        (
            {"arriving": [{"targetCluster": {"clusterNames": ["member2", "member3"]}, "replicas": 5}]},
            {"member1": 4, "member2": 3, "member3": 2},
        ),  # together
        (
            {"arriving": [{"targetCluster": {"clusterNames": ["member2"]}, "replicas": 1}]},
            {"member1": 4, "member2": 1, "member3": 4},
        ),
        # A percentage of nothing is nothing.
        (
            {"arriving": [{"targetCluster": {"clusterNames": ["member2"]}, "replicas": "50%"}]},
            {"member1": 5, "member3": 4},
        ),
        ({"workloadSelector": {"names": ["other"]}, "total": 0}, {"member1": 3, "member2": 3, "member3": 3}),
    ],
    ids=str,
)
def test_solve_honours_a_budget(spec: Manifest, expected: dict[str, int]) -> None:
    """The division comes as close as so many moves allow; brute force agrees."""
    problem = budgeted(budget(**spec))
    assert solved(problem) == expected
    best = brute_force(problem)
    assert best is not None
    assert best.placement.to_dict() == {"default/web": expected}


def test_everything_that_is_given_is_a_rule_with_its_line() -> None:
    """Names tell who is meant; shares are of the selected workloads only; namespaces count apart."""
    text = """\
apiVersion: fairlead.io/v1alpha1
kind: MoveBudget
metadata: {name: calm}
spec:
  workloadSelector: {names: [web, api]}
  total: 40%
  perWorkload: 50%
  perNamespace: 7
  leaving:
  - targetCluster: {fieldSelector: {matchExpressions: [{key: region, operator: In, values: [eu]}]}}
    replicas: 30%
  - targetCluster: {clusterNames: [b]}
    replicas: 1
  - targetCluster: {clusterNames: [b], exclude: [a]}
    replicas: 2
  arriving:
  - replicas: 100
"""
    members = [cluster("a", region="eu"), cluster("b", region="eu"), cluster("c", region="us")]
    others = [
        *service("web", {"a": 5, "b": 3, "c": 2}, namespace="shop"),
        *service("api", {"a": 1, "gone": 6}, namespace="back"),
        *service("else", {"a": 50}),
    ]
    problem = fairlead.load(members, others, io.StringIO(text))
    found = {
        rule.name: (rule.most, rule.source and rule.source.line)
        for rule in problem.rules
        if isinstance(rule, MoveBudget)
    }
    # What runs on "gone", which is not in the input, counts in no percentage: 11 run.
    assert found == {
        "MoveBudget calm": (4, 6),
        "back/api, MoveBudget calm": (0, 7),
        "shop/web, MoveBudget calm": (5, 7),
        "namespace back, MoveBudget calm": (7, 8),
        "namespace shop, MoveBudget calm": (7, 8),
        "leaving region eu, MoveBudget calm": (2, 10),  # 30 % of 9
        "leaving b, MoveBudget calm": (1, 12),
        "leaving 3, MoveBudget calm": (2, 14),
        "arriving 1, MoveBudget calm": (100, 17),
    }


def test_a_conflict_says_what_may_not_leave_or_start_where() -> None:
    """Nothing that runs on a, which is drained, may leave it, and nothing may start on b or c."""
    there = {"targetCluster": {"clusterNames": ["b", "c"]}, "replicas": 0}
    asked: tuple[tuple[dict[str, Any], str], ...] = (
        ({"leaving": [{"targetCluster": {"clusterNames": ["a"]}, "replicas": 0}]}, "leave a (leaving a, "),
        ({"arriving": [there]}, "start on b and c (arriving 1, "),
        ({"total": 0}, "move ("),
    )
    for spec, said in asked:
        members = [cluster("a", 9, taints=["down:NoExecute"]), cluster("b", 9), cluster("c", 9)]
        stream = [*members, *service("web", {"a": 3}), budget(**spec)]
        conflict = fairlead.solve(fairlead.load(stream)).conflict
        assert conflict is not None
        assert f"no replica may {said}MoveBudget calm)" in [each.text for each in conflict.rules]


def test_several_budgets_hold_together() -> None:
    """The smaller one binds, whichever comes first; equal sets of clusters keep apart."""
    assert solved(budgeted(budget("a", total=1), budget("b", total=3))) == {"member1": 8, "member2": 1}
    there = {"targetCluster": {"clusterNames": ["member2"]}}
    twice = budgeted(budget(arriving=[{**there, "replicas": 2}, {**there, "replicas": 1}]))
    assert sorted(rules(twice)) == ["arriving 1, MoveBudget calm", "arriving 2, MoveBudget calm"]
    assert solved(twice) == {"member1": 4, "member2": 1, "member3": 4}


def test_what_is_under_way_needs_no_budget() -> None:
    """An eviction task takes the replicas from member1 already; the taint says so too."""
    bound = binding("web", 9, {"member1": 9}, EVEN, cpu="1")
    members = [cluster("member1", taints=["a=b:NoExecute"]), cluster("member2"), cluster("member3")]
    stuck = fairlead.load(members, deployment("web", 9, cpu="1"), bound, budget(total=0))
    assert fairlead.solve(stuck).status is fairlead.Status.INFEASIBLE
    bound["spec"]["gracefulEvictionTasks"] = [{"fromCluster": "member1"}]
    evicted = fairlead.load(members, deployment("web", 9, cpu="1"), bound, budget(total=0))
    assert solved(evicted) == {"member2": 5, "member3": 4}


def test_a_conflict_names_the_budget_and_its_line() -> None:
    """Nine replicas have to leave a tainted cluster, and two may."""
    stream = """\
apiVersion: fairlead.io/v1alpha1
kind: MoveBudget
metadata: {name: calm}
spec: {total: 2}
"""
    members = [cluster("member1", taints=["a=b:NoExecute"]), cluster("member2"), cluster("member3")]
    problem = fairlead.load(members, *service("web", {"member1": 9}), io.StringIO(stream))
    conflict = fairlead.solve(problem).conflict
    assert conflict is not None
    assert f"at most 2 replicas may move (MoveBudget calm) ({STREAM}:4)" in map(str, conflict.rules)
    ways_out = [str(relaxation.text) for relaxation in conflict.relaxations]
    assert "allow 9 moves instead of 2 (MoveBudget calm)" in ways_out


def test_plan_and_why_honour_a_budget() -> None:
    """A plan's own budget holds beside it; `why` names what binds."""
    problem = budgeted(budget(total=3))
    assert fairlead.plan(problem).moves == 3
    assert fairlead.plan(problem, budget=2).moves == 2
    assert fairlead.plan(problem, budget=5).moves == 3
    assert "not possible: at most 3 replicas may move (MoveBudget calm)" in str(
        fairlead.why(problem, "default/web")
    )


def test_a_budget_says_nothing_of_clusters_that_are_lost() -> None:
    """What runs on a lost cluster is gone, and starting it elsewhere is no move."""
    there = {"targetCluster": {"clusterNames": ["member2"]}, "replicas": 0}
    problem = budgeted(budget(total=0, leaving=[there], arriving=[there]))
    for name in ("member1", "member2"):
        after = fairlead.simulate(problem, Lose(name)).after
        assert after.placement is not None
        (placement,) = after.placement.values()
        assert sum(placement.values()) == 9


def test_sets_that_match_nothing_and_selectors_without_workloads_are_told() -> None:
    """Warnings, as for the other kinds; such a limit is no rule."""
    problem = budgeted(
        budget(leaving=[{"targetCluster": {"clusterNames": ["member9"]}, "replicas": 1}]),
        budget(
            "second",
            arriving=[{"targetCluster": {"labelSelector": {"matchLabels": {"a": "b"}}}, "replicas": 1}],
        ),
        budget("third", workloadSelector={"names": ["nobody"]}, total=1),
    )
    assert sorted(told(problem)) == [
        "MoveBudget third selects no workload that is placed",
        "arriving 1 of MoveBudget second matches no cluster of the input",
        "leaving 1 of MoveBudget calm names member9 (did you mean member3?), not in the input",
    ]
    assert rules(problem) == {}


@pytest.mark.parametrize("value", [-1, "-1", "10", "ten", "1.5%", "-5%", 0.5, True, "", 2**31])
def test_wrong_amounts(value: object) -> None:
    """A whole number of at least 0 or a percentage, wherever an amount stands."""
    allowed = 'must be a number of replicas, at least 0, or a percentage such as "10%"'
    wrong: list[tuple[Manifest, str]] = [
        ({"total": value}, "total"),
        ({"perWorkload": value}, "perWorkload"),
        ({"perNamespace": value}, "perNamespace"),
        ({"leaving": [{"replicas": value}]}, "leaving[0].replicas"),
    ]
    for spec, field in wrong:
        found = mistake(budget(**spec))
        assert found.startswith(f"spec.{field}:")
        assert found.endswith(allowed)


def test_mistakes_tell_field_and_line() -> None:
    """Nothing limited, a missing amount, a wrong expression and a namespace: all at once."""
    with pytest.raises(fairlead.ManifestError) as caught:
        load_text("""\
apiVersion: fairlead.io/v1alpha1
kind: MoveBudget
metadata: {name: a, namespace: prod}
spec: {}
---
apiVersion: fairlead.io/v1alpha1
kind: MoveBudget
metadata: {name: b}
spec:
  leaving:
  - targetCluster: {clusterNames: [x]}
  arriving:
  - targetCluster: {fieldSelector: {matchExpressions: [{key: zone, operator: In}]}}
    replicas: 1
""")
    found = [str(one).removeprefix(f"{STREAM}:") for one in caught.value.mistakes]
    zones = "spec.arriving[0].targetCluster.fieldSelector.matchExpressions[0]"
    assert found[0].startswith("3: metadata.namespace: 'prod' has no meaning here")
    assert found[1:] == [
        "4: spec.total: is missing; total, perWorkload, perNamespace, leaving or arriving is needed",
        "11: spec.leaving[0].replicas: is required and missing",
        f"13: {zones}.values: '[]' is empty, but In needs at least one value",
    ]
    assert mistakes(budget(), budget(total=1))[0].startswith("metadata.name: 'calm'")


def test_random_budgets_agree_with_brute_force() -> None:
    """Two workloads, two budgets of any form: the same levels, proven."""
    drawn = random.Random(11)
    bound = 0
    for _ in range(40):
        current = [{f"member{at}": drawn.randint(0, 3) for at in (1, 2, 3)} for _ in "ab"]
        loads = [service(name, held) for name, held in zip(("web", "api"), current, strict=True)]
        amount = [drawn.choice([0, 1, 2, "20%", "50%"]) for _ in range(4)]
        there = {"targetCluster": {"clusterNames": [f"member{drawn.randint(1, 3)}"]}}
        forms: list[Manifest] = [
            {"total": amount[0]},
            {"perWorkload": amount[1]},
            {"leaving": [{**there, "replicas": amount[2]}]},
            {"arriving": [{**there, "replicas": amount[3]}]},
        ]
        chosen = drawn.sample(forms, 2)
        manifests = [budget(f"b{at}", **spec) for at, spec in enumerate(chosen)]
        free = fairlead.load(clusters(3, cpu=50, pods=100), *loads)
        problem = fairlead.load(clusters(3, cpu=50, pods=100), *loads, manifests)
        free, problem = replace(free, levels=WITHOUT_BALANCE), replace(problem, levels=WITHOUT_BALANCE)
        outcome, best = fairlead.solve(problem), brute_force(problem)
        assert best is not None
        assert outcome.status is fairlead.Status.OPTIMAL
        assert tuple(level.value for level in outcome.objectives) == best.values
        bound += best.values != brute_force(free).values  # type: ignore[union-attr]
    assert bound > 10  # the budgets are felt


def test_arrivals_count_new_replicas() -> None:
    """Static weights leave one candidate, which holds 1 of 4 replicas."""
    weights = divided({"staticWeightList": [{"targetCluster": {"clusterNames": ["member2"]}, "weight": 1}]})
    documents = [
        *clusters(2),
        deployment("nginx", 4),
        policy(placement=weights),
        binding("nginx", 4, {"member2": 1}),
    ]
    problem = fairlead.load(documents, budget(arriving=[{"replicas": 2}]))
    outcome = fairlead.solve(problem)
    # Three replicas have to start on the only candidate, and two may: a budget of arrivals counts new ones.
    assert outcome.status is fairlead.Status.INFEASIBLE
