"""The proposal "Support Per-Cluster Min/Max Replicas": every spelling of its fields, its story and its rules.

The proposal prints Go types and no manifest; the manifests here have the field names of those types.
"""

import io
from typing import Any

import pytest

import fairlead
from builders import Manifest, binding, cluster, clusters, divided, duplicated, dynamic, policy, static, term
from fairlead.models.problem import Problem
from fairlead.models.rules import Aggregated, Bounds, Duplicated, Evenness, Weights
from loaded import bounds, mistake, mistakes, only, texts
from seeded import conflict_of, solved

PREFERENCES = ("weightPreference", "specifyPreference", "extendClusterPreferences")

AS_DECLARED = """\
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  name: nginx-propagation
spec:
  resourceSelectors:
    - apiVersion: apps/v1
      kind: Deployment
      name: nginx
  placement:
    replicaScheduling:
      replicaSchedulingType: Divided
      replicaDivisionPreference: Weighted
      weightPreference:
        dynamicWeight: AvailableReplicas
        clusterConstraint:
          minReplicas: 1
          maxReplicas: 7
          clusterConstraintTerms:
            - targetCluster:
                clusterNames:
                  - member2
              minReplicas: 2
            - targetCluster:
                clusterNames:
                  - member3
              minReplicas: 0
              maxReplicas: 4
"""


def load(placement: Manifest, replicas: int = 10, members: list[Manifest] | None = None) -> Problem:
    """Return the problem of nginx, of 1 core each, on three clusters of 20 cores."""
    return fairlead.load(members or clusters(3, cpu=20), binding("nginx", replicas, {}, placement, cpu="1"))


def scheduled(preference: str | None = None, **strategy: Any) -> Manifest:
    """Return a placement that divides by a preference."""
    named = {"replicaDivisionPreference": preference} if preference else {}
    return {"replicaScheduling": {"replicaSchedulingType": "Divided", **named, **strategy}}


CONSTRAINT = {
    "minReplicas": 1,
    "maxReplicas": 7,
    "clusterConstraintTerms": [term("member2", 2), term("member3", 0, 4)],
}
EXPECTED = ({"member1": 1, "member2": 2, "member3": 0}, {"member1": 7, "member2": 7, "member3": 4})


def test_as_declared() -> None:
    """The three fields of ClusterConstraint and the three of a term, with the lines that conflicts name."""
    problem = fairlead.load(io.StringIO(AS_DECLARED), clusters(3, cpu=20), binding("nginx", 10, {}, cpu="1"))
    rule = only(problem).rule(Bounds)
    assert rule is not None
    assert bounds(only(problem)) == EXPECTED
    assert {name: bound.source.line for name, bound in rule.minimum.items() if bound.source} == {
        "member1": 17,
        "member2": 23,
        "member3": 27,
    }
    # Room 20 each: quotas of 3 1/3, and the odd replica falls to the first name.
    assert solved(problem) == {"member1": 4, "member2": 3, "member3": 3}


@pytest.mark.parametrize("where", PREFERENCES)
@pytest.mark.parametrize("field", ["clusterConstraint", "ClusterConstraint", None])
def test_spellings(where: str, field: str | None) -> None:
    """Under the name that Karmada would give it, under Go's own, or right on ClusterPreferences."""
    placement = scheduled("Weighted", **{where: {field: CONSTRAINT} if field else CONSTRAINT})
    problem = load(placement)
    assert bounds(only(problem)) == EXPECTED
    assert problem.warnings == ()


@pytest.mark.parametrize(
    ("placement", "kind"),
    [
        (static(**CONSTRAINT), Weights),
        (dynamic(**CONSTRAINT), Weights),
        (scheduled("Aggregated", weightPreference={"clusterConstraint": CONSTRAINT}), Aggregated),
        (scheduled("Regions", weightPreference={"clusterConstraint": CONSTRAINT}), Evenness),
        (
            scheduled(
                "Specified",
                specifyPreference={
                    "staticSpecifyList": [{"targetCluster": {}, "replicas": 10}],
                    "clusterConstraint": CONSTRAINT,
                },
            ),
            Evenness,
        ),
        (
            {
                "replicaScheduling": {
                    **duplicated()["replicaScheduling"],
                    "weightPreference": {"clusterConstraint": CONSTRAINT},
                }
            },
            Duplicated,
        ),
    ],
)
def test_bounds_mean_the_same_under_every_way_of_dividing(placement: Manifest, kind: type) -> None:
    """The proposal names static and dynamic weights; the others keep bounds as well."""
    workload = only(load(placement))
    assert bounds(workload) == EXPECTED
    assert any(isinstance(rule, kind) for rule in workload.rules)
    rule = workload.rule(Bounds)
    assert rule is not None
    # Only where the solver chooses clusters does a minimum not bind those that hold nothing.
    assert bool(rule.where_held) == (kind is Aggregated)


