"""Moves: replicas that are stopped although they need not be."""

from fairlead.encoders.convex import missing_up_to
from fairlead.encoders.costs import Because
from fairlead.encoders.encoding import Encoding
from fairlead.encoders.stopping import movable
from fairlead.encoders.variables import Place
from fairlead.models.rules import Moves
from fairlead.models.rules.moves import KIND, level
from fairlead.models.workload import Workload


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
        because=Because(KIND, workload.key),
        constant=-shrunk,
    )
