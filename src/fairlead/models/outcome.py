"""Outcomes: a result with its reasons by cluster; beside it the answers of dispensers. Pure data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from fairlead.models.answer import Answer
from fairlead.models.conditions import Conditions, conditions
from fairlead.models.decision_reasons import ClusterReason, Remaining, WorkloadView, excluded, find, left_of
from fairlead.models.errors import UsageError
from fairlead.models.placement import Placement
from fairlead.models.result import NOTHING_FOUND, Attained, ClusterDecision, RejectedGroup, Result, Status
from fairlead.models.rules import Duplicated
from fairlead.models.source import FederatedUnit
from fairlead.models.words import listed
from fairlead.models.workload import Workload

if TYPE_CHECKING:
    import pandas as pd


__all__ = ["Attained", "ClusterDecision", "Outcome", "RejectedGroup", "Status"]

BEST = "best"
"""Name of the best placement among the answers of a comparison."""


@dataclass(frozen=True, repr=False)
class Outcome(Result, Answer):
    """The answer to a problem, from the solver or from a dispenser; the fields are those of `Result`."""

    @property
    def answered(self) -> bool:
        """Whether there is a placement."""
        return self.placement is not None

    def require_placement(self) -> Placement:
        """Return the placement, for programs that cannot go on without one.

        Raises
        ------
        UsageError
            Where there is no placement; says why, as printing the outcome does.
        """
        if self.placement is None:
            raise UsageError(f"there is no placement. {self}")
        return self.placement

    @cached_property
    def conditions(self) -> Conditions:
        """Conditions of all workloads together and of each workload, as Kubernetes states them."""
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
        """Return a patch for every workload whose placement differs from what runs.

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


class Decisions(Mapping[str, tuple[ClusterDecision, ...]]):
    """The decisions of an outcome by workload key; each workload is looked at when it is asked for."""

    def __init__(self, outcome: Result) -> None:
        self._outcome = outcome

    def __getitem__(self, workload: str) -> tuple[ClusterDecision, ...]:
        if workload not in self._outcome.problem.workload_by_key:
            raise KeyError(workload)
        return _decide(self._outcome, self._outcome.problem.workload(workload), self._left)

    def __iter__(self) -> Iterator[str]:
        return iter(self._outcome.problem.workload_by_key)

    def __len__(self) -> int:
        return len(self._outcome.problem.workloads)

    def __repr__(self) -> str:
        return f"<decisions of {len(self)} workloads>"

    @cached_property
    def _left(self) -> Remaining:
        return left_of(self._outcome)


def _decide(outcome: Result, workload: Workload, left: Remaining) -> tuple[ClusterDecision, ...]:
    """Explain every cluster; those far from their share point at the clusters that are to blame."""
    view = WorkloadView(outcome, workload, left)
    names = tuple(outcome.problem.cluster_by_name)
    beside = _overridden(workload)
    if outcome.placement is None:
        return tuple(ClusterDecision(name, False, 0, _unplaced(view, name) + beside) for name in names)
    findings = {name: find(view, name) for name in names}
    above = [name for name in names if findings[name].binds == "from above"]
    below = [name for name in names if findings[name].binds == "from below"]
    return tuple(
        ClusterDecision(
            name,
            _selected(view, name),
            view.placed.get(name, 0),
            _told(view, name, findings[name], above, below) + beside,
        )
        for name in names
    )


def _overridden(workload: Workload) -> str:
    """Say which annotations count instead of the policy; empty where none does."""
    unit = workload.declared
    if not isinstance(unit, FederatedUnit) or not unit.overriding:
        return ""
    verb = "annotation" if len(unit.overriding) == 1 else "annotations"
    does = "overrides" if len(unit.overriding) == 1 else "override"
    return f" ({verb} {listed(list(unit.overriding), fewest=1)} {does} {workload.policy})"


def _selected(view: WorkloadView, cluster: str) -> bool:
    """Tell whether the manifest goes to a cluster: where replicas stand; all candidates if there are 0."""
    told = view.outcome.selected.get(view.workload.key)
    if told is not None:
        return cluster in told
    if view.workload.replicas:
        return view.placed.get(cluster, 0) > 0
    return cluster in view.open_to


def _unplaced(view: WorkloadView, cluster: str) -> str:
    """Say why there is nothing on a cluster where there is no placement at all."""
    if cluster not in view.open_to:
        return excluded(view, cluster)
    if view.outcome.status is Status.UNKNOWN:
        return NOTHING_FOUND
    for statement in view.outcome.conflict.rules if view.outcome.conflict else ():
        if statement.cluster == cluster and statement.workload in (None, view.workload.key):
            return f"nothing is placed: {statement.text}"
    return "nothing is placed: no placement keeps every rule"


def _told(
    view: WorkloadView, cluster: str, finding: ClusterReason, above: list[str], below: list[str]
) -> str:
    """Add which clusters push this one a whole replica or more away from its share."""
    wanted = view.wanted.get(cluster)
    if (
        finding.binds
        or wanted is None
        or cluster not in view.open_to
        or view.workload.rule(Duplicated) is not None
    ):
        return finding.text
    away = view.placed.get(cluster, 0) - wanted
    if away >= 1 and above:
        others, direction = above, "less"
    elif away <= -1 and below:
        others, direction = below, "more"
    else:
        return finding.text
    hold, their = ("holds", "its") if len(others) == 1 else ("hold", "their")
    return f"{finding.text}; {listed(others, fewest=1)} {hold} {direction} than {their} share"


@dataclass(frozen=True, slots=True)
class Difference:
    """A cluster on which a contender places another number of replicas than the best placement."""

    workload: str
    """Key of the workload."""
    cluster: str
    """Name of the cluster."""
    replicas: int
    """Replicas that the contender places there."""
    best: int
    """Replicas of the best placement there."""


@dataclass(frozen=True, repr=False)
class Contender:
    """Answer of a dispenser to the same problem."""

    name: str
    """Name of the dispenser."""
    outcome: Outcome
    """Answer of the dispenser: status, levels, violations."""
    unplaced: int
    """Replicas that are unplaced."""
    differences: tuple[Difference, ...]
    """Differences from the best placement, by workload and cluster; empty where there is no best one."""
    verdict: str
    """Sentence that compares it with the best placement."""

    def __repr__(self) -> str:
        return f"<Contender: {self.verdict}>"


@dataclass(frozen=True, repr=False)
class Comparison(Answer):
    """The best placement beside those of dispensers."""

    best: Outcome
    """Answer of `solve`."""
    contenders: tuple[Contender, ...]
    """Answers of the dispensers, in the order in which they were asked for."""

    @property
    def answers(self) -> dict[str, Outcome]:
        """All answers by the names of who gave them, the best placement first."""
        return {BEST: self.best, **{each.name: each.outcome for each in self.contenders}}

    @property
    def verdict(self) -> str:
        """How all contenders compare, a line each, below the verdict on the best placement."""
        return self.shown_by.verdict(self)
