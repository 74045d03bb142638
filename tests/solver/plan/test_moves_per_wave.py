"""No wave moves more replicas than it may, and no fewer waves would do."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import fairlead
from fairlead.cli.app import main
from fairlead.models.errors import UsageError
from fairlead.models.placement import Placement
from fairlead.models.rules import Candidates, Duplicated, Survival, Total
from fairlead.solver.plan import schedule
from fairlead.solver.plan.migration import migration_of
from fairlead.solver.plan.replay import replay
from fairlead.solver.plan.schedule import waves_of
from fairlead.solver.plan.waves import Move, Wave, WaveOptions, WavePlan
from fairlead.solver.running.deadline import Deadline
from fleets import tiny_fleet
from places import EXAMPLES
from small_plans import fleet, service
from wave_brute_force import fewest_waves, goes_straight

MIGRATION = ["-q", "-f", str(EXAMPLES / "safe-migration")]
"""Moves two replicas of one workload and one of another in a single wave where it may."""


def test_random_fleets_take_as_few_waves_as_brute_force() -> None:
    """Whatever one wave may move: with 1 to 3 replicas a wave, straight plans are proven the shortest."""
    capped = 0
    for seed in range(30):
        free = tiny_fleet(seed)
        made = replace(free, options=replace(free.options, most_moves=1 + seed % 3))
        straight = goes_straight(made, seed)
        plan = waves_of(made.problem, made.target, made.options, Deadline())
        assert all(wave.replicas <= 1 + seed % 3 for wave in plan.waves), f"seed {seed}"
        uncapped = fewest_waves(free.problem, free.target, free.options)
        capped += uncapped != (len(plan.waves) if straight else None)
    assert capped > 10


def test_a_chain_needs_no_more_waves_than_moves() -> None:
    """One move a wave: job leaves the full cluster west, then web takes its place: two waves are enough.

    So no bound may say three, whatever room there is when the second wave begins.
    """
    open_to_more = fleet(service("web", {"east": 1}), service("job", {"west": 1}))
    west = next(each for each in open_to_more.clusters if each.name == "west")
    others = tuple(each for each in open_to_more.clusters if each is not west)
    problem = replace(open_to_more, clusters=(*others, replace(west, free={"cpu": 0})))
    target = Placement({"shop/web": {"west": 1}, "shop/job": {"north": 1}})
    options = WaveOptions(most_moves=1)
    assert len(waves_of(problem, target, options, Deadline()).waves) == 2
    assert schedule.fewest_waves(migration_of(problem, target, options)) == 2


def test_the_simulator_counts() -> None:
    """A wave that moves one more than it may is a breach, whoever made it."""
    problem, target = fleet(service("web", {"east": 3})), Placement({"shop/web": {"west": 3}})
    wave = Wave((Move("shop/web", "east", "west", 3),))
    for most, breaches in ((3, 0), (2, 1)):
        plan = WavePlan(problem, target, (wave,), options=WaveOptions(most_moves=most))
        assert len([each for each in replay(plan) if each.wave]) == breaches


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Three replicas one by one are three waves; a saved plan keeps that, and refuses another number."""
    saved = tmp_path / "plan.json"
    assert main(["plan", *MIGRATION, "--max-moves-per-wave", "1", "--save", str(saved)]) == 0
    assert capsys.readouterr().out.startswith("3 replicas move in 3 waves (the minimum).")
    assert json.loads(saved.read_text())["waveOptions"]["maxMovesPerWave"] == 1
    assert main(["plan", *MIGRATION, "--resume", str(saved)]) == 0
    assert "in 3 waves" in capsys.readouterr().out
    assert main(["plan", *MIGRATION, "--resume", str(saved), "--max-moves-per-wave", "2"]) == 2
    assert "leave out --max-moves-per-wave, or" in capsys.readouterr().err
    several = ["--budget-of", "shop/web=1", "--budget", "3", "--no-detours", "--max-surge", "1", "--pin", "x"]
    assert main(["plan", *MIGRATION, "--resume", str(saved), *several]) == 2
    assert "leave out --budget, --budget-of, --pin, --max-surge, --no-detours, or" in capsys.readouterr().err


def test_copies_start_whole() -> None:
    """A copy of 2 takes a wave of at least 2: waves of 3 start one each, and of 1 none; a part is no copy."""
    target = {"shop/web": {"east": 2, "west": 2}}
    web = replace(service("web", {}, 2), rules=(Candidates(("east", "west")), Duplicated()))
    waves = waves_of(fleet(web), target, WaveOptions(most_moves=3)).waves
    assert [[(move.target, move.replicas) for move in wave.moves] for wave in waves] == [
        [("east", 2)],
        [("west", 2)],
    ]
    stuck = waves_of(fleet(web), target, WaveOptions(most_moves=1))
    assert not stuck.waves
    assert [each.reason for each in stuck.blocked] == [
        f"shop/web: 2 replicas cannot start on {name}: shop/web: {name} holds 1 replica, a full copy is 2, "
        "and a wave moves at most 1"
        for name in ("east", "west")
    ]


def test_copies_wait_for_room() -> None:
    """East has 7 cpus, 3 in use: the copy of 5 waits until api has left, and its first 4 do not go ahead."""
    web = replace(service("web", {}, 5), rules=(Candidates(("east",)), Duplicated()))
    asked = fleet(service("api", {"east": 3}), web)
    target = {"shop/api": {"west": 3}, "shop/web": {"east": 5}}
    waves = waves_of(asked, target).waves
    assert [[(move.workload, move.replicas) for move in wave.moves] for wave in waves] == [
        [("shop/api", 3)],
        [("shop/web", 5)],
    ]


def test_what_a_loss_leaves_counts_as_long_as_there_is_something_to_lose() -> None:
    """West is closed and has to be left, east shrinks to 1, and losing west has to leave 2.

    Stopped on east first, losing west would leave 1. Once nothing is on west, it asks for nothing.
    """
    lost = {name: frozenset({name}) for name in ("east", "west")}
    rules = (Candidates(("east",)), Total(), Survival("cluster", {"east": lost["east"]}, 2, None, lost))
    web = replace(service("web", {"east": 2, "west": 1}, 1), rules=rules)
    plan = waves_of(fleet(web), {"shop/web": {"east": 1}}, WaveOptions(most_moves=1))
    assert [[(move.source, move.replicas) for move in wave.moves] for wave in plan.waves] == [
        [("west", 1)],
        [("east", 1)],
    ]
    assert plan.proven


def test_none_is_no_number() -> None:
    """A wave that may move nothing leads nowhere."""
    with pytest.raises(UsageError, match="at least 1 replica"):
        fairlead.plan(fairlead.load(EXAMPLES / "safe-migration"), max_moves_per_wave=0)
