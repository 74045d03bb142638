"""choose(): a limited number of nested groups for one workload, by hand and against all divisions."""

import random
from collections.abc import Iterator, Mapping

import pytest

from fairlead.models.check import check
from fairlead.models.cluster import CPU, Cluster
from fairlead.models.levels import Deviation
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Capacity, Moves, Spread, Total, Weights, WorkloadRule
from fairlead.models.rules.bounds import Bound
from fairlead.models.score import score
from fairlead.models.workload import Workload
from fairlead.solver.exact.boxes import boxes_of
from fairlead.solver.exact.nested.choose import choose
from fairlead.solver.solve import solve


def problem_of(
    replicas: int,
    weights: Mapping[str, int],
    *rules: WorkloadRule,
    current: Mapping[str, int] | None = None,
    room: Mapping[str, int] | None = None,
    deviation: Deviation = Deviation.WEBSTER,
    keep: bool = False,
) -> Problem:
    """Return one workload over the weighted clusters; a cluster has room for any number unless told."""
    names = tuple(sorted(weights))
    free = {name: {CPU: 100 * count} for name, count in (room or {}).items()}
    common = (Candidates(names), Total(), Weights(weights, dynamic=keep), Moves(frozenset(names), keep=keep))
    workload = Workload(
        "w", "w", replicas, requests={CPU: 100}, current=current or {}, rules=(*common, *rules)
    )
    clusters = tuple(Cluster(name, free=free.get(name)) for name in names)
    return Problem(clusters, (workload,), (Capacity(),), deviation=deviation)


def chosen(problem: Problem) -> Mapping[str, int] | None:
    """Return the answer of choose()."""
    (workload,) = problem.workloads
    return choose(workload, problem, boxes_of(problem)["w"])


def held(answer: Mapping[str, int] | None) -> dict[str, int] | None:
    """Return the clusters that hold replicas."""
    return None if answer is None else {name: count for name, count in answer.items() if count}


def best(problem: Problem) -> dict[str, int] | None:
    """Look at every division of the replicas; None where all break a rule."""
    names = [cluster.name for cluster in problem.clusters]
    (workload,) = problem.workloads
    found = []
    for numbers in divisions(workload.replicas, len(names)):
        placement = Placement({"w": dict(zip(names, numbers, strict=True))})
        if not check(problem, placement):
            values = tuple(level.value for level in score(problem, placement))
            found.append((values, tuple(-number for number in numbers)))
    if not found:
        return None
    return {name: -number for name, number in zip(names, min(found)[1], strict=True) if number}


