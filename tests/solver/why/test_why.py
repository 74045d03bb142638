"""Why a workload stands where it stands: the smallest case of every rule, with the numbers explained."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

import fairlead
from fairlead.models.cluster import CPU, Cluster
from fairlead.models.errors import UsageError
from fairlead.models.outcome import Attained, Outcome, Status
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Aggregated,
    Bounds,
    Candidates,
    Capacity,
    Companionship,
    Duplicated,
    Evenness,
    GroupTotal,
    MoveBudget,
    Moves,
    Quota,
    SharedRule,
    Spread,
    Survival,
    Tiers,
    Total,
    Weights,
    WorkloadRule,
)
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.candidates import Exclusion
from fairlead.models.rules.quota import QuotaLimit, QuotaScope
from fairlead.models.source import Source
from fairlead.models.workload import AffinityGroup, Workload
from fairlead.report.content.why import gain_sentence
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.why.answer import ClusterWhy, Possible, Shift, Step, Why
from fairlead.solver.why.answered import AnsweredPart
from hand_made import POLICY, duplicated, nginx, problem

KEY = "default/web"


def names(count: int) -> tuple[str, ...]:
    """Return member1, member2, ..."""
    return tuple(f"member{number}" for number in range(1, count + 1))


def web(replicas: int, count: int, *rules: WorkloadRule, **more: object) -> Workload:
    """Return a workload on the first clusters, of equal weight where no weights are given."""
    own = () if any(isinstance(rule, Weights) for rule in rules) else (equal(count),)
    every = (Candidates(names(count)), Total(), *rules, *own)
    workload = Workload(KEY, "web", replicas, "default", policy="policy default/web", rules=every)
    return replace(workload, **more)  # type: ignore[arg-type]


def equal(count: int) -> Weights:
    """Return equal weights."""
    return Weights(dict.fromkeys(names(count), 1))


def asked(
    workload: Workload,
    *others: Workload,
    free: Sequence[Mapping[str, int] | None] = (),
    rules: tuple[SharedRule, ...] = (),
    count: int = 3,
) -> Why:
    """Return why a workload stands where it does, on clusters of unknown capacity where none is given."""
    known = [*free, *[None] * (count - len(free))]
    clusters = tuple(Cluster(name, free=given) for name, given in zip(names(count), known, strict=True))
    shared = (*rules, Capacity()) if free else rules
    return fairlead.why(Problem(clusters, (workload, *others), shared), workload.key, workers=1)


def at(why: Why, number: int) -> ClusterWhy:
    """Return what is said of a cluster."""
    return next(each for each in why.clusters if each.decision.cluster == f"member{number}")


def more(why: Why, number: int) -> Step:
    """Return what one replica more costs on a cluster."""
    step = at(why, number).more
    assert step is not None
    return step


def less(why: Why, number: int) -> Step:
    """Return what one replica less costs on a cluster."""
    step = at(why, number).less
    assert step is not None
    return step


def cost(step: Step) -> tuple[str | None, int | Fraction | None]:
    """Return the level that a step makes worse, and by how much; it has to be proven."""
    assert (step.possible, step.proven) == (Possible.YES, True)
    return step.level, step.change


def blocked(step: Step) -> str:
    """Return why a step is not possible."""
    assert step.possible is Possible.NO
    return f"{step.reason} ({step.source})" if step.source else step.reason


def placed(why: Why) -> list[int]:
    """Return the replicas by cluster."""
    return [each.decision.replicas for each in why.clusters]


def test_minimum_room_and_weights() -> None:
    """11 over 1:2:3 with at least 3 in member1 and room for 2 in member3 is 3:6:2.

    The deviation is 6/11 * sum x^2 / w - 11; the sum is 9 + 18 + 4/3 there. 4:5:2 has 1.5 more of it, 3:7:1
    has 5.5 more. With room for a third in member3, 3:5:3 has 23/6 less.
    """
    why = fairlead.why(problem(), "default/nginx")
    assert placed(why) == [3, 6, 2, 0]
    assert cost(more(why, 1)) == cost(less(why, 2)) == ("deviation", Fraction(9, 11))
    assert more(why, 1).shifts == (Shift("default/nginx", 1, "member2", "member1"),)
    assert cost(more(why, 2)) == cost(less(why, 3)) == ("deviation", 3)
    assert blocked(less(why, 1)) == f"at its minimum of 3 ({POLICY}:31)"
    assert blocked(more(why, 3)).startswith("at capacity (1 cpu in total, 500m per replica)")
    assert not at(why, 4).candidate
    assert [each.decision for each in why.clusters] == list(why.outcome.decisions["default/nginx"])
    # 10 replicas are 3:5:2, at 6/10 * (9 + 12.5 + 4/3) - 10 = 3.7 instead of 49/11.
    assert [(gain.action, gain.gain) for gain in why.gains] == [
        ("capacity for one more replica on member3", Fraction(23, 11)),
        ("placing 10 instead of 11 replicas", Fraction(49, 11) - Fraction(37, 10)),
    ]


def test_maximum() -> None:
    """12 over 1:1 with at most 4 in member1 is 4:8, at (16 + 64) / 6 - 12 = 4/3; 5:7 would be at 1/3."""
    limit = Bounds(maximum={"member1": Bound(4, Source(POLICY, 31))})
    why = asked(web(12, 2, limit), count=2)
    assert placed(why) == [4, 8]
    assert blocked(more(why, 1)) == f"at its maximum of 4 ({POLICY}:31)"
    assert blocked(less(why, 2)) == f"policy default/web: member1 may hold at most 4 ({POLICY}:31)"
    assert cost(more(why, 2)) == ("deviation", Fraction(5, 3))  # 3:9 is at 3
    assert gain_sentence(why.gains[0]) == (
        f"raising the maximum of member1 from 4 to 5 lowers deviation from 1.3333 to 0.3333 ({POLICY}:31)"
    )


@pytest.mark.parametrize(("ceiling", "helps"), [(None, True), (6, True), (4, False)])
def test_a_maximum_that_nobody_declared_cannot_be_raised(ceiling: int | None, *, helps: bool) -> None:
    """A report of what member1 can run, 4, is no number of a policy, though 5:7 would be nearer to 1:1."""
    limit = Bounds(maximum={"member1": Bound(4, Source(POLICY, 31), ceiling)})
    why = asked(web(12, 2, limit), count=2)
    assert placed(why) == [4, 8]
    assert any("maximum of member1" in gain.action for gain in why.gains) is helps


def test_minimum_that_holds_others_back() -> None:
    """4 over 1:1 with at least 3 in member1 is 3:1, at 10/2 - 4 = 1; lowered to 2 it is 2:2, at 0."""
    why = asked(web(4, 2, Bounds({"member1": Bound(3)})), count=2)
    assert (
        gain_sentence(why.gains[0])
        == "lowering the minimum of member1 from 3 to 2 lowers deviation from 1 to 0"
    )


def test_minimum_that_binds_where_held() -> None:
    """With a minimum of 2 where anything is held, one less than 2 is none at all: 4:0 instead of 2:2."""
    held = Bounds({"member2": Bound(2)}, where_held=frozenset({"member2"}))
    why = asked(web(4, 2, held), count=2)
    assert placed(why) == [2, 2]
    assert (less(why, 2).replicas, cost(less(why, 2))) == (0, ("deviation", 4))


def test_moves_come_first() -> None:
    """3:1 runs and is kept, though 2:2 would be even: one less in member1 is a move."""
    kept = Moves(frozenset(names(2)), keep=True)
    why = asked(web(4, 2, kept, current={"member1": 3, "member2": 1}), count=2)
    assert placed(why) == [3, 1]
    assert cost(less(why, 1)) == cost(more(why, 2)) == ("moves", 1)
    assert at(why, 1).decision.reason == "keeps its replicas"


def test_a_tie_costs_nothing() -> None:
    """3 over 1:1 is 2:1 only because member1 comes first by name."""
    why = asked(web(3, 2), count=2)
    assert cost(more(why, 2)) == (None, 0)
    assert cost(more(why, 1)) == ("deviation", Fraction(8, 3))  # 3:0 is at 3, 2:1 at 1/3


def test_tiers() -> None:
    """The first tier has room for 3 of 5: two stand beyond it, and a third one would if one left it."""
    tiers = (frozenset({"member1"}), frozenset({"member2"}))
    rules = (Tiers(tiers), Weights({"member1": 1, "member2": 1}, tiers=tiers))
    why = asked(web(5, 2, *rules, requests={"cpu": 1000}), free=[{"cpu": 3000}, {"cpu": 9000}], count=2)
    assert placed(why) == [3, 2]
    assert cost(less(why, 1)) == ("beyond tier 1", 1)
    assert (why.gains[0].action, why.gains[0].after) == ("capacity for one more replica on member1", 1)


def test_exact_totals() -> None:
    """Exactly 3 in member1 alone leaves nothing to choose there; the others share 4 evenly."""
    whole = GroupTotal("member1", frozenset({"member1"}), 3, 3, Source(POLICY, 20))
    rules = (Candidates(names(3)), Total(), whole, Evenness(names(3)))
    why = asked(replace(web(7, 3), rules=rules))
    assert placed(why) == [3, 2, 2]
    exactly = f"policy default/web: member1 must hold exactly 3 replicas ({POLICY}:20)"
    assert blocked(more(why, 1)) == blocked(less(why, 1)) == exactly
    assert cost(more(why, 2)) == ("evenness", 2)  # 3^2 + 1^2 instead of 2^2 + 2^2
    assert why.gains[0].action == "placing 6 instead of 7 replicas"
    # 4:2:1 would be at 21 instead of 17, 2:3:2 at 17 as well: neither is better.
    assert len(why.gains) == 1


def test_group_total_from_above() -> None:
    """At most 2 of 6 in member1 and member2 together: 1:1:4 at 18/2 - 6 = 3, with 3 of them 2:1:3 at 1."""
    group = GroupTotal("zone a", frozenset({"member1", "member2"}), 0, 2, Source(POLICY, 8))
    why = asked(web(6, 3, group))
    assert placed(why) == [1, 1, 4]
    assert blocked(less(why, 3)) == f"policy default/web: zone a may hold at most 2 ({POLICY}:8)"
    assert gain_sentence(why.gains[0]) == (
        f"raising the maximum of zone a from 2 to 3 lowers deviation from 3 to 1 ({POLICY}:8)"
    )


def test_spread_from_above() -> None:
    """All 6 in one of two regions: one in the other region takes all of them there, at no cost."""
    groups = {"a": frozenset({"member1"}), "b": frozenset({"member2"})}
    why = asked(web(6, 2, Spread("region", groups, 1, 1, Source(POLICY, 5))), count=2)
    assert placed(why) == [6, 0]
    assert (more(why, 2).replicas, cost(more(why, 2))) == (6, (None, 0))
    assert more(why, 2).shifts == (Shift(KEY, 6, "member1", "member2"),)
    assert gain_sentence(why.gains[0]) == (
        f"raising the most region groups from 1 to 2 lowers deviation from 6 to 0 ({POLICY}:5)"
    )


def test_spread_from_below() -> None:
    """Weights 1:0 want all 2 in member1; two clusters have to be used all the same."""
    groups = {name: frozenset({name}) for name in names(2)}
    rules = (Spread("cluster", groups, 2), Weights({"member1": 1, "member2": 0}))
    why = asked(web(2, 2, *rules), count=2)
    assert placed(why) == [1, 1]
    assert blocked(less(why, 2)).startswith("policy default/web: ")
    assert (why.gains[0].action, why.gains[0].after) == ("lowering the fewest cluster groups from 2 to 1", 0)


def test_survival() -> None:
    """At least 2 of 4 have to be left, so no more than 2 in a cluster, though member1 weighs three times."""
    groups = {name: frozenset({name}) for name in names(2)}
    rules = (Survival("cluster", groups, 2), Weights({"member1": 3, "member2": 1}))
    why = asked(web(4, 2, *rules), count=2)
    assert placed(why) == [2, 2]
    assert blocked(more(why, 1)) != ""
    # 2:2 is at 4/3 * (4/4 ... ): (2 - 3)^2 / 3 + (2 - 1)^2 / 1 = 4/3; 3:1 is exact.
    assert why.gains[0].action == "lowering what is left when a cluster is lost from 2 to 1"
    assert (why.gains[0].before, why.gains[0].after) == (Fraction(4, 3), 0)


def test_aggregated() -> None:
    """Both fit on member1; one on member2 takes both of them there, or costs a cluster."""
    why = asked(web(2, 2, Aggregated(), Weights({"member1": 2, "member2": 1})), count=2)
    assert placed(why) == [2, 0]
    # (2, 0) is at (2 - 4/3)^2 / (4/3) + 2/3 = 1, (0, 2) at 4/3 + (4/3)^2 / (2/3) = 4.
    assert (more(why, 2).replicas, cost(more(why, 2))) == (2, ("deviation", 3))


def test_shared_capacity_names_who_gives_way() -> None:
    """Two workloads of 3 fill member1 and member2, two places each: one more there moves the other's."""
    other = replace(web(3, 3), key="default/api", name="api", requests={"cpu": 1000})
    own = web(3, 3, requests={"cpu": 1000})
    free = [{"cpu": 2000}, {"cpu": 2000}, {"cpu": 4000}]
    why = asked(own, other, free=free)
    assert placed(why) == [1, 1, 1]
    assert cost(more(why, 3)) == ("deviation", 2)  # 0:1:2, member3 has room
    # 2:0:1 for one; 0:2:1 or 0:1:2 for the other, all 2 away, and the latter fills clusters alike.
    assert cost(more(why, 1)) == ("deviation", 4)
    assert more(why, 1).shifts == (
        Shift(KEY, 1, "member2", "member1"),
        Shift("default/api", 1, "member1", "member3"),
    )


