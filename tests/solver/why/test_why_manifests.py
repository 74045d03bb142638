"""What `why` tells of manifests: reasons that are true, and gains that editing them gives."""

import fairlead
from builders import (
    Manifest,
    binding,
    cluster,
    clusters,
    deployment,
    duplicated,
    policy,
    selector,
    static,
)
from own_builders import own


def answers(stream: list[Manifest]) -> fairlead.Why:
    """Return why everything of one workload runs where it runs."""
    return fairlead.why(fairlead.load(stream), "default/web", workers=1)


def even(fields: dict[str, tuple[int, int]], **weights: int) -> Manifest:
    """Return a policy of static weights with spread constraints."""
    placement = static(*weights.items())
    placement["spreadConstraints"] = [
        {"spreadByField": field, "minGroups": low, "maxGroups": high} for field, (low, high) in fields.items()
    ]
    return policy("p", placement, selects=[selector("web")])


def test_room_for_one_more_counts_on_a_cluster_that_nobody_else_uses() -> None:
    """Two clusters of three: 2 and 2 cost 4 over 1:3:2; with room for 3 on b it is 3 and 1, and costs 5/4."""
    stream = [
        cluster("a", cpu=2),
        cluster("b", cpu=2),
        cluster("c", cpu=1),
        deployment("web", 4, 1),
        even({"cluster": (1, 2)}, a=1, b=3, c=2),
    ]
    gains = {each.action: each.after for each in answers(stream).gains}
    assert gains["capacity for one more replica on b"] == 1.25


def test_one_replica_more_is_placed_within_the_budget_of_moves() -> None:
    """Shrinking to 2 lets one of the 2 on a go; with 3 it would have to move, and no placement is better."""
    stream = [
        cluster("a", cpu=4),
        cluster("b", cpu=4),
        cluster("c", cpu=4),
        binding("web", 2, {"a": 2, "b": 1}, cpu=1),
        even({}, a=2, b=1, c=1),
        own("MoveBudget", total=0),
    ]
    assert answers(stream).gains == ()


def test_a_limit_on_groups_is_no_reason_where_the_group_is_used() -> None:
    """Only us is used, by a and c: d is in it as well, and its share is too small for a replica."""
    stream = [
        cluster("a", cpu=1, region="us"),
        cluster("b", cpu=1, region="eu"),
        cluster("c", cpu=3, region="us"),
        cluster("d", cpu=4, region="us"),
        deployment("web", 2, 1),
        even({"region": (1, 1), "cluster": (2, 3)}, a=2, b=2, c=2, d=1),
    ]
    reasons = {each.decision.cluster: each.decision.reason for each in answers(stream).clusters}
    assert reasons["b"] == "not selected: at most 1 region may be used"
    assert reasons["d"] == "its share is 0.29 (weight 1 of 7)"


def test_the_maximum_of_a_set_is_a_limit_of_copies() -> None:
    """Two copies of 1 are all that the region may hold; the third is missing for nothing else."""
    placement = duplicated()
    placement["spreadConstraints"] = [{"spreadByField": "cluster", "minGroups": 1, "maxGroups": 3}]
    stream = [
        *clusters(3, cpu=9, region="eu"),
        deployment("web", 1, 1),
        policy("p", placement, selects=[selector("web")]),
        own("GroupBounds", groups=[{"groupBy": "region", "maxReplicas": 2}]),
    ]
    gains = {each.action: (each.before, each.after) for each in answers(stream).gains}
    assert gains == {"raising the maximum of region eu from 2 to 3": (1, 0)}
