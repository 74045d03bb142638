"""Which of the open clusters are taken: PrioritySort, then MaxCluster.

Known faults of the real program that are reproduced here: weights, minima, maxima, capacity and what runs
now play no part, so a limit on the clusters can drop one with a minimum, keep only clusters that are too
small, or move the whole workload when scores change.
"""

from collections.abc import Mapping, Sequence

from fairlead.solver.dispensers.kubeadmiral.inputs import FederatedCluster, SchedulingUnit


class SelectionError(ValueError):
    """The limit on the clusters is negative, which KubeAdmiral's API does not refuse."""


def select(
    unit: SchedulingUnit, clusters: Sequence[FederatedCluster], scores: Mapping[str, int]
) -> list[FederatedCluster]:
    """Return the clusters that are taken, best first, then by name.

    Parameters
    ----------
    unit
        The object. Any priority, and Binpack always, *replaces* the scores by the priorities; a cluster
        without one counts as 0.
    clusters
        Clusters that passed the filters.
    scores
        By cluster.

    Raises
    ------
    SelectionError
        Where the limit on the clusters is negative.
    """
    policy = unit.policy
    if policy.max_clusters is not None and policy.max_clusters < 0:
        raise SelectionError("max cluster is less than 0")
    by_priority = bool(policy.priorities) or (unit.divides and policy.binpack)
    ranks = policy.priorities if by_priority else scores
    ordered = sorted(clusters, key=lambda cluster: (-ranks.get(cluster.name, 0), cluster.name))
    return ordered[: policy.max_clusters]
