"""Moves: replicas that are stopped although they need not be, and what counts as one in all rules."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from fairlead.encoders.convex import missing_up_to
from fairlead.encoders.costs import Origin
from fairlead.encoders.encoding import Encoding
from fairlead.encoders.variables import Place
from fairlead.models.rules import Duplicated, Moves, Total
from fairlead.models.rules.duplicated import copy_on
from fairlead.models.rules.moves import KIND, level
from fairlead.models.workload import Workload, running


def encode(rule: Moves, workload: Workload, encoding: Encoding) -> None:
    """Keep what runs where it runs, as far as other levels allow.

    Over the clusters c of the problem that hold replicas now::

        minimise  sum max(0, held_c - x_c) - max(0, sum held_c - N)

    The step of a cluster from k to k + 1 replicas saves one move while k < held_c, then none. Under
    Duplicated held_c is at most a full copy. Where no rule says the total, none can shrink.
    """
    held, shrunk = movable(workload, rule.present, encoding)
    encoding.prefer(
        level(rule, workload),
        [
            encoding.convex_cost(Place(workload.key, name), missing_up_to(count))
            for name, count in sorted(held.items())
        ],
        because=Origin(KIND, workload.key),
        constant=-shrunk,
    )


def in_copies(workload: Workload, held: Mapping[str, int]) -> dict[str, int]:
    """Return the replicas that run by cluster, under Duplicated at most a full copy."""
    copies = workload.rule(Duplicated)
    if copies is None:
        return dict(held)
    return {name: min(count, copy_on(copies, workload, name)) for name, count in held.items()}


class Movable(NamedTuple):
    """Replicas that move where they stop, unless they had to."""

    held: dict[str, int]
    """Replicas that may stay, by cluster: what runs, under Duplicated at most a full copy."""
    shrunk: int
    """Number of them that have to stop because the total shrank; where no rule says the total, none can."""


def movable(workload: Workload, present: AbstractSet[str], encoding: Encoding) -> Movable:
    """Return the replicas that count as moved where they stop; `present`: clusters of the problem."""
    # In a partial problem copies give way, but what counts as moved is what the problem says.
    asked = encoding.problem.workload(workload.key)
    held = in_copies(asked, running(workload, present))
    totalled = asked.rule(Total) is not None
    return Movable(held, max(0, sum(held.values()) - workload.replicas) if totalled else 0)
