"""Waves: order, room for both copies, rings of full clusters, and what is blocked."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from fairlead.models.check import check
from fairlead.models.cluster import Cluster
from fairlead.models.errors import UsageError
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Bounds,
    Candidates,
    Capacity,
    Companionship,
    GroupTotal,
    Quota,
    SharedRule,
    Spread,
    Total,
    WorkloadRule,
)
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.quota import QuotaLimit, QuotaScope
from fairlead.models.workload import AffinityGroup, Workload
from fairlead.solver.plan import greedy
from fairlead.solver.plan.builder import WaveBuilder
from fairlead.solver.plan.migration import migration_of
from fairlead.solver.plan.replay import replay
from fairlead.solver.plan.schedule import repairs_first, waves_of
from fairlead.solver.plan.steps import WaveStep
from fairlead.solver.plan.waves import Availability, Move, MoveOrder, WaveOptions, WavePlan
from moved import moved_to

STOP_FIRST = WaveOptions(MoveOrder.STOP_FIRST)


def app(
    key: str, current: Mapping[str, int], *rules: WorkloadRule, cpu: int = 500, replicas: int | None = None
) -> Workload:
    """Return a workload of 500m cpu each."""
    wanted = sum(current.values()) if replicas is None else replicas
    return Workload(key, key, wanted, requests={"cpu": cpu}, current=current, rules=(Total(), *rules))


def planned(
    free: Mapping[str, int],
    workloads: tuple[Workload, ...],
    target: Mapping[str, Mapping[str, int]],
    options: WaveOptions | None = None,
    rules: tuple[SharedRule, ...] = (),
) -> WavePlan:
    """Return the waves on clusters with some cpu free."""
    clusters = tuple(Cluster(name, free={"cpu": cpu}) for name, cpu in free.items())
    problem = Problem(clusters, workloads, (Capacity(), *rules))
    assert not check(problem, target)
    plan = waves_of(problem, target, options)
    assert replay(plan) == ()
    return plan


def moves(plan: WavePlan) -> list[list[tuple[str, str | None, str | None, int]]]:
    """Return the moves of every wave."""
    return [
        [(move.workload, move.source, move.target, move.replicas) for move in wave.moves]
        for wave in plan.waves
    ]


def test_nothing_to_do_takes_no_wave() -> None:
    """Nothing to do takes no wave."""
    plan = planned({"m1": 0}, (app("a", {"m1": 2}),), {"a": {"m1": 2}})
    assert (plan.waves, plan.lower_bound, plan.complete, plan.proven) == ((), 0, True, True)


def test_what_fits_moves_at_once() -> None:
    """What fits moves at once."""
    plan = planned({"m1": 0, "m2": 1000}, (app("a", {"m1": 2}),), {"a": {"m2": 2}})
    assert moves(plan) == [[("a", "m1", "m2", 2)]]
    assert plan.proven


def test_a_chain_is_made_from_its_end() -> None:
    """m3 has room for one replica, m2 and m1 for none: c goes first, then b into its place, then a."""
    workloads = (app("a", {"m0": 1}), app("b", {"m1": 1}), app("c", {"m2": 1}))
    target = {"a": {"m1": 1}, "b": {"m2": 1}, "c": {"m3": 1}}
    plan = planned({"m0": 0, "m1": 0, "m2": 0, "m3": 500}, workloads, target)
    assert moves(plan) == [[("c", "m2", "m3", 1)], [("b", "m1", "m2", 1)], [("a", "m0", "m1", 1)]]
    assert plan.lower_bound == 3


def test_both_copies_need_room_so_that_an_exchange_takes_several_waves() -> None:
    """4 against 4 with room for 2 on m2.

    In wave 1 m2 takes two and m1 none, in wave 2 m1 takes two, in wave 3 m2 the last two, in wave 4 m1.
    """
    workloads = (app("a", {"m1": 4}), app("b", {"m2": 4}))
    plan = planned({"m1": 0, "m2": 1000}, workloads, {"a": {"m2": 4}, "b": {"m1": 4}})
    assert moves(plan) == [
        [("a", "m1", "m2", 2)],
        [("b", "m2", "m1", 2)],
        [("a", "m1", "m2", 2)],
        [("b", "m2", "m1", 2)],
    ]
    assert plan.proven


FULL = {"m1": 0, "m2": 0}
RING = (app("a", {"m1": 2}), app("b", {"m2": 2}))
SWAPPED = {"a": {"m2": 2}, "b": {"m1": 2}}


def test_full_clusters_cannot_exchange_replicas() -> None:
    """Full clusters cannot exchange replicas."""
    plan = planned(FULL, RING, SWAPPED)
    assert plan.waves == ()
    assert [(each.move.workload, each.move.replicas) for each in plan.blocked] == [("a", 2), ("b", 2)]
    assert plan.blocked[0].reason == (
        "a: 2 replicas cannot move from m1 to m2: m2 has 0 cpu left, one replica takes 500m; m1 and m2 are "
        "at capacity and exchange 4 replicas: 500m cpu more on m1 or m2, or stopping first (--order either) "
        "would unblock it"
    )


def test_what_would_let_a_ring_turn_is_true() -> None:
    """What would let a ring turn is true."""
    assert planned({"m1": 0, "m2": 500}, RING, SWAPPED).complete
    assert planned(FULL, RING, SWAPPED, WaveOptions(MoveOrder.EITHER)).complete


def test_full_clusters_exchange_replicas_through_a_third() -> None:
    """m3 has room for one replica: it waits there, twice."""
    plan = planned({**FULL, "m3": 500}, RING, SWAPPED)
    assert plan.complete
    assert plan.detours
    # Five replicas start, and four have to move: one of them starts twice.
    assert (plan.moves, plan.waiting) == (5, 1)
    assert {move.target for wave in plan.waves for move in wave.moves} == {"m1", "m2", "m3"}
    forbidden = planned({**FULL, "m3": 500}, RING, SWAPPED, WaveOptions(detours=False))
    assert not forbidden.complete


def test_a_third_cluster_has_to_be_a_candidate() -> None:
    """A third cluster has to be a candidate."""
    closed = Candidates(("m1", "m2"))
    workloads = (app("a", {"m1": 2}, closed), app("b", {"m2": 2}, closed))
    assert not planned({**FULL, "m3": 500}, workloads, SWAPPED).complete


def test_full_clusters_exchange_replicas_by_stopping_first() -> None:
    """A quarter of 2, at least 1, may be missing: one of each at a time."""
    plan = planned(FULL, RING, SWAPPED, STOP_FIRST)
    both = [("a", "m1", "m2", 1), ("b", "m2", "m1", 1)]
    assert moves(plan) == [both, both]
    assert plan.proven
    half = replace(STOP_FIRST, availability=Availability(max_unavailable="100%"))
    assert moves(planned(FULL, RING, SWAPPED, half)) == [[("a", "m1", "m2", 2), ("b", "m2", "m1", 2)]]


def test_at_most_so_many_are_missing_at_once() -> None:
    """5 replicas that stop first, at most 2 missing: 2, 2 and 1, however much room there is."""
    options = WaveOptions(MoveOrder.STOP_FIRST, Availability(max_unavailable=2))
    plan = planned({"m1": 0, "m2": 9000}, (app("a", {"m1": 5}),), {"a": {"m2": 5}}, options)
    assert [wave.replicas for wave in plan.waves] == [2, 2, 1]
    assert plan.lower_bound == 3


def test_at_most_so_many_are_too_many_at_once() -> None:
    """40 % of 5 is 2: as above with the new replica first."""
    options = WaveOptions(availability=Availability(max_surge="40%"))
    plan = planned({"m1": 0, "m2": 9000}, (app("a", {"m1": 5}),), {"a": {"m2": 5}}, options)
    assert [wave.replicas for wave in plan.waves] == [2, 2, 1]
    assert plan.lower_bound == 3


def test_shrinking_makes_room_in_the_same_wave() -> None:
    """Shrinking makes room in the same wave."""
    workloads = (app("a", {"m1": 3}, replicas=1), app("b", {"m2": 2}))
    plan = planned(FULL, workloads, {"a": {"m1": 1}, "b": {"m1": 2}})
    assert moves(plan) == [[("a", "m1", None, 2), ("b", "m2", "m1", 2)]]


def test_as_much_as_may_stop_is_found_in_few_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of m1 has to stay until m3 holds as much: of 10,000 the 5,000 that may stop are found at once.

    All 10,000, and then one less each time, were 5,000 tries; a twentieth of that is many for halves.
    """
    tries: list[bool] = []
    real = WaveBuilder.add

    def add(*asked: Any) -> bool:
        tries.append(real(*asked))
        return tries[-1]

    monkeypatch.setattr(WaveBuilder, "add", add)
    kept = GroupTotal("g", frozenset(["m1", "m3"]), 5000)
    workload = app("a", {"m1": 10_000, "m2": 10_000}, kept, cpu=1, replicas=10_000)
    plan = planned({"m1": 0, "m2": 0, "m3": 10_000}, (workload,), {"a": {"m3": 10_000}})
    stopped = [move for move in plan.waves[0].moves if move.target is None]
    assert [(move.source, move.replicas) for move in stopped] == [("m1", 5000), ("m2", 5000)]
    assert len(tries) < 250


