"""Evenness: a change of the total is shared evenly."""

from collections.abc import Mapping

from fairlead.encoders.convex import ConvexFunction
from fairlead.encoders.costs import Origin
from fairlead.encoders.encoding import Encoding
from fairlead.encoders.variables import Place
from fairlead.models.levels import EVENNESS
from fairlead.models.rules import Evenness
from fairlead.models.rules.evenness import KIND
from fairlead.models.workload import Workload


def encode(rule: Evenness, workload: Workload, encoding: Encoding) -> None:
    """Over the clusters c that take part, minimise ``sum (x_c - held_c)^2``, and elsewhere ``sum x_c^2``."""
    for level in rule.levels(workload):
        before: Mapping[str, int] = workload.current if level == EVENNESS else {}
        costs = [
            encoding.convex_cost(Place(workload.key, name), _square(before.get(name, 0)))
            for name in rule.clusters
        ]
        encoding.prefer(level, costs, because=Origin(KIND, workload.key))


def _square(origin: int) -> ConvexFunction:
    return ConvexFunction(
        marginal=lambda k: 2 * (k - origin) + 1, anchor=origin, closed=lambda x: (x - origin) ** 2
    )
