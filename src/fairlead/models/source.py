"""Where something stands in a manifest, and what the manifests of a workload say to its own scheduler.

The rules of a workload are what fairlead makes of the manifests; the dispensers that stand in for the real
schedulers read the same manifests their own way, faults included, and need them as they were written.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple


class ObjectName(NamedTuple):
    """Identity of a Kubernetes object, as its manifest spells it."""

    api_version: str
    kind: str
    name: str
    """Name of the object."""
    namespace: str = ""
    """Empty where the manifest states none."""


@dataclass(frozen=True, order=True)
class Source:
    """File and line of a value; the line may be looked for when it is first asked for (`late`)."""

    file: str
    """Path as the user gave it, ``-`` for standard input, ``<dict>`` for a parsed document."""
    line: int
    """Line number from 1; 0 where there is none (parsed documents)."""
    kind: str = field(default="", compare=False, repr=False)
    """Kind of the manifest; empty where it is not known. Left out of comparisons, like all that follows."""
    path: tuple[str | int, ...] = field(default=(), compare=False, repr=False)
    """Keys and list positions that lead to the value inside the manifest."""
    manifest: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)
    """The manifest, where it is one of fairlead's own kinds or a quota, or where annotations of it say how
    many replicas run where; else None. Do not change it."""
    holder: ObjectName | None = field(default=None, compare=False, repr=False)
    """The object that the value is written in; None where it was not read from a manifest."""

    @property
    def annotation(self) -> str:
        """Name of the annotation that holds the value; empty where it does not stand in one."""
        return str(self.path[-1]) if self.path[-2:-1] == ("annotations",) else ""

    @classmethod
    def late(
        cls,
        file: str,
        line: Callable[[], int],
        kind: str,
        path: tuple[str | int, ...],
        manifest: Mapping[str, Any] | None,
        holder: ObjectName | None,
    ) -> "Source":
        """Return a source whose line is looked for by a function, once, when somebody asks for it."""
        source = cls.__new__(cls)
        source.__dict__.update(
            file=file, kind=kind, path=path, manifest=manifest, holder=holder, _find_line=line
        )
        return source

    @property
    def as_declared(self) -> bool:
        """Whether it holds what is declared, as far as types tell; a line that is found later is a number."""
        line = vars(self).get("line", 0)
        return type(line) is int and isinstance(self.file, str) and isinstance(self.kind, str)

    if not TYPE_CHECKING:  # for type checkers the line is there from the beginning

        def __getattr__(self, name: str) -> Any:
            if name != "line" or "_find_line" not in self.__dict__:
                raise AttributeError(name)
            line = self.__dict__["line"] = self.__dict__["_find_line"]()
            self.__dict__.pop("_find_line", None)
            return line

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


NOWHERE = Source("<dict>", 0)
"""Stands for objects that were made in Python, not read."""


@dataclass(frozen=True, slots=True)
class KarmadaBinding:
    """Inputs of Karmada's scheduler about a workload, beside what `Workload` has already."""

    placement: Mapping[str, Any]
    """The ``placement`` of policy or binding under the API's own field names; do not change it."""
    read: Any = field(default=None, compare=False, repr=False, kw_only=True)
    """The placement as it was read, a `fairlead.manifests.api.policies.Placement`. Left out of
    comparisons."""
    defaulting: bool = False
    """True where the defaults of Karmada's webhook have still to be applied: the placement is that of a
    policy. The copy in a binding has passed the webhook before."""
    previous: tuple[tuple[str, int], ...] = ()
    """``spec.clusters`` of the binding in its order, with clusters that hold no replicas."""
    evicting: frozenset[str] = frozenset()
    """Clusters named in ``spec.gracefulEvictionTasks``."""
    requests: Mapping[str, Fraction] | None = None
    """Request per replica by resource in cores, bytes and devices, exactly; None where the binding has no
    ``replicaRequirements``."""
    uid: str = ""
    """UID of the workload; empty where it is not known."""
    source: Source | None = None
    """Where the placement stands: in a policy, or in the binding; None where that is not known."""
    name: str = ""
    """Name of the binding; empty where the input has none."""
    components: tuple[tuple[str, int], ...] = ()
    """Names and pods of the components in one set, in their order; empty where the binding names none. More
    than one of them make a set, which counts as one replica."""
    rescaled: frozenset[str] = frozenset()
    """Clusters of ``spec.clusters`` whose set runs with other numbers of pods than `components` wants."""
    resource_version: str = ""
    """``metadata.resourceVersion`` of the binding; empty where the input does not tell."""
    applied: Mapping[str, Any] | None = None
    """The placement by which the answer stands, as a scheduler notes it in the annotation
    ``policy.karmada.io/applied-placement``: the binding's own copy where that says the same, else that of the
    policy. None where neither has one. Do not change it."""
    ahead: bool = False
    """True where the policy says something else than the binding's own copy: it has still to be applied."""
    up_to_date: bool = False
    """True where Karmada's scheduler divided the replicas last by the placement that counts now."""

    @property
    def in_sets(self) -> bool:
        """Whether a replica is a set of several components."""
        return len(self.components) > 1


