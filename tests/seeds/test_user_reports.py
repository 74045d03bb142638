"""What users of Karmada have reported, with the outcomes they expected; the examples tell the stories."""

from collections import Counter
from dataclasses import replace

import fairlead
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.solver.plan.plan import plan
from fairlead.solver.plan.replay import replay
from moved import moved_to
from places import EXAMPLES


def example(name: str) -> Problem:
    """Load an example."""
    return fairlead.load(EXAMPLES / name)


def replicas_by_cluster(placement: Placement | None) -> Counter[str]:
    """Return how many replicas each cluster holds."""
    assert placement is not None
    counts: Counter[str] = Counter()
    for placed in placement.values():
        counts.update(placed)
    return counts


def test_twenty_created_together_do_not_overcommit_a_cluster() -> None:
    """Karmada #1385: two fit on each of two clusters, sixteen wait; all twenty are too many."""
    problem = example("created-together")
    assert fairlead.solve(problem).status is fairlead.Status.INFEASIBLE
    outcome = fairlead.solve(problem, partial=True)
    assert replicas_by_cluster(outcome.placement) == {"member1": 2, "member2": 2}
    assert fairlead.dispense(problem, like="karmada").violations  # the report: it puts more there than fits


def test_failed_over_applications_spread_over_what_has_room() -> None:
    """Karmada #6518: of fifteen applications ten go to b and five to c, not all to b."""
    problem = example("failover")
    assert replicas_by_cluster(fairlead.solve(problem).placement) == {"b": 10, "c": 5}
    assert replicas_by_cluster(fairlead.dispense(problem, like="karmada").placement) == {"b": 15}


def test_two_aggregated_deployments_do_not_collide() -> None:
    """Karmada #6783: both fit on cluster a, but not together."""
    problem = example("two-aggregated")
    outcome = fairlead.solve(problem)
    assert outcome.placement is not None
    assert outcome.placement.to_dict() == {"default/crunch": {"b": 6}, "default/render": {"a": 7}}
    assert fairlead.dispense(problem, like="karmada").violations


def test_a_migration_keeps_serving_and_does_not_swing() -> None:
    """Karmada #7621: new replicas first, east is full on the way; afterwards nothing is left to do."""
    problem = example("safe-migration")
    found = plan(problem)
    assert (found.moves, found.waves is not None and found.waves.complete) == (3, True)
    assert found.waves is not None
    assert replay(found.waves) == ()
    assert found.outcome.placement is not None
    settled = moved_to(problem, found.outcome.placement)
    assert plan(settled).nothing_to_do
    # The first move of search gains (7-4.5)^2/4.5 + (2-4.5)^2/4.5 - (6-4.5)^2/4.5 - (3-4.5)^2/4.5 = 16/9,
    # the second 8/9; that of serve gains 2/3.
    assert plan(problem, gain=0.7).moves_by_workload == {"default/search": 2}
    assert plan(problem, gain=1).moves_by_workload == {"default/search": 1}


def test_a_recovered_cluster_is_used_again_each_time_it_is_asked_for() -> None:
    """Karmada #5206: web moves back in part; api stays, nobody asked for it; it works again and again."""
    problem = example("recovered")
    for _ in range(2):
        found = plan(problem)
        assert found.moves_by_workload == {"default/web": 3}
        assert found.waves is not None
        assert replay(found.waves) == ()
    quiet = replace(problem, workloads=tuple(replace(each, fresh=False) for each in problem.workloads))
    assert plan(quiet).nothing_to_do


def test_ratios_from_region_to_cluster() -> None:
    """Karmada #3727: 100 become 70 and 30, 35 and 35, and 18, 17, 18, 17, 30."""
    placement = fairlead.solve(example("hierarchical-weights")).placement
    assert placement is not None
    assert [list(placed.values()) for placed in placement.values()] == [[18, 17, 18, 17, 30]]
