"""What comes out: status, placement, levels attained, decisions and explanations. Pure data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.source import Source
from fairlead.models.statement import Conflict, Violation

if TYPE_CHECKING:
    import pandas as pd

    from fairlead.models.conditions import Conditions


class Status(StrEnum):
    """How an answer is to be read.

    ``OPTIMAL``: every level is proven. ``FEASIBLE``: a valid placement, not every level proven. In a partial
    placement these levels start with what gave way.
    ``INFEASIBLE``: proven that no placement keeps all rules. ``UNKNOWN``: none found in time.
    """

    OPTIMAL = "Optimal"
    FEASIBLE = "Feasible"
    INFEASIBLE = "Infeasible"
    UNKNOWN = "Unknown"


@dataclass(frozen=True, slots=True)
class Attained:
    """One level of the objective and how far it got.

    Parameters
    ----------
    name
        Name of the level, such as ``deviation``.
    value
        What the placement costs on this level, exactly; lower is better.
    bound
        No placement that keeps the levels above can be lower; None where nothing is known (dispensers).
    proven
        True where value and bound agree.
    resolution
        Step in which the level was compared; None where the comparison was exact.
    """

    name: str
    value: int | Fraction
    bound: int | Fraction | None = None
    proven: bool = False
    resolution: Fraction | None = None


@dataclass(frozen=True, slots=True)
class RejectedGroup:
    """An affinity group that was tried before the chosen one.

    Parameters
    ----------
    name
        Name of the group.
    reason
        Why it would not do, in the user's words.
    source
        Where the group was declared.
    """

    name: str
    reason: str
    source: Source | None = None


@dataclass(frozen=True, slots=True)
class ClusterDecision:
    """What was decided for one workload on one cluster.

    Parameters
    ----------
    cluster
        Name of the cluster.
    selected
        True where the manifest goes there.
    replicas
        Replicas placed.
    reason
        Why, in the user's words.
    """

    cluster: str
    selected: bool
    replicas: int
    reason: str


@dataclass(frozen=True)
class Outcome:
    """The answer to a problem, from the solver or from a dispenser.

    Parameters
    ----------
    status
        How to read it.
    origin
        Who found the placement: ``exact`` (a formula), ``cp-sat``, ``prices`` (of shared capacity, for many
        workloads) or the name of a dispenser.
    problem
        The question that was answered.
    placement
        Replicas by workload and cluster; None where there is no answer.
    objectives
        The levels in lexicographic order.
    violations
        Rules that the placement breaks; only a dispenser's can. What gave way in a partial placement is in
        `shortfalls`.
    conflict
        Where infeasible: rules that cannot hold together; the first of `conflicts`.
    reason
        None, or a category such as ``Unschedulable`` (dispensers).
    rejected
        Affinity groups that were tried before the chosen one, by workload.
    seconds
        Time by step: ``load``, ``build``, ``solve``.
    selected
        Clusters that get the manifest, by workload, where a dispenser tells; those without replicas among
        them. A workload that is absent has it where its replicas stand.
    conflicts
        Where infeasible: a conflict for every independent part of the problem that has no placement, and for
        every workload that has none by itself; empty where time ran out before one was found.
    """

    status: Status
    origin: str
    problem: Problem = field(repr=False)
    placement: Placement | None
    objectives: tuple[Attained, ...] = ()
    violations: tuple[Violation, ...] = ()
    conflict: Conflict | None = None
    reason: str | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)
    rejected: Mapping[str, tuple[RejectedGroup, ...]] = field(default_factory=dict)
    selected: Mapping[str, frozenset[str]] = field(default_factory=dict)
    conflicts: tuple[Conflict, ...] = ()

    def __post_init__(self) -> None:
        # The first conflict is told twice; it leads where the two differ, as after `dataclasses.replace`.
        first = () if self.conflict is None else (self.conflict,)
        object.__setattr__(self, "conflicts", (*first, *self.conflicts[1:]) if first else ())

    @cached_property
    def shortfalls(self) -> tuple[Violation, ...]:
        """What gave way in a partial placement, and what stands in the way; empty in any other."""
        from fairlead.models.shortfall_text import shortfalls

        if self.placement is None or not self.problem.partial or self.violations:
            return ()
        return shortfalls(self.problem, self.placement)

    @cached_property
    def broken_before(self) -> tuple[Violation, ...]:
        """The rules that what runs now breaks; totals are left out, as scaling is no breach."""
        from fairlead.models.shortfall import broken_before

        return broken_before(self.problem)

    @cached_property
    def still_broken(self) -> tuple[Violation, ...]:
        """What the placement still breaks of `broken_before`; never more of it where that can be avoided."""
        from fairlead.models.shortfall import still_broken

        return () if self.placement is None else still_broken(self.problem, self.placement)

    @cached_property
    def repaired(self) -> tuple[Violation, ...]:
        """What the placement repairs of `broken_before`; nothing where there is no placement."""
        if self.placement is None:
            return ()
        still = {violation.about for violation in self.still_broken}
        return tuple(violation for violation in self.broken_before if violation.about not in still)

    @cached_property
    def conditions(self) -> Conditions:
        """What is so of the whole and of every workload, as Kubernetes states it."""
        from fairlead.models.conditions import conditions

        return conditions(self)

    @cached_property
    def decisions(self) -> Mapping[str, tuple[ClusterDecision, ...]]:
        """Every cluster's decision and its reason, by workload key; computed when asked for."""
        from fairlead.models.decisions import Decisions

        return Decisions(self)

    def to_dict(self, *, decisions: bool = True) -> dict[str, Any]:
        """Return JSON-ready values, with or without the decisions.

        The keys are described at `fairlead.models.outcome_document.to_dict`.
        """
        from fairlead.models.outcome_document import to_dict

        return to_dict(self, decisions=decisions)

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame with one row per workload and cluster.

        Raises
        ------
        UsageError
            Where pandas is not installed.
        """
        from fairlead.models.outcome_document import to_frame

        return to_frame(self)

    def to_manifests(self) -> tuple[dict[str, Any], ...]:
        """Return a patch per workload with the placement as what runs.

        A Karmada binding, or the federated object of KubeAdmiral where that places the workload; see
        `fairlead.models.outcome_manifests.to_manifests`.

        Raises
        ------
        UsageError
            Where there is no placement.
        """
        from fairlead.models.outcome_manifests import to_manifests

        return to_manifests(self)

    def __str__(self) -> str:
        from fairlead.models.outcome_text import to_text

        return to_text(self)

    def _repr_html_(self) -> str:
        from fairlead.models.outcome_text import to_html

        return to_html(self)
