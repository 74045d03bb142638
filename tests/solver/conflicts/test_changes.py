"""Changes and relaxations from manifests: the cheapest one in words, and fragments that can be pasted."""

from dataclasses import replace

import pytest
import yaml

from builders import (
    Manifest,
    binding,
    cluster,
    clusters,
    deployment,
    divided,
    duplicated,
    dynamic,
    policy,
    selector,
    static,
    term,
)
from fairlead.manifests.loading import load
from fairlead.models.cluster import Taint
from fairlead.models.rules import Bounds
from fairlead.models.rules.bounds import Bound
from fairlead.models.statement import Change
from fairlead.solver.changes.kinds import ChangeKind, describe_all, effort, varied
from fairlead.solver.relaxation import relaxations
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import Search
from hand_made import infeasible
from kubeadmiral_manifests import entry, member
from kubeadmiral_manifests import policy as federated_policy
from kubeadmiral_manifests import web as federated
from merged import texts, ways_out
from own_builders import own


def test_a_minimum_over_the_room_of_its_cluster() -> None:
    """1500m hold 3 of 500m, 4 are the minimum: 1 replica less, or 500m more for the fourth."""
    found = ways_out(
        cluster("member1", cpu=10),
        cluster("member2", cpu="1500m"),
        deployment(replicas=8, cpu="500m"),
        policy(placement=static((["member1", "member2"], 1), clusterConstraintTerms=[term("member2", 4, 6)])),
    )
    assert texts(found)[:2] == ["lower the minimum of member2 from 4 to 3", "add 500m cpu to member2"]
    assert [each.change for each in found[:2]] == [1, 1]
    assert "cpu: '2'" in found[1].manifest


def test_a_global_minimum_gets_a_term_for_one_cluster() -> None:
    """4 each on three clusters are 12, 11 are wanted: the other clusters keep their 4."""
    found = ways_out(clusters(3), deployment(replicas=11), policy(placement=divided({}, minReplicas=4)))
    assert texts(found)[0] == "lower the minimum of member1 from 4 to 3"
    assert "minReplicas: 3" in found[0].manifest
    assert "scale from 11 to 12 replicas" in texts(found)


def test_a_maximum_of_several_terms() -> None:
    """At most 2 by label, at most 3 by name: both have to give way for one cluster to take 4 of 6."""
    alike = {"labelSelector": {"matchLabels": {"tier": "gold"}}}
    terms = [term(alike, high=2, low=1), term(["member1", "member2"], high=3)]
    found = ways_out(
        clusters(2, labels={"tier": "gold"}),
        deployment(replicas=6),
        policy(placement=divided({}, clusterConstraintTerms=terms)),
    )
    assert texts(found)[0] == "raise the maximum of member1 from 2 to 4"
    assert found[0].change == 2


def test_fewer_regions_than_asked_for() -> None:
    """Clusters stand in two regions, three are asked for."""
    spread = {"spreadByField": "region", "minGroups": 3, "maxGroups": 4}
    placement = {**dynamic(), "spreadConstraints": [spread]}
    found = ways_out(
        cluster("a", cpu=10, region="eu"),
        cluster("b", cpu=10, region="us"),
        deployment(replicas=4, cpu=1),
        policy(placement=placement),
    )
    assert texts(found) == ["require 2 regions instead of 3"]
    assert "maxGroups: 4" in found[0].manifest


def test_more_groups_than_allowed() -> None:
    """One zone is allowed, but the minima stand in two."""
    placement = {
        **divided({}, clusterConstraintTerms=[term("a", 1), term("b", 1)]),
        "spreadConstraints": [{"spreadByField": "cluster", "minGroups": 1, "maxGroups": 1}],
    }
    found = ways_out(
        cluster("a", cpu=1), cluster("b", cpu=2), deployment(replicas=3, cpu=1), policy(placement=placement)
    )
    assert texts(found)[0] == "allow 2 clusters instead of 1"


def test_specified_totals_that_do_not_add_up() -> None:
    """3 and 8 are 11, 12 are wanted: one total more, or one replica less."""
    targets = [
        {"targetCluster": {"clusterNames": ["member1"]}, "replicas": 3},
        {"targetCluster": {"clusterNames": ["member2"]}, "replicas": 8},
    ]
    placement = {
        "replicaScheduling": {
            "replicaSchedulingType": "Divided",
            "replicaDivisionPreference": "Specified",
            "specifyPreference": {"staticSpecifyList": targets},
        }
    }
    found = ways_out(clusters(2), deployment(replicas=12), policy(placement=placement))
    assert texts(found) == [
        "raise the total of member1 from 3 to 4",
        "raise the total of member2 from 8 to 9",
        "scale from 12 to 11 replicas",
    ]


