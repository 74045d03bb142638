"""Clusters that may be chosen together and hold too little, which no bound of a single rule shows."""

from fairlead import solve
from fairlead.models.cluster import Cluster
from fairlead.models.outcome import Outcome, Status
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Capacity, Spread, Total
from fairlead.models.statement import Proof
from fairlead.models.workload import Workload


def asked(replicas: int, rooms: dict[str, int], *spreads: Spread) -> Outcome:
    """Return what is known of a workload on clusters of which each has room for so many replicas."""
    clusters = tuple(Cluster(name, free={"cpu": room}) for name, room in rooms.items())
    everywhere = Candidates(tuple(rooms))
    workload = Workload("d/w", "w", replicas, requests={"cpu": 1}, rules=(everywhere, Total(), *spreads))
    return solve(Problem(clusters, (workload,), (Capacity(),)))


def spread(field: str, most: int, **groups: str) -> Spread:
    """Return a spread over at most so many groups; the clusters of each are letters."""
    return Spread(field, {name: frozenset(inside) for name, inside in groups.items()}, 1, most)


def test_zones_that_cross_hold_too_little_in_pairs() -> None:
    """A has 5 in zones 1 and 2, b 1 in zone 1, c 2 in zone 3: two zones hold 6, 3 or 2, and all hold 8."""
    rooms, zones = {"a": 5, "b": 1, "c": 2}, {"z1": "ab", "z2": "a", "z3": "c"}
    assert asked(6, rooms, spread("zone", 2, **zones)).status is Status.OPTIMAL
    outcome = asked(7, rooms, spread("zone", 2, **zones))
    assert (outcome.status, outcome.origin) == (Status.INFEASIBLE, "exact")
    assert outcome.conflict is not None
    assert outcome.conflict.proof is Proof.SMALLEST
    (rule,) = [each.text for each in outcome.conflict.rules if "zones" in each.text]
    assert rule.endswith("replicas in at most 2 zones; 2 of 3 zones hold at most 6")
    assert "allow 3 zones instead of 2" in [way.text for way in outcome.conflict.relaxations]


def test_two_spreads_hold_too_little_together() -> None:
    """Two clusters hold up to 10 and a region up to 9, but two clusters of one region hold 6 at most."""
    rooms = {"a": 3, "b": 3, "c": 3, "d": 5, "e": 5}
    regions = spread("region", 1, east="abc", west="d", north="e")
    clusters = spread("cluster", 2, **{name: name for name in rooms})
    assert asked(7, rooms, regions).status is Status.OPTIMAL
    assert asked(7, rooms, clusters).status is Status.OPTIMAL
    outcome = asked(7, rooms, regions, clusters)
    assert (outcome.status, outcome.origin) == (Status.INFEASIBLE, "exact")
    assert outcome.conflict is not None
    assert outcome.conflict.proof is Proof.SMALLEST
    assert any("1 region" in each.text for each in outcome.conflict.rules)
    told = [each.text for each in outcome.conflict.rules if "2 clusters" in each.text]
    assert told == ["d/w: replicas in at most 2 clusters; within these limits at most 6 fit"]
