"""Scripts as people write them: what they say, and what is wrong with them, with file and line."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import fairlead
from builders import binding, cluster, static
from fairlead.cli.app import main
from fairlead.manifests.own.schema import json_schema
from fairlead.models.errors import ManifestError
from fairlead.solver.script.events import ClosedClusters, Closure, OtherManifests, Rebalance, read_script
from places import ROOT

FLEET = [
    cluster("a", cpu=10),
    cluster("b", cpu=10, labels={"tier": "gold"}),
    binding("web", 4, {"a": 2, "b": 2}, static(("a", 1), ("b", 1))),
]
SCRIPT = """
apiVersion: fairlead.io/v1alpha1
kind: Script
metadata: {name: try}
spec:
  events:
    - at: 2026-03-02T12:00:00Z
      scale: {default/web: 6}
      drain: [a, tier=gold]
      rebalance: 2%
    - at: 2026-03-02T13:00:00Z
      restore: [a]
"""


def refused(text: str) -> str:
    """Return why a script is refused."""
    stream = io.StringIO(text)
    stream.name = "script.yaml"
    with pytest.raises(ManifestError) as caught:
        read_script(stream, FLEET, fairlead.load)
    return str(caught.value)


def test_events_are_read_in_their_order() -> None:
    """Without an end the last state counts for an hour."""
    script = read_script(io.StringIO(SCRIPT), FLEET, fairlead.load)
    first, second = script.events
    assert first.steps == (
        fairlead.Scale("default/web", 6),
        ClosedClusters(Closure.DRAIN, "a"),
        ClosedClusters(Closure.DRAIN, "gold", "tier"),
        Rebalance("2%"),
    )
    assert second.steps == (ClosedClusters(Closure.RESTORE, "a"),)
    assert (script.name, script.hours) == ("try", 2)


def test_manifests_are_applied_and_deleted() -> None:
    """A cluster joins and goes again: every event has the fleet as it is then."""
    written: dict[str, Any] = yaml.safe_load(SCRIPT)
    first, second = written["spec"]["events"]
    first |= {"apply": [cluster("c", cpu=1)], "at": "2026-03-02T12:00:00Z"}
    second |= {"delete": [{"kind": "Cluster", "name": "c"}], "at": "2026-03-02T13:00:00Z"}
    found = [event.steps[0] for event in read_script(written, FLEET, fairlead.load).events]
    names = [
        [one.name for one in step.problem.clusters] for step in found if isinstance(step, OtherManifests)
    ]
    assert names == [["a", "b", "c"], ["a", "b"]]


@pytest.mark.parametrize(
    ("before", "after", "line", "told"),
    [
        ("T13:00", "T11:00", 11, "is before the last event"),
        ("spec:", "spec:\n  end: 2026-03-02T12:30:00Z", 6, "is before the last event"),
        ("scale: {default/web: 6}", "scale: {default/web: -6}", 8, "default/web"),
        ("restore: [a]", "restores: [a]", 12, "restores"),
        ("kind: Script", "kind: Skript", 3, "is not a script"),
        ("restore: [a]", "delete: [{kind: Cluster, name: z}]", 12, "is not there"),
        ("restore: [a]", "apply: [{kind: Cluster}]", 12, "must be a manifest"),
        ("at: 2026-03-02T13:00:00Z", "name: no time", 11, "at"),
        ("tier=gold", "tier=silver", 9, "spec.events[0].drain[1]: no label tier"),
        ("restore: [a]", "restore: [z]", 12, "spec.events[1].restore[0]: no cluster 'z'"),
        ("default/web: 6", "default/wep: 6", 8, "did you mean default/web?"),
        ("default/web: 6", "web: 5, default/web: 6", 8, "default/web is scaled twice"),
    ],
)
def test_mistakes_are_told_with_their_lines(before: str, after: str, line: int, told: str) -> None:
    """One mistake each."""
    text = refused(SCRIPT.replace(before, after))
    assert told in text
    assert f"script.yaml:{line}" in text


def test_names_are_those_of_the_fleet_at_that_time() -> None:
    """A cluster can be drained once it has joined, and no more after it is gone; all mistakes at once."""
    written: dict[str, Any] = yaml.safe_load(SCRIPT)
    first, second = written["spec"]["events"]
    first |= {"apply": [cluster("c", cpu=1)], "at": "2026-03-02T12:00:00Z", "drain": ["c"]}
    second |= {"delete": [{"kind": "Cluster", "name": "c"}], "at": "2026-03-02T13:00:00Z", "lose": ["c", "d"]}
    with pytest.raises(ManifestError) as caught:
        read_script(written, FLEET, fairlead.load)
    assert [each.field for each in caught.value.mistakes] == [
        "spec.events[1].lose[0]",
        "spec.events[1].lose[1]",
    ]


def test_a_script_is_no_part_of_a_fleet() -> None:
    """Where it stands among manifests, the message says what it is for."""
    with pytest.raises(ManifestError, match="fairlead simulate --script"):
        fairlead.load([*FLEET, yaml.safe_load(SCRIPT)])


def test_the_schema_says_what_an_event_may_hold() -> None:
    """Every field is described; the example of the documentation has no other ones."""
    schema = json_schema("Script")
    fields = schema["$defs"]["EventSpec"]["properties"]
    assert all(one["description"] for one in fields.values())
    example = yaml.safe_load((ROOT / "examples" / "three-regions-day.yaml").read_text())
    assert {name for event in example["spec"]["events"] for name in event} <= set(fields)


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Run the command on an example and return exit code and output."""
    folder = ROOT / "examples"
    code = main(["simulate", "-q", "-f", str(folder / "three-regions"), *arguments])
    told = capsys.readouterr()
    return code, told.out, told.err


def test_the_command_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    """Everything that was measured is there, for every scheduler and event."""
    file = str(ROOT / "examples" / "three-regions-day.yaml")
    code, out, _ = call(capsys, "--script", file, "--scheduler", "karmada", "-o", "json")
    document = json.loads(out)
    (one,) = document["schedulers"]
    assert (code, document["script"], one["name"], len(one["events"])) == (3, "a-day", "karmada", 6)
    assert one["pendingHours"] == sum(
        event["hours"] * (event["missing"] + event["waiting"]) for event in one["events"]
    )


@pytest.mark.parametrize(
    "wrong", [("--script", "x.yaml", "--drain", "us-east-1"), ("--scheduler", "karmada", "--sweep", "region")]
)
def test_a_script_is_played_alone(
    wrong: tuple[str, ...], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Other changes beside it, and schedulers without it, are refused."""
    del tmp_path
    code, _, err = call(capsys, *wrong)
    assert code == 2
    assert "--script" in err