def test_quota() -> None:
    """8 over 1:1 would be 4:4; a quota of 3 pods on member1 makes it 3:5, at 34/4 - 8 = 1/2."""
    limits = {QuotaScope("pods"): QuotaLimit(8), QuotaScope("pods", "member1"): QuotaLimit(3)}
    rule = Quota("compute", "default", limits, Source(POLICY, 4))
    why = asked(web(8, 2), rules=(rule,), count=2)
    assert placed(why) == [3, 5]
    assert (
        blocked(more(why, 1)) == f"the quota of namespace default leaves 3 pods, 1 per replica ({POLICY}:4)"
    )
    assert gain_sentence(why.gains[0]) == (
        "capacity for one more replica in quota default/compute on member1 lowers deviation from 0.5 to 0 "
        f"({POLICY}:4)"
    )


def test_quota_of_copies() -> None:
    """Copies of 3 may be chosen, and the quota allows 2 pods on member2: it never holds a copy."""
    limits = {
        QuotaScope("pods"): QuotaLimit(6),
        QuotaScope("pods", "member2"): QuotaLimit(2, source=Source(POLICY, 7)),
    }
    rule = Quota("compute", "default", limits, Source(POLICY, 4))
    chosen = web(3, 2, Duplicated(choice=True))
    rules = tuple(each for each in chosen.rules if not isinstance(each, Total | Weights))
    why = asked(replace(chosen, rules=rules), rules=(rule,), count=2)
    assert placed(why) == [3, 0]
    assert (
        blocked(more(why, 2)) == f"the quota of namespace default leaves 2 pods, 1 per replica ({POLICY}:7)"
    )


