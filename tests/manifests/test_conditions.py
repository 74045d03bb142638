"""Conditions as Kubernetes states them, the same words everywhere, and exit codes of partial answers."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from builders import binding, cluster, dynamic, static, term
from fairlead.cli.app import main
from fairlead.cli.exits import INFEASIBLE, SOLVED, code_of
from fairlead.manifests.loading import load
from fairlead.models.conditions import Condition
from fairlead.models.outcome import Outcome, Status
from fairlead.models.rules import Bounds, Duplicated, GroupTotal, Spread
from fairlead.models.rules.bounds import Bound
from fairlead.report.renderer import terminal
from fairlead.report.terminal import Look
from fairlead.solver.compare import compare
from fairlead.solver.solve import solve
from hand_made import feasible, infeasible, solved
from partial_problems import NAMES, asked, three, web


def told(outcome: Outcome, key: str = "default/web") -> dict[str, tuple[str, str]]:
    """Return status and reason of a workload's conditions by type."""
    return {each.type: (each.status, each.reason) for each in outcome.conditions.workloads[key]}


def whole(outcome: Outcome) -> dict[str, Condition]:
    """Return the conditions of the whole by type."""
    return {each.type: each for each in outcome.conditions.whole}


def test_everything_is_placed() -> None:
    """All is as asked, and proven."""
    outcome = solved()
    assert told(outcome, "default/nginx") == {
        "Scheduled": ("True", "Success"),
        "FullyPlaced": ("True", "ReplicasPlaced"),
    }
    assert str(outcome.conditions.workloads["default/nginx"][0]) == (
        "Scheduled=True (Success): 11 replicas on 3 clusters"
    )
    assert {kind: (each.status, each.reason) for kind, each in whole(outcome).items()} == {
        "FullyPlaced": ("True", "ReplicasPlaced"),
        "Proven": ("True", "Optimal"),
    }


def test_replicas_are_unplaced() -> None:
    """The message says how many, and what stands in the way on which cluster."""
    outcome = solve(asked(three(2000, 1000, 500), web(5)), partial=True)
    assert told(outcome) == {
        "Scheduled": ("True", "Success"),
        "FullyPlaced": ("False", "ReplicasUnplaced"),
    }
    message = outcome.conditions.workloads["default/web"][1].message
    assert message == (
        "2 of 5 replicas of default/web are unplaced: "
        "member1 and member2 have no capacity left (0 cpu free, 1 per replica); "
        "member3 has no capacity left (500m cpu free, 1 per replica)"
    )
    assert whole(outcome)["FullyPlaced"].message == "1 of 1 workload is not fully placed: default/web"


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        (Bounds({"member1": Bound(3)}), "MinimumNotMet"),
        (GroupTotal("the two", frozenset(NAMES[:2]), 5), "MinimumNotMet"),
        (Spread("region", {name: frozenset({name}) for name in NAMES}, 3), "SpreadNotMet"),
    ],
)
def test_a_rule_is_not_met(rule: Any, reason: str) -> None:
    """All replicas are placed, but not as the rule asks: member1 has room for 2, member3 for none."""
    outcome = solve(asked(three(2000, 2000, 0), web(4, rule)), partial=True)
    assert told(outcome) == {"Scheduled": ("True", "Success"), "FullyPlaced": ("False", reason)}
    assert code_of(outcome) == INFEASIBLE


def test_nothing_is_placed() -> None:
    """No candidate at all, or no room anywhere: not scheduled, with Karmada's reasons."""
    outcome = solve(asked(three(0, 0, 0), web(2), web(1, name="z", names=())), partial=True)
    assert told(outcome)["Scheduled"] == ("False", "Unschedulable")
    assert told(outcome, "default/z")["Scheduled"] == ("False", "NoClusterFit")
    assert whole(outcome)["FullyPlaced"].message == (
        "2 of 2 workloads are not fully placed: default/web and default/z"
    )


def test_a_missing_copy() -> None:
    """A copy that does not fit is named with its cluster."""
    outcome = solve(asked(three(2000, 1000, 2000), web(2, copies=Duplicated())), partial=True)
    assert outcome.conditions.workloads["default/web"][1].message == (
        "default/web has no copy on member2, 2 replicas unplaced: "
        "member2 has capacity for only 1 more (1 cpu free, 1 per replica)"
    )
    reasons = {each.cluster: each.reason for each in outcome.decisions["default/web"]}
    assert reasons["member1"] == "full copy"
    assert reasons["member2"].startswith("default/web has no copy on member2")


