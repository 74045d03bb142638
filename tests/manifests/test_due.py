"""Due: whom Karmada's scheduler would look at again, and who is left where he runs."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

import fairlead
from builders import Manifest, binding, cluster, duplicated, dynamic, policy, static
from fairlead.manifests.karmada.scheduled import APPLIED
from fairlead.manifests.loading import load
from fairlead.models.check import with_due
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Total
from fairlead.models.rules.bounds import Bound
from fairlead.models.workload import Workload
from fairlead.solver.simulate.changed import changed
from fairlead.solver.simulate.changes import Drain, Weight
from loaded import only

EARLIER, LATER = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"
EVENLY = static(("a", 1), ("b", 1))


def running(
    current: Mapping[str, int],
    placement: Manifest,
    applied: Any = None,
    *,
    replicas: int = 4,
    name: str = "web",
    **more: Any,
) -> Manifest:
    """Return a binding of one-cpu replicas; `applied` is what the annotation says, as a dict or as text."""
    text = applied if isinstance(applied, str) else json.dumps(applied)
    marks = {} if applied is None else {APPLIED: text}
    return binding(name, replicas, current, placement, cpu=1, marks=marks, **more)


def fleet(*documents: Manifest, a: Manifest | None = None) -> Problem:
    """Return a problem with clusters a and b of nine cpu each."""
    return load([a or cluster("a", cpu=9), cluster("b", cpu=9), *documents])


def due(*documents: Manifest, a: Manifest | None = None) -> bool:
    """Tell whether the only workload is looked at again."""
    workload = only(fleet(*documents, a=a))
    return workload.due or workload.fresh


def objectives(outcome: fairlead.Outcome) -> list[tuple[str, object]]:
    """Return the levels of an outcome with their values."""
    return [(level.name, level.value) for level in outcome.objectives]


@pytest.mark.parametrize(
    ("applied", "expected"),
    [
        (EVENLY, False),
        (static(("a", 2), ("b", 1)), True),
        (dynamic(), True),
        (None, True),  # never written: nobody knows by what it was placed
        ("{", True),  # no JSON says nothing either
        ("[]", True),
        # Nested too deeply to be read at all, and to be looked at.
        ("[" * 100_000, True),
        (f'{{"clusterTolerations": {"[" * 600}{"]" * 600}}}', True),
    ],
)
def test_the_annotation_tells_whether_the_placement_is_the_one_applied(
    applied: Any, *, expected: bool
) -> None:
    """Four of four replicas run, so only the annotation can make the workload due."""
    assert due(running({"a": 4}, EVENLY, applied)) is expected


@pytest.mark.parametrize(("weight", "held"), [(3, {"a": 3, "b": 1}), (0, {"b": 4})])
def test_another_weight_makes_due(weight: int, held: dict[str, int]) -> None:
    """What is tried is no longer what was applied; without that two and two would stay."""
    problem = fleet(running({"a": 2, "b": 2}, EVENLY, EVENLY))
    found = fairlead.simulate(problem, Weight("web", "a", weight)).after
    assert found.placement is not None
    assert dict(found.placement["default/web"]) == held


def test_an_edited_policy_makes_due() -> None:
    """The policy of the input counts, not the copy in the binding, which equals the annotation."""
    held = running({"a": 4}, EVENLY, EVENLY)
    assert not due(held, policy("p", EVENLY))
    assert due(held, policy("p", static(("a", 1), ("b", 2))))


def test_fields_of_the_binding_that_are_not_placement_do_not_count() -> None:
    """Cluster tolerations and the like do; the order of keys and empty fields do not."""
    applied = {**dict(reversed(EVENLY.items())), "spreadConstraints": [], "clusterAffinity": {}}
    assert not due(running({"a": 4}, EVENLY, applied))
    tolerant = {**EVENLY, "clusterTolerations": [{"key": "x", "operator": "Exists"}]}
    assert due(running({"a": 4}, EVENLY, tolerant))


@pytest.mark.parametrize(("changed_term", "expected"), [("one", True), ("two", False)])
def test_of_affinity_groups_only_the_observed_one_is_compared(changed_term: str, *, expected: bool) -> None:
    """Scheduled in group one: another cluster in group two is no reason to look again."""
    now = {**EVENLY, "clusterAffinities": [_term("one", "a", "b"), _term("two", "b")]}
    before = [
        _term(name, "a") if name == changed_term else term
        for name, term in zip(("one", "two"), now["clusterAffinities"], strict=True)
    ]
    held = running(
        {"a": 4},
        now,
        {**EVENLY, "clusterAffinities": before},
        status={"schedulerObservedAffinityName": "one"},
    )
    assert due(held) is expected


@pytest.mark.parametrize("status", [{}, {"schedulerObservingAffinityName": "gone"}])
def test_without_an_observed_group_every_group_is_compared(status: Manifest) -> None:
    """As Karmada's scheduler does: nobody knows of which group a change may be left aside."""
    before = {**EVENLY, "clusterAffinities": [_term("one", "a"), _term("two", "b")]}
    now = {**EVENLY, "clusterAffinities": [_term("one", "a"), _term("two", "a", "b")]}
    assert due(running({"a": 4}, now, before, status=status))
    assert not due(running({"a": 4}, now, now, status=status))


