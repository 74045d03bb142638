"""What a placement means: candidates, totals, bounds, weights and moves, resolved against the clusters."""

from typing import Any

import pytest

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
    static,
    term,
)
from fairlead.manifests.loading import load
from fairlead.models.rules import Bounds, Candidates, Duplicated, Moves, Total, Weights
from fairlead.models.rules.bounds import Bound
from fairlead.models.source import Source
from loaded import bounds, candidates, closed, held, kinds_of, load_text, only, placed, texts, weights

NO_AFFINITY = "did not match the placement cluster affinity constraint"
NO_WEIGHT = "matched no static weight"
UNKNOWN = "has unknown capacity, so it cannot be weighed by available replicas"


@pytest.mark.parametrize("placement", [{}, duplicated(), {"clusterAffinity": {}}])
def test_duplicated_is_what_happens_without_replica_scheduling(placement: Manifest) -> None:
    """Every candidate gets all replicas; nothing is weighed or moved."""
    assert kinds_of(placed(clusters(2), placement, {"member1": 3})) == [Candidates, Duplicated]


def test_divided_is_the_default_of_replica_scheduling() -> None:
    """As the CRD fills it in; without weights all weigh the same."""
    workload = placed(clusters(2), {"replicaScheduling": {}})
    assert kinds_of(workload) == [Candidates, Total, Weights]
    assert weights(workload) == {"member1": 1, "member2": 1}


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        # The largest of the matching weights counts, whatever their order.
        ([("a", 1), (["a", "b"], 3), ("a", 2)], {"a": 3, "b": 3}),
        ([({}, 1), ("b", 5)], {"a": 1, "b": 5, "c": 1}),
        # Nothing matches any candidate, or nothing is there to match: all weigh 1.
        ([("nowhere", 4)], {"a": 1, "b": 1, "c": 1}),
        ([], {"a": 1, "b": 1, "c": 1}),
        ([("a", 0)], {"a": 1, "b": 1, "c": 1}),
        # A cluster without weight, or of weight 0, is no candidate.
        ([("a", 2), ("b", 0)], {"a": 2}),
    ],
)
def test_static_weights(terms: list[Any], expected: dict[str, int]) -> None:
    """Karmada's reading of staticWeightList."""
    workload = placed([cluster(name) for name in "abc"], static(*terms))
    assert weights(workload) == expected
    assert candidates(workload).names == tuple(expected)


def test_a_cluster_without_static_weight_is_no_candidate() -> None:
    """Nor does it keep what it holds; the reason tells no weight from weight 0."""
    workload = placed([cluster(name) for name in "abc"], static(("a", 2), ("b", 0)), {"c": 4})
    assert closed(workload) == {"b": "has static weight 0", "c": NO_WEIGHT}


def test_static_weights_of_closed_clusters_do_not_count() -> None:
    """The only weighed cluster is closed, so all others weigh the same."""
    workload = placed([cluster("a", taints=["x:NoSchedule"]), *clusters(2)], static(("a", 5)))
    assert weights(workload) == {"member1": 1, "member2": 1}


@pytest.mark.parametrize(
    ("terms", "told"),
    [
        ([("a", 5)], True),
        ([("a", 5), ("member1", 0)], True),
        ([("a", 5), ("member1", 1)], False),
        ([], False),
    ],
)
def test_static_weights_without_effect_are_told(terms: list[Any], told: bool) -> None:
    """As in Karmada all is divided equally then, on clusters of weight 0 too, which nobody expects."""
    fleet = [cluster("a", taints=["x:NoSchedule"]), *clusters(2)]
    problem = load([*fleet, deployment("web", 2), policy("web", static(*terms))])
    text = (
        "policy default/web: no eligible cluster has a static weight above 0, so all of them weigh the same"
    )
    assert [one.partition(" (")[0] for one in texts(problem, "weights")].count(text) == told


def test_static_weights_that_karmada_refuses_are_told() -> None:
    """Its API server asks for at least 1; here a 0 gives a cluster nothing, and the rest is placed."""
    weighed = static(("a", 1), ("b", 0), ("c", 0))
    copy = binding("web", 2, {}, weighed)
    for declaring, name in (
        (policy("web", weighed), "policy default/web"),
        (copy, "binding default/web-deployment"),
    ):
        problem = load([cluster(name) for name in "abc"], deployment("web", 2), declaring)
        (told,) = texts(problem, "weights")
        assert told.startswith(
            f"{name}: spec.placement.replicaScheduling.weightPreference.staticWeightList[1].weight is 0, "
            "as 1 more weight of the list; Karmada's API server refuses less than 1"
        )
        assert weights(problem.workloads[0]) == {"a": 1}


def test_dynamic_weights_win_over_static_ones() -> None:
    """As in Karmada, where both are given."""
    both = divided(
        {"dynamicWeight": "AvailableReplicas", "staticWeightList": [{"targetCluster": {}, "weight": 1}]}
    )
    assert weights(placed([cluster("a", cpu=7)], both)) == {"a": 7}


