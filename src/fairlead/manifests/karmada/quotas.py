"""From Karmada's FederatedResourceQuota objects to quotas of namespaces."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from fairlead.manifests.api import propagation as api
from fairlead.manifests.findings import Finding, below, repeated
from fairlead.manifests.karmada.requests import Amounts
from fairlead.manifests.validation import Located
from fairlead.manifests.yaml.documents import Path
from fairlead.models.cluster import CPU, PODS
from fairlead.models.problem import Problem
from fairlead.models.quantity import available_units, counts_bytes, format_quantity, requested_units
from fairlead.models.rules.quota import KIND, Quota, QuotaLimit, QuotaScope, asked
from fairlead.models.statement import Statement
from fairlead.models.words import listed, with_nearest
from fairlead.models.workload import Workload

MUST_BE_REQUESTED = (CPU, "memory")
"""Resources that every pod has to request in a namespace with a ResourceQuota on them."""

_COMPUTE = (CPU, "memory", "ephemeral-storage")
_HUGE_PAGES = "hugepages-"
_REQUESTS, _LIMITS = "requests.", "limits."
_CLAIMS = ("persistentvolumeclaims", "requests.storage")
_OBJECTS = (
    "configmaps",
    "replicationcontrollers",
    "resourcequotas",
    "secrets",
    "services",
    "services.loadbalancers",
    "services.nodeports",
)
_ALLOWED = (
    "allowed are cpu, memory, ephemeral-storage, hugepages-<size>, pods, and devices such as nvidia.com/gpu,"
    " each but pods also as requests.<resource>"
)


def resource_of(name: str) -> str | None:
    """Return which requested resource a name in a quota counts; None where it counts something else."""
    bare = name.removeprefix(_REQUESTS)
    if bare in _COMPUTE or bare.startswith(_HUGE_PAGES) or name == PODS:
        return bare
    if "/" in bare and why_ignored(name) is None:
        return bare
    return None


def why_ignored(name: str) -> str | None:
    """Say why a name that a quota may have cannot be looked at; None where it can, or is unknown."""
    if name.startswith(_LIMITS):
        return "the limits of pods are not known here, only what they request"
    if name.startswith("count/") or name in _OBJECTS:
        return "it counts objects, and replicas are not objects of their own"
    if name.endswith(_CLAIMS):
        return "it is about volume claims, which are not read"
    return None


def quota_findings(quota: api.FederatedResourceQuota, _: object) -> Iterator[Finding]:
    """List the mistakes in a quota beside its single fields; Karmada's webhook refuses the same."""
    return below("spec", _findings(quota.spec))


def _findings(spec: api.FederatedResourceQuotaSpec) -> Iterator[Finding]:
    yield from below("overall", _amounts(spec.overall))
    named = [assignment.cluster_name for assignment in spec.static_assignments]
    yield from below("staticAssignments", repeated(named, ("clusterName",)))
    sums: dict[str, Fraction] = {}
    for position, assignment in enumerate(spec.static_assignments):
        path = ("staticAssignments", position)
        yield from below((*path, "hard"), _amounts(assignment.hard))
        for name, amount in assignment.hard.items():
            sums[name] = sums.get(name, Fraction(0)) + amount
            if name not in spec.overall:
                yield Finding((*path, "hard", name), _shown(name, amount), "is not limited in spec.overall")
    for name, amount in spec.overall.items():
        if amount < sums.get(name, 0):
            told = f"must be at least what staticAssignments add up to, which is {_shown(name, sums[name])}"
            yield Finding(("overall", name), _shown(name, amount), told)


def _amounts(amounts: Amounts) -> Iterator[Finding]:
    """List names that no quota has, and parts of what is counted in whole numbers."""
    for name, amount in amounts.items():
        resource = resource_of(name)
        if resource is None and why_ignored(name) is None:
            text = f"is not a resource that a quota can limit; {_ALLOWED}"
            yield Finding((name,), _shown(name, amount), text)
        elif (resource == PODS or "/" in (resource or "")) and amount.denominator != 1:
            yield Finding((name,), _shown(name, amount), "must be a whole number")


