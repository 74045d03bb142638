"""GroupBounds, Survival and Skew: what is said of groups of clusters."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from math import comb, prod
from typing import NamedTuple, assert_never

from fairlead.manifests.api import own
from fairlead.manifests.api.own import GroupBound, GroupBounds
from fairlead.manifests.own.sets import Remark, called, matched, named, without_clusters
from fairlead.manifests.validation import Located
from fairlead.models.cluster import Cluster, groups, groups_of, values_of
from fairlead.models.errors import ManifestError
from fairlead.models.rules import GroupedRule, GroupTotal, Skew, Survival, WorkloadRule
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