def test_dynamic_weights_are_the_room_of_the_clusters() -> None:
    """Free cores plus what runs there, one core each."""
    members = [cluster("a", cpu=7), cluster("b", cpu=4, allocated={"cpu": 4}), cluster("c", cpu=9, pods=5)]
    # b is full, but 3 of its cores are taken by this workload; c runs out of pods first.
    workload = placed(members, dynamic(), {"b": 3})
    assert weights(workload) == {"a": 7, "b": 3, "c": 5}
    rule = workload.rule(Weights)
    assert rule is not None
    assert rule.dynamic
    assert weights(placed(members, dynamic())) == {"a": 7, "b": 0, "c": 5}


def test_a_cluster_of_unknown_room_cannot_be_weighed() -> None:
    """It keeps what it holds; without that it is no candidate."""
    members = [cluster("a", cpu=7), cluster("b"), cluster("c")]
    workload = placed(members, dynamic(), {"b": 3})
    assert weights(workload) == {"a": 7, "b": 0}
    assert held(workload) == {"b": UNKNOWN}
    assert closed(workload) == {"c": UNKNOWN}


def test_workloads_with_equal_requests_share_rooms_but_not_what_they_hold() -> None:
    """Room is computed once for equal requests; held replicas come on top for their owner alone."""
    members = [cluster("a", cpu=6, allocated={"cpu": 2}), cluster("b", cpu=8)]
    rules = dynamic()
    problem = load(
        members,
        binding("x", 5, {}, rules, cpu=1),
        binding("y", 5, {"a": 2}, rules, cpu=1),
        binding("z", 5, {}, rules, cpu=2),
        binding("zz", 5, {}, rules, cpu=1),
    )
    assert [weights(one) for one in problem.workloads] == [
        {"a": 4, "b": 8},
        {"a": 6, "b": 8},
        {"a": 2, "b": 4},
        {"a": 4, "b": 8},
    ]


def test_room_is_never_more_than_what_the_others_leave() -> None:
    """Of 4 cores y holds 2, which the cluster does not tell yet: 2 are left for x, 4 in all for y itself."""
    members = [cluster("a", cpu=4)]
    problem = load(
        members, binding("x", 5, {}, dynamic(), cpu=1), binding("y", 5, {"a": 2}, dynamic(), cpu=1)
    )
    assert [weights(one) for one in problem.workloads] == [{"a": 2}, {"a": 4}]


def test_moves_count_where_something_runs() -> None:
    """Only for divided workloads, and only on clusters of the input; dynamic weights keep what runs."""
    for placement, keep in ((static(), False), (dynamic(), True)):
        workload = placed([cluster("a", cpu=9), cluster("b", cpu=9)], placement, {"a": 1, "gone": 2})
        assert workload.rule(Moves) == Moves(frozenset("ab"), keep)
        assert placed([cluster("a", cpu=9)], placement, {"gone": 2}).rule(Moves) is None


@pytest.mark.parametrize(
    ("constraint", "low", "high"),
    [
        ({"minReplicas": 1, "maxReplicas": 9}, {"a": 1, "b": 1, "c": 1}, {"a": 9, "b": 9, "c": 9}),
        # A term wins over the global value, and leaves to it what it does not state.
        (
            {
                "minReplicas": 1,
                "maxReplicas": 9,
                "clusterConstraintTerms": [term("a", 3), term("b", None, 4)],
            },
            {"a": 3, "b": 1, "c": 1},
            {"a": 9, "b": 4, "c": 9},
        ),
        ({"minReplicas": 2, "clusterConstraintTerms": [term("a", 0)]}, {"a": 0, "b": 2, "c": 2}, {}),
        # Of several terms the smallest minimum and the smallest maximum.
        (
            {"clusterConstraintTerms": [term(["a", "b"], 3, 8), term("a", 2, 9), term("a", 5, 7)]},
            {"a": 2, "b": 3},
            {"a": 7, "b": 8},
        ),
        ({"clusterConstraintTerms": [term({"labelSelector": {"matchLabels": {"t": "x"}}}, 1)]}, {"c": 1}, {}),
    ],
)
@pytest.mark.parametrize("spelling", ["static", "dynamic", "duplicated"])
def test_bounds(constraint: Manifest, low: dict[str, int], high: dict[str, int], spelling: str) -> None:
    """The min/max proposal, the same however replicas are assigned."""
    members = [cluster("a", cpu=9), cluster("b", cpu=9), cluster("c", cpu=9, labels={"t": "x"})]
    placement = dynamic(**constraint) if spelling == "dynamic" else static(**constraint)
    if spelling == "duplicated":
        placement["replicaScheduling"]["replicaSchedulingType"] = "Duplicated"
    assert bounds(placed(members, placement)) == (low, high)


