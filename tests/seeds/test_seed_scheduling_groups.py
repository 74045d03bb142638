"""The proposal "Multiple scheduling group": its examples as printed, and what it says of them."""

import io
from typing import Any

import pytest
import yaml

import fairlead
from builders import Manifest, binding, cluster, deployment, dynamic
from fairlead.models.errors import ManifestError
from fairlead.models.rules import Candidates, Duplicated, Total, Weights
from loaded import candidates, closed, kinds_of, only, texts, weights
from seeded import printed

ONE_AFFINITY = printed(
    """\
    clusterAffinity:
      clusterNames:
        - member1
        - member2
""",
    "foo",
)

THREE_TERMS = printed(
    """\
    clusterAffinities:
      - affinityName: dc-shanghai
        clusterNames:
          - unavailable
      - affinityName: dc-beijing
        clusterNames:
          - member1
      - affinityName: dc-hongkong
        clusterNames:
          - member2
"""
)

STATUS = """\
status:
  aggregatedStatus:
  - applied: true
    clusterName: member1
    health: Healthy
    status:
      availableReplicas: 2
      readyReplicas: 2
      replicas: 2
      updatedReplicas: 2
  conditions:
  - lastTransitionTime: "2023-02-04T09:38:20Z"
    message: All works have been successfully applied
    reason: FullyAppliedSuccess
    status: "True"
    type: FullyApplied
  - lastTransitionTime: "2023-02-04T09:38:20Z"
    message: Binding has been scheduled
    reason: BindingScheduled
    status: "True"
    type: Scheduled
  schedulerObservedGeneration: 2
  SchedulerObservedAffinityName: ds-hongkong
"""

ALTERNATIVE = """\
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
 name: foo
spec:
 resourceSelectors:
   - apiVersion: apps/v1
     kind: Deployment
     name: foo
 placement:
   clusterAffinity:
     clusterNames:
       - member1
       - member2
     propagatePriority:
       - weight: 30
         preference:
           matchExpressions:
             - key: topology
               operator: In
               values:
                 - us 
       - weight: 20
         preference:
           matchExpressions:
             - key: topology
               operator: In
               values:
                 - cn 
"""  # noqa: W291 - as printed

NO_AFFINITY = "did not match the placement cluster affinity constraint"
POWER_OFF = "power=off:NoExecute"


def load(policy: str, *others: Any) -> fairlead.Problem:
    """Load a policy as printed, with clusters and workloads."""
    return fairlead.load(io.StringIO(policy), *others)


def members(**taints: str) -> list[Manifest]:
    """Return the clusters of the three data centres, 10 cores each, some of them tainted."""
    names = ("unavailable", "member1", "member2")
    return [cluster(name, cpu=10, taints=[taints[name]] if name in taints else []) for name in names]


def running(name: str, current: dict[str, int], observed: str = "", **status: str) -> Manifest:
    """Return the binding of a deployment of 2 replicas of 1 core that runs somewhere."""
    known = {"schedulerObservingAffinityName": observed} if observed else {}
    return binding(name, 2, current, cpu=1, status={**known, **status})


def test_one_affinity() -> None:
    """The policy of today: one group of clusters, which needs no name."""
    workload = only(load(ONE_AFFINITY, members(), deployment("foo", 2, cpu=1)))
    assert candidates(workload).names == ("member1", "member2")
    assert (workload.group, workload.groups) == (None, ())
    assert kinds_of(workload) == [Candidates, Duplicated]


def test_three_terms() -> None:
    """Three independent groups in declared order, each with rules of its own; the first one stands."""
    workload = only(load(THREE_TERMS, members(), deployment("nginx", 2, cpu=1)))
    assert [group.name for group in workload.groups] == ["dc-shanghai", "dc-beijing", "dc-hongkong"]
    names = [rule.names for group in workload.groups for rule in group.rules if isinstance(rule, Candidates)]
    assert names == [("unavailable",), ("member1",), ("member2",)]
    assert (workload.group, workload.observed) == ("dc-shanghai", None)
    assert workload.rules == workload.groups[0].rules
    assert closed(workload) == {"member1": NO_AFFINITY, "member2": NO_AFFINITY}
    # The group, and the reasons it gives, know the line of their term.
    assert [group.source.line for group in workload.groups if group.source] == [12, 15, 18]
    assert candidates(workload).excluded["member1"].source == workload.groups[0].source


def test_the_observed_group_of_the_status() -> None:
    """The spelling of the example is read; its name is no group of the policy, so the first group counts."""
    held = {**running("nginx", {"member1": 2}), **yaml.safe_load(STATUS)}
    problem = load(THREE_TERMS, members(), held)
    assert (only(problem).observed, only(problem).group) == ("ds-hongkong", "dc-shanghai")
    assert texts(problem, "unknown-field") == []
    held["status"]["SchedulerObservedAffinityName"] = "dc-hongkong"
    assert only(load(THREE_TERMS, members(), held)).group == "dc-hongkong"


