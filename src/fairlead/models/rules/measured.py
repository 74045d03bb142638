"""A placement of one workload, as it is measured on a level."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fairlead.models.levels import Deviation, Level
    from fairlead.models.workload import Workload


class Measured(NamedTuple):
    """What a preference is asked the cost of.

    Attributes
    ----------
    placed
        Replicas of the workload by cluster.
    level
        The level, of all priorities.
    deviation
        The measure of the distance from the wanted ratio.
    """

    workload: Workload
    placed: Mapping[str, int]
    level: Level
    deviation: Deviation
