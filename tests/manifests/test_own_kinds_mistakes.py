"""What is wrong in manifests of our own kinds: all mistakes at once, with file, line, field and value."""

from typing import Any

import pytest

import fairlead
from builders import Manifest, deployment, policy
from fairlead.manifests.api.own import OWN_KINDS
from fairlead.manifests.loading import load
from loaded import STREAM, load_text, mistake, mistakes
from own_builders import EVEN, own, regions


def test_profile_mistakes() -> None:
    """Unknown levels, levels named twice, unknown measures and a second profile."""
    known = "is not a level; allowed are moves, deviation, moves-unchanged, moves before tiers, minima, tiers"
    found = mistakes(
        own("Profile", "a", levels=["speed", "moves", "moves-last"], deviation="l2"), own("Profile", "b")
    )
    assert (
        found[0]
        == "metadata.name: 'b' is a second Profile; one order of levels counts, and the first is at <dict>"
    )
    assert found[1] == "spec.deviation: 'l2' is not allowed; allowed are webster, l1 and minimax"
    assert found[2].startswith(f"spec.levels[0]: 'speed' {known}")
    assert found[3] == "spec.levels[2]: 'moves-last' names a level a second time"


@pytest.mark.parametrize(
    ("level", "told_"),
    [
        ({"tolerance": "1%"}, "spec.levels[0].name: is required and missing"),
        ({"name": 3}, "spec.levels[0].name: '3' must be a string; put quotes around it"),
        (3, "spec.levels[0]: '3' must be the name of a level, or a mapping with name and tolerance"),
    ],
)
def test_wrong_levels(level: object, told_: str) -> None:
    """One mistake each, at the field that is written: no names of types that were tried."""
    assert mistakes(own("Profile", levels=[level])) == [told_]


@pytest.mark.parametrize("value", ["-1", "1e", "0.1 %", "", True, [1], -0.5])
def test_wrong_tolerances(value: object) -> None:
    """Numbers of at least 0, and shares."""
    told_ = mistake(own("Profile", levels=["cost", {"name": "deviation", "tolerance": value}]))
    assert told_.startswith("spec.levels[1].tolerance:")
    assert told_.endswith('must be a number of at least 0, or a share such as "0.1%", of 18 digits at most')


def test_unknown_fields_of_a_level_are_warned_about() -> None:
    """As in every other kind."""
    problem = fairlead.load([own("Profile", levels=[{"name": "cost", "tolerence": 1}])])
    assert "spec.levels[0].tolerence is an unknown field" in str(problem.warnings[0])


@pytest.mark.parametrize("value", ["-1", "1e3", "0,5", "", "1.", True, "0x1", -0.5, "9" * 19])
def test_wrong_prices(value: object) -> None:
    """Decimal numbers of at least 0, nothing else."""
    told_ = mistake(own("PriceList", prices=[{"pricePerReplica": value}]))
    assert told_.startswith("spec.prices[0].pricePerReplica:")
    assert told_.endswith('must be a decimal number, at least 0, such as "0.031"')


@pytest.mark.parametrize("value", ["101%", "50", "-1%", "half", 101, -1, 0.5, True])
def test_wrong_percentages(value: object) -> None:
    """From 0% to 100%; the other field is not called missing on top of that."""
    told_ = mistake(own("Survival", field="region", minPercent=value))
    assert told_.startswith("spec.minPercent:")
    assert told_.endswith('must be a percentage from 0% to 100%, such as "50%"')


def test_unknown_kinds_of_our_own_are_mistakes() -> None:
    """They change placements, so they are never skipped."""
    known = ", ".join(OWN_KINDS)
    assert (
        mistake(own("Budget")) == f"kind: 'Budget' is not a kind of fairlead.io/v1alpha1; known are {known}"
    )
    old = {**own("Profile"), "apiVersion": "fairlead.io/v1"}
    assert (
        mistake(old)
        == "apiVersion: 'fairlead.io/v1' is not a version of Profile; allowed is fairlead.io/v1alpha1"
    )


