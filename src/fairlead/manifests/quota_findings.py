"""What the names in a quota stand for, and what is wrong in a quota beside its single fields."""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from fairlead.manifests.api.quotas import FederatedResourceQuotaSpec
from fairlead.manifests.webhook import Finding, below
from fairlead.models.cluster import CPU, PODS
from fairlead.models.quantity import counts_bytes, format_quantity

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

Amounts = Mapping[str, Fraction]


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


def quota_findings(spec: FederatedResourceQuotaSpec) -> Iterator[Finding]:
    """List what is wrong in a quota beside its single fields; Karmada's webhook refuses the same."""
    yield from below("overall", _amounts(spec.overall))
    seen: set[str] = set()
    sums: dict[str, Fraction] = {}
    for position, assignment in enumerate(spec.static_assignments):
        path = ("staticAssignments", position)
        if assignment.cluster_name in seen:
            yield Finding((*path, "clusterName"), assignment.cluster_name, "stands in the list a second time")
        seen.add(assignment.cluster_name)
        for finding in _amounts(assignment.hard):
            yield finding.within(*path, "hard")
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
            yield Finding((name,), _shown(name, amount), f"is no resource that a quota can limit; {_ALLOWED}")
        elif (resource == PODS or "/" in (resource or "")) and amount.denominator != 1:
            yield Finding((name,), _shown(name, amount), "must be a whole number")


def _shown(name: str, amount: Fraction) -> str:
    """Return an amount as people write it."""
    return format_quantity(amount, binary=counts_bytes(name))
