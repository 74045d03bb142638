"""Skew: how far the fullest and the emptiest group of clusters may differ."""

from itertools import permutations

from fairlead.encoders.costs import Origin
from fairlead.encoders.encoding import Encoding, total
from fairlead.encoders.variables import Place
from fairlead.models.rules import Skew
from fairlead.models.rules.skew import KIND
from fairlead.models.workload import Workload


def encode(rule: Skew, workload: Workload, encoding: Encoding) -> None:
    """Keep any two groups g and h close: ``sum x_c over g - sum x_c over h <= maximum``.

    Groups without candidates do not count. One that counts only where it holds replicas is far behind none
    while it holds none: with M what g may hold, ``sum x_c over g - M (1 - u_h) <= sum x_c over h + maximum``.
    """
    because = Origin(KIND, workload.key, None, rule.field)
    groups = {group: clusters for group, clusters in rule.groups.items() if clusters}
    held = {
        group: total(encoding.replicas(workload.key, name) for name in sorted(clusters))
        for group, clusters in groups.items()
    }
    for fuller, emptier in permutations(groups, 2):
        more = held[fuller] - held[emptier]
        if emptier in rule.where_held:
            places = (Place(workload.key, name) for name in groups[fuller])
            most = sum(encoding.variables.range(place).upper for place in places)
            more -= most * (1 - encoding.any_used(workload.key, groups[emptier]))
        encoding.require_coupled(more <= rule.maximum, because=because)
