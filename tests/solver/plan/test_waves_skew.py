"""Waves under skews: no wave leaves groups of clusters farther apart than its start, or the target."""

from dataclasses import replace

import pytest

from fairlead.models.check import check
from fairlead.solver.deadline import Deadline
from fairlead.solver.plan.replay import replay
from fairlead.solver.plan.schedule import waves_of
from fleets import random_fleet, with_skews
from wave_brute_force import fewest_waves


def sweep(seeds: range) -> int:
    """Plan random fleets for the simulator to judge; return how many plans without skews would break one."""
    bound = 0
    for seed in seeds:
        plain = random_fleet(seed)
        fleet = with_skews(plain, seed)
        assert check(fleet.problem, fleet.target) == (), f"seed {seed}"
        plan = waves_of(fleet.problem, fleet.target, fleet.options, Deadline())
        assert replay(plan) == (), f"seed {seed}"
        free = waves_of(plain.problem, plain.target, plain.options, Deadline())
        bound += bool(replay(replace(free, problem=fleet.problem)))
    return bound


def compare(seeds: range) -> int:
    """Compare tiny fleets with brute force; return how many go straight to the target."""
    found = 0
    for seed in seeds:
        fleet = with_skews(random_fleet(seed, most_workloads=3, most_clusters=3, most_replicas=3), seed)
        plan = waves_of(fleet.problem, fleet.target, fleet.options, Deadline())
        straight = plan.complete and not plan.detours
        fewest = fewest_waves(fleet.problem, fleet.target, fleet.options)
        assert (len(plan.waves) if straight else None) == fewest, f"seed {seed}"
        found += straight
    return found


def test_random_fleets_with_skews_replay_cleanly() -> None:
    """No plan breaks one, and without them some would."""
    assert sweep(range(40)) > 0


def test_random_fleets_with_skews_take_as_few_waves_as_brute_force() -> None:
    """No plan is longer than it has to be."""
    assert compare(range(50)) > 15


@pytest.mark.long
def test_many_random_fleets_with_skews() -> None:
    """The same on many more fleets."""
    assert sweep(range(40, 300)) > 4
    assert compare(range(50, 300)) > 80
