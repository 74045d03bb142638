"""Our own kinds: which rules they become, and how these change the optimum."""

from fractions import Fraction

import pytest

import fairlead
from builders import Manifest, binding, cluster, clusters, deployment, policy, static
from fairlead.manifests.loading import load, select
from fairlead.models.levels import DEFAULT_ORDER, Deviation, Tolerance
from fairlead.models.problem import Problem
from fairlead.models.rules import Companionship, GroupTotal, Price, Survival
from loaded import only
from own_builders import EVEN, own, placed, regions, told


def totals(problem: Problem) -> list[tuple[str, set[str], int, int | None]]:
    """Return name, clusters, minimum and maximum of the group totals of the only workload."""
    found = only(problem).rules_of(GroupTotal)
    return [(one.name, set(one.clusters), one.minimum, one.maximum) for one in found]


# --- which workloads --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("selector", "keys"),
    [
        ({}, {"a/web", "b/db", "b/web"}),
        ({"namespaces": ["b"]}, {"b/db", "b/web"}),
        ({"names": ["web"]}, {"a/web", "b/web"}),
        ({"kinds": ["StatefulSet"]}, {"b/db"}),
        ({"labelSelector": {"matchLabels": {"app": "web"}}}, {"a/web", "b/web"}),
        (
            {"labelSelector": {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["web"]}]}},
            {"b/db"},
        ),
        ({"namespaces": ["b"], "names": ["web"]}, {"b/web"}),
    ],
)
def test_workloads_are_selected(selector: Manifest, keys: set[str]) -> None:
    """Everything in a selector must hold; an empty one selects every workload."""
    workloads = [
        deployment("web", namespace="a", labels={"app": "web"}),
        deployment("web", namespace="b", labels={"app": "web"}),
        deployment("db", namespace="b", kind="StatefulSet"),
    ]
    kinds = [{"apiVersion": "apps/v1", "kind": kind} for kind in ("Deployment", "StatefulSet")]
    everywhere = policy(placement=EVEN, selects=kinds, federal=True)
    survival = own("Survival", workloadSelector=selector, field="region", minReplicas=1)
    members = [cluster("member1", region="eu", kinds=None)]
    problem = load(members, workloads, everywhere, survival)
    assert {one.key for one in problem.workloads if one.rules_of(Survival)} == keys


def test_a_selector_without_workloads_is_warned_about() -> None:
    """A misspelt name is no silent loss."""
    problem = placed(own("Survival", field="region", minReplicas=1, workloadSelector={"names": ["ngnix"]}))
    assert told(problem) == ["Survival own selects no workload that is placed"]


# --- GroupBounds ------------------------------------------------------------------------------------


def test_group_bounds_of_a_set() -> None:
    """One total over the candidates in the set, named as people would."""
    region = {"fieldSelector": {"matchExpressions": [{"key": "region", "operator": "In", "values": ["eu"]}]}}
    problem = placed(
        own(
            "GroupBounds",
            groups=[
                {"targetCluster": region, "minReplicas": 3, "maxReplicas": 5},
                {"targetCluster": {"clusterNames": ["boston"]}, "minReplicas": 1},
                {"name": "the rest", "targetCluster": {"exclude": ["berlin", "paris"]}, "maxReplicas": 7},
                {"targetCluster": {"labelSelector": {"matchLabels": {"tier": "gold"}}}, "maxReplicas": 2},
            ],
        )
    )
    assert totals(problem) == [
        ("region eu", {"berlin", "paris"}, 3, 5),
        ("boston", {"boston"}, 1, None),
        ("the rest", {"boston", "nowhere"}, 0, 7),
        ("group 4 of GroupBounds own", {"berlin"}, 0, 2),
    ]
    assert told(problem) == []


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("region", {"region eu": {"berlin", "paris"}, "region us": {"boston"}}),
        ("tier", {"tier gold": {"berlin"}, "tier tin": {"paris"}}),
        ("cluster", {name: {name} for name in ("berlin", "boston", "nowhere", "paris")}),
    ],
)
def test_group_bounds_by_field(field: str, expected: dict[str, set[str]]) -> None:
    """One total for every group; a cluster that does not tell is in none."""
    problem = placed(own("GroupBounds", groups=[{"groupBy": field, "maxReplicas": 4}]))
    assert {name: members for name, members, *_ in totals(problem)} == expected


def test_group_totals_have_different_names() -> None:
    """A conflict between two bounds on one region can name each of them."""
    bounds = {"groupBy": "region"}
    problem = placed(
        own("GroupBounds", "low", groups=[{**bounds, "minReplicas": 4}]),
        own("GroupBounds", "high", groups=[{**bounds, "maxReplicas": 3}]),
    )
    assert [name for name, *_ in totals(problem)] == [
        "region eu",
        "region us",
        "region eu, group 1 of GroupBounds low",
        "region us, group 1 of GroupBounds low",
    ]
    # Two regions hold at most 3 each, but have to hold at least 4 each.
    outcome = fairlead.solve(problem)
    assert outcome.status is fairlead.Status.INFEASIBLE


