"""MoveBudget: how many replicas may move away from where they run now."""

from collections.abc import Iterator, Mapping, Sequence

from fairlead.manifests.api import own
from fairlead.manifests.api.own_values import Amount
from fairlead.manifests.own.sets import Remark, called, matched, named, without_clusters
from fairlead.manifests.validation import Located
from fairlead.models.cluster import Cluster
from fairlead.models.rules import MoveBudget
from fairlead.models.rules.move_budget import under_way
from fairlead.models.share import percentage, share_of
from fairlead.models.source import Source
from fairlead.models.workload import Workload

Held = Mapping[str, Mapping[str, int]]
"""What runs on clusters of the input, by workload."""


def budgets(
    located: Located[own.MoveBudget], workloads: Sequence[Workload], clusters: Mapping[str, Cluster]
) -> Iterator[MoveBudget]:
    """Yield a rule for everything that a manifest limits; nothing where it selects no workload.

    `clusters`: member clusters by name. What runs elsewhere is gone already and counts in no percentage.
    """
    held = {
        one.key: {name: count for name, count in one.current.items() if name in clusters} for one in workloads
    }
    if not held:
        return
    gone = under_way(workloads)
    for name, amount, keys, source in _shared(located, workloads):
        most = share_of(amount, sum(sum(held[key].values()) for key in keys))
        yield MoveBudget(name, most, keys, under_way=gone, source=source, part=percentage(amount))
    everyone = frozenset(held)
    for name, entry, source in _entries(located):
        inside = matched(entry.target_cluster, clusters)
        most, part = share_of(entry.replicas, _running(held, inside)), percentage(entry.replicas)
        if inside and source.path[1] == "leaving":
            yield MoveBudget(name, most, everyone, leaving=inside, under_way=gone, source=source, part=part)
        elif inside:
            yield MoveBudget(name, most, everyone, arriving=inside, source=source, part=part)


def remarks(located: Located[own.MoveBudget], clusters: Mapping[str, Cluster]) -> Iterator[Remark]:
    """Tell of sets of clusters that match nothing."""
    spec = located.model.spec
    for field, entries in (("leaving", spec.leaving), ("arriving", spec.arriving)):
        for position, entry in enumerate(entries):
            title = f"{field} {position + 1} of {named(located)}"
            source = located.source("spec", field, position)
            yield from without_clusters(entry.target_cluster, clusters, title, source)


def _shared(
    located: Located[own.MoveBudget], workloads: Sequence[Workload]
) -> Iterator[tuple[str, Amount, frozenset[str], Source]]:
    """Yield name, amount, workloads and source of every budget that looks at no clusters."""
    spec, budget = located.model.spec, named(located)
    everyone = sorted(one.key for one in workloads)
    if spec.total is not None:
        yield budget, spec.total, frozenset(everyone), located.source("spec", "total")
    if spec.per_workload is not None:
        source = located.source("spec", "perWorkload")
        for key in everyone:
            yield f"{key}, {budget}", spec.per_workload, frozenset([key]), source
    if spec.per_namespace is not None:
        source = located.source("spec", "perNamespace")
        for space in sorted({one.namespace for one in workloads}):
            keys = frozenset(one.key for one in workloads if one.namespace == space)
            whose = f"namespace {space}" if space else "workloads without a namespace"
            yield f"{whose}, {budget}", spec.per_namespace, keys, source


def _entries(located: Located[own.MoveBudget]) -> Iterator[tuple[str, own.ClusterBudget, Source]]:
    """Yield every limit of a set of clusters with a name of its own and its source."""
    spec = located.model.spec
    sides = (("leaving", "leaving", spec.leaving), ("arriving", "arriving at", spec.arriving))
    for field, verb, entries in sides:
        names = [called(entry.target_cluster) for entry in entries]
        for position, (entry, name) in enumerate(zip(entries, names, strict=True)):
            alone = bool(name) and names.count(name) == 1
            where = f"{verb} {name}" if alone else f"{field} {position + 1}"
            yield f"{where}, {named(located)}", entry, located.source("spec", field, position)


def _running(held: Held, clusters: frozenset[str]) -> int:
    return sum(count for counts in held.values() for name, count in counts.items() if name in clusters)
