"""The week of a fleet: the same by seed, and under fairlead no rule is broken that need not be."""

import sys
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from itertools import takewhile
from pathlib import Path

import pytest

import fairlead
from fairlead.models.levels import BALANCE
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.score import levels_of, value_of, with_balance
from fairlead.models.statement import Violation
from fairlead.solver.floor import keep_and_repair, standing_well
from fairlead.solver.script.events import read_script
from fairlead.solver.script.judge import FleetQuality
from fairlead.solver.script.moments import ScriptMoment, moments
from fairlead.solver.script.play import ScriptRun
from fairlead.solver.script.played import Handled, HandledEvent
from fairlead.solver.script.question import SchedulerState, evicted, whole_question, without
from fairlead.solver.script.schedulers import SCHEDULERS, Decision, SolveSettings
from places import ROOT

sys.path.append(str(ROOT / "benchmarks"))

from fleet_manifests import documents
from week import Asked, run
from week_docs import DOCUMENT, README, SIZES, markers, summary, write_docs
from week_openb import openb_week
from week_page import write_page
from week_script import week
from week_tables import CONTENDERS, Run, behind, missed, to_markdown

LIMIT = 5.0
"""Seconds for an answer."""


def at_least_repaired(problem: Problem, settings: SolveSettings) -> Decision:
    """Ask fairlead; its answer is no worse than keep-and-repair on the levels above balance."""
    decision = SCHEDULERS["fairlead"].decide(problem, settings)
    floor = keep_and_repair(problem, standing_well(problem))
    placement = Placement(decision.placed)
    if floor is not None and not fairlead.check(problem, placement):
        asked = with_balance(problem)
        above = list(takewhile(lambda each: each != BALANCE, levels_of(asked)))
        ours, theirs = ([value_of(asked, each, level) for level in above] for each in (placement, floor))
        assert ours <= theirs
    return decision


def play(workloads: int, clusters: int, events: int, seed: int = 0) -> ScriptRun:
    """Play a week under fairlead and look at every state."""
    made = week(workloads, clusters, events, seed)
    manifests = documents(made.fleet)
    problem = fairlead.load(manifests)
    settings = SolveSettings({"time_limit": LIMIT, "workers": 1})
    checked = replace(SCHEDULERS["fairlead"], decide=at_least_repaired)
    course = ScriptRun.of(checked, problem, settings)
    for moment in moments(problem, read_script(made.script, manifests, fairlead.load)):
        standing = course.standing
        left = replace(standing, placed=without(standing.placed, evicted(moment, standing)))
        course.handle(moment)
        assert_nothing_worse(moment, left, course.standing)
    return course


def assert_nothing_worse(moment: ScriptMoment, before: SchedulerState, after: SchedulerState) -> None:
    """Assert that the checker finds nothing after an answer that the event has not broken already.

    Only what may give way may be missing besides, and only of workloads that could not be placed in full.
    """
    fleet = whole_question(replace(moment, fleet=moment.judged), before)
    known = {_named(one): one.amount for one in _violations(fleet, before)}
    for one in _violations(fleet, after):
        allowed = one.gives_way and one.workload in after.failed
        assert allowed or one.amount <= known.get(_named(one), 0), (moment.name, one.text)


def _violations(fleet: Problem, standing: SchedulerState) -> tuple[Violation, ...]:
    placed = {each.key: standing.on(each.key) for each in fleet.workloads}
    return fairlead.check(fleet, Placement(placed))


def _named(violation: Violation) -> tuple[object, ...]:
    return violation.rule, violation.workload, violation.cluster, violation.detail


def test_a_week_is_the_same_by_seed() -> None:
    """Fleet and script; another seed makes another week."""
    one, same, other = week(20, 8, 60), week(20, 8, 60), week(20, 8, 60, 1)
    assert (one.script, documents(one.fleet)) == (same.script, documents(same.fleet))
    assert one.script != other.script


def test_the_openb_week_brings_every_pod_of_the_trace() -> None:
    """Of 60 events 42 bring the 8,152 pods; of the 18 after them every other one takes some away again."""
    manifests, script = openb_week(60)
    events = script["spec"]["events"]
    assert all(one["spec"]["replicas"] == 0 for one in manifests if one["kind"] == "ResourceBinding")
    wants: dict[str, int] = {}
    present = []
    for event in events:
        wants |= event["scale"]
        present.append(sum(wants.values()))
    assert (len(events), present[40] < present[41], present[42]) == (60, True, 8152 - 195)
    assert present[41::2] == [8152] * 10


