"""The HTML report: what it says, that it says it safely, and that it stays small."""

import os
import subprocess
import sys
from dataclasses import replace

import fairlead
from builders import cluster, deployment, policy, static
from fairlead.models.cluster import Cluster
from fairlead.models.outcome import Outcome, Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Capacity, Moves, Total, Weights
from fairlead.models.rules.bounds import Bound
from fairlead.models.source import Source
from fairlead.models.statement import Relaxation, Statement
from fairlead.models.workload import Workload
from fairlead.report.content.outcome import explanation
from fairlead.report.content.plan import headline, target_line
from fairlead.report.html import report_html
from fairlead.solver.plan.answer import Budgets, PlanOptions, RebalancePlan
from fairlead.solver.plan.waves import BlockedMove, Move
from hand_made import infeasible, many, nginx, problem, solved
from report_reading import addresses, read
from small_plans import LEVELS, NOON, example, fleet, large, planned, service


def test_a_plan_is_told_in_the_words_of_the_terminal() -> None:
    """Headline and proof are the sentences that `fairlead plan` prints."""
    plan = example()
    page = read(report_html(plan, made=NOON))
    assert headline(plan) == "3 replicas move, 2 start, 1 stops in 2 waves (the minimum)."
    assert headline(plan) in page.sections["head"]
    assert target_line(plan) in page.sections["head"]
    assert page.tones == ["good"]
    # The large numbers say the same: value and what it counts.
    assert "replicas move 3 start 2 stops 1 waves 2 of 4 workloads change 3" in page.sections["head"]


def test_every_section_of_a_plan_stands_there_once() -> None:
    """What there is nothing to say about is left out: no conflict, nothing unplaced, no warning."""
    page = read(report_html(example()))
    told = [name for name in page.sections if name not in {"head", "foot"}]
    assert told[:6] == ["attention", "next", "flows", "utilisation", "waves", "changes"]
    assert told[6:] == ["target", "placement", "decisions", "made"]
    for name in told:
        assert page.identifiers.count(name) == 1


def test_waves_and_changes_have_the_right_numbers() -> None:
    """A table per wave, replicas by cluster, replicas by workload and cluster."""
    page = read(report_html(example()))
    first, second = page.tables["waves"]
    assert first.rows == [
        ["Workload", "Replicas", "From", "To", "First"],
        ["shop/api", "2", "-", "north", "start"],
        ["shop/web", "2", "east", "west", "start"],
    ]
    # What stops for good stops before anything starts.
    assert second.rows[1:] == [
        ["shop/old", "1", "west", "-", "stop"],
        ["shop/web", "1", "east", "west", "start"],
    ]
    assert "Wave 1: 2 replicas move, 2 start" in page.sections["waves"]
    assert "Wave 2: 1 replica moves, 1 stops" in page.sections["waves"]
    clusters, workloads = page.tables["changes"]
    # east 7 to 4; north 1 to 3; west 2 to 4, where 3 start and the old one stops; two workloads on each.
    assert clusters.rows[1:] == [
        ["east", "2", "7", "4", "-", "-3"],
        ["north", "2", "1", "3", "+2", "-"],
        ["west", "2", "2", "4", "+3", "-1"],
    ]
    assert ["shop/web", "east", "6", "3", "-3"] in workloads.rows
    assert "3 of 4 workloads change" in page.sections["changes"]


def test_utilisation_before_and_after() -> None:
    """East may use 4 free cpus and the 7 that run there; the three that leave make 64 % to 37 %.

    Shares are rounded up, as in a terminal. Of their columns the second is the most of all moments: West
    holds 2, in the second wave 1 of them stops first, and 3 have come: 4 of 6.
    """
    page = read(report_html(example()))
    rows = {row[0]: row[1:] for row in page.tables["utilisation"][0].rows}
    assert rows["east"] == ["cpu", "11", "64%", "64%", "37%"]
    assert rows["north"] == ["cpu", "5", "20%", "60%", "60%"]
    assert rows["west"] == ["cpu", "6", "34%", "67%", "67%"]


