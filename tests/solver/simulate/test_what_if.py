"""Changes of a problem: the smallest case of each, and random problems against brute force."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

import fairlead
from brute_force import brute_force, placements
from builders import affinity, binding, cluster, clusters, duplicated, dynamic, static, term
from changed_manifests import essence, read
from fairlead.models.check import check
from fairlead.models.cluster import Cluster
from fairlead.models.errors import UnsupportedError, UsageError
from fairlead.models.levels import Deviation
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Bounds,
    Candidates,
    Capacity,
    Copies,
    Duplicated,
    Evenness,
    GroupTotal,
    Moves,
    Price,
    Shares,
    Spread,
    Survival,
    Tiers,
    Total,
    Weights,
    WorkloadRule,
)
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.candidates import Cause, Exclusion
from fairlead.models.rules.shares import ShareGroup
from fairlead.models.source import Source
from fairlead.models.triggers import as_triggered
from fairlead.models.usage import Utilisation, utilisation
from fairlead.models.workload import AffinityGroup, Workload
from fairlead.report.content.scenarios import empty_additions
from fairlead.solver.simulate.changed import changed
from fairlead.solver.simulate.changes import Add, Change, Cordon, Drain, Lose, Restore, Scale, Weight
from kubeadmiral_manifests import federated, member, members, policy, web
from loaded import candidates, closed, held, only, weights
from own_builders import own
from random_problems import random_problem

ABC = ("a", "b", "c")
LINE = Source("policy.yaml", 7)


def made(*rules: WorkloadRule, replicas: int = 6, **current: int) -> Problem:
    """Return a problem of clusters a, b, c and one workload with some rules."""
    fleet = (Cluster("a", region="x", zones=("1", "2")), Cluster("b", region="x"), Cluster("c", region="y"))
    rules = rules if any(isinstance(rule, Candidates) for rule in rules) else (Candidates(ABC), *rules)
    return Problem(fleet, (Workload("w", "w", replicas, current=current, rules=rules),))


def after(problem: Problem, *changes: Change) -> Workload:
    """Return the only workload after changes."""
    return only(changed(problem, changes))


def names(*members: str) -> frozenset[str]:
    """Return a set of names."""
    return frozenset(members)


def test_drained_clusters_stay_in_the_problem_and_are_closed() -> None:
    """What runs on a drained cluster still counts as moved: a is present, but no candidate."""
    workload = after(made(Total(), Moves(names(*ABC)), a=3, b=3), Drain("a"))
    assert candidates(workload).names == ("b", "c")
    assert closed(workload) == {"a": "is being drained"}
    assert workload.rule(Moves) == Moves(names(*ABC))
    assert "a" in changed(made(Total()), [Drain("a")]).cluster_by_name


def test_clusters_that_were_closed_before_keep_their_reason() -> None:
    """Draining a cluster that a workload could not use anyway explains nothing new."""
    shut = Candidates(("b", "c"), {"a": Exclusion("did not match")})
    assert closed(after(made(shut), Drain("a"))) == {"a": "did not match"}


def test_lost_clusters_are_named_nowhere() -> None:
    """A lost cluster is neither candidate nor excluded; what ran there is no move."""
    problem = changed(made(Total(), Moves(names(*ABC)), a=3, b=3), [Lose("a")])
    assert list(problem.cluster_by_name) == ["b", "c"]
    workload = only(problem)
    assert candidates(workload) == Candidates(("b", "c"))
    assert workload.rule(Moves) == Moves(names("b", "c"))
    assert after(made(Moves(names(*ABC)), a=3), Lose("a")).rule(Moves) is None


@pytest.mark.parametrize(
    ("lose", "left"),
    [
        (Lose("x", "region"), ["c"]),
        (Lose("2", "zone"), ["b", "c"]),  # a lies in zones 1 and 2, and is lost with either
        (Lose("c", "cluster"), ["a", "b"]),
    ],
)
def test_groups_of_clusters_are_lost(lose: Lose, left: list[str]) -> None:
    """A region, a zone or a cluster goes."""
    assert list(changed(made(Total()), [lose]).cluster_by_name) == left


def test_clusters_are_lost_by_label() -> None:
    """Any label groups clusters."""
    labelled = replace(made(Total()), clusters=(Cluster("a", labels={"rack": "r1"}), Cluster("b")))
    assert list(changed(labelled, [Lose("r1", "rack")]).cluster_by_name) == ["b"]


def test_cordoned_clusters_take_nothing_new() -> None:
    """Who holds replicas there keeps at most those; to all others the cluster is closed."""
    problem = made(Total(), Bounds({"a": Bound(1)}), a=2)
    workload = after(problem, Cordon("a"))
    assert held(workload) == {"a": "is cordoned"}
    assert workload.rule(Bounds) == Bounds({"a": Bound(1)})
    stranger = after(made(Total(), Bounds({"a": Bound(1)}), b=2), Cordon("a"))
    assert closed(stranger) == {"a": "is cordoned"}
    assert stranger.rule(Bounds) is None


def test_minima_of_closed_clusters_are_dropped_with_a_warning() -> None:
    """A minimum on a cluster that is gone asks for nothing; the warning names file and line."""
    bounds = Bounds({"a": Bound(2, LINE), "b": Bound(1)}, {"a": Bound(4), "c": Bound(3)}, names(*ABC))
    problem = changed(made(Total(), bounds), [Lose("a")])
    assert only(problem).rule(Bounds) == Bounds({"b": Bound(1)}, {"c": Bound(3)}, names("b", "c"))
    text = "w: the minimum of 2 on a has no effect: a is lost (policy.yaml:7)"
    assert [str(warning) for warning in problem.warnings] == [text]


def test_minima_of_a_tier_that_becomes_the_first_bind_always() -> None:
    """Minima bind later tiers only where replicas are held; once a is gone, b is in the first tier."""
    tiers = Tiers((names("a"), names("b"), names("c")), (None, LINE, None))
    bounds = Bounds({"b": Bound(1), "c": Bound(1)}, where_held=names("b", "c"))
    workload = after(made(bounds, tiers), Lose("a"))
    assert workload.rule(Tiers) == Tiers((names("b"), names("c")), (LINE, None))
    assert workload.rule(Bounds) == Bounds({"b": Bound(1), "c": Bound(1)}, where_held=names("c"))
    assert after(made(tiers), Drain("a"), Drain("b")).rule(Tiers) is None


def test_totals_keep_what_cannot_be_met() -> None:
    """An exact total of a set that is gone stays, so that the conflict names it; an empty maximum goes."""
    exact = GroupTotal("a", names("a"), 2, 2, LINE)
    most = GroupTotal("most", names("a"), 0, 4)
    workload = after(made(exact, most, GroupTotal("ab", names("a", "b"), 1)), Lose("a"))
    found = workload.rules_of(GroupTotal)
    assert found == (GroupTotal("a", names(), 2, 2, LINE), GroupTotal("ab", names("b"), 1))


def test_totals_of_every_region_bind_the_regions_that_are_left() -> None:
    """One line that asks for 2 in every region asks for nothing in a region that is gone."""
    regions = (
        GroupTotal("region x", names("a", "b"), 2, None, LINE, grouped_by="region"),
        GroupTotal("region y", names("c"), 2, None, LINE, grouped_by="region"),
    )
    problem = changed(made(*regions), [Lose("y", "region")])
    assert only(problem).rules_of(GroupTotal) == (regions[0],)
    assert len(problem.warnings) == 1
    specified = changed(made(*(replace(one, maximum=2) for one in regions), Evenness(ABC)), [Lose("c")])
    assert [one.clusters for one in only(specified).rules_of(GroupTotal)] == [names("a", "b"), names()]


def test_totals_of_every_cluster_bind_the_clusters_that_are_left() -> None:
    """One line that asks for 1 on every cluster says the same as one about regions."""
    every = tuple(GroupTotal(name, names(name), 1, None, LINE, grouped_by="cluster") for name in ABC)
    problem = changed(made(*every), [Drain("c")])
    assert only(problem).rules_of(GroupTotal) == every[:2]
    assert "the minimum of 1 in c has no effect: every cluster in it is being drained" in str(
        problem.warnings[0]
    )
    single = tuple(replace(one, grouped_by="") for one in every)
    assert only(changed(made(*single), [Drain("c")])).rules_of(GroupTotal)[2].clusters == names()


def test_groups_without_clusters_are_no_groups() -> None:
    """Spread and survival count the groups that are left."""
    groups = {"x": names("a", "b"), "y": names("c")}
    workload = after(made(Spread("region", groups, 2), Survival("region", groups, 1)), Drain("c"))
    left = {"x": names("a", "b")}
    assert workload.rules[1:] == (Spread("region", left, 2), Survival("region", left, 1))


def test_preferences_forget_clusters() -> None:
    """Weights, copies, prices and evenness are about the candidates that are left."""
    price = Price({"a": Fraction(1), "b": Fraction(2)})
    rules = (Weights({"a": 1, "b": 2, "c": 3}), Copies((("c", "a"), ("b",))), price, Evenness(ABC))
    workload = after(made(*rules, Duplicated(copies={"a": 2, "b": 3})), Lose("a"))
    assert workload.rules[1:] == (
        Weights({"b": 2, "c": 3}),
        Copies((("c",), ("b",))),
        Price({"b": Fraction(2)}),
        Evenness(("b", "c")),
        Duplicated(copies={"b": 3}),
    )


def test_shares_of_a_group_go_to_its_siblings() -> None:
    """With x : y = 1 : 3, and a : b = 1 : 1 in x: without a, b has all of x; without c, x has all."""
    outer = (ShareGroup("x", names("a", "b"), Fraction(1, 4)), ShareGroup("y", names("c"), Fraction(3, 4)))
    inner = tuple(
        ShareGroup(name, names(name), share)
        for name, share in zip(ABC, (Fraction(1, 8), Fraction(1, 8), Fraction(3, 4)), strict=True)
    )
    problem = made(Total(), Shares((outer, inner)))

    def shares(*changes: Change) -> list[dict[str, Fraction]]:
        found = after(problem, *changes).rule(Shares)
        assert found is not None
        return [{group.name: group.share for group in groups} for groups in found.depths]

    assert shares(Lose("a")) == [
        {"x": Fraction(1, 4), "y": Fraction(3, 4)},
        {"b": Fraction(1, 4), "c": Fraction(3, 4)},
    ]
    assert shares(Drain("c")) == [{"x": Fraction(1)}, {"a": Fraction(1, 2), "b": Fraction(1, 2)}]


def test_every_affinity_group_changes() -> None:
    """The rules of groups that are not chosen change too; the chosen one stays chosen."""
    groups = (
        AffinityGroup("first", (Candidates(("a", "b")),)),
        AffinityGroup("second", (Candidates(("b", "c")),)),
    )
    plain = made(Total())
    workload = replace(only(plain), groups=groups, group="first", rules=groups[0].rules)
    changed_workload = after(replace(plain, workloads=(workload,)), Lose("b"))
    assert [group.rules for group in changed_workload.groups] == [
        (Candidates(("a",)),),
        (Candidates(("c",)),),
    ]
    assert changed_workload.rules == (Candidates(("a",)),)
    assert changed_workload.group == "first"


def test_scale() -> None:
    """Only the number changes; what runs stays what runs."""
    workload = after(made(Total(), a=6), Scale("w", 9))
    assert (workload.replicas, dict(workload.current)) == (9, {"a": 6})
    with pytest.raises(UsageError, match="-1 is not a number of replicas"):
        changed(made(Total()), [Scale("w", -1)])


def test_scaling_warns_that_survivors_may_be_a_percentage() -> None:
    """The rule holds a number; whether it was stated in percent it does not tell."""
    survivors = Survival("region", {"x": names("a")}, 3, LINE)
    problem = changed(made(Total(), survivors), [Scale("w", 9)])
    assert [warning.rule for warning in problem.warnings] == ["survival"]


def test_weight() -> None:
    """A weight of 0 takes the workload off a cluster, as Karmada reads it."""
    problem = made(Total(), Weights({"a": 1, "b": 2}))
    assert weights(after(problem, Weight("w", "a", 5))) == {"a": 5, "b": 2}
    emptied = after(problem, Weight("w", "a", 0))
    assert weights(emptied) == {"b": 2}
    assert closed(emptied) == {"a": "has static weight 0"}


@pytest.mark.parametrize(
    ("rules", "change", "message"),
    [
        ((Weights({"a": 1}),), Weight("w", "b", 2), "b is not eligible"),
        ((Weights({"a": 1}, dynamic=True),), Weight("w", "a", 2), "the capacity of the clusters"),
        ((Total(),), Weight("w", "a", 2), "not divided by weights"),
        ((Candidates(("a",)), Weights({"a": 1})), Weight("w", "a", 0), "its only cluster with a weight"),
        ((Weights({"a": 1}),), Weight("w", "a", -1), "-1 is not a weight"),
    ],
)
def test_weights_that_make_no_sense(rules: tuple[WorkloadRule, ...], change: Change, message: str) -> None:
    """The message says what the workload is divided by instead."""
    with pytest.raises(UsageError, match=message):
        changed(made(*rules), [change])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (Drain("d"), "no cluster 'd'; known: "),
        (Lose("xx", "region"), "no region 'xx'; did you mean x"),
        (Lose("x"), "no cluster 'x'; did you mean region=x"),
        (Lose("region"), "no cluster 'region'; name which, such as region=x"),
        (Lose("q", "provider"), "no cluster has a provider"),
        (Lose("r1", "regoin"), r"no cluster has a label regoin \(did you mean region\?\)"),
        (Scale("ww", 1), "no workload 'ww'; did you mean w"),
        (Lose("r1", "rack"), "no cluster has a label rack"),
    ],
)
def test_wrong_names(change: Change, message: str) -> None:
    """Names that are called alike are told."""
    with pytest.raises(UsageError, match=message):
        changed(made(Total()), [change])


@pytest.mark.parametrize("again", [Lose("c"), Lose("y", "region"), Drain("c"), Cordon("c")], ids=str)
def test_what_is_lost_already_is_no_change(again: Change) -> None:
    """As with a second `kubectl drain` of one node: region y is cluster c alone, and is gone with it."""
    problem = made(Total())
    assert changed(problem, [Lose("c"), again]) == changed(problem, [Lose("c")])


@pytest.mark.parametrize(
    ("change", "message"),
    [(Restore("c"), "c is both lost and restored"), (Weight("w", "c", 2), "c is not eligible")],
)
def test_what_is_lost_is_not_opened_or_weighed(change: Change, message: str) -> None:
    """There is no such cluster any more, which is another mistake than a wrong name."""
    with pytest.raises(UsageError, match=message):
        changed(made(Total(), Weights({"a": 1, "b": 1, "c": 1})), [Lose("c"), change])


def test_clusters_without_weight_open_when_no_other_is_left() -> None:
    """Where no candidate has a weight, all weigh the same: without member1, member2 and member3."""
    fleet = clusters(3, cpu=10)
    wanted = binding("web", 6, {"member1": 6}, static(("member1", 2)), cpu="1")
    problem = read([*fleet, wanted])
    assert weights(only(problem)) == {"member1": 2}
    assert essence(changed(problem, [Lose("member1")])) == essence(read([*fleet[1:], wanted]))
    drained = after(problem, Drain("member1"))
    assert weights(drained) == {"member2": 1, "member3": 1}
    assert closed(drained) == {"member1": "is being drained"}


def test_the_next_tier_opens_when_the_first_is_gone() -> None:
    """Duplicated uses one tier only; without the first it is the second, with the bounds that hold there."""
    fleet = clusters(3, cpu=10)
    tiers = {"clusterAffinity": {**affinity("member1"), "supplements": [affinity("member2")]}}
    wanted = binding("web", 2, {}, {**tiers, **duplicated()}, cpu="1")
    problem = read([*fleet, wanted])
    assert candidates(only(problem)).names == ("member1",)
    assert essence(changed(problem, [Lose("member1")])) == essence(read([*fleet[1:], wanted]))
    divided = binding("web", 6, {}, {**tiers, **static(clusterConstraintTerms=[term("member2", 2)])}, cpu="1")
    problem = read([*fleet, divided])
    assert essence(changed(problem, [Lose("member1")])) == essence(read([*fleet[1:], divided]))


def test_prices_are_known_on_clusters_that_open() -> None:
    """A PriceList is no part of the placement, and says what every cluster costs all the same."""
    fleet = [cluster("member1", cpu=10), cluster("member2", cpu=1), cluster("member3", cpu=10)]
    tiers = {"clusterAffinity": {**affinity("member1"), "supplements": [affinity(["member2", "member3"])]}}
    wanted = binding("web", 6, {}, {**tiers, **static()}, cpu="1")
    entries = [{"targetCluster": affinity(f"member{at}"), "pricePerReplica": str(at)} for at in (1, 2)]
    listed = own("PriceList", prices=entries)
    lost = changed(read([*fleet, wanted, listed]), [Lose("member1")])
    assert essence(lost) == essence(read([*fleet[1:], wanted, listed]))
    (price,) = only(lost).rules_of(Price)
    assert price.prices == {"member2": 2}
    down = cluster("member1", cpu=10, taints=["down:NoExecute"])
    restored = changed(read([down, *fleet[1:], wanted, listed]), [Restore("member1")])
    assert essence(restored) == essence(read([*fleet, wanted, listed]))


def test_what_has_to_survive_is_kept_where_clusters_open() -> None:
    """Our own Survival is no part of the placement; its groups are those of the clusters that open."""
    fleet = [cluster(f"member{number}", cpu=10, region=f"r{number}") for number in (1, 2, 3)]
    survival = {
        "apiVersion": "fairlead.io/v1alpha1",
        "kind": "Survival",
        "metadata": {"name": "half"},
        "spec": {"workloadSelector": {"names": ["web"]}, "field": "region", "minReplicas": 2},
    }
    wanted = [binding("web", 6, {"member1": 6}, static(("member1", 2)), cpu="1"), survival]
    problem = read([*fleet, *wanted])
    assert essence(changed(problem, [Lose("member1")])) == essence(read([*fleet[1:], *wanted]))


def test_workloads_that_must_not_be_rescheduled() -> None:
    """KubeAdmiral leaves them alone as long as a part of them runs; what is lost is not started elsewhere."""
    sticky = policy(reschedulePolicy={"disableRescheduling": True})
    problem = read([*members(3), sticky, federated(web(4), {"member1": 2, "member2": 2})])
    part = changed(problem, [Lose("member1")])
    assert candidates(only(part)).names == ("member2",)
    text = "default/web: 2 replicas on member1, which is lost, will not be started elsewhere: "
    assert text + "policy default/web disables rescheduling" in str(part.warnings[-1])
    anew = changed(problem, [Drain("member1"), Lose("member2")])
    assert candidates(only(anew)).names == ("member3",)
    assert only(anew).rule(Total) is not None


def test_what_must_not_be_rescheduled_certainly_does_not_follow_a_change() -> None:
    """Two replicas are lost and stay so: no more time would bring them back (it said that time was over)."""
    sticky = policy(reschedulePolicy={"disableRescheduling": True})
    problem = read([*members(2), sticky, federated(web(4), {"member1": 2, "member2": 2})])
    simulation = fairlead.simulate(problem, Lose("member1"))
    assert (simulation.fits, simulation.known) == (False, True)
    assert "Does not fit: 2 replicas unplaced" in str(simulation)


@pytest.mark.parametrize("wanted", [7, 0])
def test_scaling_what_must_not_be_rescheduled(wanted: int) -> None:
    """The 2 and 2 that KubeAdmiral has written run on, also where no replica is wanted; a warning says so."""
    sticky = policy(reschedulePolicy={"disableRescheduling": True})
    problem = read([*members(2), sticky, federated(web(4), {"member1": 2, "member2": 2})])
    simulation = fairlead.simulate(problem, Scale("web", wanted))
    assert simulation.after.placed(only(problem)) == {"member1": 2, "member2": 2}
    [told] = simulation.after.problem.warnings
    assert told.text.startswith(f"default/web: 4 replicas run and {wanted} are requested, but policy")


def test_copies_that_must_not_be_rescheduled_follow_their_template() -> None:
    """Without an override a cluster runs what the template says: 5 now, although nothing is rescheduled."""
    sticky = policy(schedulingMode="Duplicate", reschedulePolicy={"disableRescheduling": True})
    problem = read([*members(2), sticky, federated(web(3), {"member1": None})])
    simulation = fairlead.simulate(problem, Scale("web", 5))
    assert simulation.after.placed(only(problem)) == {"member1": 5}
    assert simulation.fits


def test_why_nothing_goes_to_a_new_cluster_where_kubeadmiral_would_not_look() -> None:
    """2 and 2 could become 2, 1 and 1, but no cluster that joins counts; --fresh would change nothing."""
    documents = [*members(2), policy(), federated(web(4), {"member1": 2, "member2": 2})]
    problem, together = read(documents), read([*documents, member("member3")])
    simulation = fairlead.simulate(problem, Add(together), as_triggered=True)
    (told,) = empty_additions(simulation)
    assert told == "Nothing moves to member3: KubeAdmiral leaves 1 running workload as it is."
    kept = fairlead.solve(as_triggered(together)).decisions["default/web"]
    reasons = {one.reason for one in kept if one.replicas}
    assert reasons == {"keeps its replicas: KubeAdmiral would not look at it again"}


def test_hand_made_rules_do_not_open_by_themselves() -> None:
    """Rules without manifests do not tell what holds on a cluster that gave way; the warning says so."""
    beside = Exclusion("has static weight 0", cause=Cause.BESIDE_OTHERS)
    shut = Candidates(("a",), {"b": beside, "c": Exclusion("did not match")})
    problem = changed(made(shut, Weights({"a": 1})), [Lose("a")])
    assert candidates(only(problem)).names == ()
    assert ["may become eligible" in warning.text for warning in problem.warnings] == [True]


def test_restore() -> None:
    """Taints, cordons and drains are forgotten; the rules are those of a cluster that never had them."""
    tainted = [cluster("member1", cpu=10, taints=["gpu:NoSchedule"]), cluster("member2", cpu=10)]
    wanted = binding("web", 6, {"member2": 2}, dynamic(), cpu="1")
    problem = read([*tainted, wanted])
    clean = essence(read([*clusters(2, cpu=10), wanted]))
    assert essence(changed(problem, [Restore("member1")])) == clean
    assert essence(changed(problem, [Drain("member2"), Restore("member1"), Restore("member2")])) == clean
    with pytest.raises(UnsupportedError, match="b cannot be opened again to w"):
        changed(changed(made(Total()), [Drain("b")]), [Restore("b")])


def test_add() -> None:
    """What is added is loaded together with what is there, and must hold all of it."""
    wanted = binding("web", 6, {}, dynamic(), cpu="1")
    problem, together = read([*clusters(1, cpu=10), wanted]), read([*clusters(2, cpu=10), wanted])
    assert candidates(after(problem, Add(together))).names == ("member1", "member2")
    assert candidates(after(problem, Add(together), Drain("member1"))).names == ("member2",)
    with pytest.raises(UsageError, match="added first, not after: drain member1"):
        changed(problem, [Drain("member1"), Add(together)])
    with pytest.raises(UsageError, match="cluster member2 is missing"):
        changed(together, [Add(problem)])


def test_changes_leave_the_problem_alone() -> None:
    """A problem is a value: another one comes out."""
    problem = made(Total(), Weights({"a": 1, "b": 1}))
    before = essence(problem)
    changed(problem, [Drain("a"), Lose("b"), Scale("w", 1)])
    assert essence(problem) == before


def test_utilisation() -> None:
    """3 of 500m on a, of which 1000m are free and 2 run already: 1500m of 2000m; b tells nothing."""
    fleet = (Cluster("a", free={"cpu": 1000, "pods": 5}), Cluster("b"))
    workload = Workload(
        "w", "w", 4, requests={"cpu": 500}, current={"a": 2}, rules=(Candidates(("a", "b")), Total())
    )
    problem = Problem(fleet, (workload,), (Capacity(),))
    placed = fairlead.Placement({"w": {"a": 3, "b": 1}})
    assert utilisation(problem, placed) == (
        Utilisation("a", "cpu", 1500, 2000),
        Utilisation("a", "pods", 3, 7),
        Utilisation("b", "cpu", 500, None),
        Utilisation("b", "pods", 1, None),
    )
    assert [one.share for one in utilisation(problem, placed)] == [Fraction(3, 4), Fraction(3, 7), None, None]


def without_by_hand(problem: Problem, name: str) -> Problem:
    """Return a problem in which every rule is the same, but nothing may stand on one cluster.

    Another way to the same placements: the cluster keeps its place in every rule and gets a maximum of 0.
    """
    zero = Bounds({}, {name: Bound(0)})
    workloads = [
        replace(one, rules=(*(relieved(rule, name) for rule in one.rules), zero)) for one in problem.workloads
    ]
    return replace(problem, workloads=tuple(workloads))


def relieved(rule: WorkloadRule, name: str) -> WorkloadRule:
    """Return a rule that asks for nothing on a cluster."""
    match rule:
        case Candidates():
            return replace(rule, names=tuple(one for one in rule.names if one != name))
        case Bounds():
            return replace(rule, minimum={one: low for one, low in rule.minimum.items() if one != name})
        case _:
            return rule


@pytest.mark.parametrize("seed", range(60))
def test_random_drains_and_losses(seed: int) -> None:
    """What may stand after a drain is what may stand with a maximum of 0 there; a loss allows the same."""
    problem = random_problem(seed, Deviation.WEBSTER, most_replicas=4)
    name = Random(seed).choice([one.name for one in problem.clusters])
    drained, lost = changed(problem, [Drain(name)]), changed(problem, [Lose(name)])
    allowed = set(placements(without_by_hand(problem, name)))
    assert set(placements(drained)) == allowed == set(placements(lost))
    assert all(name not in placed for placement in allowed for placed in placement.values())
    assert name not in str([one.rules for one in lost.workloads])
    found = brute_force(drained)
    assert found is None or not check(drained, found.placement)


@pytest.mark.parametrize("seed", range(40))
def test_random_scales_and_cordons(seed: int) -> None:
    """A cordon allows no growth there; scaling is the number written otherwise."""
    problem = random_problem(seed, Deviation.WEBSTER, most_replicas=4)
    rng = Random(seed)
    name, workload = rng.choice(problem.clusters).name, rng.choice(problem.workloads)
    cordoned = changed(problem, [Cordon(name)])
    for placement in placements(cordoned):
        for one in problem.workloads:
            assert placement.of(one.key).get(name, 0) <= one.current.get(name, 0)
    scaled = changed(problem, [Scale(workload.key, 2)])
    by_hand = tuple(replace(one, replicas=2) if one is workload else one for one in problem.workloads)
    assert scaled.workloads == by_hand
