"""Results: status, placement, levels attained, rules that gave way. Pure data, without explanations."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import cached_property

from fairlead.models.cluster import chances, expected_loss
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules.duplicated import unplaced
from fairlead.models.shortfall import broken_before, still_broken, unmet
from fairlead.models.shortfall_text import shortfalls
from fairlead.models.source import Source
from fairlead.models.statement import Conflict, Violation
from fairlead.models.words import number
from fairlead.models.workload import Workload

SOLVERS = frozenset({"exact", "cp-sat", "prices"})
"""Origins of what `solve` answers; every other one but `SAVED` is the name of a dispenser."""
NOTHING_FOUND = "no placement was found in time"
NOTHING_KEEPS = "no placement keeps every rule"
SAVED = "saved plan"
"""Origin of a target that was taken from a saved plan."""


class Status(StrEnum):
    """Status of an answer.

    ``OPTIMAL``: every level is proven. ``FEASIBLE``: a valid placement, not every level proven. In a partial
    placement these levels start with what gave way.
    ``INFEASIBLE``: proven that no placement keeps all rules. ``UNKNOWN``: none found in time.
    """

    OPTIMAL = "Optimal"
    FEASIBLE = "Feasible"
    INFEASIBLE = "Infeasible"
    UNKNOWN = "Unknown"


def gap_of(value: int | Fraction, bound: int | Fraction | None) -> Fraction | None:
    """Return how much lower a value could be at most, as a share of it.

    ``(value - bound) / value``, from 0 to 1, where the bound says nothing. None where there is none.

    `bound`: what every placement costs at least; None where that is not known.
    """
    if bound is None:
        return None
    if value <= bound:
        return Fraction(0)
    return min(Fraction(1), Fraction(value - bound) / value) if value > 0 else Fraction(1)


@dataclass(frozen=True, slots=True)
class Attained:
    """One level of the objective and how far it got."""

    name: str
    """Name of the level, such as ``deviation``."""
    value: int | Fraction
    """Cost of the placement on this level, exactly; lower is better."""
    bound: int | Fraction | None = None
    """No placement that keeps the levels above can be lower; None where nothing is known (dispensers)."""
    proven: bool = False
    """True where value and bound agree, up to the tolerance."""
    resolution: Fraction | None = None
    """Step in which the level was compared; None where the comparison was exact."""
    tolerance: int | Fraction = 0
    """Amount by which the level may be worse for the sake of those below; 0 where it has to be best."""

    def __repr__(self) -> str:
        proof = "proven" if self.proven else f"bound={number(self.bound)}"
        return f"Attained({self.name!r}, {number(self.value)}, {proof})"

    @property
    def gap(self) -> Fraction | None:
        """Most by which the level could be lower, as a share of `value`; None where that is not known."""
        return gap_of(self.value, self.bound)


@dataclass(frozen=True, slots=True)
class RejectedGroup:
    """An affinity group that was tried before the chosen one."""

    name: str
    reason: str
    """Reason in the user's words why it would not do."""
    source: Source | None = None


@dataclass(frozen=True, slots=True)
class ClusterDecision:
    """Decision for one workload on one cluster."""

    cluster: str
    """Name of the cluster."""
    selected: bool
    """True where the manifest goes there."""
    replicas: int
    """Replicas placed."""
    reason: str
    """Reason in the user's words."""


