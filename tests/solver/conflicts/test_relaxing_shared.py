"""Ways out that several workloads share: quotas, budgets of moves, numbers of one policy."""

from typing import Any

import pytest
import yaml

from builders import Manifest, cluster, clusters, deployment, duplicated, policy, selector, static, term
from fairlead.models.check import check
from fairlead.models.cluster import Cluster, Grade
from fairlead.models.errors import InternalError
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Capacity, MoveBudget, Quota, Total
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.quota import QuotaLimit, QuotaScope
from fairlead.models.statement import Change, QuotaEntry
from fairlead.models.workload import Workload
from fairlead.solver.changes.apply import apply
from fairlead.solver.changes.kinds import describe_all
from fairlead.solver.relaxation import relaxations
from fairlead.solver.running.search import Search
from merged import texts, ways_out

EVEN = static((["member1", "member2"], 1))


def quota(overall: dict[str, Any], *, name: str = "compute", **hard: dict[str, Any]) -> Manifest:
    """Return a quota of namespace default; what else is given is assigned to the cluster of that name."""
    assigned = [{"clusterName": cluster, "hard": amounts} for cluster, amounts in hard.items()]
    return {
        "apiVersion": "policy.karmada.io/v1alpha1",
        "kind": "FederatedResourceQuota",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"overall": overall, "staticAssignments": assigned},
    }


def spec(manifest: str) -> Manifest:
    """Return the spec of the only document of a fragment."""
    (document,) = yaml.safe_load_all(manifest)
    found: Manifest = document["spec"]
    return found


def test_a_quota_for_all_clusters() -> None:
    """5 replicas of 1 core want 5, the namespace may have 4: one core more, or one replica less."""
    found = ways_out(
        clusters(2), deployment(replicas=5, cpu=1), policy(placement=EVEN), quota({"cpu": 4, "memory": "1Gi"})
    )
    assert texts(found) == [
        "raise the quota of namespace default (cpu) from 4 to 5",
        "scale from 5 to 4 replicas",
    ]
    assert [each.change for each in found] == [1, 1]
    assert spec(found[0].manifest) == {"overall": {"cpu": "5"}}


def test_a_quota_counts_in_replicas_of_the_largest_asker() -> None:
    """2 x 3 + 1 cores want 7 of 4; what is lacking, 3 cores, is worth one replica of the large workload."""
    found = ways_out(
        clusters(2),
        deployment("large", 2, cpu=3),
        deployment("small", 1, cpu=1),
        policy(placement=EVEN),
        quota({"requests.cpu": "4"}),
    )
    (raised,) = [each for each in found if "quota" in each.text]
    assert raised.text == "raise the quota of namespace default (cpu) from 4 to 7"
    assert raised.change == 1
    assert spec(raised.manifest) == {"overall": {"requests.cpu": "7"}}


def test_a_quota_on_one_cluster_keeps_the_list() -> None:
    """A minimum of 3 on member1, where the quota assigns 2 cores: the fragment repeats the whole list."""
    found = ways_out(
        clusters(2),
        deployment(replicas=4, cpu=1),
        policy(placement=static((["member1", "member2"], 1), clusterConstraintTerms=[term("member1", 3)])),
        quota({"cpu": 10, "limits.cpu": 8}, member2={"cpu": 4}, member1={"cpu": 2, "limits.cpu": 8}),
    )
    assert texts(found) == [
        "lower the minimum of member1 from 3 to 2",
        "raise the quota of namespace default (cpu on member1) from 2 to 3",
    ]
    assert spec(found[1].manifest) == {
        "staticAssignments": [
            {"clusterName": "member2", "hard": {"cpu": 4}},
            {"clusterName": "member1", "hard": {"cpu": "3", "limits.cpu": 8}},
        ]
    }


def test_what_clusters_are_assigned_stays_within_the_whole() -> None:
    """2 + 4 are assigned of 6; one core more on member1 makes 7, which Karmada refuses unless all have 7."""
    found = ways_out(
        clusters(2),
        deployment(replicas=4, cpu=1),
        policy(placement=static((["member1", "member2"], 1), clusterConstraintTerms=[term("member1", 3)])),
        quota({"cpu": 6}, member1={"cpu": 2}, member2={"cpu": 4}),
    )
    assert found[1].text == (
        "raise the quota of namespace default (cpu) from 6 to 7 and "
        "raise the quota of namespace default (cpu on member1) from 2 to 3"
    )
    # The whole lets nobody request more, so only the replica on member1 counts.
    assert found[1].change == 1
    assert spec(found[1].manifest)["overall"] == {"cpu": "7"}


