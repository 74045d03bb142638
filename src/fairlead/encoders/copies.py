"""Copies: a duplicated workload that may choose stands on as many clusters as allowed, most room first."""

from fairlead.encoders.costs import Because, LinearCost
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
    ranks_of = rule.ranks if workload.replicas else {}
    ranked = [(rank, name, encoding.used(workload.key, name)) for name, rank in ranks_of.items()]

    def missing(placement: Placement) -> int:
        placed = placement.of(workload.key)
        return sum(1 for _, name, _ in ranked if not placed.get(name))

    def ranks(placement: Placement) -> int:
        placed = placement.of(workload.key)
        return sum(rank for rank, name, _ in ranked if placed.get(name))

    because = Because(KIND, workload.key)
    without = LinearCost([(used, -1) for _, _, used in ranked], len(ranked), missing)
    encoding.prefer(COPIES, [without], because=because)
    by_room = LinearCost([(used, rank) for rank, _, used in ranked if rank], 0, ranks)
    encoding.prefer(ROOM, [by_room], because=because)
