"""The proposal "Inherited Cluster Affinities": its four spellings as printed, and what it says of them."""

import io
from typing import Any

import pytest
import yaml

import fairlead
from builders import Manifest, binding, cluster, deployment, divided, duplicated, dynamic, static
from fairlead.models.rules import Aggregated, Bounds, Candidates, Duplicated, Moves, Tiers, Total, Weights
from fairlead.models.workload import Workload
from loaded import candidates, closed, kinds_of, only, placed, texts, weights
from seeded import printed, solved

APPROACH_1 = printed(
    """\
    clusterAffinity:
      clusterNames:
        - cluster1
      supplements:
        - clusterNames:
          - cluster2
          - cluster3
"""
)

APPROACH_2 = printed(
    """\
    clusterAffinities:
      - affinityName: "cost-sensitive"
        clusterNames:
          - cluster1
        supplements:
          - clusterNames:
            - cluster2
            - cluster3
"""
)

APPROACH_3 = printed(
    """\
    clusterAffinities:
      - affinityName: primary
        clusterNames:
          - cluster1
      - affinityName: backup
        clusterNames:
          - cluster2
          - cluster3
    affinityStrategy:
      mode: Inherited
"""
)

APPROACH_4 = printed(
    """\
    preferredClusterAffinities:
      - affinityName: primary
        clusterNames:
          - cluster1
      - affinityName: backup
        clusterNames:
          - cluster2
          - cluster3
"""
)

# What became of the proposal in Karmada 1.18, not in its text.
AS_RELEASED = APPROACH_2.replace(
    "supplements:\n          - clusterNames:",
    "overflowAffinities:\n          - affinityName: cloud\n            clusterNames:",
)

SPELLINGS = {
    "supplements of the affinity": APPROACH_1,
    "supplements of a term": APPROACH_2,
    "inherited": APPROACH_3,
    "preferred": APPROACH_4,
    "overflowAffinities": AS_RELEASED,
}
every_spelling = pytest.mark.parametrize("spelling", SPELLINGS)

TIERS = (frozenset({"cluster1"}), frozenset({"cluster2", "cluster3"}))
POWER_OFF = ["power=off:NoExecute"]
AGGREGATED = {
    "replicaScheduling": {"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Aggregated"}
}


def policy(spelling: str, division: Manifest | None = None) -> Manifest:
    """Return a policy as printed, with a replicaScheduling beside it."""
    manifest: Manifest = yaml.safe_load(SPELLINGS[spelling])
    manifest["spec"]["placement"].update(division or {})
    return manifest


def fleet(used: dict[str, int] | None = None, *, first: bool = True) -> list[Manifest]:
    """Return cluster1 (in the own data centre) to cluster3 with 10 cores each, some of them in use."""
    return [
        cluster(
            f"cluster{number}",
            cpu=10,
            allocated={"cpu": (used or {}).get(f"cluster{number}", 0)},
            taints=POWER_OFF if number == 1 and not first else [],
        )
        for number in (1, 2, 3)
    ]


def running(replicas: int, current: dict[str, int]) -> Manifest:
    """Return the binding of replicas of 1 core each, some of which run already."""
    status = {"lastScheduledTime": "2026-01-05T00:00:00Z", "schedulerObservingAffinityName": "cost-sensitive"}
    return binding("nginx", replicas, current, cpu=1, status=status)


# What the four spellings mean.


def answered(*inputs: Any) -> dict[str, int]:
    """Load what is given and return the proven placement of nginx."""
    return solved(fairlead.load(*inputs))


@pytest.mark.parametrize("text", [APPROACH_1, APPROACH_2, APPROACH_3, APPROACH_4, AS_RELEASED])
def test_every_spelling_is_read_without_a_warning(text: str) -> None:
    """As printed; without replicaScheduling full copies go to the first tier only."""
    problem = fairlead.load(io.StringIO(text), fleet(), deployment("nginx", 3, cpu=1))
    assert problem.warnings == ()
    assert kinds_of(only(problem)) == [Candidates, Duplicated]
    assert candidates(only(problem)).names == ("cluster1",)


