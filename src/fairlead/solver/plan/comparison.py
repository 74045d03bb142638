"""How a rebalance plan differs from one that was saved before: targets, moves and waves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import starmap
from typing import TYPE_CHECKING, Any

from fairlead.manifests.yaml.documents import Document as Read
from fairlead.models.answer import Answer
from fairlead.models.placement import Placement, differences
from fairlead.solver.plan.saved import validated

if TYPE_CHECKING:
    from fairlead.solver.plan.answer import RebalancePlan


@dataclass(frozen=True, slots=True)
class TargetDifference:
    """A workload and a cluster for which two plans have different targets.

    Parameters
    ----------
    workload, cluster
        Where.
    before, after
        Replicas in the target of the saved plan, and in that of the new one.
    """

    workload: str
    cluster: str
    before: int
    after: int

    @property
    def difference(self) -> int:
        """Replicas more (positive) or fewer (negative) than in the saved plan."""
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class PlanSummary:
    """What is compared of one plan.

    Parameters
    ----------
    target
        Replicas by workload and cluster; None where the plan has no target.
    moves
        Replicas that move.
    waves
        Number of waves; None where there is no target.
    """

    target: Placement | None
    moves: int
    waves: int | None


@dataclass(frozen=True, repr=False, slots=True)
class PlanComparison(Answer):
    """How two plans differ; where they do not, there is nothing to tell.

    Parameters
    ----------
    before, after
        The saved plan and the new one.
    targets
        Differences of the targets, in the order of the names; empty where one of the plans has none.
    added, removed
        Keys of workloads that only the new plan has, and that only the saved one has.
    """

    before: PlanSummary
    after: PlanSummary
    targets: tuple[TargetDifference, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """Whether both have the same target, as many moves and as many waves."""
        return self.before == self.after


def compare_plans(before: Mapping[str, Any] | Read, after: RebalancePlan) -> PlanComparison:
    """Tell how a plan differs from a saved one.

    Parameters
    ----------
    before
        The saved plan, as `RebalancePlan.to_dict` wrote it; one without a target will do.
    after
        The new plan.

    Raises
    ------
    UsageError
        Where the document is no plan, or one of another form.
    ManifestError
        Where something in it is wrong; names every mistake.
    """
    saved, new = _saved(before), _summary(after)
    if saved.target is None or new.target is None:
        return PlanComparison(saved, new)
    workloads = sorted(saved.target.keys() | new.target.keys())
    return PlanComparison(
        saved,
        new,
        tuple(starmap(TargetDifference, differences(saved.target, new.target, workloads))),
        tuple(sorted(new.target.keys() - saved.target.keys())),
        tuple(sorted(saved.target.keys() - new.target.keys())),
    )


def _saved(document: Mapping[str, Any] | Read) -> PlanSummary:
    """Read what is compared from a saved plan."""
    read = validated(document)
    return PlanSummary(
        None if read.target is None else Placement(read.target),
        read.moves,
        None if read.waves is None else len(read.waves.waves),
    )


def _summary(plan: RebalancePlan) -> PlanSummary:
    """Return what is compared of a plan."""
    waves = None if plan.waves is None else len(plan.waves.waves)
    return PlanSummary(plan.outcome.placement, plan.moves, waves)