@dataclass(frozen=True, repr=False)
class Result:
    """Result for a problem, by the solver or by a dispenser."""

    status: Status
    """Status: proven best, found, infeasible or unknown."""
    origin: str
    """Who found the placement: ``exact`` (a formula), ``cp-sat``, ``prices`` (of shared capacity, for many
    workloads) or the name of a dispenser."""
    problem: Problem = field(repr=False)
    """The question that was answered."""
    placement: Placement | None
    """Replicas by workload and cluster; None where there is no answer."""
    objectives: tuple[Attained, ...] = ()
    """The levels in lexicographic order."""
    violations: tuple[Violation, ...] = ()
    """Rules that the placement breaks; only a dispenser's can. What gave way in a partial placement is in
    `shortfalls`."""
    conflict: Conflict | None = None
    """Where infeasible: rules that cannot hold together; the first of `conflicts`."""
    reason: str | None = None
    """Category such as ``Unschedulable`` (dispensers); None where there is none."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """Time by step: ``load``, ``build``, ``solve``."""
    rejected: Mapping[str, tuple[RejectedGroup, ...]] = field(default_factory=dict)
    """Affinity groups that were tried before the chosen one, by workload."""
    selected: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Clusters that get the manifest, by workload, where a dispenser tells; those without replicas among
    them. A workload that is absent has it where its replicas stand."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Categories such as ``Unschedulable`` by workload, of those that a dispenser fails on; `reason` is the
    first of them."""
    conflicts: tuple[Conflict, ...] = ()
    """Where infeasible: a conflict for every independent part of the problem that has no placement, and for
    every workload that has none by itself; empty where time ran out before one was found."""

    def __post_init__(self) -> None:
        # The first conflict is told twice; it leads where the two differ, as after `dataclasses.replace`.
        first = () if self.conflict is None else (self.conflict,)
        object.__setattr__(self, "conflicts", (*first, *self.conflicts[1:]) if first else ())

    @cached_property
    def shortfalls(self) -> tuple[Violation, ...]:
        """Rules that gave way in a partial placement, each with the reason; empty in any other."""
        if self.placement is None or not self.problem.partial or self.violations:
            return ()
        return shortfalls(self.problem, self.placement)

    @cached_property
    def broken_before(self) -> tuple[Violation, ...]:
        """The rules that what runs now breaks; totals are left out, as scaling is no breach."""
        return broken_before(self.problem)

    @cached_property
    def still_broken(self) -> tuple[Violation, ...]:
        """Rules of `broken_before` that the placement still breaks; never by more where avoidable."""
        return () if self.placement is None else still_broken(self.problem, self.placement)

    @cached_property
    def repaired(self) -> tuple[Violation, ...]:
        """Rules of `broken_before` that the placement keeps again; empty where there is no placement."""
        if self.placement is None:
            return ()
        still = {violation.about for violation in self.still_broken}
        return tuple(violation for violation in self.broken_before if violation.about not in still)

    @property
    def by_solver(self) -> bool:
        """Whether the solver found it and no dispenser: it is infeasible only where that is proven."""
        return self.origin in SOLVERS

    @property
    def from_saved(self) -> bool:
        """Whether it was taken from a saved plan, which has its proof elsewhere."""
        return self.origin == SAVED

    @property
    def first_unproven(self) -> Attained | None:
        """The most important level that is not proven; None where all are."""
        return next((level for level in self.objectives if not level.proven), None)

    def placed(self, workload: Workload) -> Mapping[str, int]:
        """Return the replicas of a workload by cluster; empty where there is no placement."""
        return self.placement.of(workload.key) if self.placement is not None else {}

    def unplaced(self, workload: Workload) -> int:
        """Return how many replicas of a workload are unplaced; under Duplicated summed over the copies."""
        return unplaced(workload, self.placed(workload), self.problem.candidates(workload))

    @cached_property
    def expected_loss(self) -> Mapping[str, Fraction] | None:
        """How many replicas of each workload are lost at a given moment, on average, by key.

        None where the problem does not say how often clusters fail, or where there is no placement.
        """
        if self.placement is None or not self.problem.failure_rates:
            return None
        chance = chances(self.problem.clusters, self.problem.failure_rates)
        return {one.key: expected_loss(self.placed(one), chance) for one in self.problem.workloads}

    @property
    def missing(self) -> int:
        """How many replicas of all workloads are unplaced."""
        return sum(map(self.unplaced, self.problem.workloads))

    @property
    def fits(self) -> bool:
        """Whether every replica is placed and every rule holds."""
        if self.placement is None or self.violations or self.missing:
            return False
        return not (self.problem.partial and unmet(self.problem, self.placement))


@dataclass(frozen=True, slots=True)
class Progress:
    """The best answer so far on the level that is minimised."""

    level: str
    """Name of the level."""
    value: int | Fraction | None
    """Cost of the best placement so far, in the unit of the level; None where none is known."""
    bound: int | Fraction | None
    """Least cost of any placement, in the unit of the level; None where nothing is known."""
    gap: float | None
    """Their distance as a part of the value, 0 to 1 (`gap_of`); None where one of them is not known."""
    seconds: float
    """Since the start of the search."""


def progress_of(
    level: str, value: int | Fraction | None, bound: int | Fraction | None, seconds: float
) -> Progress:
    """Return how far a level is, with the gap between its value and its bound."""
    missing = None if value is None else gap_of(value, bound)
    return Progress(level, value, bound, None if missing is None else float(missing), seconds)
