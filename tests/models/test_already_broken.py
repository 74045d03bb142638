"""Rules that what runs now breaks: repaired or reported, and never made worse."""

from dataclasses import replace
from typing import Any

import pytest

from fairlead.models.levels import MADE_WORSE
from fairlead.models.outcome import Outcome
from fairlead.models.placement import Placement
from fairlead.models.rules import (
    Bounds,
    Candidates,
    Companionship,
    GroupTotal,
    Spread,
    Survival,
    Total,
    Weights,
)
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.candidates import Exclusion
from fairlead.models.score import levels_of
from fairlead.models.shortfall import broken_amounts, broken_before, made_worse, unmet
from fairlead.models.source import Source
from fairlead.models.workload import AffinityGroup
from fairlead.report.content.outcome import breaches
from fairlead.report.renderer import terminal
from fairlead.solver.solve import solve
from partial_problems import NAMES, asked, best_partial, given_way, random_partial, three, web

ROOM = three(9000, 9000, 9000)
REGIONS = {name: frozenset({name}) for name in NAMES}


def texts(outcome: Outcome) -> list[str]:
    """Return what the running placement breaks, in words."""
    return [each.text for each in outcome.broken_before]


def test_a_maximum_is_repaired() -> None:
    """Member2 runs 5, at most 4 are allowed: one has to move, and the answer says what that repairs."""
    bounds = Bounds({}, {"member2": Bound(4, Source("pp.yaml", 12))})
    outcome = solve(asked(ROOM, web(5, bounds, current={"member2": 5})))
    assert outcome.placement == Placement({"default/web": {"member1": 1, "member2": 4}})
    line = "default/web: member2 holds 5 replicas, at most 4 are allowed (pp.yaml:12)"
    assert breaches(outcome) == [f"Fixed: {line}"]
    assert f"Fixed: {line}" in str(outcome)
    assert f"Fixed: {line}" in terminal(outcome)
    assert outcome.still_broken == ()
    assert outcome.to_dict()["brokenBefore"][0]["source"] == "pp.yaml:12"
    assert outcome.to_dict()["stillBroken"] == []


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (Bounds({"member1": Bound(2)}), "member1 holds 1 replica"),
        (GroupTotal("east", frozenset(NAMES[:1]), 3), "east holds 1 replica"),
        (Spread("region", REGIONS, 3), "replicas in 2 regions"),
        (Survival("region", REGIONS, 2), "losing region member2 leaves 1"),
    ],
)
def test_what_can_be_broken(rule: Any, text: str) -> None:
    """One replica runs on member1, three on member2."""
    problem = asked(ROOM, web(4, rule, current={"member1": 1, "member2": 3}))
    assert [text in each.text for each in broken_before(problem)] == [True]
    assert solve(problem).still_broken == ()


def test_candidates_capacity_and_companions_can_be_broken() -> None:
    """Something runs on a closed cluster, on an overcommitted one, and beside what it avoids."""
    apart = Companionship("apart", ("default/a", "default/b"), together=False)
    first = web(1, name="a", current={"member1": 1}, names=NAMES[1:])
    second = web(2, name="b", current={"member1": 1, "member2": 1})
    problem = asked(three(-1500, 9000, 9000), first, second, shared=(apart,))
    assert [each.rule for each in broken_before(problem)] == ["candidates", "capacity", "companionship"]


def test_scaling_is_no_breach() -> None:
    """Totals are left out; so are workloads of which nothing runs, and clusters that are not in the input."""
    new = web(4, Bounds({"member1": Bound(2)}), name="new")
    grown = web(9, name="grown", current={"member1": 2})
    gone = web(1, Bounds({}, {"member9": Bound(1)}), name="gone", current={"member9": 5})
    assert broken_before(asked(ROOM, new, grown, gone)) == ()


def test_a_breach_is_not_made_worse() -> None:
    """Minima of 3 and 3 for 4 replicas; member1 lacks one of them now, member2 none.

    The ratio of 1:3 would give member1 one replica only; that would make worse what is broken there.
    """
    bounds = Bounds({"member1": Bound(3), "member2": Bound(3)})
    weights = Weights({"member1": 1, "member2": 3})
    running = {"member1": 2, "member2": 3}
    problem = asked(ROOM, web(4, bounds, weights, names=NAMES[:2], current=running))
    outcome = solve(problem, partial=True, workers=1)
    assert outcome.placement == Placement({"default/web": {"member1": 2, "member2": 2}})
    assert given_way(outcome) == {"minima shortfall": 2}
    assert [each.cluster for each in outcome.still_broken] == ["member1"]
    assert [line[:16] for line in breaches(outcome)] == ["Still violated: "]
    assert len(outcome.to_dict()["stillBroken"]) == 1
    fresh = solve(asked(ROOM, web(4, bounds, weights, names=NAMES[:2])), partial=True, workers=1)
    assert fresh.placement == Placement({"default/web": {"member1": 1, "member2": 3}})


