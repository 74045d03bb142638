"""Survival: enough replicas are left when any one group of clusters is lost."""

from fairlead.encoders.costs import Because
from fairlead.encoders.encoding import Encoding, total
from fairlead.models.rules import Survival
from fairlead.models.rules.survival import KIND
from fairlead.models.workload import Workload


def encode(rule: Survival, workload: Workload, encoding: Encoding) -> None:
    """Whatever group g is lost, ``sum x_c >= minimum`` over all clusters c outside g.

    Clusters that are no candidates are lost with their group too. A group without candidates needs no row:
    nothing stands in it.

    Does not bind a workload that is scaled to 0.
    """
    if not workload.replicas:
        return
    names = [cluster.name for cluster in encoding.problem.clusters]
    for group in rule.groups:
        clusters = rule.groups[group] | rule.everywhere.get(group, frozenset())
        left = total(encoding.replicas(workload.key, name) for name in names if name not in clusters)
        because = Because(KIND, workload.key, None, f"{rule.field} {group}")
        encoding.require_coupled(left >= rule.minimum, because=because)
