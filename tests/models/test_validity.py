"""Problems made in Python are validated as manifests are, and rules that are missing by mistake hold."""

import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

import fairlead
from fairlead import Cluster, ManifestError, Problem, UsageError, Workload
from fairlead.models.cluster import FailureRate
from fairlead.models.levels import DEFAULT_ORDER, EMISSIONS, Tolerance
from fairlead.models.outcome import Status
from fairlead.models.placement import Placement
from fairlead.models.rules import (
    Bounds,
    Candidates,
    Capacity,
    Companionship,
    Copies,
    Duplicated,
    GroupTotal,
    MoveBudget,
    MovePrice,
    Moves,
    Price,
    Shares,
    Spread,
    Tiers,
    Total,
    Weights,
)
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.shares import ShareGroup
from fairlead.models.workload import AffinityGroup

RATE = FailureRate("region", "eu", Fraction(1, 100))
CLUSTERS = (Cluster("a", free={"cpu": 4000}), Cluster("b", free={"cpu": 4000}))


def made(*rules: Any, **fields: Any) -> Problem:
    """Return a problem of one workload that asks for one cpu a replica."""
    known: dict[str, Any] = {"replicas": 9, "requests": {"cpu": 1000}}
    return Problem(CLUSTERS, (Workload("web", "web", **{**known, **fields}, rules=rules),))


def test_all_mistakes_are_told_at_once() -> None:
    """Unknown clusters, negative and fractional amounts: one error with four mistakes."""
    wrong = made(Candidates(("a", "zz")), Bounds({"a": Bound(-1)}), replicas=-3, requests={"cpu": 0.5})
    with pytest.raises(ManifestError) as caught:
        fairlead.solve(wrong)
    fields = {mistake.field: mistake.value for mistake in caught.value.mistakes}
    assert fields == {
        "workload web: replicas": "-3",
        "workload web: requests[cpu]": "0.5",
        "workload web: Candidates.names": "zz",
        "workload web: Bounds.minimum[a]": "-1",
    }
    assert "millicores" in str(caught.value)


@pytest.mark.parametrize(
    "rule",
    [
        Weights({"zz": 1}),
        Weights({"a": -1}),
        Weights({"a": 0.5}),  # type: ignore[dict-item]
        GroupTotal("g", frozenset(["zz"]), 1),
        GroupTotal("g", frozenset(["a"]), -1),
        Spread("region", {"r": frozenset(["zz"])}, 1),
        Bounds({}, {"zz": Bound(1)}),
        Shares(
            ((ShareGroup("g", frozenset("a"), Fraction(1)), ShareGroup("h", frozenset("ab"), Fraction(1))),)
        ),
        Price({"a": Fraction(-1)}),  # below the least that a level can be, which was called a bug
        MovePrice(Fraction(-1), frozenset("a")),
        Shares(((ShareGroup("g", frozenset("ab"), Fraction(-1, 2)),),)),
        Tiers((frozenset("a"), frozenset("ab"))),
        Copies((("a",), ("zz",))),
        Candidates(("a", "a")),  # a counted twice once, and the answer had none of its replicas
    ],
)
@pytest.mark.parametrize("ask", [fairlead.solve, fairlead.dispense, fairlead.plan, fairlead.simulate])
def test_every_rule_is_looked_at(rule: Any, ask: Any) -> None:
    """Wherever a problem goes in, what its rules say is checked."""
    with pytest.raises(ManifestError, match=r"workload web"):
        ask(made(rule))


@pytest.mark.parametrize(
    ("rules", "kind"),
    [
        ((Weights({"a": 1, "b": 9}), Weights({"a": 9, "b": 1})), "Weights"),
        ((Bounds({}, {"a": Bound(1)}), Bounds({}, {"b": Bound(1)})), "Bounds"),
        ((Price({"a": Fraction(1)}), Price({"b": Fraction(1)})), "Price"),
    ],
)
@pytest.mark.parametrize("grouped", [False, True])
def test_a_second_rule_of_a_kind_is_refused(rules: Any, kind: str, grouped: bool) -> None:
    """Only the first one counted where the best placement was looked for, and both where it was measured.

    So it was called the best and was not, or broke a rule. One price on each level is right, and several
    groups may be bounded.
    """
    groups = (AffinityGroup("g", rules),) if grouped else ()
    wrong = made(*(() if grouped else rules), replicas=2, groups=groups)
    with pytest.raises(ManifestError, match=f"rules: '{kind}' is given twice") as caught:
        fairlead.solve(wrong)
    assert len(caught.value.mistakes) == 1
    several = (Price({"a": Fraction(1)}), Price({"a": Fraction(1)}, level=EMISSIONS))
    bounded = (GroupTotal("g", frozenset("a"), 0, 1), GroupTotal("h", frozenset("b"), 1))
    assert fairlead.solve(made(*several, *bounded, replicas=2)).status is Status.OPTIMAL


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"levels": (*DEFAULT_ORDER, "cost")}, "levels: 'cost' stands there twice"),
        ({"tolerances": {"cost": Tolerance(Fraction(-1, 2))}}, "tolerances[cost]: '-1/2' must be at least 0"),
        ({"failure_rates": (RATE, RATE)}, "failure_rates[region]: 'eu' has a rate already"),
        ({"failure_rates": (replace(RATE, rate=Fraction(3, 2)),)}, "[region]: '3/2' must be from 0 to 1"),
        ({"without": frozenset(["Capacity"])}, "without: 'Capacity' is not a kind that is added"),
        ({"rules": (Companionship("k", ("web", "web"), together=False),)}, "members: 'web' is named twice"),
        (
            {"rules": (MoveBudget("k", 1, leaving=frozenset("ab"), arriving=frozenset("a")),)},
            "MoveBudget k: leaving: 'a, b' cannot stand beside arriving",
        ),
        (
            {"workloads": made(groups=(AffinityGroup("g", ()), AffinityGroup("g", ()))).workloads},
            "workload web: groups: 'g' is the name of two groups",
        ),
        ({"workloads": made(without=frozenset(["bounds"])).workloads}, "workload web: without: 'bounds'"),
    ],
)
def test_what_would_be_ignored_or_taken_twice_is_refused(wrong: dict[str, Any], told: str) -> None:
    """Of two of a name one had no effect; what nobody adds cannot be left out."""
    with pytest.raises(ManifestError, match=re.escape(told)):
        fairlead.solve(replace(made(replicas=2), **wrong))