def test_growing_starts_without_stopping() -> None:
    """Growing starts without stopping."""
    plan = planned({"m1": 0, "m2": 1000}, (app("a", {"m1": 1}, replicas=3),), {"a": {"m1": 1, "m2": 2}})
    assert moves(plan) == [[("a", None, "m2", 2)]]


def test_missing_replicas_go_before_moves() -> None:
    """m2 has room for one: the one of b that is missing, not the one of a that could move; then m1's two."""
    workloads = (app("a", {"m1": 1}), app("b", {}, replicas=1), app("c", {"m2": 1}))
    target = {"a": {"m2": 1}, "b": {"m2": 1}, "c": {"m1": 1}}
    plan = planned({"m1": 500, "m2": 500}, workloads, target)
    assert moves(plan)[0] == [("b", None, "m2", 1), ("c", "m2", "m1", 1)]


def test_the_fewest_clusters_of_a_spread_are_kept_in_every_wave() -> None:
    """On exactly two clusters between waves, both replicas of m2 go at once or not at all.

    On m3 there is room for one only until other has left it.
    """
    exactly = Spread("cluster", {name: frozenset({name}) for name in ("m1", "m2", "m3", "m4")}, 2, 2)
    workloads = (app("a", {"m1": 1, "m2": 2}, exactly), app("other", {"m3": 1}))
    target = {"a": {"m1": 1, "m3": 2}, "other": {"m4": 1}}
    plan = planned({"m1": 0, "m2": 0, "m3": 500, "m4": 500}, workloads, target)
    assert moves(plan) == [[("other", "m3", "m4", 1)], [("a", "m2", "m3", 2)]]


