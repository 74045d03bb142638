"""solve(): arguments, the choice of method, and what an outcome promises."""

import pickle
from typing import Any

import pytest

import fairlead
from builders import binding, cluster, clusters, deployment, duplicated, dynamic, policy, static, term
from fairlead import Status
from fairlead.models.levels import tolerances_of
from fairlead.solver import strictly
from fairlead.solver.parts.methods import SEARCHES, WAYS
from places import ROOT


def load(*documents: dict[str, Any]) -> fairlead.Problem:
    """Load parsed documents."""
    return fairlead.load(list(documents))


def placed(*documents: dict[str, Any], **arguments: Any) -> dict[str, int]:
    """Solve documents with one workload and return where its replicas stand."""
    outcome = fairlead.solve(load(*documents), **arguments)
    assert outcome.status is Status.OPTIMAL
    assert outcome.placement is not None
    assert fairlead.check(outcome.problem, outcome.placement) == ()
    return dict(outcome.placement["default/nginx"])


@pytest.mark.parametrize("method", ["auto", "exact", "cp-sat"])
@pytest.mark.parametrize(
    ("weights", "replicas", "expected"),
    [
        ((40, 60), 10, {"member1": 4, "member2": 6}),  # quotas 4 and 6
        ((3, 2), 5, {"member1": 3, "member2": 2}),  # quotas 3 and 2
        ((2, 5), 7, {"member1": 2, "member2": 5}),  # onboarding keeps 2 : 5
        ((1, 1), 3, {"member1": 2, "member2": 1}),  # 1.5 each: the tie falls to the first by name
    ],
)
def test_static_weights(
    method: str, weights: tuple[int, int], replicas: int, expected: dict[str, int]
) -> None:
    """The proposals' examples come out the same by formula and by CP-SAT."""
    terms = [(f"member{number}", weight) for number, weight in enumerate(weights, start=1)]
    answer = placed(
        *clusters(2), deployment("nginx", replicas), policy(placement=static(*terms)), method=method
    )
    assert answer == expected


def test_bounds_keep_the_ratio_where_they_can() -> None:
    """Kubefed issue 288: 10 over 2 : 3 with bounds 2..6 and 4..8 is 4 and 6, as without bounds."""
    placement = static(
        ("member1", 2),
        ("member2", 3),
        clusterConstraintTerms=[term("member1", 2, 6), term("member2", 4, 8)],
    )
    assert placed(*clusters(2), deployment("nginx", 10), policy(placement=placement)) == {
        "member1": 4,
        "member2": 6,
    }


def test_capacity_moves_the_optimum() -> None:
    """5 : 5 would be the ratio; member2 has room for 1, so member1 takes the other nine."""
    documents = [cluster("member1", cpu=99), cluster("member2", cpu=1), deployment("nginx", 10, cpu=1)]
    equal = policy(placement=static(("member1", 1), ("member2", 1)))
    assert placed(*documents, equal) == {"member1": 9, "member2": 1}


def test_dynamic_scale_up_moves_nothing_and_evens_out() -> None:
    """Cluster b runs 6 with room for 12 more, c has room for 18: six more go to c, 18 : 18 is the ratio."""
    documents = [cluster("b", cpu=12), cluster("c", cpu=18)]
    running = binding("nginx", 12, cpu=1, current={"b": 6}, placement=dynamic())
    assert placed(*documents, running) == {"b": 6, "c": 6}


@pytest.mark.parametrize("method", ["exact", "cp-sat"])
def test_fresh_moves_what_steady_keeps(method: str) -> None:
    """Rooms are 8 + 4 and 12 and all 4 run on a: steady keeps them there, fresh goes for the ratio."""
    documents = [
        cluster("a", cpu=8),
        cluster("b", cpu=12),
        binding("nginx", 4, cpu=1, current={"a": 4}, placement=dynamic()),
    ]
    assert placed(*documents, method=method) == {"a": 4}
    assert placed(*documents, fresh=True, method=method) == {"a": 2, "b": 2}


def test_measures_differ() -> None:
    """Weights 78 : 4 : 4 over 464: webster gives 420, l1 421 (recorded problem static_previous-0290)."""
    documents = [
        *clusters(3),
        deployment("nginx", 464),
        policy(placement=static(("member1", 78), ("member2", 4), ("member3", 4))),
    ]
    assert placed(*documents) == {"member1": 420, "member2": 22, "member3": 22}
    assert placed(*documents, deviation="l1") == {"member1": 421, "member2": 22, "member3": 21}


def test_duplicated_has_no_levels() -> None:
    """Full copies leave nothing to choose: optimal without any level."""
    outcome = fairlead.solve(load(*clusters(2), deployment("nginx", 3), policy(placement=duplicated())))
    assert outcome.objectives == ()
    assert outcome.status is Status.OPTIMAL
    assert outcome.placement == fairlead.Placement({"default/nginx": {"member1": 3, "member2": 3}})


def competing() -> fairlead.Problem:
    """Return two workloads that want 2 of 4 replicas on a, which has room for 3."""
    return load(
        cluster("a", cpu=3),
        cluster("b", cpu=9),
        deployment("first", 4, cpu=1),
        deployment("second", 4, cpu=1),
        policy(placement=static((["a", "b"], 1))),
    )