def test_clusters_are_looked_at() -> None:
    """Fractions of a millicore and negative offers are none."""
    clusters = (Cluster("a", allocatable={"cpu": -1}, free={"cpu": 0.5}),)  # type: ignore[dict-item]
    with pytest.raises(ManifestError) as caught:
        fairlead.solve(Problem(clusters, ()))
    assert [mistake.field for mistake in caught.value.mistakes] == [
        "cluster a: allocatable[cpu]",
        "cluster a: free[cpu]",
    ]


def test_missing_rules_hold() -> None:
    """Nine replicas of one cpu do not fit where there are eight; eight do, four on each."""
    assert fairlead.solve(made()).status is Status.INFEASIBLE
    outcome = fairlead.solve(made(replicas=8))
    assert outcome.placement is not None
    assert outcome.placement.to_dict() == {"web": {"a": 4, "b": 4}}
    assert [violation.rule for violation in fairlead.check(made(), {"web": {"a": 5, "b": 3}})] == [
        "total",
        "capacity",
    ]


@pytest.mark.parametrize("method", ["auto", "cp-sat"])
def test_candidates_may_be_named_in_any_order(method: Any) -> None:
    """One replica, and a and b are equal: it stands on a, the first by name, whichever is named first."""
    ordered, other = (made(Candidates(names), replicas=1) for names in (("a", "b"), ("b", "a")))
    found = [fairlead.solve(each, method=method).placement for each in (ordered, other)]
    assert found[0] == found[1] == Placement({"web": {"a": 1}})


def test_every_cluster_is_a_candidate_where_nothing_says_less() -> None:
    """Without the rule full copies had no clusters at all; what stands on none of them breaks it."""
    outcome = fairlead.solve(made(Duplicated(), replicas=2))
    assert outcome.placement is not None
    assert outcome.placement.to_dict() == {"web": {"a": 2, "b": 2}}
    (found,) = fairlead.check(made(replicas=2), {"web": {"zz": 2}})
    assert str(found) == "web: 2 on zz, which is not in the input"


def test_missing_rules_hold_in_affinity_groups() -> None:
    """Nothing says that the group places all of the 2 replicas, and on which clusters it may."""
    group = AffinityGroup("g", (Bounds({"a": Bound(1)}),))
    outcome = fairlead.solve(made(replicas=2, groups=(group,)))
    assert outcome.placement is not None
    assert sum(outcome.placement.of("web").values()) == 2


def test_rules_can_be_left_out_on_purpose() -> None:
    """Without capacity all nine fit; without total any number is right."""
    problem = Problem(CLUSTERS, made(Weights({"a": 2, "b": 1})).workloads, without=frozenset(["capacity"]))
    found = fairlead.solve(problem).placement
    assert found is not None
    assert found.to_dict() == {"web": {"a": 6, "b": 3}}
    free = made(without=frozenset(["total"]))
    assert fairlead.check(free, {"web": {"a": 1}}) == ()


def test_who_is_scaled_to_0_holds_none_without_a_total_as_well() -> None:
    """The three that run have to go, and going is no move: `solve` and `check` agree on both."""
    moves = Moves(frozenset("ab"), keep=True)
    problem = made(moves, replicas=0, current={"a": 3}, without=frozenset(["total"]))
    outcome = fairlead.solve(problem)
    assert outcome.placement is not None
    assert (outcome.placement.of("web"), outcome.objectives[0].value) == ({}, 0)
    [broken] = fairlead.check(problem, {"web": {"a": 3}})
    assert broken.text == "web: 3 of 0 replicas placed"