@pytest.mark.parametrize("inside", [True, False])
def test_a_total_of_the_policy(inside: bool) -> None:
    """The policy says 5, the template 6; the number may stand in the placement or beside it."""
    placement: Manifest = {"replicaScheduling": {"replicaDivisionPreference": "Regions"}}
    chosen = policy(placement={**placement, "replicas": 5} if inside else placement)
    if not inside:
        chosen["spec"]["replicas"] = 5
    found = ways_out(clusters(2, region="eu"), deployment(replicas=6), chosen)
    assert texts(found) == [
        "raise the total of the listed regions from 5 to 6",
        "scale from 6 to 5 replicas",
    ]


def test_a_taint_that_keeps_every_cluster_closed() -> None:
    """One toleration opens both clusters with that taint."""
    found = ways_out(
        clusters(2, cpu=10, taints=["gpu=true:NoSchedule"]),
        deployment(replicas=3, cpu=1),
        policy(placement=dynamic()),
    )
    assert texts(found) == ["tolerate the taint gpu=true:NoSchedule"]
    assert found[0].change == 1


def test_two_taints_of_one_cluster() -> None:
    """Both have to be tolerated; the taint without value is tolerated whatever its value."""
    found = ways_out(
        cluster("a", cpu=10, taints=["gpu=true:NoSchedule", "edge:NoExecute"]),
        deployment(replicas=3, cpu=1),
        policy(placement=duplicated()),
    )
    assert texts(found) == ["tolerate the taints edge:NoExecute and gpu=true:NoSchedule"]
    assert found[0].change == 2


def test_ways_of_several_changes_are_easy_to_read() -> None:
    """What has commas of its own is parted by semicolons; all taints have one verb, and all of a cluster."""
    found = [
        Change(ChangeKind.MINIMUM, key, "a", "", 2, 1, 1 - at)
        for at, key in enumerate(("default/x", "default/y"))
    ]
    found += [Change(ChangeKind.CAPACITY, None, "b", resource, 0, 3, 3) for resource in ("gpu", "pods")]
    found += [
        Change(ChangeKind.TOLERATION, "default/x", None, Taint(key, "", "NoSchedule"), 0, 1, 1)
        for key in ("edge", "gpu")
    ]
    assert describe_all(found, named=True) == (
        "lower the minimum of a from 2 to 1 for default/x and default/y; "
        "add 3 gpu and room for 3 pods to b; "
        "and tolerate the taints edge:NoSchedule and gpu:NoSchedule for default/x"
    )
    # Three edits (the minimum is one for both), no replicas, two workloads, a cost of 1 + 3 + 3 + 1 + 1.
    assert effort(found) == (5, False, 2, 9)


def test_the_most_useful_way_comes_first() -> None:
    """More room for all in one place, then fewer replicas; never the same kind of change only."""
    quota, room, fewer, more = (
        (Change(kind, key, name, "", 1, 2, 1),)
        for kind, key, name in (
            (ChangeKind.QUOTA, None, None),
            (ChangeKind.CAPACITY, None, "a"),
            (ChangeKind.REPLICAS, "x", None),
            (ChangeKind.CAPACITY, None, "b"),
        )
    )
    assert varied([room, more, quota, fewer]) == [room, quota, fewer, more]
    assert sorted([fewer, (*room, *quota), room], key=effort) == [room, fewer, (*room, *quota)]


def test_what_does_not_match_never_gives_way() -> None:
    """The only other cluster is in no static weight list, so tolerating its taint would not open it."""
    found = ways_out(
        cluster("a", cpu=1),
        cluster("b", cpu=9, taints=["gpu:NoSchedule"]),
        deployment(replicas=3, cpu=1),
        policy(placement=static(("a", 1))),
    )
    assert texts(found) == ["add 2 cpu to a", "scale from 3 to 1 replica"]


def test_a_cluster_that_keeps_what_it_holds() -> None:
    """The taint lets 2 stay and no third come."""
    found = ways_out(
        cluster("a", cpu=10, taints=["gpu:NoSchedule"]),
        binding("web", 3, {"a": 2}, dynamic(), cpu=1),
    )
    assert texts(found) == ["tolerate the taint gpu:NoSchedule", "scale from 3 to 2 replicas"]
    assert "ResourceBinding" in found[1].manifest


def test_full_copies_without_room() -> None:
    """Cluster b has room for 2 of 3: one more core, or one replica less everywhere."""
    found = ways_out(
        cluster("a", cpu=10),
        cluster("b", cpu=2),
        deployment(replicas=3, cpu=1),
        policy(placement=duplicated()),
    )
    assert texts(found) == ["add 1 cpu to b", "scale from 3 to 2 replicas"]


