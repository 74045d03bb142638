"""Selection by spread constraints as Karmada's scheduler makes it."""

from collections.abc import Iterator, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairlead.solver.dispensers.karmada import BindingInput, Failure
from fairlead.solver.dispensers.karmada.candidates import ordered
from fairlead.solver.dispensers.karmada.selection import RegionGroup, best_combination, select
from karmada_records import member, read_placement

DYNAMIC = {
    "replicaDivisionPreference": "Weighted",
    "weightPreference": {"dynamicWeight": "AvailableReplicas"},
}
DUPLICATED = {"replicaSchedulingType": "Duplicated"}

Bounds = tuple[int, int]


def _selected(
    regions: Mapping[str, Sequence[int]],
    replicas: int,
    spread: Mapping[str, Bounds],
    *,
    scheduling: Mapping[str, object] = DYNAMIC,
    previous: Mapping[str, int] | None = None,
) -> list[str] | str:
    """Select among clusters a1, a2, ... of region A and so on; return their names, or the error."""
    clusters = tuple(
        member(f"{region.lower()}{number}", size, region=region)
        for region, sizes in regions.items()
        for number, size in enumerate(sizes, start=1)
    )
    constraints = [
        {"spreadByField": field, "minGroups": least, "maxGroups": most}
        for field, (least, most) in spread.items()
    ]
    placement = read_placement({"replicaScheduling": scheduling, "spreadConstraints": constraints})
    running = tuple((previous or {}).items())
    binding = BindingInput(replicas, clusters, placement, requests={}, previous=running)
    selected = select(binding, ordered(binding, None, clusters))
    return selected.text if isinstance(selected, Failure) else [candidate.name for candidate in selected]


def test_without_constraints_all_are_selected() -> None:
    """All candidates go on, best first."""
    assert _selected({"A": [1, 3]}, 10, {}) == ["a2", "a1"]


def test_previous_cluster_comes_first() -> None:
    """A cluster that runs the workload scores 100, before any capacity."""
    assert _selected({"A": [5, 9, 9, 1]}, 3, {"cluster": (1, 2)}, previous={"a4": 1}) == ["a4", "a2"]


def test_clusters_are_exchanged_for_room() -> None:
    """The running cluster a3 holds 4 in all; 25 replicas need 15 and 14, so a2 takes a3's place."""
    # Best first: a3 (score), a1, a2. From the last chosen one: a1 (15) is larger than a2, so a3 gives way.
    chosen = _selected({"A": [15, 14, 3]}, 25, {"cluster": (2, 2)}, previous={"a3": 1})
    assert chosen == ["a2", "a1"]


def test_exchange_stops_as_soon_as_there_is_room() -> None:
    """Targets a1 and a2 hold 2 each; exchanging only the last of them for a4 makes room for 12."""
    chosen = _selected({"A": [1, 1, 5, 10]}, 12, {"cluster": (1, 2)}, previous={"a1": 1, "a2": 1})
    assert chosen == ["a1", "a4"]


def test_equal_clusters_are_not_exchanged() -> None:
    """a2 and a3 both hold 10: a2 keeps its place, and a3 takes that of the target a1, which holds 2."""
    chosen = _selected({"A": [1, 10, 10]}, 20, {"cluster": (1, 2)}, previous={"a1": 1})
    assert chosen == ["a3", "a2"]


@pytest.mark.parametrize(
    ("replicas", "spread", "scheduling", "expected"),
    [
        (50, {"cluster": (2, 2)}, DYNAMIC, "no enough resource when selecting 2 clusters"),
        (50, {"cluster": (2, 2)}, DUPLICATED, ["a1", "a2"]),
        (
            5,
            {"cluster": (5, 6)},
            DYNAMIC,
            "the number of feasible clusters is less than spreadConstraint.MinGroups",
        ),
        # An absent maxGroups reads as 0 and selects nothing: under Duplicated without an error.
        (5, {"cluster": (1, 0)}, DYNAMIC, "no enough resource when selecting 0 clusters"),
        (5, {"cluster": (1, 0)}, DUPLICATED, []),
        (5, {"zone": (1, 1)}, DYNAMIC, "just support cluster and region spread constraint"),
        (5, {"zone": (1, 1), "cluster": (1, 1)}, DYNAMIC, ["a1"]),
    ],
)
def test_by_cluster(
    replicas: int, spread: dict[str, Bounds], scheduling: dict[str, object], expected: list[str] | str
) -> None:
    """Clusters of 15, 14, 13 and 13."""
    assert _selected({"A": [15, 14, 13, 13]}, replicas, spread, scheduling=scheduling) == expected


