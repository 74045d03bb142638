"""Tables for other programs, and large fleets: rows picked, sorted, summed up, and what changes in a line."""

import csv
import io
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import fairlead
from fairlead.cli.app import main
from fairlead.models.placement import Placement
from fairlead.models.usage import Utilisation, utilisation
from fairlead.report.blocks import Cell, Table, Text, cells, columns
from fairlead.report.content.fleet import ReplicaChanges, change_of, closing, difference, grouped, places
from fairlead.report.renderer import tabular, terminal
from fairlead.report.tabular import CustomColumns
from fairlead.report.terminal import Look, Rows, printed
from hand_made import solved
from places import EXAMPLES

REGIONS = str(EXAMPLES / "three-regions")


def test_csv_is_read_back() -> None:
    """Every cluster is a row; texts with commas are quoted, and a dash is an empty field."""
    rows = list(csv.DictReader(io.StringIO(tabular(solved(), "csv", Look()))))
    assert [(row["cluster"], row["replicas"], row["by-weight"]) for row in rows[:3]] == [
        ("member1", "3", "1.83"),
        ("member2", "6", "3.67"),
        ("member3", "2", "5.50"),
    ]
    assert rows[2]["reason"] == "at capacity (0 cpu free, 500m per replica)"
    assert rows[0]["max"] == ""


def test_markdown_has_a_cell_for_every_column() -> None:
    """Head, rule and rows have as many cells; numbers are flush right."""
    head, rule, *rows = tabular(solved(), "markdown", Look()).splitlines()
    assert len({line.count("|") for line in (head, rule, *rows)}) == 1
    assert rule.split("|")[1 + [cell.strip() for cell in head.split("|")[1:]].index("Replicas")] == " ---: "


def test_custom_columns(capsys: pytest.CaptureFixture[str]) -> None:
    """Columns in one's own order, under one's own headers; an unknown one names the nearest."""
    shown = tabular(solved(), CustomColumns("N:replicas,CLUSTER"), Look()).splitlines()
    assert [line.split() for line in shown[:2]] == [["N", "CLUSTER"], ["3", "member1"]]
    assert main(["solve", "-f", REGIONS, "-o", "custom-columns=replica"]) == 2
    assert "no column replica (did you mean replicas?)" in capsys.readouterr().err


def test_sorted(capsys: pytest.CaptureFixture[str]) -> None:
    """The largest number comes first, texts from A on."""
    assert main(["solve", "-f", REGIONS, "-o", "custom-columns=replicas", "--sort-by", "replicas"]) == 0
    numbers = capsys.readouterr().out.split()[1:]
    assert numbers == ["9", "8", "5", "4", "4"]
    assert main(["solve", "-f", REGIONS, "--sort-by", "size"]) == 2
    assert "no column size" in capsys.readouterr().err


def test_columns_to_sort_by_are_told_once_each(capsys: pytest.CaptureFixture[str]) -> None:
    """Where nothing is summed up, the columns of sums are none of them; where it is, only they are."""
    assert main(["plan", *MIGRATION, "--sort-by", "size"]) == 2
    told = capsys.readouterr().err.strip().partition("; known: ")[2].split(", ")
    assert sorted(told) == sorted(set(told))
    assert set(told).isdisjoint({"", "workloads", "now"})
    assert main(["plan", *MIGRATION, "--group-by", "cluster", "--sort-by", "wave"]) == 2
    assert "known: cluster, workloads, now, replicas, more, fewer" in capsys.readouterr().err


def test_groups_add_up() -> None:
    """The replicas of all regions, clusters and namespaces are those of the placement."""
    outcome = fairlead.solve(fairlead.load(REGIONS))
    for group_by, names in (("region", ["ap-south", "eu-west", "us-east"]), ("namespace", ["retail"])):
        table = grouped(places(outcome), Rows(group_by=group_by), outcome.problem.clusters)
        assert [row[0].text for row in table.rows] == names
        assert sum(int(row[3].text) for row in table.rows) == 30
    east = grouped(places(outcome), Rows(group_by="region"), outcome.problem.clusters).rows[1]
    assert [cell.text for cell in east] == ["eu-west", "1", "0", "17", "+17", "-"]


def test_what_changes_in_a_line() -> None:
    """One of member1 stops and four start elsewhere: one replica moves, three are new."""
    found = change_of(solved())
    assert found == ReplicaChanges(1, 1, 3, 0, 0)
    assert closing(found) == "1 workload changes, 1 replica moves, 3 started, 0 unplaced."


def test_a_large_fleet_shows_what_changes() -> None:
    """Fifteen workloads that leave a cluster are all shown; once they run there, none but on demand."""
    problem = fairlead.load(EXAMPLES / "failover")
    outcome = fairlead.solve(problem)
    assert terminal(outcome).startswith("15 workloads change, 0 replicas move, 15 started, 0 unplaced.")
    assert "not change" not in terminal(outcome)
    running = tuple(replace(one, current=outcome.placed(one)) for one in problem.workloads)
    again = replace(outcome, problem=replace(problem, workloads=running))
    assert "15 workloads do not change (-A shows them)." in terminal(again)
    assert "app-07" not in terminal(again)
    assert "app-07" in terminal(again, Look(picked=Rows(every=True)))
    assert "app-07" not in terminal(again, Look(picked=Rows(changed=True)))
    assert grouped(places(again), Rows(changed=True, group_by="cluster"), ()).rows == ()


