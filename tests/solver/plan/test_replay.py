"""The simulator: what binds at which moment of a wave, and that every wrong plan is caught."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from pydantic import ValidationError

from fairlead.models.cluster import Cluster
from fairlead.models.errors import UsageError
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Bounds,
    Candidates,
    Capacity,
    Companionship,
    Duplicated,
    GroupTotal,
    SharedRule,
    Spread,
    Survival,
    Total,
    WorkloadRule,
)
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.candidates import Exclusion
from fairlead.models.workload import Workload
from fairlead.solver.plan.replay import replay
from fairlead.solver.plan.saved import SavedPlan, SavedWaves
from fairlead.solver.plan.schedule import waves_of
from fairlead.solver.plan.transient import WaveMoment
from fairlead.solver.plan.waves import (
    Availability,
    BlockedMove,
    Move,
    MoveOrder,
    Wave,
    WaveOptions,
    WavePlan,
    running,
)
from fleets import random_fleet

SINGLE = {name: frozenset({name}) for name in ("a", "b", "c")}


def web(
    current: Mapping[str, int], *rules: WorkloadRule, key: str = "web", replicas: int | None = None
) -> Workload:
    """Return a workload of 100m cpu each that wants as many replicas as run, if nothing else is said."""
    wanted = sum(current.values()) if replicas is None else replicas
    return Workload(key, key, wanted, requests={"cpu": 100}, current=current, rules=(Total(), *rules))


def plan_of(
    workloads: tuple[Workload, ...],
    target: Mapping[str, Mapping[str, int]],
    *waves: tuple[Move, ...],
    free: Mapping[str, int] | None = None,
    rules: tuple[SharedRule, ...] = (),
    options: WaveOptions | None = None,
) -> WavePlan:
    """Return a plan on clusters a, b and c; they have 1000m cpu free where nothing else is said."""
    room = {"a": 1000, "b": 1000, "c": 1000, **(free or {})}
    clusters = tuple(Cluster(name, free={"cpu": cpu}) for name, cpu in room.items())
    problem = Problem(clusters, workloads, (Capacity(), *rules))
    return WavePlan(
        problem, Placement(target), tuple(Wave(moves) for moves in waves), options=options or WaveOptions()
    )


def found(plan: WavePlan) -> list[tuple[int, str | None, str]]:
    """Return wave, moment and rule of everything that is broken."""
    return [(breach.wave, breach.moment, breach.violation.rule) for breach in replay(plan)]


def test_a_good_plan_breaks_nothing() -> None:
    """A good plan breaks nothing."""
    plan = plan_of((web({"a": 2}),), {"web": {"b": 2}}, (Move("web", "a", "b", 2),))
    assert replay(plan) == ()
    assert [placement.to_dict() for placement in plan.states] == [
        {"web": {"a": 2}},
        {"web": {"b": 2}},
    ]


def test_a_new_replica_needs_room_beside_the_old_one_of_another_workload() -> None:
    """A new replica needs room beside the old one of another workload."""
    # b has no room until old has left it: 100m free would do, 0 does not.
    workloads = (web({"a": 1}, key="new"), web({"b": 1}, key="old"))
    target = {"new": {"b": 1}, "old": {"c": 1}}
    at_once = (Move("new", "a", "b", 1), Move("old", "b", "c", 1))
    tight = plan_of(workloads, target, at_once, free={"b": 0})
    assert found(tight) == [(1, WaveMoment.STARTED, "capacity")]
    text = "wave 1, while old and new replicas run: b: 200m cpu requested, 100m available"
    assert str(replay(tight)[0]).startswith(text)
    assert replay(plan_of(workloads, target, at_once, free={"b": 100})) == ()
    in_turn = plan_of(
        workloads, target, (Move("old", "b", "c", 1),), (Move("new", "a", "b", 1),), free={"b": 0}
    )
    assert replay(in_turn) == ()


def test_stopping_first_needs_no_room_but_is_missing() -> None:
    """Stopping first needs no room but is missing."""
    workloads = (web({"a": 2}, key="new"), web({"b": 2}, key="old"))
    target = {"new": {"a": 1, "b": 1}, "old": {"a": 1, "b": 1}}
    moves = (Move("new", "a", "b", 1, stop_first=True), Move("old", "b", "a", 1, stop_first=True))
    full = {"a": 0, "b": 0}
    allowed = plan_of(workloads, target, moves, free=full, options=WaveOptions(MoveOrder.STOP_FIRST))
    assert replay(allowed) == ()
    none_missing = WaveOptions(MoveOrder.STOP_FIRST, Availability(max_unavailable=0))
    refused = plan_of(workloads, target, moves, free=full, options=none_missing)
    assert found(refused) == [(1, WaveMoment.STOPPED, "availability")] * 2
    # The order of the workload has to allow it.
    assert found(plan_of(workloads, target, moves, free=full)) == [(1, None, "moves")] * 2


def test_a_surge_may_be_limited() -> None:
    """A surge may be limited."""
    one = WaveOptions(availability=Availability(max_surge=1))
    twice = plan_of((web({"a": 2}),), {"web": {"b": 2}}, (Move("web", "a", "b", 2),), options=one)
    assert found(twice) == [(1, WaveMoment.STARTED, "surge")]
    step = (Move("web", "a", "b", 1),)
    assert replay(plan_of((web({"a": 2}),), {"web": {"b": 2}}, step, step, options=one)) == ()


def test_both_copies_count_for_the_most_of_a_cluster() -> None:
    """Both copies count for the most of a cluster."""
    # b may hold 2 and does; a third stands there only while c is being filled.
    rule = Bounds(maximum={"b": Bound(2)})
    moves = (Move("web", "a", "b", 1), Move("web", "b", "c", 1))
    plan = plan_of((web({"a": 1, "b": 2}, rule),), {"web": {"b": 2, "c": 1}}, moves)
    assert found(plan) == [(1, WaveMoment.STARTED, "bounds")]


def test_a_minimum_only_where_held_has_to_be_jumped_over() -> None:
    """A minimum only where held has to be jumped over."""
    rule = Bounds({"b": Bound(2)}, where_held=frozenset({"b"}))
    workloads, target = (web({"a": 2}, rule),), {"web": {"b": 2}}
    one = (Move("web", "a", "b", 1),)
    assert found(plan_of(workloads, target, one, one)) == [(1, WaveMoment.AFTER, "bounds")]
    assert replay(plan_of(workloads, target, (Move("web", "a", "b", 2),))) == ()


def test_a_moving_replica_counts_once_in_a_group() -> None:
    """A moving replica counts once in a group."""
    # Exactly 2 in a and b: the new replica stands beside the old one, which the total of the group bears.
    rule = GroupTotal("region x", frozenset({"a", "b"}), 2, 2)
    workload = web({"a": 2}, rule)
    assert replay(plan_of((workload,), {"web": {"a": 1, "b": 1}}, (Move("web", "a", "b", 1),))) == ()
    away = plan_of(
        (workload,), {"web": {"a": 1, "b": 1}}, (Move("web", "a", "c", 1),), (Move("web", "c", "b", 1),)
    )
    assert found(away) == [(1, WaveMoment.AFTER, "group-total")]


def test_a_spread_keeps_its_fewest_groups_inside_the_wave_as_well() -> None:
    """A spread keeps its fewest groups inside the wave as well."""
    # Two clusters at every moment: stopping b first leaves a alone.
    rule = Spread("cluster", SINGLE, 2, 2)
    workload = web({"a": 1, "b": 1}, rule)
    target = {"web": {"a": 1, "c": 1}}
    assert replay(plan_of((workload,), target, (Move("web", "b", "c", 1),))) == ()
    first = plan_of(
        (workload,),
        target,
        (Move("web", "b", "c", 1, stop_first=True),),
        options=WaveOptions(MoveOrder.STOP_FIRST),
    )
    assert found(first) == [(1, WaveMoment.STOPPED, "spread")]


def test_a_spread_keeps_its_most_groups_between_waves() -> None:
    """A spread keeps its most groups between waves."""
    # Three clusters while the new replica comes up are fine, three between two waves are not.
    workload = web({"a": 1, "b": 2}, Spread("cluster", SINGLE, 1, 2))
    half = (Move("web", "b", "c", 1),)
    assert found(plan_of((workload,), {"web": {"a": 1, "c": 2}}, half, half)) == [
        (1, WaveMoment.AFTER, "spread")
    ]
    assert replay(plan_of((workload,), {"web": {"a": 1, "c": 2}}, (Move("web", "b", "c", 2),))) == ()


def test_survival_holds_with_the_fewest_replicas() -> None:
    """Survival holds with the fewest replicas."""
    # One of two clusters may be lost: stopping first leaves one replica, and nothing if a is lost.
    workload = web({"a": 1, "b": 1}, Survival("cluster", SINGLE, 1))
    target = {"web": {"a": 1, "c": 1}}
    move = Move("web", "b", "c", 1, stop_first=True)
    first = plan_of((workload,), target, (move,), options=WaveOptions(MoveOrder.STOP_FIRST))
    assert found(first) == [(1, WaveMoment.STOPPED, "survival")]
    assert replay(plan_of((workload,), target, (replace(move, stop_first=False),))) == ()


def test_a_cluster_that_takes_nothing_new_takes_nothing_back() -> None:
    """A cluster that takes nothing new takes nothing back."""
    # a held 2 before, so 2 would not be too many; but the taint lets nothing new in.
    rule = Candidates(("a", "b"), {}, {"a": Exclusion("had untolerated taint {gpu}")})
    plan = plan_of(
        (web({"a": 2}, rule),), {"web": {"a": 2}}, (Move("web", "a", "b", 1),), (Move("web", "b", "a", 1),)
    )
    assert found(plan) == [(2, WaveMoment.STARTED, "candidates")]


def test_a_copy_is_full_or_absent() -> None:
    """A copy is full or absent."""
    workload = replace(web({"a": 2}), replicas=2, rules=(Candidates(("a", "b")), Duplicated(choice=True)))
    half = (Move("web", "a", "b", 1),)
    assert {breach[2] for breach in found(plan_of((workload,), {"web": {"b": 2}}, half, half))} == {
        "duplicated"
    }
    assert replay(plan_of((workload,), {"web": {"b": 2}}, (Move("web", "a", "b", 2),))) == ()


def test_workloads_that_are_kept_apart_do_not_meet_in_a_wave() -> None:
    """Workloads that are kept apart do not meet in a wave."""
    apart = (Companionship("quiet", ("one", "two"), together=False),)
    workloads = (web({"a": 1}, key="one"), web({"b": 1}, key="two"))
    target = {"one": {"b": 1}, "two": {"c": 1}}
    swap = (Move("one", "a", "b", 1), Move("two", "b", "c", 1))
    assert found(plan_of(workloads, target, swap, rules=apart)) == [(1, WaveMoment.STARTED, "companionship")]
    assert replay(plan_of(workloads, target, swap[1:], swap[:1], rules=apart)) == ()


def test_workloads_that_keep_together_move_together() -> None:
    """Workloads that keep together move together."""
    tied = (Companionship("pair", ("one", "two"), together=True),)
    workloads = (web({"a": 1}, key="one"), web({"a": 1}, key="two"))
    target = {"one": {"b": 1}, "two": {"b": 1}}
    moves = (Move("one", "a", "b", 1), Move("two", "a", "b", 1))
    assert replay(plan_of(workloads, target, moves, rules=tied)) == ()
    assert found(plan_of(workloads, target, moves[:1], moves[1:], rules=tied)) == [
        (1, WaveMoment.AFTER, "companionship")
    ]


def test_what_is_broken_may_stay_but_not_get_worse() -> None:
    """What is broken may stay but not get worse."""
    # b may hold 1 and holds 3: one less is fine although still too many, one more is not.
    rule = Bounds(maximum={"b": Bound(1)})
    workload = web({"a": 1, "b": 3}, rule)
    target = {"web": {"a": 3, "b": 1}}
    less = (Move("web", "b", "a", 1),)
    assert replay(plan_of((workload,), target, less, less)) == ()
    more = plan_of((workload,), target, (Move("web", "a", "b", 1),), (Move("web", "b", "a", 3),))
    assert found(more)[0] == (1, WaveMoment.STARTED, "bounds")


def test_missing_replicas_come_before_anything_stops() -> None:
    """Missing replicas come before anything stops."""
    # 1 of 3 runs. None may be missing, so nothing stops first; what is missing starts at once.
    workload = web({"a": 1}, replicas=3)
    start = (Move("web", None, "b", 2),)
    assert replay(plan_of((workload,), {"web": {"a": 1, "b": 2}}, start)) == ()
    stop = plan_of((workload,), {"web": {"b": 3}}, (Move("web", "a", None, 1),), (Move("web", None, "b", 3),))
    assert (1, WaveMoment.STOPPED, "availability") in found(stop)


def test_replicas_on_a_cluster_that_is_gone_are_started_new() -> None:
    """Replicas on a cluster that is gone are started new."""
    workload = web({"a": 1, "lost": 1})
    plan = plan_of((workload,), {"web": {"a": 1, "b": 1}}, (Move("web", None, "b", 1),))
    assert replay(plan) == ()
    assert running(plan.problem).to_dict() == {"web": {"a": 1}}


@pytest.mark.parametrize(
    ("move", "text"),
    [
        (Move("web", "a", "b", 3), "web: 3 replicas leave a, which holds 2"),
        (Move("web", "a", "z", 1), "web: there is no cluster z"),
        (Move("app", "a", "b", 1), "there is no workload app"),
        (Move("web", "a", "a", 1), "web: moving 1 from a to a is no move"),
        (Move("web", None, None, 1), "web: moving 1 from nowhere to nowhere is no move"),
        (Move("web", "a", "b", 0), "web: moving 0 from a to b is no move"),
    ],
)
def test_what_is_no_move_is_said(move: Move, text: str) -> None:
    """What is no move is said."""
    plan = plan_of((web({"a": 2}),), {"web": {"b": 2}}, (move,))
    assert [str(breach) for breach in replay(plan)] == [f"wave 1: {text}"]


def test_the_end_has_to_be_the_target_but_for_blocked_moves() -> None:
    """The end has to be the target but for blocked moves."""
    workloads, target = (web({"a": 2}),), {"web": {"b": 2}}
    short = plan_of(workloads, target, (Move("web", "a", "b", 1),))
    assert found(short) == [(0, None, "target")] * 2
    told = replace(short, blocked=(BlockedMove(Move("web", "a", "b", 1), "b is full"),))
    assert replay(told) == ()


def test_a_plan_survives_json() -> None:
    """A plan survives json."""
    moves = (Move("web", "a", "b", 1, stop_first=True), Move("web", None, "c", 1))
    plan = replace(
        plan_of((web({"a": 1}),), {"web": {"b": 1, "c": 1}}, moves, moves[1:]),
        lower_bound=1,
        blocked=(BlockedMove(Move("web", "a", None, 1), "no"),),
    )
    document = plan.to_dict()
    read = SavedPlan(plan.target, plan.options, SavedWaves.model_validate(document))
    assert read.waves_for(plan.problem) == plan
    assert document["waves"][0]["moves"][0] == {
        "workload": "web",
        "source": None,
        "target": "c",
        "replicas": 1,
        "order": "start-first",
    }
    for wrong in ({}, {"waves": [{"moves": [{"workload": "web", "replicas": 0}]}]}, {"waves": 3}):
        with pytest.raises(ValidationError):
            SavedWaves.model_validate(wrong)


def test_availability_in_replicas_and_shares() -> None:
    """Availability in replicas and shares."""
    # 25 % of 10 is 2.5: 2 may be missing, 3 may be too many, as in a Deployment.
    quarter = Availability("25%", "25%")
    assert (quarter.missing(10, MoveOrder.START_FIRST), quarter.surplus(10)) == (2, 3)
    assert Availability().missing(10, MoveOrder.START_FIRST) == 0
    assert Availability().missing(10, MoveOrder.STOP_FIRST) == 2
    assert Availability().missing(3, MoveOrder.EITHER) == 1
    assert Availability().surplus(10) is None
    for wrong in (-1, "a quarter", "1.5%", True):
        with pytest.raises(UsageError):
            Availability(max_unavailable=wrong)


def mutations(plan: WavePlan) -> list[WavePlan]:
    """Return plans that are wrong in one place: a move lost, doubled, or one replica more."""
    wrong = []
    for number, wave in enumerate(plan.waves):
        for position, move in enumerate(wave.moves):
            rest = wave.moves[:position] + wave.moves[position + 1 :]
            for moves in (rest, (*wave.moves, move), (*rest, replace(move, replicas=move.replicas + 1))):
                changed = (*plan.waves[:number], Wave(moves), *plan.waves[number + 1 :])
                wrong.append(replace(plan, waves=changed))
    return wrong


def test_lost_and_doubled_moves_are_caught() -> None:
    """Lost and doubled moves are caught."""
    looked_at = 0
    for seed in range(25):
        fleet = random_fleet(seed)
        plan = waves_of(fleet.problem, fleet.target, fleet.options)
        for wrong in mutations(plan):
            assert replay(wrong), f"seed {seed}"
            looked_at += 1
    assert looked_at > 200


def test_waves_in_the_wrong_order_are_caught_where_the_order_matters() -> None:
    """Waves in the wrong order are caught where the order matters."""
    # a -> b -> c without room on b: the second wave cannot go first.
    workloads = (web({"a": 1}, key="new"), web({"b": 1}, key="old"))
    target = {"new": {"b": 1}, "old": {"c": 1}}
    good = plan_of(workloads, target, (Move("old", "b", "c", 1),), (Move("new", "a", "b", 1),), free={"b": 0})
    assert replay(good) == ()
    assert found(replace(good, waves=good.waves[::-1])) == [
        (1, WaveMoment.STARTED, "capacity"),
        (1, WaveMoment.AFTER, "capacity"),
    ]