@pytest.mark.parametrize(
    "spelling",
    ["SchedulerObservedAffinityName", "schedulerObservedAffinityName", "schedulerObservingAffinityName"],
)
def test_spellings_of_the_observed_group(spelling: str) -> None:
    """The text of the proposal, its Go field and its JSON name differ; all three are read."""
    held = binding("nginx", 2, {"member1": 2}, cpu=1, status={spelling: "dc-beijing"})
    problem = load(THREE_TERMS, members(), held)
    assert (only(problem).observed, only(problem).group) == ("dc-beijing", "dc-beijing")
    assert problem.warnings == ()


def test_the_alternative_that_was_not_chosen() -> None:
    """Propagation priorities never became a field: named, not silently dropped."""
    problem = load(ALTERNATIVE, members(), deployment("foo", 2, cpu=1))
    (warning,) = texts(problem, "unknown-field")
    assert "spec.placement.clusterAffinity.propagatePriority is an unknown field" in warning
    assert candidates(only(problem)).names == ("member1", "member2")


def test_cluster_affinity_and_cluster_affinities_exclude_each_other() -> None:
    """The proposal's first note, with file and line of the field that is too much."""
    both = THREE_TERMS + "    clusterAffinity:\n      clusterNames: [member1]\n"
    with pytest.raises(ManifestError) as caught:
        load(both)
    (mistake,) = caught.value.mistakes
    expected = "<stream>:11: spec.placement.clusterAffinities: cannot be combined with clusterAffinity"
    assert str(mistake) == f"{expected}; use one of the two"


def test_affinity_names_must_be_unique() -> None:
    """As the proposal asks of the webhook."""
    with pytest.raises(ManifestError) as caught:
        load(THREE_TERMS.replace("dc-hongkong", "dc-beijing"))
    (mistake,) = caught.value.mistakes
    expected = (
        "<stream>:18: spec.placement.clusterAffinities[2].affinityName: 'dc-beijing' names another group"
    )
    assert str(mistake) == f"{expected}; names must differ"


def test_a_cluster_may_be_in_several_groups() -> None:
    """The terms are independent, so each has it among its candidates."""
    shared = THREE_TERMS.replace("- member2", "- member1\n          - member2")
    workload = only(load(shared, members(), deployment("nginx", 2, cpu=1)))
    last = workload.groups[2].rules[0]
    assert isinstance(last, Candidates)
    assert last.names == ("member1", "member2")


def test_a_divided_workload_is_divided_in_every_group() -> None:
    """Candidates, room and weights are those of the group."""
    policy = yaml.safe_load(THREE_TERMS)
    policy["spec"]["placement"].update(dynamic())
    workload = only(fairlead.load(policy, members(), deployment("nginx", 2, cpu="500m")))
    assert kinds_of(workload) == [Candidates, Total, Weights]
    assert weights(workload) == {"unavailable": 20}
    found = [rule.weights for group in workload.groups for rule in group.rules if isinstance(rule, Weights)]
    assert found == [{"unavailable": 20}, {"member1": 20}, {"member2": 20}]


def test_a_bound_without_effect_in_any_group_is_named() -> None:
    """A bound on a cluster of another group waits for that group; one on a cluster of none is idle."""
    policy = yaml.safe_load(THREE_TERMS)
    terms = [
        {"targetCluster": {"clusterNames": [name]}, "maxReplicas": 1} for name in ("member1", "elsewhere")
    ]
    policy["spec"]["placement"].update(dynamic(clusterConstraintTerms=terms))
    others = [*members(), cluster("elsewhere", cpu=10)]
    (warning,) = texts(fairlead.load(policy, others, deployment("nginx", 2, cpu=1)), "bounds")
    assert "has no effect on elsewhere" in warning
    assert "member1" not in warning


# What the scheduler does with it, end to end.


def placed(problem: fairlead.Problem) -> tuple[dict[str, int], str | None]:
    """Solve a problem of one workload; return its placement and the group that was chosen."""
    outcome = fairlead.solve(problem)
    assert outcome.status is fairlead.Status.OPTIMAL
    assert outcome.placement is not None
    assert fairlead.check(outcome.problem, outcome.placement) == ()
    (workload,) = outcome.problem.workloads
    return dict(outcome.placement[workload.key]), workload.group


