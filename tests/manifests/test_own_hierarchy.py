"""HierarchicalWeights: shares depth by depth, and the clusters that have none."""

from fractions import Fraction

import fairlead
from builders import Manifest, binding, cluster, clusters, deployment, divided, dynamic, policy
from fairlead.manifests.loading import load
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Shares, Weights
from loaded import candidates, only
from own_builders import EVEN, own, told

ZONES = [
    cluster("member1", region="eu", zones=["eu-1"]),
    cluster("member2", region="eu", zones=["eu-1"]),
    cluster("member3", region="eu", zones=["eu-2"]),
    cluster("member4", region="eu", zones=["eu-2"]),
    cluster("member5", region="us", zones=["us-1"]),
]


def hierarchy(
    weights: Manifest, *, by: list[str] | None = None, placement: Manifest = EVEN, replicas: int = 100
) -> Problem:
    """Load a deployment on `ZONES` with hierarchical weights."""
    fields = ["region", "zone", "cluster"] if by is None else by
    manifest = own("HierarchicalWeights", by=fields, weights=weights)
    return load(ZONES, deployment(replicas=replicas), policy(placement=placement), manifest)


def shares(problem: Problem) -> list[dict[str, Fraction]]:
    """Return the shares of the only workload by group, depth by depth."""
    rule = only(problem).rule(Shares)
    assert rule is not None
    assert only(problem).rule(Weights) is None
    return [{group.name: group.share for group in depth} for depth in rule.depths]


def test_hierarchical_weights() -> None:
    """100 -> 70 and 30 -> 35, 35 and 30 -> 18, 17, 18, 17 and 30: the example of karmada issue 3727."""
    problem = hierarchy({"eu": {"weight": 70}, "us": {"weight": 30}})
    outer, middle, inner = shares(problem)
    assert outer == {"eu": Fraction(7, 10), "us": Fraction(3, 10)}
    assert middle == {"eu/eu-1": Fraction(7, 20), "eu/eu-2": Fraction(7, 20), "us/us-1": Fraction(3, 10)}
    assert inner["eu/eu-1/member1"] == Fraction(7, 40)
    assert sum(inner.values()) == 1
    outcome = fairlead.solve(problem)
    assert outcome.placement is not None
    assert list(outcome.placement["default/nginx"].values()) == [18, 17, 18, 17, 30]


def test_weights_inside() -> None:
    """The share of a group is divided by the weights inside; clusters come last without being named."""
    eu = {
        "weight": 70,
        "inside": {"eu-1": {"weight": 2, "inside": {"member2": {"weight": 3}}}, "eu-2": {"weight": 5}},
    }
    problem = hierarchy({"eu": eu, "us": {"weight": 30}}, by=["region", "zone"])
    inner = shares(problem)[-1]
    # member1 is left out beside member2, which has a weight: it weighs 0.
    assert inner == {
        "eu/eu-1/member2": Fraction(2, 10),
        "eu/eu-2/member3": Fraction(1, 4),
        "eu/eu-2/member4": Fraction(1, 4),
        "us/us-1/member5": Fraction(3, 10),
    }
    excluded = candidates(only(problem)).excluded
    assert {name: one.reason for name, one in excluded.items()} == {
        "member1": "had no share of the hierarchical weights"
    }


def test_without_weights_all_siblings_weigh_alike() -> None:
    """Two regions hold one half each, however many clusters they have."""
    assert shares(hierarchy({}, by=["region"])) == [
        {"eu": Fraction(1, 2), "us": Fraction(1, 2)},
        {**{f"eu/member{one}": Fraction(1, 8) for one in (1, 2, 3, 4)}, "us/member5": Fraction(1, 2)},
    ]


def test_weight_zero_excludes_a_group_and_its_share_goes_to_the_siblings() -> None:
    """The same for a group inside which everything weighs 0."""
    for us in ({"weight": 0}, {"weight": 30, "inside": {"us-1": {"weight": 0}}}):
        problem = hierarchy({"eu": {"weight": 70}, "us": us})
        assert shares(problem)[0] == {"eu": 1}
        assert candidates(only(problem)).names == ("member1", "member2", "member3", "member4")


def test_clusters_that_do_not_tell_a_field_are_no_candidates() -> None:
    """In the words of Karmada, for fields and for labels."""
    members = [cluster("a", region="eu", labels={"tier": "1"}), cluster("b", region="eu"), cluster("c")]
    manifest = own("HierarchicalWeights", by=["region", "tier"])
    workload = only(load(members, deployment(), policy(placement=EVEN), manifest))
    reasons = {name: one.reason for name, one in candidates(workload).excluded.items()}
    assert reasons == {"b": "did not have label tier", "c": "did not have region property"}


def test_the_first_of_several_zones_counts() -> None:
    """Groups of one depth are disjoint."""
    members = [cluster("a", zones=["z2", "z1"]), cluster("b", zones=["z1"])]
    manifest = own("HierarchicalWeights", by=["zone"])
    problem = load(members, deployment(), policy(placement=EVEN), manifest)
    assert shares(problem)[-1] == {"z1/b": Fraction(1, 2), "z2/a": Fraction(1, 2)}
    assert told(problem) == ["HierarchicalWeights own: a in several zones: the first one counts"]


def test_excluded_clusters_leave_the_other_rules_too() -> None:
    """A minimum on a cluster without a share does not make the problem infeasible; it is warned about."""
    bounded = divided({}, minReplicas=1)
    problem = hierarchy({"eu": {"weight": 1}}, placement=bounded)
    found = only(problem).rule(Bounds)
    assert found is not None
    assert sorted(found.minimum) == ["member1", "member2", "member3", "member4"]
    no_effect = "the bound has no effect on member5 (had no share of the hierarchical weights)"
    assert told(problem) == [f"{no_effect} (default/nginx)"]
    assert fairlead.solve(problem, time_limit=300).status is fairlead.Status.OPTIMAL


def test_hierarchical_weights_of_a_copy_in_every_cluster() -> None:
    """Nothing is divided, so there is nothing to weigh."""
    problem = hierarchy({"eu": {"weight": 1}}, placement={})
    assert only(problem).rule(Shares) is None
    told_ = "HierarchicalWeights own has no effect where replicas are not divided by weights (default/nginx)"
    assert told(problem) == [told_]


def test_misspelt_groups_are_warned_about() -> None:
    """A region that no cluster is in, and a zone that lies in another region."""
    problem = hierarchy({"eu": {"weight": 1, "inside": {"us-1": {}}}, "usa": {"weight": 1}})
    assert told(problem) == [
        "HierarchicalWeights own: no cluster of the input is in region usa there",
        "HierarchicalWeights own: no cluster of the input is in zone us-1 there",
    ]


def test_hierarchical_weights_keep_what_runs_where_the_policy_does() -> None:
    """Only the ratio is replaced; dynamic weights keep their order of moves before deviation."""
    members = clusters(2, cpu=10)
    manifest = own("HierarchicalWeights", by=["cluster"])
    problem = load(members, binding("web", 4, {"member1": 4}, dynamic(), cpu="1"), manifest)
    outcome = fairlead.solve(problem)
    assert outcome.placement is not None
    assert outcome.placement["default/web"] == {"member1": 4}
