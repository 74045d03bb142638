"""Tiers: clusters that are filled one set after the other and emptied in reverse."""

from fairlead.encoders.convex import proportional
from fairlead.encoders.costs import Origin
from fairlead.encoders.encoding import Encoding
from fairlead.encoders.variables import Place
from fairlead.models.levels import tier
from fairlead.models.rules import Tiers
from fairlead.models.rules.tiers import KIND
from fairlead.models.workload import Workload


def encode(rule: Tiers, workload: Workload, encoding: Encoding) -> None:
    """For k = 1, 2, ... minimise the replicas beyond tier k: ``sum x_c`` over clusters c of later tiers."""
    inside: frozenset[str] = frozenset()
    for number, members in enumerate(rule.tiers[:-1], start=1):
        inside |= members
        places = [
            Place(workload.key, cluster.name)
            for cluster in encoding.problem.clusters
            if cluster.name not in inside
        ]
        costs = [encoding.convex_cost(place, proportional(1)) for place in places]
        encoding.prefer(tier(number), costs, because=Origin(KIND, workload.key, None, f"tier {number}"))
