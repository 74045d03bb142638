"""Kinds about groups of clusters, Survival and Skew: what they say of the groups of the candidates."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import comb, prod
from typing import assert_never

from fairlead.manifests.api import own
from fairlead.manifests.own.sets import Remark, named
from fairlead.manifests.validation import Located
from fairlead.manifests.yaml.documents import first_few
from fairlead.models.cluster import Cluster
from fairlead.models.errors import ManifestError, Mistake
from fairlead.models.rules import GroupedRule, Skew, Survival
from fairlead.models.rules.survival import Loss
from fairlead.models.topology import groups, groups_of, values_of

GroupedKind = own.Survival | own.Skew
KINDS = (own.Survival, own.Skew)
"""The kinds, in the order in which they add rules."""
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
    """Return what may be lost at once, unless there are too many ways to lose it.

    Raises
    ------
    ManifestError
        Where there are too many.
    """
    losses = [
        Loss(loss.field, groups(candidates, loss.field), loss.groups, groups(clusters, loss.field))
        for loss in _stated(spec)
    ]
    ways = prod(comb(len(loss.together), min(loss.count, len(loss.together))) for loss in losses)
    if ways > MOST_WAYS:
        found = ", ".join(f"{loss.count} of {groups_of(len(loss.together), loss.field)}" for loss in losses)
        message = f"are {ways} ways to lose clusters ({found}); allowed are {MOST_WAYS}"
        source = located.source("spec", "losses")
        raise ManifestError([Mistake(source, "spec.losses", "", message)])
    return losses


def _stated(spec: own.SurvivalSpec) -> tuple[own.LossSpec, ...]:
    """Return what may be lost at once, as it is stated."""
    return spec.losses if spec.field is None else (own.LossSpec(field=spec.field),)


def _left(spec: own.SurvivalSpec, replicas: int) -> int:
    """Return the replicas that have to be left; a percentage is rounded up."""
    if spec.min_replicas is not None:
        return spec.min_replicas
    return -(-replicas * (spec.min_percent or 0) // 100)


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
            text = f"{named(located)}: {first_few(found)} without {field}: counted {counted}"
            path = ("field",) if spec.field else ("losses", position, "field")
            yield Remark(text, located.source("spec", *path))
