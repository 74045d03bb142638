"""Group total: how many replicas a named set of clusters holds together."""

from fairlead.encoders.costs import Origin
from fairlead.encoders.encoding import Encoding, total
from fairlead.models.rules import GroupTotal
from fairlead.models.rules.group_total import KIND
from fairlead.models.workload import Workload


def encode(rule: GroupTotal, workload: Workload, encoding: Encoding) -> None:
    """Keep what a set of clusters G holds within bounds: ``minimum <= sum x_c <= maximum`` over G.

    The minimum does not bind a workload that is scaled to 0.
    """
    held = total(encoding.replicas(workload.key, name) for name in sorted(rule.clusters))
    because = Origin(KIND, workload.key, None, rule.name)
    if rule.minimum and workload.replicas:
        encoding.require_coupled(held >= rule.minimum, because=because)
    if rule.maximum is not None:
        encoding.require_coupled(held <= rule.maximum, because=because)