OVERRIDES = "kubeadmiral.io/override-policy-name"
CLUSTER_OVERRIDES = "kubeadmiral.io/cluster-override-policy-name"
"""Labels by which a workload of KubeAdmiral names its override policies."""


@dataclass(frozen=True, slots=True)
class FederatedUnit:
    """Inputs of KubeAdmiral's scheduler about a workload, beside what `Workload` has already."""

    policy: Mapping[str, Any]
    """``spec`` of the propagation policy under the API's own field names; do not change it."""
    read: Any = field(default=None, compare=False, repr=False, kw_only=True)
    """The policy as it was read, a `fairlead.manifests.kubeadmiral.stated.StatedPolicy`, without what
    annotations override. Left out of comparisons."""
    template: Mapping[str, Any]
    """The workload's manifest; do not change it."""
    replicas_path: str = "spec.replicas"
    """Dotted path of the replicas in the template."""
    current: Mapping[str, int | None] = field(default_factory=dict)
    """Clusters that hold the workload with their replicas; None means the template's own number."""
    annotations: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    """Annotations and labels of the federated object, those of the template below them."""
    federated: bool = False
    """True where the input has the federated object; False where it has the workload alone."""
    resource_version: str = ""
    """``metadata.resourceVersion`` of the workload itself, which is not that of its federated object; empty
    where the input does not tell."""
    sources: Mapping[str, Source] = field(default_factory=dict)
    """Where each part of the policy stands, by the name of its field: in the policy, or in the annotation
    that overrides it."""
    sticky: bool = False
    """True where rescheduling is disabled, by the policy or by the annotation over it: what runs stays."""
    least_copy: int = 1
    """The fewest replicas that a copy may have: minima of the policy, or of the annotation over it, lift
    smaller ones."""
    triggered: bool = field(default=False, compare=False)
    """True where a change that is only tried, as in a simulation, makes KubeAdmiral look at it again."""

    @property
    def following(self) -> frozenset[str]:
        """The clusters that hold the template's own number."""
        return frozenset(name for name, count in self.current.items() if count is None)

    def override_policies(self, namespace: str) -> tuple[tuple[str, str], ...]:
        """Return the override policies that labels name: namespace, empty for a cluster policy, and name."""
        named = (("", self.labels.get(CLUSTER_OVERRIDES)), (namespace, self.labels.get(OVERRIDES)))
        return tuple((where, name) for where, name in named if name)

    @property
    def overriding(self) -> tuple[str, ...]:
        """Names of the annotations that override a part of the policy, sorted."""
        return tuple(sorted({one.annotation for one in self.sources.values()} - {""}))


Declared = KarmadaBinding | FederatedUnit