@every_spelling
def test_every_spelling_ends_as_the_same_tiers(spelling: str) -> None:
    """One group of candidates in two tiers, each divided by its room."""
    workload = only(fairlead.load(policy(spelling, dynamic()), fleet(), deployment("nginx", 13, cpu=1)))
    assert kinds_of(workload) == [Candidates, Total, Weights]
    assert candidates(workload).names == ("cluster1", "cluster2", "cluster3")
    tiers, rule = workload.rule(Tiers), workload.rule(Weights)
    assert tiers is not None
    assert rule is not None
    assert tiers.tiers == rule.tiers == TIERS
    assert weights(workload) == {"cluster1": 10, "cluster2": 10, "cluster3": 10}


@pytest.mark.parametrize(
    ("text", "lines"),
    [(APPROACH_1, (11, 15)), (APPROACH_2, (12, 16)), (APPROACH_3, (12, 15)), (APPROACH_4, (12, 15))],
)
def test_tiers_know_their_lines(text: str, lines: tuple[int, int]) -> None:
    """Each tier was declared somewhere; the division stands behind the printed lines."""
    tail = "    replicaScheduling:\n      weightPreference: {dynamicWeight: AvailableReplicas}\n"
    problem = fairlead.load(io.StringIO(text + tail), fleet(), deployment("nginx", 3, cpu=1))
    tiers = only(problem).rule(Tiers)
    assert tiers is not None
    assert tuple(source.line for source in tiers.sources if source) == lines


@pytest.mark.parametrize(
    ("spelling", "groups"),
    [("supplements of a term", ["cost-sensitive"]), ("inherited", []), ("preferred", [])],
)
def test_groups_and_tiers(spelling: str, groups: list[str]) -> None:
    """A term with supplements is still one of several groups; inherited terms are one single group."""
    workload = only(fairlead.load(policy(spelling, dynamic()), fleet(), deployment("nginx", 3, cpu=1)))
    assert [group.name for group in workload.groups] == groups


def test_exclusive_is_the_default_of_the_strategy() -> None:
    """Approach 3 without its mode, or with Exclusive, leaves clusterAffinities as they are."""
    for strategy in ({}, {"mode": "Exclusive"}):
        manifest = policy("inherited", {**dynamic(), "affinityStrategy": strategy})
        workload = only(fairlead.load(manifest, fleet(), deployment("nginx", 3, cpu=1)))
        assert [group.name for group in workload.groups] == ["primary", "backup"]
        assert workload.rule(Tiers) is None


def test_several_supplements_are_several_tiers() -> None:
    """Each has less priority than the one before; those of a supplement follow it."""
    affinity = {
        "clusterNames": ["a"],
        "supplements": [
            {"clusterNames": ["b"], "supplements": [{"clusterNames": ["c"]}]},
            {"clusterNames": ["d"]},
        ],
    }
    members = [cluster(name, cpu=10) for name in "abcd"]
    tiers = placed(members, {"clusterAffinity": affinity, **dynamic()}).rule(Tiers)
    assert tiers is not None
    assert tiers.tiers == tuple(frozenset(name) for name in "abcd")


def test_a_cluster_belongs_to_the_first_tier_that_lists_it() -> None:
    """The tier in which it first appears decides."""
    affinity = {"clusterNames": ["a", "b"], "supplements": [{"clusterNames": ["b", "c"]}]}
    members = [cluster(name, cpu=10) for name in "abc"]
    tiers = placed(members, {"clusterAffinity": affinity, **dynamic()}).rule(Tiers)
    assert tiers is not None
    assert tiers.tiers == (frozenset("ab"), frozenset("c"))


def test_a_tier_without_candidates_is_no_tier() -> None:
    """With cluster1 gone the second tier is the first, and only, one."""
    manifest = policy("preferred", dynamic())
    workload = only(fairlead.load(manifest, fleet(first=False), deployment("nginx", 3, cpu=1)))
    assert workload.rule(Tiers) is None
    assert weights(workload) == {"cluster2": 10, "cluster3": 10}
    full = only(
        fairlead.load(policy("preferred", duplicated()), fleet(first=False), deployment("nginx", 3, cpu=1))
    )
    assert candidates(full).names == ("cluster2", "cluster3")


