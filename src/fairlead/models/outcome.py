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


class Status(StrEnum):
    """How an answer is to be read.

    ``OPTIMAL``: every level is proven. ``FEASIBLE``: a valid placement, not every level proven.
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
        Who found the placement: ``exact``, ``cp-sat`` or the name of a dispenser.
    problem
        The question that was answered.
    placement
        Replicas by workload and cluster; None where there is no answer.
    objectives
        The levels in lexicographic order.
    violations
        Rules that the placement breaks; only a dispenser's can.
    conflict
        Where infeasible: rules that cannot hold together.
    reason
        None, or a category such as ``Unschedulable`` (dispensers).
    rejected
        Affinity groups that were tried before the chosen one, by workload.
    seconds
        Time by step: ``load``, ``build``, ``solve``.
    selected
        Clusters that get the manifest, by workload, where a dispenser tells; those without replicas among
        them. A workload that is absent has it where its replicas stand.
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
        """Return a Karmada binding per workload with the placement as its clusters.

        Raises
        ------
        UsageError
            Where there is no placement.
        """
        from fairlead.models.outcome_document import to_manifests

        return to_manifests(self)

    def __str__(self) -> str:
        from fairlead.models.outcome_text import to_text

        return to_text(self)

    def _repr_html_(self) -> str:
        from fairlead.models.outcome_text import to_html

        return to_html(self)
