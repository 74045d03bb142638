"""Affinity groups of workloads that compete: the first joint choice that has a placement."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

import networkx as nx
import pytest

import fairlead
from brute_force import placements
from fairlead.encoders.joint import encode_choice
from fairlead.models.cluster import CPU, Cluster
from fairlead.models.outcome import Outcome, Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Bounds,
    Candidates,
    Capacity,
    Companionship,
    Duplicated,
    MoveBudget,
    Moves,
    SharedRule,
    Spread,
    Survival,
    Total,
    Weights,
    WorkloadRule,
)
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.candidates import Exclusion
from fairlead.models.workload import AffinityGroup, Workload, from_start, settled_in
from fairlead.solver.groups import choose, joint, partial
from fairlead.solver.groups.joint import JointChoice, first_choice
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import Search


def group(name: str, inside: str, *rules: WorkloadRule) -> AffinityGroup:
    """Return a group of the clusters that its letters name."""
    weights = Weights(dict.fromkeys(inside, 1), dynamic=False)
    return AffinityGroup(name, (Candidates(tuple(inside)), Total(), weights, *rules))


def grouped(key: str, replicas: int, *inside: str, **more: object) -> Workload:
    """Return a workload of one core a replica with a group for every word, a cluster for every letter."""
    found = tuple(group(name, name) for name in inside)
    workload = Workload(key, key, replicas, requests={CPU: 1000}, rules=found[0].rules, groups=found)
    return replace(workload, **more)  # type: ignore[arg-type]


def asked(cores: Mapping[str, int], *workloads: Workload, rules: Sequence[SharedRule] = ()) -> Problem:
    """Return a problem with so many cores on every cluster, of which those that are held are not free."""
    held = {name: sum(each.current.get(name, 0) for each in workloads) for name in cores}
    clusters = tuple(Cluster(name, free={CPU: 1000 * (count - held[name])}) for name, count in cores.items())
    return Problem(clusters, workloads, (Capacity(), *rules))


def taken(outcome: Outcome) -> dict[str, str | None]:
    """Return the group of every workload."""
    return {workload.key: workload.group for workload in outcome.problem.workloads}


def test_what_the_undecided_hold_is_free() -> None:
    """w0 has room on a only where w1 leaves it, for the second group of each; the first ones have no room."""
    problem = asked(
        {"a": 1, "b": 1, "f": 0}, grouped("w0", 1, "f", "a"), grouped("w1", 1, "f", "b", current={"a": 1})
    )
    outcome = fairlead.solve(problem)
    assert outcome.status is Status.OPTIMAL
    assert taken(outcome) == {"w0": "a", "w1": "b"}


def test_what_the_undecided_hold_does_not_lead_to_a_later_group() -> None:
    """As above, and w0 does not go on to the empty c, as its first group will do once w1 has left a."""
    problem = asked(
        {"a": 1, "b": 1, "c": 1, "f": 0},
        grouped("w0", 1, "a", "c"),
        grouped("w1", 1, "f", "b", current={"a": 1}),
    )
    outcome = fairlead.solve(problem)
    assert taken(outcome) == {"w0": "a", "w1": "b"}
    assert outcome.rejected.keys() == {"w1"}


def test_a_first_group_that_leaves_others_nothing_is_passed_over() -> None:
    """w1 can only stand on a; w0, which goes first and would fit there, takes b."""
    problem = asked({"a": 1, "b": 1, "f": 0}, grouped("w0", 1, "a", "b"), grouped("w1", 1, "f", "a"))
    outcome = fairlead.solve(problem)
    assert outcome.status is Status.OPTIMAL
    assert taken(outcome) == {"w0": "b", "w1": "a"}
    (passed,) = outcome.rejected["w0"]
    assert (passed.name, passed.reason) == ("a", choose.OTHERS_LEFT)


def test_partial_takes_the_joint_choice_too() -> None:
    """What can be placed in full is placed as without partial; w0 goes on although it goes first."""
    problem = asked({"a": 1, "b": 1, "f": 0}, grouped("w0", 1, "a", "b"), grouped("w1", 1, "f", "a"))
    outcome = fairlead.solve(problem, partial=True)
    assert not outcome.shortfalls
    assert taken(outcome) == {"w0": "b", "w1": "a"}


def test_partial_leaves_out_what_no_choice_can_place() -> None:
    """Of two replicas of w1 one fits; what it holds on a is free to the more urgent w0 all the same."""
    problem = asked(
        {"a": 1, "b": 1, "f": 0},
        grouped("w0", 1, "a", "f", priority=1),
        grouped("w1", 2, "f", "b", current={"a": 1}),
    )
    outcome = fairlead.solve(problem, partial=True)
    assert taken(outcome) == {"w0": "a", "w1": "b"}
    assert [violation.amount for violation in outcome.shortfalls] == [1]


def test_of_groups_in_which_as_much_gives_way_the_first_is_taken() -> None:
    """Two replicas of w1 have room for one in either group; in the second it meets w0, which is urgent."""
    problem = asked({"a": 1, "b": 2}, grouped("w0", 1, "b", priority=1), grouped("w1", 2, "a", "b"))
    outcome = fairlead.solve(problem, partial=True)
    assert taken(outcome) == {"w0": "b", "w1": "a"}
    assert outcome.status is Status.OPTIMAL


def test_what_no_group_can_hold_displaces_nobody() -> None:
    """Neither group holds three replicas of w1; w0 is less urgent, and fits into its first group, b."""
    urgent = grouped("w1", 3, "b", "a", priority=1)
    problem = asked({"a": 2, "b": 2, "f": 0}, grouped("w0", 2, "b", "f"), urgent)
    outcome = fairlead.solve(problem, partial=True)
    assert taken(outcome) == {"w0": "b", "w1": "a"}
    assert [(each.workload, each.amount) for each in outcome.shortfalls] == [("w1", 1)]


@pytest.mark.parametrize(("copied_first", "most"), [(True, 2), (False, 3)])
def test_budgets_count_by_the_group_that_is_taken(copied_first: bool, most: int) -> None:
    """One replica on c instead of one on each of a and b is one move where it is divided, else two.

    v moves once from a to d, which it fills. A full copy of w first: with a budget of 2 it is divided on c
    (counted as a copy there is no choice). Divided on d first: it takes copies on c where 3 may move, and
    where only 2 may there is no choice (counted as divided it would be taken).
    """
    copied = AffinityGroup("copied", (Candidates(("c",)), Duplicated()))
    divided = AffinityGroup("divided", (Candidates(("c" if copied_first else "d",)), Total()))
    groups = (copied, divided) if copied_first else (divided, copied)
    workload = Workload("w", "w", 1, current={"a": 1, "b": 1}, requests={CPU: 1000}, groups=groups)
    moving = grouped("v", 1, "d", current={"a": 1})
    problem = asked({"a": 2, "b": 1, "c": 1, "d": 1}, moving, workload, rules=[MoveBudget("all", most)])
    outcome = fairlead.solve(problem)
    assert taken(outcome)["w"] == groups[1].name
    if not copied_first:
        too_few = replace(problem, rules=(Capacity(), MoveBudget("all", most - 1)))
        assert fairlead.solve(too_few).status is Status.INFEASIBLE


@pytest.mark.parametrize("names", ["ab", "abcd"])
def test_workloads_that_no_group_holds_are_compared_together(names: str) -> None:
    """Each alone leaves one of 6 unplaced in a; two there together 7 of 12, in clusters of their own 1 and 1.

    The 256 choices of four are too many to try all; one after the other does here, as no more than one of
    each is unplaced, which each leaves by itself.
    """
    workloads = [grouped(f"of {name}", 6, *names) for name in names]
    outcome = fairlead.solve(asked(dict.fromkeys(names, 5), *workloads), partial=True)
    assert outcome.status is Status.OPTIMAL
    assert taken(outcome) == {f"of {name}": name for name in names}
    assert [each.amount for each in outcome.shortfalls] == [1] * len(names)


def test_groups_that_are_chosen_one_after_the_other_may_not_be_the_best() -> None:
    """w1 leaves as much in a as in b and takes a, which w2 would need: 5 of 20 are placed, 8 could be.

    Of the 16 joint choices not all are tried; w3 and w4 share the clusters c and d, where w2 goes.
    """
    sizes = {"a": 4, "b": 4, "c": 1, "d": 1}
    inside = {"w1": "ab", "w2": "ac", "w3": "cd", "w4": "cd"}
    outcome = fairlead.solve(
        asked(sizes, *(grouped(key, 10, *names) for key, names in inside.items())), partial=True
    )
    unplaced = outcome.objectives[0]
    assert unplaced.value >= 40 - sum(sizes.values())
    assert unplaced.bound is not None
    assert unplaced.bound <= 40 - sum(sizes.values())
    assert outcome.status is not Status.OPTIMAL or unplaced.value == 30


def test_who_is_decided_first_does_not_use_up_what_never_gives_way() -> None:
    """w1 has to leave x, and fits nowhere in full: if w0 took the only move to b, nothing could be placed."""
    problem = asked(
        dict.fromkeys("abcdx", 1),
        grouped("w0", 1, "b", "a", current={"a": 1}, priority=1),
        grouped("w1", 2, "c", "d", current={"x": 1}),
        rules=(MoveBudget("all", 1),),
    )
    outcome = fairlead.solve(problem, partial=True)
    assert outcome.status is Status.OPTIMAL
    assert taken(outcome) == {"w0": "a", "w1": "c"}
    none = replace(problem, rules=(*problem.rules, MoveBudget("none", 0)))
    assert fairlead.solve(none, partial=True).status is Status.INFEASIBLE


def test_groups_are_compared_beside_what_has_no_choice_and_no_room() -> None:
    """w1 does not fit into b, its only group, which it fills all the same; w0 would add nothing there.

    Alone w0 has most room in b, 4 of 6 instead of 2.
    """
    problem = asked({"a": 2, "b": 4}, grouped("w0", 6, "b", "a"), grouped("w1", 6, "b"))
    outcome = fairlead.solve(problem, partial=True)
    assert taken(outcome)["w0"] == "a"
    assert sum(each.amount for each in outcome.shortfalls) == 6


def test_a_group_without_eligible_clusters_is_not_the_one_in_which_least_gives_way() -> None:
    """Nothing survives the loss of a, the only cluster of one group; the other group has none to lose."""
    both = Survival(field="cluster", groups={"a": frozenset("a")}, minimum=1)
    closed = AffinityGroup("closed", (Candidates(()), Total(), replace(both, groups={})))
    open_one = AffinityGroup("open", (Candidates(("a",)), Total(), both))
    workload = Workload("w", "w", 1, requests={CPU: 1000}, rules=closed.rules, groups=(closed, open_one))
    assert taken(fairlead.solve(asked({"a": 2}, workload), partial=True)) == {"w": "open"}


def test_groups_that_may_not_be_those_in_which_least_gives_way_prove_nothing() -> None:
    """Nobody knows how much gives way in either group: what was found is all that is said."""
    problem = replace(asked({"a": 1, "b": 1}, grouped("w1", 2, "a", "b")), partial=True)

    def place(trial: Problem) -> tuple[Placement, bool]:
        del trial
        return Placement({"w1": {"a": 1}}), False

    chosen = partial.choose_partially(problem, lambda _: False, place, Deadline())
    assert not chosen.exhausted
    assert not chosen.earliest


def test_a_budget_counts_of_what_is_held_no_more_than_a_full_copy() -> None:
    """Where 3 replicas run a copy has 2: one is stopped, none moved, so the second group will do."""
    found = tuple(
        AffinityGroup(name, (Candidates((name,), {other: Exclusion("elsewhere")}), Duplicated()))
        for name, other in ("ab", "ba")
    )
    workload = Workload("w", "w", 2, rules=found[0].rules, groups=found, current={"b": 3})
    clusters = (Cluster("a"), Cluster("b"))
    problem = Problem(clusters, (workload,), (MoveBudget("leaving b", 0, leaving=frozenset("b")),))
    outcome = fairlead.solve(problem)
    assert outcome.status is Status.OPTIMAL
    assert taken(outcome) == {"w": "b"}


def test_what_shrinks_uses_no_budget_of_moves() -> None:
    """One of two on b has to stop whatever is chosen: without any move only the second group will do."""
    shrinking = grouped("w", 1, "a", "b", current={"b": 2})
    outcome = fairlead.solve(asked({"a": 2, "b": 2}, shrinking, rules=[MoveBudget("none", 0)]))
    assert taken(outcome) == {"w": "b"}


@pytest.mark.parametrize("urgent", ["w0", "w1"])
def test_the_more_urgent_one_keeps_its_first_group(urgent: str) -> None:
    """One of the two fits on a: by priority, and by key where that is the same."""
    workloads = [grouped(key, 2, "a", "b", priority=int(key == urgent)) for key in ("w0", "w1")]
    other = "w1" if urgent == "w0" else "w0"
    assert taken(fairlead.solve(asked({"a": 3, "b": 3}, *workloads))) == {urgent: "a", other: "b"}
    equal = [replace(workload, priority=0) for workload in reversed(workloads)]
    assert taken(fairlead.solve(asked({"a": 3, "b": 3}, *equal))) == {"w0": "a", "w1": "b"}


def test_a_chain_of_many_shifts_by_one() -> None:
    """Each of 30 workloads fills a cluster; the first is full, so every one stands in its second group.

    Greedily the first would take its first group and so on, until the last has none; there are 2^30 choices.
    """
    names = [f"c{number:02}" for number in range(31)]
    workloads = []
    for number in range(30):
        first, second = names[number + 1], names[number]
        found = tuple(AffinityGroup(name, (Candidates((name,)), Total())) for name in (first, second))
        workloads.append(Workload(f"w{number:02}", f"w{number:02}", 1, requests={CPU: 1000}, groups=found))
    room = dict.fromkeys(names, 1) | {names[-1]: 0}
    outcome = fairlead.solve(asked(room, *workloads))
    assert outcome.status is Status.OPTIMAL
    assert set(taken(outcome).values()) == set(names[:-1])
    assert all(workload.group == workload.groups[1].name for workload in outcome.problem.workloads)


def test_no_time_is_no_proof() -> None:
    """Without any time nothing is found and nothing is claimed."""
    problem = asked({"a": 1, "b": 1}, grouped("w0", 1, "a", "b"), grouped("w1", 1, "a"))
    options = {"w0": [settled_in(problem.workload("w0"), each) for each in problem.workload("w0").groups]}
    found = first_choice(problem, options, Search(Deadline.after(0.0)))
    assert found.positions is None
    assert not found.proven
    assert encode_choice(problem, options, in_time=lambda: False) is None


@pytest.mark.parametrize(("found", "status"), [(True, Status.FEASIBLE), (False, Status.UNKNOWN)])
def test_what_is_not_proven_of_the_choice_is_not_claimed(
    found: bool, status: Status, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A choice that may not be the first is not optimal; without a placement nothing is infeasible."""
    positions = {"w0": 1} if found else None
    monkeypatch.setattr(joint, "first_choice", lambda *_: JointChoice(positions, proven=False))
    problem = asked({"a": 1, "b": 1}, grouped("w0", 1, "a", "b"), grouped("w1", 1, "a"))
    outcome = fairlead.solve(problem)
    assert outcome.status is status
    if found:
        assert outcome.rejected["w0"][0].reason == choose.OUT_OF_TIME


