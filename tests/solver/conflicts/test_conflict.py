"""Conflicts of one workload: the right rules and no rule too many; others stand in test_written_conflicts."""

from dataclasses import replace
from typing import Any

import fairlead
import kubeadmiral_manifests as federal
from builders import cluster, deployment, divided, duplicated, dynamic, policy, selector, static
from fairlead.models.check import violations_of
from fairlead.models.cluster import Cluster
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Capacity, Spread, Total
from fairlead.models.statement import Conflict, Proof
from fairlead.models.workload import Workload
from fairlead.solver.conflicts.alone import fails_alone
from own_builders import own


def conflict_of(*documents: dict[str, Any]) -> Conflict:
    """Solve documents that have no placement and return the conflict."""
    outcome = fairlead.solve(fairlead.load(list(documents)))
    assert outcome.status is fairlead.Status.INFEASIBLE
    assert outcome.placement is None
    assert outcome.conflict is not None
    return outcome.conflict


def texts(conflict: Conflict) -> list[str]:
    """Return the sentences of a conflict."""
    return [statement.text for statement in conflict.rules]


def test_as_many_regions_as_allowed_hold_too_little() -> None:
    """Two of three regions hold 3 + 2 replicas at most, where 6 are wanted; all three would hold 7."""
    conflict = conflict_of(
        *(cluster(name, cpu=cpu, region=f"r{name}") for name, cpu in (("a", 3), ("b", 2), ("c", 2))),
        deployment("nginx", 6, cpu=1),
        policy(
            placement={
                **dynamic(),
                "spreadConstraints": [{"spreadByField": "region", "minGroups": 1, "maxGroups": 2}],
            }
        ),
    )
    assert texts(conflict) == [
        "default/nginx needs 6 replicas",
        "policy default/nginx: replicas in at most 2 regions; 2 of 3 regions hold at most 5",
        "a has capacity for 3 of default/nginx (3 cpu free, 1 per replica)",
        "b has capacity for 2 of default/nginx (2 cpu free, 1 per replica)",
        "c has capacity for 2 of default/nginx (2 cpu free, 1 per replica)",
    ]


def test_no_cluster_allowed_is_said_without_a_sum() -> None:
    """A KubeAdmiral policy may say `maxClusters: 0`; what no cluster holds is not counted out."""
    policy_ = federal.policy(schedulingMode="Divide", maxClusters=0)
    conflict = conflict_of(*federal.members(2), policy_, federal.web(replicas=3))
    assert texts(conflict) == [
        "default/web needs 3 replicas",
        "policy default/web: replicas in at most 0 clusters",
    ]


def test_a_spread_over_many_clusters_reads_short_and_is_the_smallest_conflict() -> None:
    """Of ten regions of 1 to 10 cores four hold 34; nine and more capacities are one sentence."""
    conflict = conflict_of(
        *(cluster(f"c{cpu:02}", cpu=cpu, region=f"r{cpu}") for cpu in range(1, 11)),
        deployment("nginx", 35, cpu=1),
        policy(placement={**dynamic(), "spreadConstraints": [{"spreadByField": "region", "maxGroups": 4}]}),
    )
    assert conflict.proof is Proof.SMALLEST
    assert texts(conflict) == [
        "default/nginx needs 35 replicas",
        "policy default/nginx: replicas in at most 4 regions; 4 of 10 regions hold at most 34",
        "c01, c02, c03 and 7 more clusters have capacity for 55 of default/nginx together",
    ]


def test_copies_that_want_too_many_regions_are_told_beside_what_is_divided() -> None:
    """Both want three regions of two: neither hides the other; two copies of one replica fill two regions."""

    def solved(groups: int) -> fairlead.Outcome:
        spread = {"spreadConstraints": [{"spreadByField": "region", "minGroups": groups}]}
        stream = [
            *(cluster(name, cpu=9, region=name) for name in ("eu", "us")),
            deployment("copied", 1, cpu=1),
            deployment("divided", 8, cpu=1),
            policy("copied", {**duplicated(), **spread}, selects=[selector("copied")]),
            policy("divided", {**dynamic(), **spread}, selects=[selector("divided")]),
        ]
        return fairlead.solve(fairlead.load(stream))

    told = [text for each in solved(3).conflicts for text in texts(each)]
    wanted = "replicas in at least 3 regions; only eu and us have eligible clusters"
    assert told == [f"policies default/copied and default/divided: {wanted}"]
    assert solved(2).placement is not None