def test_what_others_have_exceeded() -> None:
    """Others use 6 of 4 cores: 2 are lacking before the first replica, which makes 3 in all."""
    limits = {QuotaScope("cpu"): QuotaLimit(4000, 6000)}
    workload = Workload(
        "shop/web", "web", 1, "shop", requests={"cpu": 1000}, rules=(Candidates(("a",)), Total())
    )
    problem = Problem((Cluster("a"),), (workload,), (Quota("compute", "shop", limits),))
    (found,) = relaxations(problem, Search())
    assert found.text == "raise the quota of namespace shop (cpu) from 4 to 7"
    assert (found.change, found.changes[0].detail) == (3, QuotaEntry("shop", "compute", "cpu"))
    assert found.changes[0].named == "shop/compute cpu"
    assert spec(found.manifest) == {"overall": {"cpu": "7"}}


def test_a_quota_from_python_is_written_as_a_whole_list() -> None:
    """Without a manifest the list is what the rule knows."""
    limits = {QuotaScope("pods", "a"): QuotaLimit(1), QuotaScope("memory", "b"): QuotaLimit(2**30)}
    workload = Workload("shop/web", "web", 2, "shop", rules=(Candidates(("a",)), Total()))
    problem = Problem((Cluster("a"), Cluster("b")), (workload,), (Quota("compute", "shop", limits),))
    raised = relaxations(problem, Search())[0]
    assert raised.text == "raise the quota of namespace shop (pods on a) from 1 to 2"
    (document,) = yaml.safe_load_all(raised.manifest)
    assert document["kind"] == "FederatedResourceQuota"
    assert document["metadata"] == {"name": "compute", "namespace": "shop"}
    assert document["spec"]["staticAssignments"] == [
        {"clusterName": "a", "hard": {"pods": "2"}},
        {"clusterName": "b", "hard": {"memory": "1Gi"}},
    ]


def test_a_quota_that_is_not_there() -> None:
    """A change that names another quota is a mistake of the program."""
    change = Change("quota", None, None, QuotaEntry("shop", "other", "cpu"), 1, 2, 1)
    with pytest.raises(InternalError, match="shop/other cpu"):
        apply(Problem((), ()), [change])


def moving(budget: MoveBudget, replicas: int = 4, lowest: int = 3, **current: int) -> Problem:
    """Return a workload with a minimum on b that moves to it from elsewhere."""
    rules = (Candidates(("a", "b")), Total(), Bounds({"b": Bound(lowest)}))
    workload = Workload("shop/web", "web", replicas, "shop", current=current, rules=rules)
    return Problem((Cluster("a"), Cluster("b")), (workload,), (budget,))


def test_a_budget_of_moves() -> None:
    """4 run on a, 3 have to run on b, 2 may move: one move more, or one replica less on b."""
    problem = moving(MoveBudget("namespace shop", 2), a=4)
    found = relaxations(problem, Search())
    assert texts(found) == [
        "lower the minimum of b from 3 to 2",
        "allow 3 moves instead of 2 (namespace shop)",
    ]
    # A budget is an option of the plan and stands in no manifest.
    assert [each.change for each in found] == [1, 1]
    assert found[1].manifest == ""
    assert not check(apply(problem, found[1].changes), {"shop/web": {"a": 1, "b": 3}})


def test_what_must_be_stopped_is_no_move() -> None:
    """5 run on a, 4 are wanted, 3 of them on b: one stops anyway, and 3 move while 2 may.

    With 3 wanted, 2 stop anyway and 3 still start on b, so fewer replicas are no way out.
    """
    found = relaxations(moving(MoveBudget("all workloads", 2), a=5), Search())
    assert texts(found) == [
        "lower the minimum of b from 3 to 2",
        "allow 3 moves instead of 2 (all workloads)",
    ]


@pytest.mark.parametrize(
    ("budget", "text"),
    [
        (MoveBudget("leaving a", 0, leaving=frozenset("a")), "allow 3 moves instead of 0 (leaving a)"),
        (
            MoveBudget("arriving at b", 1, arriving=frozenset("b")),
            "allow 3 moves instead of 1 (arriving at b)",
        ),
    ],
)
def test_budgets_of_single_clusters(budget: MoveBudget, text: str) -> None:
    """What leaves a, or arrives at b, counts: 3 replicas."""
    found = relaxations(moving(budget, a=4), Search())
    assert text in texts(found)


TWO_MINIMA = static(
    (["member1", "member2"], 1), clusterConstraintTerms=[term("member1", 3), term("member2", 3)]
)


