"""Text that leaves: what a terminal would obey is escaped, and names in YAML stay names for every reader."""

import json
from pathlib import Path

import pytest
import yaml

import fairlead
from builders import binding, cluster, deployment, policy, static
from fairlead.cli.app import main
from fairlead.manifests.yaml.scalars import reads_as_text, resolve, to_yaml
from fairlead.models.words import escaped

# What clears a screen, sets a title, and turns the direction of a line.
BAD = ("\x1b[2J", "\x1b]0;x\x07", "\u202e", "\x9b3J", "\x7f")

# Read as something else than text by YAML 1.1 as PyYAML or Go reads it, or by YAML 1.2.
MISREAD = (
    "y",
    "N",
    "yes",
    "off",
    "1e3",
    "0o17",
    "0x1f",
    "0b11",
    "1_000",
    "12",
    "7.5",
    "1:30",
    "2026-11-22",
    "~",
    "null",
)
NAMES = ("member1", "eu-west-2a", "500m", "10Gi", "v1.2", "yes-1", "nothing")


def _clean(text: str) -> bool:
    """Tell whether a text holds nothing that a terminal obeys."""
    return all(line.isprintable() for line in text.split("\n"))


@pytest.mark.parametrize("name", MISREAD)
def test_names_that_look_like_something_else_are_quoted(name: str) -> None:
    """Quotes stand around every text that some reader would not take for text, as value and as key."""
    text = to_yaml({"name": name, name: 1})
    assert f"'{name}'" in text.splitlines()[0]
    assert text.splitlines()[1] == f"'{name}': 1"
    assert yaml.safe_load(text) == {"name": name, name: 1}


def test_ordinary_names_stand_without_quotes() -> None:
    """What nobody misreads looks as people write it, and every text that Kubernetes misreads is known."""
    assert to_yaml(list(NAMES)) == "".join(f"- {name}\n" for name in NAMES)
    assert all(reads_as_text(name) for name in NAMES)
    assert not [name for name in MISREAD if reads_as_text(name) and not isinstance(resolve(name), str)]


def test_patches_of_a_plan_quote_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A cluster that is called y stays one in the patched binding, for readers of YAML 1.1 too."""
    files = [cluster("y", 10), cluster("n", 10), binding("1e3", 4, {"y": 4}, static(("y", 1), ("n", 1)))]
    source = tmp_path / "fleet.json"
    source.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": files}))
    assert main(["plan", "-f", str(source), "-o", "patch", "-q"]) == 0
    shown = capsys.readouterr().out
    assert "name: 'y'" in shown
    assert "name: 'n'" in shown
    (patch,) = yaml.safe_load_all(shown)
    assert [one["name"] for one in patch["spec"]["clusters"]] == ["n", "y"]


@pytest.mark.parametrize("bad", BAD)
def test_whatever_is_typed_or_read_is_shown_escaped(
    bad: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Options, names of files, values, fields and kinds cannot reach the terminal as they are."""
    files = tmp_path / "bad.json"
    wrong = [
        {"apiVersion": f"a{bad}", "kind": f"K{bad}", "metadata": {"name": "x"}},
        deployment(replicas=2) | {f"f{bad}": 1},
        cluster("member1", 4, labels={"a": bad})
        | {"status": {"resourceSummary": {"allocatable": {bad: bad}}}},
    ]
    files.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": wrong}))
    asked = [
        ["validate", "-f", str(files)],
        ["solve", "-f", f"{tmp_path}/{bad}"],
        ["solve", f"--{bad}"],
        [f"so{bad}"],
        ["solve", "-f", str(files), "--workers", bad],
        ["solve", "-f", str(files), "-l", bad],
    ]
    for arguments in asked:
        assert main(arguments) != 0
        shown = capsys.readouterr()
        assert _clean(shown.out), arguments
        assert _clean(shown.err), arguments
        assert shown.err


@pytest.mark.parametrize("output", ["table", "wide", "json", "yaml", "name"])
def test_results_show_what_is_in_the_input_escaped(
    output: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Regions may hold any text; no format passes it on to the terminal."""
    bad = "\x1b[31meu\u202e\x07"
    files = [
        cluster("member1", 4, region=bad),
        deployment(replicas=2),
        policy("nginx", static(("member1", 1))),
    ]
    source = tmp_path / "fleet.json"
    source.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": files}))
    assert main(["solve", "-f", str(source), "-o", output]) == 0
    shown = capsys.readouterr()
    assert _clean(shown.out)
    if output == "wide":
        assert escaped(bad) in shown.out


def test_cells_of_a_frame_are_no_formulas() -> None:
    """A spreadsheet that opens the frame as CSV computes nothing."""
    files = [
        cluster("member1", 4, region="=1+1"),
        deployment(replicas=2),
        policy("nginx", static(("member1", 1))),
    ]
    frame = fairlead.solve(fairlead.load(files)).to_frame()
    assert list(frame["region"]) == ["'=1+1"]
    assert list(frame["replicas"]) == [2]
