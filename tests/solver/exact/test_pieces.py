"""Costs of bowls, also such as less is paid of where replicas are held: against every division."""

import fairlead
from fairlead.models.cluster import Cluster
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Evenness, Total
from fairlead.models.rules.bounds import Bound
from fairlead.models.workload import Workload


def test_changes_of_some_clusters_are_shared_evenly_without_a_solver() -> None:
    """Clusters that do not take part cost nothing, and those that take part twice cost twice as much."""
    # Ten more replicas than the three that run: c takes what it can, a and b share the other four, the
    # second of them at the double cost: 9 + 2 is less than 4 + 2 * 4 and than 16.
    rules = (
        Candidates(("a", "b", "c")),
        Total(),
        Bounds({}, {"c": Bound(6)}),
        Evenness(("a", "b")),
        Evenness(("b",)),
    )
    workload = Workload("web", "web", 13, current={"a": 1, "b": 2}, rules=rules)
    problem = Problem(tuple(map(Cluster, "abc")), (workload,))
    outcome = fairlead.solve(problem, method="exact")
    assert outcome.placement is not None
    assert outcome.placement.to_dict() == {"web": {"a": 4, "b": 3, "c": 6}}
    assert outcome.objectives == fairlead.solve(problem, method="cp-sat").objectives
