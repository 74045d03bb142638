"""The running fleets of the benchmarks: what runs fits, and every event leaves a placement."""

import sys
from pathlib import Path

import pytest
import yaml

import fairlead
from fairlead.models.placement import Placement
from places import ROOT

sys.path.append(str(ROOT / "benchmarks"))

from fleet_cases import fleet, witness
from fleet_events import EVENTS
from fleet_manifests import APPLIED, documents, write
from fleet_parts import Fleet
from single_rules import RULES, single_rule

SIZES = ((60, 12), (150, 20))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seed", range(4))
def test_what_runs_keeps_every_rule(size: tuple[int, int], seed: int) -> None:
    """The checker of fairlead, which shares nothing with the generator, finds no violation."""
    made = fleet(*size, seed)
    problem = fairlead.load(documents(made))
    assert len(problem.workloads) == size[0]
    assert fairlead.check(problem, Placement(made.running)) == ()
    assert all(dict(workload.current) == made.running[workload.key] for workload in problem.workloads)


@pytest.mark.parametrize("event", [name for name in EVENTS if name != "none"])
@pytest.mark.parametrize("seed", range(3))
def test_every_event_leaves_a_placement(event: str, seed: int) -> None:
    """The witness keeps every rule, so an answer that says otherwise is wrong."""
    made = fleet(60, 12, seed, event)
    assert fairlead.check(fairlead.load(documents(made)), witness(made)) == ()


def test_events_change_what_they_say() -> None:
    """A tenth of 60 workloads is 6, a twentieth 3; one cluster is tainted, or one more is there."""
    before = fleet(60, 12, 1)

    def resized(after: Fleet) -> list[int]:
        pairs = zip(before.apps, after.apps, strict=True)
        return [new.replicas - old.replicas for old, new in pairs if new.replicas != old.replicas]

    assert len(resized(fleet(60, 12, 1, "scale"))) == 6
    assert all(change > 0 for change in resized(fleet(60, 12, 1, "scale")))
    assert len(resized(fleet(60, 12, 1, "shrink"))) == 6
    assert all(change < 0 for change in resized(fleet(60, 12, 1, "shrink")))
    assert sum(app.running is None for app in fleet(60, 12, 1, "arrive").apps) == 3
    assert sum(member.taint is not None for member in fleet(60, 12, 1, "drain").members) == 1
    assert len(fleet(60, 12, 1, "join").members) == 13


def test_new_workloads_were_never_scheduled() -> None:
    """A binding that is new has neither clusters nor an annotation of the placement that was applied."""
    new = {app.key for app in fleet(60, 12, 1, "arrive").apps if app.running is None}
    for binding in documents(fleet(60, 12, 1, "arrive")):
        if binding["kind"] != "ResourceBinding":
            continue
        resource = binding["spec"]["resource"]
        fresh = f"{resource['namespace']}/{resource['name']}" in new
        assert ("clusters" in binding["spec"]) is not fresh
        assert (APPLIED in binding["metadata"].get("annotations", {})) is not fresh


def test_fleets_are_mixed() -> None:
    """A hundred workloads have exactly the shares of the kinds: 38, 22, 15, 8, 9 and 8."""
    kinds = [app.policy.kind for app in fleet(100, 16, 2).apps]
    dynamic = sum(kinds.count(kind) for kind in ("dynamic", "spread", "devices"))
    others = [kinds.count(kind) for kind in ("static", "aggregated", "duplicated", "tiers", "groups")]
    assert [dynamic, *others] == [38, 22, 15, 8, 9, 8]


def test_a_seed_decides_everything(tmp_path: Path) -> None:
    """The same seed gives the same manifests, another one others; what is written is read as the same."""
    assert documents(fleet(60, 12, 3, "drain")) == documents(fleet(60, 12, 3, "drain"))
    assert documents(fleet(60, 12, 3)) != documents(fleet(60, 12, 4))
    write(fleet(60, 12, 3), tmp_path / "yaml")
    write(fleet(60, 12, 3), tmp_path / "json", as_json=True)
    items = yaml.safe_load((tmp_path / "yaml" / "bindings.yaml").read_text())["items"]
    assert items == [one for one in documents(fleet(60, 12, 3)) if one["kind"] == "ResourceBinding"]
    read = [fairlead.load(tmp_path / name) for name in ("yaml", "json")]
    assert read[0].workloads[7].current == read[1].workloads[7].current


@pytest.mark.parametrize("rule", RULES)
def test_every_single_rule_can_be_kept(rule: str) -> None:
    """A proven answer exists for one workload on forty clusters, and a seed decides which problem it is."""
    problem = single_rule(rule, 40)
    assert len(problem.workloads) == 1
    assert problem == single_rule(rule, 40)
    outcome = fairlead.solve(problem)
    assert outcome.status is fairlead.Status.OPTIMAL
    assert outcome.placement is not None
    assert fairlead.check(problem, outcome.placement) == ()