def test_budget_of_moves() -> None:
    """4:0 runs and may move one replica only: 3:1, at 10/2 - 4 = 1; two moves would make it 2:2."""
    budget = MoveBudget("the plan", 1)
    workload = web(4, 2, Moves(frozenset(names(2))), current={"member1": 4})
    why = asked(workload, rules=(budget,), count=2)
    assert placed(why) == [3, 1]
    assert more(why, 2).possible is Possible.NO
    assert gain_sentence(why.gains[0]) == (
        "letting the plan move 2 instead of 1 replicas lowers deviation from 1 to 0"
    )


def test_companions() -> None:
    """Kept apart, the workload cannot pass to the only cluster of the other one, which cannot leave."""
    other = replace(web(1, 3), key="default/api", name="api", rules=(Candidates(("member1",)), Total()))
    apart = Companionship("apart", ("default/api", KEY), together=False, source=Source(POLICY, 3))
    why = asked(web(2, 3), other, rules=(apart,))
    assert placed(why) == [0, 1, 1]
    assert "apart" in blocked(more(why, 1))


def test_full_copies() -> None:
    """Every candidate holds a full copy, no more and no less; no bound can help."""
    why = fairlead.why(problem(duplicated()), "proxy")
    assert blocked(more(why, 1)) == f"a full copy is 2 ({POLICY}:9)"
    assert blocked(less(why, 1)) == f"every eligible cluster holds a full copy ({POLICY}:9)"
    assert (why.gains, why.tried) == ((), 0)


