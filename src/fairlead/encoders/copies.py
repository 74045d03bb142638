"""Copies: a duplicated workload that may choose stands on as many clusters as allowed, most room first."""

from fairlead.encoders.costs import LinearCost, Origin
from fairlead.encoders.encoding import Encoding
from fairlead.models.levels import COPIES, ROOM
from fairlead.models.placement import Placement
from fairlead.models.rules import Copies
from fairlead.models.rules.copies import KIND
from fairlead.models.workload import Workload


def encode(rule: Copies, workload: Workload, encoding: Encoding) -> None:
    """Leave few candidates without a copy, and those with the least room first.

    With u_c = 1 where candidate c holds replicas and r_c the number of candidates with more room::

        minimise  sum (1 - u_c),   then  sum r_c u_c

    Where the workload is scaled to 0, both are 0.
    """
    ranked = rule.ranks if workload.replicas else {}

    def ranks(placement: Placement) -> int:
        placed = placement.of(workload.key)
        return sum(rank for name, rank in ranked.items() if placed.get(name))

    because = Origin(KIND, workload.key)
    encoding.prefer(COPIES, [encoding.unused(workload.key, ranked)], because=because)
    terms = [(encoding.used(workload.key, name), rank) for name, rank in ranked.items() if rank]
    encoding.prefer(ROOM, [LinearCost(terms, 0, ranks)], because=because)