def test_levels_with_value_bound_and_proof() -> None:
    """A level that is not proven says how far the best could be away."""
    plan = example()
    outcome = replace(plan.outcome, status=Status.FEASIBLE, objectives=LEVELS)
    page = read(report_html(replace(plan, outcome=outcome)))
    (levels,) = page.tables["target"]
    # 3 moves against a bound of 2: a third less at most.
    assert levels.rows[1:] == [["deviation", "0.1111", "0.1111", "proven"], ["moves", "3", "2", "gap 33%"]]
    assert "Not proven best moves: 3, the best is at least 2" in page.sections["attention"]


def test_pictures_are_told_to_those_who_cannot_see_them() -> None:
    """The flow picture's label has every flow, the largest first; every picture has one."""
    labels = read(report_html(example())).labels
    assert labels[0] == (
        "3 replicas from east to west; 2 replicas started on north; 1 replica stopped on west"
    )
    # The fullest cluster at any moment comes first: west with 67 %.
    assert labels[1:4] == [
        "west: cpu now 34%, at most 67%, target 67%",
        "east: cpu now 64%, at most 64%, target 37%",
        "north: cpu now 20%, at most 60%, target 60%",
    ]
    assert labels[4] == "wave 1: 2 move, 2 start; wave 2: 1 moves, 1 stops"


def test_decisions_have_a_reason_for_every_cluster() -> None:
    """Clusters with replicas have a row; the others are gathered by reason."""
    web = next(
        table for table in read(report_html(example())).tables["decisions"] if "shop/web" in table.caption
    )
    assert [row[:3] for row in web.rows[1:]] == [["east", "6", "3"], ["west", "0", "3"]]
    assert "north: its share is 2.00" in read(report_html(example())).sections["decisions"]


def test_decisions_of_many_workloads_only_where_something_changes() -> None:
    """Of twelve workloads one changes: it is explained, eleven are counted."""
    calm = [service(f"calm{number}", {"north": 1}) for number in range(11)]
    target = {workload.key: {"north": 1} for workload in calm} | {"shop/web": {"west": 1}}
    move = Move("shop/web", "east", "west", 1)
    page = read(report_html(planned(fleet(service("web", {"east": 1}), *calm), target, (move,))))
    assert [table.caption for table in page.tables["decisions"]] == ["Clusters of shop/web, and why so many"]
    assert "11 others left out" in page.sections["decisions"]


def test_decisions_without_a_placement_are_those_of_the_conflict() -> None:
    """Of twelve workloads one fits nowhere; the others neither change nor explain anything."""
    calm = [deployment(f"calm{number}", 1, cpu=1) for number in range(11)]
    rules = policy("all", static((["a"], 1)))
    found = fairlead.load([cluster("a", cpu=99), *calm, deployment("large", 1, cpu=100), rules])
    page = read(report_html(fairlead.solve(found)))
    assert "Only workloads of the conflict; 11 others left out" in page.sections["decisions"]
    assert "default/large: 1 replica, nowhere" in page.sections["decisions"]
    assert "calm" not in page.sections["decisions"]


def test_nothing_to_do() -> None:
    """What runs is the target: no waves, no flows, no changes, but still the proof."""
    found = planned(fleet(service("web", {"east": 1})), {"shop/web": {"east": 1}})
    page = read(report_html(found))
    assert "No changes: what runs now is already the target." in page.sections["head"]
    assert not {"flows", "waves", "changes"} & page.sections.keys()
    assert "deviation" in page.sections["target"]
    late = replace(found, outcome=replace(found.outcome, status=fairlead.Status.FEASIBLE))
    head = read(report_html(late)).sections["head"]
    assert "No changes: nothing better than what runs now was found in time." in head