def test_nothing_has_to_stay_unplaced_where_another_choice_may_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """In its first group w0 leaves w1 no place; that it would in the second one is not known."""
    problem = asked({"a": 1, "b": 1}, grouped("w0", 1, "a", "b"), grouped("w1", 1, "a"))
    first = {workload.key: workload.groups[0] for workload in problem.workloads}
    monkeypatch.setattr(joint, "first_choice", lambda *_: JointChoice(None, proven=False))
    monkeypatch.setattr(partial, "choose_partially", lambda *_: choose.ChosenGroups(first, found=False))
    outcome = fairlead.solve(problem, partial=True)
    assert outcome.status is Status.FEASIBLE
    unplaced = next(level for level in outcome.objectives if level.name == "unplaced")
    assert (unplaced.value, unplaced.bound, unplaced.proven) == (1, 0, False)


def test_settled_workloads_are_not_asked_about() -> None:
    """A workload without a choice, on clusters that no choice reaches, takes no part in the question."""
    seen: list[set[str]] = []

    def feasible(problem: Problem) -> bool:
        seen.append(set(problem.workload_by_key))
        return True

    far = Workload("far", "far", 1, requests={CPU: 1000}, rules=(Candidates(("z",)), Total()))
    near = Workload("near", "near", 1, requests={CPU: 1000}, rules=(Candidates(("a",)), Total()))
    problem = asked({"a": 2, "b": 2, "z": 2}, far, near, grouped("w", 1, "a", "b"))
    choose.choose_groups(problem, feasible, Search())
    assert seen == [{"near", "w"}]