REGIONS = {"A": [40, 10], "B": [30, 30], "C": [25]}


@pytest.mark.parametrize(
    ("replicas", "spread", "expected"),
    [
        # Target 30 a region: A and B reach it (score 30,000), C does not (25,000).
        (60, {"region": (2, 2), "cluster": (2, 4)}, ["a1", "b1", "b2", "a2"]),
        (60, {"region": (2, 2), "cluster": (2, 3)}, ["a1", "b1", "b2"]),
        # Region B alone has two clusters and the best score: no region is added for capacity.
        (105, {"region": (1, 3), "cluster": (2, 4)}, ["b1", "b2"]),
        # One cluster for each region, beyond the two allowed.
        (30, {"region": (3, 3), "cluster": (1, 2)}, ["a1", "b1", "c1"]),
        # Without a cluster constraint exactly one cluster for each region.
        (30, {"region": (2, 2)}, ["a1", "b1"]),
        (
            30,
            {"region": (4, 4), "cluster": (4, 5)},
            "the number of feasible region is less than spreadConstraint.MinGroups",
        ),
        (
            30,
            {"region": (2, 2), "cluster": (5, 6)},
            "the number of clusters is less than the cluster spreadConstraint.MinGroups",
        ),
        # An absent maxGroups reads as 0: no combination at all.
        (
            30,
            {"region": (2, 0), "cluster": (2, 4)},
            "the number of clusters is less than the cluster spreadConstraint.MinGroups",
        ),
    ],
)
def test_by_region(replicas: int, spread: dict[str, Bounds], expected: list[str] | str) -> None:
    """Regions A {40, 10}, B {30, 30}, C {25} under dynamic weight."""
    assert _selected(REGIONS, replicas, spread) == expected


def test_regions_of_equal_score_prefer_more_clusters() -> None:
    """Each region can hold half of 90, so A and B win with four clusters; but a1 and b1 hold 55 only."""
    regions = {"A": [30, 20], "B": [25, 24], "C": [60]}
    assert _selected(regions, 90, {"region": (2, 2), "cluster": (2, 2)}) == ["a1", "b1"]


def test_regions_stop_at_enough_clusters() -> None:
    """Three regions of one cluster of 4 would hold 10; two have enough clusters, so the search stops."""
    regions = {"A": [4], "B": [4], "C": [4], "D": [4]}
    assert _selected(regions, 10, {"region": (2, 4), "cluster": (2, 4)}) == ["a1", "b1"]


def test_duplicated_regions_score_by_clusters_that_fit() -> None:
    """20 replicas fit on both clusters of B but on one of A and of C: B first, then A by name."""
    spread = {"region": (2, 2), "cluster": (2, 3)}
    assert _selected(REGIONS, 20, spread, scheduling=DUPLICATED) == ["b1", "a1", "b2"]


def test_running_clusters_raise_the_score_of_a_region() -> None:
    """Both regions can hold all 10; the one that runs the workload has the greater mean score."""
    spread = {"region": (1, 1), "cluster": (1, 2)}
    assert _selected({"A": [50], "B": [50]}, 10, spread, previous={"b1": 1}) == ["b1"]


def test_score_of_a_region_counts_the_minimum_of_clusters() -> None:
    """One cluster of each region would do for 10, but two are asked for: A runs one of its two, B both."""
    spread = {"region": (1, 1), "cluster": (2, 2)}
    running = {"a1": 1, "b1": 1, "b2": 1}
    assert _selected({"A": [50, 50], "B": [50, 50]}, 10, spread, previous=running) == ["b1", "b2"]