@pytest.mark.parametrize(
    ("division", "reason"),
    [
        (duplicated(), "is in a later overflow tier, which Duplicated does not use"),
        (static(("cluster2", 1)), "is in a later overflow tier, which static weights do not use"),
    ],
)
@every_spelling
def test_later_tiers_are_closed_to_full_copies_and_static_weights(
    spelling: str, division: Manifest, reason: str
) -> None:
    """The reason says so, with the line of the tier; weights there do not count."""
    workload = only(fairlead.load(policy(spelling, division), fleet(), deployment("nginx", 3, cpu=1)))
    assert closed(workload) == {"cluster2": reason, "cluster3": reason}


def test_minima_of_later_tiers_bind_where_replicas_are_held() -> None:
    """An overflow tier may get nothing at all."""
    manifest = policy("preferred", dynamic(minReplicas=2))
    rule = only(fairlead.load(manifest, fleet(), deployment("nginx", 3, cpu=1))).rule(Bounds)
    assert rule is not None
    assert rule.where_held == {"cluster2", "cluster3"}


# Story 1: scaling out from the own data centre to the cloud, and in again in reverse.


@every_spelling
@pytest.mark.parametrize(
    ("replicas", "expected"),
    [
        (8, {"cluster1": 8}),
        (10, {"cluster1": 10}),
        # cluster1 is full; the rest is divided by room, 10 : 10, and the odd one falls to the first by name.
        (13, {"cluster1": 10, "cluster2": 2, "cluster3": 1}),
        (30, {"cluster1": 10, "cluster2": 10, "cluster3": 10}),
    ],
)
def test_the_first_tier_is_filled_first(spelling: str, replicas: int, expected: dict[str, int]) -> None:
    """What cluster1 cannot accommodate is allocated among cluster2 and cluster3."""
    assert answered(policy(spelling, dynamic()), fleet(), deployment("nginx", replicas, cpu=1)) == expected


@every_spelling
def test_too_many_for_all_tiers(spelling: str) -> None:
    """Where replicas remain after all tiers, the scheduling fails."""
    problem = fairlead.load(policy(spelling, dynamic()), fleet(), deployment("nginx", 31, cpu=1))
    assert fairlead.solve(problem).status is fairlead.Status.INFEASIBLE


@every_spelling
@pytest.mark.parametrize(
    ("replicas", "expected"),
    [
        # Growing: what is new goes where the tier is divided most evenly; nothing that runs moves.
        (16, {"cluster1": 10, "cluster2": 3, "cluster3": 3}),
        # Shrinking: the cloud is emptied first, then the data centre.
        (11, {"cluster1": 10, "cluster2": 1}),
        (10, {"cluster1": 10}),
        (7, {"cluster1": 7}),
    ],
)
def test_scaling_out_and_in_reverse(spelling: str, replicas: int, expected: dict[str, int]) -> None:
    """From the data centre to the cloud, and in reverse order."""
    current = {"cluster1": 10, "cluster2": 2, "cluster3": 1}
    assert answered(policy(spelling, dynamic()), fleet(current), running(replicas, current)) == expected


@every_spelling
def test_the_extended_tier_takes_over(spelling: str) -> None:
    """Where cluster1 is unavailable, cluster2 and cluster3 are used."""
    current = {"cluster1": 6}
    held = running(6, current)
    assert answered(policy(spelling, dynamic()), fleet(current, first=False), held) == {
        "cluster2": 3,
        "cluster3": 3,
    }


def rebalancer(created: str) -> Manifest:
    """Return a request to place nginx afresh."""
    reference = {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "default", "name": "nginx"}
    return {
        "apiVersion": "apps.karmada.io/v1alpha1",
        "kind": "WorkloadRebalancer",
        "metadata": {"name": "back-home", "creationTimestamp": created},
        "spec": {"workloads": [reference]},
    }


@every_spelling
def test_no_migration_back_by_itself(spelling: str) -> None:
    """When cluster1 is available again, nothing migrates automatically."""
    current = {"cluster2": 3, "cluster3": 3}
    inputs = policy(spelling, dynamic()), fleet(current), running(6, current)
    assert answered(*inputs) == current
    # A rebalancer that was heard before the last schedule asks for nothing any more.
    assert answered(*inputs, rebalancer("2026-01-04T00:00:00Z")) == current


