"""Conflicts that take a solver: minimal and the smallest, confirmed by looking at every placement."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, product

import pytest

import fairlead
from brute_force import brute_force
from builders import cluster, deployment, divided, duplicated, policy, selector, static, term
from fairlead.models.check import check
from fairlead.models.cluster import Cluster
from fairlead.models.levels import Deviation
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, MoveBudget, Total
from fairlead.models.rules.candidates import Exclusion
from fairlead.models.statement import Conflict, Proof, Statement
from fairlead.models.workload import Workload
from fairlead.report.content.outcome import explain
from fairlead.solver.conflicts.subset import only, widest
from fairlead.solver.conflicts.units import Unit, units_of
from fairlead.solver.explaining.conflict import find
from fairlead.solver.explaining.explanation import conflicts_of
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import Search
from random_problems import random_problem
from seeds import runs

Broken = frozenset[int]


def broken_by_all(problem: Problem, units: Sequence[Unit]) -> set[Broken]:
    """Return what every placement breaks, by position; each unit is checked as a problem of its own."""
    alone_with = [only(problem, [unit]) for unit in units]
    own = {
        workload.key: [at for at, unit in enumerate(units) if unit.workload == workload.key]
        for workload in problem.workloads
    }
    shared = [at for at, unit in enumerate(units) if unit.workload is None]

    def broken(ats: Sequence[int], placed: dict[str, dict[str, int]]) -> Broken:
        return frozenset(at for at in ats if check(alone_with[at], Placement(placed)))

    choices = [
        [
            (workload.key, placed, broken(own[workload.key], {workload.key: placed}))
            for placed in divisions(workload, problem)
        ]
        for workload in problem.workloads
    ]
    found: set[Broken] = set()
    for chosen in product(*choices):
        by_workload = frozenset[int]().union(*(each for _, _, each in chosen))
        found.add(by_workload | broken(shared, {key: placed for key, placed, _ in chosen}))
    return found


def divisions(workload: Workload, problem: Problem) -> Iterator[dict[str, int]]:
    """Yield every number of replicas on every cluster, up to what can matter."""
    names = [each.name for each in problem.clusters]
    for numbers in product(range(widest(workload) + 1), repeat=len(names)):
        yield dict(zip(names, numbers, strict=True))


def fewest_that_meet(sets: set[Broken]) -> int:
    """Return the size of the smallest set of units that meets all sets, by trying all of them."""
    least = [each for each in sets if not any(other < each for other in sets)]
    elements = sorted(frozenset().union(*least))
    for size in range(1, len(elements) + 1):
        if any(all(each & set(chosen) for each in least) for chosen in combinations(elements, size)):
            return size
    raise AssertionError("a placement breaks nothing")


def small(seed: int) -> Problem:
    """Return the random problem of a seed: one workload on three clusters, or two workloads on two."""
    if seed % 2:
        return random_problem(seed, Deviation.WEBSTER, most_workloads=2, most_clusters=2, most_replicas=3)
    return random_problem(seed, Deviation.WEBSTER, most_workloads=1)


def infeasible_problems(seeds: range) -> Iterator[tuple[int, Problem]]:
    """Yield small random problems without any placement."""
    for seed in seeds:
        problem = small(seed)
        if brute_force(problem) is None:
            yield seed, problem


def confirm(problem: Problem, positions: Sequence[int], units: Sequence[Unit], proof: Proof) -> None:
    """Assert that a conflict is what it says, by all placements there are."""
    broken = broken_by_all(problem, units)
    inside = frozenset(positions)
    assert all(each & inside for each in broken), "a placement keeps the whole conflict"
    for at in inside:
        assert any(each & inside == {at} for each in broken), f"not needed: {units[at].statement}"
    if proof is Proof.SMALLEST:
        assert fewest_that_meet(broken) == len(inside)


def confirm_all(seeds: range) -> int:
    """Confirm the conflicts of all infeasible problems of some seeds; return how many these are."""
    count = 0
    for _, problem in infeasible_problems(seeds):
        count += 1
        units = units_of(problem)
        found = find(problem, units, Search())
        assert found is not None
        # Nothing is left to the time limit here, and the problems are tiny.
        assert found.proof is Proof.SMALLEST
        confirm(problem, found.units, units, found.proof)
    return count


@pytest.mark.parametrize("seeds", runs(range(140), *(range(at, at + 100) for at in range(1000, 3000, 100))))
def test_conflicts_are_the_smallest(seeds: range) -> None:
    """All rules of a conflict have no placement, without any one there is one, and none is smaller."""
    assert confirm_all(seeds) > (50 if seeds == range(140) else 25)


def two_teams(replicas: int = 3) -> list[dict[str, object]]:
    """Return two workloads of some replicas that both want a, which has room for 5; b is closed to them."""
    return [
        cluster("a", cpu=5),
        cluster("b", cpu=5),
        deployment("first", replicas, cpu=1),
        deployment("second", replicas, cpu=1),
        policy("one", static(("a", 1)), selects=[selector("first")]),
        policy("two", static(("a", 1)), selects=[selector("second")]),
    ]


def texts(conflict: Conflict | None) -> list[str]:
    """Return the sentences of a conflict."""
    assert conflict is not None
    return [statement.text for statement in conflict.rules]


def test_two_workloads_that_only_fail_together() -> None:
    """Each wants 3 on a, which has room for 5: both totals, the room of a, and why b is no way out."""
    outcome = fairlead.solve(fairlead.load(two_teams()))
    assert outcome.status is fairlead.Status.INFEASIBLE
    assert len(outcome.conflicts) == 1
    assert texts(outcome.conflict) == [
        "default/first needs 3 replicas",
        "default/second needs 3 replicas",
        "a has 5 cpu; default/first and default/second need 1 per replica",
        "default/first: 1/2 clusters are available: 1 cluster(s) matched no static weight",
        "default/second: 1/2 clusters are available: 1 cluster(s) matched no static weight",
    ]


def test_a_conflict_for_every_workload_that_fails_by_itself() -> None:
    """Six each on a, which has room for 5: each fails by itself, though they share a; that is said once."""
    outcome = fairlead.solve(fairlead.load(two_teams(6)))
    (conflict,) = outcome.conflicts
    assert texts(conflict) == [
        "each of default/first and default/second needs 6 replicas",
        "a has capacity for 5 of each of default/first and default/second (5 cpu free, 1 per replica)",
        (
            "each of default/first and default/second: 1/2 clusters are available: "
            "1 cluster(s) matched no static weight"
        ),
    ]
    assert conflict.workloads == ("default/first", "default/second")
    assert conflict.proof is Proof.SMALLEST


def test_only_what_is_not_certain_is_said_of_a_conflict() -> None:
    """Where rules are perhaps too many a sentence says so; how few they are is not news to a reader."""
    rules = (Statement("total", "a", None), Statement("total", "b", None))
    assert explain(Conflict(rules, proof=Proof.MINIMAL)) == ["  a", "  b"]
    assert len(explain(Conflict(rules, proof=Proof.UNVERIFIED))) == 3


def test_rules_of_a_shared_policy_tell_whose_they_are() -> None:
    """Copies of 3 and of 1 on room for 3, by one policy: only the names tell which is which."""
    stream = [
        cluster("a", cpu=3),
        deployment("first", 3, cpu=1),
        deployment("second", 1, cpu=1),
        policy("all", duplicated()),
    ]
    (conflict,) = fairlead.solve(fairlead.load(stream)).conflicts
    assert texts(conflict) == [
        "policy default/all: a needs a full copy of 3 replicas, for default/first",
        "policy default/all: a needs a full copy of 1 replica, for default/second",
        "a has 3 cpu; default/first and default/second need 1 per replica",
    ]


def test_a_conflict_for_every_part() -> None:
    """Both pairs share a cluster of their own, with room for 5 of 3 + 3; what fits elsewhere is not named."""
    pairs = [("a", "first"), ("a", "second"), ("b", "third"), ("b", "fourth"), ("c", "fifth")]
    documents = [cluster(name, cpu=5) for name in "abc"]
    for name, workload in pairs:
        documents.append(deployment(workload, 3, cpu=1))
        documents.append(policy(workload, static((name, 1)), selects=[selector(workload)]))
    outcome = fairlead.solve(fairlead.load(documents))
    told = [" ".join(texts(each)) for each in outcome.conflicts]
    assert len(told) == 2
    assert "default/first needs 3 replicas" in told[0]
    assert "default/fourth needs 3 replicas" in told[1]
    assert not any("fifth" in each for each in told)
    assert str(outcome).count("No placement keeps all of these rules either:") == 1
    document = outcome.to_dict()
    assert document["conflict"] == document["conflicts"][0]
    assert [each["proof"] for each in document["conflicts"]] == ["smallest", "smallest"]
    assert "default/fourth needs 3 replicas" in outcome._repr_html_()


def test_the_order_of_documents_does_not_matter() -> None:
    """The same conflict, whatever comes first."""
    forward = fairlead.solve(fairlead.load(two_teams()))
    backward = fairlead.solve(fairlead.load(two_teams()[::-1]), workers=2)
    assert forward.conflicts == backward.conflicts


def test_spread_against_a_minimum() -> None:
    """A minimum of 2 in the only cluster of the east, which has room for 1: the spread does not matter."""
    placement = divided({}, clusterConstraintTerms=[term("west", 2), term("east", 2)])
    placement["spreadConstraints"] = [{"spreadByField": "region", "minGroups": 2, "maxGroups": 2}]
    outcome = fairlead.solve(
        fairlead.load(
            [
                cluster("west", cpu=9, region="west"),
                cluster("east", cpu=1, region="east"),
                deployment("nginx", 6, cpu=1),
                policy(placement=placement),
            ]
        )
    )
    assert texts(outcome.conflict) == [
        "policy default/nginx: east needs at least 2 where it is used at all",
        "policy default/nginx: replicas in at least 2 regions",
        "east has capacity for 1 of default/nginx (1 cpu free, 1 per replica)",
    ]


def test_a_budget_of_moves() -> None:
    """Three run on a, which is closed, and one may move: how many are wanted does not matter."""
    rules = (Candidates(("b",), {"a": Exclusion("had untolerated taint {drain}")}), Total())
    workload = Workload("w", "w", 3, current={"a": 3}, rules=rules)
    problem = Problem((Cluster("a"), Cluster("b")), (workload,), (MoveBudget("the fleet", 1),))
    outcome = fairlead.solve(problem)
    assert texts(outcome.conflict) == [
        "at most 1 replica may move (the fleet)",
        "w: 1/2 clusters are available: 1 cluster(s) had untolerated taint {drain}",
    ]


def test_no_time_is_said() -> None:
    """Without time nothing is called minimal; nothing at all is told where nothing is known."""
    problem = fairlead.load(two_teams())
    assert conflicts_of(problem, Search(Deadline.after(0))) == ()
    outcome = replace(fairlead.solve(problem), conflict=None)
    assert outcome.conflicts == ()
    assert "time ran out" in str(outcome)
    # Where each fails by itself, the closed form needs no time, nor does its proof; others are left.
    assert len(conflicts_of(fairlead.load(two_teams(6)), Search(Deadline.after(0)))) == 1


def test_what_is_not_verified_says_so() -> None:
    """The text tells that time ran out; nothing where the conflict is the smallest."""
    (conflict,) = conflicts_of(fairlead.load(two_teams()), Search())
    assert not any("smallest" in line for line in explain(conflict))
    conflict = replace(conflict, relaxations=())
    unverified = explain(replace(conflict, proof=Proof.UNVERIFIED))
    assert unverified[-1] == "Time ran out: perhaps not all of these rules are part of the conflict."
