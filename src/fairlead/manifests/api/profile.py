"""The kind that says which levels count, in which order, and how far each may be from best."""

from typing import Annotated, Literal

from pydantic import Field

from fairlead.manifests.api.meta import Api, Filled, Object


class ProfileLevel(Api):
    """A level, and how much worse than best it may be for the sake of those below it."""

    name: Annotated[Filled, Field(description="Name or key of the level.")]
    tolerance: Annotated[
        int | float | str | None,
        Field(
            description='A number or a text such as "0.5", in the unit of the level; or a share, "0.1%",'
            " of the least that it can be as far as single workloads tell; left out: the level has to be"
            " best (balance: the usual tolerance)."
        ),
    ] = None


class ProfileSpec(Api):
    """What counts, and in which order."""

    levels: Annotated[
        tuple[Filled | ProfileLevel, ...],
        Field(
            description="Names or keys of objective levels, or a name with a tolerance, the most important"
            " first; those that are not named follow in their usual order."
        ),
    ] = ()
    leave_out: Annotated[
        tuple[Literal["balance"], ...],
        Field(description="Levels that do not count at all: balance may be left out."),
    ] = ()
    deviation: Annotated[
        Literal["webster", "l1", "minimax"] | None,
        Field(description="How the distance from the weights is measured; left out: webster."),
    ] = None


class Profile(Object):
    """The order of the objective levels for the whole problem; there may be one only."""

    spec: Annotated[
        ProfileSpec, Field(description="The order of the levels, and the measure of the deviation.")
    ]
