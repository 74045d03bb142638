"""From Karmada's FederatedResourceQuota objects to quotas of namespaces."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from fairlead.manifests.api.karmada import FederatedResourceQuota, FederatedResourceQuotaStatus
from fairlead.manifests.karmada.findings import MUST_BE_REQUESTED, Amounts, resource_of, why_ignored
from fairlead.manifests.validation import Located
from fairlead.manifests.yaml.documents import Path
from fairlead.models.quantity import available_units, requested_units
from fairlead.models.rules.quota import KIND, Limit, Quota, Scope, asked
from fairlead.models.statement import Statement
from fairlead.models.words import listed, with_nearest
from fairlead.models.workload import Workload

LocatedQuota = Located[FederatedResourceQuota]


class Read(NamedTuple):
    """The quotas of a problem, and what there is to say about them."""

    rules: tuple[Quota, ...]
    warnings: tuple[Statement, ...]


def read_quotas(
    manifests: Sequence[LocatedQuota],
    workloads: Sequence[Workload],
    left_out: Sequence[Workload],
    clusters: Iterable[str],
) -> Read:
    """Turn FederatedResourceQuota objects into quotas.

    What a namespace uses now is what the status says, and at least what the workloads of the input hold:
    where there is no status, or one that lags behind, workloads that are not placed keep what they have.

    Parameters
    ----------
    manifests
        The objects, in any order.
    left_out
        Workloads of the input that are not; what they hold is used.
    """
    present = frozenset(clusters)
    rules: list[Quota] = []
    warnings: list[Statement] = []
    for located in sorted(manifests, key=lambda one: one.model.place):
        rule = _quota(located, (*workloads, *left_out), present)
        inside = [workload for workload in workloads if workload.namespace == rule.namespace]
        warnings.extend(_ignored(located, rule))
        warnings.extend(_absent(located, rule, present))
        warnings.extend(_uncounted(rule, inside))
        if not inside:
            text = f"{rule} has no effect: no workload of namespace {rule.namespace} is placed"
            warnings.append(Statement(KIND, text, rule.source))
        if rule.limits:
            rules.append(rule)
    return Read(tuple(rules), tuple(warnings))


def _quota(located: LocatedQuota, workloads: Sequence[Workload], present: frozenset[str]) -> Quota:
    """Return one quota with what its namespace uses now; clusters that are not there limit nothing."""
    limits: dict[Scope, Limit] = {}
    for cluster, path, amounts in _declared(located):
        for name, amount in amounts.items():
            resource = resource_of(name)
            if resource is not None and (cluster is None or cluster in present):
                limit = Limit(available_units(resource, amount), 0, located.source(*path, name))
                scope = Scope(resource, cluster)
                # Two names of one resource, such as cpu and requests.cpu: the smaller amount counts.
                limits[scope] = min(limits.get(scope, limit), limit, key=lambda each: each.hard)
    meta = located.model.metadata
    # The whole manifest is needed to say how its lists would have to be changed.
    source = replace(located.source(), manifest=located.document.data)
    rule = Quota(meta.name, located.model.in_namespace, limits, source)
    used = _observed(located.model.status)
    held: dict[Scope, int] = {}
    for workload in workloads:
        for scope, units in asked(rule, workload, workload.current).items():
            held[scope] = held.get(scope, 0) + units
    told = {
        scope: limit._replace(used=max(used.get(scope, 0), held.get(scope, 0)))
        for scope, limit in limits.items()
    }
    return replace(rule, limits=told)


def _declared(located: LocatedQuota) -> Iterator[tuple[str | None, Path, Amounts]]:
    """Yield the amounts for all clusters together (None) and for single ones, and where they stand."""
    spec = located.model.spec
    yield None, ("spec", "overall"), spec.overall
    for position, assignment in enumerate(spec.static_assignments):
        path = ("spec", "staticAssignments", position, "hard")
        yield assignment.cluster_name, path, assignment.hard


def _observed(status: FederatedResourceQuotaStatus) -> dict[Scope, int]:
    """Return what is used now by what the status says; of two names of one resource the larger amount."""
    found: dict[Scope, int] = {}
    each = [(one.cluster_name, one.used) for one in status.aggregated_status]
    for cluster, amounts in ((None, status.overall_used), *each):
        for name, amount in amounts.items():
            resource = resource_of(name)
            if resource is not None:
                scope = Scope(resource, cluster)
                found[scope] = max(found.get(scope, 0), requested_units(resource, amount))
    return found


def _ignored(located: LocatedQuota, rule: Quota) -> Iterator[Statement]:
    """Name what a quota limits and what is not looked at."""
    told: set[str] = set()
    for _, path, amounts in _declared(located):
        for name in amounts:
            why = why_ignored(name)
            if why is not None and name not in told:
                told.add(name)
                text = f"{rule}: {name} has no effect: {why}"
                yield Statement(KIND, text, located.source(*path, name))


def _absent(located: LocatedQuota, rule: Quota, present: frozenset[str]) -> Iterator[Statement]:
    """Name clusters that the input does not have."""
    for position, assignment in enumerate(located.model.spec.static_assignments):
        name = assignment.cluster_name
        if name not in present:
            text = f"{rule} limits {with_nearest([name], present)}, which is not in the input"
            yield Statement(KIND, text, located.source("spec", "staticAssignments", position, "clusterName"))


def _uncounted(rule: Quota, inside: Sequence[Workload]) -> Iterator[Statement]:
    """Name workloads that do not say what they need of a limited resource."""
    for resource in MUST_BE_REQUESTED:
        scopes = sorted(
            (each for each in rule.limits if each.resource == resource), key=lambda each: each.order
        )
        silent = [each.key for each in inside if each.replicas and resource not in each.requests]
        if scopes and silent:
            verb = "requests" if len(silent) == 1 else "request"
            text = f"{rule} does not count {listed(silent, 'workload')}, which {verb} no {resource}"
            if scopes[-1].cluster is not None:
                text += "; a ResourceQuota in a member cluster refuses such pods"
            yield Statement(KIND, text, rule.limits[scopes[0]].source)
