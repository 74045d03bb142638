"""Waves of random fleets, also under quotas, skews and losses: judged by the simulator and by brute force."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from fairlead.models.check import check
from fairlead.models.cluster import Cluster
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Survival, Total, WorkloadRule
from fairlead.models.workload import Workload
from fairlead.solver.plan.replay import replay
from fairlead.solver.plan.schedule import waves_of
from fairlead.solver.plan.waves import Availability, MoveOrder, WaveOptions, WavePlan
from fairlead.solver.running.deadline import Deadline
from fleets import RandomFleet, random_fleet, tiny_fleet, with_losses, with_quotas, with_skews
from wave_brute_force import goes_straight

Ruled = Callable[[RandomFleet, int], RandomFleet]
"""Adds a rule to a fleet of a seed."""


def plain(fleet: RandomFleet, _: int) -> RandomFleet:
    """Add nothing."""
    return fleet


def waves(fleet: RandomFleet) -> WavePlan:
    """Return the waves of a fleet."""
    return waves_of(fleet.problem, fleet.target, fleet.options, Deadline())


def sweep(ruled: Ruled, seeds: range) -> Counter[str]:
    """Let the simulator judge plans of random fleets; count whole ones, and what the rule changes."""
    counts = Counter[str]()
    for seed in seeds:
        free = random_fleet(seed)
        fleet = ruled(free, seed)
        assert check(fleet.problem, fleet.target) == (), f"seed {seed}"
        plan = waves(fleet)
        without = plan if ruled is plain else waves(free)
        assert replay(plan) == (), f"seed {seed}"
        assert plan.lower_bound <= len(plan.waves), f"seed {seed}"
        counts["whole"] += plan.complete
        counts["detours"] += plan.detours
        counts["longer"] += len(plan.waves) > len(without.waves) or plan.complete < without.complete
        counts["broken without"] += bool(replay(replace(without, problem=fleet.problem)))
    return counts


def straight(ruled: Ruled, seeds: range) -> int:
    """Compare tiny fleets with brute force; return how many go straight to the target."""
    return sum(goes_straight(ruled(tiny_fleet(seed), seed), seed) for seed in seeds)


@pytest.mark.parametrize(
    ("ruled", "seeds", "least"),
    [
        (plain, range(60), {"whole": 41}),
        (with_quotas, range(40), {"whole": 16, "longer": 4}),
        (with_skews, range(40), {"broken without": 1}),
        pytest.param(plain, range(1000), {"whole": 801, "detours": 1}, marks=pytest.mark.long),
        pytest.param(with_quotas, range(40, 400), {"whole": 101}, marks=pytest.mark.long),
        pytest.param(with_skews, range(40, 300), {"broken without": 5}, marks=pytest.mark.long),
        pytest.param(with_losses, range(40, 300), {}, marks=pytest.mark.long),
    ],
)
def test_random_fleets_replay_cleanly(ruled: Ruled, seeds: range, least: dict[str, int]) -> None:
    """No wave breaks a rule, most plans are whole, and rules make some longer, or some would break them."""
    counts = sweep(ruled, seeds)
    assert all(counts[name] >= number for name, number in least.items()), counts


@pytest.mark.parametrize(
    ("ruled", "seeds", "some"),
    [
        (plain, range(100), 80),
        (with_quotas, range(50), 15),
        (with_skews, range(50), 15),
        (with_losses, range(50), 15),
        pytest.param(plain, range(100, 900), 600, marks=pytest.mark.long),
        pytest.param(with_quotas, range(50, 400), 100, marks=pytest.mark.long),
        pytest.param(with_skews, range(50, 300), 80, marks=pytest.mark.long),
        pytest.param(with_losses, range(50, 300), 80, marks=pytest.mark.long),
    ],
)
def test_random_fleets_take_as_few_waves_as_brute_force(ruled: Ruled, seeds: range, some: int) -> None:
    """No plan is longer than it has to be; enough go straight to the target, and some do not."""
    assert some < straight(ruled, seeds) < len(seeds)


def test_two_clusters_may_be_lost_inside_a_wave_too() -> None:
    """Two leave a, which stop first: b and c with two each, once both are lost, would leave none of one."""
    rules = (Total(), Survival("cluster", {name: frozenset(name) for name in "abcd"}, 1, count=2))
    there, target = {"a": 2, "b": 2, "c": 2}, Placement({"w": {"b": 2, "c": 2, "d": 2}})
    options = WaveOptions(order=MoveOrder.STOP_FIRST, availability=Availability(2))
    clusters = tuple(Cluster(name) for name in "abcd")

    def plan(*own: WorkloadRule) -> WavePlan:
        problem = Problem(clusters, (Workload("w", "w", 6, current=there, rules=own),))
        found = waves_of(problem, target, options, Deadline())
        assert found.complete
        assert replay(found) == ()
        return found

    free, bound = plan(*rules[:1]), plan(*rules)
    assert (len(free.waves), len(bound.waves)) == (1, 2)
    broken = replay(replace(free, problem=bound.problem))
    assert {each.violation.rule for each in broken} == {"survival"}


def test_the_order_of_clusters_and_workloads_does_not_matter() -> None:
    """Turned round, a fleet has the same waves."""
    for seed in range(12):
        fleet = random_fleet(seed)
        turned = Problem(fleet.problem.clusters[::-1], fleet.problem.workloads[::-1], fleet.problem.rules)
        assert waves(replace(fleet, problem=turned)).waves == waves(fleet).waves
