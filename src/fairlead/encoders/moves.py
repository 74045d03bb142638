"""Moves: replicas that are stopped although they need not be."""

from fairlead.encoders.convex import missing_up_to
from fairlead.encoders.costs import Because
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
    held = running(workload, rule.present)
    # In a partial problem copies give way, but what counts as moved is what the problem says.
    asked = encoding.problem.workload(workload.key)
    copies = asked.rule(Duplicated)
    if copies is not None:
        held = {name: min(count, copy_on(copies, workload, name)) for name, count in held.items()}
    shrunk = max(0, sum(held.values()) - workload.replicas) if asked.rule(Total) is not None else 0
    encoding.prefer(
        level(rule, workload),
        [
            encoding.convex_cost(Place(workload.key, name), missing_up_to(count))
            for name, count in sorted(held.items())
        ],
        because=Because(KIND, workload.key),
        constant=-shrunk,
    )