def test_a_minimum_where_held_is_jumped_over() -> None:
    """m2 holds 0 or at least 3, and has room for 2 until other is gone."""
    rule = Bounds({"m2": Bound(3)}, where_held=frozenset({"m2"}))
    workloads = (app("a", {"m1": 3}, rule), app("other", {"m2": 1}))
    plan = planned({"m1": 0, "m2": 1000, "m3": 500}, workloads, {"a": {"m2": 3}, "other": {"m3": 1}})
    assert moves(plan) == [[("other", "m2", "m3", 1)], [("a", "m1", "m2", 3)]]


def test_workloads_that_keep_together_go_together() -> None:
    """Workloads that keep together go together."""
    tied = (Companionship("pair", ("a", "b"), together=True),)
    workloads = (app("a", {"m1": 1}), app("b", {"m1": 1}))
    plan = planned({"m1": 0, "m2": 1000}, workloads, {"a": {"m2": 1}, "b": {"m2": 1}}, rules=tied)
    assert moves(plan) == [[("a", "m1", "m2", 1), ("b", "m1", "m2", 1)]]


def test_workloads_that_keep_apart_go_one_after_the_other() -> None:
    """Workloads that keep apart go one after the other."""
    apart = (Companionship("quiet", ("a", "b"), together=False),)
    workloads = (app("a", {"m1": 1}), app("b", {"m2": 1}))
    free: dict[str, int] = {"m1": 9000, "m2": 9000, "m3": 9000}
    plan = planned(free, workloads, {"a": {"m2": 1}, "b": {"m3": 1}}, rules=apart)
    assert moves(plan) == [[("b", "m2", "m3", 1)], [("a", "m1", "m2", 1)]]
    swapped = planned(free, workloads, {"a": {"m2": 1}, "b": {"m1": 1}}, rules=apart)
    assert swapped.detours is swapped.complete


def test_the_rest_of_a_plan_goes_on_where_something_is_blocked() -> None:
    """The rest of a plan goes on where something is blocked."""
    workloads = (*RING, app("c", {"m3": 1}))
    target = {**SWAPPED, "c": {"m4": 1}}
    plan = planned({**FULL, "m3": 0, "m4": 500}, workloads, target, WaveOptions(detours=False))
    assert moves(plan) == [[("c", "m3", "m4", 1)]]
    assert {each.move.workload for each in plan.blocked} == {"a", "b"}