@pytest.mark.parametrize(
    ("kind", "spec", "path"),
    [
        ("Skew", {"field": "zones", "maxSkew": 1}, "field"),
        ("Survival", {"losses": [{"field": "zones"}], "minReplicas": 1}, "losses[0].field"),
        ("GroupBounds", {"groups": [{"groupBy": "zones", "minReplicas": 1}]}, "groups[0].groupBy"),
        ("HierarchicalWeights", {"by": ["zones"]}, "by[0]"),
        ("FailureRates", {"rates": [{"field": "zones", "rate": "1%"}]}, "rates[0].field"),
    ],
)
def test_the_list_of_zones_is_no_label(kind: str, spec: dict[str, Any], path: str) -> None:
    """Clusters have ``spec.zones``; taken as the key of a label the rule would hold of no cluster."""
    told = f"spec.{path}: 'zones' must be zone, the field by which clusters are grouped"
    assert told in mistake(own(kind, **spec))


def test_mistakes_tell_file_line_and_field() -> None:
    """All of them at once."""
    with pytest.raises(fairlead.ManifestError) as caught:
        load_text("""\
apiVersion: fairlead.io/v1alpha1
kind: GroupBounds
metadata: {name: a, namespace: prod}
spec:
  groups:
  - minReplicas: 1
  - groupBy: region
    targetCluster: {}
  - groupBy: region
    minReplicas: 5
    maxReplicas: 4
---
apiVersion: fairlead.io/v1alpha1
kind: PriceList
metadata: {name: b}
spec:
  prices:
  - targetCluster: {fieldSelector: {matchExpressions: [{key: zone, operator: In}]}}
    pricePerReplica: "1"
    perResource: {cpu: "1"}
---
apiVersion: fairlead.io/v1alpha1
kind: Survival
metadata: {name: c}
spec: {field: region}
---
apiVersion: fairlead.io/v1alpha1
kind: WorkloadAffinity
metadata: {name: d}
spec:
  type: Together
""")
    groups, one = "spec.groups", "use one of the two"
    zones = "spec.prices[0].targetCluster.fieldSelector.matchExpressions[0].values"
    instead = "spec.workloadSelector.namespaces says whose workloads are meant"
    scope = "has no meaning here: the kinds of fairlead.io belong to no namespace;"
    assert [str(found).removeprefix(f"{STREAM}:") for found in caught.value.mistakes] == [
        f"3: metadata.namespace: 'prod' {scope} {instead}",
        f"6: {groups}[0].targetCluster: is missing; targetCluster or groupBy is needed",
        f"7: {groups}[1].groupBy: cannot be combined with targetCluster; {one}",
        f"7: {groups}[1].minReplicas: is missing; minReplicas, maxReplicas or both are needed",
        f"10: {groups}[2].minReplicas: '5' must be at most maxReplicas, which is 4",
        f"18: {zones}: '[]' is empty, but In needs at least one value",
        f"20: spec.prices[0].perResource: cannot be combined with pricePerReplica; {one}",
        "25: spec.minReplicas: is missing; minReplicas or minPercent is needed",
        "31: spec.type: 'Together' is not allowed; allowed are Affinity and AntiAffinity",
    ]


def test_a_bound_that_is_wrong_is_not_called_missing() -> None:
    """What is wrong is the number; the set has a bound."""
    found = mistakes(own("GroupBounds", "a", groups=[{"groupBy": "region", "maxReplicas": -1}]))
    assert found == ["spec.groups[0].maxReplicas: '-1' must be at least 0"]


