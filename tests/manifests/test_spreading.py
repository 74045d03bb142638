"""Spread constraints: groups of candidates, clusters that are in none, and what else they change."""

from typing import Any

import pytest

import fairlead
from builders import Manifest, cluster, clusters, deployment, duplicated, dynamic, policy, static
from fairlead.models.rules import Bounds, Candidates, Copies, Duplicated, Moves, Spread, Total, Weights
from fairlead.models.workload import Workload
from loaded import candidates, closed, held, kinds_of, load_text, only, placed, weights

FLEET = [
    cluster("a", cpu=4, provider="p", region="r1", zones=["z1", "z2"], labels={"rack": "1", "zone": "x"}),
    cluster("b", cpu=4, provider="p", region="r2", zones=["z2"], labels={"rack": "1"}),
    cluster("c", cpu=4, provider="q", region="r2", zones=["z3"], labels={"rack": "2", "zone": "y"}),
]


def spread(*constraints: Manifest) -> Manifest:
    """Return the spread constraints of a placement."""
    return {"spreadConstraints": list(constraints)}


def by(field: str, least: int = 0, most: int = 0) -> Manifest:
    """Return a constraint by field."""
    return {"spreadByField": field, "minGroups": least, "maxGroups": most}


def spreads(workload: Workload) -> list[tuple[str, dict[str, str], int, int | None]]:
    """Return field, groups, minimum and maximum of every spread rule; clusters have names of one letter."""
    rules = [rule for rule in workload.rules if isinstance(rule, Spread)]
    return [
        (rule.field, {name: "".join(sorted(inside)) for name, inside in rule.groups.items()}, *bounds)
        for rule in rules
        for bounds in [(rule.minimum, rule.maximum)]
    ]


@pytest.mark.parametrize(
    ("constraint", "field", "groups"),
    [
        (by("cluster"), "cluster", {"a": "a", "b": "b", "c": "c"}),
        # Neither a field nor a label is a constraint by cluster, as Karmada's webhook fills it in.
        ({"minGroups": 1}, "cluster", {"a": "a", "b": "b", "c": "c"}),
        (by("region"), "region", {"r1": "a", "r2": "bc"}),
        (by("provider"), "provider", {"p": "ab", "q": "c"}),
        # A cluster that lies in several zones counts for each of them.
        (by("zone"), "zone", {"z1": "a", "z2": "ab", "z3": "c"}),
        ({"spreadByLabel": "rack"}, "rack", {"1": "ab", "2": "c"}),
    ],
)
@pytest.mark.parametrize("division", [static(), dynamic(), duplicated()])
def test_groups_of_candidates(
    constraint: Manifest, field: str, groups: dict[str, str], division: Manifest
) -> None:
    """The same groups however replicas are assigned; Karmada ignores some of them, here they all hold."""
    assert spreads(placed(FLEET, {**division, **spread(constraint)})) == [(field, groups, 1, None)]


def test_a_label_may_be_called_like_a_field() -> None:
    """A label `zone` is not the zone of the cluster, nor is what it groups by."""
    workload = placed(FLEET, {**static(), **spread({"spreadByLabel": "zone"})})
    assert spreads(workload) == [("labels[zone]", {"x": "a", "y": "c"}, 1, None)]
    assert closed(workload) == {"b": "did not have label zone"}


def test_a_label_called_like_a_field_groups_what_is_opened_as_well() -> None:
    """Two clusters of one label `region`, in regions of their own: no toleration makes two groups of them."""
    fleet = [
        cluster("a", region="r1", labels={"region": "north"}),
        cluster("b", region="r2", labels={"region": "north"}, taints=["k:NoSchedule"]),
    ]
    two = {**static(), **spread({"spreadByLabel": "region", "minGroups": 2})}
    problem = fairlead.load([*fleet, deployment("web", 2), policy("web", two)])
    conflict = fairlead.solve(problem).conflict
    assert conflict is not None
    assert [rule.text for rule in conflict.rules] == [
        "policy default/web: replicas in at least 2 values of label region; only north has eligible clusters"
    ]
    assert [way.text for way in conflict.relaxations] == ["require 1 value of label region instead of 2"]


@pytest.mark.parametrize(
    ("least", "most", "expected"), [(0, 0, (1, None)), (2, 0, (2, None)), (2, 3, (2, 3)), (0, 3, (1, 3))]
)
def test_numbers_of_groups(least: int, most: int, expected: tuple[int, int | None]) -> None:
    """A minimum that is left out is 1; a maximum that is left out, or 0, is no limit."""
    ((_, _, *found),) = spreads(placed(FLEET, {**static(), **spread(by("cluster", least, most))}))
    assert tuple(found) == expected
    bare = {key: value for key, value in by("cluster", least, most).items() if value}
    assert spreads(placed(FLEET, {**static(), **spread(bare)}))[0][2:] == expected


def test_several_constraints_hold_at_once() -> None:
    """One rule each, in declared order."""
    workload = placed(
        FLEET, {**static(), **spread(by("region", 2), by("cluster", 2, 3), {"spreadByLabel": "rack"})}
    )
    assert [(field, least, most) for field, _, least, most in spreads(workload)] == [
        ("region", 2, None),
        ("cluster", 2, 3),
        ("rack", 1, None),
    ]