def test_a_job_asks_for_fewer_pods() -> None:
    """A job counts its pods as parallelism."""
    found = ways_out(
        cluster("a", cpu=2),
        deployment("sum", 3, cpu=1, kind="Job", api_version="batch/v1"),
        policy(placement=dynamic(), selects=[selector(kind="Job", api_version="batch/v1")]),
    )
    assert texts(found) == ["add 1 cpu to a", "scale from 3 to 2 replicas"]
    assert "parallelism: 2" in found[1].manifest


def test_two_workloads_that_share_a_cluster() -> None:
    """3 and 3 on room for 5: the texts name the workloads, and room for one more is enough."""
    found = ways_out(
        cluster("a", cpu=5),
        deployment("first", 3, cpu=1),
        deployment("second", 3, cpu=1),
        policy(placement=static(("a", 1))),
    )
    assert texts(found) == [
        "add 1 cpu to a",
        "scale default/first from 3 to 2 replicas",
        "scale default/second from 3 to 2 replicas",
    ]


def test_two_contradictions_are_resolved_together() -> None:
    """A minimum over the room of b, and a total over the room of c: one change each, in one sentence."""
    found = ways_out(
        cluster("b", cpu=1),
        cluster("c", cpu=1),
        deployment("first", 2, cpu=1),
        deployment("second", 2, cpu=1),
        policy("one", static(("b", 1)), selects=[selector("first")]),
        policy("two", static(("c", 1)), selects=[selector("second")]),
    )
    assert texts(found)[0] == "add 1 cpu to each of b and c"
    assert found[0].change == 2


def test_capacity_that_others_have_exceeded() -> None:
    """2 cores are allocated too much, so one replica of 1 core takes 3; that is worth 3 replicas."""
    found = ways_out(
        cluster("a", cpu=4, allocated={"cpu": 6}),
        deployment(replicas=1, cpu=1),
        policy(placement=divided({})),
    )
    assert texts(found) == ["add 3 cpu to a"]
    assert found[0].change == 3
    assert "cpu: '7'" in found[0].manifest


def test_what_runs_beyond_what_a_cluster_has_costs_nothing() -> None:
    """Four cores run on the two of a, which may stay: to add 500m to c costs 1, to a it would be 4 cores."""
    two = {"spreadConstraints": [{"spreadByField": "cluster", "minGroups": 2, "maxGroups": 2}]}
    problem = load(
        [
            cluster("a", cpu=2),
            cluster("b", cpu=50),
            cluster("c", cpu="1500m"),
            binding("web", 4, {"a": 4}, static(("a", 1)), cpu=1),
            binding("db", 3, {"b": 1}, {**divided({}), **two}, cpu=2),
        ]
    )
    found = relaxations(problem, Search(), most=2)
    assert texts(found) == ["require 1 cluster instead of 2 for default/db", "add 500m cpu to c"]


def test_no_more_capacity_than_is_needed() -> None:
    """Room for one more of either would cost 1, as the big one takes 2 cores; the small one takes 500m."""
    found = ways_out(
        cluster("a", cpu="2500m"),
        deployment("big", 1, cpu=2),
        deployment("small", 2, cpu="500m"),
        policy(placement=static(("a", 1))),
    )
    assert "add 500m cpu to a" in texts(found)


def test_group_bounds() -> None:
    """At least 5 in Europe, which has room for 4."""
    bounds = own(
        "GroupBounds",
        groups=[
            {"groupBy": "region", "minReplicas": 1},
            {"name": "Europe", "targetCluster": {"clusterNames": ["a"]}, "minReplicas": 5, "maxReplicas": 7},
        ],
    )
    found = ways_out(
        cluster("a", cpu=4, region="eu"),
        cluster("b", cpu=9, region="us"),
        deployment(replicas=6, cpu=1),
        policy(placement=divided({})),
        bounds,
    )
    assert texts(found) == ["lower the minimum of Europe from 5 to 4", "add 1 cpu to a"]
    assert "maxReplicas: 7" in found[0].manifest


@pytest.mark.parametrize(("asked", "least"), [({"minReplicas": 4}, 4), ({"minPercent": "60%"}, 4)])
def test_survival(asked: Manifest, least: int) -> None:
    """6 replicas on two clusters: losing the larger half leaves 3 at most; 60 % are 4."""
    found = ways_out(
        clusters(2),
        deployment(replicas=6),
        policy(placement=divided({})),
        own("Survival", field="cluster", **asked),
    )
    assert texts(found)[0] == f"require 3 replicas instead of {least} to survive the loss of any one cluster"


