"""Saved plans are validated like manifests, and files are written whole or not at all."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

import fairlead
from builders import cluster, deployment, policy, static
from fairlead.cli import outputs
from fairlead.cli.app import main
from fairlead.models.errors import ManifestError, UsageError
from fairlead.models.problem import Problem
from fairlead.models.shortfall import unmet
from fairlead.solver.plan.saved import saved_plan


def fleet(replicas: int = 4) -> Problem:
    """Return a fleet that holds four replicas of one cpu; all run on a."""
    documents = [
        cluster("a", cpu=2, pods=10),
        cluster("b", cpu=2, pods=10),
        deployment(replicas=replicas, cpu=1),
        policy(placement=static(("a", 1), ("b", 1))),
    ]
    return fairlead.load(documents)


def saved(**changes: Any) -> dict[str, Any]:
    """Return a saved plan with some fields changed."""
    return {**fairlead.plan(fleet()).to_dict(), **changes}


def test_a_partial_plan_is_resumed() -> None:
    """Of six replicas four fit: the plan goes on to those four, and says that two are missing."""
    document = json.loads(json.dumps(fairlead.plan(fleet(6), partial=True).to_dict()))
    found = fairlead.plan(fleet(6), resume=document)
    assert found.outcome.placement is not None
    assert sum(found.outcome.placement["default/nginx"].values()) == 4
    assert [each.amount for each in unmet(found.outcome.problem, found.outcome.placement)] == [2]


@pytest.mark.parametrize("again", [False, True])
def test_a_partial_plan_says_what_it_lacks(*, again: bool) -> None:
    """The two of six replicas that nobody has room for are named, saved or not."""
    plan = fairlead.plan(fleet(6), partial=True)
    if again:
        plan = fairlead.plan(fleet(6), resume=plan.to_dict())
    _, target, short, *_ = str(plan).splitlines()
    assert target.startswith(
        "The target is as saved: 2 of 6 unplaced:" if again else "The target is best possible: 2 of 6"
    )
    assert short.startswith("  2 of 6 replicas of default/nginx are unplaced")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"target": {"default/nginx": {"a": -1}}}, "target.default/nginx.a"),
        ({"target": {"default/nginx": {"a": 2**63}}}, "target.default/nginx.a"),
        ({"target": {"default/nginx": {"a": 1.5}}}, "target.default/nginx.a"),
        ({"target": {"default/nginx": 3}}, "target.default/nginx"),
        ({"target": []}, "target"),
        ({"moves": "many"}, "moves"),
        ({"waves": {"waves": 3}}, "waves.waves"),
        (
            {"waves": {"waves": [{"moves": [{"workload": "x", "replicas": 0}]}]}},
            "waves.waves[0].moves[0].replicas",
        ),
        ({"waves": {"waves": [{"moves": [{"replicas": 1}]}]}}, "waves.waves[0].moves[0].workload"),
        ({"waves": {"waves": [], "lowerBound": float(10**400 > 0) + 0.5}}, "waves.lowerBound"),
        ({"waveOptions": {"order": "sideways", "detours": True}}, "waveOptions.order"),
        ({"waveOptions": {"order": "either", "detours": True, "maxSurge": -1}}, "waveOptions.maxSurge"),
        ({"waveOptions": {"order": "either", "detours": True, "maxSurge": "1"}}, "waveOptions.maxSurge"),
        ({"waveOptions": {"order": "either", "detours": "yes"}}, "waveOptions.detours"),
        ({"partial": "no"}, "partial"),
    ],
)
def test_mistakes_name_the_field(changes: dict[str, Any], field: str) -> None:
    """The file, the field, the value, and what is allowed."""
    with pytest.raises(ManifestError) as caught:
        saved_plan(saved(**changes))
    told = [mistake.field.replace("[default/nginx]", ".default/nginx") for mistake in caught.value.mistakes]
    assert field in told


def test_mistakes_name_the_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On the command line a saved plan is read with its lines."""
    file, manifests = tmp_path / "plan.json", tmp_path / "fleet.json"
    file.write_text(json.dumps(saved(moves="many"), indent=2))
    manifests.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": []}))
    assert main(["plan", "-f", str(manifests), "--resume", str(file)]) == 2
    assert f"{file}:3: moves: 'many' must be a whole number" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text", ["", "[]", "{", "[1, 2", "[" * 5000, '{"form": Infinity}', "a: 1", '{"form": 1}{}']
)
def test_what_is_no_plan_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    """Whatever the file holds, it is told to be no saved plan."""
    file = tmp_path / "plan.json"
    file.write_text(text)
    assert main(["plan", "-f", "nowhere.yaml", "--resume", str(file)]) == 2
    assert f"{file} is not a saved plan" in capsys.readouterr().err


@pytest.mark.parametrize(
    "settings",
    [
        {"budget": 1},
        {"pinned": ["default/nginx"]},
        {"pinned_clusters": ["a"]},
        {"gain": 1},
        {"order": "stop-first"},
        {"max_surge": 1},
        {"max_unavailable": "10%"},
        {"moves_first": True},
        {"detours": False},
        {"deviation": "l1"},
        {"others": "make-room"},
    ],
    ids=str,
)
def test_what_a_saved_plan_cannot_keep_is_refused(settings: dict[str, Any]) -> None:
    """Nothing that is asked for is dropped in silence."""
    with pytest.raises(UsageError, match=f"leave out .*{next(iter(settings))}"):
        fairlead.plan(fleet(), resume=saved(), **settings)


def test_what_a_saved_plan_keeps_anyway_may_be_said() -> None:
    """The same order and availability as those of the plan."""
    document = fairlead.plan(fleet(), order="either", max_surge=1).to_dict()
    assert fairlead.plan(fleet(), resume=document, order="either", max_surge=1).waves is not None


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    """Its permissions stay, nothing is left beside it, and a link still leads to it."""
    file, link = tmp_path / "plan.json", tmp_path / "latest.json"
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to(file)
    outputs.require_writable(str(link))
    outputs.write(str(link), "new")
    assert (file.read_text(), file.stat().st_mode & 0o777, link.is_symlink()) == ("new", 0o640, True)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["latest.json", "plan.json"]


def test_a_file_that_cannot_be_written_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that becomes full leaves what was there, and nothing beside it."""
    file = tmp_path / "plan.json"
    file.write_text("old")

    def full(_number: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(outputs.NotWritten, match="No space left on device"):
        outputs.write(str(file), "new")
    assert [each.read_text() for each in tmp_path.iterdir()] == ["old"]


def test_what_cannot_be_written_is_known_before(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Before anything is read: the input does not even exist."""
    missing = tmp_path / "nowhere" / "plan.json"
    assert main(["plan", "-f", "nowhere.yaml", "--save", str(missing)]) == 2
    assert f"there is no directory {missing.parent}" in capsys.readouterr().err
