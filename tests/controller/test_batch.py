"""What a batch decides of bindings, asked without a server."""

from fairlead.controller.batch import Unplaced, decide
from fairlead.controller.standing import Settings
from fairlead.controller.world import World
from fairlead.live.client import BINDING, CLUSTER
from live_objects import binding, cluster


def test_what_cannot_be_placed_is_told_about_itself_only() -> None:
    """Of ``web`` nothing is said that the input says of ``web-2``, though that has its name inside."""
    world = World()
    world.put(CLUSTER, cluster("m1"))
    world.put(BINDING, binding("web", 1, placement=None))
    # m9 is not there: a warning about default/web-2.
    world.put(BINDING, binding("web-2", 2, clusters={"m9": 2}))
    web = next(entry for entry in world.bindings if entry.place.name == "web-deployment")
    decided = decide(world, list(world.bindings), Settings(workers=1)).decisions[web.place]
    assert isinstance(decided, Unplaced)
    assert "default/web is left out: no policy" in decided.message
    assert "m9" not in decided.message
