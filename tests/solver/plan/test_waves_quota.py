"""Waves under quotas: both copies of a moving replica count, in every state and inside every wave."""

from collections.abc import Mapping

import pytest

from fairlead.models.check import check
from fairlead.models.cluster import Cluster
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Capacity, Quota, Total
from fairlead.models.rules.quota import QuotaLimit, QuotaScope
from fairlead.models.workload import Workload
from fairlead.solver.plan.replay import replay
from fairlead.solver.plan.schedule import waves_of
from fairlead.solver.plan.transient import WaveMoment
from fairlead.solver.plan.waves import Availability, Move, MoveOrder, Wave, WaveOptions, WavePlan

TARGET = {"shop/a": {"m2": 1}, "shop/b": {"m2": 1}}


def problem(limits: Mapping[QuotaScope, QuotaLimit], *, namespace: str = "shop") -> Problem:
    """Return two workloads of one core each that run on m1; m1 and m2 have room for everything."""
    workloads = tuple(
        Workload(f"shop/{name}", name, 1, "shop", requests={"cpu": 1000}, current={"m1": 1}, rules=(Total(),))
        for name in "ab"
    )
    clusters = tuple(Cluster(name, free={"cpu": 9000}) for name in ("m1", "m2"))
    return Problem(clusters, workloads, (Capacity(), Quota("compute", namespace, limits)))


def waves(
    limits: Mapping[QuotaScope, QuotaLimit], options: WaveOptions | None = None, **more: str
) -> WavePlan:
    """Return the plan that moves both workloads to m2; it replays cleanly."""
    question = problem(limits, **more)
    assert check(question, TARGET) == ()
    plan = waves_of(question, TARGET, options)
    assert replay(plan) == ()
    return plan


@pytest.mark.parametrize(("cores", "count"), [(4, 1), (3, 2)])
def test_a_quota_forces_more_waves(cores: int, count: int) -> None:
    """2 cores run. Both new replicas first take 4; where 3 are allowed, one goes after the other."""
    plan = waves({QuotaScope("cpu"): QuotaLimit(1000 * cores, 2000)})
    assert len(plan.waves) == plan.lower_bound == count
    assert plan.complete


def test_a_full_quota_blocks_whoever_starts_first() -> None:
    """2 cores run and 2 are allowed: there is no third one for a moment, so nothing may start."""
    plan = waves({QuotaScope("cpu"): QuotaLimit(2000, 2000)})
    assert not plan.waves
    assert "quota shop/compute has 0 cpu left" in plan.blocked[0].reason


def test_a_full_quota_lets_those_move_that_stop_first() -> None:
    """The old replica goes first where that was asked for and one may be missing."""
    plan = waves(
        {QuotaScope("cpu"): QuotaLimit(2000, 2000)}, WaveOptions(MoveOrder.STOP_FIRST, Availability("100%"))
    )
    assert plan.complete
    assert all(move.stop_first for wave in plan.waves for move in wave.moves)


def test_what_others_use_counts() -> None:
    """4 cores are allowed and others use 1 of them: 3 are left, as if 3 were allowed."""
    assert len(waves({QuotaScope("cpu"): QuotaLimit(4000, 3000)}).waves) == 2


def test_another_namespace_does_not_count() -> None:
    """The quota of another namespace changes nothing."""
    assert len(waves({QuotaScope("cpu"): QuotaLimit(0)}, namespace="team").waves) == 1


def test_a_quota_on_the_cluster_that_is_left_does_not_count_twice() -> None:
    """On one cluster the old or the new replica counts: 2 on m2 are allowed, and 2 arrive at once."""
    limits = {QuotaScope("cpu", "m2"): QuotaLimit(2000), QuotaScope("cpu", "m1"): QuotaLimit(2000, 2000)}
    assert len(waves(limits).waves) == 1


def test_the_simulator_counts_inside_a_wave() -> None:
    """Both at once ask for 4 cores of 3 while they start, and for 2 before and after."""
    question = problem({QuotaScope("cpu"): QuotaLimit(3000, 2000)})
    both = Wave(tuple(Move(key, "m1", "m2", 1) for key in TARGET))
    (breach,) = replay(WavePlan(question, Placement(TARGET), (both,)))
    assert (breach.wave, breach.moment, breach.violation.rule) == (1, WaveMoment.STARTED, "quota")
    assert breach.violation.text == "quota shop/compute: 4 cpu requested, 3 left by the quota"
