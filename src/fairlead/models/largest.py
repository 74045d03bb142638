"""The most replicas of a workload that any single cluster can be asked for."""

from fairlead.models.rules import Bounds, Duplicated, Total
from fairlead.models.rules.duplicated import largest_copy
from fairlead.models.workload import Workload


def largest(workload: Workload) -> int:
    """Return the most replicas that any cluster can be asked for, whatever the clusters are like.

    With a total that is all of them, with full copies the largest copy. Without either, what a cluster runs
    may stay although fewer are wanted by now (KubeAdmiral's ``disableRescheduling``), so minima count too.
    """
    copies = workload.rule(Duplicated)
    if copies is not None:
        return largest_copy(copies, workload)
    if workload.rule(Total) is not None or not workload.replicas:
        return workload.replicas
    least = (bound.replicas for rule in workload.rules_of(Bounds) for bound in rule.minimum.values())
    return max(workload.replicas, *least, 0)