def test_chosen_copies() -> None:
    """A copy of 3 on one of two clusters: one more on the other is the copy there instead."""
    one = Spread("cluster", {name: frozenset({name}) for name in names(2)}, 1, 1)
    copies = Duplicated(choice=True)
    workload = replace(web(3, 2), rules=(Candidates(names(2)), copies, one))
    why = asked(workload, count=2)
    assert placed(why) == [3, 0]
    assert (more(why, 2).replicas, cost(more(why, 2))) == (3, (None, 0))
    assert blocked(more(why, 1)) == "a full copy is 3"


def test_scaled_to_zero() -> None:
    """A workload of 0 replicas has nothing to place and nothing to gain."""
    why = fairlead.why(problem(nginx(0)), "nginx")
    assert blocked(more(why, 1)) == "it is scaled to 0 (<dict>)"
    assert blocked(less(why, 1)) == "it holds none"
    assert (at(why, 1).decision.reason, why.tried) == ("scaled to 0", 0)


def test_all_in_one_cluster() -> None:
    """The only candidate holds everything."""
    why = asked(web(2, 1), count=1)
    assert blocked(more(why, 1)) == "it holds all 2 already"
    assert blocked(less(why, 1)) == "no other cluster can take one more"


def test_no_more_than_a_cluster_can_be_asked_for() -> None:
    """Without a total any number is right, but no cluster is asked for a second one of a single replica."""
    one = Bounds({"member1": Bound(1)}, {})
    workload = replace(web(1, 1), rules=(Candidates(names(1)), one), without=frozenset({"total"}))
    assert blocked(more(asked(workload, count=1), 1)) == "no cluster is asked for more than 1"


