"""Small problems and outcomes made by hand, for the tests of what people see."""

from fractions import Fraction

from fairlead.models.cluster import Cluster
from fairlead.models.outcome import Attained, Outcome, Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Capacity, Duplicated, Moves, Total, Weights
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.candidates import Exclusion
from fairlead.models.source import Source
from fairlead.models.statement import Conflict, Proof, Relaxation, Statement
from fairlead.models.workload import Workload

GI = 2**30
POLICY = "pp.yaml"


def clusters() -> tuple[Cluster, ...]:
    """Return four clusters; member3 is small, member4 is tainted and tells nothing about its capacity."""
    return (
        Cluster("member1", "aws", "us-east", ("a", "b"), free={"cpu": 8000, "memory": 32 * GI, "pods": 100}),
        Cluster("member2", "aws", "us-east", ("b",), free={"cpu": 4000, "memory": 16 * GI, "pods": 100}),
        Cluster("member3", "gcp", "eu-west", free={"cpu": 1000, "memory": 4 * GI, "pods": 100}),
        Cluster("member4"),
    )


def nginx(replicas: int = 11, current: dict[str, int] | None = None) -> Workload:
    """Return a workload with weights 1:2:3; at least 3 in member1, at most 4 in member3."""
    names = ("member1", "member2", "member3")
    return Workload(
        "default/nginx",
        "nginx",
        replicas,
        "default",
        requests={"cpu": 500, "memory": GI},
        current=current or {},
        policy="policy default/nginx",
        rules=(
            Candidates(
                names, {"member4": Exclusion("had untolerated taint {gpu}", Source("clusters.yaml", 40))}
            ),
            Total(Source(POLICY, 3)),
            Bounds({"member1": Bound(3, Source(POLICY, 31))}, {"member3": Bound(4, Source(POLICY, 33))}),
            Moves(frozenset((*names, "member4"))),
            Weights({"member1": 1, "member2": 2, "member3": 3}),
        ),
    )


def problem(*workloads: Workload) -> Problem:
    """Return the four clusters with workloads; nginx where none is given."""
    return Problem(clusters(), workloads or (nginx(),), (Capacity(),))


def solved() -> Outcome:
    """Return nginx 3:6:2, of which 4:4:0 runs now.

    The wanted share of 11 is 1.83 : 3.67 : 5.5. Member1 has its minimum, member3 room for two replicas of
    500m in its 1000m; member2 takes the rest: it holds 4 and has 4000m free, of which two more take 1000m.
    """
    return Outcome(
        Status.OPTIMAL,
        "exact",
        problem(nginx(current={"member1": 4, "member2": 4})),
        Placement({"default/nginx": {"member1": 3, "member2": 6, "member3": 2}}),
        (
            Attained("deviation", Fraction(49, 11), Fraction(49, 11), proven=True),
            Attained("moves", 1, 1, proven=True),
        ),
        seconds={"solve": 0.5},
    )


def feasible() -> Outcome:
    """Return the same placement without a proof for the deviation."""
    levels = (Attained("deviation", Fraction(49, 11), 4), Attained("moves", 1, None))
    done = solved()
    return Outcome(Status.FEASIBLE, "cp-sat", done.problem, done.placement, levels, seconds=done.seconds)


def infeasible() -> Outcome:
    """Return the conflict of a minimum with the room of its cluster."""
    conflict = Conflict(
        (
            Statement(
                "bounds",
                "policy default/nginx: member3 needs at least 4",
                Source(POLICY, 31),
                "default/nginx",
                "member3",
            ),
            Statement(
                "capacity",
                "member3 has capacity for 2 of default/nginx (1000m cpu free, 500m per replica)",
                Source("clusters.yaml", 12),
                "default/nginx",
                "member3",
            ),
        ),
        (Relaxation("lower the minimum of member3 to 2", 2, Source(POLICY, 31)),),
        Proof.SMALLEST,
    )
    return Outcome(Status.INFEASIBLE, "exact", problem(), None, conflict=conflict, seconds={"solve": 0.5})


def duplicated() -> Workload:
    """Return a workload with a full copy of 2 in member1 and member2."""
    excluded = {
        name: Exclusion("did not match the placement cluster affinity constraint")
        for name in ("member3", "member4")
    }
    rules = (Candidates(("member1", "member2"), excluded), Duplicated(Source(POLICY, 9)))
    return Workload("default/proxy", "proxy", 2, "default", kind="DaemonSet", rules=rules)


def many(count: int = 12) -> Outcome:
    """Return workloads that are new, unchanged or changed in turn: one replica in member1, two in member2."""
    runs: tuple[dict[str, int], ...] = ({}, {"member1": 1, "member2": 2}, {"member1": 2, "member2": 1})
    rules = (Candidates(("member1", "member2")), Total())
    workloads = tuple(
        Workload(f"team/app-{index:02}", f"app-{index:02}", 3, "team", current=runs[index % 3], rules=rules)
        for index in range(count)
    )
    placement = Placement({workload.key: {"member1": 1, "member2": 2} for workload in workloads})
    return Outcome(Status.OPTIMAL, "exact", problem(*workloads), placement)
