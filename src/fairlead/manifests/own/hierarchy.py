"""HierarchicalWeights: shares of regions, inside them of zones, inside them of clusters."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from fairlead.manifests.api.own import Branch, HierarchicalWeights, HierarchicalWeightsSpec
from fairlead.manifests.own.sets import Remark, named
from fairlead.manifests.validation import Located
from fairlead.models.cluster import Cluster, values_of
from fairlead.models.rules import Shares
from fairlead.models.rules.candidates import Cause, Exclusion
from fairlead.models.rules.shares import ShareGroup
from fairlead.models.words import first_of

NO_SHARE = "had no share of the hierarchical weights"
_PROPERTIES = ("provider", "region", "zone")


class ResolvedShares(NamedTuple):
    """The shares of candidates, and the candidates that have none."""

    shares: Shares
    closed: Mapping[str, Exclusion]
    """Candidates without a share, with the reason."""


def fields_of(spec: HierarchicalWeightsSpec) -> tuple[str, ...]:
    """Return the fields from the widest to the narrowest; the last one is always the cluster."""
    return spec.by if "cluster" in spec.by else (*spec.by, "cluster")


def division(
    located: Located[HierarchicalWeights], names: Sequence[str], clusters: Mapping[str, Cluster]
) -> ResolvedShares:
    """Divide candidates depth by depth.

    The share of a group is its weight over the weights of its siblings, times the share of the group around
    it. Siblings without a weight weigh 1 where none of them has a positive one, else 0. A cluster that does
    not tell one of the fields, or whose share is 0, is no candidate.
    """
    spec = located.model.spec
    fields = fields_of(spec)
    reasons = {name: _missing(clusters[name], fields) for name in names}
    told = [clusters[name] for name in names if not reasons[name]]
    depths = _depths((), told, fields, spec.weights) or [[] for _ in fields]
    shared = {name for group in depths[-1] for name in group.clusters}
    source = located.source("spec", "weights")
    no_share = Exclusion(NO_SHARE, source, cause=Cause.BESIDE_OTHERS)
    closed = {
        name: Exclusion(reasons[name], source) if reasons[name] else no_share
        for name in names
        if name not in shared
    }
    return ResolvedShares(Shares(tuple(tuple(groups) for groups in depths), source), closed)


def _missing(cluster: Cluster, fields: Iterable[str]) -> str:
    """Return which field a cluster does not tell, as Karmada words it; empty where it tells all."""
    missing = next((field for field in fields if not values_of(cluster, field)), "")
    if missing in _PROPERTIES:
        return f"did not have {missing} property"
    return f"did not have label {missing}" if missing else ""


def _depths(
    path: tuple[str, ...], members: Sequence[Cluster], fields: Sequence[str], branches: Mapping[str, Branch]
) -> list[list[ShareGroup]]:
    """Return the groups that have a share, depth by depth and by name; those of a depth add up to 1.

    Nothing where no group has a share.
    """
    grouped: dict[str, list[Cluster]] = {}
    for cluster in members:
        grouped.setdefault(values_of(cluster, fields[0])[0], []).append(cluster)
    weighed = any(branches[name].weight for name in grouped if name in branches)
    kept: list[tuple[int, list[list[ShareGroup]]]] = []
    for name in sorted(grouped):
        branch = branches.get(name, Branch())
        weight = branch.weight if branch.weight is not None else int(not weighed)
        deeper = len(fields) > 1
        inside = _depths((*path, name), grouped[name], fields[1:], branch.inside) if deeper else []
        if weight and (inside or not deeper):
            names = (one.clusters for one in inside[0]) if deeper else ({one.name} for one in grouped[name])
            whole = ShareGroup("/".join((*path, name)), frozenset().union(*names), Fraction(1))
            kept.append((weight, [[whole], *inside]))
    total = sum(weight for weight, _ in kept)
    return [
        [
            replace(each, share=each.share * weight / total)
            for weight, depths in kept
            for each in depths[depth]
        ]
        for depth in range(len(fields) if kept else 0)
    ]


def remarks(located: Located[HierarchicalWeights], clusters: Mapping[str, Cluster]) -> Iterator[Remark]:
    """Tell of groups that no cluster belongs to, and of clusters in several zones."""
    spec = located.model.spec
    fields = fields_of(spec)
    told = [clusters[name] for name in sorted(clusters) if not _missing(clusters[name], fields)]
    path: tuple[str, ...] = ("spec", "weights")
    yield from _idle(located, path, told, fields, spec.weights)
    several = [one.name for one in told if "zone" in fields and len(one.zones) > 1]
    if several:
        text = f"{named(located)}: {first_of(several)} in several zones: the first one counts"
        yield Remark(text, located.source("spec", "by"))


def _idle(
    located: Located[HierarchicalWeights],
    path: tuple[str, ...],
    members: Sequence[Cluster],
    fields: Sequence[str],
    branches: Mapping[str, Branch],
) -> Iterator[Remark]:
    for name, branch in branches.items():
        within = [one for one in members if values_of(one, fields[0])[0] == name]
        if not within:
            text = f"{named(located)}: no cluster of the input is in {fields[0]} {name} there"
            yield Remark(text, located.source(*path, name))
        elif branch.inside:
            yield from _idle(located, (*path, name, "inside"), within, fields[1:], branch.inside)
