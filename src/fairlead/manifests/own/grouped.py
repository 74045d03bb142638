"""Kinds about groups of clusters, Survival and Skew: what they say of the groups of the candidates."""

from collections.abc import Iterator, Mapping, Sequence
from typing import assert_never

from fairlead.manifests.api import own
from fairlead.manifests.own.sets import Remark, named
from fairlead.manifests.validation import Located
from fairlead.manifests.yaml.documents import first_few
from fairlead.models.cluster import Cluster
from fairlead.models.rules import GroupedRule, Skew, Survival
from fairlead.models.topology import groups, values_of

GroupedKind = own.Survival | own.Skew
KINDS = (own.Survival, own.Skew)
"""The kinds, in the order in which they add rules."""


def rule_of(
    located: Located[GroupedKind], replicas: int, names: Sequence[str], clusters: Mapping[str, Cluster]
) -> GroupedRule:
    """Return the rule for a workload of so many replicas, over the groups of its candidates."""
    spec = located.model.spec
    inside = groups([clusters[name] for name in names], spec.field)
    match spec:
        case own.SurvivalSpec():
            everywhere = groups(clusters.values(), spec.field)
            return Survival(spec.field, inside, _left(spec, replicas), located.source("spec"), everywhere)
        case own.SkewSpec():
            return Skew(spec.field, inside, spec.max_skew, located.source("spec", "maxSkew"))
        case _:
            assert_never(spec)


def _left(spec: own.SurvivalSpec, replicas: int) -> int:
    """Return the replicas that have to be left; a percentage is rounded up."""
    if spec.min_replicas is not None:
        return spec.min_replicas
    return -(-replicas * (spec.min_percent or 0) // 100)


def silent(
    located: Located[GroupedKind], names: Sequence[str], clusters: Mapping[str, Cluster]
) -> Iterator[Remark]:
    """Tell of candidates that do not say their group: they count in none."""
    field = located.model.spec.field
    found = [name for name in names if not values_of(clusters[name], field)]
    if found:
        counted = "as never lost" if isinstance(located.model, own.Survival) else "in no group"
        text = f"{named(located)}: {first_few(found)} without {field}: counted {counted}"
        yield Remark(text, located.source("spec", "field"))
