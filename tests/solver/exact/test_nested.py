"""place_alone(): clusters chosen in nested groups, against every division and against CP-SAT."""

import random
import tracemalloc
from collections.abc import Iterable

import pytest

from fairlead.models.cluster import Cluster
from fairlead.models.levels import Deviation
from fairlead.models.outcome import Status
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Aggregated,
    Candidates,
    Capacity,
    GroupTotal,
    Moves,
    Spread,
    Total,
    Weights,
    WorkloadRule,
)
from fairlead.models.workload import Workload
from fairlead.solver.dispensers import reference
from fairlead.solver.exact.nested import face
from fairlead.solver.solve import solve
from nested_problems import best_division, nested_problem, placed_alone
from seeds import runs

MEASURES = (Deviation.WEBSTER, Deviation.L1)


def left_out(seeds: Iterable[int], deviation: Deviation, *, crossing: bool = False) -> int:
    """Compare answers with all divisions; return how often there was none although there is a placement."""
    missed = 0
    for seed in seeds:
        problem = nested_problem(seed, deviation, crossing=crossing)
        found, best = placed_alone(problem), best_division(problem)
        assert found is None or found == best, f"seed {seed}: {found}, best {best}"
        missed += found is None and best is not None
    return missed


@pytest.mark.parametrize("crossing", [False, True])
@pytest.mark.parametrize("seeds", runs(range(160), *(range(1000 + part, 6000, 20) for part in range(20))))
@pytest.mark.parametrize("deviation", MEASURES)
def test_agrees_with_all_divisions(deviation: Deviation, seeds: range, *, crossing: bool) -> None:
    """Every answer is the best on every level and in the tie-break, and no feasible problem is left out."""
    assert left_out(seeds, deviation, crossing=crossing) == 0


@pytest.mark.parametrize("deviation", MEASURES)
def test_limits_on_clusters_may_be_priced(deviation: Deviation, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where clusters are priced instead of counted some problems are left to CP-SAT, but none is wrong."""
    monkeypatch.setattr(face, "LARGE_TABLE", 0)
    monkeypatch.setattr(face, "MOST_COUNTED", 0)
    # About half of the hundred have a placement.
    assert left_out(range(160, 260), deviation) <= 10


def many(seed: int, *, aggregated: bool = False) -> Problem:
    """Return 30 clusters in five regions; two or three regions and four to eight clusters may be used."""
    rng = random.Random(f"many {seed}")
    names = tuple(f"member{number:02d}" for number in range(30))
    region = {name: f"r{rng.randint(0, 4)}" for name in names}
    groups = {
        each: frozenset(name for name in names if region[name] == each)
        for each in sorted(set(region.values()))
    }
    room = {name: rng.randint(3, 12) for name in names}
    running = {name: rng.randint(1, 4) for name in names if rng.random() < 0.1}
    rules: list[WorkloadRule] = [Candidates(names), Total(), Spread("region", groups, 2, 3)]
    if aggregated:
        rules.append(Aggregated())
    else:
        rules.append(Spread("cluster", {name: frozenset({name}) for name in names}, 4, 8))
    rules += [Weights(room, dynamic=True), Moves(frozenset(names), keep=True)]
    workload = Workload(
        "w", "w", rng.randint(20, 40), requests={"pods": 1}, current=running, rules=tuple(rules)
    )
    free = {name: {"pods": room[name] - running.get(name, 0)} for name in names}
    return Problem(tuple(Cluster(name, free=free[name]) for name in names), (workload,), (Capacity(),))


@pytest.mark.parametrize("aggregated", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_agrees_with_cp_sat(seed: int, *, aggregated: bool) -> None:
    """On thirty clusters the answer is the one that CP-SAT proves."""
    problem = many(seed, aggregated=aggregated)
    proven = solve(problem, method="cp-sat", workers=1, time_limit=60.0)
    assert proven.status is Status.OPTIMAL
    assert proven.placement is not None
    assert placed_alone(problem) == dict(proven.placement["w"])


def test_the_reference_dispenser_chooses_clusters() -> None:
    """A workload that wants few clusters in few regions is placed there as well as it can be."""
    problem = many(1, aggregated=True)
    placed = reference.place(problem)
    assert dict(placed["w"]) == placed_alone(problem)


def test_groups_need_not_nest() -> None:
    """A zone that reaches over two regions."""
    names = ("a", "b", "c")
    rules = (
        Candidates(names),
        Total(),
        Spread("region", {"r": frozenset("ab"), "s": frozenset("c")}, 1, 1),
        Spread("zone", {"x": frozenset("a"), "y": frozenset("bc")}, 1, 1),
        Weights(dict.fromkeys(names, 1)),
    )
    problem = Problem(tuple(map(Cluster, names)), (Workload("w", "w", 3, rules=rules),))
    # Only a lies in one region and one zone, or b, or c; the dispenser finds the first of them too.
    assert placed_alone(problem) == {"a": 3}
    assert reference.place(problem)["w"] == {"a": 3}


def test_a_cluster_in_two_zones_counts_in_both() -> None:
    """One cluster lies in x and y; where one zone may be used, others of it hold all, or those of none."""
    names = ("both", "in-x", "in-y", "nowhere")
    zones = {"x": frozenset(["both", "in-x"]), "y": frozenset(["both", "in-y"])}
    weights = Weights({"both": 5, "in-x": 1, "in-y": 2, "nowhere": 1})

    def placed(least: int, most: int) -> dict[str, int] | None:
        rules = (Candidates(names), Total(), Spread("zone", zones, least, most), weights)
        return placed_alone(Problem(tuple(map(Cluster, names)), (Workload("w", "w", 9, rules=rules),)))

    # Nine by weights 5, 1, 2, 1; by 2 and 1 without those in x; both alone reaches two zones.
    assert placed(1, 2) == {"both": 5, "in-x": 1, "in-y": 2, "nowhere": 1}
    assert placed(1, 1) == {"in-y": 6, "nowhere": 3}
    assert placed(2, 2) == {"both": 5, "in-x": 1, "in-y": 2, "nowhere": 1}


def test_many_clusters_of_which_some_are_as_good_as_others() -> None:
    """Half of 600 alike clusters get one replica each: the first by name, not one looked at by itself."""
    names = tuple(f"member{number:03d}" for number in range(600))
    regions = {f"r{rest}": frozenset(names[rest::3]) for rest in range(3)}
    rules = (Candidates(names), Total(), Spread("region", regions, 2, 2), Weights(dict.fromkeys(names, 1)))
    problem = Problem(tuple(map(Cluster, names)), (Workload("w", "w", 300, rules=rules),))
    # Two of three regions, r0 and r1; of their 400 clusters the first 300: members 0, 1, 3, 4, ... 447, 448.
    assert placed_alone(problem) == {name: 1 for at, name in enumerate(names[:450]) if at % 3 < 2}


def test_ties_never_list_all_numbers_of_replicas() -> None:
    """Totals that a million replicas cannot keep: no answer, without a list of a million numbers (40 MB)."""
    names = ("a", "b", "c")
    sets = (GroupTotal("r", frozenset("a"), 3, 3), GroupTotal("s", frozenset("bc"), 8, 8))
    rules = (Candidates(names), Total(), *sets)
    problem = Problem(tuple(map(Cluster, names)), (Workload("w", "w", 1_000_000, rules=rules),))
    tracemalloc.start()
    try:
        assert placed_alone(problem) is None
        assert tracemalloc.get_traced_memory()[1] < 10 * 2**20
    finally:
        tracemalloc.stop()
