"""Many workloads on shared capacity: bounds, proofs and placements against brute force and other programs."""

from dataclasses import replace
from fractions import Fraction

import pytest

from batch_problems import middling, random_batch
from brute_force import brute_force
from fairlead.models.check import check
from fairlead.models.cluster import CPU, Cluster
from fairlead.models.levels import Deviation
from fairlead.models.outcome import Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.result import Progress
from fairlead.models.rules import Bounds, Candidates, Capacity, Moves, Spread, Total, Weights
from fairlead.models.rules.bounds import Bound
from fairlead.models.score import score
from fairlead.models.workload import Workload
from fairlead.solver.answers.attainment import LexicographicResult
from fairlead.solver.batch.levels import solve_batch
from fairlead.solver.batch.primal.exchange import Exchange
from fairlead.solver.batch.separable import applies
from fairlead.solver.dispensers import reference
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import Search
from seeds import runs

DIVIDED = (Deviation.L1, Deviation.WEBSTER)


def solved(
    problem: Problem, workers: int = 1, seconds: float = 60.0, floor: Placement | None = None
) -> LexicographicResult:
    """Solve a batch and check what comes out."""
    result = solve_batch(problem, Search(Deadline.after(seconds), workers), floor=floor)
    if result.placement is not None:
        assert not check(problem, result.placement)
        assert tuple(each.value for each in result.attained) == tuple(
            each.value for each in score(problem, result.placement)
        )
    return result


def assert_best(problem: Problem, result: LexicographicResult) -> None:
    """Compare with brute force: proven where it says so, never above what is best."""
    best = brute_force(problem)
    if best is None:
        assert result.status is Status.INFEASIBLE
        return
    assert result.status is Status.OPTIMAL
    assert tuple(level.value for level in result.attained) == best.values
    assert all(level.bound == level.value for level in result.attained)
    assert result.placement == best.placement or not result.settled


@pytest.mark.parametrize("deviation", DIVIDED)
@pytest.mark.parametrize("seeds", runs(range(16), *(range(at, at + 60) for at in range(1000, 1600, 60))))
def test_agrees_with_brute_force(deviation: Deviation, seeds: range) -> None:
    """Small batches, some with more asked for than there is: every level is the best, or none can be met."""
    sizes = {} if seeds == range(16) else {"workloads": 4, "most_replicas": 6}
    for seed in seeds:
        problem = random_batch(seed, deviation, **sizes)
        assert applies(problem)
        assert_best(problem, solved(problem))


def test_moves_come_before_the_deviation() -> None:
    """What runs stays although the weights would divide it, and only what has to go goes."""
    # b has room for 1000m: one replica of each, so that one of the two that run there has to leave.
    members = (Cluster("a", free={CPU: 4000}), Cluster("b", free={CPU: -500}))
    rules = (
        Candidates(("a", "b")),
        Total(),
        Weights({"a": 1, "b": 1}),
        Moves(frozenset({"a", "b"}), keep=True),
    )
    made = tuple(
        Workload(name, name, 3, requests={CPU: 500}, current={"b": 2}, rules=rules) for name in ("one", "two")
    )
    problem = Problem(members, made, (Capacity(),), deviation=Deviation.L1)
    result = solved(problem)
    assert_best(problem, result)
    assert [level.value for level in result.attained] == [1, 2]


def test_more_than_there_is_is_infeasible() -> None:
    """Nothing is placed where the clusters cannot hold all; that is proven."""
    members = (Cluster("a", free={CPU: 1000}), Cluster("b", free={CPU: 900}))
    rules = (Candidates(("a", "b")), Total(), Weights({"a": 1, "b": 1}))
    made = tuple(Workload(name, name, 2, requests={CPU: 500}, rules=rules) for name in ("one", "two"))
    # 4 replicas of 500m; a takes 2, b only 1.
    assert solved(Problem(members, made, (Capacity(),))).status is Status.INFEASIBLE


