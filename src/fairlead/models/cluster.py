"""Member clusters: where they stand, what they refuse and what they can still take."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from fairlead.models.source import NOWHERE, Source
from fairlead.models.words import amounts, called

PODS = "pods"
CPU = "cpu"


@dataclass(frozen=True, slots=True, order=True)
class Taint:
    """A mark on a cluster that repels workloads which do not tolerate it.

    Parameters
    ----------
    key, value
        Name and value of the taint; the value may be empty.
    effect
        ``NoSchedule``, ``NoExecute`` or ``PreferNoSchedule``.
    """

    key: str
    value: str
    effect: str

    def __str__(self) -> str:
        return f"{{{self.key}: {self.value}}}" if self.value else f"{{{self.key}}}"

    @property
    def spelled(self) -> str:
        """The taint as kubectl writes it: ``gpu=true:NoSchedule``."""
        mark = f"{self.key}={self.value}" if self.value else self.key
        return f"{mark}:{self.effect}"


@dataclass(frozen=True, slots=True)
class Toleration:
    """Which taints a workload tolerates, as Kubernetes defines it.

    Parameters
    ----------
    key
        Key of the tolerated taints; empty means every key.
    operator
        ``Equal`` (also when empty) or ``Exists``.
    value
        Value compared under ``Equal``.
    effect
        Effect of the tolerated taints; empty means every effect.
    """

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""

    def tolerates(self, taint: Taint) -> bool:
        """Tell whether this toleration matches a taint."""
        if self.effect and self.effect != taint.effect:
            return False
        if self.key and self.key != taint.key:
            return False
        if self.operator == "Exists":
            return True
        return self.operator in ("", "Equal") and self.value == taint.value


@dataclass(frozen=True, slots=True)
class Grade:
    """Nodes of a cluster that are free to the same degree (one of Karmada's resource models)."""

    nodes: int
    offers: Mapping[str, int] = field(default_factory=dict)
    """The least that every one of them has free by resource, in the units of `Cluster.free`."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A member cluster.

    Parameters
    ----------
    name
        Unique name.
    provider, region
        Where it runs; None where it does not say.
    zones
        Every zone it lies in; empty where it does not say.
    labels
        Labels of the cluster object.
    taints
        Taints of the cluster.
    implied_taints
        Taints that its conditions amount to although it does not carry them; they keep new replicas away as
        taints do, but the real schedulers do not see them.
    allocatable
        What its nodes offer by resource: cpu in millicores, everything else in whole units (bytes, pods,
        devices). None means that the capacity is unknown.
    free
        What is still free by resource, in the units of `allocatable`; negative where the cluster is
        overcommitted. None means that the capacity is unknown, which is no limit.
    grades
        Its free nodes by grade, the lowest grade first; empty where it does not say.
    deleting
        True where the cluster is being removed.
    joined, ready
        False where the cluster says that it is no member yet, or cannot be reached (KubeAdmiral's
        conditions); True where it says nothing of that kind.
    api_kinds
        ``(apiVersion, kind)`` pairs that the cluster serves; None where it does not say.
    source
        Where it was declared.
    """

    name: str
    provider: str | None = None
    region: str | None = None
    zones: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    implied_taints: tuple[Taint, ...] = ()
    allocatable: Mapping[str, int] | None = None
    free: Mapping[str, int] | None = None
    grades: tuple[Grade, ...] = ()
    deleting: bool = False
    joined: bool = True
    ready: bool = True
    api_kinds: frozenset[tuple[str, str]] | None = None
    source: Source = NOWHERE

    def __repr__(self) -> str:
        return called(
            "Cluster",
            self.name,
            provider=self.provider,
            region=self.region,
            zones=self.zones,
            labels=self.labels or None,
            taints=tuple(map(str, (*self.taints, *self.implied_taints))),
            allocatable=amounts(self.allocatable),
            free=amounts(self.free),
            deleting=self.deleting,
        )