def test_takes_nothing_new() -> None:
    """A cluster with an untolerated NoSchedule taint keeps what it holds and never takes more."""
    keeps = Candidates(
        names(2), held_only={"member1": Exclusion("had untolerated taint {old}", Source("c", 4))}
    )
    workload = web(6, 2, current={"member1": 2})
    why = asked(replace(workload, rules=(keeps, *workload.rules[1:])), count=2)
    assert placed(why) == [2, 4]
    assert blocked(more(why, 1)) == "it takes no new replicas: had untolerated taint {old} (c:4)"


def test_sentence_of_karmada() -> None:
    """Excluded clusters are counted by reason, as Karmada does; nothing is said where there are none."""
    assert fairlead.why(problem(), "nginx").available == (
        "3/4 clusters are available: 1 cluster(s) had untolerated taint {gpu}"
    )
    assert asked(web(2, 3)).available == ""
    shut = Candidates((), dict.fromkeys(names(2), Exclusion("had untolerated taint {gpu}")))
    why = asked(replace(web(2, 2), rules=(shut, Total())), count=2)
    assert why.outcome.status is Status.INFEASIBLE
    assert why.available == "0/2 clusters are available: 2 cluster(s) had untolerated taint {gpu}"


def test_infeasible() -> None:
    """Without a placement the conflict is told, and what each cluster has to do with it."""
    low = Bounds({"member1": Bound(3, Source(POLICY, 31)), "member2": Bound(3)})
    why = asked(web(4, 2, low), count=2)
    assert why.outcome.status is Status.INFEASIBLE
    assert at(why, 1).decision.reason == "nothing is placed: policy default/web: member1 needs at least 3"
    assert (at(why, 1).more, why.gains) == (None, ())
    assert f"  policy default/web: member1 needs at least 3 ({POLICY}:31)" in str(why).splitlines()


def test_one_cluster_only() -> None:
    """Where one cluster is asked for, nothing is said of the others; bounds are those of the workload."""
    why = fairlead.why(problem(), "nginx", "member2")
    assert [each.decision.cluster for each in why.clusters] == ["member2"]
    assert why.asked == "member2"
    assert len(why.gains) == 2


def test_known_outcome_is_not_solved_again() -> None:
    """A given outcome is the one that is explained; that of a dispenser or of another problem is refused."""
    outcome = fairlead.solve(problem())
    assert fairlead.why(problem(), "nginx", outcome=outcome).outcome is outcome
    with pytest.raises(UsageError, match="that of reference"):
        fairlead.why(problem(), "nginx", outcome=fairlead.dispense(problem()))
    with pytest.raises(UsageError, match="leave them out"):
        fairlead.why(problem(), "nginx", outcome=outcome, fresh=True)
    with pytest.raises(UsageError, match="another problem"):
        fairlead.why(problem(nginx(), duplicated()), "nginx", outcome=outcome)


