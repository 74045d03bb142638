"""Eight questions, each one command and a page that says what to do, at 60 workloads and at 1,000."""

import json
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest

from fairlead.cli.app import main
from grown import grown
from places import ROOT

PAGE = 60
"""Lines of a page."""
LONGEST = 200
"""Characters of a line."""
FLEET = "-q -f examples/fleet"
STORIES = "examples/fleet/stories"

COMMANDS: Sequence[tuple[str, int, str]] = (
    (f"plan {FLEET} --drain eu-west-2", 0, "36 replicas move in 1 wave"),
    (
        f"simulate {FLEET} --lose region=eu-west",
        3,
        "4 replicas are unplaced (ml/",
    ),
    (
        f"simulate {FLEET} --add {STORIES}/new-cluster.yaml",
        0,
        "Nothing moves to us-east-4: it is not eligible for 50",
    ),
    (f"solve {FLEET} -f {STORIES}/gpu-short.yaml", 3, "scale ml/trainer from 12 to 8 replicas"),
    (f"solve {FLEET} -f {STORIES}/spread.yaml", 3, "require 4 regions instead of 5 for shop/checkout"),
    (f"solve {FLEET} -f {STORIES}/quota.yaml", 3, "scale payments/fraud from 8 to 2 replicas"),
    (f"plan {FLEET} -f {STORIES}/stay.yaml --drain eu-west-2", 3, "allow 15 moves instead of 0"),
    (f"plan {FLEET} -f {STORIES}/prices.yaml --budget-per-workload 1", 0, "less than now."),
)
"""What is asked, the exit code, and what says what to do."""


def is_a_page(text: str) -> bool:
    """Tell whether a text is readable: no more lines than a page, none too long."""
    lines = text.splitlines()
    return len(lines) <= PAGE and max(map(len, lines)) <= LONGEST


@pytest.mark.parametrize(("command", "code", "told"), COMMANDS)
def test_a_page_says_what_to_do(
    command: str, code: int, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """At 60 workloads on 12 clusters; a longer limit than the default only lets busy machines finish."""
    monkeypatch.chdir(ROOT)
    assert main([*shlex.split(command), "--time-limit", "60"]) == code
    printed = capsys.readouterr().out
    assert told in printed
    assert is_a_page(printed)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("plan --drain eu-west-2", r"238 workloads change, 612 replicas move, 0 unplaced\.$"),
        ("solve", r"^[0-9]+ (other )?workloads do not change \(-A shows them\)\.$"),
        ("plan --drain eu-west-2 --group-by region", r"eu-west .* -612$"),
    ],
)
def test_a_thousand_workloads_are_a_page_too(
    command: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Seventeen such fleets in one, 1,020 workloads."""
    file = tmp_path / "fleet.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(grown(17))}))
    assert main([*shlex.split(command), "-q", "-f", str(file), "--time-limit", "60"]) == 0
    printed = capsys.readouterr().out
    assert re.search(told, printed, re.MULTILINE)
    assert is_a_page(printed)


@pytest.mark.parametrize(
    ("command", "code", "told"),
    [
        # Seventeen times the 4 of one fleet.
        ("simulate --lose region=eu-west --time-limit 25", 3, r"^  68 replicas are unplaced "),
        ("simulate --add {stories}/new-cluster.yaml", 0, r"^Nothing moves to us-east-4: .* 850 workloads"),
        # Seventeen times the 15 of one fleet.
        (
            "plan -f {team} --drain eu-west-2",
            3,
            r"^  allow 255 moves instead of 0 \(MoveBudget statefulsets-stay",
        ),
        pytest.param(
            "plan -f {stories}/prices.yaml --budget-per-workload 1 --time-limit 300",
            0,
            r"^289 workloads change, 289 replicas move, 0 unplaced\.$",
            marks=pytest.mark.long,
        ),
    ],
)
def test_other_stories_of_a_thousand_workloads(
    command: str, code: int, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A lost region, a new cluster, StatefulSets that stay, and cheaper clusters."""
    file, team = tmp_path / "fleet.json", tmp_path / "team.yaml"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(grown(17))}))
    spaces = ", ".join(f"data-{number:02}" for number in range(17))
    team.write_text((ROOT / STORIES / "stay.yaml").read_text().replace("[data]", f"[{spaces}]"))
    stories = shlex.quote(str(ROOT / STORIES))
    name, *words = shlex.split(command.format(stories=stories, team=shlex.quote(str(team))))
    assert main([name, "-q", "-f", str(file), "--time-limit", "60", *words]) == code
    printed = capsys.readouterr().out
    assert re.search(told, printed, re.MULTILINE)
    assert is_a_page(printed)


@pytest.mark.parametrize(
    ("story", "replicas", "told"),
    [
        ("quota", "8", "  raise the quota of namespace payments-00 (cpu) from 54 to 59.75 ("),
        # Seventeen times 24 GPUs are 408; what runs takes 272.
        ("gpu-short", "180", "  scale ml-00/trainer from 180 to 136 replicas ("),
    ],
)
def test_what_helps_is_told_of_a_thousand_workloads_too(
    story: str, replicas: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The stories of one team of the large fleet: a page that says what to change."""
    fleet, team = tmp_path / "fleet.json", tmp_path / "team.yaml"
    fleet.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(grown(17))}))
    text = (ROOT / STORIES / f"{story}.yaml").read_text()
    text = re.sub(r"(namespace: [a-z]+)", r"\1-00", text)
    team.write_text(re.sub(r"replicas: [0-9]+", f"replicas: {replicas}", text))
    assert main(["solve", "-q", "-f", str(fleet), "-f", str(team), "--time-limit", "60"]) == 3
    printed = capsys.readouterr().out
    assert told in printed
    assert is_a_page(printed)
