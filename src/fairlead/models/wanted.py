"""What every candidate is wanted to hold by the weights alone: its exact share."""

from collections.abc import Mapping
from fractions import Fraction

from fairlead.models.rules import Duplicated, Shares, Weights
from fairlead.models.rules.weights import quotas
from fairlead.models.workload import Workload


def wanted(workload: Workload, placed: Mapping[str, int]) -> Mapping[str, Fraction]:
    """Return the exact share of every candidate in replicas; empty where nothing is weighed.

    Parameters
    ----------
    placed
        Its replicas by cluster; overflow tiers share what each of them holds.
    """
    if workload.rule(Duplicated) is not None:
        return {}
    hierarchy = workload.rule(Shares)
    if hierarchy is not None:
        innermost = [group for group in hierarchy.depths[-1] if len(group.clusters) == 1]
        return {next(iter(group.clusters)): group.share * workload.replicas for group in innermost}
    weights = workload.rule(Weights)
    return quotas(weights, workload, placed) if weights else {}
