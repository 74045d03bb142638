"""Time limits: what is answered when time is over before anything was searched."""

import fairlead
from builders import binding, cluster, dynamic
from fairlead.models.outcome import Status
from fairlead.models.problem import Problem
from fairlead.report.renderer import terminal
from fairlead.report.terminal import Look

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
    assert not any(one.answered or one.broken or one.unplaced for one in simulation.scenarios)
    assert not simulation.fits
    assert [one.clusters for one in simulation.scenarios] == [("member1",), ("member2",)]


def test_a_dispenser_without_time_says_so() -> None:
    """What runs is kept at once; neither dispenser begins, and nothing is said to be unplaced or broken."""
    comparison = fairlead.compare(fleet(), time_limit=NO_TIME)
    assert comparison.best.placement is not None
    assert [(one.name, one.outcome.status) for one in comparison.contenders] == [
        ("karmada", Status.UNKNOWN),
        ("reference", Status.UNKNOWN),
    ]
    assert comparison.contenders[0].verdict == "karmada did not answer in time."
    rows = [row.split()[:4] for row in terminal(comparison, Look()).splitlines()]
    assert ["karmada", "Unknown", "-", "0"] in rows


def test_rules_of_thumb_stop_in_time_as_well() -> None:
    """Where the ratio alone counts there is no answer either."""
    comparison = fairlead.compare(fleet(), ["webster"], time_limit=NO_TIME)
    assert comparison.contenders[0].outcome.placement is None


def test_without_time_a_workload_is_divided_exactly_where_nothing_else_will_do() -> None:
    """Two zones in one of two regions: by room alone a zone of each is taken; the exact way answers."""
    clusters = [
        cluster("a1", cpu=9, region="a", zones=["a-1"]),
        cluster("b1", cpu=8, region="b", zones=["b-1"]),
        cluster("b2", cpu=7, region="b", zones=["b-2"]),
    ]
    spread = [
        {"spreadByField": "region", "maxGroups": 1, "minGroups": 1},
        {"spreadByField": "zone", "maxGroups": 2, "minGroups": 2},
        {"spreadByField": "cluster", "maxGroups": 2, "minGroups": 2},
    ]
    placement = {**dynamic(), "spreadConstraints": spread}
    problem = fairlead.load([*clusters, binding("web", 4, placement=placement, cpu="1")])
    outcome = fairlead.solve(problem, time_limit=NO_TIME)
    assert outcome.placement is not None
    assert set(outcome.placement.of("default/web")) == {"b1", "b2"}