def test_never_worse_comes_before_all_else() -> None:
    """An urgent newcomer may not take what another one runs below its minimum.

    Member1 has room for 3. The old one runs 1 there and needs 2; the urgent one needs all 3.
    """
    old = web(1, Bounds({"member1": Bound(2)}), name="old", current={"member1": 1}, names=("member1",))
    urgent = web(3, Bounds({"member1": Bound(3)}), name="urgent", priority=10, names=("member1",))
    problem = asked(three(2000, 0, 0), old, urgent)
    outcome = solve(problem, partial=True, workers=1)
    assert outcome.placement is not None
    assert outcome.placement["default/old"] == {"member1": 1}
    assert outcome.placement["default/urgent"] == {"member1": 2}
    newcomer = solve(asked(three(3000, 0, 0), replace(old, current={}), urgent), partial=True, workers=1)
    assert newcomer.placement is not None
    assert newcomer.placement["default/urgent"] == {"member1": 3}


def test_the_level_is_there_only_where_something_is_broken() -> None:
    """Where nothing that runs breaks a minimum, there is nothing that could be made worse."""
    fine = replace(asked(ROOM, web(4, Bounds({"member1": Bound(2)}), current={"member1": 3})), partial=True)
    broken = replace(asked(ROOM, web(4, Bounds({"member1": Bound(2)}), current={"member2": 3})), partial=True)
    assert MADE_WORSE not in levels_of(fine)
    assert levels_of(broken)[0] == MADE_WORSE


def test_another_group_is_no_breach() -> None:
    """What runs keeps the rules of one of its affinity groups: it breaks nothing."""
    groups = tuple(AffinityGroup(name, (Candidates((name,)), *web(1).rules[1:])) for name in NAMES)
    workload = replace(web(1, current={"member2": 1}), groups=groups, rules=groups[0].rules)
    assert broken_before(asked(ROOM, workload)) == ()


def test_the_rules_of_the_observed_group_count() -> None:
    """The group that holds it now is closed by a taint; that is what is broken, not the new group."""
    tainted = Candidates((), {"member1": Exclusion("had untolerated taint {power: off}")})
    groups = (
        AffinityGroup("old", (tainted, *web(1).rules[1:])),
        AffinityGroup("new", (Candidates(("member2",)), *web(1).rules[1:])),
    )
    workload = replace(web(1, current={"member1": 1}), groups=groups, observed="old")
    outcome = solve(asked(ROOM, workload))
    assert outcome.problem.workload("default/web").group == "new"
    assert breaches(outcome) == ["Fixed: default/web: 1 on member1, which had untolerated taint {power: off}"]


def test_random_problems_are_never_made_worse_in_vain() -> None:
    """Brute force finds no placement that makes less worse; mostly nothing is made worse at all."""
    seen = 0
    for seed in range(5000, 5060):
        problem = random_partial(seed, "webster")
        before = broken_amounts(problem)
        outcome = solve(problem, partial=True, workers=1, time_limit=60.0)
        assert outcome.placement is not None
        if before:
            seen += 1
            worse = made_worse(before, unmet(problem, outcome.placement))
            assert worse == best_partial(problem).values[0] == outcome.objectives[0].value
    assert seen > 10


def test_workloads_on_one_closed_cluster_are_told_together() -> None:
    """Two workloads hold 2 and 3 replicas on a drained cluster, for one reason: one sentence about 5."""
    drained = Candidates(("member1",), {"member2": Exclusion("had untolerated taint {maintenance}")})
    names = {"default/api": 2, "default/web": 3}
    workloads = tuple(
        replace(web(held, current={"member2": held}), key=key, rules=(drained, Total()))
        for key, held in names.items()
    )
    outcome = solve(asked(ROOM, *workloads))
    whose = "default/api 2 and default/web 3"
    told = f"Fixed: 5 replicas on member2, which had untolerated taint {{maintenance}} ({whose})"
    assert breaches(outcome) == [told]