def divisions(replicas: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to divide replicas."""
    if parts == 1:
        yield (replicas,)
        return
    for first in range(replicas + 1):
        for rest in divisions(replicas - first, parts - 1):
            yield (first, *rest)


def regions(most: int | None, least: int = 1, **inside: str) -> Spread:
    """Return a constraint by region; each region is given with its clusters, as ``west="ab"``."""
    groups = {region: frozenset(names) for region, names in inside.items()}
    return Spread("region", groups, least, most)


def clusters(most: int, names: str, least: int = 1) -> Spread:
    """Return a constraint by cluster."""
    return Spread("cluster", {name: frozenset({name}) for name in names}, least, most)


def test_the_worked_example() -> None:
    """12 replicas over 2 : 2 : 1 : 1 with minima of 2, in two of three regions: 5, 5, 2 (docs/rules.md)."""
    minima = Bounds({name: Bound(2) for name in "abcd"}, where_held=frozenset("abcd"))
    spread = regions(2, 2, west="ab", south="c", east="d")
    problem = problem_of(12, {"a": 2, "b": 2, "c": 1, "d": 1}, spread, minima)
    assert held(chosen(problem)) == best(problem) == {"a": 5, "b": 5, "c": 2}


def test_the_heaviest_regions_are_not_always_best() -> None:
    """Room for 1 in the heaviest of three regions makes the two others the better pair."""
    # Quotas 3, 2, 1. With a and b: 1 and 5, so 4/3 + 9/2 + 1 = 6.83.
    # With b and c: 4 and 2, so 3 + 2 + 1 = 6.
    weights, spread = {"a": 3, "b": 2, "c": 1}, regions(2, west="a", east="b", south="c")
    assert held(chosen(problem_of(6, weights, spread))) == {"a": 4, "b": 2}
    tight = problem_of(6, weights, spread, room={"a": 1})
    assert held(chosen(tight)) == best(tight) == {"b": 4, "c": 2}


def test_capacity_can_rule_a_pair_out() -> None:
    """The pair that saves most cannot hold all; the next one has to."""
    spread = regions(2, west="a", east="b", south="c")
    problem = problem_of(6, {"a": 3, "b": 2, "c": 1}, spread, room={"a": 2, "b": 3, "c": 4})
    # Only pairs with c hold 6: 2 + 4, quotas 3 and 1, or 2 + 4 with b: 3 + 3 as well.
    # a, c: 1/3 + 2 + 9 = 11.33; b, c: 3 + 1/2 + 4 = 7.5.
    assert held(chosen(problem)) == best(problem) == {"b": 3, "c": 3}


def test_limits_on_regions_and_clusters_together() -> None:
    """Two clusters in two regions: the second best cluster lies in the same region and is passed over."""
    weights = {"a": 5, "b": 4, "c": 2, "d": 1}
    pair = clusters(2, "abcd")
    alone = problem_of(12, weights, pair)
    # Without regions the two heaviest share what the other two leave: quotas 5 and 4, three more.
    assert held(chosen(alone)) == best(alone) == {"a": 7, "b": 5}
    both = problem_of(12, weights, pair, regions(None, 2, west="ab", east="cd"))
    # a has to go with c: 9 and 3 cost 16/5 + 1/2 = 3.7, 8 and 4 cost 9/5 + 4/2 = 3.8.
    assert held(chosen(both)) == best(both) == {"a": 9, "c": 3}


def test_clusters_of_one_region_only() -> None:
    """Three clusters in one region: only the larger region has three, though the other weighs more."""
    weights = {"a": 9, "b": 9, "c": 1, "d": 1, "e": 1}
    spread = (clusters(3, "abcde", 3), regions(1, 1, west="ab", east="cde"))
    problem = problem_of(6, weights, *spread)
    assert held(chosen(problem)) == best(problem) == {"c": 2, "d": 2, "e": 2}


def test_what_runs_comes_first() -> None:
    """Two replicas run in the lightest region: a workload that keeps them takes that region, others not."""
    weights, spread = {"a": 3, "b": 2, "c": 1}, regions(2, west="a", east="b", south="c")
    keeps = problem_of(6, weights, spread, current={"c": 2}, keep=True)
    # No move means c stays at 2 or more; a takes the other 4 (1/3 + 2 + 1) rather than b (3 + 2 + 1).
    assert held(chosen(keeps)) == best(keeps) == {"a": 4, "c": 2}
    free = problem_of(6, weights, spread, current={"c": 2})
    assert held(chosen(free)) == best(free) == {"a": 4, "b": 2}


def test_a_minimum_of_groups() -> None:
    """One replica each for the three most deserving of four: fewer groups are not offered."""
    spread = clusters(3, "abcd", 3)
    problem = problem_of(3, {"a": 2, "b": 2, "c": 1, "d": 1}, spread)
    assert held(chosen(problem)) == best(problem) == {"a": 1, "b": 1, "c": 1}
    # All running on a cannot stay there; a set of two groups would keep more of them.
    keeps = problem_of(3, {"a": 2, "b": 2, "c": 1, "d": 1}, spread, current={"a": 3}, keep=True)
    # The formula puts all three on a, which breaks the minimum, so two of them have to move.
    assert held(chosen(keeps)) == best(keeps) == {"a": 1, "b": 1, "c": 1}


def test_ties_fall_to_the_first_by_name() -> None:
    """All pairs of three equal clusters are equally good."""
    problem = problem_of(3, {"a": 1, "b": 1, "c": 1}, clusters(2, "abc"))
    assert held(chosen(problem)) == best(problem) == {"a": 2, "b": 1}


@pytest.mark.parametrize(
    ("weights", "rules", "deviation"),
    [
        # A weight of 0, no limit that binds, a minimum that binds whatever is chosen.
        ({"a": 1, "b": 0}, (clusters(1, "ab"),), Deviation.WEBSTER),
        ({"a": 1, "b": 1}, (clusters(2, "ab"),), Deviation.L1),
        ({"a": 1, "b": 1}, (clusters(1, "ab"), Bounds({"b": Bound(1)})), Deviation.L1),
    ],
)
def test_odd_choices(weights: dict[str, int], rules: tuple[WorkloadRule, ...], deviation: Deviation) -> None:
    """What is hardly a choice is answered as well."""
    problem = problem_of(2, weights, *rules, deviation=deviation)
    assert held(chosen(problem)) == best(problem)


@pytest.mark.parametrize(
    "rules",
    [
        # A candidate in two groups; zones across regions.
        (regions(1, west="ab", east="b"),),
        (regions(1, west="ab", east="c"), Spread("zone", {"x": frozenset("a"), "y": frozenset("bc")}, 2)),
    ],
)
def test_groups_that_overlap(rules: tuple[WorkloadRule, ...]) -> None:
    """A cluster counts in every group that it is in."""
    problem = problem_of(2, {"a": 1, "b": 1, "c": 1}, *rules)
    assert held(chosen(problem)) == best(problem)


def test_where_it_does_not_apply() -> None:
    """Then there is no answer, rather than a wrong one: minimax is no sum over clusters."""
    problem = problem_of(2, {"a": 1, "b": 1, "c": 1}, clusters(1, "abc"), deviation=Deviation.MINIMAX)
    assert chosen(problem) is None


def test_ties_fall_to_the_cluster_not_to_the_region() -> None:
    """Two regions are alike; the first cluster by name lies in the region that comes last."""
    problem = problem_of(9, {"a": 1, "n": 1}, regions(1, first="n", last="a"))
    assert held(chosen(problem)) == best(problem) == {"a": 9}
    assert solve(problem, method="cp-sat", workers=1).placement == Placement({"w": {"a": 9}})


def test_quotas_count_candidates_without_room() -> None:
    """Cluster d has no room but a weight, so the quotas of 4 are 4/9, 4/9, 20/9 and 8/9."""
    weights = {"a": 1, "b": 1, "c": 5, "d": 2}
    problem = problem_of(4, weights, clusters(3, "abcd"), room={"d": 0}, deviation=Deviation.L1)
    # 1, 1, 2: 5/9 + 5/9 + 2/9 = 12/9. 1, 0, 3: 5/9 + 4/9 + 7/9 = 16/9. Both leave 8/9 of d.
    assert best(problem) == {"a": 1, "b": 1, "c": 2}
    assert held(chosen(problem)) == best(problem)


def test_solve_counts_candidates_without_room() -> None:
    """Quotas 1/2, 1/2, 1, 1: on a and c, 2 and 1 are as near as 1 and 2, and come first."""
    weights = {"a": 1, "b": 1, "c": 2, "d": 2}
    problem = problem_of(3, weights, clusters(2, "abcd"), room={"d": 0}, deviation=Deviation.L1)
    placement = solve(problem, workers=1).placement
    assert placement is not None
    assert dict(placement["w"]) == best(problem) == {"a": 2, "c": 1}


def random_choice(seed: int) -> Problem:
    """Return a workload over four to six clusters in two or three regions, with limits on their number."""
    rng = random.Random(seed)
    names = "abcdef"[: rng.randint(4, 6)]
    region = {name: f"r{rng.randint(1, rng.choice([2, 3]))}" for name in names}
    groups = {each: "".join(name for name in names if region[name] == each) for each in region.values()}
    rules: list[WorkloadRule] = []
    if rng.random() < 0.7:
        most = rng.randint(1, 3)
        rules.append(clusters(most, names, rng.randint(0, most)))
    if not rules or rng.random() < 0.5:
        least = rng.randint(0, 2)
        rules.append(regions(rng.choice([max(1, least), 2, None]), least, **groups))
    if rng.random() < 0.3:
        rules.append(Bounds({name: Bound(rng.randint(1, 2)) for name in names}, where_held=frozenset(names)))
    return problem_of(
        rng.randint(1, 6),
        {name: rng.choice([1, 1, 2, 3, 5, 8]) for name in names},
        *rules,
        current={name: rng.randint(1, 3) for name in names if rng.random() < 0.4},
        room={name: rng.randint(0, 5) for name in names if rng.random() < 0.6},
        deviation=rng.choice([Deviation.WEBSTER, Deviation.L1]),
        keep=rng.random() < 0.5,
    )


def agrees(seed: int) -> bool:
    """Compare one random choice with all divisions; tell whether there was an answer."""
    problem = random_choice(seed)
    answer = held(chosen(problem))
    # Infeasible problems have no answer, and so have those for which this way is not made.
    assert answer is None or answer == best(problem), f"seed {seed}: {answer}, best {best(problem)}"
    return answer is not None


def test_agrees_with_all_divisions() -> None:
    """Whenever there is an answer it is the best division, ties included; often there is one."""
    assert sum(agrees(seed) for seed in range(200)) > 100


@pytest.mark.long
@pytest.mark.parametrize("part", range(10))
def test_agrees_with_all_divisions_of_many(part: int) -> None:
    """The same for 5,000 seeds."""
    assert sum(agrees(seed) for seed in range(1000 + 500 * part, 1500 + 500 * part)) > 250