def test_infeasible() -> None:
    """The rules that contradict each other and what would help, with file and line, as on the terminal."""
    outcome = infeasible()
    assert outcome.conflict is not None
    way = Relaxation(
        "lower the minimum of member3 to 2", 2, Source("pp.yaml", 31), manifest="spec:\n  a: <b>\n"
    )
    outcome = replace(outcome, conflict=replace(outcome.conflict, relaxations=(way,)))
    for text in (report_html(outcome), report_html(RebalancePlan(outcome.problem, outcome, None))):
        page = read(text)
        for line in explanation(outcome):
            assert line.strip() in page.sections["conflict"]
        assert "Infeasible: no placement keeps all of these rules." in page.sections["head"]
        assert "spec:\n  a: &lt;b&gt;" in text
        assert not {"flows", "waves", "changes", "utilisation", "placement"} & page.sections.keys()


def test_several_conflicts() -> None:
    """Every independent part that has no placement is told."""
    first = infeasible().conflict
    assert first is not None
    other = replace(first, rules=(Statement("bounds", "member1 needs at least 9"),), relaxations=())
    page = read(report_html(replace(infeasible(), conflicts=(first, other))))
    assert "No placement keeps this rule either: member1 needs at least 9" in page.sections["conflict"]


def test_a_dispenser_that_breaks_rules() -> None:
    """An infeasible outcome with a placement lists what it breaks."""
    done = solved()
    violation = fairlead.check(done.problem, Placement({"default/nginx": {"member3": 11}}))
    outcome = replace(done, status=Status.INFEASIBLE, origin="karmada", violations=violation, objectives=())
    page = read(report_html(outcome))
    assert str(violation[0]) in page.sections["conflict"]
    assert f"the placement of karmada violates {len(violation)} rules." in page.sections["head"]


def test_time_ran_out() -> None:
    """Neither a placement nor a proof: the report says so, and has nothing to show."""
    outcome = Outcome(Status.UNKNOWN, "cp-sat", fleet(service("web", {}, 2)), None)
    page = read(report_html(outcome))
    assert page.tones == ["bad"]
    assert "Unknown: no placement found in time" in page.sections["head"]
    assert "Give the search more time: fairlead solve --time-limit 300" in page.sections["next"]
    assert not {"target", "attention", "placement", "utilisation"} & page.sections.keys()


def test_unplaced_replicas() -> None:
    """Of 14 replicas 12 fit into three clusters of 4 cpus: 2 are unplaced, and the report says so."""
    asked = replace(fleet(service("web", {}, 14)), partial=True)
    placement = Placement({"shop/web": {"east": 4, "north": 4, "west": 4}})
    page = read(report_html(Outcome(Status.OPTIMAL, "exact", asked, placement, LEVELS[:1])))
    # With its cause it stands in one place, and nowhere else.
    everything = " ".join(page.sections.values())
    assert "2 of 14 replicas of shop/web are unplaced" in page.sections["attention"]
    assert everything.count("2 of 14 replicas") == 1
    assert "2 of 14 unplaced" in page.sections["head"]
    assert "fairlead why shop/web" in page.sections["next"]
    # Proven, but nothing to be green about.
    assert page.tones == ["notice"]
    # Every cluster is full, and nothing runs that could be compared.
    assert [row[3:] for row in page.tables["utilisation"][0].rows[1:]] == [["100% high"]] * 3


def test_broken_before() -> None:
    """A minimum of 3 and one of 4 are broken now; the target repairs the first."""
    bounds = Bounds({"east": Bound(3, Source("pp.yaml", 7)), "west": Bound(4, Source("pp.yaml", 9))})
    web = service("web", {"north": 6})
    web = replace(web, rules=(*web.rules, bounds))
    target = {"shop/web": {"east": 3, "west": 3}}
    moves = (Move("shop/web", "north", "east", 3), Move("shop/web", "north", "west", 3))
    plan = planned(fleet(web), target, moves)
    told = read(report_html(plan)).sections
    assert [violation.source for violation in plan.outcome.repaired] == [Source("pp.yaml", 7)]
    assert str(plan.outcome.repaired[0]) in told["broken"]
    assert f"Still violated {plan.outcome.still_broken[0]}" in told["attention"]


