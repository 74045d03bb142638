"""``fairlead plan``: what the terminal shows, what is saved, and the exit codes."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

from fairlead.cli.app import main
from places import ROOT

MIGRATION = str(ROOT / "examples" / "safe-migration")


def test_a_plan_is_saved_and_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The saved plan leads to the same target; after all of it there is nothing to do."""
    saved = tmp_path / "plan.json"
    assert main(["plan", "-f", MIGRATION, "--save", str(saved), "--detailed-exitcode"]) == 5
    capsys.readouterr()
    assert main(["plan", "-f", MIGRATION, "--resume", str(saved), "-o", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["target"] == {
        "default/search": {"east": 5, "west": 4},
        "default/serve": {"east": 3, "west": 3},
    }
    assert document["moves"] == 3
    assert [move["workload"] for wave in document["waves"]["waves"] for move in wave["moves"]] == [
        "default/search",
        "default/serve",
    ]


def test_patched_bindings_are_yaml(capsys: pytest.CaptureFixture[str]) -> None:
    """Only the workloads that change are written."""
    assert main(["plan", "-f", MIGRATION, "-o", "patch", "--pin", "default/serve"]) == 0
    (document,) = yaml.safe_load_all(capsys.readouterr().out)
    assert document["kind"] == "ResourceBinding"
    assert document["spec"]["clusters"] == [{"name": "east", "replicas": 5}, {"name": "west", "replicas": 4}]


def test_moves_for_scripts(capsys: pytest.CaptureFixture[str]) -> None:
    """A line per move; with a budget of one replica into west it is the one that gains most."""
    arguments = ["plan", "-f", MIGRATION, "-o", "moves", "--no-headers", "--budget-into", "west=1"]
    assert main(arguments) == 0
    assert capsys.readouterr().out.split() == ["1", "default/search", "1", "east", "west", "start"]


@pytest.mark.parametrize("rows_only", [("-o", "moves"), ("-o", "csv"), ("--no-headers",)], ids=" ".join)
def test_where_there_is_no_plan_scripts_get_no_row(
    rows_only: Sequence[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Sentences are no rows: why there is no plan is told beside them."""
    assert main(["plan", "-f", str(ROOT / "examples" / "too-tight"), *rows_only]) == 3
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("No plan. Infeasible: no placement keeps all of these rules:")
    assert "member2 needs at least 4" in printed.err


def test_without_headers_the_rows_are_left(capsys: pytest.CaptureFixture[str]) -> None:
    """One flat table, a row per move, as `-o moves` prints them."""
    assert main(["plan", "-q", "-f", MIGRATION, "--no-headers"]) == 0
    rows = capsys.readouterr().out
    assert main(["plan", "-q", "-f", MIGRATION, "--no-headers", "-o", "moves"]) == 0
    assert capsys.readouterr().out == rows
    assert [line.split()[0] for line in rows.splitlines()] == ["1", "1"]


def test_a_single_wave_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    """What changes says it all, unless something stops first, or there are several waves."""
    told = "New replicas start before old ones stop"
    assert main(["plan", "-q", "-f", MIGRATION]) == 0
    printed = capsys.readouterr().out
    assert told in printed
    assert "WAVE" not in printed
    for options in (["--max-moves-per-wave", "2"], ["--order", "stop-first"], ["-A"]):
        assert main(["plan", "-q", "-f", MIGRATION, *options]) == 0
        printed = capsys.readouterr().out
        assert told not in printed
        assert "WAVE  WORKLOAD" in printed


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--moves-first", "--detailed-exitcode"], 0),  # nothing has to move
        (["--budget", "0"], 0),
        (["--budget", "ten"], 2),
        (["--gain", "-1"], 2),
        (["--budget-into", "west"], 2),
        (["--budget-into", "west=1", "--budget-into", "west=2"], 2),
        (["--pin", "default/none"], 2),
        (["--resume", str(ROOT / "README.md")], 2),
    ],
)
def test_exit_codes(arguments: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Wrong options say so; nothing to do is success."""
    assert main(["plan", "-f", MIGRATION, *arguments]) == code
    capsys.readouterr()


def test_no_target_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    """The conflict of the target is the reason why there is no plan."""
    assert main(["plan", "-f", str(ROOT / "examples" / "too-tight")]) == 3
    assert "No plan. Infeasible: no placement keeps all of these rules:" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "target"),
    [
        (["--drain", "east"], {"default/search": {"west": 9}, "default/serve": {"west": 6}}),
        (["--lose", "east"], {"default/search": {"west": 9}, "default/serve": {"west": 6}}),
        (
            ["--scale", "serve=8"],
            {"default/search": {"east": 5, "west": 4}, "default/serve": {"east": 4, "west": 4}},
        ),
    ],
)
def test_changes_come_before_the_plan(
    change: list[str], target: dict[str, dict[str, int]], capsys: pytest.CaptureFixture[str]
) -> None:
    """The plan leads to the best placement after the changes; what runs on a lost cluster starts anew."""
    assert main(["plan", "-f", MIGRATION, "-o", "json", *change]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["target"] == target
    assert (document["moves"] == 0) is ("--lose" in change)


def test_changes_of_manifests_are_not_patched(capsys: pytest.CaptureFixture[str]) -> None:
    """A patch of what is not there yet would be undone: the manifest comes first."""
    assert main(["plan", "-f", MIGRATION, "-o", "patch", "--scale", "serve=8"]) == 2
    assert "apply --add, --scale and --weight first" in capsys.readouterr().err
    assert main(["plan", "-f", MIGRATION, "-o", "patch", "--drain", "east"]) == 0
    first, _ = yaml.safe_load_all(capsys.readouterr().out)
    assert first["spec"]["clusters"] == [{"name": "west", "replicas": 9}]
