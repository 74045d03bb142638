"""What is seen of many places at one look is what the rules say of them one by one."""

import pickle
import random
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import pytest

from fairlead.models.at_once import Divided, distance_at_once, used_at_once
from fairlead.models.cluster import Cluster
from fairlead.models.in_order import WORTH_ARRAYS, Clusters
from fairlead.models.levels import Deviation
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import weights
from fairlead.models.rules.capacity import needs
from fairlead.models.usage import usage
from fairlead.models.workload import Workload, Workloads


def divided(seed: int, workloads: int, heaviest: int) -> list[Divided]:
    """Return workloads on a few of nine clusters; some weigh nothing, one cluster has no weight at all."""
    chance = random.Random(seed)
    names = [f"m{number}" for number in range(9)]
    found = []
    for _ in range(workloads):
        weighed = {name: chance.randint(0, heaviest) for name in names[1:]}
        placed = {name: chance.randint(1, 40) for name in chance.sample(names, chance.randint(0, 9))}
        found.append(Divided(weighed, chance.choice([0, sum(placed.values()), 50]), placed))
    return found


def one_by_one(rows: list[Divided], deviation: Deviation) -> Fraction:
    """Return the sum of the distances as the rule tells each of them."""
    distances = (weights.distance(each.weights, each.placed, each.replicas, deviation) for each in rows)
    return sum(distances, Fraction(0))


@pytest.mark.parametrize("deviation", [Deviation.WEBSTER, Deviation.L1])
@pytest.mark.parametrize("seed", range(20))
def test_distances_of_many_are_the_sum_of_those_of_each(seed: int, deviation: Deviation) -> None:
    """Random ones: weights of 0, clusters without one, workloads that hold nothing or want nothing."""
    rows = divided(seed, 30, 6)
    assert distance_at_once(rows, deviation) == one_by_one(rows, deviation)


def test_distances_of_more_places_than_are_looked_at_together_are_added(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is looked at slice by slice adds up."""
    # Seven places at once are less than many a workload has, so slices of one and of several come to pass.
    monkeypatch.setattr("fairlead.models.at_once.AT_ONCE", 7)
    rows = divided(1, 30, 6)
    assert distance_at_once(rows, Deviation.WEBSTER) == one_by_one(rows, Deviation.WEBSTER)


@pytest.mark.parametrize(("weight", "deviation"), [(2**61, Deviation.L1), (2**61 - 1, Deviation.WEBSTER)])
def test_distances_beyond_64_bits_are_not_told(weight: int, deviation: Deviation) -> None:
    """Weights whose products, or common multiples, are too large are left to whole numbers of Python."""
    rows = [Divided({"a": weight, "b": 3}, 9, {"a": 5, "b": 4})]
    assert distance_at_once(rows, deviation) is None


def test_a_heavy_weight_takes_no_memory() -> None:
    """Sums by weight are one for every weight that there is, not one for every number up to the heaviest."""
    # The heaviest for which the sums are still exact as floats: an array as long as that does not exist.
    rows = [Divided({"a": 2**47, "b": 3}, 9, {"a": 5, "b": 4})]
    assert distance_at_once(rows, Deviation.WEBSTER) == one_by_one(rows, Deviation.WEBSTER)


def fleet(need: int, seed: int) -> tuple[Problem, Mapping[str, Mapping[str, int]]]:
    """Return a problem with clusters of known and unknown capacity, and a placement with strangers in it."""
    chance = random.Random(seed)
    clusters = (
        Cluster("a", free={"cpu": 1}),
        Cluster("b"),
        Cluster("c", free={"cpu": 2**80, "pods": 5}),
        Cluster("d", free={}),
    )
    workloads = tuple(
        Workload(f"w{number:03d}", "w", 9, requests=chance.choice([{}, {"cpu": need}, {"gpu": 2, "pods": 3}]))
        for number in range(WORTH_ARRAYS // 2)
    )
    names = ["a", "b", "c", "d", "elsewhere"]
    placed = {
        each.key: {name: chance.randint(1, 9) for name in chance.sample(names, 3)} for each in workloads
    }
    return Problem(clusters, workloads), placed


@pytest.mark.parametrize("seed", range(5))
def test_usage_of_many_is_the_sum_of_that_of_each(seed: int) -> None:
    """Unknown capacity, pods that are not told, and clusters that the problem does not have."""
    problem, placed = fleet(250, seed)
    # A plain mapping is added up place by place.
    assert problem.used(Placement(placed)) == usage(iter(problem.workloads), placed, problem)
    assert problem.used(Placement(placed))


def test_usage_beyond_64_bits_is_added_up_all_the_same() -> None:
    """Amounts that are too large for an array are added up one by one."""
    problem, placed = fleet(2**70, 1)
    assert problem.used(Placement(placed)) == usage(iter(problem.workloads), placed, problem)
    # 2**55 a replica fits, and so does every product, but not the sum of several hundred.
    problem, placed = fleet(2**55, 1)
    held = [placed[each.key] for each in problem.workloads]
    names = problem.all_clusters.names
    asked = [needs(each) for each in problem.workloads]
    assert used_at_once(asked, held, names, problem.charged.of) is None


def test_what_was_found_out_is_kept_and_left_behind_where_an_answer_travels() -> None:
    """Asked again nothing is computed; a copy in another process knows nothing."""
    asked = []

    def count(placement: Placement, workloads: Workloads) -> int:
        asked.append(workloads)
        return len(placement) + len(workloads)

    problem, placed = fleet(1, 1)
    placement, workloads = Placement(placed), Workloads.of(problem.workloads)
    assert [placement.once(count, workloads) for _ in range(3)] == [len(placed) * 2] * 3
    assert len(asked) == 1
    # Others that are equal are asked again: who they are is all that is looked at.
    placement.once(count, Workloads(problem.workloads))
    assert len(asked) == 2
    travelled = pickle.loads(pickle.dumps(placement))
    assert travelled == placement
    travelled.once(count, workloads)
    assert len(asked) == 3


def test_problems_made_of_others_keep_what_is_known_of_clusters_and_workloads() -> None:
    """A problem made of another has the same clusters and workloads, and need not sort them."""
    problem, _ = fleet(1, 1)
    other = replace(problem, partial=True)
    assert other.cluster_by_name is problem.cluster_by_name
    assert other.workload_by_key is problem.workload_by_key
    copied = pickle.loads(pickle.dumps(Clusters.of(problem.clusters)))
    assert copied == problem.clusters
    assert copied.by_name == problem.cluster_by_name
