"""What a batch decides of bindings, asked without a server."""

import pytest

from fairlead.controller.batch import decide
from fairlead.controller.due import ControllerSettings, Kept, Placed, Unplaced, kept
from fairlead.controller.world import World
from fairlead.live.client import BINDING, CLUSTER, ResourceType
from fairlead.manifests.yaml.documents import OWN_API_VERSION
from live_objects import DYNAMIC, Object, binding, cluster


def test_what_cannot_be_placed_is_told_about_itself_only() -> None:
    """Of ``web`` nothing is said that the input says of ``web-2``, though that has its name inside."""
    world = World()
    world.put(CLUSTER, cluster("m1"))
    world.put(BINDING, binding("web", 1, placement=None))
    # m9 is not there: a warning about default/web-2.
    world.put(BINDING, binding("web-2", 2, clusters={"m9": 2}))
    web = next(entry for entry in world.bindings if entry.place.name == "web-deployment")
    decided = decide(world, list(world.bindings), ControllerSettings(workers=1)).decisions[web.place]
    assert isinstance(decided, Unplaced)
    assert "default/web is left out: no policy" in decided.message
    assert "m9" not in decided.message


def own(kind: str, name: str, spec: Object) -> tuple[ResourceType, Object]:
    """Return an object of one of fairlead's own kinds."""
    resource = ResourceType(OWN_API_VERSION, kind, f"{kind.lower()}s", namespaced=False)
    return resource, {"apiVersion": OWN_API_VERSION, "kind": kind, "metadata": {"name": name}, "spec": spec}


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("Survival", {}),  # neither what may be lost nor what is left
        ("Skew", {"field": "cluster", "maxSkew": -1}),
        ("MoveBudget", {}),
        ("Profile", {"levels": ["no such level"]}),
    ],
)
def test_what_is_wrong_in_an_own_kind_keeps_no_binding_from_its_place(kind: str, spec: Object) -> None:
    """It counts as if it were not there; a Survival without a field made every binding a SchedulerError."""
    world = World()
    world.put(CLUSTER, cluster("m1"))
    world.put(*own(kind, "odd", spec))
    world.put(BINDING, binding("web", 2))
    (decided,) = decide(world, list(world.bindings), ControllerSettings(workers=1)).decisions.values()
    assert decided == Placed(({"name": "m1", "replicas": 2},))


@pytest.mark.parametrize("names", [("a", "b"), ("b", "a")])
def test_of_two_that_contradict_each_other_the_first_by_name_counts(
    names: tuple[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    """Not the one that was heard of first; m2 is cheaper by ``a``, m1 by ``b``."""
    world = World()
    for name in ("m1", "m2"):
        world.put(CLUSTER, cluster(name))
    cheap = {"a": "m2", "b": "m1"}
    for name in names:
        cheaper = {"targetCluster": {"clusterNames": [cheap[name]]}, "pricePerReplica": "1"}
        prices = [cheaper, {"pricePerReplica": "9"}]
        world.put(*own("PriceList", name, {"prices": prices}))
    world.put(*own("Profile", "calm", {"levels": ["cost"]}))
    world.put(BINDING, binding("web", 2))
    (decided,) = decide(world, list(world.bindings), ControllerSettings(workers=1)).decisions.values()
    assert decided == Placed(({"name": "m2", "replicas": 2},))
    (told,) = (vars(one) for one in caplog.records if one.message == "left out")
    assert told["object"] == "<cluster> PriceList b"
    assert "PriceList only" in told["reason"]


@pytest.mark.parametrize(
    ("clusters", "observed", "group"),
    [
        ({"m2": 4}, None, "away"),
        ({"m1": 4}, None, "home"),
        ({"m2": 4}, "home", "away"),
        ({"m1": 4}, "away", None),  # it never goes back by itself
        ({"m1": 2, "m2": 2}, None, None),
        ({}, None, None),  # scaled to 0: it stands nowhere
    ],
)
def test_the_group_of_what_stands_is_the_first_that_has_all_of_it(
    clusters: dict[str, int], observed: str | None, group: str | None
) -> None:
    """From the observed one on."""
    world = World()
    for name in ("m1", "m2"):
        world.put(CLUSTER, cluster(name))
    terms = [
        {"affinityName": "home", "clusterNames": ["m1"]},
        {"affinityName": "away", "clusterNames": ["m2"]},
    ]
    asked = {"clusterAffinities": terms, "replicaScheduling": DYNAMIC}
    item = binding("web", sum(clusters.values()), placed=asked, clusters=clusters)
    world.put(BINDING, {**item, "status": {"schedulerObservingAffinityName": observed} if observed else {}})
    (entry,) = world.bindings
    assert kept(entry, world) == Kept(group)
