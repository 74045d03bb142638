"""Every example of KubeAdmiral's page on propagation policies, as it is printed there."""

from typing import Any

import pytest

import fairlead
from fairlead.manifests.loading import load
from fairlead.models.cluster import CPU
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Bounds,
    Candidates,
    Duplicated,
    Moves,
    Spread,
    Total,
    Weights,
)
from fairlead.solver.exact.alone import place_alone
from kubeadmiral_manifests import federated, member, members, policy_from, web
from loaded import candidates, closed, only, weights

METHODS: tuple[Any, ...] = ("auto", "cp-sat")

PLACEMENT = """
placement:
  - cluster: member1
  - cluster: member2
"""

CLUSTER_SELECTOR = """
clusterSelector:
  region: beijing
  az: zone1
"""

CLUSTER_AFFINITY = """
clusterAffinity:
  matchExpressions:
    - key: region
      operator: In
      values:
        - beijing
    - key: provider
      operator: In
      values:
        - volcengine
"""

TOLERATIONS = """
tolerations:
- effect: NoSchedule
  key: dedicated
  operator: Equal
  value: groupName
- effect: NoExecute
  key: special
  operator: Exists
"""

DUPLICATE = """
schedulingMode: Duplicate
placement:
  - cluster: member1
  - cluster: member2
    preferences:
      minReplicas: 3
      maxReplicas: 3
  - cluster: member3
    preferences:
      minReplicas: 1
      maxReplicas: 3
"""

DYNAMIC = """
schedulingMode: Divide
placement:
  - cluster: member1
  - cluster: member2
"""

STATIC = """
schedulingMode: Divide
placement:
  - cluster: member1
    preferences:
      weight: 40
  - cluster: member2
    preferences:
      weight: 60
"""

RESCHEDULING = """
reschedulePolicy:
  disableRescheduling: false
  rescheduleWhen:
    policyContentChanged: true
    clusterJoined: false
    clusterLabelsChanged: false
    clusterAPIResourcesChanged: false
  replicaRescheduling:
    avoidDisruption: true
"""


def placed(problem: Problem, method: Any = "auto") -> dict[str, int]:
    """Return the placement of the only workload, which has to be proven best."""
    outcome = fairlead.solve(problem, method=method)
    assert outcome.status is fairlead.Status.OPTIMAL
    assert outcome.placement is not None
    assert fairlead.check(problem, outcome.placement) == ()
    return dict(outcome.placement[only(problem).key])


def test_placement_takes_only_the_listed_clusters() -> None:
    """Of three equal clusters the third is in no entry of the list."""
    workload = only(load(members(3), policy_from(PLACEMENT), web()))
    assert candidates(workload).names == ("member1", "member2")
    assert closed(workload) == {"member3": "is not in the placement list"}


def test_cluster_selector_wants_every_label() -> None:
    """A cluster with one of the two labels is none."""
    clusters = [
        member("both", labels={"region": "beijing", "az": "zone1"}),
        member("region", labels={"region": "beijing"}),
        member("zone", labels={"az": "zone1"}),
    ]
    workload = only(load(clusters, policy_from(CLUSTER_SELECTOR), web()))
    assert candidates(workload).names == ("both",)
    reason = "did not match the cluster selector"
    assert closed(workload) == {"region": reason, "zone": reason}


def test_cluster_affinity_printed_as_one_term() -> None:
    """The object is a list of one term, in which everything has to hold."""
    clusters = [
        member("both", labels={"region": "beijing", "provider": "volcengine"}),
        member("region", labels={"region": "beijing", "provider": "other"}),
    ]
    problem = load(clusters, policy_from(CLUSTER_AFFINITY), web())
    assert candidates(only(problem)).names == ("both",)
    assert closed(only(problem)) == {"region": "did not match the cluster affinity"}
    assert problem.warnings == ()


