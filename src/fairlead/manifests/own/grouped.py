"""Kinds about groups of clusters: GroupBounds, Survival and Skew, and HierarchicalWeights."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import comb, prod
from typing import NamedTuple, assert_never

from fairlead.manifests.api import own
from fairlead.manifests.api.own import (
    Branch,
    GroupBound,
    GroupBounds,
    HierarchicalWeights,
    HierarchicalWeightsSpec,
)
from fairlead.manifests.own.sets import Remark, called, matched, named, without_clusters
from fairlead.manifests.validation import Located
from fairlead.models.cluster import Cluster, groups, groups_of, values_of
from fairlead.models.errors import ManifestError
from fairlead.models.rules import GroupedRule, GroupTotal, Shares, Skew, Survival, WorkloadRule
from fairlead.models.rules.candidates import Cause, Exclusion
from fairlead.models.rules.shares import ShareGroup
from fairlead.models.rules.survival import Loss, part_of
from fairlead.models.source import Source
from fairlead.models.words import first_of

GroupedKind = own.Survival | own.Skew
MOST_WAYS = 5_000
"""In how many ways what is lost may be chosen: two of 100 clusters are 4,950, each a row of the model."""


def rule_of(
    located: Located[GroupedKind], replicas: int, names: Sequence[str], clusters: Mapping[str, Cluster]
) -> GroupedRule:
    """Return the rule for a workload of so many replicas, over the groups of its candidates."""
    spec = located.model.spec
    candidates = [clusters[name] for name in names]
    match spec:
        case own.SurvivalSpec():
            first, *besides = _losses(located, spec, candidates, clusters.values())
            return Survival(
                first.field,
                first.groups,
                _left(spec, replicas),
                located.source("spec"),
                first.everywhere,
                first.count,
                tuple(besides),
                spec.min_percent,
            )
        case own.SkewSpec():
            inside = groups(candidates, spec.field)
            return Skew(spec.field, inside, spec.max_skew, located.source("spec", "maxSkew"))
        case _:
            assert_never(spec)


def _losses(
    located: Located[GroupedKind],
    spec: own.SurvivalSpec,
    candidates: Sequence[Cluster],
    clusters: Collection[Cluster],
) -> list[Loss]:
    """Return the losses at once, unless there are too many ways to lose that much.

    Raises `ManifestError` where there are too many.
    """
    losses = [
        Loss(loss.field, groups(candidates, loss.field), loss.groups, groups(clusters, loss.field))
        for loss in _stated(spec)
    ]
    ways = prod(comb(len(loss.together), min(loss.count, len(loss.together))) for loss in losses)
    if ways > MOST_WAYS:
        found = ", ".join(f"{loss.count} of {groups_of(len(loss.together), loss.field)}" for loss in losses)
        message = f"are {ways} ways to lose clusters ({found}); allowed are {MOST_WAYS}"
        raise ManifestError([located.document.mistake(("spec", "losses"), message)])
    return losses


def _stated(spec: own.SurvivalSpec) -> tuple[own.LossSpec, ...]:
    return spec.losses if spec.field is None else (own.LossSpec(field=spec.field),)


def _left(spec: own.SurvivalSpec, replicas: int) -> int:
    """Return the replicas that have to be left; a percentage is rounded up."""
    return part_of(spec.min_percent or 0, replicas) if spec.min_replicas is None else spec.min_replicas


def silent(
    located: Located[GroupedKind], names: Sequence[str], clusters: Mapping[str, Cluster]
) -> Iterator[Remark]:
    """Tell of candidates that do not say their group: they count in none."""
    spec = located.model.spec
    fields = [each.field for each in _stated(spec)] if isinstance(spec, own.SurvivalSpec) else [spec.field]
    for position, field in enumerate(fields):
        found = [name for name in names if not values_of(clusters[name], field)]
        if found:
            counted = "as never lost" if isinstance(spec, own.SurvivalSpec) else "in no group"
            text = f"{named(located)}: {first_of(found)} without {field}: counted {counted}"
            path = ("field",) if spec.field else ("losses", position, "field")
            yield Remark(text, located.source("spec", *path))


class Titled(NamedTuple):
    """A total and where it stands, in words."""

    title: str
    total: GroupTotal


def remarks(located: Located[GroupBounds], clusters: Mapping[str, Cluster]) -> Iterator[Remark]:
    """Tell of sets that match nothing."""
    for position, group in enumerate(located.model.spec.groups):
        source = located.source("spec", "groups", position)
        if group.target_cluster is not None:
            yield from without_clusters(group.target_cluster, clusters, _title(located, position), source)
        elif not _grouped(group.group_by or "", sorted(clusters), clusters):
            text = f"{_title(located, position)}: no cluster of the input has a {group.group_by}"
            yield Remark(text, source)


def totals(
    located: Located[GroupBounds], names: Sequence[str], clusters: Mapping[str, Cluster]
) -> tuple[Titled, ...]:
    """Return the totals of all sets, resolved against candidates."""
    return tuple(
        Titled(_title(located, position), total)
        for position, group in enumerate(located.model.spec.groups)
        for total in _of_group(
            group, _title(located, position), names, clusters, located.source("spec", "groups", position)
        )
    )


def added(
    rules: Sequence[WorkloadRule], found: Sequence[Titled]
) -> tuple[tuple[WorkloadRule, ...], tuple[Remark, ...]]:
    """Add totals to the rules of a workload, under names that differ.

    A group of a field without candidates is none until one is opened. A maximum over a set without candidates
    says nothing and is left out; a minimum over it cannot be met and stays, so that the conflict names it.
    """
    taken = {rule.name for rule in rules if isinstance(rule, GroupTotal)}
    kept: list[WorkloadRule] = list(rules)
    told: list[Remark] = []
    for title, total in found:
        if total.grouped_by and not total.clusters:
            continue
        if not total.clusters and total.source:
            told.append(Remark(f"{title} has no eligible cluster", total.source))
        if total.clusters or total.minimum:
            kept.append(_apart(total, title, taken))
    return tuple(kept), tuple(told)


def _apart(total: GroupTotal, title: str, taken: set[str]) -> GroupTotal:
    """Return a total under a name that no other one has."""
    one = replace(total, name=f"{total.name}, {title}") if total.name in taken else total
    taken.add(one.name)
    return one


def _title(located: Located[GroupBounds], position: int) -> str:
    """Return the name of a group of a manifest where it has no better one."""
    return f"group {position + 1} of {named(located)}"


def _of_group(
    group: GroupBound, title: str, names: Sequence[str], clusters: Mapping[str, Cluster], source: Source
) -> Iterator[GroupTotal]:
    """Yield one total for a set, or one for every group of a field."""
    low, high = group.min_replicas or 0, group.max_replicas
    if group.target_cluster is not None:
        every = matched(group.target_cluster, clusters)
        inside = every.intersection(names)
        name = group.name or called(group.target_cluster) or title
        yield GroupTotal(name, inside, low, high, source, every - inside)
    elif group.group_by is not None:
        everywhere = _grouped(group.group_by, sorted(clusters), clusters)
        found = _grouped(group.group_by, names, clusters)
        for value, members in everywhere.items():
            name = value if group.group_by == "cluster" else f"{group.group_by} {value}"
            inside = found.get(value, frozenset())
            yield GroupTotal(name, inside, low, high, source, members - inside, group.group_by)


def _grouped(
    field: str, names: Sequence[str], clusters: Mapping[str, Cluster]
) -> Mapping[str, frozenset[str]]:
    return groups([clusters[name] for name in names], field)


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


def divided_by_depth(
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


def share_remarks(located: Located[HierarchicalWeights], clusters: Mapping[str, Cluster]) -> Iterator[Remark]:
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