def test_what_cannot_be_read_is_not_called_missing() -> None:
    """Neither a field that is required, nor one of two, nor a kind; the same field elsewhere still is."""
    with pytest.raises(fairlead.ManifestError) as caught:
        load_text("""\
apiVersion: v1
kind: List
items:
- apiVersion: fairlead.io/v1alpha1
  kind: PriceList
  metadata: {name: a}
  spec:
    prices:
    - pricePerReplica: .nan
- apiVersion: fairlead.io/v1alpha1
  kind: PriceList
  metadata: {name: b}
  spec:
    prices:
    - targetCluster: {}
- apiVersion: fairlead.io/v1alpha1
  kind: Skew
  metadata: {name: c}
  spec:
    field: region
    maxSkew: .inf
- apiVersion: v1
  kind: .inf
""")
    finite = "is not a number that a manifest can hold; write a finite number, or quote it"
    assert [str(found).removeprefix(f"{STREAM}:") for found in caught.value.mistakes] == [
        f"9: items[0].spec.prices[0].pricePerReplica: '.nan' {finite}",
        "15: spec.prices[0].pricePerReplica: is missing; pricePerReplica or perResource is needed",
        f"21: items[2].spec.maxSkew: '.inf' {finite}",
        f"23: items[3].kind: '.inf' {finite}",
    ]
    found = mistakes(own("Skew", "a", field="region", maxSkew=float("inf")))
    assert found == ["spec.maxSkew: 'inf' is not a number that a manifest can hold; write a finite number"]


def test_mistakes_of_hierarchical_weights() -> None:
    """Fields that cannot nest, and branches that contradict themselves."""
    deep: Manifest = {"member1": {"inside": {"pod": {}}}}
    found = mistakes(
        own("HierarchicalWeights", "a", by=["cluster", "region", "region"]),
        own("HierarchicalWeights", "b", by=[], workloadSelector={"names": ["b"]}),
        own("HierarchicalWeights", "c", by=["cluster"], weights=deep, workloadSelector={"names": ["c"]}),
        own(
            "HierarchicalWeights",
            "d",
            by=["region"],
            weights={"eu": {"inside": {"member1": {}}}, "us": {"weight": 1}},
            workloadSelector={"names": ["d"]},
        ),
    )
    fields = "region, zone, provider, cluster or the key of a label"
    missing = "is missing, while others beside it have one; write the weight (0 excludes the group)"
    too_deep = "lies deeper than spec.by has fields; nothing is inside a cluster"
    assert found == [
        f"spec.by: must not be empty; name at least one of {fields}",
        "spec.by[0]: 'cluster' must be the last one: nothing lies inside a cluster",
        "spec.by[2]: 'region' is listed twice",
        f"spec.weights.eu.weight: {missing}",
        f"spec.weights.member1.inside: '{{pod: ...}}' {too_deep}",
    ]


@pytest.mark.parametrize(
    ("kind", "spec"),
    [("PriceList", {"prices": [{"pricePerReplica": "1"}]}), ("HierarchicalWeights", {"by": ["region"]})],
)
def test_two_lists_for_one_workload_are_a_mistake(kind: str, spec: Manifest) -> None:
    """Which one counts would depend on their order; lists for different workloads are fine."""
    both = own(kind, "first", **spec), own(kind, "second", **spec)
    assert mistake(deployment("web"), *both) == (
        f"spec.workloadSelector: selects Deployment default/web, which {kind} first at <dict> selects too;"
        f" a workload takes one {kind} only"
    )
    one = own(kind, "first", **spec, workloadSelector={"names": ["web"]})
    other = own(kind, "second", **spec, workloadSelector={"names": ["db"]})
    assert len(load(regions(), deployment("web"), policy(placement=EVEN), one, other).workloads) == 1


def test_two_manifests_of_one_name_are_a_mistake() -> None:
    """As for every other kind."""
    pair = [own("GroupBounds", groups=[{"groupBy": "region", "maxReplicas": 1}])] * 2
    assert "is the name of two GroupBounds objects" in mistake(*[dict(one) for one in pair])