def test_never_worse_than_the_floor() -> None:
    """Without any time the floor itself comes back."""
    problem = middling(1, Deviation.L1, load=0.6)
    floor = reference.place(problem)
    assert not check(problem, floor)
    hurried = solve_batch(problem, Search(Deadline.after(0.0)), floor=floor)
    assert hurried.status is Status.FEASIBLE
    assert hurried.attained[0].value <= score(problem, floor)[0].value
    assert solved(problem, seconds=2.0, floor=floor).attained[0].value <= score(problem, floor)[0].value


@pytest.mark.parametrize("deviation", DIVIDED)
def test_levels_do_not_depend_on_order_or_workers(deviation: Deviation) -> None:
    """Workloads given in another order, or one worker more: the same levels where they are proven."""
    for seed in range(8):
        problem = random_batch(seed, deviation)
        turned = replace(problem, workloads=tuple(reversed(problem.workloads)))
        assert turned.workloads == problem.workloads
        first, second = solved(problem, workers=1), solved(turned, workers=2)
        assert first.status is second.status
        assert first.attained == second.attained
        assert first.placement == second.placement


def test_interrupt_returns_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C during the exchanges gives the placement that was known then."""

    def interrupted(*_: object) -> float:
        raise KeyboardInterrupt

    problem = middling(1, Deviation.L1, load=0.6)
    floor = reference.place(problem)
    monkeypatch.setattr(Exchange, "improve", interrupted)
    result = solved(problem, floor=floor)
    assert result.status is Status.FEASIBLE
    assert result.attained[0].value <= score(problem, floor)[0].value


def test_progress_is_told() -> None:
    """Values fall, bounds rise, and the last report is what comes out."""
    told: list[Progress] = []
    problem = middling(2, Deviation.L1)
    result = solve_batch(problem, Search(Deadline.after(2.0), progress=told.append))
    assert told
    values = [each.value for each in told if each.value is not None]
    assert values == sorted(values, reverse=True)
    bounds = [each.bound for each in told if each.bound is not None]
    assert bounds == sorted(bounds)
    assert told[-1].level == "deviation"
    # Reports count in whole steps, the result exactly.
    assert float(values[-1]) == pytest.approx(float(result.attained[0].value))


def test_a_level_after_one_that_was_met_at_once_keeps_its_pin() -> None:
    """Two replicas on three clusters cost the same wherever they stand, so the first level needs no search.

    There are prices from no guide then, and the workload is frozen for the second level, but could stand
    worse: three of three places cost more than the pin, which the frozen model leaves out.
    """
    names = ("a", "b", "c")
    rules = (Candidates(names), Total(), Weights(dict.fromkeys(names, 1)))
    workloads = tuple(
        Workload(f"d/{name}", name, replicas, "d", requests={CPU: 1}, priority=priority, rules=rules)
        for name, replicas, priority in (("high", 2, 3), ("low", 21, 1), ("mid", 20, 2))
    )
    clusters = tuple(Cluster(name, free={CPU: free}) for name, free in zip(names, (1000, 4, 4), strict=True))
    problem = Problem(clusters, workloads, (Capacity(),), deviation=Deviation.L1)
    result = solve_batch(problem, Search(Deadline(), 1))
    assert result.status is Status.OPTIMAL
    # Quotas are 2/3, 20/3 and 7 on every cluster; b and c have room for seven replicas beside the urgent two.
    assert [level.value for level in result.attained] == [Fraction(4, 3), Fraction(38, 3), 28]


def test_applies_to_boxes_only() -> None:
    """Rules that tie places together, minimax, and minima that may be left out are not for batches."""
    problem = middling(1, Deviation.L1)
    assert applies(problem)
    assert not applies(replace(problem, deviation=Deviation.MINIMAX))
    (first, *others) = problem.workloads
    candidates = first.rule(Candidates)
    assert candidates is not None
    names = candidates.names
    spread = Spread("cluster", {name: frozenset({name}) for name in names}, 1, 2)
    held = Bounds({names[0]: Bound(2)}, where_held=frozenset({names[0]}))
    for rule in (spread, held):
        changed = replace(first, rules=(*first.rules, rule))
        assert not applies(replace(problem, workloads=(changed, *others)))
