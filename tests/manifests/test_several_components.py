"""Workloads of several components stand as whole sets; those of one are workloads like any other."""

from typing import Any

import pytest

import fairlead
from builders import Manifest, binding, cluster, dynamic, policy, selector, static
from fairlead.manifests.loading import load
from fairlead.models.cluster import PODS
from fairlead.models.problem import Problem
from fairlead.models.rules import Duplicated
from loaded import only, texts

FLINK = "flink.apache.org/v1beta1"
JOBS: Manifest = {
    "name": "jobmanager",
    "replicas": 1,
    "replicaRequirements": {"resourceRequest": {"cpu": "1", "memory": "2Gi"}},
}
TASKS: Manifest = {
    "name": "taskmanager",
    "replicas": 2,
    "replicaRequirements": {"resourceRequest": {"cpu": "2", "memory": "4Gi"}},
}
ONE_CLUSTER = {"spreadConstraints": [{"spreadByField": "cluster", "minGroups": 1, "maxGroups": 1}]}
AGGREGATED = {
    "replicaScheduling": {"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Aggregated"}
}


def flink(placement: Manifest, *targets: Manifest, **spec: Any) -> Manifest:
    """Return the binding of a Flink job: five cores, ten gibibytes and three pods a set."""
    found = binding("flink", 3, None, placement, kind="FlinkDeployment", api_version=FLINK, cpu=2)
    filled = {"components": [JOBS, TASKS], "clusters": list(targets), **spec}
    return found | {"spec": {**found["spec"], **filled}}


def members(*cpu: int, **more: Any) -> list[Manifest]:
    """Return clusters member1, member2, ... with so many cores, that serve every kind."""
    return [
        cluster(f"member{number}", each, memory="100Gi", pods=100, **{"kinds": None, **more})
        for number, each in enumerate(cpu, start=1)
    ]


def stands(problem: Problem) -> dict[str, int]:
    """Return where the only workload stands."""
    outcome = fairlead.solve(problem)
    assert outcome.placement is not None
    return dict(outcome.placement[only(problem).key])


def test_a_set_requests_what_its_pods_request_together() -> None:
    """One jobmanager and two taskmanagers: 1 + 2 x 2 cores, 2 + 2 x 4 gibibytes, 3 pods; it shows 1."""
    workload = only(load(members(9), flink(ONE_CLUSTER | AGGREGATED)))
    assert workload.replicas == 1
    assert workload.requests == {"cpu": 5000, "memory": 10 * 2**30, PODS: 3}
    assert workload.rule(Duplicated) is not None


@pytest.mark.parametrize(
    ("cores", "expected"),
    [
        # Four cores hold no set of five; twelve hold two of them, six hold one.
        ((4, 6, 12), {"member3": 1}),
        # Equal rooms in sets (one each, whatever is left over): the first by name.
        ((9, 6), {"member1": 1}),
    ],
)
def test_one_cluster_holds_the_set(cores: tuple[int, ...], expected: dict[str, int]) -> None:
    """The one with the most room in sets."""
    assert stands(load(members(*cores), flink(ONE_CLUSTER | AGGREGATED))) == expected


def test_a_running_set_stays() -> None:
    """Whatever number stands in the binding, a listed cluster holds a set, and moves come before room."""
    held = {"name": "member1", "components": [{"name": "jobmanager", "replicas": 1}]}
    problem = load(members(9, 90), flink(ONE_CLUSTER | AGGREGATED, held))
    assert only(problem).current == {"member1": 1}


def test_without_that_constraint_every_candidate_gets_a_copy() -> None:
    """A set is not divided, whatever the strategy says."""
    problem = load(members(9, 90), flink(AGGREGATED))
    assert stands(problem) == {"member1": 1, "member2": 1}


def test_pods_count_by_replicas() -> None:
    """Two free pods are too few for a set of three."""
    few = [cluster("member1", 90, memory="100Gi", pods=2, kinds=None)]
    outcome = fairlead.solve(load(few, members(9)[0] | {"metadata": {"name": "other"}}, flink(ONE_CLUSTER)))
    assert outcome.placement is not None
    assert dict(outcome.placement["default/flink"]) == {"other": 1}


def test_quotas_count_the_sum() -> None:
    """A namespace that may request four cores has no room for a set of five."""
    quota = {
        "apiVersion": "policy.karmada.io/v1alpha1",
        "kind": "FederatedResourceQuota",
        "metadata": {"name": "q", "namespace": "default"},
        "spec": {"overall": {"cpu": "4"}},
    }
    outcome = fairlead.solve(load(members(9), flink(ONE_CLUSTER), quota))
    assert str(outcome.status) == "Infeasible"


def test_sets_are_written_back_as_components() -> None:
    """The pods of every component stand at the cluster; the number of all is left to the detector."""
    outcome = fairlead.solve(load(members(9), flink(ONE_CLUSTER | AGGREGATED)))
    (document,) = outcome.to_manifests()
    assert document["metadata"]["name"] == "flink-flinkdeployment"
    assert document["spec"]["clusters"] == [
        {
            "name": "member1",
            "components": [{"name": "jobmanager", "replicas": 1}, {"name": "taskmanager", "replicas": 2}],
        }
    ]
    assert "replicas" not in document["spec"]