def test_a_minimum_without_candidates_stays() -> None:
    """What was declared cannot be met, and that is said; a maximum over nothing says nothing."""
    europe = {"clusterAffinity": {"clusterNames": ["berlin", "paris"]}, **EVEN}
    boston = {"clusterNames": ["boston"]}
    low = placed(own("GroupBounds", groups=[{"targetCluster": boston, "minReplicas": 1}]), placement=europe)
    assert totals(low) == [("boston", set(), 1, None)]
    assert told(low) == ["group 1 of GroupBounds own has no eligible cluster (default/nginx)"]
    assert fairlead.solve(low).status is fairlead.Status.INFEASIBLE
    high = placed(own("GroupBounds", groups=[{"targetCluster": boston, "maxReplicas": 1}]), placement=europe)
    assert totals(high) == []
    assert told(high) == ["group 1 of GroupBounds own has no eligible cluster (default/nginx)"]


def test_group_bounds_of_unknown_clusters_are_warned_about() -> None:
    """Names and expressions that match nothing in the input."""
    problem = placed(
        own(
            "GroupBounds",
            groups=[
                {"targetCluster": {"clusterNames": ["berlin", "bonn"]}, "maxReplicas": 4},
                {"targetCluster": {"labelSelector": {"matchLabels": {"tier": "lead"}}}, "maxReplicas": 4},
                {"groupBy": "rack", "maxReplicas": 4},
            ],
        )
    )
    assert told(problem) == [
        "group 1 of GroupBounds own names bonn (did you mean boston?), not in the input",
        "group 2 of GroupBounds own has no eligible cluster (default/nginx)",
        "group 2 of GroupBounds own matches no cluster of the input",
        "group 3 of GroupBounds own: no cluster of the input has a rack",
    ]


# --- Profile ----------------------------------------------------------------------------------------


def test_profile_orders_levels() -> None:
    """Named levels come first, in their order; a name may stand for several keys; the others follow."""
    problem = placed(own("Profile", levels=["deviation", "moves", "clusters"], deviation="l1"))
    first = ("deviation", "dynamic-deviation", "moves-unchanged", "moves-first", "moves-last", "clusters")
    assert problem.levels == (*first, *(key for key in DEFAULT_ORDER if key not in first))
    assert problem.deviation is Deviation.L1


def test_no_profile_is_the_usual_order() -> None:
    """Nothing changes where nobody asks for it, nor where a profile is empty."""
    for manifests in ([], [own("Profile")]):
        problem = placed(*manifests)
        assert problem.levels == DEFAULT_ORDER
        assert problem.deviation is Deviation.WEBSTER


def test_a_profile_changes_the_optimum() -> None:
    """Moves before deviation: 4 and 0 stay, where the ratio 1 : 1 would move 2."""
    running = binding("web", 4, {"member1": 4}, EVEN)
    usual = fairlead.solve(load(clusters(2), running))
    assert usual.placement is not None
    assert usual.placement["default/web"] == {"member1": 2, "member2": 2}
    calm = fairlead.solve(load(clusters(2), running, own("Profile", levels=["moves-last"])))
    assert calm.placement is not None
    assert calm.placement["default/web"] == {"member1": 4}


# --- PriceList --------------------------------------------------------------------------------------


def prices(problem: Problem) -> dict[str, Fraction]:
    """Return the prices of the only workload."""
    found = only(problem).rule(Price)
    assert found is not None
    return dict(found.prices)


def test_prices_are_exact_and_the_first_entry_wins() -> None:
    """One tenth is one tenth, written as text or as a number."""
    problem = placed(
        own(
            "PriceList",
            prices=[
                {"targetCluster": {"clusterNames": ["berlin"]}, "pricePerReplica": "0.1"},
                {"targetCluster": {"clusterNames": ["berlin", "paris"]}, "pricePerReplica": 0.25},
                {"pricePerReplica": 3},
            ],
        )
    )
    tenth, quarter = Fraction(1, 10), Fraction(1, 4)
    assert prices(problem) == {"berlin": tenth, "boston": 3, "nowhere": 3, "paris": quarter}
    assert told(problem) == []


def test_prices_by_resource() -> None:
    """Per core, per GiB and per unit; what is not requested costs nothing."""
    per = {"cpu": "0.031", "memory": "0.004", "nvidia.com/gpu": "2.5", "pods": "0.001"}
    problem = placed(own("PriceList", prices=[{"perResource": per}]), cpu="500m", memory="3Gi")
    # 0.5 x 0.031 + 3 x 0.004 + 0 GPUs + 1 pod x 0.001 = 0.0155 + 0.012 + 0.001
    assert set(prices(problem).values()) == {Fraction(285, 10000)}