def test_story_1_every_candidate_has_a_replica() -> None:
    """Room 100, 100 and 2 for 8 replicas: by weights alone member3 gets none, with the minimum one.

    Its quota is 8 * 2 / 202 = 0.08; taking one replica from a member with 4 costs least.
    """
    members = [cluster("member1", cpu=100), cluster("member2", cpu=100), cluster("member3", cpu=2)]
    assert solved(load(dynamic(), 8, members)) == {"member1": 4, "member2": 4}
    assert solved(load(dynamic(minReplicas=1), 8, members)) == {"member1": 4, "member2": 3, "member3": 1}


def test_static_weights_stay_as_close_as_the_minimum_allows() -> None:
    """9 : 1 of 10 is 9 and 1; with a minimum of 3 it is 7 and 3, not 3 + 0.9 * 4 and 3 + 0.1 * 4."""
    weights = (("member1", 9), ("member2", 1))
    assert solved(load(static(*weights))) == {"member1": 9, "member2": 1}
    assert solved(load(static(*weights, minReplicas=3))) == {"member1": 7, "member2": 3}


def test_the_pseudocode_leaves_replicas_over_and_fairlead_does_not() -> None:
    """100 over 1:1:1:1: the pseudocode's shares are of what is left each time; 25 each is right."""
    members = clusters(4, cpu=200)
    assert solved(load(static(minReplicas=1), 100, members)) == dict.fromkeys(
        ("member1", "member2", "member3", "member4"), 25
    )


def test_maximum_sends_the_rest_elsewhere() -> None:
    """3 : 1 of 8 is 6 and 2; at most 4 in member1 leaves 4 for member2."""
    placement = static(("member1", 3), ("member2", 1), clusterConstraintTerms=[term("member1", None, 4)])
    assert solved(load(placement, 8)) == {"member1": 4, "member2": 4}


@pytest.mark.parametrize(
    ("constraint", "expected"),
    [
        # The global value is for all that no term matches.
        ({"minReplicas": 2}, ({"member1": 2, "member2": 2, "member3": 2}, {})),
        (
            {"minReplicas": 2, "clusterConstraintTerms": [term("member1", 0)]},
            ({"member1": 0, "member2": 2, "member3": 2}, {}),
        ),
        # Declared several times: the smallest minimum and the smallest maximum.
        (
            {"clusterConstraintTerms": [term(["member1", "member2"], 3, 6), term("member1", 1, 9)]},
            ({"member1": 1, "member2": 3}, {"member1": 6, "member2": 6}),
        ),
        # A term with one of the two leaves the other to the global value.
        (
            {"minReplicas": 1, "maxReplicas": 5, "clusterConstraintTerms": [term("member1", None, 4)]},
            ({"member1": 1, "member2": 1, "member3": 1}, {"member1": 4, "member2": 5, "member3": 5}),
        ),
    ],
)
def test_precedence(constraint: Manifest, expected: tuple[dict[str, int], dict[str, int]]) -> None:
    """Terms before the global value; among terms the smallest."""
    assert bounds(only(load(static(**constraint)))) == expected


def test_minima_over_the_total_are_infeasible() -> None:
    """The proposal's webhook refuses them; whether they are too much depends on candidates and replicas."""
    problem = load(static(minReplicas=4))
    assert "default/nginx needs 10 replicas" in conflict_of(problem)
    # Without replicas no minimum binds, and with 12 they are just enough.
    assert solved(load(static(minReplicas=4), 0)) == {}
    assert solved(load(static(minReplicas=4), 12)) == {"member1": 4, "member2": 4, "member3": 4}