def _shown(name: str, amount: Fraction) -> str:
    return format_quantity(amount, binary=counts_bytes(name))


LocatedQuota = Located[api.FederatedResourceQuota]


def with_quotas(problem: Problem, manifests: Sequence[LocatedQuota], left_out: Sequence[Workload]) -> Problem:
    """Return a problem with what FederatedResourceQuota objects say.

    What a namespace uses now is what the status says, and at least what the workloads of the input hold:
    where there is no status, or one that lags behind, workloads that are not placed keep what they have.

    `left_out`: workloads of the input that are not; what they hold is used.
    """
    present = frozenset(problem.cluster_by_name)
    rules = [*problem.rules]
    warnings = [*problem.warnings]
    for located in sorted(manifests, key=lambda one: one.model.place):
        rule = _quota(located, (*problem.workloads, *left_out), present)
        inside = problem.workloads_in(rule.namespace)
        warnings.extend(_without_effect(located, rule, present))
        warnings.extend(_uncounted(rule, inside))
        if not inside:
            text = f"{rule} has no effect: no workload of namespace {rule.namespace} is placed"
            warnings.append(Statement(KIND, text, rule.source))
        if rule.limits:
            rules.append(rule)
    return replace(problem, rules=tuple(rules), warnings=tuple(warnings))


def _quota(located: LocatedQuota, workloads: Sequence[Workload], present: frozenset[str]) -> Quota:
    """Return one quota with what its namespace uses now; clusters that are not there limit nothing."""
    limits: dict[QuotaScope, QuotaLimit] = {}
    for cluster, path, amounts in _declared(located):
        for name, amount in amounts.items():
            resource = resource_of(name)
            if resource is not None and (cluster is None or cluster in present):
                limit = QuotaLimit(available_units(resource, amount), 0, located.source(*path, name))
                scope = QuotaScope(resource, cluster)
                # Two names of one resource, such as cpu and requests.cpu: the smaller amount counts.
                limits[scope] = min(limits.get(scope, limit), limit, key=lambda each: each.hard)
    meta = located.model.metadata
    # The whole manifest is needed to say how its lists would have to be changed.
    source = replace(located.source(), manifest=located.document.data)
    rule = Quota(meta.name, located.model.in_namespace, limits, source)
    used = _observed(located.model.status)
    held: dict[QuotaScope, int] = {}
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


def _observed(status: api.FederatedResourceQuotaStatus) -> dict[QuotaScope, int]:
    """Return the amounts used now by scope, as the status says; of two names of one resource the larger."""
    found: dict[QuotaScope, int] = {}
    each = [(one.cluster_name, one.used) for one in status.aggregated_status]
    for cluster, amounts in ((None, status.overall_used), *each):
        for name, amount in amounts.items():
            resource = resource_of(name)
            if resource is not None:
                scope = QuotaScope(resource, cluster)
                found[scope] = max(found.get(scope, 0), requested_units(resource, amount))
    return found


def _without_effect(located: LocatedQuota, rule: Quota, present: frozenset[str]) -> Iterator[Statement]:
    """Name the resources that cannot be looked at, each once, and the clusters that are not there."""
    told: set[str] = set()
    for _, path, amounts in _declared(located):
        for name in amounts:
            why = why_ignored(name)
            if why is not None and name not in told:
                told.add(name)
                text = f"{rule}: {name} has no effect: {why}"
                yield Statement(KIND, text, located.source(*path, name))
    for cluster, path, _ in _declared(located):
        if cluster is not None and cluster not in present:
            text = f"{rule} limits {with_nearest([cluster], present)}, which is not in the input"
            yield Statement(KIND, text, located.source(*path[:-1], "clusterName"))


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
