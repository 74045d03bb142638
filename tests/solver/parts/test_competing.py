"""Workloads that compete: who stays, who is solved together, and that the answer is the best there is."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

import fairlead
from agreeing import assert_best
from fairlead.models.cluster import CPU, Cluster
from fairlead.models.levels import DEFAULT_ORDER
from fairlead.models.outcome import Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Aggregated,
    Candidates,
    Capacity,
    Moves,
    Price,
    SharedRule,
    Tiers,
    Total,
    Weights,
    WorkloadRule,
)
from fairlead.models.score import levels_of
from fairlead.models.workload import Workload
from fairlead.solver.answers.answer import PartAnswer, PartQuestion, compete
from fairlead.solver.exact.alone import place_alone
from fairlead.solver.parts.competing import solve_competing
from fairlead.solver.parts.methods import solve_together
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import Search
from orders import WITHOUT_BALANCE

ABC = frozenset("abc")


def workload(
    key: str,
    replicas: int,
    weights: Mapping[str, int],
    *more: WorkloadRule,
    keep: bool = True,
    **current: int,
) -> Workload:
    """Return a workload of one-cpu replicas with weights for its candidates, and what runs of it."""
    rules = (Candidates(tuple(weights)), Total(), Weights(weights), Moves(ABC, keep=keep), *more)
    return Workload(key, key, replicas, requests={CPU: 1000}, current=current, rules=rules)


def fleet(*workloads: Workload, rules: Sequence[SharedRule] = (Capacity(),), **cores: int) -> Problem:
    """Return a problem of clusters with so many cores in all, of which these workloads use some."""
    clusters = []
    for name, count in cores.items():
        used = sum(each.current.get(name, 0) for each in workloads)
        clusters.append(Cluster(name, free={CPU: 1000 * (count - used)}))
    return Problem(tuple(clusters), workloads, tuple(rules), WITHOUT_BALANCE)


def alone(part: Problem) -> dict[str, Mapping[str, int]]:
    """Return workloads as each stands best with all that is shared for itself."""
    found = {each.key: place_alone(each, part) for each in part.workloads}
    return {key: placed for key, placed in found.items() if placed is not None}


EVENLY = {"a": 1, "b": 1}


@pytest.mark.parametrize(
    ("room", "third"),
    [
        # Third shares b with the two others and stays 1, 1, where it stands alone.
        (9, {"b": 1, "c": 1}),
        # The five replicas that do not fit on a fill b, which third uses: what runs out next brings it in.
        (5, {"c": 2}),
    ],
)
def test_those_that_use_what_runs_out_give_way(room: int, third: Mapping[str, int]) -> None:
    """First and second want 2 of 4 on a, which has three cores; one of the two gives way by one replica."""
    part = fleet(
        workload("first", 4, {"a": 1, "b": 1}),
        workload("second", 4, {"a": 1, "b": 1}),
        workload("third", 2, {"b": 1, "c": 1}),
        a=3,
        b=room,
        c=9,
    )
    outcome = fairlead.solve(part)
    assert outcome.status is Status.OPTIMAL
    assert outcome.placement == Placement(
        {"first": {"a": 2, "b": 2}, "second": {"a": 1, "b": 3}, "third": third}
    )


def settled_and_tiered(order: Sequence[str] = WITHOUT_BALANCE) -> fairlead.Outcome:
    """Solve: old runs on a, which has two cores; new wants its two replicas on a first, b takes the rest."""
    old = workload("old", 2, EVENLY, a=2)
    new = workload("new", 2, EVENLY, Tiers((frozenset("a"), frozenset("b"))))
    return fairlead.solve(replace(fleet(old, new, a=2, b=9), levels=tuple(order)))


def test_a_settled_workload_gives_way_where_a_level_before_its_moves_gains() -> None:
    """Tiers come before moves: new fills its first tier, and both replicas of old move for that."""
    outcome = settled_and_tiered()
    assert outcome.placement == Placement({"new": {"a": 2}, "old": {"b": 2}})
    assert values(outcome)[:2] == [("beyond tier 1", 0), ("moves", 2)]
    assert outcome.status is Status.OPTIMAL


def test_a_settled_workload_stays_where_only_later_levels_would_gain() -> None:
    """The same with moves before tiers, by a profile: old stays, new overflows with both replicas."""
    named = ("moves-first", "tiers")
    outcome = settled_and_tiered((*named, *(key for key in WITHOUT_BALANCE if key not in named)))
    assert outcome.placement == Placement({"new": {"b": 2}, "old": {"a": 2}})
    assert values(outcome)[:2] == [("moves", 0), ("beyond tier 1", 2)]
    # A ratio comes after moves as well: alone new would stand 1, 1.
    ratio = fairlead.solve(fleet(workload("old", 2, EVENLY, a=2), workload("new", 2, EVENLY), a=2, b=9))
    assert ratio.placement == Placement({"new": {"b": 2}, "old": {"a": 2}})


def test_everybody_beside_those_that_stay_is_known_to_stand_alone() -> None:
    """Old fills a; two newcomers would stand 1, 1 and stand on b beside it, each as well as that allows."""
    old = workload("old", 2, EVENLY, a=2)
    part = fleet(old, workload("one", 2, EVENLY), workload("two", 2, EVENLY), a=2, b=9)
    answer = solve_competing(PartQuestion(part, Search(), alone(part)), solve_together)
    assert answer.placement == Placement({"old": {"a": 2}, "one": {"b": 2}, "two": {"b": 2}})
    assert answer.status is Status.OPTIMAL
    everybody = frozenset({"old", "one", "two"})
    assert {level.name: answer.apart.get(level) for level in levels_of(part)} == dict.fromkeys(
        (level.name for level in levels_of(part)), everybody
    )


def test_nobody_who_stays_is_searched_for_levels_after_balance() -> None:
    """Two new ones compete for a, which holds four of their six; two more stay on it, which are proven to.

    How the new ones deviate is open where time for that is over. Before balance is searched, a search of all
    four would tell no more of that than a search of the two did.
    """
    pair = [workload(key, 3, {"a": 9, "b": 1}, keep=False) for key in ("x", "y")]
    dynamic = [replace(each, rules=tuple(map(apart_from_others, each.rules))) for each in pair]
    staying = [workload(key, 3, EVENLY, a=3) for key in ("p", "q")]
    part = replace(fleet(*dynamic, *staying, a=10, b=10), levels=DEFAULT_ORDER)
    asked = list[int]()

    def together(question: PartQuestion) -> PartAnswer:
        asked.append(len(question.part.workloads))
        return solve_together(question)

    over = Deadline.after(0)
    answer = solve_competing(PartQuestion(part, Search(later=over), alone(part)), together)
    assert asked == [2]
    assert answer.status is Status.FEASIBLE
    asked.clear()
    assert solve_competing(PartQuestion(part, Search(), alone(part)), together).status is Status.OPTIMAL


def apart_from_others(rule: WorkloadRule) -> WorkloadRule:
    """Let weights be dynamic ones, whose deviation is a level after balance."""
    return replace(rule, dynamic=True, apart=True) if isinstance(rule, Weights) else rule


def test_a_settled_workload_moves_where_others_have_no_place_else() -> None:
    """New may use a only: one replica of old makes room, and no more than one."""
    old, new = workload("old", 2, EVENLY, a=2), workload("new", 1, {"a": 1})
    outcome = fairlead.solve(fleet(old, new, a=2, b=9))
    assert outcome.placement == Placement({"new": {"a": 1}, "old": {"a": 1, "b": 1}})
    assert values(outcome)[0] == ("moves", 1)
    assert outcome.status is Status.OPTIMAL


def values(outcome: fairlead.Outcome) -> list[tuple[str, object]]:
    """Return the levels with their values."""
    return [(level.name, level.value) for level in outcome.objectives]


def running_fleet(seed: int) -> Problem:
    """Return two or three workloads of up to three replicas on three clusters with hardly any room."""
    rng = random.Random(f"running {seed}")
    workloads = []
    for number in range(rng.randint(2, 3)):
        open_to = rng.sample("abc", rng.randint(2, 3))
        replicas = rng.randint(1, 3)
        held = [rng.choice(open_to if rng.random() < 0.8 else "abc") for _ in range(replicas)]
        if rng.random() < 0.3:
            held = held[: rng.randint(0, replicas)]
        extra: tuple[WorkloadRule, ...] = ()
        if rng.random() < 0.25:
            cut = rng.randint(1, len(open_to) - 1)
            extra = (Tiers((frozenset(open_to[:cut]), frozenset(open_to[cut:]))),)
        elif rng.random() < 0.25:
            extra = (Aggregated(),)
        made = workload(
            f"w{number}",
            replicas,
            {name: rng.randint(1, 3) for name in sorted(open_to)},
            *extra,
            keep=rng.random() < 0.7,
            **{name: held.count(name) for name in sorted(set(held))},
        )
        made = replace(made, fresh=rng.random() < 0.1, due=rng.random() < 0.6)
        workloads.append(replace(made, requests={CPU: rng.choice([1000, 1000, 2000])}))
    total = sum(each.replicas * each.requests[CPU] for each in workloads) // 1000
    offered = {name: rng.randint(1, max(2, total // 2 + 1)) for name in "abc"}
    clusters = []
    for name, cores in offered.items():
        used = sum(each.current.get(name, 0) * each.requests[CPU] for each in workloads)
        clusters.append(
            Cluster(name, free={CPU: 1000 * cores - used}, allocatable={CPU: 1000 * max(cores, 1)})
        )
    order = WITHOUT_BALANCE
    if rng.random() < 0.2:
        named = ("moves-first", "deviation", "tiers")
        order = (*named, *(key for key in WITHOUT_BALANCE if key not in named))
    return Problem(tuple(clusters), tuple(workloads), (Capacity(),), order)


@pytest.mark.parametrize("block", range(4))
def test_the_answer_is_the_best_of_all(block: int) -> None:
    """Random small fleets that run already: every value, every proof and every tie as by brute force."""
    competing = 0
    for seed in range(50 * block, 50 * block + 50):
        problem = running_fleet(seed)
        if assert_best(problem, seed) is None:
            continue
        placed = alone(problem)
        competing += len(placed) == len(problem.workloads) and compete(problem, Placement(placed))
    assert competing >= 6


@pytest.mark.parametrize("seed", [533, 570, 603])
def test_a_profile_may_put_levels_of_moves_late(seed: int) -> None:
    """Moves, deviation, then tiers: somebody stays for moves before tiers, a level that comes late here."""
    assert assert_best(running_fleet(seed)) is not None


@pytest.mark.parametrize("levels", [WITHOUT_BALANCE, DEFAULT_ORDER])
def test_what_is_compared_in_steps_is_not_proven_to_the_last_digit(levels: tuple[str, ...]) -> None:
    """3e9 beside 67e-11 and 40e-11: in steps that fit 64 bits the cheap ones cost nothing, and 3, 3 will do.

    One on a and five on b cost 267e-11 and not 321e-11, so that is no bound.
    """
    prices = Price({"a": Fraction(67, 10**11), "b": Fraction(40, 10**11), "c": Fraction(3 * 10**9)})
    priced = workload("priced", 6, {"a": 1, "b": 1, "c": 1}, prices)
    other = replace(workload("other", 1, {"a": 1, "c": 1}), requests={CPU: 2000})
    clusters = tuple(Cluster(name, free={CPU: cpu}) for name, cpu in (("a", 3000), ("b", 5000), ("c", 9000)))
    outcome = fairlead.solve(Problem(clusters, (priced, other), levels=levels), workers=1)
    cost = next(level for level in outcome.objectives if level.name == "cost")
    assert outcome.status is Status.OPTIMAL
    assert cost.bound is not None
    assert cost.bound <= Fraction(267, 10**11) < cost.value == cost.bound + (cost.resolution or 0)
