"""The kind that says which levels count, in which order, and how far each may be from best."""

from typing import Literal

from fairlead.manifests.api.meta import Api, Filled, Object


class ProfileLevel(Api):
    """A level, and how much worse than best it may be for the sake of those below it."""

    name: Filled
    """Name or key of the level."""
    tolerance: int | float | str | None = None
    """A number or a text such as "0.5", in the unit of the level; or a share, "0.1%", of the least that it
    can be as far as single workloads tell; left out: the level has to be best (balance: the usual
    tolerance)."""


class ProfileSpec(Api):
    """What counts, and in which order."""

    levels: tuple[Filled | ProfileLevel, ...] = ()
    """Names or keys of objective levels, or a name with a tolerance, the most important first; those that are
    not named follow in their usual order."""
    leave_out: tuple[Literal["balance"], ...] = ()
    """Levels that do not count at all: balance may be left out."""
    deviation: Literal["webster", "l1", "minimax"] | None = None
    """How the distance from the weights is measured; left out: webster."""


class Profile(Object):
    """The order of the objective levels for the whole problem; there may be one only."""

    spec: ProfileSpec
    """The order of the levels, and the measure of the deviation."""
