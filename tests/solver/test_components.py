"""Independent parts of a problem."""

import fairlead
from builders import cluster, deployment, policy, selector, static
from fairlead.solver.components import components


def test_workloads_are_tied_by_clusters_of_known_capacity() -> None:
    """Two workloads meet on a; the third only shares c, whose capacity is unknown."""
    problem = fairlead.load(
        [
            cluster("a", cpu=9),
            cluster("b", cpu=9),
            cluster("c"),
            *(deployment(name, 2, cpu=1) for name in ("first", "second", "third")),
            policy("one", static((["a", "c"], 1)), selects=[selector("first"), selector("second")]),
            policy("two", static((["b", "c"], 1)), selects=[selector("third")]),
        ]
    )
    parts = [[workload.name for workload in part.workloads] for part in components(problem)]
    assert parts == [["first", "second"], ["third"]]