def test_clusters_without_a_price_are_named() -> None:
    """They count as free of charge, which draws every replica there."""
    entry = {"targetCluster": {"fieldSelector": _region("eu")}, "pricePerReplica": "1"}
    problem = placed(own("PriceList", prices=[entry]))
    assert prices(problem) == {"berlin": 1, "paris": 1}
    free = "PriceList own has no price for boston, nowhere: counted as free of charge"
    assert told(problem) == [f"{free} (default/nginx)"]


def _region(*names: str) -> Manifest:
    """Return a field selector of regions."""
    return {"matchExpressions": [{"key": "region", "operator": "In", "values": list(names)}]}


def test_prices_change_the_optimum() -> None:
    """Cost comes before deviation: all 4 go where they are cheaper by a thousandth."""
    listed = own(
        "PriceList",
        prices=[
            {"targetCluster": {"clusterNames": ["member1"]}, "pricePerReplica": "0.031"},
            {"targetCluster": {"clusterNames": ["member2"]}, "pricePerReplica": "0.030"},
        ],
    )
    outcome = fairlead.solve(load(clusters(2), deployment(replicas=4), policy(placement=EVEN), listed))
    assert outcome.placement is not None
    assert outcome.placement["default/nginx"] == {"member2": 4}
    cost = {level.name: level.value for level in outcome.objectives}["cost"]
    assert cost == Fraction(12, 100)


# --- Survival ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "minimum", "percent"),
    [
        ({"minReplicas": 4}, 4, None),
        ({"minPercent": "50%"}, 4, 50),
        ({"minPercent": 100}, 7, 100),
        ({"minPercent": "0%"}, 0, 0),
    ],
)
def test_survival(spec: Manifest, minimum: int, percent: int | None) -> None:
    """Percentages are rounded up: half of 7 is 4. Who does not tell its region is never lost."""
    problem = placed(own("Survival", field="region", **spec), replicas=7)
    found = only(problem).rule(Survival)
    assert found is not None
    assert (found.field, found.minimum, found.percent) == ("region", minimum, percent)
    assert found.groups == {"eu": {"berlin", "paris"}, "us": {"boston"}}
    assert told(problem) == ["Survival own: nowhere without region: counted as never lost (default/nginx)"]


def test_survival_changes_the_optimum() -> None:
    """Weights 9 : 1 give 9 and 1 of 10; with 4 left after any loss nobody holds more than 6."""
    weighted = static(("member1", 9), ("member2", 1))
    survival = own("Survival", field="cluster", minReplicas=4)
    for manifests, expected in (([], (9, 1)), ([survival], (6, 4))):
        problem = load(clusters(2), deployment(), policy(placement=weighted), manifests)
        outcome = fairlead.solve(problem)
        assert outcome.placement is not None
        assert outcome.placement["default/nginx"] == dict(zip(("member1", "member2"), expected, strict=True))


# --- WorkloadAffinity -------------------------------------------------------------------------------


def companions(*manifests: Manifest) -> tuple[tuple[Companionship, ...], Problem]:
    """Load four workloads of two apps; `b` runs already, `d` is urgent."""
    members = [
        binding("a", 2, None, EVEN, labels={"app": "x"}),
        binding("b", 2, {"member1": 2}, EVEN, labels={"app": "x"}),
        binding("c", 2, None, EVEN, labels={"app": "y"}),
        binding("d", 2, None, EVEN, labels={"app": "y"}, schedulePriority={"priority": 9}),
    ]
    problem = load(clusters(2), members, list(manifests))
    return tuple(rule for rule in problem.rules if isinstance(rule, Companionship)), problem


def test_companions() -> None:
    """What runs comes first, then what is urgent, then by key."""
    ((rule,), _) = companions(own("WorkloadAffinity", type="Affinity"))
    assert rule.members == ("default/b", "default/d", "default/a", "default/c")
    assert rule.together
    assert rule.name == "WorkloadAffinity own"


def test_companions_by_label() -> None:
    """One rule for every value of the label."""
    (rules, problem) = companions(own("WorkloadAffinity", type="AntiAffinity", groupByLabelKey="app"))
    assert [(rule.name, rule.members, rule.together) for rule in rules] == [
        ("WorkloadAffinity own: app=x", ("default/b", "default/a"), False),
        ("WorkloadAffinity own: app=y", ("default/d", "default/c"), False),
    ]
    assert told(problem) == []


