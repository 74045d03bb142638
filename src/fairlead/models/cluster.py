"""Member clusters: where they stand, what they refuse, what they can still take, how often they are lost."""

from collections.abc import Collection, Container, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from fairlead.models.source import NOWHERE, Source
from fairlead.models.words import amounts, called, counted, each_of

PODS = "pods"
CPU = "cpu"


@dataclass(frozen=True, slots=True, order=True)
class Taint:
    """A mark on a cluster that repels workloads which do not tolerate it."""

    key: str
    """Name of the taint."""
    value: str
    """Value of the taint; may be empty."""
    effect: str
    """``NoSchedule``, ``NoExecute`` or ``PreferNoSchedule``."""

    def __str__(self) -> str:
        return f"{{{self.key}: {self.value}}}" if self.value else f"{{{self.key}}}"

    @property
    def spelled(self) -> str:
        """The taint as kubectl writes it: ``gpu=true:NoSchedule``."""
        mark = f"{self.key}={self.value}" if self.value else self.key
        return f"{mark}:{self.effect}"


@dataclass(frozen=True, slots=True)
class Toleration:
    """Which taints a workload tolerates, as Kubernetes defines it."""

    key: str = ""
    """Key of the tolerated taints; empty means every key."""
    operator: str = ""
    """``Equal`` (also when empty) or ``Exists``."""
    value: str = ""
    """Value compared under ``Equal``."""
    effect: str = ""
    """Effect of the tolerated taints; empty means every effect."""

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
    """A member cluster."""

    name: str
    """Unique name."""
    provider: str | None = None
    """At whom it runs; None where it does not say."""
    region: str | None = None
    """Where it runs; None where it does not say."""
    zones: tuple[str, ...] = ()
    """Every zone it lies in; empty where it does not say."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Labels of the cluster object."""
    taints: tuple[Taint, ...] = ()
    """Taints of the cluster."""
    implied_taints: tuple[Taint, ...] = ()
    """Taints that its conditions amount to although it does not carry them; they keep new replicas away as
    taints do, but the real schedulers do not see them."""
    allocatable: Mapping[str, int] | None = None
    """Capacity of its nodes by resource: cpu in millicores, everything else in whole units (bytes, pods,
    devices). None means that the capacity is unknown."""
    free: Mapping[str, int] | None = None
    """Free capacity by resource, in the units of `allocatable`; negative where the cluster is overcommitted.
    None means that the capacity is unknown, which is no limit."""
    grades: tuple[Grade, ...] = ()
    """Free nodes by grade, the lowest grade first; empty where it does not say."""
    deleting: bool = False
    """True where the cluster is being removed."""
    joined: bool = True
    """False where the cluster says that it is no member yet (a condition of KubeAdmiral)."""
    ready: bool = True
    """False where the cluster says that it cannot be reached (a condition of KubeAdmiral)."""
    api_kinds: frozenset[tuple[str, str]] | None = None
    """``(apiVersion, kind)`` pairs that the cluster serves; None where it does not say."""
    source: Source = NOWHERE
    """Where it was declared."""

    def without_taints(self, taints: Container[Taint]) -> "Cluster":
        """Return the cluster without some taints."""
        left = tuple(each for each in self.taints if each not in taints)
        implied = tuple(each for each in self.implied_taints if each not in taints)
        return replace(self, taints=left, implied_taints=implied)

    def __repr__(self) -> str:
        return called(
            "Cluster",
            self.name,
            provider=self.provider,
            region=self.region,
            zones=self.zones,
            labels=self.labels or None,
            taints=each_of(self.taints, str),
            implied_taints=each_of(self.implied_taints, str),
            allocatable=amounts(self.allocatable),
            free=amounts(self.free),
            deleting=self.deleting,
        )


FIELDS = ("cluster", "region", "zone", "provider")
"""Fields by whose own names clusters are grouped; any other field is the key of a label."""


def field_of_label(key: str) -> str:
    """Return the field that groups by a label: its key, marked where a cluster has a property of that name.

    No key of a label has brackets.
    """
    return f"labels[{key}]" if key in FIELDS else key


_KEYS = {field_of_label(key): key for key in FIELDS}