def _random(seed: int) -> Problem:
    """Return 2 to 4 workloads with 1 to 3 groups each that share little room, and some other rules."""
    rng = random.Random(seed)
    names = "abcd"[: rng.randint(2, 4)]
    cores = {name: rng.choice([0, 1, 2, 2, 3]) for name in names}
    workloads = []
    left = dict(cores)
    for number in range(rng.randint(2, 4)):
        key = f"w{number}"
        current: dict[str, int] = {}
        for name in rng.sample(names, 1):
            count = rng.randint(0, min(2, left[name]))
            if count:
                current[name] = count
                left[name] -= count
        found = tuple(_group(rng, f"g{place}", names) for place in range(rng.randint(1, 3)))
        workloads.append(
            Workload(
                key,
                key,
                rng.choice([0, 1, 1, 1, 1, 2, 2]),
                requests={CPU: 1000},
                current=current,
                priority=rng.choice([0, 0, 1]),
                fresh=rng.random() < 0.2,
                observed=rng.choice([None, "g0", "g1"]),
                rules=found[0].rules,
                groups=found,
            )
        )
    rules: list[SharedRule] = []
    keys = tuple(workload.key for workload in workloads)
    if rng.random() < 0.2:
        rules.append(Companionship("pair", keys[:2], together=rng.random() < 0.5))
    if rng.random() < 0.15:
        rules.append(MoveBudget("all", rng.randint(1, 3)))
    if rng.random() < 0.1:
        rules.append(MoveBudget("leaving", rng.randint(0, 1), leaving=frozenset(names[0])))
    rng.shuffle(workloads)
    return asked(cores, *workloads, rules=rules)


