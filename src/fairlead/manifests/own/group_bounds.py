"""GroupBounds: fewest and most replicas of a workload in sets of clusters."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from fairlead.manifests.api.own import GroupBound, GroupBounds
from fairlead.manifests.own.sets import Remark, called, matched, named, without_clusters
from fairlead.manifests.validation import Located
from fairlead.models.cluster import Cluster
from fairlead.models.rules import Candidates, GroupTotal, WorkloadRule
from fairlead.models.source import Source


class Titled(NamedTuple):
    """A total and where it stands, in words.

    Parameters
    ----------
    opening
        True for a group of a field that has no candidate, so that it counts only once one is opened.
    """

    title: str
    total: GroupTotal
    opening: bool = False


def remarks(located: Located[GroupBounds], clusters: Mapping[str, Cluster]) -> Iterator[Remark]:
    """Tell of sets that match nothing."""
    for position, group in enumerate(located.model.spec.groups):
        source = located.source("spec", "groups", position)
        if group.target_cluster is not None:
            yield from without_clusters(group.target_cluster, clusters, _title(located, position), source)
        elif not _grouped(group.group_by or "", sorted(clusters), clusters):
            text = f"{_title(located, position)}: no cluster of the input tells its {group.group_by}"
            yield Remark(text, source)


def totals(
    located: Located[GroupBounds], names: Sequence[str], clusters: Mapping[str, Cluster]
) -> tuple[Titled, ...]:
    """Return the totals of all sets, resolved against candidates."""
    return tuple(
        Titled(_title(located, position), total, opening=group.group_by is not None and not total.clusters)
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
    idle = [total for _, total, opening in found if opening or not (total.clusters or total.minimum)]
    later = tuple(total for total in idle if total.closed)
    if later:
        kept = [_with_later(rule, later) for rule in kept]
    for title, total, opening in found:
        if opening:
            continue
        if not total.clusters and total.source:
            told.append(Remark(f"{title} has no eligible cluster", total.source))
        if total.clusters or total.minimum:
            one = replace(total, name=f"{total.name}, {title}") if total.name in taken else total
            taken.add(one.name)
            kept.append(one)
    return tuple(kept), tuple(told)


def _with_later(rule: WorkloadRule, later: tuple[GroupTotal, ...]) -> WorkloadRule:
    """Return a rule; candidates know which totals hold once clusters are opened."""
    if not isinstance(rule, Candidates) or rule.opening is None:
        return rule
    return replace(rule, opening=(*rule.opening, *later))


def _title(located: Located[GroupBounds], position: int) -> str:
    """Return what a group of a manifest is called where it has no better name."""
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
    """Return clusters by the groups of a field."""
    from fairlead.models.topology import groups

    return groups([clusters[name] for name in names], field)