def test_lonely_companions_are_warned_about() -> None:
    """Nobody belongs together where every workload is a group of its own."""
    (rules, problem) = companions(own("WorkloadAffinity", type="Affinity", groupByLabelKey="team"))
    assert rules == ()
    no_effect = "WorkloadAffinity own has no effect: no two of the selected workloads belong together"
    assert told(problem) == [no_effect]


def test_anti_affinity_changes_the_optimum() -> None:
    """Two workloads of 2 over two clusters stand 1 and 1 each; apart, each has a cluster for itself."""
    apart = own("WorkloadAffinity", type="AntiAffinity", workloadSelector={"names": ["a", "c"]})
    (_, problem) = companions(apart)
    outcome = fairlead.solve(problem)
    assert outcome.placement is not None
    assert not set(outcome.placement["default/a"]) & set(outcome.placement["default/c"])
    assert outcome.placement["default/d"] == {"member1": 1, "member2": 1}


def test_selecting_workloads_keeps_companions_consistent() -> None:
    """A rule about workloads that -n or -l leave out can still be checked."""
    (_, problem) = companions(own("WorkloadAffinity", type="Affinity"))
    kept = select(problem, selector="app=x")
    assert fairlead.check(kept, {"default/a": {"member1": 2}, "default/b": {"member1": 2}}) == ()


# --- affinity groups --------------------------------------------------------------------------------


def test_rules_go_into_every_affinity_group() -> None:
    """Each group has its own candidates, so the same manifest means other clusters there."""
    groups = [
        {"affinityName": "europe", "clusterNames": ["berlin", "paris"]},
        {"affinityName": "america", "clusterNames": ["boston"]},
    ]
    problem = placed(
        own("GroupBounds", groups=[{"groupBy": "region", "maxReplicas": 9}]),
        own("PriceList", prices=[{"pricePerReplica": "1"}]),
        placement={"clusterAffinities": groups, **EVEN},
    )
    workload = only(problem)
    assert [group.name for group in workload.groups] == ["europe", "america"]
    assert workload.rules == workload.groups[0].rules
    found = {
        group.name: [
            [rule.name for rule in group.rules if isinstance(rule, GroupTotal)],
            [sorted(rule.prices) for rule in group.rules if isinstance(rule, Price)],
        ]
        for group in workload.groups
    }
    assert found == {
        "europe": [["region eu"], [["berlin", "paris"]]],
        "america": [["region us"], [["boston"]]],
    }


def test_nothing_depends_on_the_order_of_documents() -> None:
    """The same rules in the same order, whatever comes first."""
    manifests = [
        own("Survival", field="region", minReplicas=1),
        own("GroupBounds", "b", groups=[{"groupBy": "region", "maxReplicas": 9}]),
        own("GroupBounds", "a", groups=[{"groupBy": "tier", "maxReplicas": 8}]),
        own("HierarchicalWeights", by=["region"]),
    ]
    assert only(placed(*manifests)).rules == only(placed(*reversed(manifests))).rules


def test_survival_knows_where_closed_clusters_stand() -> None:
    """A tainted cluster is no candidate, but what it runs is lost with its region all the same."""
    closed = cluster("madrid", region="eu", taints=["down:NoExecute"])
    lost = own("Survival", field="region", minReplicas=1)
    problem = load([*regions(), closed], deployment(replicas=2), policy(placement=EVEN), lost)
    found = only(problem).rule(Survival)
    assert found is not None
    assert found.groups == {"eu": frozenset({"berlin", "paris"}), "us": frozenset({"boston"})}
    assert found.everywhere["eu"] == frozenset({"berlin", "madrid", "paris"})
    broken = fairlead.check(problem, {"default/nginx": {"berlin": 1, "madrid": 1}})
    assert [(each.detail, each.amount) for each in broken if each.rule == "survival"] == [("region eu", 1)]


def test_profile_gives_tolerances_and_leaves_balance_out() -> None:
    """A level is a name, or a name with a tolerance: a number in its unit, or a share."""
    levels = [{"name": "deviation", "tolerance": "0.1%"}, "cost", {"name": "clusters", "tolerance": 2}]
    problem = placed(own("Profile", levels=levels, leaveOut=["balance"]))
    share = Tolerance(Fraction(1, 1000), relative=True)
    assert problem.tolerances == {
        "deviation": share,
        "dynamic-deviation": share,
        "clusters": Tolerance(Fraction(2)),
    }
    assert problem.levels[:4] == ("deviation", "dynamic-deviation", "cost", "clusters")
    assert "balance" not in problem.levels


def test_deviation_is_one_level_where_the_other_is_named_too() -> None:
    """Then each stands where it is named."""
    problem = placed(own("Profile", levels=["dynamic-deviation", "deviation"]))
    assert problem.levels[:2] == ("dynamic-deviation", "deviation")
