"""``fairlead report``: files, exit codes, saved plans."""

from pathlib import Path

import pytest

from fairlead.cli.app import main
from places import EXAMPLES
from report_reading import addresses, read

SAFE = "examples/safe-migration"
NAMES = sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir() and not path.name.startswith("_"))


def test_writes_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The report goes to its file, and the plan in one sentence to standard error."""
    file = tmp_path / "report.html"
    assert main(["report", "-f", SAFE, "-o", str(file)]) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.strip() == f"3 replicas move in 1 wave (the minimum).\nwritten to {file}"
    text = file.read_text(encoding="utf-8")
    page = read(text)
    assert addresses(text) == []
    assert "3 replicas move in 1 wave (the minimum)." in page.sections["head"]
    assert ["default/search", "2", "east", "west", "start"] in page.tables["waves"][0].rows
    assert f"fairlead report -f {SAFE} -o" in page.sections["head"]
    assert "Time limit 60 s" in page.sections["made"]


def test_replaces_a_file(tmp_path: Path) -> None:
    """What was there is gone, as with most tools."""
    file = tmp_path / "report.html"
    file.write_text("old" * 100_000, encoding="utf-8")
    assert main(["report", "-q", "-f", SAFE, "-o", str(file)]) == 0
    assert "oldold" not in file.read_text(encoding="utf-8")


def test_writes_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    """With `-` nothing else is printed."""
    assert main(["report", "-f", SAFE, "-o", "-"]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    read(said.out)


def test_options_of_a_plan(tmp_path: Path) -> None:
    """Budgets hold as for `fairlead plan`, and the report tells them: one move of three."""
    file = tmp_path / "report.html"
    assert main(["report", "-q", "-f", SAFE, "-o", str(file), "--budget", "1", "--pin", "default/serve"]) == 0
    page = read(file.read_text(encoding="utf-8"))
    assert "1 replica moves in 1 wave" in page.sections["head"]
    assert "Replicas that may move in all 1" in page.sections["made"]
    assert "Pinned workloads default/serve" in page.sections["made"]


def test_infeasible(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The report is written, and the exit code is that of `fairlead plan`."""
    file = tmp_path / "report.html"
    assert main(["report", "-f", "examples/too-tight", "-o", str(file)]) == 3
    page = read(file.read_text(encoding="utf-8"))
    assert "policy default/nginx: member2 needs at least 4" in page.sections["conflict"]
    assert "examples/too-tight/too-tight.yaml:40" in page.sections["conflict"]
    assert "Infeasible: no placement keeps all of these rules" in capsys.readouterr().err


def test_where_nothing_runs_the_placement_is_reported(tmp_path: Path) -> None:
    """There is nothing to move: the report shows where everything stands."""
    file = tmp_path / "report.html"
    assert main(["report", "-f", "examples/three-regions", "-o", str(file)]) == 0
    page = read(file.read_text(encoding="utf-8"))
    assert "Optimal: no better placement exists (proven)." in page.sections["head"]
    assert "waves" not in page.sections
    assert page.tables["placement"][0].rows[1][:3] == ["ap-south-1", "ap-south", "5"]


def test_a_saved_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The waves are those that were saved, not new ones."""
    saved, file = tmp_path / "plan.json", tmp_path / "report.html"
    assert main(["plan", "-f", SAFE, "--save", str(saved)]) == 0
    # What was saved is told apart from what would be planned anew by a wave more than are needed.
    text = saved.read_text(encoding="utf-8")
    text = text.replace('"lowerBound": 1', '"lowerBound": 0')
    saved.write_text(text, encoding="utf-8")
    assert main(["report", "-q", "-f", SAFE, "--plan", str(saved), "-o", str(file)]) == 0
    page = read(file.read_text(encoding="utf-8"))
    assert "3 replicas move in 1 wave (at least 0 waves are needed)." in page.sections["head"]
    assert "The target is as saved" in page.sections["head"]
    assert f"--plan {saved}" in page.sections["head"]
    assert capsys.readouterr().err == ""


def test_a_saved_plan_under_way(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where a move has been made already, the report shows what is left and says so."""
    saved, file, later = tmp_path / "plan.json", tmp_path / "report.html", tmp_path / "later.yaml"
    assert main(["plan", "-f", SAFE, "--save", str(saved)]) == 0
    now = Path(SAFE, "safe-migration.yaml").read_text(encoding="utf-8")
    done = now.replace(
        "[{name: east, replicas: 7}, {name: west, replicas: 2}]",
        "[{name: east, replicas: 5}, {name: west, replicas: 4}]",
    )
    assert done != now
    later.write_text(done, encoding="utf-8")
    capsys.readouterr()
    assert main(["report", "-q", "-f", str(later), "--plan", str(saved), "-o", str(file)]) == 0
    page = read(file.read_text(encoding="utf-8"))
    assert "1 replica moves in 1 wave" in page.sections["head"]
    assert "the report shows the waves that are left" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["-f", SAFE, "-o", "no/such/place/report.html"], "there is no directory no/such/place"),
        (["-f", SAFE, "-o", "examples"], "is a directory"),
        (["-f", SAFE, "--plan", "README.md"], "README.md is not a saved plan"),
        (["-f", SAFE, "--pin", "default/nobody"], "default/nobody"),
        ([], "no input"),
    ],
)
def test_mistakes(
    arguments: list[str],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Wrong usage ends with 2, says what is wrong and leaves no file behind."""
    for name in ("examples", "README.md"):
        (tmp_path / name).symlink_to(Path(name).resolve())
    monkeypatch.chdir(tmp_path)
    assert main(["report", *arguments]) == 2
    assert says in capsys.readouterr().err
    assert not (tmp_path / "report.html").exists()


@pytest.mark.long
@pytest.mark.parametrize("folder", NAMES)
def test_every_example_gives_a_report(folder: str, tmp_path: Path) -> None:
    """Whatever kinds and rules the input has: the page is well-formed and needs no network."""
    file = tmp_path / "report.html"
    assert main(["report", "-q", "-f", f"examples/{folder}", "-o", str(file), "--time-limit", "20"]) in {0, 3}
    text = file.read_text(encoding="utf-8")
    assert addresses(text) == []
    page = read(text)
    assert "made" in page.sections
    # An answer has a target and a placement; where there is none, the conflict says so alone.
    assert ("placement" in page.sections) == ("target" in page.sections) != ("conflict" in page.sections)
