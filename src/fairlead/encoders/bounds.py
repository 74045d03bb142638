"""Bounds: the fewest and the most replicas of a workload on a cluster."""

from fairlead.encoders.encoding import Because, Encoding
from fairlead.encoders.variables import Place
from fairlead.models.rules import Bounds
from fairlead.models.rules.bounds import KIND
from fairlead.models.workload import Workload


def encode(rule: Bounds, workload: Workload, encoding: Encoding) -> None:
    """Every named candidate holds at least its minimum and at most its maximum.

    ::

        x_c >= minimum_c  unless the workload is scaled to 0
        x_c <= maximum_c
    """
    if workload.replicas:
        for name, bound in rule.minimum.items():
            because = Because(KIND, workload.key, name, "minimum")
            encoding.limit(Place(workload.key, name), lower=bound.replicas, because=because)
    for name, bound in rule.maximum.items():
        because = Because(KIND, workload.key, name, "maximum")
        encoding.limit(Place(workload.key, name), upper=bound.replicas, because=because)