def test_a_policy_is_not_called_like_another_workload_of_it() -> None:
    """The policy is called like the first of its two workloads, not like the second: both are told."""
    spread = {"spreadConstraints": [{"spreadByField": "region", "minGroups": 2}]}
    stream = [
        cluster("a", cpu=9, region="eu"),
        *(deployment(name, 2, cpu=1) for name in ("api", "web")),
        policy("api", {**dynamic(), **spread}, selects=[selector("api"), selector("web")]),
    ]
    told = [text for each in fairlead.solve(fairlead.load(stream)).conflicts for text in texts(each)]
    wanted = "policy default/api: replicas in at least 2 regions; only eu has eligible clusters"
    assert told == [f"{wanted}, for default/api and default/web"]


def test_names_that_are_parts_of_other_words() -> None:
    """Nine clusters, more than are told one by one, called like letters: only names are exchanged."""
    stream = [
        *(cluster(name, cpu=1) for name in "abcdefghi"),
        deployment("web", 20, cpu=1),
        policy("web", dynamic(), selects=[selector("web")]),
    ]
    outcome = fairlead.solve(fairlead.load(stream))
    assert outcome.conflict is not None
    assert texts(outcome.conflict) == [
        "default/web needs 20 replicas; these 9 clusters can hold 9 together",
        "each of a, b, c and 6 more clusters has capacity for 1 of default/web (1 cpu free, 1 per replica)",
    ]


def test_many_regions_of_which_few_are_allowed_are_seen_at_once() -> None:
    """Four of 400 regions of one cluster hold 8 replicas at most, where 9 are wanted: no search says so."""
    names = tuple(f"c{number:03d}" for number in range(400))
    few = Spread("region", {name: frozenset({name}) for name in names}, 1, 4)
    workload = Workload("a", "a", 9, requests={"cpu": 1}, rules=(Candidates(names), Total(), few))
    clusters = tuple(Cluster(name, free={"cpu": 2}) for name in names)
    problem = Problem(clusters, (workload,), (Capacity(),))
    assert fails_alone(workload, problem)
    fits = replace(workload, replicas=8)
    assert not fails_alone(fits, Problem(clusters, (fits,), (Capacity(),)))


def test_scaled_to_zero_is_always_feasible() -> None:
    """Minima do not bind a workload that is scaled to 0."""
    outcome = fairlead.solve(
        fairlead.load([cluster("a"), deployment("nginx", 0), policy(placement=divided({}, minReplicas=2))])
    )
    assert outcome.status is fairlead.Status.OPTIMAL
    assert outcome.placement == fairlead.Placement({"default/nginx": {}})


def test_without_a_total_a_spread_over_more_groups_than_replicas_can_be_kept() -> None:
    """Nothing bounds how many replicas stand in all, so one on each of two clusters is a placement."""
    each = {name: frozenset({name}) for name in ("a", "b")}
    workload = Workload("w", "w", 1, rules=(Candidates(("a", "b")), Spread("cluster", each, minimum=2)))
    problem = Problem((Cluster("a"), Cluster("b")), (workload,))
    assert not any(violations_of(workload, {"a": 1, "b": 1}))
    assert not fails_alone(workload, problem)
    assert fails_alone(replace(workload, rules=(*workload.rules, Total())), problem)


def test_what_is_closed_in_a_set_does_not_hold_more_of_it() -> None:
    """Two may run on a and b together and three are wanted: to open b as well is no help."""
    both = own("GroupBounds", groups=[{"targetCluster": {"clusterNames": ["a", "b"]}, "maxReplicas": 2}])
    only_a = {**static(("a", 1)), "clusterAffinity": {"clusterNames": ["a"]}}
    fleet = [cluster("a", cpu=9), cluster("b", cpu=9)]
    assert texts(conflict_of(*fleet, deployment("web", 3, 1), policy(placement=only_a), both)) == [
        "default/web needs 3 replicas",
        "policy default/nginx: group 1 of GroupBounds own may hold at most 2",
    ]