@pytest.mark.parametrize(
    ("constraint", "reason"),
    [
        (by("region"), "did not have region property"),
        (by("provider"), "did not have provider property"),
        (by("zone"), "did not have zones property"),
        ({"spreadByLabel": "rack"}, "did not have label rack"),
    ],
)
def test_clusters_in_no_group_are_no_candidates(constraint: Manifest, reason: str) -> None:
    """As Karmada words it for fields; what runs there does not stay, as a target has no exemption."""
    workload = placed([*FLEET, cluster("bare", cpu=4)], {**static(), **spread(constraint)}, {"bare": 3})
    assert closed(workload) == {"bare": reason}
    # A taint that would let what runs stay is no way round.
    tainted = cluster("bare", cpu=4, taints=["x:NoSchedule"])
    workload = placed([*FLEET, tainted], {**static(), **spread(constraint)}, {"bare": 3})
    assert (closed(workload), held(workload)) == ({"bare": reason}, {})


def test_the_deprecated_zone_is_a_zone() -> None:
    """`spec.zone` counts where `spec.zones` is empty."""
    old = cluster("d", cpu=4)
    old["spec"]["zone"] = "z3"
    workload = placed([*FLEET, old], {**static(), **spread(by("zone"))})
    assert spreads(workload)[0][1] == {"z1": "a", "z2": "ab", "z3": "cd"}


def test_only_candidates_are_grouped() -> None:
    """Affinity, taints and missing weights take clusters out before."""
    fleet = [*FLEET, cluster("d", region="r3", taints=["x:NoSchedule"]), cluster("e", cpu=4, region="r4")]
    workload = placed(fleet, {**static((["a", "b", "d"], 1)), **spread(by("region"))})
    assert spreads(workload)[0][1] == {"r1": "a", "r2": "b"}


def test_minima_bind_where_replicas_are_held() -> None:
    """The solver chooses clusters, so a minimum is no reason to use one."""
    rule = placed(FLEET, {**static(minReplicas=2), **spread(by("cluster", 1, 2))}).rule(Bounds)
    assert rule is not None
    assert rule.where_held == frozenset("abc")
    without = placed(FLEET, static(minReplicas=2)).rule(Bounds)
    assert without is not None
    assert without.where_held == frozenset()


def test_full_copies_choose_the_clusters_with_most_room() -> None:
    """Clusters without a limit first, then by what is free or held here."""
    fleet = [
        cluster("a", cpu=4),
        cluster("b", cpu=9),
        cluster("c"),
        cluster("d", cpu=9),
        cluster("e", cpu=8, allocated={"cpu": 8}),
    ]
    workload = placed(fleet, {**duplicated(), **spread(by("cluster", 1, 2))}, {"e": 8})
    rule, copies = workload.rule(Duplicated), workload.rule(Copies)
    assert rule is not None
    assert copies is not None
    assert rule.choice
    assert copies.ranking == (("c",), ("b", "d"), ("e",), ("a",))
    assert kinds_of(workload) == [Candidates, Duplicated, Moves]


def test_full_copies_without_constraints_have_no_choice() -> None:
    """Every candidate is selected."""
    workload = placed(clusters(2), duplicated())
    rule = workload.rule(Duplicated)
    assert rule is not None
    assert not rule.choice
    assert workload.rule(Copies) is None


def test_a_constraint_knows_its_line() -> None:
    """So does the reason of a cluster that it leaves out."""
    text = """\
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: p}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  placement:
    spreadConstraints:
    - spreadByField: cluster
      minGroups: 1
    - spreadByField: region
      minGroups: 1
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: one}, spec: {}}
---
{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: a}, spec: {region: r}}
---
{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: b}}
"""
    workload = only(load_text(text))
    assert [rule.source.line for rule in workload.rules_of(Spread) if rule.source] == [8, 10]
    source = candidates(workload).excluded["b"].source
    assert source is not None
    assert source.line == 10


def test_workloads_of_one_policy_share_their_groups() -> None:
    """Groups are made once; a workload that may stay on another cluster has its own."""
    placement: dict[str, Any] = {**static(), **spread(by("region"))}
    one, two = placed(FLEET, placement), placed([*FLEET[:2], cluster("c", region="r3")], placement)
    assert spreads(one)[0][1] != spreads(two)[0][1]
    assert kinds_of(one) == [Candidates, Total, Weights]
    assert weights(one) == {"a": 1, "b": 1, "c": 1}


def test_a_cluster_that_is_not_used_says_what_using_it_would_take() -> None:
    """Three replicas with a minimum of two where clusters are used: one holds all, none is at its minimum."""
    rules = {**static(), **spread(by("cluster", 1))}
    rules["replicaScheduling"]["weightPreference"]["clusterConstraint"] = {"minReplicas": 2}
    fleet = [cluster(name, cpu=9) for name in "abc"]
    outcome = fairlead.solve(fairlead.load(fleet, deployment("web", 3, 1), policy("web", rules)))
    found = {each.cluster: (each.replicas, each.reason) for each in outcome.decisions["default/web"]}
    unused = (0, "not used: it would hold at least its minimum of 2")
    share = "its share is 1.00 (weight 1 of 3); b and c hold less than their share"
    assert found == {"a": (3, share), "b": unused, "c": unused}
