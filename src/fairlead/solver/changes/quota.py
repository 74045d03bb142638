"""Changes of quotas: which number is meant, and what it takes to raise it in the manifest."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from fairlead.models.errors import InternalError
from fairlead.models.problem import Problem
from fairlead.models.quantity import available_units, format_units
from fairlead.models.rules import Quota
from fairlead.models.rules.quota import QuotaScope
from fairlead.models.statement import Change, Detail, QuotaEntry, detail_text
from fairlead.models.variants import exchanged
from fairlead.solver.changes.edits import Edit
from fairlead.solver.changes.kinds import ChangeKind, order


class QuotaNumber(NamedTuple):
    """One number of a quota."""

    rule: Quota
    scope: QuotaScope


def detail_of(rule: Quota, resource: str) -> QuotaEntry:
    """Return the name of a resource of a quota in a change."""
    return QuotaEntry(rule.namespace, rule.name, resource)


def number_of(detail: Detail, cluster: str | None, problem: Problem) -> QuotaNumber:
    """Return the number of a quota that a change is about.

    Raises `InternalError` where the problem has no such quota.
    """
    for rule in (each for each in problem.rules if isinstance(each, Quota)):
        for scope in rule.limits:
            if detail_of(rule, scope.resource) == detail and scope.cluster == cluster:
                return QuotaNumber(rule, scope)
    raise InternalError(f"a change is about the quota {detail_text(detail)}, which the problem does not have")


def raised(problem: Problem, change: Change) -> Problem:
    """Return a problem in which one number of a quota was changed."""
    rule, scope = number_of(change.detail, change.cluster, problem)
    limit = rule.limits[scope]._replace(hard=change.after)
    changed = replace(rule, limits={**rule.limits, scope: limit})
    return replace(problem, rules=exchanged(problem.rules, rule, changed))


def followed(changes: tuple[Change, ...], problem: Problem) -> tuple[Change, ...]:
    """Return changes with those that a quota needs beside them.

    Karmada refuses a quota whose clusters are assigned more together than it allows in all. Where raising
    what a cluster is assigned would lead there, the number for all clusters follows. That costs nothing, as
    it lets nobody request more.
    """
    asked = {
        (each.detail, each.cluster): each for each in changes if each.kind == ChangeKind.QUOTA and each.amount
    }
    for detail in sorted({detail for detail, cluster in asked if cluster is not None}, key=detail_text):
        rule, (resource, _) = next(
            number_of(detail, cluster, problem) for name, cluster in asked if name == detail
        )
        overall = rule.limits.get(QuotaScope(resource))
        if overall is None:
            continue
        assigned = {
            scope.cluster: limit.hard
            for scope, limit in rule.limits.items()
            if scope.resource == resource and scope.cluster is not None
        }
        after = {
            name: asked[detail, name].after if (detail, name) in asked else assigned[name]
            for name in assigned
        }
        known = asked.get((detail, None))
        allowed = known.after if known else overall.hard
        if sum(assigned.values()) <= overall.hard and sum(after.values()) > allowed:
            whole = sum(after.values())
            asked[detail, None] = (
                replace(known, after=whole)
                if known
                else Change(ChangeKind.QUOTA, None, None, detail, overall.hard, whole, 0, overall.source)
            )
    others = [each for each in changes if each.kind != ChangeKind.QUOTA]
    return tuple(sorted((*others, *asked.values()), key=order))


def entries(change: Change, data: Mapping[str, Any], problem: Problem) -> Iterator[Edit]:
    """Yield the edits of a FederatedResourceQuota by a change.

    `data`: the object as it was written, or as `skeleton` returns it.
    """
    resource = number_of(change.detail, change.cluster, problem).scope.resource
    spec = data["spec"]
    if change.cluster is None:
        yield from _amounts(("spec", "overall"), spec.get("overall") or {}, resource, change.after)
        return
    for at, assignment in enumerate(spec.get("staticAssignments") or ()):
        if assignment.get("clusterName") == change.cluster:
            base = ("spec", "staticAssignments", at, "hard")
            yield from _amounts(base, assignment.get("hard") or {}, resource, change.after)


def _amounts(
    base: tuple[str | int, ...], amounts: Mapping[str, Any], resource: str, units: int
) -> Iterator[Edit]:
    """Yield every name of a resource under which there is less, such as ``cpu`` and ``requests.cpu``."""
    from fairlead.manifests.karmada.quotas import resource_of

    for name, amount in amounts.items():
        if resource_of(name) == resource and available_units(resource, str(amount)) < units:
            yield Edit((*base, name), format_units(resource, units))


def skeleton(rule: Quota) -> dict[str, Any]:
    """Return a quota as a manifest: as it was read, or with the numbers that the rule has."""
    manifest = rule.source.manifest if rule.source else None
    if manifest is not None:
        return dict(manifest)
    spec: dict[str, Any] = {"overall": dict(_shown(rule, None))}
    names = sorted({scope.cluster for scope in rule.limits if scope.cluster is not None})
    if names:
        spec["staticAssignments"] = [
            {"clusterName": name, "hard": dict(_shown(rule, name))} for name in names
        ]
    return {"spec": spec}


def _shown(rule: Quota, cluster: str | None) -> Iterable[tuple[str, str]]:
    """Yield the amounts of a quota on a cluster, or on all together."""
    for scope in sorted(rule.limits, key=lambda each: each.order):
        if scope.cluster == cluster:
            yield scope.resource, format_units(scope.resource, rule.limits[scope].hard)