def _group(rng: random.Random, name: str, names: str) -> AffinityGroup:
    """Return a group with rules of its own."""
    inside = tuple(sorted(rng.sample(names, rng.randint(1, min(2, len(names))))))
    rules: list[WorkloadRule] = [
        Candidates(inside, dict.fromkeys(set(names) - set(inside), Exclusion("out")))
    ]
    rules.append(Moves(frozenset(names)))
    if rng.random() < 0.15:
        rules.append(Duplicated(choice=rng.random() < 0.5))
        return AffinityGroup(name, tuple(rules))
    rules.append(Total())
    if rng.random() < 0.3:
        held = frozenset(inside) if rng.random() < 0.5 else frozenset()
        rules.append(Bounds({inside[0]: Bound(rng.randint(1, 2))}, {inside[-1]: Bound(1)}, held))
    if rng.random() < 0.2:
        found = {each: frozenset(each) for each in inside}
        rules.append(Spread("cluster", found, rng.randint(1, 2), rng.choice([None, 1, 2])))
    return AffinityGroup(name, tuple(rules))


def _choices(problem: Problem) -> Iterator[Problem]:
    """Yield every joint choice, the first in the order of priority and key first."""
    order = sorted(problem.workloads, key=lambda each: (-each.priority, each.key))
    for chosen in product(*(from_start(workload) for workload in order)):
        settled = (settled_in(workload, group) for workload, group in zip(order, chosen, strict=True))
        yield replace(problem, workloads=tuple(settled))


