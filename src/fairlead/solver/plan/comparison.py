"""How a rebalance plan differs from one that was saved before: targets, moves and waves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fairlead.manifests.yaml.documents import Document as Read
from fairlead.models.placement import Placement
from fairlead.models.words import counted
from fairlead.solver.plan.saved import validated

if TYPE_CHECKING:
    from fairlead.solver.plan.answer import RebalancePlan

Document = dict[str, Any]

SHOWN = 20
"""Differences that a short rendering shows before it counts the rest."""


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


@dataclass(frozen=True, slots=True)
class PlanComparison:
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

    def to_dict(self) -> Document:
        """Return JSON-ready values.

        Returns
        -------
        dict
            ``same``; ``hasTarget``, ``moves`` and ``waves`` (None without a target) with ``before`` and
            ``after``; ``target`` (the differences by workload and cluster); ``addedWorkloads`` and
            ``removedWorkloads``.
        """
        before, after = self.before, self.after
        return {
            "same": self.same,
            "hasTarget": {"before": before.target is not None, "after": after.target is not None},
            "moves": {"before": before.moves, "after": after.moves},
            "waves": {"before": before.waves, "after": after.waves},
            "target": [
                {
                    "workload": each.workload,
                    "cluster": each.cluster,
                    "before": each.before,
                    "after": each.after,
                }
                for each in self.targets
            ],
            "addedWorkloads": list(self.added),
            "removedWorkloads": list(self.removed),
        }

    def summary(self) -> Iterator[str]:
        """Yield a sentence for everything that differs, but for the single clusters of the targets."""
        before, after = self.before, self.after
        if before.target is None or after.target is None:
            if before.target is not None:
                yield "The saved plan had a target; the new one has none."
            elif after.target is not None:
                yield "The saved plan had no target; the new one has one."
            return
        if before.moves != after.moves:
            yield f"{counted(after.moves, 'replica')} to move instead of {before.moves}."
        if before.waves != after.waves:
            yield f"{counted(after.waves or 0, 'wave')} instead of {before.waves or 0}."
        yield from (f"{key} is not in the saved plan." for key in self.added)
        yield from (f"{key} is not in the new plan." for key in self.removed)

    def __str__(self) -> str:
        lines = list(self.summary())
        lines += [
            f"{each.workload} on {each.cluster}: {each.after} instead of {each.before}"
            for each in self.targets[:SHOWN]
        ]
        if len(self.targets) > SHOWN:
            lines.append(f"... and {counted(len(self.targets) - SHOWN, 'more difference')}")
        return "\n".join(lines)


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
    return PlanComparison(
        saved,
        new,
        tuple(_differences(saved.target, new.target)),
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


def _differences(before: Placement, after: Placement) -> Iterator[TargetDifference]:
    """Yield every workload and cluster with different numbers."""
    for workload in sorted(before.keys() | after.keys()):
        old, new = before.of(workload), after.of(workload)
        for cluster in sorted(old.keys() | new.keys()):
            if old.get(cluster, 0) != new.get(cluster, 0):
                yield TargetDifference(workload, cluster, old.get(cluster, 0), new.get(cluster, 0))