def test_competing_workloads_share_a_cluster() -> None:
    """By name the second gives way."""
    outcome = fairlead.solve(competing())
    assert outcome.origin == "cp-sat"
    assert outcome.status is Status.OPTIMAL
    assert outcome.placement == fairlead.Placement(
        {"default/first": {"a": 2, "b": 2}, "default/second": {"a": 1, "b": 3}}
    )


def test_workloads_that_only_fail_together() -> None:
    """Each of two workloads fits alone, both do not."""
    documents = [
        cluster("a", cpu=5),
        deployment("first", 3, cpu=1),
        deployment("second", 3, cpu=1),
        policy(placement=static(("a", 1))),
    ]
    outcome = fairlead.solve(load(*documents))
    assert outcome.status is Status.INFEASIBLE
    assert outcome.placement is None


def test_time_kept_for_balance_is_used_where_nothing_is_found_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three need a cpu each; the third cpu is on a cluster without pods, which only a search sees."""
    monkeypatch.setattr(strictly, "SHARE_LATER", 0)
    fleet = [cluster("a", cpu=2), cluster("b", cpu=1, pods=0)]
    asked = [binding(name, 1, {}, dynamic(), cpu="1") for name in ("x", "y", "z")]
    assert fairlead.solve(load(*fleet, *asked), workers=1).status is Status.INFEASIBLE


def test_order_of_documents_does_not_matter() -> None:
    """The same documents in reverse give the same outcome."""
    documents = [
        *clusters(5, cpu=7),
        deployment("first", 9, cpu=1),
        deployment("second", 11, cpu=1),
        policy(placement=static()),
    ]
    there, back = fairlead.solve(load(*documents)), fairlead.solve(load(*reversed(documents)))
    assert there.placement == back.placement
    assert [level.value for level in there.objectives] == [level.value for level in back.objectives]


def test_workers_do_not_matter() -> None:
    """One and two workers give the same placement once all levels are proven."""
    problem = load(
        *clusters(4, cpu=8),
        deployment("first", 13, cpu=1),
        deployment("second", 15, cpu=1),
        policy(placement=static(("member1", 5), ("member2", 3), ("member3", 2), ("member4", 1))),
    )
    answers = [fairlead.solve(problem, workers=workers, method="cp-sat") for workers in (1, 2)]
    assert answers[0].status is answers[1].status is Status.OPTIMAL
    assert answers[0].placement == answers[1].placement


def test_exact_is_refused_where_it_does_not_apply() -> None:
    """Workloads that compete need CP-SAT; asking for the exact allocation is an error that says so."""
    with pytest.raises(fairlead.UsageError, match="exact allocation does not apply"):
        fairlead.solve(competing(), method="exact")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "magic"}, "no method 'magic'; known: auto, cp-sat and exact"),
        ({"deviation": "l3"}, "no deviation 'l3'; known: l1, minimax and webster"),
        ({"engine": "magic"}, "no engine 'magic'; known: local and ray"),
        ({"workers": 0}, "0 workers; allowed is a whole number of at least 1"),
        ({"seed": 2**31}, "seed 2147483648; allowed is a whole number from 0 to 2147483647"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    """A wrong argument names what is known."""
    with pytest.raises(fairlead.UsageError, match=message):
        fairlead.solve(load(*clusters(1), deployment(), policy()), **arguments)


@pytest.mark.parametrize("tolerance", [10**18 - 1, 1e-7, "999999999999999999%"])
def test_tolerances_of_any_size(tolerance: object) -> None:
    """The largest is more than CP-SAT can count in steps of what sevenths make of a deviation."""
    problem = load(
        *clusters(2), deployment("nginx", 7), policy(placement=static(("member1", 3), ("member2", 4)))
    )
    found = fairlead.solve(problem, method="cp-sat", tolerance={"deviation": tolerance})
    assert found.status is Status.OPTIMAL


def test_a_level_alone_counts_before_several_together() -> None:
    """Whatever comes first: all moves may be worse by one, the last ones by two."""
    together = {"moves": 1, "moves-last": 2}
    amounts = {key: each.amount for key, each in tolerances_of(together).items()}
    assert amounts == {"moves-unchanged": 1, "moves-first": 1, "moves-last": 2}
    assert tolerances_of(dict(reversed(together.items()))) == tolerances_of(together)


def test_outcome_is_picklable() -> None:
    """An outcome survives the way to another process."""
    outcome = fairlead.solve(load(*clusters(2), deployment(), policy(placement=static())))
    again = pickle.loads(pickle.dumps(outcome))
    assert again.placement == outcome.placement
    assert again.problem == outcome.problem


def test_no_time_gives_the_dispenser() -> None:
    """With no time for CP-SAT the reference dispenser's valid answer is returned, unproven."""
    problem = competing()
    outcome = fairlead.solve(problem, time_limit=0.0)
    assert outcome.status is Status.FEASIBLE
    assert outcome.placement == fairlead.dispense(problem).placement


def test_the_page_on_solving_follows_the_lists_of_ways() -> None:
    """Every way is a row of its table, in the order in which they are tried, with what it proves."""
    page = (ROOT / "docs" / "solving.md").read_text()
    rows = [
        [cell.strip() for cell in line.strip(" |").split(" | ")] for line in page.splitlines() if "| " in line
    ]
    told = [(row[0], row[-1]) for row in rows if len(row) == 3]
    ways = [(way.name, way.proves) for way in (*WAYS, *SEARCHES)]
    assert [row for row in told if row in ways] == ways
