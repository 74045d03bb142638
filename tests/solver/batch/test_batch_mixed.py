"""Batches beyond boxes: other rules in between, quotas, budgets and prices of moves, priorities."""

import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from batch_problems import fleet, random_batch
from brute_force import brute_force
from fairlead.models.check import check
from fairlead.models.cluster import CPU, Cluster
from fairlead.models.levels import Deviation
from fairlead.models.outcome import Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.result import Progress
from fairlead.models.rules import (
    Bounds,
    Candidates,
    Capacity,
    MoveBudget,
    MovePrice,
    Moves,
    Price,
    Quota,
    Spread,
    Tiers,
    Total,
    Weights,
)
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.quota import QuotaLimit, QuotaScope
from fairlead.models.score import levels_of, score
from fairlead.models.workload import Workload
from fairlead.solver.answers.attainment import LexicographicResult
from fairlead.solver.batch import tuning
from fairlead.solver.batch.levels import solve_batch
from fairlead.solver.batch.mixed import bounds as relaxed
from fairlead.solver.batch.mixed import search as mixed
from fairlead.solver.batch.mixed.search import applies_mixed, solve_mixed
from fairlead.solver.batch.overload import applies_partly, solve_partly
from fairlead.solver.batch.separable import applies
from fairlead.solver.floor import place_greedily
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import Search
from partial_problems import best_partial
from random_problems import random_problem
from seeds import runs

DIVIDED = (Deviation.L1, Deviation.WEBSTER)


def solved(problem: Problem, floor: Placement | None = None, seconds: float = 20.0) -> LexicographicResult:
    """Solve a mixed batch and check what comes out."""
    result = solve_mixed(problem, Search(Deadline.after(seconds)), floor=floor)
    if result.placement is not None:
        assert not check(problem, result.placement)
        values = tuple(each.value for each in score(problem, result.placement))
        assert tuple(each.value for each in result.attained) == values
    return result


def assert_sound(problem: Problem, result: LexicographicResult) -> tuple[int, int]:
    """Compare with brute force; return whether it was proven, and whether it was the best."""
    best = brute_force(problem)
    if best is None:
        assert result.placement is None
        return 0, 0
    assert result.status is not Status.INFEASIBLE
    if result.placement is None:
        return 0, 0
    values = tuple(level.value for level in result.attained)
    assert values >= best.values
    for level, value in zip(result.attained, best.values, strict=True):
        assert level.bound is None or level.bound <= value
        if level.value != value:
            break
    proven = result.status is Status.OPTIMAL
    assert not proven or values == best.values
    return int(proven), int(values == best.values)


def mixed_problems(seeds: range, deviation: Deviation) -> list[Problem]:
    """Return small problems with every rule of single workloads."""
    made = (random_problem(seed, deviation, most_workloads=3, most_replicas=4) for seed in seeds)
    return [problem for problem in made if applies_mixed(problem)]