def test_limits_at_which_nothing_stands_are_asked_about_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """9 at 1:2:...:6 are 0, 1, 1, 2, 2, 3 in clusters that have room for 4 each: no room helps, asked once.

    One question is about all of the room, two are about one replica more in all and one less.
    """
    asked_for: list[Problem] = []

    def counting(about: AnsweredPart, changed: Problem, deadline: Deadline) -> Outcome:
        asked_for.append(changed)
        return resolve(about, changed, deadline)

    resolve = AnsweredPart.resolve
    monkeypatch.setattr(AnsweredPart, "resolve", counting)
    weights = Weights({name: number for number, name in enumerate(names(6), 1)})
    clusters = tuple(Cluster(name, free={CPU: 400, "pods": 10}) for name in names(6))
    workload = web(9, 6, weights, requests={CPU: 100})
    why = fairlead.why(Problem(clusters, (workload,), (Capacity(),)), KEY, cluster="member1")
    assert placed(why) == [0]
    assert why.tried == 8
    assert why.gains == ()
    # One replica more on member1 is the fourth question.
    assert len(asked_for) == 4


def test_unplaced_replicas_are_explained() -> None:
    """Two clusters of one replica each and three replicas: one stays unplaced, room for one more helps.

    A replica more on member1 is not possible; one less leaves two unplaced instead of one.
    """
    clusters = tuple(Cluster(name, free={"cpu": 1000}) for name in names(2))
    asking = Problem(clusters, (replace(web(3, 2), requests={"cpu": 1000}),), (Capacity(),))
    found = fairlead.why(asking, KEY, partial=True)
    assert placed(found) == [1, 1]
    more, less = found.clusters[0].more, found.clusters[0].less
    assert more is not None
    assert less is not None
    assert (more.possible, more.reason) == (Possible.NO, "at capacity (1 cpu in total, 1 per replica)")
    assert cost(less) == ("unplaced", 1)
    assert {(gain.cluster, gain.level, gain.gain) for gain in found.gains} == {
        ("member1", "unplaced", 1),
        ("member2", "unplaced", 1),
    }
    assert found.gains == fairlead.why(asking, KEY, outcome=fairlead.solve(asking, partial=True)).gains


def test_room_for_a_copy_that_is_missing_is_a_limit() -> None:
    """Copies of two replicas, of which member2 has room for one: room for one more gives it its copy."""
    clusters = (Cluster("member1", free={"cpu": 2000}), Cluster("member2", free={"cpu": 1000}))
    copied = Workload(
        KEY, "web", 2, "default", requests={"cpu": 1000}, rules=(Candidates(names(2)), Duplicated())
    )
    found = fairlead.why(Problem(clusters, (copied,), (Capacity(),)), KEY, partial=True)
    assert placed(found) == [2, 0]
    assert [(gain.cluster, gain.level, gain.gain) for gain in found.gains] == [("member2", "unplaced", 2)]


def test_what_fits_is_explained_beside_what_does_not() -> None:
    """Web is placed in full, beside a workload that does not fit on its own cluster: it does not count."""
    rules = (Candidates(("member3",)), Total())
    other = replace(web(1, 2), key="default/big", name="big", requests={"cpu": 9000}, rules=rules)
    clusters = tuple(Cluster(name, free={"cpu": 1000}) for name in names(3))
    found = fairlead.why(Problem(clusters, (web(2, 2), other), (Capacity(),)), KEY, partial=True)
    alone = fairlead.why(Problem(clusters, (web(2, 2),), (Capacity(),)), KEY)
    assert [(each.more, each.less) for each in found.clusters] == [
        (each.more, each.less) for each in alone.clusters
    ]
    assert found.clusters[0].less is not None
    assert cost(found.clusters[0].less) == ("deviation", 2)


def test_a_replica_more_that_a_more_urgent_workload_pays_for_is_not_possible() -> None:
    """One place for two workloads of one replica: the more urgent one has it."""
    urgent = replace(web(1, 1), key="default/urgent", name="urgent", priority=9, requests={"cpu": 1000})
    late = replace(web(1, 1), requests={"cpu": 1000})
    asking = Problem((Cluster("member1", free={"cpu": 1000}),), (late, urgent), (Capacity(),))
    step = fairlead.why(asking, KEY, partial=True).clusters[0].more
    assert step is not None
    assert (step.possible, step.proven) == (Possible.NO, True)
    assert "more urgent" in step.reason


