"""Quotas of namespaces: what they mean, and how they change the best placement."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

import fairlead
from agreeing import assert_best
from brute_force import brute_force
from fairlead.models.check import check
from fairlead.models.cluster import CPU, PODS, Cluster
from fairlead.models.levels import Deviation
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Aggregated,
    Bounds,
    Candidates,
    Capacity,
    Copies,
    Duplicated,
    Quota,
    SharedRule,
    Total,
    Weights,
    WorkloadRule,
)
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.capacity import More
from fairlead.models.rules.quota import QuotaLimit, QuotaScope, allowed, left_of, more_within
from fairlead.models.selectors import select
from fairlead.models.statement import Conflict, Proof
from fairlead.models.workload import Workload
from fairlead.report.content.workloads import detailed
from fairlead.solver.answers.answer import components
from fairlead.solver.conflicts.alone import quota_conflicts
from fairlead.solver.dispensers import reference
from fairlead.solver.explaining.explanation import conflicts_of
from fairlead.solver.feasibility import has_placement
from fairlead.solver.levels.lexicographic import minimise_levels
from fairlead.solver.running.search import Search
from orders import WITHOUT_BALANCE
from random_problems import random_problem, with_quotas
from seeds import holds_for, seeds

NAMES = ("a", "b")
EVEN = Weights({"a": 1, "b": 1})


def workload(
    name: str, replicas: int, *rules: WorkloadRule, namespace: str = "team", cpu: int = 100, **more: object
) -> Workload:
    """Return a workload whose replicas request 100m of cpu; divided evenly where no rules are given."""
    every = (Candidates(NAMES), *(rules or (Total(), EVEN)))
    made = Workload(f"{namespace}/{name}", name, replicas, namespace, requests={CPU: cpu}, rules=every)
    return replace(made, **more)  # type: ignore[arg-type]


def quota(hard: Mapping[QuotaScope, int | QuotaLimit], namespace: str = "team") -> Quota:
    """Return a quota of cpu, in millicores."""
    limits = {
        scope: each if isinstance(each, QuotaLimit) else QuotaLimit(each) for scope, each in hard.items()
    }
    return Quota("compute", namespace, limits)


def problem(rules: tuple[SharedRule, ...], *workloads: Workload, **free: int) -> Problem:
    """Return a problem on two clusters; those that are not given have unknown capacity."""
    clusters = tuple(Cluster(name, free={CPU: free[name]} if name in free else None) for name in NAMES)
    return Problem(clusters, workloads, rules, WITHOUT_BALANCE, without=frozenset(["capacity"]))


def best(question: Problem) -> dict[str, dict[str, int]]:
    """Return the best placement by workload name, found by every way there is."""
    expected = brute_force(question)
    assert expected is not None
    for method in ("auto", "cp-sat"):
        outcome = fairlead.solve(question, workers=1, method=method)
        assert outcome.status is fairlead.Status.OPTIMAL
        assert outcome.placement == expected.placement
    return {key.partition("/")[2]: dict(placed) for key, placed in expected.placement.items()}


def words(conflict: Conflict | None) -> list[str]:
    """Return what the rules of a conflict say."""
    assert conflict is not None
    return [statement.text for statement in conflict.rules]


def test_violations_name_what_is_over() -> None:
    """Over all clusters and on one: 6 replicas of 100m are 600m, 4 of them on a."""
    rule = quota({QuotaScope(CPU): 500, QuotaScope(CPU, "a"): 300, QuotaScope(CPU, "b"): 200})
    question = problem((rule,), workload("one", 4), workload("two", 2))
    found = check(question, {"team/one": {"a": 3, "b": 1}, "team/two": {"a": 1, "b": 1}})
    assert [(each.text, each.amount, each.cluster) for each in found] == [
        ("quota team/compute: 600m cpu requested, 500m left by the quota", 100, None),
        ("quota team/compute: 400m cpu requested on a, 300m left by the quota", 100, "a"),
    ]
    # One replica less on a keeps both.
    (under,) = check(question, {"team/one": {"a": 2, "b": 1}, "team/two": {"a": 1, "b": 1}})
    assert under.rule == "total"


def test_other_namespaces_do_not_count() -> None:
    """Nor do workloads that request nothing of what is limited."""
    rule = quota({QuotaScope(CPU): 0, QuotaScope(CPU, "a"): 0, QuotaScope("memory"): 0})
    others = (
        workload("one", 3, namespace="other"),
        workload("two", 3, requests={"gpu": 1}),
        workload("global", 3, namespace=""),
    )
    assert best(problem((rule,), *others)) == {
        "one": {"a": 2, "b": 1},
        "two": {"a": 2, "b": 1},
        "global": {"a": 2, "b": 1},
    }


def test_pods_are_replicas() -> None:
    """Every replica is one pod, whatever it requests."""
    rule = quota({QuotaScope(PODS, "a"): 1})
    assert best(problem((rule,), workload("one", 3, requests={}))) == {"one": {"a": 1, "b": 2}}


def test_two_workloads_compete_for_a_cluster() -> None:
    """Alone each stands 1, 1; the quota of a lets one replica stand there, of the one that comes first."""
    pair = (workload("one", 2), workload("two", 2))
    assert best(problem((), *pair)) == {"one": {"a": 1, "b": 1}, "two": {"a": 1, "b": 1}}
    # (2, 0) or (1, 1) of one workload costs 1 more than (1, 1) of both; ties go to the first workload.
    rule = quota({QuotaScope(CPU, "a"): 100})
    assert best(problem((rule,), *pair)) == {"one": {"a": 1, "b": 1}, "two": {"b": 2}}


def test_a_quota_for_all_clusters_limits_copies() -> None:
    """Copies of one replica on both clusters are 200m a workload; 300m leave three of the four copies."""
    rules = (Duplicated(choice=True), Copies((NAMES,)))
    pair = (workload("one", 1, *rules), workload("two", 1, *rules))
    assert best(problem((), *pair)) == {"one": {"a": 1, "b": 1}, "two": {"a": 1, "b": 1}}
    rule = quota({QuotaScope(CPU): 300})
    assert best(problem((rule,), *pair)) == {"one": {"a": 1, "b": 1}, "two": {"a": 1}}


def test_quota_and_capacity_hold_together() -> None:
    """Six replicas of 100m: a has room for 5, the quota lets 2 stand there, b takes 4 of its 4."""
    rule = quota({QuotaScope(CPU, "a"): 250})
    question = problem((Capacity(), rule), workload("one", 6), a=500, b=400)
    assert best(question) == {"one": {"a": 2, "b": 4}}
    full = replace(question, workloads=(workload("one", 7),))
    assert fairlead.solve(full).status is fairlead.Status.INFEASIBLE
    # The tighter of the two counts on every cluster.
    loose = quota({QuotaScope(CPU, "a"): 600})
    assert best(problem((Capacity(), loose), workload("one", 6), a=500, b=100)) == {"one": {"a": 5, "b": 1}}


def test_several_quotas_hold_at_once() -> None:
    """Two quotas of one namespace are two rules."""
    first, second = (
        quota({QuotaScope(CPU, "a"): 300}),
        replace(quota({QuotaScope(CPU, "a"): 100}), name="second"),
    )
    assert best(problem((first, second), workload("one", 4))) == {"one": {"a": 1, "b": 3}}


def test_scaled_to_zero() -> None:
    """A workload without replicas asks for nothing, even where others have used everything up."""
    rule = quota({QuotaScope(CPU): QuotaLimit(100, used=500), QuotaScope(CPU, "a"): 0})
    assert best(problem((rule,), workload("one", 0))) == {"one": {}}


def test_what_others_use_is_taken() -> None:
    """Of 800m, 500m are used: 300m by the workload itself, 200m by others; what it holds it may keep."""
    scopes = (QuotaScope(CPU), QuotaScope(CPU, "a"))
    rule = quota({scope: QuotaLimit(800, used=500) for scope in scopes})
    question = problem((rule,), workload("one", 6, current={"a": 3}))
    assert allowed(rule, question) == {QuotaScope(CPU): 600, QuotaScope(CPU, "a"): 600}
    # Replicas on a cluster that is not in the input are given back to all clusters together.
    gone = problem((rule,), workload("one", 6, current={"gone": 3}))
    assert allowed(rule, gone) == {QuotaScope(CPU): 600, QuotaScope(CPU, "a"): 300}
    # Others that have more than all of it leave nothing, not less than nothing.
    over = quota({QuotaScope(CPU): QuotaLimit(100, used=500)})
    assert allowed(over, question) == {QuotaScope(CPU): 0}


def test_workloads_that_are_not_selected_keep_what_they_hold() -> None:
    """500m are used by the two; without the second, its 200m belong to others."""
    rule = quota({QuotaScope(CPU): QuotaLimit(800, used=500)})
    question = problem((rule,), workload("one", 6, current={"a": 3}), workload("two", 2, current={"b": 2}))
    assert allowed(rule, question) == {QuotaScope(CPU): 800}
    kept = select(
        replace(
            question, workloads=tuple(replace(each, labels={"n": each.name}) for each in question.workloads)
        ),
        selector="n=one",
    )
    assert allowed(rule, kept) == {QuotaScope(CPU): 600}


def test_what_a_placement_leaves() -> None:
    """Of 500m, three replicas take 300m; what others ask for counts as negative."""
    rule = quota({QuotaScope(CPU): 500, QuotaScope(CPU, "a"): 100})
    question = problem((rule,), workload("one", 3))
    (left,) = left_of(question.allowances, question, Placement({"team/one": {"a": 2, "b": 1}}))
    assert left.left == {QuotaScope(CPU): 200, QuotaScope(CPU, "a"): -100}


def test_workloads_of_a_namespace_are_one_part_where_its_quota_can_bind() -> None:
    """A quota that no placement can exceed ties nobody and is left out of the parts."""
    pair = (workload("one", 3), workload("two", 2), workload("three", 1, namespace="other"))

    def parts(rule: Quota) -> list[list[str]]:
        return [[each.name for each in part.workloads] for part in components(problem((rule,), *pair))]

    # Divided workloads ask for 500m in all wherever they stand; on one cluster it may be all of it.
    assert parts(quota({QuotaScope(CPU): 500})) == [["three"], ["one"], ["two"]]
    assert parts(quota({QuotaScope(CPU): 499})) == [["three"], ["one", "two"]]
    assert parts(quota({QuotaScope(CPU, "a"): 500})) == [["three"], ["one"], ["two"]]
    assert parts(quota({QuotaScope(CPU, "a"): 499})) == [["three"], ["one", "two"]]
    # Whom a quota does not concern is not told of it.
    tight = quota({QuotaScope(CPU): 499})
    assert [part.rules for part in components(problem((tight,), *pair))] == [(), (tight,)]


def test_a_quota_that_does_not_bind_needs_no_solver() -> None:
    """The exact allocation answers, and CP-SAT only where the quota is exceeded without it."""
    pair = (workload("one", 3), workload("two", 2))
    roomy = problem((quota({QuotaScope(CPU): 500, QuotaScope(CPU, "a"): 300}),), *pair)
    assert fairlead.solve(roomy).origin == "exact"
    tight = problem((quota({QuotaScope(CPU, "a"): 200}),), *pair)
    assert fairlead.solve(tight).origin == "cp-sat"
    alone = problem((quota({QuotaScope(CPU, "a"): 100}),), pair[0])
    outcome = fairlead.solve(alone)
    assert (outcome.origin, outcome.placement) == ("exact", Placement({"team/one": {"a": 1, "b": 2}}))


def test_fewest_clusters_under_a_quota() -> None:
    """Two replicas fit on a, but its quota holds one: b takes both."""
    rules = (Total(), Aggregated(), Weights({"a": 2, "b": 2}, dynamic=True))
    question = problem(
        (Capacity(), quota({QuotaScope(CPU, "a"): 100})), workload("one", 2, *rules), a=200, b=200
    )
    assert best(question) == {"one": {"b": 2}}


def test_totals_that_do_not_fit() -> None:
    """Of 5, 2 and 3 replicas in 600m, the largest that are too much together are named."""
    rule = quota({QuotaScope(CPU): QuotaLimit(700, used=100)})
    trio = (workload("one", 5), workload("two", 2), workload("three", 3))
    question = problem((rule,), *trio)
    (conflict,) = quota_conflicts(question)
    needs = "team/one, team/three and team/two need 100m per replica"
    limit = f"quota team/compute allows 700m cpu in all clusters together, of which others use 100m; {needs}"
    assert words(conflict) == ["team/one needs 5 replicas", "team/three needs 3 replicas", limit]
    outcome = fairlead.solve(question)
    assert outcome.status is fairlead.Status.INFEASIBLE
    assert words(outcome.conflict)[-1] == limit
    # Without any of the totals that the conflict names it could be kept.
    for one in (trio[0], trio[2]):
        assert (
            quota_conflicts(
                replace(question, workloads=tuple(each for each in trio[:1] + trio[2:] if each is not one))
            )
            == ()
        )


def test_minima_and_copies_that_do_not_fit_on_a_cluster() -> None:
    """A minimum of 2 and a full copy of 2 on a, where the quota allows 3 replicas of 100m."""
    minimum = (Total(), Bounds({"a": Bound(2)}), EVEN)
    question = problem(
        (quota({QuotaScope(CPU, "a"): 300}),), workload("one", 4, *minimum), workload("two", 2, Duplicated())
    )
    (conflict,) = quota_conflicts(question)
    assert words(conflict) == [
        "team/one: a needs at least 2",
        "team/two: a needs a full copy of 2 replicas",
        "quota team/compute allows 300m cpu on a; team/one and team/two need 100m per replica",
    ]
    assert sorted(words(fairlead.solve(question).conflict)) == sorted(words(conflict))
    # A minimum that binds only where replicas stand asks for nothing.
    where_held = Bounds({"a": Bound(2)}, where_held=frozenset("a"))
    assert best(
        replace(
            question,
            workloads=(workload("one", 2, Total(), where_held, EVEN), workload("two", 2, Duplicated())),
        )
    ) == {
        "one": {"b": 2},
        "two": {"a": 2, "b": 2},
    }


def test_one_workload_that_a_quota_keeps_off() -> None:
    """Five replicas; a may hold 1 by its quota, b 2 by its maximum."""
    rules = (Total(), Bounds({}, {"b": Bound(2)}), EVEN)
    outcome = fairlead.solve(problem((quota({QuotaScope(CPU, "a"): 199}),), workload("one", 5, *rules)))
    assert words(outcome.conflict) == [
        "team/one needs 5 replicas",
        "team/one: b may hold at most 2",
        "quota team/compute allows 199m cpu on a; team/one needs 100m per replica",
    ]


def test_partial_placements_keep_the_quota() -> None:
    """Two workloads of 3 replicas in 400m: two replicas stay unplaced, and the quota is not exceeded."""
    question = problem((quota({QuotaScope(CPU): 400}),), workload("one", 3), workload("two", 3))
    outcome = fairlead.solve(question, partial=True)
    assert outcome.placement is not None
    assert sum(sum(placed.values()) for placed in outcome.placement.values()) == 4
    assert {each.rule for each in check(question, outcome.placement)} == {"total"}


def test_reasons_name_the_quota() -> None:
    """On the cluster where it binds, and where a copy is missing; other namespaces hear nothing of it."""
    rule = quota({QuotaScope(CPU, "a"): 150})
    other = workload("other", 4, namespace="other")
    reasons = fairlead.solve(problem((rule,), workload("one", 4), other)).decisions
    assert [each.reason for each in reasons["team/one"]] == [
        "the quota of namespace team leaves 50m cpu, 100m per replica",
        "its share is 2.00 (weight 1 of 2); a holds less than its share",
    ]
    assert {each.reason for each in reasons["other/other"]} == {"exactly its share (weight 1 of 2)"}
    copied = workload("copied", 2, Duplicated(choice=True), Copies((NAMES,)))
    found = fairlead.solve(problem((quota({QuotaScope(CPU): 300}),), copied)).decisions["team/copied"]
    assert [each.reason for each in found] == [
        "full copy",
        "no copy: the quota of namespace team leaves 100m cpu, 100m per replica",
    ]


def test_the_table_tells_what_quotas_leave() -> None:
    """How many more replicas fit, by the tighter of cluster and quota; also where capacity is unknown."""
    rule = quota({QuotaScope(CPU): 900, QuotaScope(CPU, "a"): 150})
    one = workload("one", 4)
    outcome = fairlead.solve(problem((Capacity(), rule), one, workload("other", 1, namespace="other"), b=500))
    assert outcome.placement is not None
    assert outcome.placement.of("team/one") == {"a": 1, "b": 3}
    (other, _), (table, _) = detailed(outcome)
    # b has 500m, of which the workload takes 300m; the only replica of the other one stands on a.
    assert [row[-1].text for row in table.rows] == ["at capacity (quota cpu 50m)", "2 more (cpu 200m)"]
    assert [row[-1].text for row in other.rows] == ["unknown", "2 more (cpu 200m)"]
    quotas = left_of(outcome.problem.allowances, outcome.problem, outcome.placement)
    assert more_within(one, "b", quotas) == More(5, CPU, 500, 100)


def test_a_broken_quota_is_told_to_its_namespace_only() -> None:
    """A dispenser that does not look at quotas: the row of the other namespace stays silent."""
    question = problem(
        (quota({QuotaScope(CPU, "a"): 100}),), workload("one", 4), workload("one", 4, namespace="other")
    )
    outcome = fairlead.dispense(question, "webster")
    assert [each.rule for each in outcome.violations] == ["quota"]
    told = {key: decisions[0].reason for key, decisions in outcome.decisions.items()}
    assert told["team/one"].startswith("breaks a rule: quota team/compute: 200m cpu requested on a")
    assert not told["other/one"].startswith("breaks")


def test_the_reference_dispenser_keeps_quotas() -> None:
    """The larger workload comes first; the other one does not fit as a whole any more."""
    question = problem(
        (quota({QuotaScope(CPU): 500, QuotaScope(CPU, "a"): 200}),),
        workload("one", 4),
        workload("two", 2),
        a=9000,
    )
    placed = reference.place(question)
    assert placed == Placement({"team/one": {"a": 2, "b": 2}, "team/two": {}})
    assert {each.rule for each in check(question, placed)} == {"total"}
    # What the second one holds is not given away before its turn.
    held = replace(question, workloads=(workload("one", 4), workload("two", 2, current={"b": 2})))
    assert reference.place(held).of("team/one") == {}


@pytest.mark.parametrize("deviation", Deviation)
@pytest.mark.parametrize("which", seeds(40, 2000))
def test_agrees_with_brute_force(which: range, deviation: Deviation) -> None:
    """Levels and tie-break are those of brute force; the reference dispenser keeps the quotas as well."""

    def check_one(seed: int) -> None:
        question = with_quotas(random_problem(seed, deviation), seed)
        assert_best(question, seed)
        assert all(each.rule != "quota" for each in check(question, reference.place(question)))

    holds_for(which, check_one)


def test_random_quotas_make_a_difference() -> None:
    """Without them many a seed would have another answer, or one at all."""
    plain = {seed: brute_force(random_problem(seed, Deviation.WEBSTER)) for seed in range(60)}
    limited = {
        seed: brute_force(with_quotas(random_problem(seed, Deviation.WEBSTER), seed)) for seed in range(60)
    }
    placements = {seed: None if found is None else found.placement for seed, found in plain.items()}
    forbidden = [seed for seed in plain if placements[seed] is not None and limited[seed] is None]
    changed = [
        seed for seed in plain if (found := limited[seed]) is not None and found.placement != placements[seed]
    ]
    assert min(len(forbidden), len(changed)) >= 2


@pytest.mark.parametrize("seed", range(40))
def test_quick_conflicts_are_right(seed: int) -> None:
    """Where totals, copies and minima do not fit into a quota, there is no placement at all."""
    question = with_quotas(random_problem(seed, Deviation.WEBSTER), seed)
    if any(rule.preferred for each in question.workloads for rule in each.rules_of(Bounds)):
        return
    if quota_conflicts(question):
        assert brute_force(question) is None
        assert has_placement(question, Search()) is False
        assert minimise_levels(question, Search(workers=1)).status is fairlead.Status.INFEASIBLE
        assert {each.proof for each in conflicts_of(question, Search())} <= {Proof.MINIMAL, Proof.SMALLEST}