@pytest.mark.parametrize("deviation", DIVIDED)
@pytest.mark.parametrize("seeds", runs(range(8), *(range(at, at + 40) for at in range(1000, 1400, 40))))
def test_bounds_and_proofs_are_sound(
    seeds: range, deviation: Deviation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without CP-SAT on the whole: no bound above the best, no wrong proof, mostly the best itself."""
    monkeypatch.setattr(tuning, "WHOLE", 0)
    found = [assert_sound(each, solved(each)) for each in mixed_problems(seeds, deviation)]
    assert sum(best for _, best in found) >= 2
    assert sum(proven for proven, _ in found) >= 1


def test_small_ones_are_proven_by_search() -> None:
    """What prices leave open is closed by CP-SAT where the problem is small."""
    for problem in mixed_problems(range(40, 43), Deviation.L1):
        best = brute_force(problem)
        result = solved(problem)
        assert result.status is (Status.INFEASIBLE if best is None else Status.OPTIMAL)
        assert best is None or tuple(level.value for level in result.attained) == best.values


@pytest.mark.parametrize("deviation", DIVIDED)
def test_prices_choose_groups(deviation: Deviation, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bound and placement of a fleet meet within 3 % by prices and a few parts alone."""
    monkeypatch.setattr(tuning, "WHOLE", 0)
    problem = fleet(1, deviation)
    assert not applies(problem)
    told: list[Progress] = []
    result = solve_mixed(problem, Search(Deadline.after(4.0), progress=told.append))
    assert result.placement is not None
    assert not check(problem, result.placement)
    assert told
    for level in result.attained:
        assert level.bound is not None
        assert level.value - level.bound <= Fraction(3, 100) * level.value


def test_workloads_that_like_the_same_group_get_groups_that_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three alike in one region each, with room for one: at the best prices all three take the same."""
    monkeypatch.setattr(tuning, "WHOLE", 0)
    names = ("a", "b", "c")
    regions = {name.upper(): frozenset({name}) for name in names}
    weights = Weights({"a": 4, "b": 3, "c": 2})
    rules = (Candidates(names), Total(), Spread("region", regions, 1, 1), weights)
    made = tuple(
        Workload(f"w{number}", f"w{number}", 8, requests={CPU: 1000 + 10 * number}, rules=rules)
        for number in range(3)
    )
    clusters = tuple(Cluster(name, free={CPU: 10_000}) for name in names)
    result = solved(Problem(clusters, made, (Capacity(),), balances=()), seconds=2.0)
    assert result.placement is not None


def test_a_search_of_the_whole_that_ends_early_forgets_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """CP-SAT without time returns the placement it was given, with no bounds; those of the prices stay."""
    problem = fleet(1)

    def hurried(part: Problem, _: Search, best: Placement) -> LexicographicResult:
        return LexicographicResult(Status.FEASIBLE, best, score(part, best))

    monkeypatch.setattr(tuning, "WHOLE", 600)
    monkeypatch.setattr(mixed, "minimise_levels", hurried)
    assert all(level.bound is not None for level in solved(problem).attained)


def test_never_worse_than_the_floor() -> None:
    """Without any time the floor itself comes back; a broken one is not used."""
    problem = fleet(2)
    floor = solved(problem, seconds=1.0).placement
    assert floor is not None
    hurried = solve_mixed(problem, Search(Deadline.after(0.0)), floor=floor)
    assert hurried.placement is not None
    assert [each.value for each in hurried.attained] <= [each.value for each in score(problem, floor)]
    broken = Placement({problem.workloads[0].key: {"member0": 10_000}})
    assert solve_mixed(problem, Search(Deadline.after(0.0)), floor=broken).placement != broken


def test_tiers_left_no_choice_are_measured() -> None:
    """What tiers hold is known where each workload fills the first; then the deviation has a bound."""
    # a takes 4 of 6 replicas of either; the other tier divides 2 replicas 1 : 1, as its weights want.
    members = tuple(
        Cluster(name, free={CPU: amount}) for name, amount in (("a", 800), ("b", 400), ("c", 400))
    )
    tiers = (frozenset({"a"}), frozenset({"b", "c"}))
    rules = (
        Candidates(("a", "b", "c")),
        Total(),
        Tiers(tiers),
        Weights({"a": 1, "b": 1, "c": 1}, tiers=tiers),
    )
    one = Workload("one", "one", 6, requests={CPU: 200}, rules=rules)
    problem = Problem(members, (one,), (Capacity(),), deviation=Deviation.L1)
    bounds = relaxed.RelaxedBounds(problem)
    levels = levels_of(problem)
    assert bounds.bound(levels[0], {}) == (2, True)
    placement = Placement({"one": {"a": 4, "b": 1, "c": 1}})
    assert [note.proven for note in bounds.notes(placement, Deadline())] == [True, True]


def with_rows(seed: int, deviation: Deviation) -> Problem:
    """Return a small batch with budgets of moves, quotas on clusters and prices of moves."""
    rng = random.Random(f"rows {seed}")
    problem = random_batch(seed, deviation)
    names = [cluster.name for cluster in problem.clusters]
    present = frozenset(names)
    made = []
    for each in problem.workloads:
        rules = each.rules
        if rng.random() < 0.5:
            rules = (*rules, MovePrice(Fraction(rng.randint(0, 6), rng.choice([1, 2, 3])), present))
        made.append(replace(each, rules=rules, namespace=rng.choice(["shop", "web"])))
    shared = list(problem.rules)
    some = frozenset(rng.sample(names, rng.randint(1, len(names))))
    kinds: tuple[dict[str, Any], ...] = ({}, {"leaving": some}, {"arriving": some})
    for _ in range(rng.randint(0, 2)):
        under_way = {made[0].key: frozenset(names[:1])} if rng.random() < 0.3 else {}
        keys = None if rng.random() < 0.5 else frozenset({rng.choice(made).key})
        shared.append(
            replace(MoveBudget("all", rng.randint(0, 4), keys, under_way=under_way), **rng.choice(kinds))
        )
    if rng.random() < 0.6:
        limits = {
            QuotaScope(CPU, rng.choice(names)): QuotaLimit(rng.randint(0, 8) * 100, rng.randint(0, 2) * 100)
        }
        if rng.random() < 0.3:
            limits[QuotaScope("pods")] = QuotaLimit(rng.randint(2, 12))
        shared.append(Quota("most", "shop", limits))
    return replace(problem, workloads=tuple(made), rules=tuple(shared))


@pytest.mark.parametrize("deviation", DIVIDED)
@pytest.mark.parametrize("seeds", runs(range(14), range(100, 400)))
def test_budgets_quotas_and_prices_of_moves(seeds: range, deviation: Deviation) -> None:
    """Rows of every kind, against brute force: the best on every level, or none proven."""
    solved_ones = 0
    for seed in seeds:
        problem = with_rows(seed, deviation)
        assert applies(problem)
        solved_ones += agrees(problem)
    assert solved_ones >= 4


def agrees(problem: Problem) -> bool:
    """Compare a batch with brute force; tell whether it has a placement."""
    best = brute_force(problem)
    result = solve_batch(problem, Search(Deadline.after(30.0)))
    if best is None:
        assert result.status is Status.INFEASIBLE
        return False
    assert result.status is Status.OPTIMAL
    assert tuple(level.value for level in result.attained) == best.values
    assert result.placement is not None
    assert not check(problem, result.placement)
    return True


def test_a_budget_keeps_what_runs() -> None:
    """Of the 4 replicas that the ratio would move, 1 may."""
    members = (Cluster("a"), Cluster("b"))
    rules = (Candidates(("a", "b")), Total(), Weights({"a": 1, "b": 1}), Moves(frozenset({"a", "b"})))
    made = tuple(Workload(name, name, 4, current={"a": 4}, rules=rules) for name in ("one", "two"))
    problem = Problem(members, made, (Capacity(), MoveBudget("all", 1)), deviation=Deviation.L1)
    result = solve_batch(problem, Search(Deadline.after(10.0)))
    # Each is 4 away from 2 : 2; one move makes that 2 for one of them.
    assert [level.value for level in result.attained] == [6, 1]


@pytest.mark.parametrize("deviation", DIVIDED)
def test_priorities_split_levels(deviation: Deviation) -> None:
    """Every priority has levels of its own, the higher first; on shared capacity that decides."""
    rng = random.Random(f"priorities {deviation}")
    compared = 0
    for seed in range(200, 214):
        problem = random_batch(seed, deviation, load=0.9)
        made = tuple(replace(each, priority=rng.choice([0, 5, 9])) for each in problem.workloads)
        compared += agrees(replace(problem, workloads=made))
    assert compared >= 4


def test_the_more_urgent_gets_its_ratio() -> None:
    """One cluster has room for one: the more urgent workload takes it, whatever that costs the other."""
    members = (Cluster("a", free={CPU: 100}), Cluster("b"))
    rules = (Candidates(("a", "b")), Total(), Weights({"a": 1, "b": 1}))
    low = Workload("a-low", "a-low", 2, requests={CPU: 100}, rules=rules)
    high = replace(low, key="b-high", name="b-high", priority=3)
    problem = Problem(members, (low, high), (Capacity(),), deviation=Deviation.L1)
    result = solve_batch(problem, Search(Deadline.after(10.0)))
    assert [level.value for level in result.attained] == [0, 2]


def test_sums_beyond_64_bits_are_left_alone() -> None:
    """Requests without a common divisor whose sum passes 62 bits are not for arrays; just below they are."""
    rules = (Candidates(("a", "b")), Total(), Weights({"a": 1, "b": 1}))

    def asking(replicas: int) -> Problem:
        made = tuple(
            Workload(name, name, replicas, requests={"memory": need}, rules=rules)
            for name, need in (("one", 2**40), ("two", 2**40 - 1))
        )
        members = (Cluster("a", free={"memory": 2**61}), Cluster("b", free={"memory": 2**70}))
        return Problem(members, made, (Capacity(),), deviation=Deviation.L1)

    assert not applies(asking(2**21 + 1))
    assert not applies_mixed(asking(2**21 + 1))
    largest = asking(2**21)
    assert applies(largest)
    result = solve_batch(largest, Search(Deadline.after(20.0)))
    assert result.placement is not None
    # Half of 2^21 replicas of 2^40 bytes each, twice, is just what a has.
    assert [level.value for level in result.attained] == [0]


def overloaded(seed: int, deviation: Deviation) -> Problem:
    """Return a partial batch, mostly with more asked for than there is, of workloads of three priorities."""
    rng = random.Random(f"partly {seed}")
    problem = random_batch(seed, deviation, most_replicas=4, load=rng.choice([1.0, 2.0, 4.0]))
    made = []
    for each in problem.workloads:
        kept = tuple(rule for rule in each.rules if not isinstance(rule, Bounds | Price))
        made.append(replace(each, rules=kept, priority=rng.choice([0, 5])))
    return replace(problem, workloads=tuple(made), partial=True)


def agrees_partly(problem: Problem) -> bool:
    """Compare a partial batch with brute force; tell whether anything stays unplaced."""
    assert applies_partly(problem)
    best = best_partial(problem)
    result = solve_partly(problem, Search(Deadline.after(30.0)), floor=place_greedily(problem))
    assert result.status is Status.OPTIMAL
    assert tuple(level.value for level in result.attained) == best.values
    assert [level.name for level in result.attained] == [each.name for each in score(problem, best.placement)]
    assert result.placement == best.placement or not result.settled
    unplaced = [each for each in score(problem, best.placement) if each.name.startswith("unplaced")]
    return any(each.value for each in unplaced)


@pytest.mark.parametrize("deviation", DIVIDED)
@pytest.mark.parametrize("seeds", runs(range(10), range(100, 350)))
def test_as_few_as_possible_stay_unplaced(seeds: range, deviation: Deviation) -> None:
    """Of overloaded batches the fewest replicas stay unplaced, by priority; then all other levels."""
    assert sum(agrees_partly(overloaded(seed, deviation)) for seed in seeds) >= 1


def test_minima_are_not_for_partial_batches() -> None:
    """Minima give way by themselves: such workloads are left to CP-SAT."""
    rules = (Candidates(("a",)), Total(), Bounds({"a": Bound(2)}))
    one = Workload("one", "one", 4, requests={CPU: 100}, rules=rules)
    problem = Problem((Cluster("a", free={CPU: 100}),), (one,), (Capacity(),), partial=True)
    assert not applies_partly(problem)
    assert applies_partly(replace(problem, workloads=(replace(one, rules=rules[:2]),)))


def test_prices_refute_an_overload() -> None:
    """4,000 replicas ask for 1 % more than all clusters have: proven, too large for a model of CP-SAT."""
    names = tuple(f"member{number:02d}" for number in range(40))
    rules = (Candidates(names), Total(), Weights(dict.fromkeys(names, 1)))
    made = tuple(
        Workload(f"w{n:03d}", f"w{n:03d}", 40, requests={CPU: 100 + n % 7}, rules=rules) for n in range(100)
    )
    asked = sum(each.requests[CPU] * each.replicas for each in made)
    members = tuple(Cluster(name, free={CPU: int(asked / 1.01) // 40}) for name in names)
    problem = Problem(members, made, (Capacity(),), deviation=Deviation.L1)
    assert solve_batch(problem, Search(Deadline.after(20.0))).status is Status.INFEASIBLE


def test_priorities_of_mixed_batches_are_sound(monkeypatch: pytest.MonkeyPatch) -> None:
    """With levels of several priorities bounds and proofs hold as well."""
    monkeypatch.setattr(tuning, "WHOLE", 0)
    rng = random.Random("mixed priorities")
    for problem in mixed_problems(range(60, 66), Deviation.WEBSTER):
        made = tuple(replace(each, priority=rng.choice([0, 3, 7])) for each in problem.workloads)
        urgent = replace(problem, workloads=made)
        assert_sound(urgent, solved(urgent))
