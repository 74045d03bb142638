"""Bounds: the fewest and the most replicas of a workload on a cluster."""

from fairlead.encoders.costs import Origin
from fairlead.encoders.encoding import Encoding
from fairlead.encoders.variables import Place
from fairlead.models.levels import MINIMA
from fairlead.models.rules import Bounds
from fairlead.models.rules.bounds import KIND
from fairlead.models.workload import Workload


def encode(rule: Bounds, workload: Workload, encoding: Encoding) -> None:
    """Every named candidate holds at least its minimum and at most its maximum.

    With u_c = 1 where cluster c holds replicas::

        x_c >= minimum_c      unless the workload is scaled to 0
        x_c >= minimum_c u_c  where a minimum binds only clusters that hold replicas
        x_c <= maximum_c
        minimise  sum (1 - u_c) over clusters with a minimum, where those are chosen first
    """
    for name, bound in rule.maximum.items():
        because = Origin(KIND, workload.key, name, "maximum")
        encoding.limit(Place(workload.key, name), upper=bound.replicas, because=because)
    minimum = {name: bound for name, bound in rule.minimum.items() if bound.replicas and workload.replicas}
    for name, bound in minimum.items():
        because = Origin(KIND, workload.key, name, "minimum")
        if name not in rule.where_held:
            encoding.limit(Place(workload.key, name), lower=bound.replicas, because=because)
        elif bound.replicas > 1:
            used, held = encoding.used(workload.key, name), encoding.replicas(workload.key, name)
            encoding.require_coupled(held >= bound.replicas * used, because=because)
    if rule.preferred:
        because = Origin(KIND, workload.key, None, "preferred")
        encoding.prefer(MINIMA, [encoding.unused(workload.key, minimum)], because=because)
