"""compare_plans() and ``plan --compare``: what differs from a saved plan, and nothing where nothing does."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import fairlead
from builders import binding, clusters, deployment, divided
from fairlead.cli.app import main
from fairlead.models.errors import ManifestError, UsageError
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.report.renderer import terminal
from fairlead.report.terminal import Look
from fairlead.solver.plan.saved import (
    PlanComparison,
    PlanSummary,
    TargetDifference,
    compare_plans,
)
from places import ROOT

MIGRATION = str(ROOT / "examples" / "safe-migration")
EVEN = divided({})


def fleet(**running: Mapping[str, int]) -> Problem:
    """Return workloads that run somewhere on three clusters and want to be divided evenly."""
    documents = clusters(3, cpu=50, pods=100)
    for name, held in running.items():
        count = sum(held.values())
        documents += [deployment(name, count, cpu="1"), binding(name, count, dict(held), EVEN, cpu="1")]
    return fairlead.load(documents)


def saved(problem: Problem, **options: Any) -> dict[str, Any]:
    """Return a plan as a file holds it."""
    found: dict[str, Any] = json.loads(json.dumps(fairlead.plan(problem, **options).to_dict()))
    return found


WEB = {"member1": 9}


def test_equal_plans_have_nothing_to_tell() -> None:
    """The same question has the same answer; the text is empty, the numbers are still told."""
    problem = fleet(web=WEB)
    found = compare_plans(saved(problem), fairlead.plan(problem))
    assert found.same
    assert str(found) == ""
    assert terminal(found) == ""
    assert found.to_dict() == {
        "same": True,
        "hasTarget": {"before": True, "after": True},
        "moves": {"before": 6, "after": 6},
        "waves": {"before": 1, "after": 1},
        "target": [],
        "addedWorkloads": [],
        "removedWorkloads": [],
    }


def test_a_budget_changes_target_and_moves() -> None:
    """Six moves without a budget (3, 3, 3), one with it (8, 1, 0); what stays equal is not named."""
    problem = fleet(web=WEB, api={"member1": 1, "member2": 1, "member3": 1})
    found = compare_plans(saved(problem), fairlead.plan(problem, budget=1))
    assert found.targets == (
        TargetDifference("default/web", "member1", 3, 8),
        TargetDifference("default/web", "member2", 3, 1),
        TargetDifference("default/web", "member3", 3, 0),
    )
    assert [each.difference for each in found.targets] == [5, -2, -3]
    assert str(found).splitlines() == [
        "1 replica to move instead of 6.",
        "default/web on member1: 8 instead of 3",
        "default/web on member2: 1 instead of 3",
        "default/web on member3: 0 instead of 3",
    ]
    assert not found.same


def test_waves_may_differ_alone() -> None:
    """Allowed one replica too many, six moves take six waves; the target is the same."""
    problem = fleet(web=WEB)
    found = compare_plans(saved(problem), fairlead.plan(problem, max_surge=1))
    assert str(found) == "6 waves instead of 1."
    assert (found.before.moves, found.after.moves, found.targets) == (6, 6, ())


def test_what_runs_now_may_differ_alone() -> None:
    """Two of six moves have been made since the plan was saved: fewer are left, to the same target."""
    later = fleet(web={"member1": 7, "member2": 1, "member3": 1})
    assert str(compare_plans(saved(fleet(web=WEB)), fairlead.plan(later))) == (
        "4 replicas to move instead of 6."
    )


def test_workloads_come_and_go() -> None:
    """One that only one of the plans knows is named, also where it holds no replica."""
    found = compare_plans(saved(fleet(web=WEB)), fairlead.plan(fleet(api={"member1": 0})))
    assert (found.added, found.removed) == (("default/api",), ("default/web",))
    assert str(found).splitlines()[:4] == [
        "0 replicas to move instead of 6.",
        "0 waves instead of 1.",
        "default/api is not in the saved plan.",
        "default/web is not in the new plan.",
    ]


def test_plans_without_a_target() -> None:
    """Nine new replicas of one core do not fit on three clusters of two cores."""
    new = [deployment("web", 9, cpu="1"), binding("web", 9, {}, EVEN, cpu="1")]
    fits, tight = fleet(web=WEB), fairlead.load(clusters(3, cpu=2, pods=100), new)
    lost = compare_plans(saved(fits), fairlead.plan(tight))
    assert str(lost) == "The saved plan had a target; the new one has none."
    assert lost.to_dict()["waves"] == {"before": 1, "after": None}
    won = compare_plans(saved(tight), fairlead.plan(fits))
    assert str(won) == "The saved plan had no target; the new one has one."
    assert compare_plans(saved(tight), fairlead.plan(tight)).same


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"form": "fairlead.io/plan/v0"},
        {"form": "fairlead.io/plan/v1"},
        {"form": "fairlead.io/plan/v1", "target": {"a": {"b": "c"}}, "waves": None, "moves": 0},
        {"form": "fairlead.io/plan/v1", "target": None, "waves": {}, "moves": 0},
        {"form": "fairlead.io/plan/v1", "target": None, "waves": None, "moves": "many"},
        [],
    ],
    ids=str,
)
def test_what_is_no_plan_is_refused(document: Any) -> None:
    """Another form, and a document that somebody has edited: mistakes as in manifests."""
    with pytest.raises((UsageError, ManifestError), match=r"not a saved plan|<dict>: [a-zA-Z.]+: "):
        compare_plans(document, fairlead.plan(fleet(web=WEB)))


def test_long_comparisons_are_cut_short() -> None:
    """The table and the text count what they leave out; a wide table shows all."""
    some = Placement({"web": {f"c{at:02}": 1 for at in range(40)}})
    summary = PlanSummary(some, 40, 1)
    differences = tuple(TargetDifference("web", name, 0, 1) for name in some["web"])
    found = PlanComparison(PlanSummary(Placement({"web": {}}), 40, 1), summary, differences)
    assert str(found).splitlines()[-1] == "... and 20 more differences"
    assert terminal(found).splitlines()[-1] == "... and 10 more differences (-o wide shows all)"
    assert len(terminal(found, Look(wide=True, headers=False)).splitlines()) == 40


def test_the_command_prints_differences(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As tables and as JSON; nothing where the plans are equal. The exit code is that of the plan."""
    file = str(tmp_path / "plan.json")
    assert main(["plan", "-f", MIGRATION, "--save", file]) == 0
    capsys.readouterr()
    assert main(["plan", "-f", MIGRATION, "--compare", file]) == 0
    assert capsys.readouterr().out == ""
    arguments = ["plan", "-f", MIGRATION, "--compare", file, "--pin", "default/serve"]
    assert main([*arguments, "--detailed-exitcode"]) == 5
    assert capsys.readouterr().out == (
        "2 replicas to move instead of 3.\n\n"
        "WORKLOAD       CLUSTER  SAVED  NEW  CHANGE\n"
        "default/serve  east         3    4      +1\n"
        "default/serve  west         3    2      -1\n"
    )
    assert main([*arguments, "-o", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["same"], document["moves"]) == (False, {"before": 3, "after": 2})
    assert main([*arguments, "--no-headers"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows == [["default/serve", "east", "3", "4", "+1"], ["default/serve", "west", "3", "2", "-1"]]


def test_the_command_saves_and_compares_one_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The saved plan is read before the new one takes its place."""
    file = str(tmp_path / "plan.json")
    assert main(["plan", "-f", MIGRATION, "--save", file, "--budget", "0"]) == 0
    capsys.readouterr()
    assert main(["plan", "-f", MIGRATION, "--save", file, "--compare", file]) == 0
    assert "3 replicas to move instead of 0." in capsys.readouterr().out
    assert json.loads(Path(file).read_text())["moves"] == 3


def test_no_new_target_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The difference first, then the conflict; the exit code is 3."""
    file = str(tmp_path / "plan.json")
    assert main(["plan", "-f", MIGRATION, "--save", file]) == 0
    capsys.readouterr()
    assert main(["plan", "-f", str(ROOT / "examples" / "too-tight"), "--compare", file]) == 3
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert first == "The saved plan had a target; the new one has none."
    assert second == "No plan. Infeasible: no placement keeps all of these rules:"


@pytest.mark.parametrize("arguments", [["--compare", "README.md"], ["--compare", "{file}", "-o", "patch"]])
def test_wrong_use_is_refused(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that is no plan, and an output that shows one plan only."""
    file = tmp_path / "plan.json"
    file.write_text("{}")
    given = [one.format(file=file).replace("README.md", str(ROOT / "README.md")) for one in arguments]
    assert main(["plan", "-f", MIGRATION, *given]) == 2
    assert capsys.readouterr().out == ""
