"""plan(): targets under budgets and pins, the waves that lead there, and plans that go on later."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import pytest

from brute_force import brute_force
from fairlead.models.cluster import Cluster
from fairlead.models.errors import UsageError
from fairlead.models.outcome import Outcome, Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Capacity, Duplicated, Moves, Total, Weights
from fairlead.models.rules.bounds import Bound
from fairlead.models.source import KarmadaBinding
from fairlead.models.workload import Workload
from fairlead.solver.plan.answer import Budgets, PlanOptions, RebalancePlan
from fairlead.solver.plan.plan import plan
from fairlead.solver.plan.replay import replay
from fairlead.solver.plan.target import planned
from fleets import random_fleet
from moved import moved_to
from seeds import runs

NAMES = ("member1", "member2", "member3")


def service(key: str, current: Mapping[str, int], **changes: object) -> Workload:
    """Return a workload that wants to be divided evenly over three clusters."""
    rules = (Candidates(NAMES), Total(), Weights(dict.fromkeys(NAMES, 1)), Moves(frozenset(NAMES)))
    space, _, name = key.partition("/")
    base = Workload(
        key, name, sum(current.values()), space, requests={"cpu": 1000}, current=current, rules=rules
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def fleet(*workloads: Workload, free: int = 20_000) -> Problem:
    """Return three clusters with so much cpu free."""
    clusters = tuple(Cluster(name, free={"cpu": free, "pods": 100}) for name in NAMES)
    return Problem(clusters, workloads, (Capacity(),))


def target(found: RebalancePlan) -> dict[str, dict[str, int]]:
    """Return the target of a plan that replays cleanly and reaches it."""
    assert found.outcome.placement is not None
    assert found.waves is not None
    assert replay(found.waves) == ()
    assert found.waves.complete
    return found.outcome.placement.to_dict()


WEB = {"member1": 9}
EVEN = {"member1": 3, "member2": 3, "member3": 3}


def test_a_copy_that_ends_is_stopped_and_not_moved() -> None:
    """Three copies of 2 run, member3 is no candidate any more: 2 replicas stop, and nothing starts for them.

    Once they counted as 2 moves, and the rest of the sum as "-2 started".
    """
    rules = (Candidates(NAMES[:2]), Duplicated(), Moves(frozenset(NAMES)))
    found = plan(fleet(service("default/web", dict.fromkeys(NAMES, 2), replicas=2, rules=rules)))
    assert (found.moves, found.started, found.stopped) == (0, 0, 2)
    assert found.moves_by_workload == {}


def test_what_runs_on_a_cluster_that_is_gone_does_not_stay_there() -> None:
    """No rule names the clusters of a; only member3 is open to it, and one of the 4 of b has to leave that.

    What is first tried beside others is what runs. Once it kept its rules, and nothing moved.
    """
    closed = {"member1": Bound(0), "member2": Bound(0)}
    gone = service("default/a", {"lost": 1}, rules=(Bounds({}, closed), Moves(frozenset(NAMES), keep=True)))
    full = service("default/b", {"member3": 4}, rules=(Moves(frozenset(NAMES), keep=True),))
    clusters = tuple(Cluster(name, free={"cpu": 1000 * (name == "member1")}) for name in NAMES)
    found = target(plan(Problem(clusters, (gone, full)), moves_first=True))
    assert found == {"default/a": {"member3": 1}, "default/b": {"member1": 1, "member3": 3}}


def test_the_time_limit_counts_from_the_first_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 10 s, checking the problem takes 5 here: the target has at most 60 % of what is left, not of all."""
    given: list[float] = []
    clock = iter([0.0, *[5.0] * 1000])

    def solved(question: Problem, *, time_limit: float, **_settings: object) -> Outcome:
        given.append(time_limit)
        return Outcome(Status.UNKNOWN, "greedy", question, None)

    monkeypatch.setattr("fairlead.solver.plan.plan.solve", solved)
    monkeypatch.setattr("fairlead.solver.running.deadline.time.monotonic", lambda: next(clock))
    plan(fleet(service("shop/web", WEB)), time_limit=10.0)
    assert given == [3.0]


def test_without_a_budget_the_target_is_the_best_placement() -> None:
    """Nine replicas on one cluster become three on each: six move."""
    found = plan(fleet(service("shop/web", WEB)))
    assert target(found) == {"shop/web": EVEN}
    assert (found.moves, found.outcome.status) == (6, Status.OPTIMAL)


