"""Survival: what is left when any one group of clusters is lost."""

from collections.abc import Iterator, Mapping, Sequence

from fairlead.manifests.api.own import Survival, SurvivalSpec
from fairlead.manifests.own.remarks import Remark, listed
from fairlead.manifests.own.selecting import named
from fairlead.manifests.own.targets import values_of
from fairlead.manifests.validation import Located
from fairlead.models.cluster import Cluster
from fairlead.models.rules import Survival as SurvivalRule


def survival(
    located: Located[Survival], replicas: int, names: Sequence[str], clusters: Mapping[str, Cluster]
) -> SurvivalRule:
    """Return the rule for a workload of so many replicas, over the groups of its candidates."""
    from fairlead.models.topology import groups

    spec = located.model.spec
    lost = groups([clusters[name] for name in names], spec.field)
    everywhere = groups(clusters.values(), spec.field)
    return SurvivalRule(spec.field, lost, left(spec, replicas), located.source("spec"), everywhere)


def left(spec: SurvivalSpec, replicas: int) -> int:
    """Return the replicas that have to be left; a percentage is rounded up."""
    if spec.min_replicas is not None:
        return spec.min_replicas
    return -(-replicas * (spec.min_percent or 0) // 100)


def silent(
    located: Located[Survival], names: Sequence[str], clusters: Mapping[str, Cluster]
) -> Iterator[Remark]:
    """Tell of candidates that do not say their group: they count as never lost."""
    field = located.model.spec.field
    found = [name for name in names if not values_of(clusters[name], field)]
    if found:
        text = f"{named(located)}: {listed(found)} without {field}: counted as never lost"
        yield Remark(text, located.source("spec", "field"))