def test_maxima_below_the_total_are_infeasible() -> None:
    """Three times 3 is less than 10."""
    assert "may hold at most 3" in conflict_of(load(static(maxReplicas=3)))
    assert solved(load(static(maxReplicas=3), 9)) == {"member1": 3, "member2": 3, "member3": 3}


def test_full_copies_within_bounds() -> None:
    """A full copy of 10 does not fit under a maximum of 9."""
    placement = duplicated()
    placement["replicaScheduling"]["weightPreference"] = {"maxReplicas": 9}
    assert "may hold at most 9" in conflict_of(load(placement))
    assert solved(load(placement, 9)) == {"member1": 9, "member2": 9, "member3": 9}


def test_bounds_inside_specified_totals() -> None:
    """12 over three clusters are 4 each; at most 2 in member1 leaves 5 for each of the others."""
    preference = {
        "staticSpecifyList": [{"targetCluster": {}, "replicas": 12}],
        "clusterConstraintTerms": [term("member1", None, 2)],
    }
    assert solved(load(scheduled("Specified", specifyPreference=preference), 12)) == {
        "member1": 2,
        "member2": 5,
        "member3": 5,
    }


def test_aggregated_within_bounds() -> None:
    """10 stand in one cluster; with at most 7 in each they take two, and none of the two has less than 2."""
    preference = {"clusterConstraint": {"maxReplicas": 7, "minReplicas": 2}}
    unbounded = solved(load(scheduled("Aggregated")))
    assert sorted(unbounded.values()) == [10]
    bounded = solved(load(scheduled("Aggregated", weightPreference=preference)))
    assert len(bounded) == 2
    assert all(2 <= replicas <= 7 for replicas in bounded.values())


def test_bounds_without_effect_are_named() -> None:
    """On a cluster that is no candidate, or not there at all."""
    placement = {
        "clusterAffinity": {"clusterNames": ["member1", "member2"]},
        **static(clusterConstraintTerms=[term("member3", 1), term("member9", 1)]),
    }
    named = [text.split(" has no effect on ")[1].split(" (<")[0] for text in texts(load(placement), "bounds")]
    assert [one.split(" (")[0] for one in sorted(named)] == ["member3", "member9"]
    assert max(named).endswith("): not in the input")


FIELD = "spec.placement.replicaScheduling.weightPreference"


@pytest.mark.parametrize("field", ["clusterConstraint", "ClusterConstraint", None])
@pytest.mark.parametrize(
    ("constraint", "told"),
    [
        ({"minReplicas": -1}, ".minReplicas: '-1' must be at least 0"),
        ({"maxReplicas": "3"}, ".maxReplicas: '3' must be a whole number, without quotes"),
        ({"minReplicas": 4, "maxReplicas": 3}, ".minReplicas: '4' must be at most maxReplicas, which is 3"),
        (
            {"clusterConstraintTerms": [term("member1", 4, 3)]},
            ".clusterConstraintTerms[0].minReplicas: '4' must be at most maxReplicas, which is 3",
        ),
        (
            {"clusterConstraintTerms": [{"minReplicas": 1}]},
            ".clusterConstraintTerms[0].targetCluster: is required and missing",
        ),
    ],
)
def test_mistakes(field: str | None, constraint: Manifest, told: str) -> None:
    """The field as it was spelled, the value and what is allowed."""
    placement = divided({field: constraint} if field else constraint)
    place = f"{FIELD}.{field}" if field else FIELD
    assert mistake(policy("p", placement)) == f"{place}{told}"


def test_bounds_in_two_places_contradict_each_other() -> None:
    """Nobody can say which ones are meant."""
    preferences = {"clusterConstraint": {"minReplicas": 1}, "maxReplicas": 3}
    placement = scheduled(weightPreference=preferences, specifyPreference={"minReplicas": 1})
    first = "replicaScheduling.weightPreference.clusterConstraint"
    second = "spec.placement.replicaScheduling.specifyPreference"
    assert mistakes(policy("p", placement)) == [
        f"{second}: bounds clusters beside {first}; use one of the two",
        f"{FIELD}: bounds clusters beside {first}; use one of the two",
    ]