def test_a_strict_answer() -> None:
    """Without a placement nothing is scheduled; the conflict's own sentences tell why."""
    outcome = infeasible()
    assert told(outcome, "default/nginx") == {
        "Scheduled": ("False", "Unschedulable"),
        "FullyPlaced": ("False", "ReplicasUnplaced"),
    }
    assert "member3 needs at least 4" in outcome.conditions.workloads["default/nginx"][0].message
    assert whole(outcome)["Proven"].reason == "Infeasible"


def test_an_answer_without_proof() -> None:
    """How far it may be from the best is said; nothing found in time is unknown, not false."""
    assert whole(feasible())["Proven"] == Condition(
        "Proven", "False", "NotProven", "not proven best; deviation could be up to 10% lower"
    )
    unknown = Outcome(Status.UNKNOWN, "cp-sat", solved().problem, None)
    assert told(unknown, "default/nginx") == {
        "Scheduled": ("Unknown", "TimeLimit"),
        "FullyPlaced": ("Unknown", "TimeLimit"),
    }
    assert whole(unknown)["Proven"].status == "False"


def test_the_same_words_everywhere() -> None:
    """JSON, terminal, HTML and plain text tell one story."""
    outcome = solve(asked(three(2000, 1000, 500), web(5)), partial=True)
    words = "unplaced: member1 and member2 have no capacity left (0 cpu free, 1 per replica)"
    assert words in str(outcome)
    assert words in outcome._repr_html_()
    assert words in terminal(outcome)
    assert f"FullyPlaced=False (ReplicasUnplaced): 2 of 5 replicas of default/web are {words}" in terminal(
        outcome, Look(wide=True)
    )
    document = outcome.to_dict()
    assert words in json.dumps(document["workloads"][0]["conditions"])
    assert [each["type"] for each in document["conditions"]] == ["FullyPlaced", "Proven"]
    assert document["shortfalls"][0]["amount"] == document["workloads"][0]["unplaced"] == 2
    assert str(outcome).startswith("Best possible: 2 of 5 unplaced; no better placement exists (proven):")


def test_exit_codes() -> None:
    """Something that gave way is 3, as an infeasible problem is; a full answer is 0."""
    assert code_of(solve(asked(three(2000, 0, 0), web(3)), partial=True)) == INFEASIBLE
    assert code_of(solve(asked(three(3000, 0, 0), web(3)), partial=True)) == SOLVED


def test_compare_keeps_working() -> None:
    """The dispensers are asked the same; their answers show no shortfalls of their own."""
    problem = load(cluster("member1", cpu="2"), binding("web", 3, placement=dynamic(), cpu="1"))
    comparison = compare(problem, partial=True)
    assert comparison.best.shortfalls[0].amount == 1
    assert all(not each.outcome.shortfalls for each in comparison.contenders)


Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs ``fairlead solve`` and returns exit code and output.

    Member1 has room for 2, needs 4 and runs 1; member2 may hold 2 and runs 5; 6 replicas are wanted.
    """
    terms = {"clusterConstraintTerms": [term("member1", 4), term("member2", None, 2)]}
    documents = [
        cluster("member1", cpu="2", allocated={"cpu": "1"}),
        cluster("member2", cpu="8"),
        binding(
            "web", 6, {"member1": 1, "member2": 5}, static(("member1", 1), ("member2", 1), **terms), cpu="1"
        ),
    ]
    file = tmp_path / "in.yaml"
    file.write_text(yaml.safe_dump_all(documents))

    def command(*arguments: str) -> tuple[int, str]:
        code = main(["solve", "-f", str(file), *arguments])
        return code, capsys.readouterr().out

    return command


def test_command_line(run: Run) -> None:
    """``--partial`` places what can be placed, says what is missing and ends with 3."""
    code, text = run("--partial")
    assert code == INFEASIBLE
    assert "2 of 6 replicas of default/web are unplaced" in text
    assert "member2 may hold at most 2" in text
    assert "Fixed: default/web: member2 holds 5 replicas, at most 2 are allowed" in text
    assert "Still violated: default/web: member1 holds 2 replicas, at least 4 are needed" in text


def test_command_line_as_json(run: Run) -> None:
    """The document tells the same; without ``--partial`` it is a conflict."""
    code, text = run("--partial", "-o", "json")
    document = json.loads(text)
    assert code == INFEASIBLE
    assert document["status"] == "Optimal"
    assert document["conflict"] is None
    assert [each["rule"] for each in document["shortfalls"]] == ["total", "bounds"]
    assert len(document["brokenBefore"]) == 2
    assert len(document["stillBroken"]) == 1
    assert json.loads(run("-o", "json")[1])["status"] == "Infeasible"