def test_rules_that_are_there_stay_as_they_are() -> None:
    """A complete problem is solved as it is, source and all."""
    rules = (Candidates(("a", "b")), Total(fairlead.Source("web.yaml", 3)))
    outcome = fairlead.solve(made(*rules, replicas=2))
    assert outcome.problem.workload("web").rules == rules
    assert outcome.problem.levels == DEFAULT_ORDER


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"replicas": None}, "replicas: 'None' must be a whole number"),
        ({"replicas": "3"}, "replicas: '3' must be a whole number"),
        ({"requests": None}, "requests: 'None' must be a mapping"),
        ({"current": [("a", 1)]}, "must be a mapping"),
        ({"current": {"a": None}}, "current[a]: 'None' must be a whole number"),
        ({"priority": "high"}, "priority: 'high' must be a whole number"),
        ({"key": 3}, "key: '3' must be a string"),
        ({"groups": 3}, "groups: '3' must be a tuple"),
    ],
)
def test_fields_of_other_types_are_told(fields: Any, told: str) -> None:
    """As mistakes, beside all others, and never as an error of Python."""
    clusters = (replace(CLUSTERS[0], free="x"), CLUSTERS[1])  # type: ignore[arg-type]
    wrong = replace(made(), clusters=clusters, workloads=(replace(made().workloads[0], **fields),))
    with pytest.raises(ManifestError) as caught:
        fairlead.solve(wrong)
    assert told in str(caught.value)
    assert "cluster a: free: 'x' must be a mapping or None" in str(caught.value)


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (Bounds({"a": 3}), "Bounds.minimum[a]: '3' must be a Bound"),  # type: ignore[dict-item]
        (Candidates("a"), "Candidates.names: 'a' must be a tuple"),  # type: ignore[arg-type]
        (Weights(["a"]), "Weights.weights:"),  # type: ignore[arg-type]
        (Capacity(), "rules: 'Capacity()' is not a rule that belongs there"),
        (None, "rules: 'None' is not a rule that belongs there"),
        (Spread("region", {"r": {"a"}}, 1), "Spread.groups[r]: "),  # type: ignore[dict-item]
    ],
)
def test_rules_of_other_types_are_told(rule: Any, told: str) -> None:
    """A number where a bound belongs, a name where names do, and what is no rule at all."""
    with pytest.raises(ManifestError, match=re.escape(told)):
        fairlead.solve(made(rule))


def test_rules_of_problems_are_told() -> None:
    """A rule of a workload is none of a problem, and levels are several."""
    with pytest.raises(ManifestError, match="is not a rule that belongs there"):
        fairlead.solve(replace(made(), rules=(Total(),)))  # type: ignore[arg-type]
    with pytest.raises(ManifestError, match="levels: 'deviation' must be a tuple"):
        fairlead.solve(replace(made(), levels="deviation"))  # type: ignore[arg-type]


@pytest.mark.parametrize("limit", ["3", [], float("nan")])
def test_what_is_no_time_limit_is_refused(limit: Any) -> None:
    """Seconds, or None for no limit."""
    with pytest.raises(UsageError, match="a time limit of"):
        fairlead.solve(made(), time_limit=limit)


def test_what_are_no_tolerances_is_refused() -> None:
    """A mapping by level."""
    with pytest.raises(UsageError, match="allowed is a mapping"):
        fairlead.solve(made(), tolerance="0.1%")  # type: ignore[arg-type]


@pytest.mark.parametrize("ask", [fairlead.check, fairlead.score])
@pytest.mark.parametrize(
    "placement",
    [
        {"web": {"a": -1}},
        {"web": {"a": 0.5}},
        {"web": 3},
        None,
        [1],
        {3: {}},
        {"web": {3: 1}},
        {"web": {None: 0}},
    ],
)
def test_what_is_no_placement_is_refused(ask: Any, placement: Any) -> None:
    """Negative and fractional counts, names that are no text, and what is no mapping, are wrong usage."""
    with pytest.raises(UsageError):
        ask(made(Total()), placement)


@pytest.mark.parametrize("value", ["9" * 19, "9" * 5000, "0." + "0" * 5000 + "1", 10**18, 1e300])
def test_tolerances_have_a_limit(value: object) -> None:
    """Python reads no text of more than 4,300 digits as a number."""
    with pytest.raises(UsageError, match="of 18 digits at most"):
        fairlead.solve(made(), tolerance={"deviation": value})


def test_lists_of_inputs_that_never_end_are_refused() -> None:
    """A list that holds itself."""
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(ManifestError, match="nest deeper than 100 levels"):
        fairlead.load(loop)


@pytest.mark.parametrize("source", [None, 3, [None], [3], [[{}], 3.5], b"kind: List"])
def test_what_is_no_input_is_refused(source: Any) -> None:
    """The value is shown, and what is allowed."""
    with pytest.raises(ManifestError, match="is not an input; give a path"):
        fairlead.load(source)
