"""Skew: how far the fullest and the emptiest group of clusters may differ."""

from itertools import permutations

from fairlead.encoders.costs import Because
from fairlead.encoders.encoding import Encoding, total
from fairlead.models.rules import Skew
from fairlead.models.rules.skew import KIND
from fairlead.models.workload import Workload


def encode(rule: Skew, workload: Workload, encoding: Encoding) -> None:
    """Keep any two groups g and h close: ``sum x_c over g - sum x_c over h <= maximum``.

    Groups without candidates do not count.
    """
    because = Because(KIND, workload.key, None, rule.field)
    held = [
        total(encoding.replicas(workload.key, name) for name in sorted(clusters))
        for clusters in rule.groups.values()
        if clusters
    ]
    for fuller, emptier in permutations(held, 2):
        encoding.require_coupled(fuller - emptier <= rule.maximum, because=because)
