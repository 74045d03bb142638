"""What counts as moved where it stops: shared by the rules that keep what runs."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from fairlead.encoders.encoding import Encoding
from fairlead.models.rules import Duplicated, Total
from fairlead.models.rules.duplicated import copy_on
from fairlead.models.workload import Workload, running


def in_copies(workload: Workload, held: Mapping[str, int]) -> dict[str, int]:
    """Return what runs by cluster, under Duplicated at most a full copy."""
    copies = workload.rule(Duplicated)
    if copies is None:
        return dict(held)
    return {name: min(count, copy_on(copies, workload, name)) for name, count in held.items()}


class Movable(NamedTuple):
    """Replicas that move where they stop, unless they had to."""

    held: dict[str, int]
    """How many may stay, by cluster: what runs, under Duplicated at most a full copy."""
    shrunk: int
    """How many of them have to stop because the total shrank; where no rule says the total, none can."""


def movable(workload: Workload, present: AbstractSet[str], encoding: Encoding) -> Movable:
    """Return what of a workload counts as moved where it stops; `present`: clusters of the problem."""
    # In a partial problem copies give way, but what counts as moved is what the problem says.
    asked = encoding.problem.workload(workload.key)
    held = in_copies(asked, running(workload, present))
    totalled = asked.rule(Total) is not None
    return Movable(held, max(0, sum(held.values()) - workload.replicas) if totalled else 0)