def test_a_step_tells_who_is_behind_and_why() -> None:
    """Two replicas of shop/web wait for an hour under fairlead, and none under the reference."""
    state = FleetQuality({}, {}, {}, Fraction(0), None, {})
    monday = datetime(2026, 3, 2, 9, tzinfo=UTC)
    good = HandledEvent(
        at=monday,
        name="early",
        hours=1.0,
        due=1,
        moved=0,
        forced=0,
        planned=0,
        planning=False,
        state=state,
        waits={},
        reasons={},
        disturbed=0,
        seconds=0.0,
        cpu=0.0,
        gap=None,
        gap_above=None,
    )
    late = replace(
        good,
        state=replace(state, missing={"shop/web": 2}),
        reasons={"shop/web": "2 of 4 replicas of web are unplaced"},
    )
    runs = [
        Run("60x12", 0, Handled(name, (step, good)), 1.0)
        for name, step in (
            ("fairlead", late),
            ("fairlead-plan", late),
            ("karmada", late),
            ("reference", good),
        )
    ]
    numbers = "Mon 09:00, early: for 1.0 h 2 pending and 0 against rules; reference 0 and 0."
    assert list(behind(runs)) == [
        "* Seed 0, fairlead; fairlead, a plan every night:",
        f"    - {numbers} 2 of 4 replicas of web are unplaced.",
    ]


def test_every_step_of_a_small_week() -> None:
    """20 workloads on 8 clusters, the smallest fleet there is; nobody moves who is not due."""
    course = play(20, 8, 60)
    assert course.handled().disturbed == 0


def test_every_contender_plays_a_week(tmp_path: Path) -> None:
    """Tables and page have a row for each; no bar is asked of those that are not fairlead."""
    runs = [run(Asked("20x8", 15, 0, name, 0.2)) for name in CONTENDERS]
    table = to_markdown(runs)
    assert all(f"| {name} |" in table for name in CONTENDERS.values())
    assert not list(missed(runs[2], runs))
    assert all(isinstance(line, str) for line in behind(runs))
    write_page(runs, tmp_path)
    assert (tmp_path / "week-20x8.svg").exists()
    page = (tmp_path / "week.html").read_text()
    assert "<h2>20 workloads on 8 clusters</h2>" in page
    assert "<tr><th></th><th>pending replica-hours</th>" in page


def test_what_is_measured_is_written_into_the_documents(tmp_path: Path) -> None:
    """Every size has its place; what is written twice is written once, and the README tells the same."""
    document, readme = tmp_path / "week.md", tmp_path / "README.md"
    document.write_text(DOCUMENT.read_text())
    readme.write_text(README.read_text())
    measured = [run(Asked("20x8", 15, seed, "reference", 5.0)) for seed in (0, 1)]
    everybody = [
        replace(one, size=size, handled=replace(one.handled, scheduler=name))
        for size in SIZES
        for name in CONTENDERS
        for one in measured
    ]
    write_docs(everybody, 1.0, 10.0, document, readme)
    once = document.read_text(), readme.read_text()
    write_docs(everybody, 1.0, 10.0, document, readme)
    assert (document.read_text(), readme.read_text()) == once
    assert all(once[0].count(mark) == 1 for size in SIZES for mark in markers(size))
    assert once[0].count("seeds 0, 1;") == len(SIZES)
    assert "In two made-up weeks of 60 workloads" in once[1]


def test_the_readme_tells_what_the_document_tells() -> None:
    """Its sentence follows from the table of the first size."""
    begin, end = (DOCUMENT.read_text().index(mark) for mark in markers(SIZES[0]))
    assert summary(DOCUMENT.read_text()[begin:end]) in README.read_text()


@pytest.mark.long
@pytest.mark.parametrize(
    ("workloads", "clusters", "events", "seed"),
    [(60, 12, 200, 0), (60, 12, 200, 1), (60, 12, 200, 2), (300, 30, 300, 0)],
)
def test_every_step_of_a_large_week(workloads: int, clusters: int, events: int, seed: int) -> None:
    """Nobody moves who is not due, and no answer takes much longer than its limit.

    Seconds are those of one core: on a busy machine a second of the clock says nothing.
    """
    handled = play(workloads, clusters, events, seed).handled()
    assert handled.disturbed == 0
    assert max(step.cpu for step in handled.steps) < LIMIT + 1