def test_selector_and_affinity_intersect() -> None:
    """Both are declared: only the cluster that both match is open."""
    clusters = [
        member("all", labels={"region": "beijing", "az": "zone1", "provider": "volcengine"}),
        member("selected", labels={"region": "beijing", "az": "zone1"}),
        member("affine", labels={"region": "beijing", "provider": "volcengine"}),
    ]
    workload = only(load(clusters, policy_from(CLUSTER_SELECTOR + CLUSTER_AFFINITY), web()))
    assert candidates(workload).names == ("all",)


def test_no_selector_and_no_affinity_match_every_cluster() -> None:
    """An empty policy leaves all clusters open."""
    workload = only(load(members(3), policy_from("schedulingMode: Divide"), web()))
    assert candidates(workload).names == ("member1", "member2", "member3")


def test_tolerations_open_tainted_clusters() -> None:
    """By value for NoSchedule, whatever the value for NoExecute; each only with its own effect."""
    clusters = [
        member("dedicated", taints=["dedicated=groupName:NoSchedule"]),
        member("other", taints=["dedicated=another:NoSchedule"]),
        member("special", taints=["special=whatever:NoExecute"]),
        member("effect", taints=["special:NoSchedule"]),
    ]
    workload = only(load(clusters, policy_from(TOLERATIONS), web()))
    assert candidates(workload).names == ("dedicated", "special")
    assert closed(workload) == {
        "effect": "had untolerated taint {special}",
        "other": "had untolerated taint {dedicated: another}",
    }
    intolerant = only(load(clusters, policy_from("schedulingMode: Divide"), web()))
    assert candidates(intolerant).names == ()


@pytest.mark.parametrize("method", METHODS)
def test_max_clusters_of_one_takes_the_best(method: Any) -> None:
    """Of 8, 12 and 9 free cores only the 12 hold ten replicas of a core each."""
    clusters = [member("a", "8"), member("b", "12"), member("c", "9")]
    problem = load(clusters, policy_from("schedulingMode: Divide\nmaxClusters: 1"), web(10))
    spread = only(problem).rule(Spread)
    assert spread is not None
    assert (spread.field, dict(spread.groups), spread.minimum, spread.maximum) == (
        "cluster",
        {name: frozenset([name]) for name in "abc"},
        0,
        1,
    )
    assert placed(problem, method) == {"b": 10}


@pytest.mark.parametrize(
    ("replicas", "expected"),
    [
        (1, {"member1": 1, "member2": 3, "member3": 1}),
        (2, {"member1": 2, "member2": 3, "member3": 2}),
        (5, {"member1": 5, "member2": 3, "member3": 3}),
    ],
)
@pytest.mark.parametrize("method", METHODS)
def test_duplicate(replicas: int, expected: dict[str, int], method: Any) -> None:
    """member1 has the template's number, member2 always 3, member3 that number between 1 and 3."""
    problem = load(members(4), policy_from(DUPLICATE), web(replicas))
    copies = only(problem).rule(Duplicated)
    assert copies is not None
    assert not copies.choice
    differing = {name: size for name, size in expected.items() if size != replicas}
    assert dict(copies.copies) == differing
    assert placed(problem, method) == expected


@pytest.mark.parametrize("method", METHODS)
def test_dynamic_weights_follow_what_is_free(method: Any) -> None:
    """6 and 4 free cores take 3 and 2 of 5 replicas of a core each, exactly in the ratio of their room."""
    clusters = [member("member1", "6"), member("member2", "4")]
    problem = load(clusters, policy_from(DYNAMIC), web(5))
    assert weights(only(problem)) == {"member1": 6, "member2": 4}
    dynamic = only(problem).rule(Weights)
    assert dynamic is not None
    assert dynamic.dynamic
    assert placed(problem, method) == {"member1": 3, "member2": 2}


@pytest.mark.parametrize("method", METHODS)
def test_static_weights(method: Any) -> None:
    """40:60 of 10 replicas are 4 and 6, although the clusters have equal room."""
    problem = load(members(2), policy_from(STATIC), web(10))
    assert [type(rule) for rule in only(problem).rules] == [Candidates, Total, Weights]
    assert weights(only(problem)) == {"member1": 40, "member2": 60}
    assert placed(problem, method) == {"member1": 4, "member2": 6}


