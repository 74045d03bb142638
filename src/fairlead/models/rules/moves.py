"""Moves: replicas that are stopped in one cluster although they need not be."""

from collections.abc import Mapping
from dataclasses import dataclass

from fairlead.models.data import WorkloadData
from fairlead.models.levels import MOVES_FIRST, MOVES_LAST, MOVES_UNCHANGED, Level, Measured
from fairlead.models.mistaken import Unmistakable
from fairlead.models.rules.duplicated import Duplicated, copy_on
from fairlead.models.rules.tiers import Tiers
from fairlead.models.rules.total import Total

KIND = "moves"


@dataclass(frozen=True, slots=True, repr=False)
class Moves(Unmistakable):
    """Replicas that run stay where they run, as far as other levels allow."""

    present: frozenset[str]
    """Clusters of the problem; replicas that run elsewhere are gone already and count as stopped, not as
    moved."""
    keep: bool = False
    """True for strategies that keep what runs (dynamic weights in steady mode): moves come before the
    deviation; otherwise after it."""
    over_tiers: bool = False
    """True where what is kept comes before the tiers even if the number of replicas changed (KubeAdmiral's
    Binpack, which does not touch what runs when it fills its first clusters)."""

    def levels(self, workload: WorkloadData) -> tuple[Level, ...]:
        """Return the one level on which the moves of a workload count."""
        return (level(self, workload),)

    def cost_of(self, measured: Measured) -> int:
        """Return the number of moves over the clusters of the problem."""
        return self.among(measured.workload, measured.placed)

    def among(self, workload: WorkloadData, placed: Mapping[str, int]) -> int:
        """Return how many replicas a placement moves on the clusters of the problem."""
        held = {cluster: count for cluster, count in workload.current.items() if cluster in self.present}
        return moved(workload, held, placed)


def level(rule: Moves, workload: WorkloadData) -> Level:
    """Return the level on which the moves of a workload count.

    Workloads that keep what runs come before the deviation, and so does one at which its scheduler would not
    look now (`Workload.due`); with overflow tiers and an unchanged number of replicas, or where the rule says
    so, even before the tiers, so that nothing goes back to an earlier tier. All others come last.
    """
    if workload.fresh or not (rule.keep or not workload.due):
        return MOVES_LAST
    running = sum(count for cluster, count in workload.current.items() if cluster in rule.present)
    tiered = workload.rule(Tiers) is not None
    unchanged = rule.over_tiers or running == workload.replicas
    return MOVES_UNCHANGED if tiered and unchanged else MOVES_FIRST


def moved(workload: WorkloadData, held: Mapping[str, int], placed: Mapping[str, int]) -> int:
    """Return how many of the replicas that run somewhere are moved.

    Replicas stopped anywhere, less what had to be stopped because the total shrank:
    ``sum max(0, movable - placed) - max(0, sum movable - N)``. Under Duplicated no total shrinks, only
    copies, and without a rule for the total all that runs may stay: ``sum max(0, movable - placed)``.
    """
    counted = movable(workload, held)
    return stopped(counted, placed) - unavoidable(workload, counted)


def movable(workload: WorkloadData, held: Mapping[str, int]) -> dict[str, int]:
    """Return how many replicas of what runs may count as moved, by cluster.

    Under Duplicated at most a full copy: what a copy has shrunk by is stopped and not moved.
    """
    copies = workload.rule(Duplicated)
    if copies is None:
        return dict(held)
    return {cluster: min(count, copy_on(copies, workload, cluster)) for cluster, count in held.items()}


def unavoidable(workload: WorkloadData, counted: Mapping[str, int]) -> int:
    """Return how many of the `movable` replicas have to be stopped because there are too many of them."""
    # Whoever wants none keeps none, with a rule for the total or without.
    settled = workload.rule(Total) is not None or not workload.replicas
    return max(0, sum(counted.values()) - workload.replicas) if settled else 0


def stopped(held: Mapping[str, int], placed: Mapping[str, int]) -> int:
    """Return how many replicas are stopped where they run."""
    return sum(max(0, count - placed.get(cluster, 0)) for cluster, count in held.items())
