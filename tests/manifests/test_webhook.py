"""What Karmada's webhooks refuse, and what the type of a field does not allow, in a placement."""

from typing import Any

import pytest

from builders import Manifest, binding, divided, duplicated, dynamic, policy, static, term
from fairlead.manifests.loading import load
from loaded import mistake, mistakes

PREFERENCE = "spec.placement.replicaScheduling.weightPreference"


def requirement(key: str, operator: str, *values: str) -> Manifest:
    """Return an affinity with one expression over fields."""
    return {
        "fieldSelector": {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}
    }


def tolerations(**toleration: Any) -> Manifest:
    """Return a placement with one toleration."""
    return {"clusterTolerations": [toleration]}


def group(name: str, **more: Any) -> Manifest:
    """Return an affinity group of one cluster."""
    return {"affinityName": name, "clusterNames": ["a"], **more}


def spread(*constraints: Manifest) -> Manifest:
    """Return a placement with spread constraints."""
    return {"spreadConstraints": list(constraints)}


FIELD = "clusterAffinity.fieldSelector.matchExpressions[0]"
LABEL = "clusterAffinity.labelSelector.matchExpressions[0]"
TERM = "replicaScheduling.weightPreference.clusterConstraint"
GROUPS = "clusterAffinities"
PREFERRED = "preferredClusterAffinities"
DYNAMIC = "replicaScheduling.weightPreference.dynamicWeight"
TYPE = "replicaScheduling.replicaSchedulingType"
BY_LABEL = "spreadConstraints[0].spreadByLabel"


@pytest.mark.parametrize(
    ("placement", "expected"),
    [
        (
            {"clusterAffinity": requirement("country", "In", "x")},
            f"{FIELD}.key: 'country' is not allowed; allowed are provider, region and zone",
        ),
        (
            {"clusterAffinity": requirement("region", "Gt", "1")},
            f"{FIELD}.operator: 'Gt' is not allowed; allowed are In, NotIn, Exists and DoesNotExist",
        ),
        (
            {"clusterAffinity": requirement("region", "In")},
            f"{FIELD}.values: '[]' is empty, but In needs at least one value",
        ),
        (
            {"clusterAffinity": {"labelSelector": {"matchExpressions": [{"key": "a", "operator": "Is"}]}}},
            f"{LABEL}.operator: 'Is' is not allowed; allowed are In, NotIn, Exists and DoesNotExist",
        ),
        (
            {"clusterAffinity": {"labelSelector": {"matchExpressions": [{"key": "a", "operator": "In"}]}}},
            f"{LABEL}.values: '[]' is empty, but In needs at least one value",
        ),
        (
            tolerations(key="a", operator="Lt", value="1"),
            "clusterTolerations[0].operator: 'Lt' is not allowed for clusters; allowed are Equal and Exists",
        ),
        (
            {GROUPS: [group("g"), group("h"), group("g")]},
            f"{GROUPS}[2].affinityName: 'g' names another group; names must differ",
        ),
        (
            {GROUPS: [group("a b")]},
            f"{GROUPS}[0].affinityName: 'a b' must be at most 63 letters, digits, '-', '_' or '.'",
        ),
        (
            {**dynamic(), GROUPS: [group("g", overflowAffinities=[group("g")])]},
            f"{GROUPS}[0].overflowAffinities[0].affinityName: 'g' names another group; names must differ",
        ),
        (
            {**dynamic(), GROUPS: [group("g", overflowAffinities=[group("h")], supplements=[{}])]},
            (
                f"{GROUPS}[0].supplements: cannot be combined with overflowAffinities, which say the same;"
                " use one of the two"
            ),
        ),
        (
            {"clusterAffinity": {"supplements": [{"clusterNames": ["a"]}]}},
            (
                "clusterAffinity.supplements: needs a group that names clusters;"
                " one of all clusters leaves nothing to overflow to"
            ),
        ),
        (
            static(({"clusterNames": ["a"], "supplements": [{"clusterNames": ["b"]}]}, 1)),
            (
                "replicaScheduling.weightPreference.staticWeightList[0].targetCluster.supplements:"
                " belongs to clusterAffinity or to a term of clusterAffinities; a target has none"
            ),
        ),
        (
            {"clusterAffinity": {"clusterNames": ["a"]}, GROUPS: [group("g")]},
            f"{GROUPS}: cannot be combined with clusterAffinity; use one of the two",
        ),
        (
            {"clusterAffinity": {"clusterNames": ["a"]}, PREFERRED: [group("g")]},
            f"{PREFERRED}: cannot be combined with clusterAffinity; use one of the two",
        ),
        (
            {GROUPS: [group("g")], PREFERRED: [group("h")]},
            f"{PREFERRED}: cannot be combined with clusterAffinities; use one of the two",
        ),
        (
            {PREFERRED: [group("g"), group("g")]},
            f"{PREFERRED}[1].affinityName: 'g' names another group; names must differ",
        ),
        (
            {GROUPS: [group("g")], "affinityStrategy": {"mode": "Shared"}},
            "affinityStrategy.mode: 'Shared' is not allowed; allowed are Exclusive and Inherited",
        ),
        (
            {**dynamic(), GROUPS: [{"affinityName": "g", "overflowAffinities": [group("h")]}]},
            (
                f"{GROUPS}[0].overflowAffinities: needs a group that names clusters;"
                " one of all clusters leaves nothing to overflow to"
            ),
        ),
        (
            spread({"spreadByField": "cluster", "minGroups": 3, "maxGroups": 2}),
            "spreadConstraints[0].maxGroups: '2' must be at least minGroups, which is 3",
        ),
        (spread({"minGroups": -1}), "spreadConstraints[0].minGroups: '-1' must be at least 0"),
        (
            spread({"spreadByField": "cluster", "spreadByLabel": "a"}),
            f"{BY_LABEL}: 'a' cannot be combined with spreadByField; use one of the two",
        ),
        (
            spread({"spreadByField": "cluster"}, {"maxGroups": 2}),
            "spreadConstraints[1]: spreads by cluster twice",
        ),
        (
            spread({"spreadByLabel": "rack"}, {"spreadByLabel": "room"}, {"spreadByLabel": "rack"}),
            "spreadConstraints[2]: spreads by rack twice",
        ),
        (
            spread({"spreadByField": "rack"}),
            (
                "spreadConstraints[0].spreadByField: 'rack' is not allowed;"
                " allowed are cluster, region, zone and provider"
            ),
        ),
        (
            static(minReplicas=5, maxReplicas=4),
            f"{TERM}.minReplicas: '5' must be at most maxReplicas, which is 4",
        ),
        (static(minReplicas=-1), f"{TERM}.minReplicas: '-1' must be at least 0"),
        (
            static(clusterConstraintTerms=[term("a", 5, 4)]),
            f"{TERM}.clusterConstraintTerms[0].minReplicas: '5' must be at most maxReplicas, which is 4",
        ),
        (
            static(maxReplicas=4, clusterConstraintTerms=[term("a", 5)]),
            (
                f"{TERM}.clusterConstraintTerms[0].minReplicas: '5' must be at most 4, the maxReplicas of"
                " all clusters, which counts where a term names none"
                f" (spec.placement.{TERM}.maxReplicas, <dict>)"
            ),
        ),
        (
            static(minReplicas=5, clusterConstraintTerms=[term("a", None, 4)]),
            (
                f"{TERM}.clusterConstraintTerms[0].maxReplicas: '4' must be at least 5, the minReplicas of"
                " all clusters, which counts where a term names none"
                f" (spec.placement.{TERM}.minReplicas, <dict>)"
            ),
        ),
        (
            divided({"dynamicWeight": "Cost"}),
            f"{DYNAMIC}: 'Cost' is not allowed; allowed is AvailableReplicas",
        ),
        (
            {"replicaScheduling": {"replicaSchedulingType": "Split"}},
            f"{TYPE}: 'Split' is not allowed; allowed are Duplicated and Divided",
        ),
        (
            {
                "workloadAffinity": {
                    "affinity": {"groupByLabelKey": "a"},
                    "antiAffinity": {"groupByLabelKey": "a"},
                }
            },
            "workloadAffinity.antiAffinity.groupByLabelKey: 'a' must differ from the key of affinity",
        ),
    ],
)
def test_what_a_placement_must_not_say(placement: Manifest, expected: str) -> None:
    """The same in a policy and in a binding."""
    assert mistake(policy("p", placement)) == f"spec.placement.{expected}"
    assert mistake(binding("b", 1, {}, placement)) == f"spec.placement.{expected}"


