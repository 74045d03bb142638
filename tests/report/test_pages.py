"""The pages of simulations, sweeps, comparisons and explanations, and what all pages have on top."""

import re
from dataclasses import replace
from fractions import Fraction
from html import unescape
from pathlib import Path

import pytest

import fairlead
from builders import binding, cluster, dynamic
from fairlead.cli.app import main
from fairlead.models.problem import Problem
from fairlead.report.blocks import Folded, Items, Table
from fairlead.report.html import report_html
from fairlead.report.html.attention import Concern, attention_section
from fairlead.report.html.simulation_page import heat_section
from fairlead.solver.simulate.changes import Lose
from fairlead.solver.simulate.result import Scenario
from hand_made import feasible, infeasible, many, solved
from report_reading import addresses, read
from small_plans import NOON, compared, example, fleet, large, planned, service, simulated

FLEET = "examples/safe-migration"


def test_a_simulation_says_first_what_does_not_fit() -> None:
    """The change itself fits; the sweep does not: its verdict is the headline, and the page is red."""
    page = read(report_html(simulated()))
    assert page.tones == ["bad"]
    assert page.sections["head"].startswith("Simulation: Does not fit in 2 of 2 scenarios")
    assert "What if: lose cluster east, then lose any one cluster" in page.sections["head"]
    assert "Fits: 6 replicas are lost, 6 are started." in page.sections["head"]
    told = [name for name in page.sections if name not in {"head", "foot"}]
    assert told[:4] == ["sweep", "utilisation", "changes", "target"]


def test_a_sweep_is_a_map_of_what_is_lost_against_clusters() -> None:
    """North and west have 4 cpus each: with one of them 4 of 6 replicas stand, 2 do not, and it is full."""
    rows = read(report_html(simulated())).tables["sweep"][0].rows
    assert rows == [
        ["Cluster", "Unplaced", "north", "west"],
        ["north", "2", "off", "100%"],
        ["west", "2", "100%", "off"],
    ]


def test_a_map_has_words_for_what_is_not_known() -> None:
    """A scenario that was not reached has a question mark, a cluster that tells nothing a dash."""
    late = Scenario(Lose("eu", "region"), ("a",), "Unknown", {"x": 3}, ("not tried in time",))
    done = Scenario(Lose("us", "region"), ("b",), "Optimal", fullness={"a": Fraction(19, 20)})
    (shown, *_) = heat_section(replace(simulated(), scenarios=(late, done))).blocks
    assert isinstance(shown, Table)
    assert [[cell.text for cell in row] for row in shown.rows] == [["eu", "?", "off"], ["us", "0", "95%"]]
    assert [row[-1].tone for row in shown.rows] == ["dim", "notice"]
    page = read(report_html(replace(simulated(), scenarios=(late, done))))
    assert "not answered in time lose region eu" in page.sections["attention"]


def test_a_simulation_shows_how_full_clusters_become() -> None:
    """East goes; its six replicas come to north and west, which have 4 cpus: 3 each are 75 %."""
    labels = read(report_html(simulated())).labels
    assert sorted(labels) == [
        "east: cpu now 60%, after not there",
        "north: cpu now 0%, after 75%",
        "west: cpu now 0%, after 75%",
    ]


def test_a_simulation_shows_lost_clusters_that_nobody_uses() -> None:
    """North goes, on which nothing runs."""
    lost = fairlead.simulate(fleet(service("web", {"east": 6})), fairlead.Lose("north"))
    assert "north: cpu now 0%, after not there" in read(report_html(lost)).labels


def test_a_comparison_has_the_answers_side_by_side() -> None:
    """What is short with the best placement stands once on the page, with its cause."""
    page = read(report_html(compared()))
    told = [name for name in page.sections if name not in {"head", "foot"}]
    assert told[:3] == ["attention", "answers", "utilisation"]
    rows = page.tables["answers"][0].rows
    assert [row[0] for row in rows] == ["Scheduler", "best", "reference", "webster"]
    assert rows[1][:3] == ["best", "Optimal", "2"]
    assert "2 of 14 replicas of shop/web are unplaced" in page.sections["attention"]


