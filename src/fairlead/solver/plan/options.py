"""What a rebalance plan may do: budgets of moves, what is pinned, what a move has to gain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from fairlead.models.errors import UsageError
from fairlead.models.share import Amount, is_amount
from fairlead.solver.plan.waves import WaveOptions


class Others(StrEnum):
    """What becomes of workloads that nobody asked to rebalance, where some were asked for.

    ``STAY``: they stay where they are, unless they break a rule there. ``MAKE_ROOM``: they move where the
    others could not be placed otherwise, as little as possible.
    """

    STAY = "stay"
    MAKE_ROOM = "make-room"


@dataclass(frozen=True, slots=True)
class Budgets:
    """How many replicas may move; shares are taken of the replicas that run now, rounded down.

    Parameters
    ----------
    total
        Of all workloads together; None means no limit, as everywhere here.
    per_workload, per_namespace
        Of every single workload, of every single namespace.
    workloads, namespaces
        The same for single ones by key or name; what is given here replaces the general amount.
    leaving, arriving
        Replicas stopped on a cluster, or started there, by cluster; shares are taken of what runs there now.
    """

    total: Amount | None = None
    per_workload: Amount | None = None
    per_namespace: Amount | None = None
    workloads: Mapping[str, Amount] = field(default_factory=dict)
    namespaces: Mapping[str, Amount] = field(default_factory=dict)
    leaving: Mapping[str, Amount] = field(default_factory=dict)
    arriving: Mapping[str, Amount] = field(default_factory=dict)

    def __post_init__(self) -> None:
        single = {"total": self.total, "per workload": self.per_workload, "per namespace": self.per_namespace}
        several = {**self.workloads, **self.namespaces, **self.leaving, **self.arriving}
        for name, amount in (single | several).items():
            if amount is not None and not is_amount(amount):
                raise UsageError(
                    f"budget {name}: {amount!r} is neither a number of replicas nor a share such as 10%"
                )


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """What a plan may do.

    Parameters
    ----------
    budgets
        How many replicas may move.
    pinned
        Keys of workloads that do not move at all.
    pinned_clusters
        Clusters that nothing leaves and nothing arrives at.
    gain
        Deviation that every move has to gain, at least 0; None means that any gain is enough.
    moves_first
        True where as few replicas as possible move, before the ratio counts.
    others
        What becomes of workloads that nobody asked to rebalance.
    waves
        How moves may be made.
    """

    budgets: Budgets = field(default_factory=Budgets)
    pinned: frozenset[str] = frozenset()
    pinned_clusters: frozenset[str] = frozenset()
    gain: Fraction | None = None
    moves_first: bool = False
    others: Others = Others.STAY
    waves: WaveOptions = field(default_factory=WaveOptions)

    def __post_init__(self) -> None:
        if self.gain is not None and self.gain < 0:
            raise UsageError(f"a move has to gain {self.gain}; allowed is a number of at least 0")
