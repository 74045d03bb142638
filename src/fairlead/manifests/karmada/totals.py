"""Totals that nothing can meet, that overlap or that have no effect: warned about, as validate shows."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from fairlead.manifests.api.policies import ClusterSet
from fairlead.manifests.eligibility import Eligibility, Ground
from fairlead.manifests.karmada.groups import matching
from fairlead.manifests.yaml.documents import Path
from fairlead.models.cluster import Cluster
from fairlead.models.rules import GroupTotal
from fairlead.models.rules.group_total import KIND
from fairlead.models.source import Source
from fairlead.models.statement import Statement
from fairlead.models.words import with_nearest
from fairlead.models.workload import Workload

NO_TARGET = "is in no target of the specified replicas"
NOT_LISTED = "is in none of the listed regions"


class SpecifiedTotal(NamedTuple):
    """A set of clusters and the replicas that it holds together."""

    clusters: ClusterSet
    replicas: int
    where: Path | Source
    """Where the number stands: a path inside the placement, or a source elsewhere."""


class StatedTotal(NamedTuple):
    """Replicas of all clusters that are listed, and where the number stands."""

    replicas: int
    where: Path | Source


@dataclass(frozen=True, slots=True)
class Totals:
    """Totals that a placement, and the object around it, states."""

    targets: tuple[SpecifiedTotal, ...] = ()
    """Sets of clusters with their totals; other clusters are no candidates. Empty where there are none."""
    numbers: tuple[StatedTotal, ...] = ()
    """Totals of all candidates together; every one of them holds."""
    regions: frozenset[str] | None = None
    """Regions to which an annotation limits the candidates; None where none does."""
    regions_at: Path | Source = ()
    even: bool = False
    """True where the change of the totals is shared evenly; else weights or full copies divide."""
    equal: bool = False
    apart: bool = False
    """True where a part of it stands outside of the placement."""


NO_TOTALS = Totals()


class Resolved(NamedTuple):
    """A total, resolved against the candidates."""

    rule: GroupTotal
    """The total, which does not know its source yet."""
    where: Path | Source
    """Place of the number."""
    absent: tuple[str, ...] = ()
    """Names of clusters that the input does not have."""


def without_unlisted(totals: Totals, standing: Eligibility, clusters: Mapping[str, Cluster]) -> Eligibility:
    """Close the candidates that are in no listed region or in no target."""
    if totals.regions is not None:
        ground = Ground(NOT_LISTED, totals.regions_at)
        regions = {name: clusters[name].region for name in standing.names}
        standing = standing.without(
            {name: ground for name, region in regions.items() if region not in totals.regions}
        ).closed_for_good(name for name, each in clusters.items() if each.region not in totals.regions)
    if not totals.targets:
        return standing
    ground = Ground(NO_TARGET, totals.targets[0].where)
    inside = frozenset[str]().union(*(matching(target.clusters, clusters) for target in totals.targets))
    return standing.without({name: ground for name in standing.names if name not in inside}).closed_for_good(
        name for name in clusters if name not in inside
    )


def resolve(totals: Totals, names: Sequence[str], clusters: Mapping[str, Cluster]) -> tuple[Resolved, ...]:
    """Return the totals of the targets, then those of all candidates."""
    candidates = frozenset(names)
    found: list[Resolved] = []
    for position, (affinity, replicas, where) in enumerate(totals.targets, start=1):
        matched = matching(affinity, clusters)
        name = _name(affinity, matched) or f"target {position}"
        if any(name == other.rule.name for other in found):
            name = f"{name} (target {position})"
        absent = tuple(one for one in affinity.cluster_names if one not in clusters)
        inside, closed = candidates.intersection(matched), frozenset(matched) - candidates
        rule = GroupTotal(name, inside, replicas, replicas, closed=closed)
        found.append(Resolved(rule, where, absent))
    listed = "the listed regions" if totals.even and not totals.targets else "all eligible clusters"
    for position, (replicas, where) in enumerate(totals.numbers, start=1):
        name = listed if position == 1 else f"{listed} (number {position})"
        closed = frozenset(clusters) - candidates
        rule = GroupTotal(name, candidates, replicas, replicas, closed=closed, several=True)
        found.append(Resolved(rule, where))
    return tuple(found)


def _name(affinity: ClusterSet, matched: Sequence[str]) -> str | None:
    """Return the name of a set of clusters: one region, zone or provider, or one cluster; else None."""
    fields = affinity.field_selector.match_expressions if affinity.field_selector else ()
    alone = not (affinity.cluster_names or affinity.label_selector)
    if alone and len(fields) == 1 and fields[0].operator == "In" and len(fields[0].values) == 1:
        return f"{fields[0].key} {fields[0].values[0]}"
    if len(affinity.cluster_names) == 1:
        return affinity.cluster_names[0]
    return matched[0] if len(matched) == 1 else None


def located(totals: Sequence[Resolved], source: Callable[[Path], Source]) -> tuple[GroupTotal, ...]:
    """Return totals that know their sources."""
    return tuple(
        replace(rule, source=where if isinstance(where, Source) else source(where))
        for rule, where, _ in totals
    )


def doubtful(
    totals: Sequence[Resolved], rules: Sequence[GroupTotal], workload: Workload, present: Collection[str]
) -> Iterator[Statement]:
    """Say which totals can never hold, which overlap, and which clusters are not there.

    `rules`: the same as rules, in the same order.
    """
    for (_, _, absent), rule in zip(totals, rules, strict=True):
        if absent:
            names = with_nearest(absent, present)
            yield _warning(rule, workload, f"{rule.name}: {names} not in the input")
        if not rule.clusters and rule.minimum:
            yield _warning(
                rule, workload, f"{rule.name} holds {rule.minimum}, but no eligible cluster is in it"
            )
    parts = [rule for rule in rules if not rule.several]
    whole = [rule for rule in rules if rule.several]
    shared = list(_overlaps(parts, workload))
    yield from shared
    if parts and not shared:
        told = sum(rule.minimum for rule in parts)
        yield from _differs(parts[0], workload, told, "the specified replicas add up to")
    for rule in whole:
        yield from _differs(rule, workload, rule.minimum, f"{rule.name} hold")


def _overlaps(parts: Sequence[GroupTotal], workload: Workload) -> Iterator[Statement]:
    first: dict[str, GroupTotal] = {}
    for rule in parts:
        known = next((name for name in sorted(rule.clusters) if name in first), None)
        if known is not None:
            text = f"{first[known].name} and {rule.name} share {known}, so both totals count it"
            yield _warning(rule, workload, text)
        for name in rule.clusters:
            first.setdefault(name, rule)


def _differs(rule: GroupTotal, workload: Workload, told: int, words: str) -> Iterator[Statement]:
    """Say that a total is not what the workload wants; one that is scaled to 0 has none."""
    if workload.replicas not in (0, told):
        text = f"{words} {told}, but {workload.key} has {workload.replicas} replicas: this cannot be placed"
        yield Statement(KIND, f"{workload.policy}: {text}", rule.source, workload.key)


def _warning(rule: GroupTotal, workload: Workload, text: str) -> Statement:
    """Return a warning about a total, the same for all workloads of a policy."""
    return Statement(KIND, f"{workload.policy}: {text}", rule.source)