def test_an_explanation_has_a_page() -> None:
    """What `why` says stands there, in a table."""
    page = read(report_html(fairlead.why(solved().problem, "nginx")))
    assert "default/nginx: 11 replicas" in page.sections["head"]
    assert page.tables["answer"][0].rows[1][:2] == ["member1", "3"]


def test_date_and_command_stand_at_the_head() -> None:
    """Without them nothing stands there, so that the same answer gives the same page."""
    page = read(report_html(example(), made=NOON, command="fairlead plan -f '<b>'"))
    assert "2026-01-02 12:00 UTC fairlead plan -f '<b>'" in page.sections["head"]
    assert "UTC" not in " ".join(read(report_html(example())).sections.values())


def test_what_is_short_is_told_once() -> None:
    """Two regions are asked for and one is left: short, and not "still violated" as well."""
    place = dynamic() | {"spreadConstraints": [{"spreadByField": "region", "minGroups": 2, "maxGroups": 2}]}
    both = [cluster("a", cpu=4, region="eu"), cluster("b", cpu=4, region="us")]
    problem = fairlead.load(both, binding("web", 2, {"a": 2}, place, cpu="1"))
    told = read(report_html(fairlead.simulate(problem, fairlead.Lose("b")))).sections["attention"]
    assert told.count("default/web: replicas in 1 region, at least 2 are needed") == 1


def test_what_is_calm_says_so() -> None:
    """Three replicas move, nothing is short, not proven, broken or nearly full."""
    told = read(report_html(example())).sections["attention"]
    assert "Nothing. Everything is placed, every rule holds, the placement is proven best, and no" in told


def test_what_is_not_proven_is_on_top() -> None:
    """A level with a bound says how good the best could be; one without says that nothing is known."""
    told = read(report_html(feasible())).sections["attention"]
    assert "Not proven best deviation: 4.4545, the best is at least 4" in told
    assert "moves: 1; no bound is known" in told


def test_who_becomes_full_comes_before_who_is_full() -> None:
    """West goes from 1 of 5 to 5 of 5 cpus; north stays at 4 of 4 and is only named."""
    web, calm = service("web", {"east": 4, "west": 1}), service("calm", {"north": 4})
    asked = fleet(web, calm)
    north, west = (replace(asked.cluster_by_name[name]) for name in ("north", "west"))
    full = replace(north, free={"cpu": 0})
    asked = Problem((asked.cluster_by_name["east"], full, west), asked.workloads, asked.rules, asked.levels)
    plan = planned(asked, {"shop/web": {"west": 5}, "shop/calm": {"north": 4}})
    told = read(report_html(plan)).sections["attention"]
    assert told.endswith("Nearly full afterwards west: cpu 100%, 20% now as full now: north: cpu 100%")


def test_what_is_much_is_folded() -> None:
    """Of ten cases five are open; what has no case is left out."""
    section = attention_section(
        [Concern("Broken", [str(n) for n in range(10)], "rule"), Concern("None", (), "")]
    )
    _, first, rest = section.blocks
    assert isinstance(first, Items)
    assert len(first.items) == 5
    assert isinstance(rest, Folded)
    assert rest.summary == "5 more rules"


def test_what_to_do_next_is_a_command_on_the_same_input(capsys: pytest.CaptureFixture[str]) -> None:
    """Names are quoted, the format of the result is left out, and every option stays."""
    assert main(["plan", "-q", "-f", FLEET, "--order", "either", "-o", "html"]) == 0
    page = read(capsys.readouterr().out)
    assert f"fairlead plan -q -f {FLEET} --order either -o html" in page.sections["head"]
    assert f"fairlead plan -q -f {FLEET} --order either --save plan.json" in page.sections["next"]