def test_one_number_of_a_policy_counts_once() -> None:
    """Two workloads of 5 share a policy that wants 3 on each of two clusters: 6 are one too many for both.

    Lowering one minimum of the policy to 2 helps both of them and costs 1, not 2.
    """
    found = ways_out(clusters(2), deployment("api", 5), deployment("web", 5), policy(placement=TWO_MINIMA))
    assert found[0].text == "lower the minimum of member1 from 3 to 2 for default/api and default/web"
    assert found[0].change == 1
    assert [(each.workload, each.cost) for each in found[0].changes] == [
        ("default/api", 1),
        ("default/web", 0),
    ]


def test_two_policies_have_two_numbers() -> None:
    """The same minima in two policies, read from parsed documents that have no lines: each counts."""
    found = ways_out(
        clusters(2),
        deployment("api", 5),
        deployment("web", 5),
        policy("api", TWO_MINIMA, selects=[selector("api")]),
        policy("web", TWO_MINIMA, selects=[selector("web")]),
    )
    assert found[0].change == 2
    assert found[0].text == "lower the minimum of member1 from 3 to 2 for default/api and default/web"


def test_an_exact_number_of_a_policy_changes_for_all() -> None:
    """3 and 8 are specified: 12 of api need one more, 11 of web need none, and nothing suits both.

    Were the total of one cluster raised for api alone, the policy would break web. So api gives way.
    """
    found = ways_out(
        clusters(2), deployment("api", 12), deployment("web", 11), policy(placement=specified(3, 8))
    )
    assert found[0].text == "scale default/api from 12 to 11 replicas"


def test_an_exact_number_that_suits_nobody() -> None:
    """3 and 8 are specified and both want 12: 4 on member1, for both at once."""
    found = ways_out(
        clusters(2), deployment("api", 12), deployment("web", 12), policy(placement=specified(3, 8))
    )
    assert found[0].text == "raise the total of member1 from 3 to 4 for default/api and default/web"
    assert found[0].change == 1


def specified(*numbers: int) -> Manifest:
    """Return a placement that says how many replicas member1, member2 and so on hold."""
    targets = [
        {"targetCluster": {"clusterNames": [f"member{at}"]}, "replicas": number}
        for at, number in enumerate(numbers, 1)
    ]
    return {
        "replicaScheduling": {
            "replicaSchedulingType": "Divided",
            "replicaDivisionPreference": "Specified",
            "specifyPreference": {"staticSpecifyList": targets},
        }
    }


def test_one_toleration_of_a_policy_counts_once() -> None:
    """Both workloads of one policy are kept off the only cluster by one taint: one toleration for both."""
    (found,) = ways_out(
        cluster("member1", taints=["gpu=true:NoSchedule"]),
        deployment("api", 2),
        deployment("web", 2),
        policy(placement=static(("member1", 1))),
    )
    assert found.text == "tolerate the taint gpu=true:NoSchedule for default/api and default/web"
    assert found.change == 1
    assert len(spec(found.manifest)["placement"]["clusterTolerations"]) == 1


def test_a_copy_may_be_chosen_on_a_cluster_that_a_toleration_opens() -> None:
    """One cluster at most holds a copy of 4, the open one has room for 2, the tainted one for all."""
    found = ways_out(
        cluster("member1", cpu=2),
        cluster("member2", cpu=8, taints=["gpu=true:NoSchedule"]),
        deployment(replicas=4, cpu=1),
        policy(
            placement={
                **duplicated(),
                "spreadConstraints": [{"spreadByField": "cluster", "minGroups": 1, "maxGroups": 1}],
            }
        ),
    )
    assert found[0].text == "tolerate the taint gpu=true:NoSchedule"
    assert found[0].change == 1


def test_no_node_is_offered() -> None:
    """2 nodes of 1 core each fit 2 of 3 replicas; more cpu in all would fit none, so only fewer help."""
    cluster_of_nodes = Cluster("a", free={"cpu": 9000}, grades=(Grade(2, {"cpu": 1000}),))
    workload = Workload(
        "shop/web", "web", 3, "shop", requests={"cpu": 1000}, rules=(Candidates(("a",)), Total())
    )
    problem = Problem((cluster_of_nodes,), (workload,), (Capacity(),))
    assert texts(relaxations(problem, Search())) == ["scale from 3 to 2 replicas"]


def test_changes_say_whom_they_are_for() -> None:
    """A number of a workload names it where there are several workloads; shared ones name nobody."""
    minimum = Change("minimum", "default/web", "a", "", 3, 2, 1)
    assert describe_all([minimum], named=True) == "lower the minimum of a from 3 to 2 for default/web"
    budget = Change("move-budget", None, None, "all workloads", 1, 2, 1)
    assert describe_all([budget], named=True) == "allow 2 moves instead of 1 (all workloads)"
