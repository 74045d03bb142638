"""A rebalance plan and its options: budgets of moves, pinned workloads and clusters, least gain of a move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from itertools import starmap
from typing import Any, Literal

from fairlead.models.answer import Answer
from fairlead.models.errors import UsageError
from fairlead.models.levels import MOST_TOLERANCE
from fairlead.models.outcome import Outcome, Status
from fairlead.models.placement import Placement, differences
from fairlead.models.problem import Problem
from fairlead.models.quantity import NO_AMOUNT, Amount, is_amount
from fairlead.models.rules import moves
from fairlead.models.score import as_whole
from fairlead.models.shapes import refuse_misfits
from fairlead.models.words import shown
from fairlead.solver.plan.replay import PassedInside, passed_inside
from fairlead.solver.plan.waves import WaveOptions, WavePlan, running


class OtherWorkloads(StrEnum):
    """Treatment of workloads that the input does not ask to rebalance, if it asks for some.

    ``STAY``: they stay where they are, unless they break a rule there. ``MAKE_ROOM``: they move where the
    others could not be placed otherwise, as little as possible.
    """

    STAY = "stay"
    MAKE_ROOM = "make-room"


@dataclass(frozen=True, slots=True)
class Budgets:
    """How many replicas may move; shares are taken of the replicas that run now, rounded down."""

    total: Amount | None = None
    """Replicas of all workloads together: a number or a share; None means no limit, as everywhere here."""
    per_workload: Amount | None = None
    """Replicas of every single workload."""
    per_namespace: Amount | None = None
    """Replicas of every single namespace."""
    workloads: Mapping[str, Amount] = field(default_factory=dict)
    """Replicas of some workloads, by key, instead of `per_workload`."""
    namespaces: Mapping[str, Amount] = field(default_factory=dict)
    """Replicas of some namespaces, by name, instead of `per_namespace`."""
    leaving: Mapping[str, Amount] = field(default_factory=dict)
    """Replicas stopped on a cluster, by cluster; shares are taken of what runs there now."""
    arriving: Mapping[str, Amount] = field(default_factory=dict)
    """Replicas started on a cluster, by cluster; shares are taken of what runs there now."""

    def __post_init__(self) -> None:
        refuse_misfits(self)
        single = {"total": self.total, "per workload": self.per_workload, "per namespace": self.per_namespace}
        several = {**self.workloads, **self.namespaces, **self.leaving, **self.arriving}
        given = {name: amount for name, amount in single.items() if amount is not None}
        for name, amount in (given | several).items():
            if not is_amount(amount):
                raise UsageError(f"budget {name}: {shown(amount)} {NO_AMOUNT}")


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """Options of a plan: which moves it may make, how many, and how."""

    budgets: Budgets = field(default_factory=Budgets)
    """Most replicas that may move."""
    pinned: frozenset[str] = frozenset()
    """Keys of workloads that do not move at all."""
    pinned_clusters: frozenset[str] = frozenset()
    """Clusters that nothing leaves and nothing arrives at."""
    gain: Fraction | None = None
    """Deviation that every move has to gain, at least 0; None means that any gain is enough."""
    moves_first: bool = False
    """True where as few replicas as possible move, before the weights count."""
    others: OtherWorkloads = OtherWorkloads.STAY
    """Treatment of workloads that the input does not ask to rebalance."""
    waves: WaveOptions = field(default_factory=WaveOptions)
    """How moves may be made."""

    def __post_init__(self) -> None:
        if self.gain is not None and not 0 <= self.gain < MOST_TOLERANCE:
            gain = shown(as_whole(self.gain))
            allowed = "a number of at least 0, of 18 digits at most"
            raise UsageError(f"a move has to gain {gain}; allowed is {allowed}")


@dataclass(frozen=True, slots=True)
class PlannedChange:
    """Change of one workload on one cluster."""

    workload: str
    """Key of the workload."""
    cluster: str
    """Name of the cluster."""
    before: int
    """Replicas that run now."""
    after: int
    """Replicas of the target."""

    @property
    def difference(self) -> int:
        """Replicas that come (positive) or go (negative)."""
        return self.after - self.before


@dataclass(frozen=True, repr=False)
class RebalancePlan(Answer):
    """A target placement, and how to get there without overloading a cluster on the way."""

    problem: Problem = field(repr=False)
    """Problem with the replicas that run now and those wanted, without the budgets and pins of the plan."""
    outcome: Outcome
    """The target: the outcome of the problem with budgets and pins as rules."""
    waves: WavePlan | None
    """Waves that lead to the target; None where there is none."""
    options: PlanOptions = field(default_factory=PlanOptions)
    """Options of the plan."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """Time by step: ``target``, ``waves``."""

    @property
    def answered(self) -> bool:
        """Whether there is a target."""
        return self.waves is not None

    @cached_property
    def before(self) -> Placement:
        """Placement that runs now, on clusters that are still there."""
        return running(self.problem)

    @cached_property
    def changes(self) -> tuple[PlannedChange, ...]:
        """Changes by workload and cluster; empty where there is no target or nothing to do."""
        target = self.outcome.placement
        if target is None:
            return ()
        return tuple(starmap(PlannedChange, differences(self.before, target, self.problem.workload_by_key)))

    @cached_property
    def moves(self) -> int:
        """How many replicas move: are stopped in one cluster and started in another."""
        return sum(self.moves_by_workload.values())

    @property
    def started(self) -> int:
        """How many replicas start that nothing is stopped for."""
        return sum(started for started, _ in self._shifts.values()) - self.moves

    @property
    def stopped(self) -> int:
        """How many replicas stop that start nowhere else."""
        return sum(stopped for _, stopped in self._shifts.values()) - self.moves

    @property
    def blocked(self) -> int:
        """How many replicas cannot move."""
        return 0 if self.waves is None else sum(each.move.replicas for each in self.waves.blocked)

    @cached_property
    def moves_by_workload(self) -> Mapping[str, int]:
        """How many replicas of every workload move; workloads of which none does are left out."""
        return {key: min(shift) for key, shift in self._shifts.items() if min(shift) > 0}

    @cached_property
    def _shifts(self) -> Mapping[str, tuple[int, int]]:
        """How many replicas of every workload are started and stopped; empty where there is no target."""
        target = self.outcome.placement
        if target is None:
            return {}
        pairs = ((key, self.before.of(key), target.of(key)) for key in self.problem.workload_by_key)
        return {key: (moves.stopped(new, old), moves.stopped(old, new)) for key, old, new in pairs}

    @cached_property
    def passed_inside(self) -> tuple[PassedInside, ...]:
        """Group totals and spreads that hold between waves, but not inside them."""
        return () if self.waves is None else passed_inside(self.waves)

    @property
    def nothing_to_do(self) -> bool:
        """Whether what runs is the target already."""
        return self.outcome.placement is not None and not self.changes

    @property
    def feasible(self) -> bool:
        """Whether there is a target."""
        return self.outcome.status in (Status.OPTIMAL, Status.FEASIBLE)

    def to_manifests(self, subresource: Literal["status"] | None = None) -> tuple[dict[str, Any], ...]:
        """Return the patches that lead to the target at once; see `Outcome.to_manifests`."""
        return self.outcome.to_manifests(subresource)