@pytest.mark.parametrize(
    ("budget", "moves"),
    [
        (Budgets(4), 4),
        (Budgets("50%"), 4),  # half of nine replicas, rounded down
        (Budgets(per_workload=2), 2),
        (Budgets(per_workload=2, workloads={"shop/web": 3}), 3),
        (Budgets(per_namespace="25%"), 2),
        (Budgets(namespaces={"shop": 1}), 1),
        (Budgets(leaving={"member1": 5}), 5),
        (Budgets(arriving={"member2": 1}), 5),  # one to member2; four more even out member1 and member3
        (Budgets(total=5, per_workload=3), 3),
    ],
)
def test_budgets(budget: Budgets, moves: int) -> None:
    """Every kind of budget holds, and is used up where that brings the ratio closer."""
    found = plan(fleet(service("shop/web", WEB)), budget=budget)
    target(found)
    assert found.moves == moves


def test_what_is_pinned_stays() -> None:
    """A pinned workload, and everything on a pinned cluster, stays; the rest goes on."""
    problem = fleet(service("shop/web", WEB), service("shop/api", {"member2": 3}))
    assert target(plan(problem, pinned=["shop/web"]))["shop/web"] == WEB
    around = target(plan(problem, pinned_clusters=["member2"]))
    # Nothing leaves member2 and nothing arrives: api stays, web divides 9 over the two others.
    assert around == {"shop/api": {"member2": 3}, "shop/web": {"member1": 5, "member3": 4}}


@pytest.mark.parametrize("name", ["web", "shop/web", "deploy/web", "Deployment/shop/web"])
def test_workloads_are_named_as_people_type_them(name: str) -> None:
    """With `why` and `simulate` a name is enough, or kind/name; so it is with pins and budgets."""
    problem = fleet(service("shop/web", WEB, kind="Deployment"), service("shop/api", {"member2": 3}))
    assert plan(problem, pinned=[name]).options.pinned == {"shop/web"}
    assert target(plan(problem, budget=Budgets(workloads={name: 0})))["shop/web"] == WEB


def test_only_what_was_asked_for_is_rebalanced() -> None:
    """A rebalancer names web; api, just as uneven, stays."""
    problem = fleet(service("shop/web", WEB, fresh=True), service("shop/api", {"member2": 3}))
    assert target(plan(problem)) == {"shop/api": {"member2": 3}, "shop/web": EVEN}


def test_others_make_room_only_where_it_is_allowed() -> None:
    """Web must leave member1, which closed, and needs the room of api on member2."""
    moved = service("shop/web", {"member1": 2}, fresh=True)
    open_to = tuple(rule for rule in moved.rules if not isinstance(rule, Candidates))
    moved = replace(moved, rules=(Candidates(("member2",)), *open_to))
    problem = fleet(moved, service("shop/api", {"member2": 1}))
    clusters = tuple(
        replace(cluster, free={"cpu": 1000 if cluster.name == "member2" else 5000, "pods": 100})
        for cluster in problem.clusters
    )
    tight = replace(problem, clusters=clusters)
    assert plan(tight).outcome.status is Status.INFEASIBLE
    found = plan(tight, others="make-room")
    assert found.outcome.placement is not None
    assert found.outcome.placement.of("shop/web") == {"member2": 2}
    assert found.moves == 3


def test_what_breaks_a_rule_is_planned_though_nobody_asked() -> None:
    """Api runs one replica too few: it is completed; only then is it left alone."""
    broken = service("shop/api", {"member2": 3}, replicas=4)
    problem = fleet(service("shop/web", WEB, fresh=True), broken)
    assert sum(target(plan(problem))["shop/api"].values()) == 4


def test_moves_first() -> None:
    """Nothing has to move, so nothing does, whatever the ratio."""
    found = plan(fleet(service("shop/web", WEB)), moves_first=True)
    assert found.nothing_to_do
    assert (
        str(found) == "No changes: what runs now is already the target.\n"
        "The target is optimal: no better placement exists (proven)."
    )