def test_workloads_that_keep_apart() -> None:
    """There is one cluster only, so one of the two leaves the group."""
    found = ways_out(
        cluster("a"),
        deployment("first", 1),
        deployment("second", 1),
        policy(placement=divided({})),
        own("WorkloadAffinity", type="AntiAffinity"),
    )
    assert texts(found) == [
        "leave default/first out of WorkloadAffinity own",
        "leave default/second out of WorkloadAffinity own",
    ]


def test_kubeadmiral() -> None:
    """At least 4 on a cluster of 3 cores, and at most 2 on the other: a core more, or two numbers."""
    found = ways_out(
        member("a", "3"),
        member("b", "9"),
        federated_policy(placement=[entry("a", minReplicas=4), entry("b", maxReplicas=2)]),
        federated(6, cpu="1"),
    )
    assert texts(found)[0] == "add 1 cpu to a"
    assert "lower the minimum of a from 4 to 3 and raise the maximum of b from 2 to 3" in texts(found)


def test_kubeadmiral_most_clusters() -> None:
    """No single cluster has room for 4."""
    found = ways_out(
        member("a", "3"), member("b", "3"), federated_policy(maxClusters=1), federated(4, cpu="1")
    )
    assert texts(found)[0] == "allow 2 clusters instead of 1"
    assert "maxClusters: 2" in found[0].manifest


def test_kubeadmiral_taints_and_capacity() -> None:
    """The one open cluster lacks a core; the other one is tainted."""
    found = ways_out(
        member("a", "1"),
        member("b", "9", taints=["gpu:NoSchedule"]),
        federated_policy(),
        federated(2, cpu="1"),
    )
    assert texts(found) == [
        "tolerate the taint gpu:NoSchedule",
        "add 1 cpu to a",
        "scale from 2 to 1 replica",
    ]


def test_the_same_answer_whatever_the_order_of_documents() -> None:
    """Ties fall to the cluster that comes first by name."""
    members = clusters(4, cpu=1)
    rest = [deployment(replicas=6, cpu=1), policy(placement=dynamic())]
    forward = relaxations(load([*members, *rest]), Search())
    backward = relaxations(load([*rest, *reversed(members)]), Search())
    assert texts(forward) == texts(backward)
    assert texts(forward) == [
        "add 2 cpu to member1",
        "add 2 cpu to member2",
        "scale from 6 to 4 replicas",
    ]


def test_out_of_time() -> None:
    """Nothing is said that was not checked."""
    problem = load([*clusters(2), deployment(replicas=3), policy(placement=divided({}, minReplicas=2))])
    everything = relaxations(problem, Search())
    assert everything
    spread = {"spreadByField": "cluster", "minGroups": 3, "maxGroups": 3}
    placement = {**divided({}), "spreadConstraints": [spread]}
    late = load([*clusters(2), deployment(replicas=3), policy(placement=placement)])
    assert relaxations(late, Search())
    assert not relaxations(late, Search(Deadline.after(0)))


def test_what_has_a_placement_is_left_alone() -> None:
    """Only the workload on the small cluster is changed, though the other one could be as well."""
    problem = load(
        [
            cluster("a", cpu=1),
            cluster("b", cpu=9),
            deployment("first", 2, cpu=1),
            deployment("second", 2, cpu=1),
            policy("one", static(("a", 1)), selects=[selector("first")]),
            policy("two", static(("b", 1)), selects=[selector("second")]),
        ]
    )
    found = relaxations(problem, Search())
    assert texts(found) == ["add 1 cpu to a", "scale default/first from 2 to 1 replica"]


def test_a_problem_from_python_is_spelled_as_karmada_does() -> None:
    """Without manifests there is no policy to look at: the fragment names what is known."""
    problem = infeasible().problem
    (changed,) = (each for each in problem.workloads)
    rule = Bounds({"member3": Bound(4)})
    kept = tuple(each for each in changed.rules if not isinstance(each, Bounds))
    workload = replace(changed, rules=(*kept, rule))
    found = relaxations(replace(problem, workloads=(workload,)), Search())
    assert texts(found)[0] == "lower the minimum of member3 from 4 to 2"
    (document,) = yaml.safe_load_all(found[0].manifest)
    assert document["kind"] == "PropagationPolicy"
    assert document["metadata"] == {"name": "nginx", "namespace": "default"}
    terms = document["spec"]["placement"]["replicaScheduling"]["weightPreference"]["clusterConstraint"]
    assert terms["clusterConstraintTerms"] == [
        {"targetCluster": {"clusterNames": ["member3"]}, "minReplicas": 2}
    ]
