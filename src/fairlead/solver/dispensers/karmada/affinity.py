"""Which clusters an affinity matches."""

from fairlead.models.selectors import DOES_NOT_EXIST, EXISTS, IN, NOT_IN, LabelSelector, operator_problem
from fairlead.solver.dispensers.karmada.inputs import MemberCluster
from fairlead.solver.dispensers.karmada.placement import AffinityTerm, ClusterAffinity

_LABEL_OPERATORS = (IN, NOT_IN, EXISTS, DOES_NOT_EXIST)


def matches(affinity: ClusterAffinity, cluster: MemberCluster) -> bool:
    """Tell whether a cluster is among those that an affinity means.

    Exclusion wins; then labels, fields and names must all agree. A label selector that is no valid one
    matches nothing.
    """
    if cluster.name in affinity.exclude:
        return False
    if affinity.cluster_names and cluster.name not in affinity.cluster_names:
        return False
    selector = affinity.label_selector
    if selector is not None and not (_is_valid(selector) and selector.matches(cluster.labels)):
        return False
    provider, region, zones = cluster.provider, cluster.region, cluster.zones
    return all(expression.matches(provider, region, zones) for expression in affinity.field_expressions)


def tier(term: AffinityTerm | None, cluster: MemberCluster, *, overflow: bool) -> int | None:
    """Return the tier of a cluster in an affinity group.

    Parameters
    ----------
    term
        The group; None means that every cluster belongs.
    cluster
        The cluster.
    overflow
        Whether the overflow affinities of the group count.

    Returns
    -------
    int or None
        0 for the group itself, k for its k-th overflow affinity, None where no tier matches.
    """
    if term is None or matches(term.affinity, cluster):
        return 0
    tiers = (term.overflow_affinities or ()) if overflow else ()
    return next((number for number, each in enumerate(tiers, start=1) if matches(each, cluster)), None)


def _is_valid(selector: LabelSelector) -> bool:
    return all(
        each.operator in _LABEL_OPERATORS and operator_problem(each.operator, each.values) is None
        for each in selector.match_expressions
    )