def test_differences_name_the_largest_first() -> None:
    """What stops and what starts; of six clusters four are named, a single one that is left as well."""
    assert difference({"a": 3, "b": 1}, {"b": 2, "c": 2}) == (
        Cell("-3 a", "notice"),
        Cell("+2 c, +1 b", "good"),
    )
    for many, last in ((5, ", +1 c4"), (6, ", 2 more clusters")):
        assert difference({}, {f"c{number}": 1 for number in range(many)})[1].text.endswith(last)


MIGRATION = ["-q", "-f", str(EXAMPLES / "safe-migration")]
DRAIN = ["-q", "-f", REGIONS, "--drain", "us-east-1"]


def test_plans_and_simulations_pick_rows(capsys: pytest.CaptureFixture[str]) -> None:
    """By cluster or region instead of by workload, sorted, and as the columns that are asked for."""
    assert main(["plan", *MIGRATION, "--group-by", "cluster", "--sort-by", "replicas"]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[3:6] == ["CLUSTER WORKLOADS NOW REPLICAS MORE FEWER", "east 2 11 8 - -3", "west 2 4 7 +3 -"]
    assert main(["simulate", *DRAIN, "--group-by", "region", "-o", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        "ap-south,1,5,6,+1,",
        "eu-west,1,17,19,+2,",
        "us-east,1,8,5,+1,-4",
    ]
    assert main(["plan", *MIGRATION, "-o", "moves", "--sort-by", "replicas"]) == 2
    assert main(["simulate", *DRAIN, "-o", "json", "--changed"]) == 2
    assert main(["simulate", *DRAIN, "--sort-by", "replica"]) == 2
    assert "no column replica (did you mean replicas?)" in capsys.readouterr().err


CROWDED = """
apiVersion: cluster.karmada.io/v1alpha1
kind: Cluster
metadata: {name: member1}
status: {resourceSummary: {allocatable: {cpu: "1"}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec: {replicas: 2, template: {spec: {containers: [{resources: {requests: {cpu: "1"}}}]}}}
---
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: web, namespace: default}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  placement: {replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Weighted}}
"""


@pytest.mark.parametrize("command", [["solve"], ["plan"], ["simulate", "--drain", "member1"]])
def test_columns_are_asked_for_where_no_table_is_shown(
    tmp_path: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Two replicas of one cpu have no placement: what sorts a table is refused or taken all the same."""
    path = tmp_path / "crowded.yaml"
    path.write_text(CROWDED)
    assert main([*command, "-f", str(path), "--sort-by", "replicas"]) == 3
    capsys.readouterr()
    assert main([*command, "-f", str(path), "--sort-by", "replica"]) == 2
    assert "no column replica (did you mean replicas?)" in capsys.readouterr().err


def test_every_workload_of_a_plan(capsys: pytest.CaptureFixture[str]) -> None:
    """-A lists those that stay, too: in a fleet of which one workload moves, the other one."""
    assert main(["plan", *MIGRATION, "--pin", "default/serve"]) == 0
    few = capsys.readouterr().out
    assert main(["plan", *MIGRATION, "--pin", "default/serve", "-A"]) == 0
    assert "default/serve" not in few
    assert "default/serve          6  -        -" in capsys.readouterr().out


def test_lines_end_at_200_characters() -> None:
    """Sentences go on below, elastic columns are cut; not for scripts, and not where width is asked for."""
    long = Text("word " * 60)
    wide = Table("", columns("~Name", ">Number"), (cells("n" * 250, 7),))
    assert [len(line) <= 200 for line in printed([[long, wide]], Look()).splitlines()] == [True] * 4
    for look in (Look(wide=True), Look(headers=False)):
        assert max(map(len, printed([[long, wide]], look).splitlines())) > 250


@pytest.mark.parametrize(
    "options", [["-o", "json", "--changed"], ["-o", "name", "--group-by", "region"], ["--changed", "-A"]]
)
def test_what_has_no_effect_is_refused(capsys: pytest.CaptureFixture[str], options: list[str]) -> None:
    """Rows are picked of tables only, and not in two ways at once."""
    assert main(["solve", "-f", REGIONS, *options]) == 2
    assert "-A" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [
        ["simulate", "--sweep", "region", "--changed"],
        ["simulate", "--script", "week.yaml", "--sort-by", "name"],
        ["plan", "--compare", "README.md", "-A"],
    ],
)
def test_rows_are_picked_of_workloads_only(capsys: pytest.CaptureFixture[str], command: list[str]) -> None:
    """What a sweep, a script or a comparison of plans shows has a row for something else."""
    assert main([*command, "-f", REGIONS]) == 2
    assert f"tables of workloads, not for {command[1]}" in capsys.readouterr().err


def test_others_count_for_how_full_a_cluster_is() -> None:
    """Of 10 cores others use 5 and the workload 2: 70%, although it may use but 5."""
    cluster = fairlead.Cluster("a", allocatable={"cpu": 10000}, free={"cpu": 3000})
    web = fairlead.Workload("web", "web", 2, requests={"cpu": 1000}, current={"a": 2})
    (now,) = utilisation(fairlead.Problem((cluster,), (web,)), Placement({"web": {"a": 2}}))
    assert (now.used, now.offered, now.others, now.fullness) == (2000, 5000, 5000, Fraction(7, 10))
    assert now.share == Fraction(2, 5)
    unknown = Utilisation("a", "cpu", 2000, 5000)
    assert (unknown.others, unknown.fullness) == (0, unknown.share)
