"""The whole question: clusters, workloads, shared rules and the order of the objective."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

from fairlead.models.cluster import Cluster, FailureRate
from fairlead.models.data import WorkloadData
from fairlead.models.errors import ManifestError, Mistake, UsageError
from fairlead.models.in_order import Clusters, Known, kept
from fairlead.models.levels import DEFAULT_ORDER, Deviation, Tolerance
from fairlead.models.mistaken import is_count
from fairlead.models.rules import Candidates, Capacity, SharedRule
from fairlead.models.rules.balance import Balance
from fairlead.models.rules.quota import Allowance, allowances
from fairlead.models.shapes import fit, misfits
from fairlead.models.shown import Shown
from fairlead.models.statement import Statement
from fairlead.models.usage import Amounts, Charged, Columns, charged, limits, room, usage, used_columns
from fairlead.models.words import counted, no_such, shown
from fairlead.models.workload import Workload, Workloads


@dataclass(frozen=True)
class Problem(Shown, Known):
    """Which workloads are to be placed on which clusters, and what counts.

    Raises
    ------
    ManifestError
        Where clusters or workloads are none, or have no names; tells everything that holds something else
        than declared.
    UsageError
        Where two clusters or two workloads have one name.
    """

    clusters: tuple[Cluster, ...]
    """Member clusters; kept in name order (`Clusters`)."""
    workloads: tuple[Workload, ...]
    """Workloads; kept in key order (`Workloads`)."""
    rules: tuple[SharedRule, ...] = ()
    """Rules that several workloads share, such as capacity."""
    levels: tuple[str, ...] = DEFAULT_ORDER
    """Keys of the objective levels, the most important first; see `levels.DEFAULT_ORDER`."""
    deviation: Deviation = Deviation.WEBSTER
    """Measure of the distance from the wanted ratio."""
    warnings: tuple[Statement, ...] = ()
    """Remarks of the reader of the input: skipped kinds, unknown fields, bounds without effect."""
    partial: bool = False
    """True where replicas may stay unplaced and minima give way, as little as possible, instead of no answer
    at all; see `fairlead.models.shortfall`."""
    without: frozenset[str] = frozenset()
    """Kinds of rules that are left out on purpose: without ``capacity`` clusters hold any number of replicas.
    Else `solve` and its like add `Capacity` where it is not among the rules."""
    tolerances: Mapping[str, Tolerance] = field(default_factory=dict)
    """Amounts by which levels may be worse than best, by key; levels that are left out have to be best, but
    for balance (`fairlead.models.score.tolerance`)."""
    balances: tuple[Balance, ...] | None = None
    """Workloads that fill clusters together; None where that has not been found out yet, see
    `fairlead.models.score.with_balance`."""
    failure_rates: tuple[FailureRate, ...] = ()
    """How often clusters fail; answers tell what that makes them lose, and nothing else depends on it."""

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "clusters", Clusters.of(self.clusters))
            object.__setattr__(self, "workloads", Workloads.of(self.workloads))
            clusters, workloads = self.cluster_by_name, self.workload_by_key
        except (AttributeError, TypeError, ValueError):
            if found := mistyped(self):
                raise ManifestError(found) from None
            raise
        if len(clusters) != len(self.clusters):
            raise UsageError("two clusters have one name")
        if len(workloads) != len(self.workloads):
            raise UsageError("two workloads have one key")

    def __repr__(self) -> str:
        return f"Problem({self.sizes})"

    @property
    def sizes(self) -> str:
        """How many clusters, workloads and replicas there are, in words; replicas of copies count once."""
        replicas = sum(each.replicas for each in self.workloads if is_count(each.replicas))
        clusters, workloads = counted(len(self.clusters), "cluster"), counted(len(self.workloads), "workload")
        return f"{clusters}, {workloads}, {counted(replicas, 'replica')}"

    @property
    def all_clusters(self) -> Clusters:
        """The clusters, with what was found out about them."""
        return cast("Clusters", self.clusters)

    @property
    def all_workloads(self) -> Workloads:
        """The workloads, with what was found out about them."""
        return cast("Workloads", self.workloads)

    @property
    def cluster_by_name(self) -> Mapping[str, Cluster]:
        """Clusters by name."""
        return self.all_clusters.by_name

    @property
    def workload_by_key(self) -> Mapping[str, Workload]:
        """Workloads by key."""
        return self.all_workloads.by_key

    @cached_property
    def with_replicas(self) -> tuple[Workload, ...]:
        """Workloads that have replicas to divide or to copy, in key order; a ConfigMap has none."""
        return tuple(workload for workload in self.workloads if not workload.without_replicas)

    def workloads_in(self, namespace: str) -> tuple[Workload, ...]:
        """Return the workloads of a namespace in key order; none where the problem has none there."""
        return self.all_workloads.by_namespace.get(namespace, ())

    @cached_property
    def has_capacity(self) -> bool:
        """Whether clusters can run out."""
        return any(isinstance(rule, Capacity) for rule in self.rules)

    @property
    def charged(self) -> Charged:
        """The clusters on which it counts what replicas use."""
        return self.all_clusters.once(charged)

    @cached_property
    def room(self) -> Columns:
        """Capacity for the workloads, by resource, then cluster name; see `usage.room`."""
        return room(self)

    @cached_property
    def limits(self) -> Amounts:
        """Capacity for the workloads, by cluster name and resource; see `usage.limits`."""
        return limits(self)

    def used(self, placed: Mapping[str, Mapping[str, int]]) -> Amounts:
        """Return the amounts used by all workloads, by cluster of known capacity and resource."""
        return usage(self.workloads, placed, self)

    def used_columns(self, placed: Mapping[str, Mapping[str, int]]) -> Columns:
        """Return the same as `used` by resource and cluster."""
        return used_columns(self, placed)

    @cached_property
    def allowances(self) -> tuple[Allowance, ...]:
        """Amounts that every quota allows the workloads together; see `quota.allowed`."""
        return allowances(self)

    @cached_property
    def offered(self) -> Mapping[str, int]:
        """Capacity of all clusters together for the workloads, by resource."""
        return {resource: sum(column.values()) for resource, column in self.room.items()}

    def candidates(self, workload: WorkloadData) -> tuple[str, ...]:
        """Return the clusters on which a workload may run: all, where no rule says less."""
        rule = workload.rule(Candidates)
        return self.all_clusters.names if rule is None else tuple(rule.names)

    def workload(self, key: str) -> Workload:
        """Return a workload by key.

        Raises
        ------
        UsageError
            Where there is none of that key.
        """
        if key not in self.workload_by_key:
            raise UsageError(no_such("workload", key, self.workload_by_key))
        return self.workload_by_key[key]


def _named(name: object) -> str:
    """Return a name, whatever somebody made it."""
    return name if isinstance(name, str) else shown(name)


@kept
def mistyped(problem: Problem) -> tuple[Mistake, ...]:
    """Return everything in a problem that holds something else than declared, as far as types tell."""
    return () if fit((problem,), Problem) else tuple(_mistyped(problem))


def _mistyped(problem: Problem) -> Iterator[Mistake]:
    """Yield the same: of clusters and of workloads under their names."""
    named: list[tuple[str, Problem | Cluster | Workload]] = [("problem", problem)]
    for things in (problem.clusters, problem.workloads):
        for one in things if isinstance(things, tuple | list) else ():
            if isinstance(one, Cluster):
                named.append((f"cluster {_named(one.name)}", one))
            elif isinstance(one, Workload):
                named.append((f"workload {_named(one.key)}", one))
    for subject, thing in named:
        for each in misfits(thing, apart=(Cluster, Workload)):
            yield Mistake.told(subject, getattr(thing, "source", None), each.field, each.value, each.allowed)