@pytest.mark.parametrize("shanghai", ["absent", "powered off"])
def test_the_next_term_where_none_of_the_first_is_feasible(shanghai: str) -> None:
    """No feasible cluster in dc-shanghai: the workload stands in dc-beijing, and nowhere else."""
    fleet = members()[1:] if shanghai == "absent" else members(unavailable=POWER_OFF)
    problem = load(THREE_TERMS, fleet, deployment("nginx", 2, cpu=1))
    assert placed(problem) == ({"member1": 2}, "dc-beijing")


def test_the_next_term_where_resources_are_lacking() -> None:
    """Use case 1: the main group has too little room (12 cores wanted, 10 there), the second one has."""
    fleet = [cluster("unavailable", cpu=10), cluster("member1", cpu=16), cluster("member2", cpu=16)]
    problem = load(THREE_TERMS, fleet, deployment("nginx", 12, cpu=1))
    assert placed(problem) == ({"member1": 12}, "dc-beijing")


def test_failover_to_the_following_term() -> None:
    """member1 fails while dc-beijing is observed: no alternative in that term, so dc-hongkong is next."""
    fleet = members(unavailable=POWER_OFF, member1=POWER_OFF)
    problem = load(THREE_TERMS, fleet, running("nginx", {"member1": 2}, "dc-beijing"))
    assert placed(problem) == ({"member2": 2}, "dc-hongkong")


def test_failover_looks_in_the_current_term_first() -> None:
    """With a second cluster in dc-beijing that one takes over; dc-hongkong is not looked at."""
    wider = THREE_TERMS.replace("- member1", "- member1\n          - member3")
    fleet = [*members(unavailable=POWER_OFF, member1=POWER_OFF), cluster("member3", cpu=10)]
    problem = load(wider, fleet, running("nginx", {"member1": 2}, "dc-beijing"))
    assert placed(problem) == ({"member3": 2}, "dc-beijing")


def test_no_way_back_to_an_earlier_term() -> None:
    """dc-shanghai is available again: what runs stays; asked afresh it starts from the first term."""
    problem = load(THREE_TERMS, members(), running("nginx", {"member1": 2}, "dc-beijing"))
    assert placed(problem) == ({"member1": 2}, "dc-beijing")
    asked = {
        "apiVersion": "apps.karmada.io/v1alpha1",
        "kind": "WorkloadRebalancer",
        "metadata": {"name": "again", "creationTimestamp": "2023-02-05T00:00:00Z"},
        "spec": {
            "workloads": [
                {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "default", "name": "nginx"}
            ]
        },
    }
    held = running("nginx", {"member1": 2}, "dc-beijing", lastScheduledTime="2023-02-04T09:38:20Z")
    assert placed(load(THREE_TERMS, members(), held, asked)) == ({"unavailable": 2}, "dc-shanghai")


def test_no_group_satisfies_the_restrictions() -> None:
    """Then scheduling fails, and no cluster is selected."""
    fleet = members(unavailable=POWER_OFF, member1=POWER_OFF, member2=POWER_OFF)
    outcome = fairlead.solve(load(THREE_TERMS, fleet, deployment("nginx", 2, cpu=1)))
    assert outcome.status is fairlead.Status.INFEASIBLE
    assert outcome.placement is None


def test_the_worked_example_of_the_documentation() -> None:
    """12 replicas of one core: Beijing, then Hong Kong, and back to a larger Shanghai only when asked."""
    policy = yaml.safe_load(THREE_TERMS)
    policy["spec"]["placement"].update(dynamic())
    beijing, hongkong = cluster("member1", cpu=16), cluster("member2", cpu=16)
    small, large = cluster("unavailable", cpu=10), cluster("unavailable", cpu=20)
    dark = cluster("member1", cpu=16, taints=[POWER_OFF])

    def after(fleet: list[Manifest], current: dict[str, int], observed: str, **spec: Any) -> Any:
        status = {"schedulerObservingAffinityName": observed, "lastScheduledTime": "2026-01-01T00:00:00Z"}
        held = binding("nginx", 12, current, cpu=1, status=status, **spec)
        return placed(fairlead.load(policy, fleet, held))

    assert after([small, beijing, hongkong], {}, "") == ({"member1": 12}, "dc-beijing")
    moved = after([small, dark, hongkong], {"member1": 12}, "dc-beijing")
    assert moved == ({"member2": 12}, "dc-hongkong")
    fleet = [large, beijing, cluster("member2", cpu=16, allocated={"cpu": 12})]
    assert after(fleet, {"member2": 12}, "dc-hongkong") == ({"member2": 12}, "dc-hongkong")
    asked = {"rescheduleTriggeredAt": "2026-01-02T00:00:00Z"}
    assert after(fleet, {"member2": 12}, "dc-hongkong", **asked) == ({"unavailable": 12}, "dc-shanghai")