def test_room_that_others_take_is_a_limit() -> None:
    """Two workloads of one replica each, both for member1 only by weight, which holds one of them.

    A cluster that one of them alone would not fill is full for both: room for one more there is a gain.
    """
    both = [
        Workload(
            f"default/{name}",
            name,
            1,
            requests={"cpu": 1000},
            rules=(Candidates(names(2)), Total(), Weights({"member1": 1, "member2": 0})),
        )
        for name in ("a", "b")
    ]
    clusters = tuple(Cluster(name, free={"cpu": 1000}) for name in names(2))
    found = fairlead.why(Problem(clusters, tuple(both), (Capacity(),)), "a")
    assert [gain.cluster for gain in found.gains] == ["member1"]


def test_arguments_of_solve_count() -> None:
    """By l1, 2:1 of 3 over 1:1 is 1 away and 3:0 is 3."""
    asking = Problem(tuple(map(Cluster, names(2))), (web(3, 2),))
    step = fairlead.why(asking, KEY, deviation="l1").clusters[0].more
    assert step is not None
    assert cost(step) == ("deviation", 2)
    kept = web(4, 2, Moves(frozenset(names(2)), keep=True), current={"member1": 3, "member2": 1})
    asking = Problem(tuple(map(Cluster, names(2))), (kept,))
    assert placed(fairlead.why(asking, KEY)) == [3, 1]
    assert placed(fairlead.why(asking, KEY, fresh=True)) == [2, 2]


def test_affinity_group_stays() -> None:
    """Questions are asked within the affinity group that was chosen, though a later one has more room."""
    second = AffinityGroup(
        "second", (Candidates(("member2", "member3")), Total(), Weights({"member2": 1, "member3": 1}))
    )
    first = AffinityGroup("first", (Candidates(("member1",)), Total(), Bounds(maximum={"member1": Bound(3)})))
    workload = replace(web(3, 1), groups=(first, second), rules=first.rules, group="first")
    why = asked(workload)
    assert placed(why) == [3, 0, 0]
    not_eligible = "default/web: 1/3 clusters are available: 2 cluster(s) are not eligible (<dict>)"
    assert blocked(less(why, 1)) == not_eligible


def test_no_time_is_said() -> None:
    """What would take a solve is left when time is up."""
    groups = {"a": frozenset({"member1"}), "b": frozenset({"member2"})}
    asking = Problem(tuple(map(Cluster, names(2))), (web(6, 2, Spread("region", groups, 1, 1)),))
    why = fairlead.why(asking, KEY, outcome=fairlead.solve(asking), time_limit=1e-9)
    step = why.clusters[1].more
    assert step is not None
    assert (step.possible, step.reason, step.change) == (Possible.UNKNOWN, "not looked at in time", None)
    assert why.untried > 0
    assert f"{why.untried} limits could not be tried in time." in str(why)


def test_unproven_answers_are_not_compared_as_proven() -> None:
    """Where the answer is not proven best, costs are not either, and no bound is tried."""
    outcome = fairlead.solve(problem())
    levels = tuple(Attained(level.name, level.value, 0) for level in outcome.objectives)
    why = fairlead.why(
        problem(), "nginx", outcome=replace(outcome, status=Status.FEASIBLE, objectives=levels)
    )
    assert (more(why, 1).level, more(why, 1).change, more(why, 1).proven) == (
        "deviation",
        Fraction(9, 11),
        False,
    )
    assert (why.gains, why.untried > 0) == ((), True)
    assert "No limits were tried: the placement itself is not proven best." in str(why)


def test_limits_are_tried_where_a_later_level_may_be_worse_than_best() -> None:
    """Balance has a tolerance; the deviation before it is 2/3, and 1/3 where one has 2 or 4 over 1:1."""
    rules = (Candidates(("a", "b")), Total(), Weights({"a": 1, "b": 1}))
    both = tuple(Workload(key, key, 3, requests={CPU: 1000}, rules=rules) for key in ("one", "two"))
    rooms = {"a": 10_000, "b": 30_000}
    clusters = tuple(Cluster(name, free={CPU: cpu}, allocatable={CPU: cpu}) for name, cpu in rooms.items())
    found = fairlead.why(Problem(clusters, both), "one")
    assert [level.name for level in found.outcome.objectives] == ["deviation", "balance"]
    assert (found.tried, found.untried) == (2, 0)
    assert [(gain.level, gain.gain, gain.proven) for gain in found.gains] == [
        ("deviation", Fraction(1, 3), True)
    ] * 2
