"""A rebalance plan as a plain document: what ``-o json`` prints, and what is saved to go on with later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fairlead.manifests.yaml.documents import Document as Read
from fairlead.models.errors import UsageError
from fairlead.models.outcome_document import to_dict as outcome_document
from fairlead.models.placement import Placement
from fairlead.models.usage import utilisation
from fairlead.solver.plan.saved import VERSION, validated
from fairlead.solver.plan.waves import Availability, Order, WaveOptions, WavePlan

if TYPE_CHECKING:
    from fairlead.models.problem import Problem
    from fairlead.solver.plan.answer import RebalancePlan

Document = dict[str, Any]


def to_dict(plan: RebalancePlan) -> Document:
    """Return a plan as JSON-ready values.

    Returns
    -------
    dict
        ``form``; ``moves`` (replicas that move), ``nothingToDo``; ``changes`` by workload and cluster with
        ``before`` and ``after``; ``waves`` (see `WavePlan.to_dict`) or None;
        ``insideWaves`` (group totals and spreads that hold between waves only); ``target`` (replicas by
        workload and cluster) or None; ``partial`` (whether replicas may stay unplaced); ``waveOptions``;
        ``utilisation`` by cluster and resource ``before`` and ``after``; ``outcome`` as `Outcome.to_dict`
        gives it, without decisions; ``seconds`` by step.
    """
    target = plan.outcome.placement
    return {
        "form": VERSION,
        "moves": plan.moves,
        "nothingToDo": plan.nothing_to_do,
        "changes": [
            {
                "workload": change.workload,
                "cluster": change.cluster,
                "before": change.before,
                "after": change.after,
            }
            for change in plan.changes
        ],
        "waves": None if plan.waves is None else plan.waves.to_dict(),
        "insideWaves": [
            {"wave": each.wave, "workload": each.violation.workload, "text": each.violation.text}
            for each in plan.passed_inside
        ],
        "target": None if target is None else target.to_dict(),
        "partial": plan.outcome.problem.partial,
        "waveOptions": _wave_options(plan.options.waves),
        "utilisation": _utilisation(plan),
        "outcome": outcome_document(plan.outcome, decisions=False),
        "seconds": dict(plan.seconds),
    }


def _wave_options(options: WaveOptions) -> Document:
    """Return how moves may be made."""
    return {
        "order": str(options.order),
        "maxUnavailable": options.availability.max_unavailable,
        "maxSurge": options.availability.max_surge,
        "detours": options.detours,
    }


def _utilisation(plan: RebalancePlan) -> list[Document]:
    """Return how full every cluster is before and after, as far as it is known."""
    if plan.outcome.placement is None:
        return []
    after = utilisation(plan.problem, plan.outcome.placement)
    before = {(each.cluster, each.resource): each.used for each in utilisation(plan.problem, plan.before)}
    return [
        {
            "cluster": each.cluster,
            "resource": each.resource,
            "offered": each.offered,
            "before": before.get((each.cluster, each.resource), 0),
            "after": each.used,
        }
        for each in after
    ]


@dataclass(frozen=True, slots=True)
class SavedPlan:
    """What is needed to go on with a plan.

    Parameters
    ----------
    target
        The placement to be reached.
    waves
        How moves may be made.
    planned
        The waves that were planned, as `WavePlan.to_dict` wrote them.
    partial
        Whether replicas may stay unplaced.
    """

    target: Placement
    waves: WaveOptions
    planned: Mapping[str, Any]
    partial: bool = False

    def waves_for(self, problem: Problem) -> WavePlan:
        """Return the planned waves for the problem that they were made for."""
        return WavePlan.from_dict(self.planned, problem, self.target, self.waves)


def saved_plan(document: Mapping[str, Any] | Read) -> SavedPlan:
    """Read a plan that `to_dict` wrote.

    Raises
    ------
    UsageError
        Where the document is no plan, is one of another form, or has no target.
    ManifestError
        Where something in it is wrong; names every mistake.
    """
    read = validated(document)
    if read.target is None or read.waves is None:
        raise UsageError("the saved plan has no target to go on to")
    options = read.wave_options
    availability = Availability(options.max_unavailable, options.max_surge)
    waves = WaveOptions(Order(options.order), availability, detours=options.detours)
    planned = read.waves.model_dump(by_alias=True)
    return SavedPlan(Placement(read.target), waves, planned, read.partial)