def test_what_cannot_move() -> None:
    """A blocked move is told with its reason, and counted above: what is blocked is in no wave."""
    plan = example()
    assert plan.waves is not None
    blocked = BlockedMove(Move("shop/web", "east", "west", 2), "web cannot leave east: no room")
    stuck = replace(plan, waves=replace(plan.waves, blocked=(blocked,)))
    assert headline(stuck) == "2 of 6 replicas cannot move, start or stop; the others do, in 2 waves."
    page = read(report_html(stuck))
    assert headline(stuck) in page.sections["head"]
    assert "2 replicas cannot move web cannot leave east: no room" in page.sections["attention"]
    assert "fairlead plan --order either" in page.sections["next"]


def test_overloaded_now() -> None:
    """More runs than a cluster may use: 6 of 4 cpus, which is 150 %."""
    crowded = Cluster("east", free={"cpu": -2000})
    asked = Problem(
        (crowded, Cluster("west", free={"cpu": 4000})), (service("web", {"east": 6}),), (Capacity(),)
    )
    moves = (Move("shop/web", "east", "west", 2),)
    page = read(report_html(planned(asked, {"shop/web": {"east": 4, "west": 2}}, moves)))
    assert page.tables["utilisation"][0].rows[1] == [
        "east",
        "cpu",
        "4",
        "150% over",
        "150% over",
        "100% high",
    ]


def test_warnings_of_the_input() -> None:
    """What is odd about the input is listed with file and line; beyond 200 it is counted."""
    warnings = tuple(
        Statement("input", f"odd {number}", Source("a.yaml", number)) for number in range(1, 204)
    )
    page = read(report_html(replace(solved(), problem=replace(solved().problem, warnings=warnings))))
    assert "odd 200 (a.yaml:200)" in page.sections["warnings"]
    assert "odd 201" not in page.sections["warnings"]
    assert "and 3 more warnings" in page.sections["warnings"]


def test_a_placement() -> None:
    """An outcome without a plan shows where everything stands, with the columns of the terminal."""
    page = read(report_html(solved()))
    told = [name for name in page.sections if name not in {"head", "foot"}]
    assert told[:4] == ["attention", "next", "utilisation", "placement"]
    table = page.tables["placement"][0]
    assert table.caption == "default/nginx: 11 replicas, policy default/nginx"
    assert table.rows[1] == ["member1", "us-east", "3", "-1", "1.83", "17 more (cpu 8.5)"]


def test_a_placement_of_many() -> None:
    """More than ten workloads share one table; what nothing runs for has no column of changes."""
    page = read(report_html(many()))
    table = page.tables["placement"][0]
    assert table.rows[:2] == [
        ["Namespace", "Name", "Replicas", "Clusters", "Status"],
        ["team", "app-00", "3", "member1:1, member2:2", "new"],
    ]


def test_what_stays_blank_has_no_column() -> None:
    """Where nothing runs there is no change to show."""
    done = solved()
    fresh = replace(done, problem=problem(nginx()))
    assert "Change" not in read(report_html(fresh)).tables["placement"][0].rows[0]


def test_how_it_was_made() -> None:
    """Version, date, what was asked and how long it took."""
    plan = replace(
        example(), options=PlanOptions(Budgets("10%", workloads={"shop/web": 3}), frozenset({"shop/old"}))
    )
    told = read(report_html(plan, made=NOON, details={"Time limit": "60 s"})).sections
    for text in (
        f"Made by fairlead {fairlead.__version__}",
        "Made on 2026-01-02 12:00 UTC",
        "4 workloads with 11 replicas, 3 clusters",
        "Time limit 60 s",
        "Answered by CP-SAT (OR-Tools)",
        "Took target 0.50 s, waves 0.75 s",
        "Replicas that may move in all 10%",
        "of single workloads and namespaces shop/web 3",
        "Pinned workloads shop/old",
        "Order within a move start-first",
    ):
        assert text in told["made"]
    assert "on 2026-01-02" not in read(report_html(plan)).sections["foot"]


NASTY = "<script>alert(1)</script>"
QUOTES = "\"'><img/src=x>&amp;$x^2$"