def test_no_bounds_no_rule() -> None:
    """A constraint that says nothing is none."""
    assert placed(clusters(1), static(clusterConstraintTerms=[term("member1")])).rule(Bounds) is None


def test_bounds_without_effect_are_named() -> None:
    """On a cluster that is no candidate, or not there at all."""
    members = [cluster("a"), cluster("b", taints=["x:NoExecute"])]
    terms = [term(["a", "b"], 1), term("nowhere", 2)]
    problem = load(members, deployment(), policy("p", static(clusterConstraintTerms=terms)))
    assert bounds(only(problem)) == ({"a": 1}, {})
    told = "policy default/p: the bound has no effect on"
    assert texts(problem, "bounds") == [
        f"{told} b (had untolerated taint {{x}}): not eligible (<dict>)",
        f"{told} nowhere: not in the input (<dict>)",
    ]


POLICY = """\
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: p}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  placement:
    clusterAffinity:
      exclude: [c]
    replicaScheduling:
      replicaSchedulingType: Divided
      weightPreference:
        staticWeightList:
        - targetCluster: {clusterNames: [a, b]}
          weight: 2
        clusterConstraint:
          maxReplicas: 9
          clusterConstraintTerms:
          - targetCluster: {clusterNames: [a]}
            minReplicas: 1
            maxReplicas: 4
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: one}
spec:
  replicas: 5
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: two}
spec: {}
---
{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: a}}
---
{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: b}}
---
{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: c}}
---
{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: d}}
"""


def at(line: int) -> Source:
    """Return a line of the text above."""
    return Source("<stream>", line)


def test_every_rule_knows_its_line() -> None:
    """The line of the value itself where there is one, else of what it would stand in."""
    one, two = load_text(POLICY).workloads
    bound = one.rule(Bounds)
    assert bound is not None
    assert bound.minimum["a"] == Bound(1, at(19))
    assert bound.maximum == {"a": Bound(4, at(20)), "b": Bound(9, at(16))}
    reasons = candidates(one).excluded
    assert (reasons["c"].source, reasons["d"].source) == (at(7), at(12))
    assert one.rules[-1] == Weights({"a": 2, "b": 2}, source=at(12))
    assert (one.rule(Total), two.rule(Total)) == (Total(at(26)), Total(at(31)))


def test_one_policy_is_interpreted_once() -> None:
    """Two workloads of one policy share candidates, bounds and weights."""
    one, two = load_text(POLICY).workloads
    assert one.rule(Candidates) is two.rule(Candidates)
    assert one.rule(Bounds) is two.rule(Bounds)
    first, second = one.rule(Weights), two.rule(Weights)
    assert first is not None
    assert second is not None
    assert first.weights is second.weights


def test_equal_copies_share_numbers_and_keep_their_own_lines() -> None:
    """Every binding names its own copy of the placement, and what it holds itself."""
    placement = static(("a", 2), minReplicas=1)
    copies = [
        binding(name, 4, held_now, placement) for name, held_now in (("x", {}), ("y", {"b": 1}), ("z", {}))
    ]
    text = "\n---\n".join(map(str, [cluster("a"), cluster("b", taints=["t:NoSchedule"]), *copies]))
    x, y, z = load_text(text).workloads
    # One document and one separator a line: the bindings stand in lines 5, 7 and 9.
    for workload, line in ((x, 5), (y, 7), (z, 9)):
        bound = workload.rule(Bounds)
        assert bound is not None
        assert bound.minimum == {"a": Bound(1, at(line))}
        assert candidates(workload).names == ("a",)
    first, last = x.rule(Weights), z.rule(Weights)
    assert first is not None
    assert last is not None
    assert first.weights is last.weights
    assert closed(x) == {"b": "had untolerated taint {t}"}
    # y holds replicas on b and may keep them, but b has no static weight.
    assert closed(y) == {"b": NO_WEIGHT}


def test_different_placements_do_not_mix() -> None:
    """Whatever differs (affinity, tolerations, weights, kind) makes another set of candidates."""
    members = [cluster("a", kinds=["apps/v1 Deployment"]), cluster("b", taints=["t:NoSchedule"], kinds=None)]
    tolerant = {"clusterTolerations": [{"operator": "Exists"}]}
    problem = load(
        members,
        binding("1", 1, {}, static()),
        binding("2", 1, {}, {**static(), **tolerant}),
        binding("3", 1, {}, {**static(), **tolerant}, kind="StatefulSet"),
        binding("4", 1, {}, {**static(("b", 3)), **tolerant}),
        binding("5", 1, {}, {**duplicated(), **tolerant}),
        binding("6", 1, {}, {**static(), **tolerant, "clusterAffinity": {"exclude": ["b"]}}),
    )
    names = {one.name: "".join(candidates(one).names) for one in problem.workloads}
    assert names == {"1": "a", "2": "ab", "3": "b", "4": "b", "5": "ab", "6": "a"}