@pytest.mark.parametrize(
    "command",
    [
        ["solve"],
        ["plan"],
        ["compare", "--like", "reference"],
        ["simulate", "--drain", "east"],
        ["simulate", "--sweep", "cluster"],
        ["why", "default/search"],
    ],
)
def test_every_answer_has_a_page(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """The page is whole, needs no network, and has date and command at its head."""
    assert main([*command, "-q", "-f", FLEET, "-o", "html"]) in {0, 3}
    said = capsys.readouterr()
    assert said.err == ""
    page = read(said.out)
    assert addresses(said.out) == []
    assert f"UTC fairlead {' '.join(command)}" in page.sections["head"]


def test_rows_are_not_picked_for_a_page(capsys: pytest.CaptureFixture[str]) -> None:
    """A page has its own filters."""
    assert main(["solve", "-f", FLEET, "-o", "html", "--changed"]) == 2
    assert "not for -o html" in capsys.readouterr().err


def test_pages_need_no_more_than_what_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither matplotlib nor jinja2 is there for most users."""
    for name in ("matplotlib", "jinja2"):
        monkeypatch.setitem(__import__("sys").modules, name, None)
    file = tmp_path / "report.html"
    assert main(["report", "-q", "-f", FLEET, "-o", str(file)]) == 0
    assert "</html>" in file.read_text(encoding="utf-8")


def test_notebooks_show_the_top_of_the_page() -> None:
    """The same blocks: headline, what needs attention, panels; no script, and no identifier to meet twice."""
    for answer in (
        example(),
        solved(),
        simulated(),
        compared(),
        infeasible(),
        fairlead.why(solved().problem, "nginx"),
    ):
        page, short = report_html(answer), answer._repr_html_()
        head = page[page.index("<h1") : page.index("</h1>")]
        assert head in short
        assert "<script" not in short
        assert " id=" not in short
        read(f"<!doctype html>{short}")
    assert 'class="panels"' in example()._repr_html_()
    # 2,000 workloads: a notebook that holds many answers stays light.
    assert len(large(2000)._repr_html_()) < 400_000


def test_answers_are_plotted(tmp_path: Path) -> None:
    """A picture of its own, with the panels of the page and their colours, which can be saved."""
    for answer in (example(), solved(), simulated(), compared()):
        plot = answer.plot()
        inside = report_html(answer)
        found = re.findall(r'<svg class="panel".*?</svg>', plot.svg)
        assert found
        assert all(one in inside for one in found)
        assert addresses(plot.svg.replace('xmlns="http://www.w3.org/2000/svg"', "")) == []
        plot.save(tmp_path / "plot.svg")
        read(f"<!doctype html>{(tmp_path / 'plot.svg').read_text(encoding='utf-8')}")
    assert repr(plot) == "Plot()"
    assert plot._repr_svg_() == plot.svg


def test_what_has_no_placement_has_no_plot() -> None:
    """The error says what is missing."""
    for answer in (infeasible(), fairlead.why(solved().problem, "nginx")):
        with pytest.raises(fairlead.UsageError, match="nothing to plot"):
            answer.plot()


def test_names_do_not_leave_the_style_that_holds_them() -> None:
    """Headers are texts of a style, and those of a map are names of clusters: whatever is odd is a number."""
    odd = "a';}*{display:none}/*"
    done = Scenario(Lose("us", "region"), ("b",), "Optimal", fullness={odd: Fraction(1, 2)})
    text = report_html(replace(simulated(), scenarios=(done,)))
    styles = [unescape(style) for style in re.findall(r'<table[^>]* style="([^"]*)"', text)]
    assert any("display" in style for style in styles)
    assert all(re.fullmatch(r"(--c\d+:'[\w\\ ]*';)*", style) for style in styles)
    assert read(text).tables["sweep"][0].rows[0][2] == odd


def test_of_many_workloads_those_that_change_stand_unfolded() -> None:
    """Of 60 workloads 20 are new, 20 unchanged, 20 change: 40 rows are as many as stand unfolded."""
    text = report_html(many(60))
    page = read(text)
    changed, every = page.tables["placement"]
    assert len(changed.rows) - 1 == 40
    assert not any("unchanged" in row for row in changed.rows)
    assert len(every.rows) - 1 == 60
    assert text.index("app-00") < text.index("<summary>The placement of 60 workloads")
    # 20 replicas move from member1 to member2; new ones start.
    assert "replicas move 20 start 60 of 60 workloads change 40 of 4 clusters used 2" in page.sections["head"]
    # One row more, and they are folded, too.
    assert "<summary>42 workloads change" in report_html(many(63))