def test_expressions_of_tiers_are_checked_too() -> None:
    """Whatever spells them, at any depth."""
    wrong = requirement("zone", "NotIn")
    tail = "fieldSelector.matchExpressions[0].values: '[]' is empty, but NotIn needs at least one value"
    deep = {"clusterNames": ["a"], "supplements": [{"clusterNames": ["b"], "supplements": [wrong]}]}
    assert mistakes(policy("p", {"clusterAffinity": deep})) == [
        f"spec.placement.clusterAffinity.supplements[0].supplements[0].{tail}"
    ]
    assert mistakes(policy("p", {PREFERRED: [{"affinityName": "g", **wrong}]})) == [
        f"spec.placement.{PREFERRED}[0].{tail}"
    ]
    overflowing = group("g", overflowAffinities=[{"affinityName": "h", **wrong}])
    assert mistakes(policy("p", {GROUPS: [overflowing]})) == [
        f"spec.placement.{GROUPS}[0].overflowAffinities[0].{tail}"
    ]


@pytest.mark.parametrize(
    "placement",
    [
        spread({"spreadByField": "region"}),
        spread({"spreadByField": "zone", "minGroups": 2}, {"spreadByLabel": "rack"}),
        {**static(), GROUPS: [group("g", overflowAffinities=[group("h")])]},
        {**duplicated(), GROUPS: [group("g", overflowAffinities=[group("h")])]},
    ],
)
def test_what_karmada_cannot_do_is_no_mistake(placement: Manifest) -> None:
    """Its webhook refuses these, but they have a meaning."""
    assert load(policy("p", placement)).warnings == ()


def test_expressions_of_weights_and_bounds_are_checked_too() -> None:
    """Every set of clusters, wherever it stands."""
    wrong = requirement("zone", "NotIn")
    placement = static((wrong, 1), clusterConstraintTerms=[term(wrong, 1)])
    tail = "fieldSelector.matchExpressions[0].values: '[]' is empty, but NotIn needs at least one value"
    assert mistakes(policy("p", placement)) == [
        f"{PREFERENCE}.clusterConstraint.clusterConstraintTerms[0].targetCluster.{tail}",
        f"{PREFERENCE}.staticWeightList[0].targetCluster.{tail}",
    ]
