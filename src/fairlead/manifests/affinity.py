"""Which clusters a ClusterAffinity matches."""

from collections.abc import Mapping

from fairlead.manifests.api import meta
from fairlead.manifests.api.placement import ClusterAffinity
from fairlead.models.cluster import Cluster
from fairlead.models.selectors import FieldRequirement, LabelSelector, Requirement


def label_selector(selector: meta.LabelSelector) -> LabelSelector:
    """Turn the selector of the API into one that matches labels."""
    expressions = (Requirement(one.key, one.operator, one.values) for one in selector.match_expressions)
    return LabelSelector.of(selector.match_labels, expressions)


def matching(affinity: ClusterAffinity, clusters: Mapping[str, Cluster]) -> list[str]:
    """Return the names of the clusters that an affinity matches, sorted; an empty one matches every cluster.

    Excluded names, labels, fields and listed names must all agree, as in Karmada.
    """
    excluded = frozenset(affinity.exclude)
    names = frozenset(affinity.cluster_names) or clusters.keys()
    left = [clusters[name] for name in names if name in clusters and name not in excluded]
    if affinity.label_selector is not None:
        selector = label_selector(affinity.label_selector)
        left = [one for one in left if selector.matches(one.labels)]
    for field in affinity.field_selector.match_expressions if affinity.field_selector else ():
        expression = FieldRequirement(field.key, field.operator, field.values)
        left = [one for one in left if expression.matches(one.provider, one.region, one.zones)]
    return sorted(one.name for one in left)