@pytest.mark.parametrize("applied", [True, False])
def test_what_rests_without_a_status_stays_in_the_group_where_it_runs(*, applied: bool) -> None:
    """Backups leave the status out: b, of the second group, keeps all four, as under Karmada.

    One that Karmada would place anew, as the annotation is missing too, starts at the first group there.
    """
    groups = {**EVENLY, "clusterAffinities": [_term("one", "a"), _term("two", "b")]}
    problem = fleet(running({"b": 4}, groups, groups if applied else None))
    outcome = fairlead.solve(problem)
    assert outcome.placement is not None
    assert dict(outcome.placement["default/web"]) == ({"b": 4} if applied else {"a": 4})


def _term(name: str, *clusters: str) -> Manifest:
    """Return a term of clusterAffinities."""
    return {"affinityName": name, "clusterNames": list(clusters)}


def test_defaults_of_the_webhook_are_no_difference() -> None:
    """A policy from a file did not pass the webhook; what was applied did."""
    written: Manifest = {
        "spreadConstraints": [{"maxGroups": 2}],
        "replicaScheduling": {
            "replicaSchedulingType": "Divided",
            "weightPreference": EVENLY["replicaScheduling"]["weightPreference"],
        },
    }
    added = [
        {
            "key": f"cluster.karmada.io/{key}",
            "operator": "Exists",
            "effect": "NoExecute",
            "tolerationSeconds": 300,
        }
        for key in ("not-ready", "unreachable")
    ]
    applied = {
        "spreadConstraints": [{"spreadByField": "cluster", "minGroups": 1, "maxGroups": 2}],
        "clusterTolerations": added,
        "replicaScheduling": {**written["replicaScheduling"], "replicaDivisionPreference": "Weighted"},
    }
    assert not due(running({"a": 4}, written, applied))
    other = {**applied, "spreadConstraints": [{"spreadByField": "region", "minGroups": 1, "maxGroups": 2}]}
    assert due(running({"a": 4}, written, other))


@pytest.mark.parametrize(("count", "expected"), [(3, True), (4, False), (5, True)])
def test_replicas_that_do_not_add_up_make_due(count: int, *, expected: bool) -> None:
    """Four are wanted."""
    assert due(running({"a": count}, EVENLY, EVENLY)) is expected


def test_duplicated_is_always_due() -> None:
    """Karmada's scheduler looks at copies each time; divided by the same words it would not."""
    assert due(running({"a": 4, "b": 4}, duplicated(), duplicated()))


def test_who_asks_for_a_rescheduling_makes_due() -> None:
    """A rebalancer makes due those that it names, a trigger its own binding; older ones have been heard."""
    scheduled = {"lastScheduledTime": EARLIER}
    held = [running({"a": 4}, EVENLY, EVENLY, name=name, status=scheduled) for name in ("one", "two")]
    rebalancer = {
        "apiVersion": "apps.karmada.io/v1alpha1",
        "kind": "WorkloadRebalancer",
        "metadata": {"name": "again", "creationTimestamp": LATER},
        "spec": {
            "workloads": [
                {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "default", "name": "one"}
            ]
        },
    }
    assert [each.due or each.fresh for each in fleet(*held, rebalancer).workloads] == [True, False]
    assert due(running({"a": 4}, EVENLY, EVENLY, status=scheduled, rescheduleTriggeredAt=LATER))
    heard = {"lastScheduledTime": LATER}
    assert not due(running({"a": 4}, EVENLY, EVENLY, status=heard, rescheduleTriggeredAt=EARLIER))


def test_a_taint_that_the_running_placement_breaks_makes_due() -> None:
    """NoExecute forbids what runs; NoSchedule lets it stay, so nobody looks again."""
    held = running({"a": 4}, EVENLY, EVENLY)
    assert due(held, a=cluster("a", cpu=9, taints=["gone:NoExecute"]))
    assert not due(held, a=cluster("a", cpu=9, taints=["full:NoSchedule"]))


