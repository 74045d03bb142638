"""What comes out: what was found, and why: decisions and conditions. Pure data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from fairlead.models.answer import Answer
from fairlead.models.conditions import Conditions, conditions
from fairlead.models.decisions import Decisions
from fairlead.models.result import Attained, ClusterDecision, RejectedGroup, Result, Status

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Attained", "ClusterDecision", "Outcome", "RejectedGroup", "Status"]


@dataclass(frozen=True, repr=False)
class Outcome(Result, Answer):
    """The answer to a problem, from the solver or from a dispenser; the fields are those of `Result`."""

    @cached_property
    def conditions(self) -> Conditions:
        """What is so of the whole and of every workload, as Kubernetes states it."""
        return conditions(self)

    @cached_property
    def decisions(self) -> Mapping[str, tuple[ClusterDecision, ...]]:
        """Every cluster's decision and its reason, by workload key; computed when asked for."""
        return Decisions(self)

    def to_dict(self, *, decisions: bool = True) -> dict[str, Any]:
        """Return JSON-ready values, with or without the decisions.

        The keys are described at `fairlead.report.documents.outcome.outcome_document`.
        """
        return self.shown_by.document(self, decisions=decisions)

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame with one row per workload and cluster.

        Raises
        ------
        UsageError
            Where pandas is not installed.
        """
        return self.shown_by.frame(self)

    def to_manifests(self, subresource: Literal["status"] | None = None) -> tuple[dict[str, Any], ...]:
        """Return a patch for every workload that stands elsewhere than it runs.

        A Karmada binding, or the workload itself where KubeAdmiral places it; see
        `fairlead.report.manifests.patches`.

        Parameters
        ----------
        subresource
            ``status`` for the affinity groups that are chosen and not observed yet, which go into that
            subresource; None for the objects themselves.

        Raises
        ------
        UsageError
            Where there is no placement, or KubeAdmiral would not follow it.
        """
        return self.shown_by.manifests(self, subresource)