def groups(clusters: Iterable[Cluster], field: str) -> Mapping[str, frozenset[str]]:
    """Group clusters by a field of Karmada's spread constraints.

    Parameters
    ----------
    field
        One of `FIELDS`; anything else is the key of a label, as `field_of_label` returns it.

    Returns
    -------
    mapping
        Cluster names by group, in group order. A cluster that does not tell is in none; one in several
        zones is in each of them.
    """
    found: dict[str, set[str]] = {}
    for cluster in clusters:
        for value in values_of(cluster, field):
            found.setdefault(value, set()).add(cluster.name)
    return {value: frozenset(found[value]) for value in sorted(found)}


def values_of(cluster: Cluster, field: str) -> tuple[str, ...]:
    """Return the groups of a field that a cluster tells: one, several (zones) or none."""
    if field == "zone":
        return cluster.zones
    fixed = {"cluster": cluster.name, "region": cluster.region, "provider": cluster.provider}
    value = fixed[field] if field in fixed else cluster.labels.get(_key_of(field))
    return (value,) if value else ()


def noun_of(field: str) -> str:
    """Return the noun for one group of a field: ``region``; ``value of label rack`` for a label."""
    return field if field in FIELDS else f"value of label {_key_of(field)}"


def groups_of(count: int, field: str) -> str:
    """Return a number of groups in words: ``2 regions``, ``1 value of label rack``."""
    if field in FIELDS:
        return counted(count, field)
    return f"{counted(count, 'value')} of label {_key_of(field)}"


def _key_of(field: str) -> str:
    """Return the key of the label that a field groups by."""
    return _KEYS.get(field, field)


def connected(shared: Mapping[str, Collection[Hashable]]) -> list[list[str]]:
    """Return who shares something, one with the next.

    The keys in their order, those that are tied together; in the order of their first keys.

    `shared`: what each of some keys shares with others, such as clusters; who shares nothing is alone.
    """
    # Many share the same, which is looked at once.
    sets = {id(things): frozenset(things) for things in shared.values()}
    number = _numbered(set(sets.values()))
    found: dict[Hashable, list[str]] = {}
    for key, things in shared.items():
        inside = sets[id(things)]
        found.setdefault(number[next(iter(inside))] if inside else ("key", key), []).append(key)
    return list(found.values())


def _numbered(sets: Collection[frozenset[Hashable]]) -> dict[Hashable, int]:
    """Return the number of the part that things are in, those of one set in one part."""
    largest = max(sets, key=len, default=frozenset[Hashable]())
    if not any(each and largest.isdisjoint(each) for each in sets):
        # All are one part, and importing a library of graphs takes longer than most answers.
        return {thing: 0 for each in sets for thing in each}
    import networkx as nx

    graph: nx.Graph[Hashable] = nx.Graph()
    for inside in sets:
        nx.add_path(graph, inside)
    return {thing: at for at, part in enumerate(nx.connected_components(graph)) for thing in part}


@dataclass(frozen=True, slots=True)
class FailureRate:
    """How often a group of clusters is lost."""

    field: str
    """Field of the group: ``cluster``, ``region``, ``zone``, ``provider`` or the key of a label."""
    name: str | None
    """The group; None stands for every group of the field that no other rate names."""
    rate: Fraction
    """The chance that the group is lost at a given moment, from 0 to 1. Groups are lost independently."""
    source: Source | None = None
    """Where it was declared."""


def chances(clusters: Collection[Cluster], rates: Collection[FailureRate]) -> dict[str, Fraction]:
    """Return the chance that a cluster is lost at a given moment, by name; 0 where no rate is about it.

    It stands as long as none of its groups is lost: a cluster that fails by itself in 1 % of the time, in a
    region that fails in 2 %, stands in 0.99 * 0.98 of it.
    """
    stands = {cluster.name: Fraction(1) for cluster in clusters}
    named = {(one.field, one.name): one.rate for one in rates}
    for grouped_by in dict.fromkeys(one.field for one in rates):
        for name, members in groups(clusters, grouped_by).items():
            rate = named.get((grouped_by, name), named.get((grouped_by, None), Fraction(0)))
            for cluster in members:
                stands[cluster] *= 1 - rate
    return {cluster: 1 - chance for cluster, chance in stands.items()}


def expected_loss(placed: Mapping[str, int], chance: Mapping[str, Fraction]) -> Fraction:
    """Return how many replicas of a workload are lost at a given moment, on average.

    The mean of a sum is the sum of the means, whatever clusters fail together.

    `placed`: replicas by cluster; those on clusters of which nothing is known are left out. `chance`: the
    chance that a cluster is lost, by name (`chances`).
    """
    return sum((held * chance[name] for name, held in placed.items() if name in chance), Fraction(0))
