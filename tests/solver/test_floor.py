"""Keep and repair: what runs, less what is forbidden, plus what is missing, without a search."""

import random
from dataclasses import replace

import pytest

import fairlead
from builders import Manifest, binding, cluster, dynamic, static
from fairlead.models.cluster import CPU, Cluster
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Capacity, Moves, Total, Weights
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.candidates import Exclusion
from fairlead.models.score import better
from fairlead.models.shortfall import refused
from fairlead.models.workload import Workload
from fairlead.solver.floor import SMALL, keep_and_repair, standing_well
from random_problems import random_problem


def workload(key: str, replicas: int, *, open_to: str = "ab", **current: int) -> Workload:
    """Return a workload of one-cpu replicas, divided evenly, that keeps what runs."""
    rules = (
        Candidates(tuple(open_to), {name: Exclusion("gone") for name in "ab" if name not in open_to}),
        Total(),
        Weights(dict.fromkeys(open_to, 1)),
        Moves(frozenset("ab"), keep=True),
    )
    return Workload(key, key, replicas, requests={CPU: 1000}, current=current, rules=rules)


def fleet(*workloads: Workload, a: int = 9, b: int = 9) -> Problem:
    """Return a problem of clusters that have so many cores in all for these workloads."""
    used = {name: sum(each.current.get(name, 0) for each in workloads) for name in "ab"}
    offered = {"a": a, "b": b}
    clusters = (Cluster(name, free={CPU: 1000 * (offered[name] - used[name])}) for name in "ab")
    return Problem(tuple(clusters), workloads, (Capacity(),))


def test_who_may_stay_stays_and_all_others_are_placed_in_what_is_left() -> None:
    """Two run on a of three cores and stay; of the four new ones one fits there, three go to b."""
    part = fleet(workload("old", 2, a=2), workload("new", 4), a=3)
    assert keep_and_repair(part, {"old"}) == Placement({"old": {"a": 2}, "new": {"a": 1, "b": 3}})


def test_what_is_forbidden_stops_and_what_is_missing_starts() -> None:
    """Cluster a is closed to the one; the other wants one more, which stands beside the two that run."""
    part = fleet(workload("closed", 2, open_to="b", a=2), workload("grown", 3, a=2))
    assert keep_and_repair(part, standing_well(part)) == Placement(
        {"closed": {"b": 2}, "grown": {"a": 2, "b": 1}}
    )


def test_where_others_find_no_place_those_that_could_have_stayed_move() -> None:
    """The new one may use a only, which is full; the old one stands better on b, so it need not stay."""
    old = workload("old", 2, a=2)
    to_b = replace(old, rules=(Candidates(("a", "b")), Total(), Weights({"a": 1, "b": 9})))
    part = fleet(to_b, workload("only", 2, open_to="a"), a=2)
    assert keep_and_repair(part, {"old"}) == Placement({"old": {"b": 2}, "only": {"a": 2}})


@pytest.mark.parametrize("partial", [False, True])
def test_what_is_found_without_any_time_is_no_worse(*, partial: bool) -> None:
    """Two of six run on a; the four others are divided by weight, three and three, not by room.

    There is three times as much room on a as on b. With 250 clusters beside these, there are more places than
    `SMALL`, up to which every way is tried.
    """
    part = fleet(workload("old", 2, a=2), workload("grown", 6, a=2), a=12, b=4)
    beside = (Cluster(f"c{number:03}", free={CPU: 0}) for number in range(250))
    part = replace(part, clusters=(*part.clusters, *beside), partial=partial)
    assert len(part.workloads) * len(part.clusters) > SMALL
    outcome = fairlead.solve(part, time_limit=1e-9)
    assert outcome.placement == Placement({"old": {"a": 2}, "grown": {"a": 3, "b": 3}})


def test_nothing_is_better_than_a_placement_that_breaks_a_rule() -> None:
    """Three replicas, and room for two in all."""
    part = fleet(workload("web", 3), a=1, b=1)
    assert keep_and_repair(part, frozenset()) is None


def test_who_stands_well() -> None:
    """Who runs as many as are wanted, and keeps the rules of its own; capacity does not count."""
    at_most_one = Bounds(maximum={"a": Bound(1)})
    full = workload("full", 2, a=2)
    part = fleet(
        full,
        workload("short", 3, a=2),
        workload("new", 2),
        workload("closed", 2, open_to="b", a=2),
        replace(workload("bound", 2, a=2), rules=(*full.rules, at_most_one)),
        a=2,
    )
    assert standing_well(part) == {"full"}


def test_the_better_of_placements_is_the_first_of_equals() -> None:
    """Nothing runs: 1, 1 meets the ratio of 1 : 1, 2, 0 and 0, 2 are equally far from it."""
    part = fleet(workload("web", 2))
    even, left, right = (Placement({"web": placed}) for placed in ({"a": 1, "b": 1}, {"a": 2}, {"b": 2}))
    assert better(part, left, None, even, right) is even
    assert better(part, right, left) is right
    assert better(part, None) is None


@pytest.mark.parametrize("seed", range(60))
def test_what_comes_out_keeps_every_rule(seed: int) -> None:
    """Random problems with what runs: a valid placement or none, never a broken one."""
    problem = random_problem(seed, fairlead.Deviation.WEBSTER, most_workloads=4)
    found = keep_and_repair(problem, standing_well(problem))
    assert found is None or not refused(problem, found)


def test_some_random_problems_are_repaired() -> None:
    """The test above is about something: of the 60 at least a quarter have a placement."""
    problems = [random_problem(seed, fairlead.Deviation.WEBSTER, most_workloads=4) for seed in range(60)]
    assert sum(keep_and_repair(each, standing_well(each)) is not None for each in problems) >= 15


def test_the_order_of_documents_does_not_matter() -> None:
    """Twelve workloads on tight clusters, one of them closed: the same placement from shuffled documents."""
    rng = random.Random(7)
    documents: list[Manifest] = [
        cluster("a", cpu=14),
        cluster("b", cpu=14),
        cluster("c", cpu=14, taints=["x:NoExecute"]),
    ]
    for number in range(12):
        placement = dynamic() if number % 2 else static(("a", 1), ("b", 2))
        documents.append(binding(f"w{number}", 2, {"abc"[number % 3]: 2}, placement, cpu=1))
    found = []
    for _ in range(4):
        problem = fairlead.load(documents)
        found.append(keep_and_repair(problem, standing_well(problem)))
        rng.shuffle(documents)
    assert found[0] is not None
    assert not refused(fairlead.load(documents), found[0])
    assert found == [found[0]] * 4