def test_a_rule_that_blocks_is_named() -> None:
    """With no surge at all the new replica can never be up first."""
    options = WaveOptions(availability=Availability(max_surge=0))
    plan = planned({"m1": 0, "m2": 9000}, (app("a", {"m1": 1}),), {"a": {"m2": 1}}, options)
    assert len(plan.blocked) == 1
    assert plan.blocked[0].reason.startswith(
        "a: 1 replica cannot move from m1 to m2: a: 2 replicas run, at most 1 and 0 more may"
    )


def test_what_has_to_move_at_once_and_has_no_room_for_it_is_said() -> None:
    """m2 holds 0 or at least 3; 1000m are enough for 2 and are 500m short until nothing else can leave."""
    rule = Bounds({"m2": Bound(3)}, where_held=frozenset({"m2"}))
    swap = app("b", {"m2": 1}, Candidates(("m1", "m2")))
    plan = planned({"m1": 0, "m2": 1000}, (app("a", {"m1": 3}, rule), swap), {"a": {"m2": 3}, "b": {"m1": 1}})
    reason = plan.blocked[0].reason
    assert reason.startswith("a: 3 replicas cannot move from m1 to m2: a: m2 holds 1 replica")
    assert reason.endswith("at least 3 are needed, and m2 has 1 cpu left, 3 at once take 1500m")


def test_a_quota_counts_both_copies() -> None:
    """The namespace may request 1000m and does; only b shrinking by one lets a move, in the same wave."""
    team = Quota("team", "default", {QuotaScope("cpu"): QuotaLimit(1000)})
    one, two = (replace(app(key, {"m1": 1}), namespace="default") for key in "ab")
    free = {"m1": 0, "m2": 9000}
    stuck = planned(free, (one, two), {"a": {"m2": 1}, "b": {"m1": 1}}, rules=(team,))
    assert stuck.blocked[0].reason == (
        "a: 1 replica cannot move from m1 to m2: quota default/team has 0 cpu left, one replica takes 500m"
    )
    shrunk = planned(free, (one, replace(two, replicas=0)), {"a": {"m2": 1}}, rules=(team,))
    assert moves(shrunk) == [[("a", "m1", "m2", 1), ("b", "m1", None, 1)]]
    limits = moved_to(stuck.problem, Placement({"a": {"m2": 1}})).allowances[0].left
    assert limits == stuck.problem.allowances[0].left == {QuotaScope("cpu"): 1000}


@pytest.mark.parametrize(("cpu", "free", "waves"), [(1, 2**63, 2), (2**62, 0, 3)])
def test_amounts_beyond_64_bits_are_counted(cpu: int, free: int, waves: int) -> None:
    """Waves are searched where clusters have more, or replicas take more, than 64 bits count."""
    # One of two replicas moves in a wave. Where m2 and m3 are full, one of them goes round by m1.
    one, two = app("a", {"m2": 1}, cpu=cpu), app("b", {"m3": 1}, cpu=cpu)
    target = {"a": {"m3": 1}, "b": {"m2": 1}}
    plan = planned({"m1": cpu, "m2": free, "m3": free}, (one, two), target, WaveOptions(most_moves=1))
    assert (len(plan.waves), plan.blocked) == (waves, ())