def assert_first_choice(seed: int) -> str:
    """Compare a joint choice with brute force: the first choice that has a placement; return which it was."""
    problem = _random(seed)
    at, first = next(
        ((at, each) for at, each in enumerate(_choices(problem)) if next(placements(each), None) is not None),
        (0, None),
    )
    outcome = fairlead.solve(problem, workers=1)
    if first is None:
        assert outcome.status is Status.INFEASIBLE
        return "none"
    assert outcome.status is Status.OPTIMAL
    assert taken(outcome) == {workload.key: workload.group for workload in first.workloads}
    # The placement by itself tells the groups: check and score of the problem as it was asked say the same.
    assert outcome.placement is not None
    assert fairlead.check(problem, outcome.placement) == ()
    values = [level.value for level in fairlead.score(problem, outcome.placement)]
    assert values == [level.value for level in outcome.objectives]
    return "later" if at else "first"


def test_a_budget_counts_the_moves_of_the_group_that_is_kept() -> None:
    """Full copies may shrink: of 2 on a 1 stays, and nothing leaves. Of a total of 1 as many would."""
    inside = (Candidates(("a",)), Moves(frozenset("a")))
    groups = (
        AffinityGroup("total", (*inside, Total())),
        AffinityGroup("copies", (*inside, Duplicated(choice=True))),
    )
    service = Workload("w", "w", 1, current={"a": 2}, observed="copies", rules=groups[0].rules, groups=groups)
    problem = asked({"a": 2}, service, rules=(MoveBudget("leaving", 0, leaving=frozenset("a")),))
    outcome = fairlead.solve(problem)
    assert outcome.status is Status.OPTIMAL
    only = Placement({"w": {"a": 1}})
    assert outcome.placement == only
    assert fairlead.check(problem, only) == ()