def test_texts_of_the_input_are_escaped() -> None:
    """No name becomes markup: not in texts, attributes, styles or pictures, whose mathematics stays off."""
    clusters = (Cluster(NASTY, free={"cpu": 9000}), Cluster(QUOTES, free={"cpu": 9000}))
    names = (NASTY, QUOTES)
    rules = (Candidates(names), Total(), Weights(dict.fromkeys(names, 1)), Moves(frozenset(names)))
    web = Workload(
        NASTY, NASTY, 2, QUOTES, requests={"cpu": 1}, current={NASTY: 2}, policy=QUOTES, rules=rules
    )
    asked = Problem(clusters, (web,), (Capacity(),), warnings=(Statement("input", NASTY, Source(QUOTES, 1)),))
    target = {NASTY: {NASTY: 1, QUOTES: 1}}
    text = report_html(
        planned(asked, target, (Move(NASTY, NASTY, QUOTES, 1),)), made=NOON, details={NASTY: QUOTES}
    )
    page = read(text)
    assert NASTY not in text
    assert "img" not in page.tags
    assert text.count("<script") == 1
    assert page.tables["waves"][0].rows[1] == [NASTY, "1", NASTY, QUOTES, "start"]
    assert addresses(text.replace("/src=", "")) == []
    assert text.count("$x^2$") > 3


def test_invisible_characters_are_shown_as_such() -> None:
    """Control characters and those that turn the direction of a line round are shown escaped."""
    web = service("a\x00b\u202ec", {"east": 1})
    text = report_html(planned(fleet(web), {web.key: {"west": 1}}, (Move(web.key, "east", "west", 1),)))
    assert r"shop/a\x00b\u202ec" in text
    assert not set(text) & {"\x00", "\u202e"}


def test_nothing_is_loaded_from_elsewhere() -> None:
    """No address, script, style sheet, font or picture from outside; a policy forbids it as well."""
    for text in (report_html(example(), made=NOON), report_html(infeasible()), report_html(many())):
        assert addresses(text) == []
        assert "default-src 'none'" in text


def test_one_answer_gives_one_text() -> None:
    """Rendered twice, and in a process with another hash seed, it is the same."""
    assert report_html(example(), made=NOON) == report_html(example(), made=NOON)
    code = (
        "import sys; sys.path[:0] = ['src', 'tests/helpers'];"
        "from small_plans import NOON, example; from fairlead.report.html import report_html;"
        "print(report_html(example(), made=NOON));"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, check=True, env=environment)
    assert done.stdout.decode().strip() == report_html(example(), made=NOON).strip()


def test_a_large_plan_stays_readable() -> None:
    """2,000 workloads that all change: under 2 MB, and what is left out is counted."""
    text = report_html(large(2000))
    page = read(text)
    assert len(text.encode()) < 2_000_000
    # 2 moves of 2,000 workloads are 4,000, of which the tables of both waves together show 1,000.
    shown = sum(len(table.rows) - 1 for table in page.tables["waves"])
    assert shown == 1000
    assert "and 1000 more moves" in page.sections["waves"]
    assert "and 1 more wave" in page.sections["waves"]
    # 3 changes a workload, 6,000 in all, of which 1,000 are shown: one cluster empties, two are new.
    assert "and 5000 more changes" in page.sections["changes"]
    assert "The decisions on 2000 workloads" in page.sections["decisions"]
    assert "more workloads: fairlead why explains any of them" in page.sections["decisions"]


def test_the_largest_flows_are_drawn_and_the_rest_is_counted() -> None:
    """60 clusters in a ring have 60 flows, of which 40 are drawn."""
    names = [f"c{number:02}" for number in range(60)]
    asked = Problem(tuple(Cluster(name) for name in names), (service("web", dict.fromkeys(names, 1)),))
    moves = tuple(Move("shop/web", names[index - 1], names[index], 1 + (index < 40)) for index in range(60))
    page = read(report_html(planned(asked, {"shop/web": dict.fromkeys(names, 1)}, moves)))
    # Twenty flows of one replica are the smallest.
    assert "20 smaller flows with 20 replicas are left out" in page.sections["flows"]
    assert page.labels[0].count(" from ") == 40