def test_a_beginning_of_the_best_combination_replaces_it() -> None:
    """The best set is {a, b, c}, found because c comes first by clusters; {a, b} is enough as well."""
    groups = [RegionGroup("a", 2, 9), RegionGroup("b", 2, 8), RegionGroup("c", 1, 7)]
    # In the order of the search: c, a, b. {c, a} has 3 clusters only, {c, a, b} has 5, {a, b} has 4.
    assert best_combination(groups, 2, 3, 4) == (groups[0], groups[1])
    # With five clusters asked for there is no smaller one.
    assert best_combination(groups, 2, 3, 5) == tuple(groups)


def test_the_empty_combination_is_a_failure() -> None:
    """With neither minimum the search records the empty chain only; nothing where no group is allowed."""
    groups = [RegionGroup("a", 1, 1)]
    assert best_combination(groups, 0, 1, 0) == ()
    assert best_combination(groups, 1, 0, 0) == ()
    assert best_combination([], 1, 1, 1) == ()


def test_many_regions() -> None:
    """40 regions with 20 wanted: 10^11 chains for the real search, which nobody could wait for."""
    groups = [RegionGroup(f"r{number:02}", 1 + number % 7, 1000 * (number * 37 % 40)) for number in range(40)]
    chosen = best_combination(groups, 20, 25, 95)
    assert 20 <= len(chosen) <= 25
    assert sum(group.clusters for group in chosen) >= 95
    assert list(chosen) == sorted(chosen, key=lambda group: (-group.score, group.name))


def _chains(
    groups: Sequence[RegionGroup], min_groups: int, max_groups: int, wanted: int
) -> Iterator[tuple[RegionGroup, ...]]:
    """Yield what the real search records, by the search itself: depth first, nothing skipped."""
    chain = sorted(groups, key=lambda group: (group.clusters, -group.score, group.name))

    def extend(taken: tuple[RegionGroup, ...], begin: int) -> Iterator[tuple[RegionGroup, ...]]:
        enough = sum(group.clusters for group in taken) >= wanted
        if enough and min_groups <= len(taken) <= max_groups:
            yield taken
        elif len(taken) < max_groups:
            for place in range(begin, len(chain)):
                yield from extend((*taken, chain[place]), place + 1)

    return extend((), 0)


def _literally(
    groups: Sequence[RegionGroup], min_groups: int, max_groups: int, wanted: int
) -> tuple[RegionGroup, ...]:
    """Choose among the recorded chains: rank them, then let each beginning of the choice replace it."""
    found = list(_chains(groups, min_groups, max_groups, wanted))
    # sorted() is stable, so of equal chains the first found stays first.
    merit = [(-sum(each.score for each in taken), -sum(each.clusters for each in taken)) for taken in found]
    ranked = [found[place] for place in sorted(range(len(found)), key=lambda place: merit[place])]
    by_score = [tuple(sorted(taken, key=lambda group: (-group.score, group.name))) for taken in ranked]
    choice: tuple[RegionGroup, ...] = by_score[0] if by_score else ()
    for taken in by_score[1:]:
        if len(taken) < len(choice) and choice[: len(taken)] == taken:
            choice = taken
    return choice


@given(
    shapes=st.lists(st.tuples(st.integers(1, 4), st.integers(0, 3)), min_size=1, max_size=8),
    bounds=st.tuples(st.integers(0, 5), st.integers(0, 8)),
    wanted=st.integers(0, 14),
)
def test_combinations_equal_the_exponential_search(
    shapes: list[tuple[int, int]], bounds: tuple[int, int], wanted: int
) -> None:
    """The dynamic programme finds what enumerating all chains finds, ties included."""
    groups = [
        RegionGroup(f"r{place}", clusters, 1000 * score) for place, (clusters, score) in enumerate(shapes)
    ]
    assert best_combination(groups, *bounds, wanted) == _literally(groups, *bounds, wanted)
