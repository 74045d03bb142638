"""Many workloads at once stand where each stands by itself."""

import random
from dataclasses import replace

import pytest

import fairlead
from fairlead.models.cluster import Cluster
from fairlead.models.levels import Deviation
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Capacity, Total, Weights
from fairlead.models.rules.bounds import Bound
from fairlead.models.workload import Workload
from fairlead.solver.batch.side_by_side import place_side_by_side
from fairlead.solver.exact.alone import place_alone
from fairlead.solver.solve import WORTH_ARRAYS


def alike(count: int, replicas: int, weights: dict[str, int], bounds: Bounds | None = None) -> Problem:
    """Return a problem of equal workloads over clusters of unknown capacity."""
    rules = (Candidates(tuple(sorted(weights))), Total(), Weights(weights), *((bounds,) if bounds else ()))
    workloads = tuple(Workload(f"w{number:02d}", "w", replicas, rules=rules) for number in range(count))
    return Problem(tuple(Cluster(name) for name in weights), workloads, (Capacity(),))


def mixed(seed: int) -> Problem:
    """Return some workloads with bounds, weights and room of every size; some have no placement."""
    chance = random.Random(seed)
    clusters = tuple(
        Cluster(f"c{number}", free={"cpu": chance.randint(0, 60_000), "pods": 500})
        for number in range(chance.randint(1, 6))
    )
    names = tuple(cluster.name for cluster in clusters)
    heaviest = chance.choice([2, 5, 10**6])
    workloads = []
    for number in range(12):
        chosen = tuple(name for name in names if chance.random() < 0.8)
        least = {name: Bound(chance.randint(0, 3)) for name in chosen if chance.random() < 0.3}
        most = {name: Bound(chance.randint(2, 30)) for name in chosen if chance.random() < 0.3}
        weights = Weights({name: chance.randint(0 if seed % 2 else 1, heaviest) for name in chosen})
        rules = (Candidates(chosen), Total(), Bounds(least, most), weights)
        requests = {"cpu": chance.choice([0, 100, 700])}
        workloads.append(
            Workload(f"w{number:02d}", "w", chance.randint(1, 60), requests=requests, rules=rules)
        )
    return Problem(clusters, tuple(workloads), (Capacity(),))


@pytest.mark.parametrize("deviation", [Deviation.WEBSTER, Deviation.L1])
@pytest.mark.parametrize("seed", range(60))
def test_everybody_stands_where_he_stands_alone(seed: int, deviation: Deviation) -> None:
    """Boxes, weights and ties of every kind, some without a placement."""
    problem = replace(mixed(seed), deviation=deviation)

    found = place_side_by_side(problem)

    for key, placed in found.items():
        alone = place_alone(problem.workload(key), problem) or {}
        assert placed == {name: count for name, count in alone.items() if count}
    # A row is left out where it has no placement, or where a cluster without a weight may take replicas; l1
    # can measure that, but where nothing has a weight there is nothing to measure.
    for workload in problem.workloads:
        weights = workload.rule(Weights)
        if workload.key not in found and place_alone(workload, problem) is not None:
            assert weights is not None
            given = weights.weights.values()
            assert not any(given) if deviation is Deviation.L1 else 0 in given


def test_equal_claims_fall_to_the_first() -> None:
    """Two replicas over three equal clusters: each claims one with the same right, so the first two do."""
    found = place_side_by_side(alike(WORTH_ARRAYS, 2, {"a": 1, "b": 1, "c": 1}))

    assert found == {f"w{number:02d}": {"a": 1, "b": 1} for number in range(WORTH_ARRAYS)}


def test_costs_that_doubles_cannot_tell_apart_are_left_to_the_other_way() -> None:
    """Weights of 2^51 make products beyond 2^52 from the second unit on."""
    problem = alike(WORTH_ARRAYS, 3, {"a": 2**51, "b": 2**51 - 1})

    assert place_side_by_side(problem) == {}
    assert place_alone(problem.workloads[0], problem) == {"a": 2, "b": 1}


def test_what_runs_is_left_to_the_other_way() -> None:
    """One that runs is enough: room is told with what it holds."""
    problem = alike(WORTH_ARRAYS, 2, {"a": 1, "b": 1})
    first, *others = problem.workloads
    running = Workload(first.key, first.name, first.replicas, current={"b": 2}, rules=first.rules)

    assert place_side_by_side(Problem(problem.clusters, (running, *others), problem.rules)) == {}


def test_gaps_beyond_what_doubles_count_are_left_to_the_other_way() -> None:
    """Three replicas times weights of 2^51 pass 2^52."""
    problem = replace(alike(WORTH_ARRAYS, 3, {"a": 2**51, "b": 2**51 - 1}), deviation=Deviation.L1)

    assert place_side_by_side(problem) == {}
    assert place_alone(problem.workloads[0], problem) == {"a": 2, "b": 1}


def test_minimax_is_left_to_the_other_way() -> None:
    """The greatest distance is no sum over clusters."""
    problem = replace(alike(WORTH_ARRAYS, 2, {"a": 1, "b": 1}), deviation=Deviation.MINIMAX)

    assert place_side_by_side(problem) == {}


def test_nobody_stands_anywhere_once_all_clusters_are_lost() -> None:
    """The only region is lost, and with it every column of the arrays."""
    problem = alike(WORTH_ARRAYS, 3, {"a": 1, "b": 2})
    assert place_side_by_side(replace(problem, clusters=())) == {}
    regions = tuple(Cluster(name, region="eu") for name in "ab")
    (lost,) = fairlead.simulate(replace(problem, clusters=regions), sweep="region").scenarios
    assert lost.unplaced == {f"w{number:02d}": 3 for number in range(WORTH_ARRAYS)}
