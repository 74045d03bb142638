"""Levels by CP-SAT against brute force, ties, hints, time limits and proofs."""

import math
import random
import time
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from brute_force import brute_force, placements
from fairlead.models.check import check
from fairlead.models.cluster import CPU, Cluster
from fairlead.models.levels import Deviation
from fairlead.models.outcome import Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.result import Progress
from fairlead.models.rules import Candidates, Capacity, Moves, Total, Weights
from fairlead.models.score import score
from fairlead.models.workload import Workload
from fairlead.solver.levels import level_models
from fairlead.solver.levels.level_search import LevelSearch
from fairlead.solver.levels.lexicographic import LexicographicResult, minimise_levels
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import RunLimits, RunResult, Search, Verdict
from random_problems import random_problem
from seeds import runs


def divided(key: str, replicas: int, weights: dict[str, int], **more: object) -> Workload:
    """Return a workload that is divided by weights over the named clusters."""
    names = tuple(sorted(weights))
    rules = (Candidates(names), Total(), Weights(weights), Moves(frozenset(names)))
    workload = Workload(key, key, replicas, rules=rules)
    return replace(workload, **more)  # type: ignore[arg-type]


def assert_best(problem: Problem, result: LexicographicResult) -> None:
    """Compare a result with brute force: every level, the placement itself, and what is proven."""
    best = brute_force(problem)
    if best is None:
        assert result.status is Status.INFEASIBLE
        assert result.placement is None
        return
    assert result.status is Status.OPTIMAL
    assert tuple(level.value for level in result.attained) == best.values
    assert result.placement == best.placement
    assert result.settled
    for level in result.attained:
        # Numbers are small, so that every comparison was exact.
        assert (level.bound, level.proven, level.resolution) == (level.value, True, None)


@pytest.mark.parametrize("deviation", Deviation)
@pytest.mark.parametrize("seeds", runs(range(100), range(100, 1000)))
def test_agrees_with_brute_force(deviation: Deviation, seeds: range) -> None:
    """Random mixtures of all rules: feasibility, every level and the tie-break are those of brute force."""
    for seed in seeds:
        problem = random_problem(seed, deviation)
        assert_best(problem, minimise_levels(problem, Search(workers=1)))


@pytest.mark.parametrize("deviation", Deviation)
def test_any_hint_leads_to_the_same_answer(deviation: Deviation) -> None:
    """A hint, the worst one included, one that breaks rules, or two workers change nothing."""
    for seed in range(1000, 1030):
        problem = random_problem(seed, deviation)
        valid = list(placements(problem))
        worst = max(valid, key=lambda each: [level.value for level in score(problem, each)], default=None)
        broken = Placement({workload.key: {"member1": 77} for workload in problem.workloads})
        assert_best(problem, minimise_levels(problem, Search(workers=1), worst))
        assert_best(problem, minimise_levels(problem, Search(workers=1), broken))
        assert_best(problem, minimise_levels(problem, Search(workers=2, seed=seed)))


def test_ties_fall_to_the_first_workload_and_cluster() -> None:
    """Two workloads want one cpu each where one cluster has room for one: the first workload gets member1."""
    # Weights 1:1 of one replica: both placements deviate alike, for either workload.
    clusters = (Cluster("member1", free={CPU: 100}), Cluster("member2", free={CPU: 100}))
    workloads = tuple(
        divided(key, 1, {"member1": 1, "member2": 1}, requests={CPU: 100}) for key in ("a", "b")
    )
    result = minimise_levels(Problem(clusters, workloads, (Capacity(),)), Search(workers=1))
    assert result.placement == Placement({"a": {"member1": 1}, "b": {"member2": 1}})
    assert result.settled