def test_a_change_that_the_running_placement_breaks_makes_due() -> None:
    """Before the drain nothing is to be done; what is tried out is looked at like what is read."""
    problem = fleet(running({"a": 4}, EVENLY, EVENLY))
    assert not only(problem).due
    assert only(changed(problem, [Drain("a")])).due
    assert not only(changed(problem, [Drain("b")])).due


def test_what_workloads_share_makes_nobody_due() -> None:
    """Six of one core run beside another core on six: one moves, although due they would stand 3 and 3."""
    held = running({"a": 6}, EVENLY, EVENLY, replicas=6)
    problem = fleet(held, a=cluster("a", cpu=6, allocated={"cpu": 7}))
    assert not only(problem).due
    outcome = fairlead.solve(problem)
    assert outcome.placement == Placement({"default/web": {"a": 5, "b": 1}})
    again = fairlead.solve(
        fleet(running({"a": 6}, EVENLY, None, replicas=6), a=cluster("a", cpu=6, allocated={"cpu": 7}))
    )
    assert again.placement == Placement({"default/web": {"a": 3, "b": 3}})


def test_static_weights_that_are_not_due_keep_what_runs() -> None:
    """4, 0 against a ratio of 1 : 1 costs (4 - 2)^2 / 2 + (0 - 2)^2 / 2 = 4 of deviation, and stays."""
    outcome = fairlead.solve(fleet(running({"a": 4}, EVENLY, EVENLY)))
    assert outcome.placement == Placement({"default/web": {"a": 4}})
    assert objectives(outcome) == [("moves", 0), ("deviation", 4)]


def test_static_weights_that_are_due_are_divided_anew() -> None:
    """The same without the annotation: two of four move, and the ratio is met."""
    outcome = fairlead.solve(fleet(running({"a": 4}, EVENLY)))
    assert outcome.placement == Placement({"default/web": {"a": 2, "b": 2}})
    assert objectives(outcome) == [("deviation", 0), ("other moves", 2)]


def test_fresh_looks_at_everybody() -> None:
    """With fresh=True whoever is not due is divided anew as well."""
    outcome = fairlead.solve(fleet(running({"a": 4}, EVENLY, EVENLY)), fresh=True)
    assert outcome.placement == Placement({"default/web": {"a": 2, "b": 2}})
    assert objectives(outcome) == [("deviation", 0), ("other moves", 2)]


def test_fresh_false_does_not_hear_who_asks_to_reschedule() -> None:
    """Asked to reschedule, web is divided anew; with fresh=False it stays, as if nobody had asked."""
    status = {"lastScheduledTime": EARLIER}
    problem = fleet(running({"a": 4}, EVENLY, EVENLY, status=status, rescheduleTriggeredAt=LATER))
    assert fairlead.solve(problem).placement == Placement({"default/web": {"a": 2, "b": 2}})
    assert fairlead.solve(problem, fresh=False).placement == Placement({"default/web": {"a": 4}})


def test_a_plan_looks_at_everybody_where_nobody_was_asked() -> None:
    """Who asks for a plan wants the ratio: two move. With moves first, or another one asked, nobody does."""
    problem = fleet(running({"a": 4}, EVENLY, EVENLY))
    assert fairlead.plan(problem).outcome.placement == Placement({"default/web": {"a": 2, "b": 2}})
    assert fairlead.plan(problem, moves_first=True).moves == 0
    scheduled = {"lastScheduledTime": EARLIER}
    again = running({"b": 4}, EVENLY, EVENLY, name="other", status=scheduled, rescheduleTriggeredAt=LATER)
    asked = fairlead.plan(fleet(running({"a": 4}, EVENLY, EVENLY), again))
    assert asked.outcome.placement == Placement({"default/other": {"a": 2, "b": 2}, "default/web": {"a": 4}})


def test_due_in_problems_made_in_python() -> None:
    """What is said to be not due is, until what runs breaks a rule of its own; then it is due."""
    workload = Workload("w", "w", 4, current={"a": 4}, rules=(Total(),), due=False)
    # At most three may stand on a, and four do.
    bound = replace(workload, rules=(Total(), Bounds(maximum={"a": Bound(3)})))
    more = [workload, replace(workload, due=True), bound, replace(workload, replicas=5)]
    assert [each.due for each in with_due(more)] == [False, True, True, True]
