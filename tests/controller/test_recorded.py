"""A control plane as it was recorded: Karmada's scheduler had placed all of it, and had nothing to do."""

import gzip

import yaml

from fairlead.controller.batch import decide
from fairlead.controller.due import (
    BindingState,
    ControllerSettings,
    Placed,
    Unplaced,
    condition_of,
    standing_of,
)
from fairlead.controller.world import World
from fairlead.controller.writing import spec_patch
from fairlead.live.client import BINDING, CLUSTER, CLUSTER_BINDING
from places import DATA

SETTINGS = ControllerSettings("default-scheduler", workers=1)
KINDS = {one.kind: one for one in (BINDING, CLUSTER_BINDING, CLUSTER)}


def recorded() -> World:
    """Return the control plane."""
    text = gzip.decompress((DATA / "live" / "scheduled.yaml.gz").read_bytes())
    world = World()
    for item in yaml.load(text, Loader=yaml.CSafeLoader)["items"]:
        if item["kind"] in KINDS:
            world.put(KINDS[item["kind"]], item)
    return world


def test_what_was_placed_stays() -> None:
    """What Karmada could place stands where it would be placed now; what it could not still cannot be."""
    world = recorded()
    assert all(entry.is_understood for entry in world.entries.values())
    standing = {entry.place: standing_of(entry, world, SETTINGS) for entry in world.bindings}
    assert [str(place) for place, what in standing.items() if what is BindingState.UNFINISHED] == []
    due = [entry for entry in world.bindings if standing[entry.place] is BindingState.DUE]
    assert 10 <= len(due) < len(standing) / 2
    decisions = decide(world, due, SETTINGS).decisions
    for entry in due:
        decided, before = decisions[entry.place], condition_of(entry.status) or {}
        if isinstance(decided, Placed):
            assert spec_patch(entry, decided) is None, entry.place
        assert (before["status"] == "False") is isinstance(decided, Unplaced), entry.place
    reasons = {str(place): one.reason for place, one in decisions.items() if isinstance(one, Unplaced)}
    assert reasons["live-reader-clusterrole"] == reasons["shop/nofit-deployment"] == "NoClusterFit"
    assert reasons["shop/too-many-deployment"] == "Unschedulable"


def test_of_other_schedulers_nothing_is_due() -> None:
    """Two bindings are fairlead's; one is a dependency, which nobody schedules."""
    world = recorded()
    settings = ControllerSettings("nobody")
    assert {standing_of(entry, world, settings) for entry in world.bindings} == {BindingState.FOREIGN}
    served = [
        one
        for one in world.bindings
        if standing_of(one, world, ControllerSettings()) is not BindingState.FOREIGN
    ]
    assert len(served) == 2
