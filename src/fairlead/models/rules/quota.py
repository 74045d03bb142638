"""Quota: the most that the workloads of a namespace may request together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from fairlead.models.data import ProblemData, WorkloadData
from fairlead.models.mistaken import FREE, Faults, FleetClusters, PlainRepr, is_whole, strangers
from fairlead.models.placement import Placement
from fairlead.models.quantity import format_alike, format_units
from fairlead.models.rules.capacity import More, amount_of, describe_needs, needs
from fairlead.models.rules.duplicated import Duplicated
from fairlead.models.source import Source
from fairlead.models.statement import Statement, Violation

KIND = "quota"


class QuotaScope(NamedTuple):
    """Resource that one number of a quota limits, and where."""

    resource: str
    """A resource as workloads request it, such as ``cpu`` or ``nvidia.com/gpu``; ``pods`` counts replicas."""
    cluster: str | None = None
    """The cluster where it counts; None for all clusters together."""

    @property
    def order(self) -> tuple[str, str]:
        """Where it stands in a list: all clusters together first, then by name of cluster and resource."""
        return self.cluster or "", self.resource


class QuotaLimit(NamedTuple):
    """One number of a quota."""

    hard: int
    """The most that may be requested: millicores of cpu, whole units of anything else."""
    used: int = 0
    """Amount requested in the namespace now, by the workloads of the problem and by others; what goes beyond
    the former is taken by others and stays taken. 0 where nobody says."""
    source: Source | None = None
    """Where the rule was declared; None where it was not."""


@dataclass(frozen=True, slots=True, repr=False)
class Quota(PlainRepr):
    """The workloads of a namespace request at most so much together.

    For every limited resource, ``request x replicas`` adds up over all workloads of the namespace: over all
    clusters, or on the cluster that the limit is about. A replica without a request for the resource takes
    nothing of it; each replica is one pod.

    What others use counts first: what the namespace uses now, minus what the workloads of the problem hold
    now (also on clusters that the problem does not have, as that is given back), at least 0. Where others
    have more than all of it, the workloads are asked for nothing, not for less than nothing.
    """

    name: str
    """Name of the quota."""
    namespace: str
    """Namespace that it limits."""
    limits: Mapping[QuotaScope, QuotaLimit]
    """Limit by resource and cluster; a scope that is absent has no limit."""
    source: Source | None = None
    """Where the rule was declared; None where it was not."""

    def __str__(self) -> str:
        return f"quota {self.namespace}/{self.name}"

    def mistakes(self, known: FleetClusters, keys: frozenset[str]) -> Faults:
        """Yield clusters that the problem does not have, and what are no whole numbers."""
        del keys
        about = f"Quota {self.name}: limits"
        yield from strangers(about, [scope.cluster for scope in self.limits if scope.cluster], known)
        for scope, limit in self.limits.items():
            if not is_whole(limit.hard) or not is_whole(limit.used):
                yield f"{about}[{scope.resource}]", limit.hard, FREE

    def tied(self, problem: ProblemData) -> tuple[str, ...]:
        """Return the keys of the workloads that it ties together."""
        return tuple(each.key for each in problem.workloads_in(self.namespace))

    def violations(self, problem: ProblemData, placement: Placement) -> Iterator[Violation]:
        """List the amounts requested beyond the quota."""
        used = used_by(self, problem, placement)
        may = allowed(self, problem)
        for scope in sorted(used, key=lambda each: each.order):
            over = used[scope] - may[scope]
            if over > 0:
                wanted, given = format_alike(scope.resource, used[scope], may[scope])
                where = f" on {scope.cluster}" if scope.cluster else ""
                text = f"{self}: {wanted} {scope.resource} requested{where}, {given} left by the quota"
                source = self.limits[scope].source or self.source
                yield Violation(KIND, text, over, source, None, scope.cluster, detail(self, scope))


@dataclass(frozen=True, slots=True, repr=False)
class Allowance(PlainRepr):
    """Amounts that a quota still allows."""

    rule: Quota
    left: Mapping[QuotaScope, int]
    """Amount by scope, in the units of `QuotaLimit.hard`; negative where more is requested than it allows."""

    def fits(self, workload: WorkloadData, placed: Mapping[str, int]) -> bool:
        """Tell whether what is left suffices for replicas of a workload."""
        wanted = asked(self.rule, workload, placed)
        return all(amount <= self.left[scope] for scope, amount in wanted.items())

    def taking(self, workload: WorkloadData, placed: Mapping[str, int]) -> Allowance:
        """Return the allowance once replicas of a workload have come."""
        return self._changed(asked(self.rule, workload, placed), -1)

    def giving_back(self, workload: WorkloadData, placed: Mapping[str, int]) -> Allowance:
        """Return the allowance once replicas of a workload have gone."""
        return self._changed(asked(self.rule, workload, placed), 1)

    def _changed(self, amounts: Mapping[QuotaScope, int], sign: int) -> Allowance:
        if not amounts:
            return self
        left = {scope: amount + sign * amounts.get(scope, 0) for scope, amount in self.left.items()}
        return Allowance(self.rule, left)


def asked(rule: Quota, workload: WorkloadData, placed: Mapping[str, int]) -> dict[QuotaScope, int]:
    """Return the amounts that replicas of a workload request of a quota, by scope; others are absent.

    `workload`: any workload; one of another namespace asks for nothing.
    """
    if workload.namespace != rule.namespace:
        return {}
    found: dict[QuotaScope, int] = {}
    for resource, need in needs(workload).items():
        everywhere = need * sum(placed.values())
        if everywhere and QuotaScope(resource) in rule.limits:
            found[QuotaScope(resource)] = everywhere
        for cluster, replicas in placed.items():
            if replicas and QuotaScope(resource, cluster) in rule.limits:
                found[QuotaScope(resource, cluster)] = need * replicas
    return found


def askers(rule: Quota, resource: str, problem: ProblemData) -> tuple[WorkloadData, ...]:
    """Return the workloads that ask a quota for a resource; those that are scaled to 0 do not."""
    inside = problem.workloads_in(rule.namespace)
    return tuple(each for each in inside if each.replicas and resource in needs(each))


def allowed(rule: Quota, problem: ProblemData) -> dict[QuotaScope, int]:
    """Return the most that the workloads of a problem may request together, by scope.

    The hard limit without what others use, at least 0; in the units of `QuotaLimit.hard`.
    """
    taken = taken_by_others(rule, problem)
    return {scope: max(0, limit.hard - taken[scope]) for scope, limit in rule.limits.items()}


def taken_by_others(rule: Quota, problem: ProblemData) -> dict[QuotaScope, int]:
    """Return the amounts used in the namespace beside those that the workloads of a problem hold now."""
    held = used_by(rule, problem, {workload.key: workload.current for workload in problem.workloads})
    return {scope: max(0, limit.used - held.get(scope, 0)) for scope, limit in rule.limits.items()}


def allowances(problem: ProblemData) -> tuple[Allowance, ...]:
    """Return the allowance of every quota of a problem before anything is placed."""
    return tuple(Allowance(rule, allowed(rule, problem)) for rule in problem.rules if isinstance(rule, Quota))


def recounted(rule: Quota, problem: ProblemData, placement: Mapping[str, Mapping[str, int]]) -> Quota:
    """Return a quota of which so much is used as a placement asks for, and as others use beside them."""
    held = used_by(rule, problem, placement)
    taken = taken_by_others(rule, problem).items()
    limits = {scope: rule.limits[scope]._replace(used=more + held.get(scope, 0)) for scope, more in taken}
    return replace(rule, limits=limits)


def used_by(
    rule: Quota, problem: ProblemData, placement: Mapping[str, Mapping[str, int]]
) -> dict[QuotaScope, int]:
    """Return the amounts that all workloads request of a quota where they are placed, by scope."""
    sums: dict[QuotaScope, int] = {}
    for workload in problem.workloads_in(rule.namespace):
        for scope, amount in asked(rule, workload, placement.get(workload.key, {})).items():
            sums[scope] = sums.get(scope, 0) + amount
    return sums


def left(rule: Quota, problem: ProblemData, placement: Placement) -> dict[QuotaScope, int]:
    """Return the amounts that a placement leaves of a quota, by scope; negative where it is exceeded."""
    used = used_by(rule, problem, placement)
    return {scope: amount - used.get(scope, 0) for scope, amount in allowed(rule, problem).items()}


def left_of(quotas: Iterable[Allowance], problem: ProblemData, placement: Placement) -> tuple[Allowance, ...]:
    """Return the allowance that all workloads leave of some quotas; negative where it is exceeded."""
    return tuple(Allowance(each.rule, left(each.rule, problem, placement)) for each in quotas)


def detail(rule: Quota, scope: QuotaScope) -> str:
    """Return the name of one limit of a quota, to tell its violation from others on the same cluster."""
    return f"{rule} {scope.resource}"


def describe(rule: Quota, scope: QuotaScope, problem: ProblemData, called: str | None = None) -> Statement:
    """Say in the user's words what a quota allows of one resource, and what its workloads ask for.

    `called`: what its cluster is called; None names it.
    """
    limit = rule.limits[scope]
    resource, cluster = scope
    where = f"on {called or cluster}" if cluster else "in all clusters together"
    text = f"{rule} allows {amount_of(resource, limit.hard)} {where}"
    taken = taken_by_others(rule, problem)[scope]
    if taken:
        text += f", of which others use {format_units(resource, taken)}"
    asking = {each.key: needs(each)[resource] for each in askers(rule, resource, problem)}
    if asking:
        text += f"; {describe_needs(asking, resource)}"
    return Statement(KIND, text, limit.source or rule.source, None, cluster)


def counted_in(workload: WorkloadData, quotas: Iterable[Allowance]) -> frozenset[str]:
    """Return the limits that count a workload, as violations tell them apart (`Violation.detail`)."""
    needed = needs(workload)
    return frozenset(
        detail(allowance.rule, scope)
        for allowance in quotas
        if allowance.rule.namespace == workload.namespace
        for scope in allowance.left
        if scope.resource in needed
    )


def more_within(workload: WorkloadData, cluster: str, quotas: Iterable[Allowance]) -> More | None:
    """Return how many more replicas quotas leave room for on a cluster; None where none counts them."""
    needed = needs(workload)
    found = [
        More(max(0, left) // needed[scope.resource], scope.resource, max(0, left), needed[scope.resource])
        for allowance in quotas
        if allowance.rule.namespace == workload.namespace
        for scope, left in allowance.left.items()
        if scope.cluster in (None, cluster) and scope.resource in needed
    ]
    return min(found, default=None)


def shortage(
    workload: WorkloadData, cluster: str, replicas: int, quotas: Iterable[Allowance]
) -> Statement | None:
    """Say which quota leaves too little for so many more replicas on a cluster; None where none does.

    What is left in all clusters together counts for copies only: replicas with a total stand somewhere.
    """
    places = (cluster,) if workload.rule(Duplicated) is None else (None, cluster)
    needed = needs(workload)
    for allowance in quotas:
        if allowance.rule.namespace != workload.namespace:
            continue
        for scope in sorted(allowance.left, key=lambda each: each.order):
            need, left = needed.get(scope.resource, 0), max(0, allowance.left[scope])
            if scope.cluster in places and left < need * replicas:
                rest, each = amount_of(scope.resource, left), format_units(scope.resource, need)
                whose = f"the quota of namespace {workload.namespace}"
                source = allowance.rule.limits[scope].source or allowance.rule.source
                return Statement(KIND, f"{whose} leaves {rest}, {each} per replica", source)
    return None