def test_one_level_is_pinned_before_the_next() -> None:
    """Keeping what runs comes before the ratio where the workload keeps, after it where it does not."""
    clusters = (Cluster("member1"), Cluster("member2"))
    current = {"member1": 4}
    workload = divided("a", 4, {"member1": 1, "member2": 1}, current=current)
    names = frozenset({"member1", "member2"})
    keeps = replace(workload, rules=(*workload.rules[:3], Moves(names, keep=True)))
    first = minimise_levels(Problem(clusters, (keeps,)), Search(workers=1))
    # No move: 4 and 0 although 2 and 2 are wanted; (2^2 + 2^2) / 2 = 4.
    assert first.placement == Placement({"a": {"member1": 4}})
    assert [(level.name, level.value) for level in first.attained] == [("moves", 0), ("deviation", 4)]
    last = minimise_levels(Problem(clusters, (workload,)), Search(workers=1))
    assert last.placement == Placement({"a": {"member1": 2, "member2": 2}})
    assert [(level.name, level.value) for level in last.attained] == [("deviation", 0), ("other moves", 2)]


def test_costs_far_from_the_quota_are_refined_until_exact() -> None:
    """Capacity pushes replicas hundreds of steps away from their quotas, where segments are coarse."""
    # 3,000 replicas over 1:1:1 and both workloads: member1 has room for 500 in all, so each other cluster
    # takes half of the rest. Whatever the division between the workloads, webster is least where both are
    # alike: 250, 1375, 1375 each.
    clusters = (Cluster("member1", free={CPU: 500}), Cluster("member2"), Cluster("member3"))
    weights = {"member1": 1, "member2": 1, "member3": 1}
    workloads = tuple(divided(key, 3000, weights, requests={CPU: 1}) for key in ("a", "b"))
    problem = Problem(clusters, workloads, (Capacity(),))
    far = Placement({key: {"member2": 3000} for key in ("a", "b")})
    for hint in (None, far):
        result = minimise_levels(problem, Search(workers=1), hint)
        share = {"member1": 250, "member2": 1375, "member3": 1375}
        assert result.placement == Placement({"a": share, "b": share})
        assert result.status is Status.OPTIMAL
        # Each workload is 750 off at member1 and 375 off at the others, over quotas of 1000.
        assert result.attained[0].value == 2 * Fraction(750**2 + 2 * 375**2, 1000)


def test_numbers_too_large_to_compare_exactly_are_said_to_be_so() -> None:
    """Weights without a small common denominator: proven to a resolution that is told, and tiny."""
    weights = {f"member{i}": weight for i, weight in enumerate([9973, 9967, 9949, 9941, 9931, 9929])}
    problem = Problem(tuple(Cluster(name) for name in weights), (divided("a", 1000, weights),))
    level = minimise_levels(problem, Search(workers=1)).attained[0]
    assert level.proven
    assert level.bound is not None
    assert level.resolution == level.value - level.bound
    assert level.resolution is not None
    assert 0 < level.resolution < Fraction(1, 10**6)


def test_the_greatest_distance_of_one_workload_is_exact_whatever_the_weights() -> None:
    """Minimax of one workload is proven without resolution, even where no common denominator fits."""
    rng = random.Random(5)
    weights = {f"member{i:03}": rng.randint(1, 1000) for i in range(60)}
    clusters = tuple(Cluster(name) for name in weights)
    problem = Problem(clusters, (divided("a", 600, weights),), deviation=Deviation.MINIMAX)
    level = minimise_levels(problem, Search(workers=1)).attained[0]
    assert (level.proven, level.resolution, level.bound) == (True, None, level.value)


def test_a_hint_is_never_lost_at_the_time_limit() -> None:
    """Without any time the answer is the hint itself, with the bounds that hold for every placement."""
    clusters = (Cluster("member1"), Cluster("member2"))
    problem = Problem(clusters, (divided("a", 3, {"member1": 1, "member2": 1}),))
    hint = Placement({"a": {"member2": 3}})
    result = minimise_levels(problem, Search(Deadline.after(0), 1), hint)
    assert (result.status, result.placement, result.settled) == (Status.FEASIBLE, hint, False)
    # A sum of squares and a number of moves are at least 0, and nothing runs that could move.
    assert [(level.value, level.bound, level.proven) for level in result.attained] == [
        (3, 0, False),
        (0, 0, True),
    ]


