"""What an explanation costs, counted in searches, and that sums tell the same as a search."""

from collections.abc import Callable
from dataclasses import replace

import pytest

import fairlead
from fairlead.models.cluster import CPU, PODS, Cluster
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Capacity, Duplicated, Quota, Total, WorkloadRule
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.candidates import Exclusion
from fairlead.models.rules.quota import QuotaLimit, QuotaScope
from fairlead.models.statement import Conflict, Proof
from fairlead.models.workload import Workload
from fairlead.solver.conflicts.hitting_set import OutOfTime
from fairlead.solver.conflicts.witnesses import Witnessed
from fairlead.solver.explaining import conflict as explaining
from fairlead.solver.explaining import explanation
from fairlead.solver.explaining.explanation import conflicts_of
from fairlead.solver.feasibility import has_placement
from fairlead.solver.relaxation import search as relaxing
from fairlead.solver.running import engine
from fairlead.solver.running.search import Search

GPU = "nvidia.com/gpu"
CLUSTERS = 30


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note every search for a placement that explaining asks for."""
    noted: list[str] = []

    def noting(*args: object, **options: object) -> bool | None:
        noted.append("placement")
        return has_placement(*args, **options)  # type: ignore[arg-type]

    def running(*args: object, **options: object) -> object:
        noted.append("model")
        return run(*args, **options)  # type: ignore[arg-type]

    run = engine.run
    for module in (explaining, explanation, relaxing):
        monkeypatch.setattr(module, "has_placement", noting)
    monkeypatch.setattr("fairlead.solver.conflicts.hitting_set.run", running)
    return noted


def alone_with(replicas: int, *rules: WorkloadRule, room: int = 10, names: int = CLUSTERS) -> Problem:
    """Return one workload over many clusters with room for so many each; the last ones may be closed."""
    clusters = tuple(Cluster(f"m{at:02d}", free={CPU: 100 * room, PODS: 500}) for at in range(CLUSTERS))
    known = [each.name for each in clusters]
    closed = {name: Exclusion("had untolerated taint {gpu}") for name in known[names:]}
    candidates = Candidates(tuple(known[:names]), closed)
    workload = Workload("w", "w", replicas, requests={CPU: 100}, rules=(candidates, *rules))
    return Problem(clusters, (workload,), (Capacity(),))


def minima(each: int) -> Bounds:
    """Return a minimum for every cluster."""
    return Bounds({f"m{at:02d}": Bound(each) for at in range(CLUSTERS)})


def of(problem: Problem) -> Conflict:
    """Return the only conflict of a problem."""
    outcome = fairlead.solve(problem, workers=1)
    assert outcome.status is fairlead.Status.INFEASIBLE
    (conflict,) = outcome.conflicts
    return conflict


@pytest.mark.parametrize(
    ("problem", "rules", "cheapest"),
    [
        # 30 clusters with room for 10 hold 300; what is said of each of them is said once.
        (alone_with(305, Total()), 2, 5),
        # Half of them is open: 150, and the closed ones are named.
        (alone_with(160, Total(), names=15), 3, 10),
        # 30 minima of 3 are 90; of 88, 30 of them are needed to be more, and 2 have to go.
        (alone_with(88, Total(), minima(3)), 2, 2),
        # One minimum of 12 where there is room for 10.
        (alone_with(100, Total(), Bounds({"m07": Bound(12)})), 2, 2),
        # A copy of 14 where there is room for 10.
        (alone_with(14, Duplicated()), 2, 4),
    ],
    ids=["room", "closed", "minima", "minimum", "copies"],
)
def test_single_clusters_take_no_search(
    problem: Problem, rules: int, cheapest: int, searches: list[str]
) -> None:
    """The conflict, its proof and the ways out are sums."""
    conflict = of(problem)
    assert conflict.proof is Proof.SMALLEST
    assert len(conflict.rules) == rules
    assert conflict.relaxations[0].change == cheapest
    assert all(each.proven for each in conflict.relaxations)
    assert searches == []


def test_many_that_fail_by_themselves_take_no_search(searches: list[str]) -> None:
    """Twelve workloads, each with a minimum over its room: said once, though all share that room.

    12 times 12 replicas are 144, the cluster has room for 10: whatever helps all of them costs 134.
    """
    single = alone_with(20, Total(), Bounds({"m07": Bound(12)}))
    (workload,) = single.workloads
    several = tuple(replace(workload, key=f"w{at:02d}", name=f"w{at:02d}") for at in range(12))
    outcome = fairlead.solve(replace(single, workloads=several), workers=1)
    (conflict,) = outcome.conflicts
    assert len(conflict.rules) == 2
    assert conflict.proof is Proof.SMALLEST
    assert conflict.workloads == tuple(each.key for each in several)
    assert conflict.relaxations[0].change == 134
    assert searches == []


def competing(wanted: tuple[int, ...], gpus: tuple[int, ...], need: int = 1) -> Problem:
    """Return workloads that want GPUs, so many a replica, and clusters that have some."""
    clusters = tuple(
        Cluster(f"m{at}", free={CPU: 64_000, PODS: 110, GPU: has}) for at, has in enumerate(gpus)
    )
    rules = (Candidates(tuple(each.name for each in clusters)), Total())
    workloads = tuple(
        Workload(f"w{at}", f"w{at}", count, requests={CPU: 100, GPU: need}, rules=rules)
        for at, count in enumerate(wanted)
    )
    return Problem(clusters, workloads, (Capacity(),))


def test_a_scarce_resource_takes_no_search(searches: list[str]) -> None:
    """Three workloads want 4 GPUs each; the clusters have 6, 4 and none."""
    (conflict,) = conflicts_of(competing((4, 4, 4), (6, 4, 0)), Search())
    assert [each.text for each in conflict.rules[:3]] == [
        "w0 needs 4 replicas",
        "w1 needs 4 replicas",
        "w2 needs 4 replicas",
    ]
    assert conflict.cause == f"w0, w1 and w2 request 12 {GPU} together, m0 and m1 have 10"
    assert [each.cluster for each in conflict.rules[3:]] == ["m0", "m1", "m2"]
    assert conflict.proof is Proof.SMALLEST
    assert conflict.relaxations[0].change == 2
    assert searches == []


def test_only_as_many_as_ask_for_too_much() -> None:
    """Of 1, 5 and 6 wanted, the last two are more than 10 already: the first is not named."""
    (conflict,) = conflicts_of(competing((1, 5, 6), (6, 4)), Search())
    assert [each.workload for each in conflict.rules if each.rule == "total"] == ["w1", "w2"]
    # Any two of the three totals would not do; without either of the two there is a placement.
    assert conflict.proof is Proof.SMALLEST


def test_what_no_replica_can_use_does_not_count() -> None:
    """Two GPUs a replica: clusters with 3 each hold one replica, so 6 GPUs are 2 replicas, not 3."""
    problem = competing((2, 1), (3, 3), need=2)
    (conflict,) = conflicts_of(problem, Search())
    assert conflict.proof is Proof.SMALLEST
    # All in all 6 are asked for and there are 6, which would only puzzle.
    assert not any("together" in each.text for each in conflict.rules)


def test_without_time_to_verify_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """That too much is asked for is certain; whether all rules are needed is not, and it is said."""
    late: Callable[..., object] = _nothing_seen
    monkeypatch.setattr(explaining, "witnessed", late)
    monkeypatch.setattr(explaining, "ConflictSearch", _out_of_time)
    (conflict,) = conflicts_of(competing((20,) * 3, (2,) * 25), Search())
    assert conflict.proof is Proof.UNVERIFIED
    # Three totals of 20, and 25 clusters with 2 GPUs each: one sentence for either.
    assert len(conflict.rules) == 2
    assert "each of m0, m1, m10 and 22 more clusters has" in conflict.rules[1].text


def _nothing_seen(*_: object) -> Witnessed:
    """See no placement at all."""
    return Witnessed((), frozenset(), frozenset(), complete=True)


def _out_of_time(*_: object) -> None:
    """Have no time for a search."""
    raise OutOfTime


def test_a_quota_that_totals_do_not_fit_into_takes_no_search(searches: list[str]) -> None:
    """Twenty workloads of 5 replicas under a quota of 97 pods: all of them are needed to be more."""
    problem = competing((5,) * 20, (200, 200))
    workloads = tuple(replace(each, namespace="shop") for each in problem.workloads)
    rule = Quota("pods", "shop", {QuotaScope(PODS): QuotaLimit(97)})
    shared = replace(problem, workloads=workloads, rules=(Capacity(), rule))
    clusters = tuple(replace(each, free={**(each.free or {}), PODS: 500}) for each in shared.clusters)
    (conflict,) = conflicts_of(replace(shared, clusters=clusters), Search())
    assert len(conflict.workloads) == 20
    cause = "w0, w1, w10 and 17 more workloads request 100 pods together, quota shop/pods allows 97"
    assert conflict.cause == cause
    assert [each.text for each in conflict.rules] == [
        "each of w0, w1, w10 and 17 more workloads needs 5 replicas",
        (
            "quota shop/pods allows 97 pods in all clusters together; "
            "w0, w1, w10 and 17 more workloads need 1 per replica"
        ),
    ]
    assert conflict.proof is Proof.SMALLEST
    assert conflict.relaxations[0].change == 3
    assert searches == []