@pytest.mark.parametrize(("count", "options"), [(20_000, WaveOptions(most_moves=1)), (400, None)])
def test_a_plan_of_too_many_waves_is_refused(
    count: int, options: WaveOptions | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """20,000 replicas, one in a wave, as asked for; 400 where at most 200 are looked for, as room for one is.

    The other workload is as large where two full clusters have room for one more, else it stops at once.
    """
    one, two = app("a", {"m1": count}, cpu=1), app("b", {"m2": count}, cpu=1)
    target, room, most = {"a": {"m2": count}}, count, 10_000
    if options is None:
        most = 200
        monkeypatch.setattr(greedy, "MOST_WAVES", most)
        target, room = {**target, "b": {"m1": count}}, 0
    else:
        two = replace(two, replicas=0, current={})
    with pytest.raises(UsageError, match=f"a plan has at most {most}"):
        planned({"m1": 0, "m2": room + 1}, (one, two), target, options)


def test_near_clusters_are_paired() -> None:
    """Near clusters are paired."""
    clusters = tuple(
        Cluster(name, region=region, free={"cpu": 9000})
        for name, region in (("m1", "east"), ("m2", "west"), ("m3", "west"), ("m4", "east"))
    )
    problem = Problem(clusters, (app("a", {"m1": 1, "m2": 1}),), (Capacity(),))
    plan = waves_of(problem, {"a": {"m3": 1, "m4": 1}})
    assert moves(plan) == [[("a", "m1", "m4", 1), ("a", "m2", "m3", 1)]]


def test_the_rules_of_the_affinity_group_of_the_target_bind() -> None:
    """The target stands in the second group; the rules of the first one would refuse every start there."""
    groups = tuple(AffinityGroup(name, (Candidates((name,)), Total())) for name in ("m1", "m2"))
    workload = replace(app("a", {"m1": 1}), rules=groups[0].rules, group="m1", groups=groups)
    assert planned({"m1": 0, "m2": 500}, (workload,), {"a": {"m2": 1}}).complete


def test_a_plan_goes_on_from_where_it_was_left() -> None:
    """A plan goes on from where it was left."""
    workloads = (app("a", {"m0": 1}), app("b", {"m1": 1}), app("c", {"m2": 1}))
    target = {"a": {"m1": 1}, "b": {"m2": 1}, "c": {"m3": 1}}
    plan = planned({"m0": 0, "m1": 0, "m2": 0, "m3": 500}, workloads, target)
    for done, standing in enumerate(plan.states):
        rest = waves_of(moved_to(plan.problem, standing), plan.target)
        assert rest.waves == plan.waves[done:]
        assert rest.problem.limits == plan.problem.limits


def test_limits_stay_when_workloads_stand_elsewhere() -> None:
    """m1 is overcommitted by 300m and still is, whatever leaves it."""
    problem = Problem(
        (Cluster("m1", free={"cpu": -300}), Cluster("m2", free={"cpu": 700}), Cluster("m3")),
        (app("a", {"m1": 2}),),
        (Capacity(),),
    )
    moved = moved_to(problem, Placement({"a": {"m2": 1, "m3": 1}}))
    assert moved.limits == problem.limits
    assert moved.cluster_by_name["m2"].free == {"cpu": 200}


def test_repairs_move_to_the_front() -> None:
    """A replica of b is missing and has room all along; nothing else has to wait for that."""
    workloads = (app("a", {"m1": 1}), app("b", {}, replicas=1))
    problem = Problem(
        tuple(Cluster(name, free={"cpu": 9000}) for name in ("m1", "m2")), workloads, (Capacity(),)
    )
    fleet = migration_of(problem, Placement({"a": {"m2": 1}, "b": {"m2": 1}}), WaveOptions())
    late = ({"a": WaveStep({"m2": 1}, {"m1": 1})}, {"b": WaveStep({"m2": 1})})
    assert repairs_first(fleet, late) == ({"a": late[0]["a"], "b": late[1]["b"]},)


def test_what_is_unknown_is_refused() -> None:
    """What is unknown is refused."""
    problem = Problem((Cluster("m1"),), (app("a", {"m1": 1}),))
    with pytest.raises(UsageError, match="m9"):
        waves_of(problem, {"a": {"m9": 1}})
    with pytest.raises(UsageError, match="nothing"):
        waves_of(problem, {"nothing": {"m1": 1}})


def test_stops_first_only_where_it_was_asked_for() -> None:
    """Stops first only where it was asked for."""
    plan = planned({"m1": 0, "m2": 1000}, (app("a", {"m1": 2}),), {"a": {"m2": 2}}, STOP_FIRST)
    assert plan.waves[0].moves == (Move("a", "m1", "m2", 1, stop_first=True),)


def test_the_model_of_waves_is_the_same_whatever_the_hash_seed() -> None:
    """Its rows stand in the order of names: in another order other waves would be found, as good as these."""
    # Clusters that change have up to 120 orders, which four seeds do not all hit alike.
    code = (
        "import sys; sys.path[:0] = ['src', 'tests/helpers'];"
        "from fleets import random_fleet; from fairlead.solver.plan.migration import migration_of;"
        "from fairlead.solver.plan.wave_model import WaveModel;"
        "from fairlead.solver.running.search import RunLimits;"
        "from fairlead.solver.running.deadline import Deadline;"
        "fleet = random_fleet(19); found = migration_of(fleet.problem, fleet.target, fleet.options);"
        "model = WaveModel(found, 2, everywhere=False); model.reach(RunLimits(Deadline.after(0.0)));"
        "print(model.model)"
    )
    models = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in "0123"
    }
    assert len(models) == 1
    assert len(models.pop()) > 1000
