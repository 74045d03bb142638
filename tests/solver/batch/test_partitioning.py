"""Batches in shares: a valid placement, and a bound that tells what splitting loses."""

import pytest

from batch_problems import random_batch
from brute_force import brute_force
from fairlead.models.check import check
from fairlead.models.cluster import CPU, Cluster
from fairlead.models.errors import UsageError
from fairlead.models.levels import Deviation
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Capacity, Quota, Total, Weights
from fairlead.models.rules.quota import Limit, Scope
from fairlead.models.workload import Workload
from fairlead.solver.batch.separable import applies
from fairlead.solver.batch.shares import shares_of, solve_partitioned
from fairlead.solver.parts.dispatch import solve_parts
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import Search, ThisProcess, Where
from fairlead.solver.solving import solve


def drawn(seed: int, deviation: Deviation) -> Problem:
    """Return a random batch with room enough that its halves have placements as well, most of the time."""
    return random_batch(seed, deviation, workloads=4, clusters=3, most_replicas=3, load=0.6)


def test_shares_add_up_to_what_there_is() -> None:
    """No share may use what another one uses, and every workload is in exactly one."""
    for seed in range(40):
        problem = drawn(seed, Deviation.L1)
        shares = shares_of(problem, 2)
        keys = [workload.key for share in shares for workload in share.workloads]
        assert sorted(keys) == sorted(problem.workload_by_key)
        for row, limit in problem.limits.items():
            assert sum(share.limits.get(row, 0) for share in shares) <= limit, (seed, row)


@pytest.mark.parametrize("deviation", [Deviation.L1, Deviation.WEBSTER])
def test_bounds_hold_and_placements_are_valid(deviation: Deviation) -> None:
    """The bound of the first level is never above the brute-force optimum, the value never below it."""
    found = 0
    for seed in range(60):
        problem = drawn(seed, deviation)
        best = brute_force(problem)
        if best is None or not applies(problem) or not best.values:
            continue
        with ThisProcess() as here:
            result = solve_partitioned(problem, 2, Search(Deadline.after(20.0), 1), here)
        if result.placement is None:
            continue  # a half has no placement of its own
        found += 1
        assert check(problem, result.placement) == (), seed
        first = result.attained[0]
        assert first.bound is not None
        assert first.bound <= best.values[0] <= first.value, seed
    assert found > 10


def test_solve_falls_back_on_the_whole() -> None:
    """Partitions are a way to search: the answer is valid, whether or not the shares have placements."""
    for seed in range(6):
        problem = drawn(seed, Deviation.L1)
        whole, parted = solve(problem, workers=1), solve(problem, workers=1, partitions=2)
        assert (whole.placement is None) == (parted.placement is None)
        if whole.objectives:
            assert parted.objectives[0].value >= whole.objectives[0].value


def test_a_quota_is_not_split() -> None:
    """Four workloads want 9 replicas each on a, their namespace may have 20; each half would take 18."""
    rules = (Candidates(("a", "b")), Total(), Weights({"a": 9, "b": 1}))
    workloads = tuple(Workload(f"d/w{n}", f"w{n}", 10, "d", requests={CPU: 1}, rules=rules) for n in range(4))
    clusters = tuple(Cluster(name, free={CPU: 1000}) for name in ("a", "b"))
    quota = Quota("quota", "d", {Scope(CPU, "a"): Limit(20)})
    problem = Problem(clusters, workloads, (Capacity(), quota), deviation=Deviation.L1)
    (answer,) = solve_parts([problem], {}, Search(Deadline.after(20.0), 1), Where(partitions=2))
    assert answer.placement is not None
    assert check(problem, answer.placement) == ()


def test_partitions_are_counted_from_one() -> None:
    """Nothing can be split into no shares."""
    with pytest.raises(UsageError, match="0 partitions; allowed is a whole number of at least 1"):
        solve(drawn(0, Deviation.L1), partitions=0)