@pytest.mark.parametrize(("weight", "other"), [(3, 2), (30, 20)])
@pytest.mark.parametrize("method", METHODS)
def test_three_to_two_of_five(weight: int, other: int, method: Any) -> None:
    """30 % and 20 % are 3:2, so 5 replicas are 3 and 2."""
    spec = STATIC.replace("40", str(weight)).replace("60", str(other))
    assert placed(load(members(2), policy_from(spec), web(5)), method) == {"member1": 3, "member2": 2}


@pytest.mark.parametrize("weight", [1, 100])
def test_equal_weights_are_halves(weight: int) -> None:
    """Two weights of 1, or of 100, are 50 % each."""
    spec = STATIC.replace("40", str(weight)).replace("60", str(weight))
    assert placed(load(members(2), policy_from(spec), web(6))) == {"member1": 3, "member2": 3}


@pytest.mark.parametrize("printed", ["", RESCHEDULING])
@pytest.mark.parametrize("method", METHODS)
def test_default_avoids_disruption(printed: str, method: Any) -> None:
    """8 and 2 run where 5 and 5 are wanted: nothing moves, with the printed default and without it."""
    spec = STATIC.replace("40", "1").replace("60", "1") + printed
    problem = load(members(2), policy_from(spec), federated(web(10), {"member1": 8, "member2": 2}))
    moves = only(problem).rule(Moves)
    assert moves is not None
    assert moves.keep
    assert placed(problem, method) == {"member1": 8, "member2": 2}


@pytest.mark.parametrize("method", METHODS)
def test_disruption_allowed(method: Any) -> None:
    """With avoidDisruption false the same workload is divided anew: 5 and 5."""
    spec = STATIC.replace("40", "1").replace("60", "1") + RESCHEDULING.replace(
        "avoidDisruption: true", "avoidDisruption: false"
    )
    problem = load(members(2), policy_from(spec), federated(web(10), {"member1": 8, "member2": 2}))
    assert placed(problem, method) == {"member1": 5, "member2": 5}


@pytest.mark.parametrize("method", METHODS)
def test_disabled_rescheduling_keeps_what_runs(method: Any) -> None:
    """10 are wanted in the ratio 1:1, 5 and 2 run: nothing changes, and that is said."""
    spec = STATIC + RESCHEDULING.replace("disableRescheduling: false", "disableRescheduling: true")
    problem = load(members(3), policy_from(spec), federated(web(10), {"member1": 5, "member2": 2}))
    assert [type(rule) for rule in only(problem).rules] == [Candidates, Bounds]
    assert [warning.text for warning in problem.warnings] == [
        "default/web: 7 replicas run and 10 are requested, but policy default/web disables rescheduling"
    ]
    assert placed(problem, method) == {"member1": 5, "member2": 2}
    greedy = fairlead.dispense(problem, like="reference")
    assert dict(greedy.require_placement()["default/web"]) == {"member1": 5, "member2": 2}
    assert greedy.violations == ()


def test_disabled_rescheduling_does_not_fit_where_others_have_the_room() -> None:
    """Of 5 on member1, with 4 cpu left of the 5, the greedy dispenser places nothing, as no part is right."""
    spec = STATIC + RESCHEDULING.replace("disableRescheduling: false", "disableRescheduling: true")
    problem = load(members(3), policy_from(spec), federated(web(10), {"member1": 5, "member2": 2}))
    (workload,) = problem.workloads
    for cpu, found in ((4000, None), (5000, {"member1": 5, "member2": 2})):
        assert place_alone(workload, problem, {(name, CPU): cpu for name in problem.cluster_by_name}) == found


def test_disabled_rescheduling_lets_the_first_placement_happen() -> None:
    """Nothing runs yet, so it is an ordinary placement."""
    spec = STATIC + RESCHEDULING.replace("disableRescheduling: false", "disableRescheduling: true")
    assert placed(load(members(2), policy_from(spec), web(10))) == {"member1": 4, "member2": 6}
