"""Capacity where the status of a cluster lags behind: never more than what the cluster has."""

import fairlead
from builders import binding, cluster, dynamic, static
from fairlead.manifests.loading import load
from fairlead.models.cluster import CPU, PODS, Cluster
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Capacity, Total
from fairlead.models.rules.capacity import room
from fairlead.models.usage import limits, without_lag
from fairlead.models.workload import Workload
from fairlead.solver.arguments import Method
from fairlead.solver.simulate.changed import changed
from fairlead.solver.simulate.changes import Drain, Restore, Scale
from loaded import only, weights

CORES = 1000
"""Millicores."""
METHODS: tuple[Method, ...] = ("auto", "cp-sat")


def workload(key: str, replicas: int, **current: int) -> Workload:
    """Return a workload of one-cpu replicas that runs where it is said."""
    return Workload(key, key, replicas, requests={CPU: CORES}, current=current, rules=(Total(),))


def member(free: int, allocatable: int | None = 20) -> Cluster:
    """Return cluster a with so many free cores, of so many in all."""
    offered = None if allocatable is None else {CPU: allocatable * CORES}
    return Cluster("a", free={CPU: free * CORES}, allocatable=offered)


def limit(cluster: Cluster, *workloads: Workload) -> int:
    """Return the cores of cluster a that workloads may use together."""
    return limits(Problem((cluster,), workloads, (Capacity(),)))["a", CPU] // CORES


def test_limits_are_what_is_free_and_what_runs_but_never_more_than_there_is() -> None:
    """Of 20 cores, with 8 replicas of the input on them."""
    web = workload("web", 8, a=8)
    assert limit(member(12), web) == 20  # up to date: 12 + 8
    assert limit(member(5), web) == 13  # others use 7
    assert limit(member(20), web) == 20  # nothing is told as allocated yet: 28 would be too many
    assert limit(member(20, None), web) == 28  # nobody says how much there is
    assert limit(member(-10), web) == 0  # overcommitted by others


def test_limits_hold_for_pods_too() -> None:
    """Ten pods at most, all free by a late status, three of them running."""
    late = Cluster("a", free={PODS: 10}, allocatable={PODS: 10})
    assert limits(Problem((late,), (workload("web", 3, a=3),), (Capacity(),)))["a", PODS] == 10


def test_no_more_is_free_than_what_runs_there_leaves() -> None:
    """20 cores, 8 of them taken: 12 are free whatever the status says, and others find room for 12."""
    web, new = workload("web", 8, a=8), workload("new", 15)
    (late,) = without_lag([member(20)], [web, new])
    assert late.free == {CPU: 12 * CORES}
    assert (room(web, late), room(new, late)) == (20, 12)


def test_a_status_that_does_not_lag_stays_as_it_is() -> None:
    """Also where others use more than the difference, and where nothing is known."""
    web = workload("web", 8, a=8)
    for cluster_ in (member(12), member(5), member(20, None), Cluster("a")):
        assert without_lag([cluster_], [web]) == (cluster_,)


def test_thirty_replicas_of_one_cpu_never_stand_on_twenty_cpu() -> None:
    """12 run on a by the binding and none by the status; of 30 wanted there is room for 20, not for 32."""
    members = [cluster("a", cpu=20), cluster("b", cpu=20)]
    for placement in (dynamic(), static(("a", 3), ("b", 1))):
        problem = load([*members, binding("web", 30, {"a": 12}, placement, cpu=1)])
        for method in METHODS:
            outcome = fairlead.solve(problem, method=method)
            assert outcome.placement is not None
            assert all(count <= 20 for count in outcome.placement["default/web"].values())
        (broken,) = fairlead.check(problem, {"default/web": {"a": 30}})
        assert "30 cpu requested, 20 available" in str(broken)


def test_several_workloads_never_stand_on_more_than_there_is() -> None:
    """Two of 9 on 20 cores, of which the status knows nothing, grow to 15: two fit there, ten go to b."""
    running = [binding(name, 15, {"a": 9}, dynamic(), cpu=1) for name in ("one", "two")]
    outcome = fairlead.solve(load([cluster("a", cpu=20), cluster("b", cpu=20), *running]))
    assert outcome.placement is not None
    assert sum(placed.get("a", 0) for placed in outcome.placement.values()) <= 20
    assert (outcome.objectives[0].name, outcome.objectives[0].value) == ("moves", 0)


def test_what_runs_above_what_a_cluster_has_may_stay() -> None:
    """30 run on 20 cores by the binding: nothing moves, nothing new goes there, two more go to b."""
    members = [cluster("a", cpu=20), cluster("b", cpu=20)]
    problem = load([*members, binding("web", 32, {"a": 30}, dynamic(), cpu=1)])
    for method in METHODS:
        outcome = fairlead.solve(problem, method=method)
        assert outcome.placement == Placement({"default/web": {"a": 30, "b": 2}})
    (broken,) = fairlead.check(problem, {"default/web": {"a": 31, "b": 1}})
    assert "31 cpu requested, 30 available" in str(broken)


def test_rooms_of_a_late_status_are_those_without_lag() -> None:
    """Eight run on a by the binding: room 20 for them (not 28), as on the empty b."""
    problem = load(
        [cluster("a", cpu=20), cluster("b", cpu=20), binding("web", 8, {"a": 8}, dynamic(), cpu=1)]
    )
    assert weights(only(problem)) == {"a": 20, "b": 20}


def test_a_what_if_change_does_not_bring_the_lag_back() -> None:
    """Grown to 30 on a late status of 20 cores: 20 on a, 10 on b; drained and restored alike."""
    problem = load(
        [cluster("a", cpu=20), cluster("b", cpu=20), binding("web", 20, {"a": 20}, dynamic(), cpu=1)]
    )
    grown = changed(problem, [Scale("default/web", 30)])
    assert fairlead.solve(grown).placement == Placement({"default/web": {"a": 20, "b": 10}})
    again = changed(problem, [Drain("a"), Restore("a")])
    assert weights(only(again)) == {"a": 20, "b": 20}
    assert again.limits["a", CPU] == 20 * CORES