def test_without_time_and_hint_nothing_is_claimed() -> None:
    """No time, no hint: unknown, which is not infeasible."""
    problem = Problem((Cluster("member1"),), (divided("a", 3, {"member1": 1}),))
    assert minimise_levels(problem, Search(Deadline.after(0))).status is Status.UNKNOWN


def test_the_time_limit_holds_while_the_model_is_built() -> None:
    """A model of 60,000 variables cannot be built in time: the hint comes back soon after the limit."""
    weights = {f"member{i:03}": 1 + i % 7 for i in range(300)}
    clusters = tuple(Cluster(name, free={CPU: 5000}) for name in weights)
    workloads = tuple(divided(f"w{i:03}", 300, weights, requests={CPU: 10 + i}) for i in range(200))
    problem = Problem(clusters, workloads, (Capacity(),))
    hint = Placement({workload.key: dict.fromkeys(weights, 1) for workload in workloads})
    assert len(check(problem, hint)) > 0  # the hint breaks the capacity, so it is not used
    started = time.monotonic()
    result = minimise_levels(problem, Search(Deadline.after(0.2)), hint)
    assert result.status in (Status.UNKNOWN, Status.FEASIBLE)
    assert time.monotonic() - started < 30  # generous: this is no measurement, only "does not run on"


def test_progress_is_told_level_by_level() -> None:
    """Every level is told once, in order, with what is proven of it."""
    told: list[Progress] = []
    problem = Problem((Cluster("member1"),), (divided("a", 3, {"member1": 1}),))
    result = minimise_levels(problem, Search(workers=1, progress=told.append))
    assert [(each.level, each.value, each.bound) for each in told] == [
        (level.name, level.value, level.bound) for level in result.attained
    ]


@pytest.mark.parametrize(
    ("limit", "work"),
    [
        # Without a limit twice as long after the first two tries, each of which leaves a quarter of what was
        # missing; nothing is won by the one after these, and the level is given up.
        (None, [0.2, 8, 16, 32]),
        # With one the second try may use all of it: time ends it.
        (60.0, [0.2, math.inf]),
    ],
)
def test_without_a_limit_a_level_ends_by_itself(
    monkeypatch: pytest.MonkeyPatch, limit: float | None, work: list[float]
) -> None:
    """A search that gets nowhere is given up, with the placement and the bound that are known by then."""
    clusters = (Cluster("a", free={CPU: 30}), Cluster("b", free={CPU: 60}))
    workloads = tuple(divided(key, 30, {"a": 2, "b": 1}, requests={CPU: 1}) for key in ("x", "y"))
    problem = Problem(clusters, workloads, (Capacity(),))
    # 20 and 10 is the ratio, but a has room for 30: this is best. What each costs alone is no proof.
    hint = Placement({key: {"a": 15, "b": 15} for key in ("x", "y")})
    efforts: list[RunLimits] = []

    def slow(_: Any, __: Any, terms: Any, near: Any, effort: RunLimits) -> RunResult:
        """Find nothing better; bound the level from below, three times a bit better."""
        efforts.append(effort)
        values = {variable.index: value for variable, value in near}
        value = sum(factor * values[variable.index] for variable, factor in terms)
        return RunResult(Verdict.FEASIBLE, None, value - 4 ** (4 - min(len(efforts), 3)))

    monkeypatch.setattr(level_models, "run", slow)
    monkeypatch.setattr(LevelSearch, "_is_large", lambda _: False)
    result = minimise_levels(problem, Search(Deadline.after(limit), 1), hint)
    assert (result.status, result.placement) == (Status.FEASIBLE, hint)
    deviation, moves = result.attained
    assert deviation.bound is not None
    assert 0 < deviation.bound < deviation.value
    assert (deviation.proven, moves.proven) == (False, True)
    assert [effort.work for effort in efforts[: len(work)]] == work
    assert len(efforts) == len(work) or limit is not None
