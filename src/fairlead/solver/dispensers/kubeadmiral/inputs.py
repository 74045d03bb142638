"""Inputs of KubeAdmiral's scheduler without the API server, and numbers as the Go program has them.

The Go names are kept where they are the field's own words. Nothing here depends on fairlead's problem.
Integers have 64 bits and wrap.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType

from fairlead.manifests.kubeadmiral.reading import JsonMapping, entries, section
from fairlead.manifests.kubeadmiral.stated import Feedback, StatedPolicy
from fairlead.models.quantity import parse_quantity

MAXIMUM = 2**63 - 1
"""Largest 64-bit integer; stands for "no limit"."""

MINIMUM = -(2**63)
"""Smallest 64-bit integer, and what amd64 makes of a NaN that is turned into an integer."""

_FNV_OFFSET = 2166136261
_FNV_PRIME = 16777619


def wrap(number: int) -> int:
    """Return a number in 64 bits, as Go's integer arithmetic leaves it."""
    if MINIMUM <= number <= MAXIMUM:
        return number
    return (number + 2**63) % 2**64 - 2**63


def divide(numerator: int, denominator: int) -> int:
    """Return the quotient cut towards zero, as Go divides integers (Python rounds down)."""
    quotient = abs(numerator) // abs(denominator)
    return quotient if (numerator < 0) == (denominator < 0) else -quotient


def half_away(number: float) -> int:
    """Return a float rounded to the nearest integer, halves away from zero, as Go's ``math.Round``.

    A NaN becomes `MINIMUM`, as on amd64. (On arm64 it becomes 0; nothing is placed by weight either way.)
    """
    if math.isnan(number):
        return MINIMUM
    whole = math.trunc(number)
    if abs(number - whole) >= 0.5:
        whole += 1 if number > 0 else -1
    return whole


def whole_units(quantity: Fraction) -> int:
    """Return a quantity in whole units, parts rounded away from zero: 100m of cpu count as 1 core."""
    return math.ceil(quantity) if quantity > 0 else math.floor(quantity)


def fnv1(text: str) -> int:
    """Return the 32-bit FNV-1 hash (multiply first, then xor; not FNV-1a) of a text in UTF-8."""
    value = _FNV_OFFSET
    for byte in text.encode():
        value = (value * _FNV_PRIME & 0xFFFFFFFF) ^ byte
    return value


GPU = "nvidia.com/gpu"
CPU = "cpu"
MEMORY = "memory"


@dataclass(frozen=True, slots=True)
class PlannerPreferences:
    """Numbers that a policy states for one cluster."""

    weight: int = 0
    """Share of what the minima leave; Binpack ignores it."""
    minimum: int = 0
    maximum: int | None = None
    """Most replicas; None means no limit."""


@dataclass(frozen=True, slots=True)
class PlannerInput:
    """One division of replicas, as the two planners are asked for it."""

    preferences: Mapping[str, PlannerPreferences]
    """Preferences by cluster; ``*`` stands for every cluster that has none of its own (Spread only)."""
    total: int
    available: tuple[str, ...]
    """Clusters that may hold replicas; their order matters to Binpack only."""
    current: Mapping[str, int] = field(default_factory=dict)
    """Replicas by cluster now."""
    estimated: Mapping[str, int] = field(default_factory=dict)
    """Replicas that a cluster can run, as auto migration has found out; only for overloaded clusters."""
    limited: Mapping[str, int] = field(default_factory=dict)
    """Most replicas of a cluster by custom migration."""
    scheduled: Mapping[str, int] = field(default_factory=dict)
    """Replicas whose pods found a node (Binpack only)."""
    key: str = ""
    """Breaks ties of equal weight: ``namespace/name`` of the workload (Spread only)."""
    avoid_disruption: bool = False
    """Whether running replicas stay where they are."""
    keep_unschedulable: bool = False
    """Whether replicas beyond the estimated capacity stay requested."""


@dataclass(frozen=True, slots=True)
class PlannerResult:
    """The answer of a planner."""

    plan: Mapping[str, int]
    """Replicas by cluster that are expected to run."""
    overflow: Mapping[str, int] = field(default_factory=dict)
    """Replicas by cluster that are requested beyond the plan although they cannot run now."""


@dataclass(frozen=True, slots=True)
class SchedulingUnit:
    """One object to schedule."""

    namespace: str
    name: str
    """Namespace and name of the object; the namespace is empty for a cluster-scoped object."""
    api: tuple[str, str]
    policy: StatedPolicy
    replicas: int | None = None
    """Replicas of the template; None where the template has no such field."""
    replicas_path: str = "spec.replicas"
    """Dotted path of the replicas in objects of this kind; empty where they have none, and Divide becomes
    Duplicate."""
    current: Mapping[str, int | None] = field(default_factory=dict)
    """Clusters that hold the object with their replicas; None means the template's number (duplicated)."""
    gpus: int | None = None
    """GPUs that one pod requests, the only request that the scheduler reads; None where it requests none."""
    feedback: Feedback = field(default_factory=Feedback)

    @property
    def key(self) -> str:
        """Key that breaks ties of equal weight: ``namespace/name``, or the name alone."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    @property
    def divides(self) -> bool:
        """Whether the replicas are divided; otherwise every cluster gets the template as it is."""
        return self.policy.divide and bool(self.replicas_path)


POD_SPECS: Mapping[tuple[str, str], tuple[str, ...]] = MappingProxyType(
    {
        ("", "Pod"): ("spec",),
        ("apps", "Deployment"): ("spec", "template", "spec"),
        ("apps", "StatefulSet"): ("spec", "template", "spec"),
        ("apps", "DaemonSet"): ("spec", "template", "spec"),
        ("batch", "Job"): ("spec", "template", "spec"),
        ("batch", "CronJob"): ("spec", "jobTemplate", "spec", "template", "spec"),
    }
)
"""Where the pod stands in the kinds that KubeAdmiral knows, by group and kind."""


def read_gpus(template: JsonMapping, api: tuple[str, str]) -> int | None:
    """Return the GPUs that a pod requests: the containers' sum or the largest init container, plus overhead.

    None where the pod requests none, or where KubeAdmiral does not know the pod of this apiVersion and
    kind. A request of 0 counts as a request, except in an init container.
    """
    path = POD_SPECS.get((api[0].rpartition("/")[0], api[1]))
    pod = section(template, *path) if path else {}
    requests = list(_gpu_requests(entries(pod, "containers")))
    gpus = sum(requests) if requests else None
    largest = max(_gpu_requests(entries(pod, "initContainers")), default=0)
    if largest > (gpus or 0):
        gpus = largest
    overhead = section(pod, "overhead").get(GPU)
    if overhead is not None:
        gpus = (gpus or 0) + whole_units(parse_quantity(overhead))
    return gpus


def _gpu_requests(containers: Sequence[JsonMapping]) -> Iterator[int]:
    for container in containers:
        quantity = section(container, "resources", "requests").get(GPU)
        if quantity is not None:
            yield whole_units(parse_quantity(quantity))