@every_spelling
def test_migration_back_when_asked(spelling: str) -> None:
    """By a WorkloadRebalancer, or indirectly by adjusting the replica count."""
    current = {"cluster2": 3, "cluster3": 3}
    inputs = policy(spelling, dynamic()), fleet(current)
    asked = rebalancer("2026-01-06T00:00:00Z")
    assert answered(*inputs, running(6, current), asked) == {"cluster1": 6}
    assert answered(*inputs, running(7, current)) == {"cluster1": 7}


# The table of strategies.


@every_spelling
@pytest.mark.parametrize(
    ("division", "replicas", "expected"),
    [
        # Duplicated and static weights: "only distribute in first-tier".
        (duplicated(), 4, {"cluster1": 4}),
        (static(("cluster1", 1), ("cluster2", 9)), 4, {"cluster1": 4}),
        (divided({}), 4, {"cluster1": 4}),
        # Aggregated: cluster1 is filled, the rest stands on as few clusters of the next tier as possible.
        (AGGREGATED, 4, {"cluster1": 4}),
        (AGGREGATED, 14, {"cluster1": 10, "cluster2": 4}),
        # Dynamic: cluster1 is filled, the rest is divided by the room of the next tier.
        (dynamic(), 14, {"cluster1": 10, "cluster2": 2, "cluster3": 2}),
    ],
)
def test_strategies(spelling: str, division: Manifest, replicas: int, expected: dict[str, int]) -> None:
    """Every row of the proposal's table."""
    assert answered(policy(spelling, division), fleet(), deployment("nginx", replicas, cpu=1)) == expected


@pytest.mark.parametrize("division", [duplicated(), divided({})])
def test_what_the_first_tier_cannot_hold_is_a_conflict(division: Manifest) -> None:
    """Full copies and static weights do not overflow: 11 of 1 core do not fit into 10."""
    problem = fairlead.load(policy("preferred", division), fleet(), deployment("nginx", 11, cpu=1))
    assert fairlead.solve(problem).status is fairlead.Status.INFEASIBLE


def test_terms_stay_exclusive_beside_their_supplements() -> None:
    """The next term counts only where a term fails with all of its tiers."""
    placement = {
        "clusterAffinities": [
            {"affinityName": "one", "clusterNames": ["a"], "supplements": [{"clusterNames": ["b"]}]},
            {"affinityName": "two", "clusterNames": ["c"], "supplements": [{"clusterNames": ["d"]}]},
        ],
        **dynamic(),
    }
    members = [cluster(name, cpu=cpu) for name, cpu in (("a", 2), ("b", 4), ("c", 7), ("d", 9))]

    def placed_with(replicas: int) -> dict[str, int]:
        return answered(members, binding("nginx", replicas, {}, placement, cpu=1))

    assert placed_with(5) == {"a": 2, "b": 3}
    assert placed_with(7) == {"c": 7}
    assert placed_with(8) == {"c": 7, "d": 1}


def test_tiers_work_with_spread_constraints() -> None:
    """The two are independent of each other."""
    spread = {"spreadConstraints": [{"spreadByField": "cluster", "minGroups": 2}]}
    manifest = policy("preferred", {**dynamic(), **spread})
    # All 8 fit into cluster1, but two clusters are asked for: a single one leaves the first tier.
    assert answered(manifest, fleet(), deployment("nginx", 8, cpu=1)) == {"cluster1": 7, "cluster2": 1}


def test_aggregated_rules() -> None:
    """What Aggregated ends as: fewest clusters, then by room, keeping what runs."""
    workload: Workload = only(
        fairlead.load(policy("preferred", AGGREGATED), fleet({"cluster2": 2}), running(5, {"cluster2": 2}))
    )
    kinds = (Tiers, Aggregated, Weights, Moves)
    assert [type(rule) for rule in workload.rules if isinstance(rule, kinds)] == list(kinds)
    moves = workload.rule(Moves)
    assert moves is not None
    assert moves.keep
    assert texts(fairlead.load(policy("preferred", AGGREGATED), fleet()), "bounds") == []