@pytest.mark.parametrize("seeds", [range(80), pytest.param(range(80, 500), marks=pytest.mark.long)])
def test_the_joint_choice_is_that_of_brute_force(seeds: range) -> None:
    """All joint choices in order, all placements of each; enough have none, or pass one over for others."""
    kinds = Counter(map(assert_first_choice, seeds))
    assert min(kinds[kind] for kind in ("none", "first", "later")) > 10


def _many(seed: int) -> Problem:
    """Return 5 to 8 workloads with 1 to 3 groups of one or two clusters each that share little room."""
    rng = random.Random(f"many {seed}")
    names = "abcdef"[: rng.randint(3, 6)]
    workloads = []
    for number in range(rng.randint(5, 8)):
        inside = ["".join(sorted(rng.sample(names, rng.randint(1, 2)))) for _ in range(rng.randint(1, 3))]
        groups_of = dict.fromkeys(inside)
        more = {"priority": rng.choice([0, 0, 1]), "fresh": rng.random() < 0.2}
        workloads.append(grouped(f"w{number}", rng.randint(1, 3), *groups_of, **more))
    wanted = sum(workload.replicas for workload in workloads)
    cores = {name: rng.randint(0, 2 * wanted // len(names)) for name in names}
    rng.shuffle(workloads)
    return asked(cores, *workloads)


def _fits(problem: Problem, chosen: Mapping[str, AffinityGroup]) -> bool:
    """Tell whether all replicas flow from workloads to clusters of their groups."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    for workload in problem.workloads:
        graph.add_edge("all", workload.key, capacity=workload.replicas)
        for name in chosen[workload.key].name:
            graph.add_edge(workload.key, name, capacity=workload.replicas)
    for cluster in problem.clusters:
        graph.add_edge(cluster.name, "placed", capacity=(cluster.free or {})[CPU] // 1000)
    value, _ = nx.maximum_flow(graph, "all", "placed")
    return bool(value == sum(workload.replicas for workload in problem.workloads))


@pytest.mark.parametrize("seed", range(15))
def test_the_joint_choice_of_many_is_that_of_flows(seed: int) -> None:
    """Up to 3^8 joint choices in order, each decided by the greatest flow through it."""
    problem = _many(seed)
    order = sorted(problem.workloads, key=lambda each: (-each.priority, each.key))
    keys = [workload.key for workload in order]
    every = (dict(zip(keys, chosen, strict=True)) for chosen in product(*map(from_start, order)))
    first = next((chosen for chosen in every if _fits(problem, chosen)), None)
    outcome = fairlead.solve(problem, workers=1)
    if first is None:
        assert outcome.status is Status.INFEASIBLE
        return
    assert outcome.status is Status.OPTIMAL
    assert taken(outcome) == {key: group.name for key, group in first.items()}


def test_what_stays_makes_large_problems_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where one model cannot hold all, w2 stays on b; that w0 could not stand on a is then not proven."""
    monkeypatch.setattr(joint, "LARGE", 0)
    fixed = Workload(
        "w2", "w2", 1, requests={CPU: 1000}, current={"b": 1}, rules=(Candidates(("a", "b")), Total())
    )
    problem = asked({"a": 1, "b": 2, "f": 0}, grouped("w0", 1, "a", "b"), grouped("w1", 1, "f", "a"), fixed)
    outcome = fairlead.solve(problem)
    assert outcome.status is Status.FEASIBLE
    assert taken(outcome) == {"w0": "b", "w1": "a", "w2": None}
    assert outcome.rejected["w0"][0].reason == choose.OUT_OF_TIME
