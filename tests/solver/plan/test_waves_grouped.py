"""Waves under skews and losses: no wave leaves groups of clusters farther apart, or fewer left."""

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
from fleets import RandomFleet, random_fleet, tiny_fleet, with_losses, with_skews
from wave_brute_force import goes_straight

Ruled = Callable[[RandomFleet, int], RandomFleet]
"""Adds a rule about groups of clusters to the workloads of a fleet."""
EITHER = pytest.mark.parametrize("ruled", [with_skews, with_losses])


def sweep(ruled: Ruled, seeds: range) -> int:
    """Plan random fleets for the simulator to judge; return how many would break it without."""
    bound = 0
    for seed in seeds:
        plain = random_fleet(seed)
        fleet = ruled(plain, seed)
        assert check(fleet.problem, fleet.target) == (), f"seed {seed}"
        plan = waves_of(fleet.problem, fleet.target, fleet.options, Deadline())
        assert replay(plan) == (), f"seed {seed}"
        free = waves_of(plain.problem, plain.target, plain.options, Deadline())
        bound += bool(replay(replace(free, problem=fleet.problem)))
    return bound


def compare(ruled: Ruled, seeds: range) -> int:
    """Compare tiny fleets with brute force; return how many go straight to the target."""
    return sum(goes_straight(ruled(tiny_fleet(seed), seed), seed) for seed in seeds)


def test_random_fleets_with_skews_replay_cleanly() -> None:
    """No plan breaks one, and without them some would."""
    assert sweep(with_skews, range(40)) > 0


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


@EITHER
def test_random_fleets_take_as_few_waves_as_brute_force(ruled: Ruled) -> None:
    """No plan is longer than it has to be."""
    assert compare(ruled, range(50)) > 15


@EITHER
@pytest.mark.long
def test_many_random_fleets(ruled: Ruled) -> None:
    """The same on many more fleets."""
    assert sweep(ruled, range(40, 300)) >= (5 if ruled is with_skews else 0)
    assert compare(ruled, range(50, 300)) > 80
