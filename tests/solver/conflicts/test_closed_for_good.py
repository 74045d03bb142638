"""Clusters that are drained or cordoned: no toleration opens them, whatever taints they have besides."""

import pytest

from builders import binding, cluster, dynamic
from fairlead.manifests.loading import load
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates
from fairlead.solver.explaining.explanation import conflicts_of
from fairlead.solver.running.search import Search
from fairlead.solver.simulate.changed import changed
from fairlead.solver.simulate.changes import Cordon, Drain, Trial


def fleet(held: int = 0) -> Problem:
    """Return three replicas of one cpu, of which one fits on b; a is empty, and tainted."""
    clusters = [cluster("a", 5, taints=["edge:NoExecute"]), cluster("b", 1)]
    return load(clusters, binding("web", 3, {"a": held} if held else None, dynamic(), cpu=1))


def told(problem: Problem) -> list[str]:
    """Return the ways out."""
    return [way.text for conflict in conflicts_of(problem, Search()) for way in conflict.relaxations]


def test_a_toleration_opens_a_cluster() -> None:
    """To tolerate the taint is a way out as long as nobody closes the cluster."""
    assert "tolerate the taint edge:NoExecute" in told(fleet())


@pytest.mark.parametrize("held", [0, 1])
@pytest.mark.parametrize("change", [Drain("a"), Cordon("a")])
def test_a_toleration_does_not_open_what_is_closed(change: Trial | Cordon, held: int) -> None:
    """It would be closed again as soon as the same command looks at the changed manifests."""
    closed = changed(fleet(held), [change])
    (workload,) = closed.workloads
    rule = workload.rule(Candidates)
    assert rule is not None
    assert rule.openable == ()
    found = told(closed)
    assert found
    assert not any("tolerate" in text for text in found)
