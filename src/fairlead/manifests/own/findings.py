"""Mistakes in a manifest of our own kinds beside its single fields."""

from collections.abc import Iterator, Mapping, Sequence
from typing import assert_never

from fairlead.manifests.api import own
from fairlead.manifests.api.own import OWN_KINDS, OwnKind, Profile
from fairlead.manifests.api.own_values import ClusterSet, SelectingSpec
from fairlead.manifests.extensions import Extensions, RuleManifest
from fairlead.manifests.findings import Finding, below, crossed, each, repeated
from fairlead.manifests.karmada.findings import labels_findings, selector_findings
from fairlead.manifests.own import profile
from fairlead.manifests.yaml.documents import OWN_API_VERSION, Document, group_of
from fairlead.models.errors import Mistake

_SCOPE = (
    "has no meaning here: the kinds of {} belong to no namespace;"
    " spec.workloadSelector.namespaces says whose workloads are meant"
)
SCRIPT = "Script"

_MOST_FIELDS = 10
_FIELDS = "name at least one of region, zone, provider, cluster or the key of a label"


def unknown_kind(document: Document) -> Mistake:
    """Refuse a kind of our group that does not exist; kinds of our own are never skipped."""
    known = ", ".join(OWN_KINDS)
    if document.kind in OWN_KINDS:
        message = f"is not a version of {document.kind}; allowed is {OWN_API_VERSION}"
        return document.mistake(("apiVersion",), message, document.api_version)
    message = f"is not a kind of {OWN_API_VERSION}; known are {known}"
    if document.kind == SCRIPT:
        message = "is not part of a fleet; it is played with fairlead simulate --script FILE"
    return document.mistake(("kind",), message, document.kind)


def own_findings(model: OwnKind | RuleManifest, extensions: Extensions) -> Iterator[Finding]:
    """List the mistakes in one manifest."""
    if model.metadata.namespace:
        told = _SCOPE.format(group_of(model.api_version))
        yield Finding(("metadata", "namespace"), model.metadata.namespace, told)
    spec = getattr(model, "spec", None)
    if isinstance(spec, SelectingSpec):
        yield from below(("spec", "workloadSelector"), labels_findings(spec.workload_selector))
    if not isinstance(model, RuleManifest):
        yield from below("spec", _of_kind(model, extensions))


def _of_kind(model: OwnKind, extensions: Extensions) -> Iterator[Finding]:
    match model:
        case own.GroupBounds(spec=spec):
            yield from _filled("groups", spec.groups, "name at least one set of clusters")
            yield from below("groups", each(spec.groups, _group))
        case Profile(spec=wanted):
            yield from profile.findings(wanted, extensions)
        case own.FailureRates(spec=failures):
            yield from _filled("rates", failures.rates, "name at least one field with its rate")
        case own.PriceList(spec=prices):
            yield from _prices(prices)
        case own.Survival(spec=survival):
            yield from _survival(survival)
        case own.HierarchicalWeights(spec=weights):
            yield from _hierarchy(weights)
        case own.MoveBudget(spec=budget):
            yield from _move_budget(budget)
        case own.Skew() | own.WorkloadAffinity():
            return
        case _:
            assert_never(model)


def _group(group: own.GroupBound) -> Iterator[Finding]:
    """List sets without clusters or bounds, and minima over their maxima."""
    yield from _either({"targetCluster": group.target_cluster, "groupBy": group.group_by})
    yield from _target(group.target_cluster)
    if group.min_replicas is None and group.max_replicas is None:
        message = "is missing; minReplicas, maxReplicas or both are needed"
        yield Finding(("minReplicas",), None, message, missing=True)
    yield from crossed(group.min_replicas, group.max_replicas)
    if group.name and group.group_by:
        yield Finding(
            ("name",), group.name, "cannot be combined with groupBy, whose groups have names already"
        )


def _prices(spec: own.PriceListSpec) -> Iterator[Finding]:
    """List entries without a price or with two kinds of it."""
    yield from _filled("prices", spec.prices, "name at least one price")
    if spec.currency and spec.level == "emissions":
        yield Finding(("currency",), spec.currency, "emissions are grams; leave it out")
    yield from below("prices", each(spec.prices, _price))


def _price(entry: own.PriceEntry) -> Iterator[Finding]:
    yield from _either({"pricePerReplica": entry.price_per_replica, "perResource": entry.per_resource})
    yield from _target(entry.target_cluster)


def _survival(spec: own.SurvivalSpec) -> Iterator[Finding]:
    """List the fields on losses and on survivors that are missing or said twice."""
    yield from _either({"field": spec.field, "losses": spec.losses or None})
    message = "is listed twice; groups says how many are lost at once"
    yield from below("losses", repeated([loss.field for loss in spec.losses], ("field",), message))
    yield from _either({"minReplicas": spec.min_replicas, "minPercent": spec.min_percent})


def _hierarchy(spec: own.HierarchicalWeightsSpec) -> Iterator[Finding]:
    """List fields that cannot nest, and groups deeper than there are fields."""
    yield from _filled("by", spec.by, _FIELDS)
    yield from below("by", repeated(spec.by))
    for position, field in enumerate(spec.by):
        if field == "cluster" and position + 1 < len(spec.by):
            yield Finding(("by", position), field, "must be the last one: nothing lies inside a cluster")
    if len(spec.by) > _MOST_FIELDS:
        yield Finding(("by",), list(spec.by), f"must have at most {_MOST_FIELDS} fields")
    depth = len(spec.by) + ("cluster" not in spec.by)
    yield from below("weights", _branches(spec.weights, depth))


def _branches(branches: Mapping[str, own.Branch], depth: int) -> Iterator[Finding]:
    """List branches with something inside where there is no further field, or where no share is divided."""
    weighed = any(branch.weight is not None for branch in branches.values())
    for name, branch in branches.items():
        if branch.inside and branch.weight is None and weighed:
            message = "is missing, while others beside it have one; write the weight (0 excludes the group)"
            yield Finding((name, "weight"), None, message)
        if branch.inside and depth <= 1:
            message = "lies deeper than spec.by has fields; nothing is inside a cluster"
            yield Finding((name, "inside"), dict(branch.inside), message)
        else:
            yield from below((name, "inside"), _branches(branch.inside, depth - 1))


def _move_budget(spec: own.MoveBudgetSpec) -> Iterator[Finding]:
    """Refuse a budget that limits nothing, and wrong expressions of sets of clusters."""
    given = (spec.total, spec.per_workload, spec.per_namespace)
    if all(amount is None for amount in given) and not spec.leaving and not spec.arriving:
        message = "is missing; total, perWorkload, perNamespace, leaving or arriving is needed"
        yield Finding(("total",), None, message, missing=True)
    for name, entries in (("leaving", spec.leaving), ("arriving", spec.arriving)):
        yield from below(name, each([entry.target_cluster for entry in entries], _target))


def _target(target: ClusterSet | None) -> Iterator[Finding]:
    if target is not None:
        yield from below("targetCluster", selector_findings(target))


def _filled(name: str, items: Sequence[object], advice: str) -> Iterator[Finding]:
    if not items:
        yield Finding((name,), None, f"must not be empty; {advice}")


def _either(fields: Mapping[str, object]) -> Iterator[Finding]:
    """Refuse none and both of two fields."""
    first, second = fields
    given = [name for name, value in fields.items() if value is not None]
    if not given:
        yield Finding((first,), None, f"is missing; {first} or {second} is needed", missing=True)
    elif len(given) > 1:
        yield Finding((second,), None, f"cannot be combined with {first}; use one of the two")