def test_a_single_component_is_an_ordinary_workload() -> None:
    """Replicas and requests come from the component where the binding states none itself."""
    task = {"name": "task", "replicas": 3, "replicaRequirements": {"resourceRequest": {"cpu": "1"}}}
    volcano = binding("job", None, None, dynamic(), kind="Job", api_version="batch.volcano.sh/v1alpha1")
    target = {"name": "member1", "components": [{"name": "task", "replicas": 2}]}
    volcano["spec"] |= {"components": [task], "clusters": [target]}
    problem = load(members(9, 9), volcano)
    workload = only(problem)
    assert (workload.replicas, dict(workload.requests), dict(workload.current)) == (
        3,
        {"cpu": 1000},
        {"member1": 2},
    )
    (document,) = fairlead.solve(problem).to_manifests()
    # As Karmada's scheduler tells it: as a number, where there is nothing to tell apart.
    assert all(set(one) == {"name", "replicas"} for one in document["spec"]["clusters"])


def test_numbers_of_replicas_have_no_effect_on_sets() -> None:
    """A set and an ordinary workload of one policy: weights divide the one, and are named for the other."""
    both = [selector(), selector(kind="FlinkDeployment", api_version=FLINK)]
    weights = policy("p", static(("member1", 1), minReplicas=2), selects=both)
    problem = load(members(9, 9), flink({}), binding("web", 4), weights)
    outcome = fairlead.solve(problem)
    assert outcome.placement is not None
    assert dict(outcome.placement["default/flink"]) == {"member1": 1, "member2": 1}
    assert dict(outcome.placement["default/web"]) == {"member1": 4}
    said = texts(problem, "components")
    assert [one.split(" has no effect")[0].rpartition(".")[2] for one in sorted(said)] == [
        "clusterConstraint",
        "staticWeightList",
    ]


@pytest.mark.parametrize(
    ("allocated", "pods", "stays"),
    [
        # Of 20 cores the running set has 1 + 2 x 2 = 5, others 8: with five taskmanagers it takes 11 of 12.
        (13, 5, True),
        # With six it takes 13. It used to count as running like that, and others as having nothing.
        (13, 6, False),
        # The status lags behind, and does not know of the set: ten taskmanagers take 21 of 20 cores.
        (0, 10, False),
        # A smaller one always stays.
        (20, 1, True),
    ],
)
def test_a_running_set_takes_what_its_pods_take(allocated: int, pods: int, stays: bool) -> None:
    """A set whose components were scaled runs with the pods that its binding tells, until it is placed."""
    parts = [{"name": "jobmanager", "replicas": 1}, {"name": "taskmanager", "replicas": 2}]
    runs = {"name": "member1", "components": parts}
    scaled = flink(ONE_CLUSTER, runs, components=[JOBS, {**TASKS, "replicas": pods}])
    member = cluster("member1", 20, memory="100Gi", kinds=None, allocated={"cpu": allocated})
    problem = load([member, scaled])
    placement = fairlead.solve(problem, partial=True).placement
    assert placement is not None
    assert placement.to_dict() == {"default/flink": {"member1": 1} if stays else {}}


def test_a_set_that_was_scaled_is_written_anew_where_it_stays() -> None:
    """Two taskmanagers run and three are wanted; nothing moves, and the binding has to say three."""

    def on_member1(tasks: int) -> Manifest:
        parts = [{"name": "jobmanager", "replicas": 1}, {"name": "taskmanager", "replicas": tasks}]
        return {"name": "member1", "components": parts}

    def patches(tasks: int) -> list[Any]:
        wanted = [JOBS, {**TASKS, "replicas": 3}]
        problem = load([*members(20), flink(ONE_CLUSTER, on_member1(tasks), components=wanted)])
        return [one["spec"]["clusters"] for one in fairlead.solve(problem).to_manifests()]

    assert patches(2) == [[on_member1(3)]]
    assert patches(3) == []


def test_sets_are_not_multiplied() -> None:
    """Karmada has no number of sets: two of them, both on one cluster, could not be written back."""
    scaler = {
        "apiVersion": "autoscaling.karmada.io/v1alpha1",
        "kind": "FederatedHPA",
        "metadata": {"name": "flink"},
        "spec": {
            "scaleTargetRef": {"apiVersion": FLINK, "kind": "FlinkDeployment", "name": "flink"},
            "minReplicas": 1,
            "maxReplicas": 3,
        },
    }
    problem = load([*members(12, 6), flink(ONE_CLUSTER, {"name": "member2"}), scaler])
    with pytest.raises(fairlead.UsageError, match="one set of several components, which is not multiplied"):
        fairlead.simulate(problem, fairlead.Scale("flink", 2))
    gone = fairlead.simulate(problem, fairlead.Scale("flink", 0)).after.placement
    assert gone is not None
    assert gone.to_dict() == {"default/flink": {}}
    # The autoscaler is told to have no effect, and has none.
    (told,) = texts(problem, "autoscaler")
    assert "FederatedHPA default/flink has no effect here" in told
    with pytest.raises(fairlead.UsageError, match="no workload has an autoscaler"):
        fairlead.simulate(problem, fairlead.At("max"))


def test_the_scheduler_of_karmada_places_sets() -> None:
    """As the solver: one whole set where there is room for it."""
    problem = load(members(4, 12, kinds=[f"{FLINK} FlinkDeployment"]), flink(ONE_CLUSTER))
    outcome = fairlead.dispense(problem, like="karmada")
    assert outcome.placement is not None
    assert dict(outcome.placement["default/flink"]) == {"member2": 1}