def test_moves_under_way_need_no_budget() -> None:
    """Member1 is being evicted: its nine replicas go though the budget is 0."""
    evicted = service("shop/web", WEB, declared=KarmadaBinding({}, evicting=frozenset({"member1"})))
    open_to = tuple(rule for rule in evicted.rules if not isinstance(rule, Candidates))
    evicted = replace(evicted, rules=(Candidates(("member2", "member3")), *open_to))
    assert plan(fleet(evicted), budget=0).outcome.status is Status.OPTIMAL
    stuck = replace(evicted, declared=None)
    assert plan(fleet(stuck), budget=0).outcome.status is Status.INFEASIBLE


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"pinned": ["shop/wb"]}, "no workload 'shop/wb'; did you mean shop/web"),
        ({"pinned_clusters": ["x"]}, "no cluster 'x'"),
        ({"budget": Budgets(namespaces={"x": 1})}, "no namespace 'x'; known: shop"),
        ({"others": "leave"}, "no others 'leave'; known: make-room and stay"),
        ({"order": "x"}, "no order 'x'; known: either, start-first and stop-first"),
        ({"gain": -1}, "at least 0"),
        ({"resume": {"form": "x"}}, "this is not a saved plan"),
    ],
)
def test_wrong_arguments_are_refused_in_words(arguments: dict[str, object], text: str) -> None:
    """What is wrong, and what is allowed."""
    with pytest.raises(UsageError, match=text):
        plan(fleet(service("shop/web", WEB)), **arguments)  # type: ignore[arg-type]


def test_a_budget_that_is_no_amount_is_refused() -> None:
    """Shares end in a percent sign."""
    with pytest.raises(UsageError, match="budget total: 'ten' is neither a number of replicas nor a share"):
        Budgets("ten")


def test_a_saved_plan_goes_on_where_it_stopped() -> None:
    """After one of six moves has been made five are left, to the same target."""
    problem = fleet(service("shop/web", WEB))
    saved = plan(problem).to_dict()
    later = moved_to(problem, Placement({"shop/web": {"member1": 8, "member2": 1}}))
    found = plan(later, resume=saved)
    assert target(found) == {"shop/web": EVEN}
    assert found.moves == 5
    assert found.outcome.placement is not None
    done = plan(moved_to(problem, found.outcome.placement), resume=saved)
    assert done.nothing_to_do


def test_a_saved_plan_whose_target_no_longer_fits_is_refused() -> None:
    """Member2 has lost its capacity since."""
    problem = fleet(service("shop/web", WEB))
    saved = plan(problem).to_dict()
    clusters = tuple(
        replace(cluster, free={"cpu": 0, "pods": 100}) if cluster.name == "member2" else cluster
        for cluster in problem.clusters
    )
    with pytest.raises(UsageError, match=r"breaks a rule now: member2: .* make a new plan"):
        plan(replace(problem, clusters=clusters), resume=saved)


def assert_least_moves(seeds: range, *, small: bool) -> None:
    """Plan random fleets with moves first: each replays cleanly, and no target needs fewer moves."""
    targets = 0
    for seed in seeds:
        sizes = (2, 3, 4) if small else (6, 5, 6)
        drawn = random_fleet(seed, most_workloads=sizes[0], most_clusters=sizes[1], most_replicas=sizes[2])
        found = plan(drawn.problem, moves_first=True, time_limit=60.0, workers=1)
        if found.waves is None:
            assert found.outcome.status is Status.INFEASIBLE, seed
            continue
        targets += 1
        assert replay(found.waves) == (), seed
        assert found.outcome.status is Status.OPTIMAL, seed
        if small:
            best = brute_force(planned(drawn.problem, PlanOptions(moves_first=True)))
            assert best is not None
            assert tuple(level.value for level in found.outcome.objectives) == best.values, seed
    assert targets > len(seeds) // 2


@pytest.mark.parametrize("seeds", runs(range(25), range(25, 150)))
def test_small_random_fleets_need_no_fewer_moves(seeds: range) -> None:
    """Compared with brute force."""
    assert_least_moves(seeds, small=True)


@pytest.mark.parametrize("seeds", runs(range(100, 115), range(200, 350)))
def test_random_fleets_replay_cleanly(seeds: range) -> None:
    """Larger ones, proven."""
    assert_least_moves(seeds, small=False)


def test_a_gain_is_read_exactly() -> None:
    """0.1 is a tenth, not the nearest binary number."""
    problem = planned(fleet(service("shop/web", WEB)), PlanOptions(gain=Fraction("0.1")))
    assert plan(fleet(service("shop/web", WEB)), gain=0.1).options.gain == Fraction(1, 10)
    assert len(problem.workloads[0].rules) == 5
