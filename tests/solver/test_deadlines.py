"""Time limits: what is answered when time is over before anything was searched."""

import fairlead
from builders import binding, cluster, dynamic
from fairlead.models.outcome import Status
from fairlead.models.problem import Problem
from fairlead.solver.simulate.simulate import NOT_TRIED

NO_TIME = 1e-9


def fleet() -> Problem:
    """Two workloads of one cpu a replica: one runs on member1, which is full with it; one is new."""
    clusters = [
        cluster("member1", cpu=4, allocated={"cpu": 4}, region="east"),
        cluster("member2", cpu=10, region="west"),
    ]
    running = binding("old", 4, {"member1": 4}, dynamic(), cpu="1")
    return fairlead.load([*clusters, running, binding("new", 5, placement=dynamic(), cpu="1")])


def test_without_time_what_runs_is_kept() -> None:
    """The new replicas find room only beside what runs; all of that without a search."""
    outcome = fairlead.solve(fleet(), time_limit=NO_TIME)
    assert outcome.placement is not None
    assert outcome.placement.of("default/old") == {"member1": 4}
    assert outcome.placement.of("default/new") == {"member2": 5}
    assert outcome.status in (Status.FEASIBLE, Status.OPTIMAL)


def test_a_sweep_without_time_says_what_was_not_tried() -> None:
    """Neither of the two regions is reached, so nothing is said of what would fit."""
    simulation = fairlead.simulate(fleet(), sweep="region", time_limit=NO_TIME)
    assert [one.broken for one in simulation.scenarios] == [(NOT_TRIED,), (NOT_TRIED,)]
    assert [one.clusters for one in simulation.scenarios] == [("member1",), ("member2",)]
