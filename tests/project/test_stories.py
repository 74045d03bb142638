"""Eight questions, each one command and a page that says what to do, at 60 workloads and at many more."""

import json
import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

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


MANY = 17
"""So many fleets are 1,020 workloads."""

STORIES_OF_MANY: Sequence[Any] = (
    (
        "plan --drain eu-west-2",
        0,
        lambda fleets: rf"{14 * fleets} workloads change, {36 * fleets} replicas move, 0 unplaced\.$",
    ),
    ("solve", 0, lambda _: r"^[0-9]+ (other )?workloads do not change \(-A shows them\)\.$"),
    ("plan --drain eu-west-2 --group-by region", 0, lambda fleets: rf"eu-west .* -{36 * fleets}$"),
    pytest.param(
        "simulate --lose region=eu-west --time-limit 25",
        3,
        lambda fleets: rf"^  {4 * fleets} replicas are unplaced ",
        marks=pytest.mark.long,
    ),
    (
        "simulate --add {stories}/new-cluster.yaml",
        0,
        lambda fleets: rf"^Nothing moves to us-east-4: .* {50 * fleets} workloads",
    ),
    (
        "plan -f {stay} --drain eu-west-2",
        3,
        lambda fleets: rf"^  allow {15 * fleets} moves instead of 0 \(MoveBudget statefulsets-stay",
    ),
    (
        "solve -f {quota}",
        3,
        lambda _: r"^  raise the quota of namespace payments-00 \(cpu\) from 54 to 59\.75 ",
    ),
    # Of 24 GPUs a fleet, what runs takes 16.
    ("solve -f {gpu-short}", 3, lambda fleets: rf"^  scale ml-00/trainer from 180 to {8 * fleets} replicas "),
    pytest.param(
        "plan -f {stories}/prices.yaml --budget-per-workload 1 --time-limit 300",
        0,
        lambda fleets: rf"^{17 * fleets} workloads change, {17 * fleets} replicas move, 0 unplaced\.$",
        marks=pytest.mark.long,
    ),
)
"""The same of many such fleets in one, and what is told: numbers are those of one fleet times theirs."""


@pytest.mark.parametrize(("command", "code", "told"), STORIES_OF_MANY)
@pytest.mark.parametrize("fleets", [3, pytest.param(MANY, marks=pytest.mark.long)])
def test_many_fleets_in_one_are_a_page_too(
    fleets: int,
    command: str,
    code: int,
    told: Callable[[int], str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Drains, a lost region, a new cluster, StatefulSets that stay, cheaper clusters, what helps a team."""
    file = tmp_path / "fleet.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(grown(fleets))}))
    stories = {"stories": shlex.quote(str(ROOT / STORIES)), **written(fleets, tmp_path)}
    name, *words = shlex.split(command.format(**stories))
    assert main([name, "-q", "-f", str(file), "--time-limit", "60", *words]) == code
    printed = capsys.readouterr().out
    assert re.search(told(fleets), printed, re.MULTILINE)
    assert is_a_page(printed)


def written(fleets: int, directory: Path) -> dict[str, str]:
    """Write what teams of a large fleet bring, and return where: all StatefulSets, and the first team's."""
    spaces = ", ".join(f"data-{number:02}" for number in range(fleets))
    texts = {
        story: (ROOT / STORIES / f"{story}.yaml").read_text() for story in ("stay", "quota", "gpu-short")
    }
    texts["stay"] = texts["stay"].replace("[data]", f"[{spaces}]")
    for story, replicas in (("quota", 8), ("gpu-short", 180)):
        text = re.sub(r"(namespace: [a-z]+)", r"\1-00", texts[story])
        texts[story] = re.sub(r"replicas: [0-9]+", f"replicas: {replicas}", text)
    for story, text in texts.items():
        (directory / f"{story}.yaml").write_text(text)
    return {story: shlex.quote(str(directory / f"{story}.yaml")) for story in texts}
