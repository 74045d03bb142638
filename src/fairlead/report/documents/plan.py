"""A rebalance plan, and two compared, as plain documents: what ``-o json`` prints, and what is saved."""

from __future__ import annotations

from fairlead.models.usage import utilisation
from fairlead.report.documents.outcome import Document, outcome_document, picked
from fairlead.solver.plan.answer import RebalancePlan
from fairlead.solver.plan.saved import VERSION, PlanComparison


def plan_document(plan: RebalancePlan) -> Document:
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
    target, options = plan.outcome.placement, plan.options.waves
    return {
        "form": VERSION,
        **picked(plan, "moves", "nothing_to_do", "changes"),
        "waves": None if plan.waves is None else plan.waves.to_dict(),
        "insideWaves": [
            {"wave": each.wave, **picked(each.violation, "workload", "text")} for each in plan.passed_inside
        ],
        "target": None if target is None else target.to_dict(),
        "partial": plan.outcome.problem.partial,
        "waveOptions": {
            "order": str(options.order),
            **picked(options.availability),
            "detours": options.detours,
            "maxMovesPerWave": options.most_moves,
        },
        "utilisation": _utilisation(plan),
        "outcome": outcome_document(plan.outcome, decisions=False),
        "seconds": dict(plan.seconds),
    }


def _utilisation(plan: RebalancePlan) -> list[Document]:
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


def plan_comparison_document(comparison: PlanComparison) -> Document:
    """Return a comparison of plans as JSON-ready values.

    Returns
    -------
    dict
        ``same``; ``hasTarget``, ``moves`` and ``waves`` (None without a target) with ``before`` and
        ``after``; ``target`` (the differences by workload and cluster); ``addedWorkloads`` and
        ``removedWorkloads``.
    """
    before, after = comparison.before, comparison.after
    return {
        "same": comparison.same,
        "hasTarget": {"before": before.target is not None, "after": after.target is not None},
        "moves": {"before": before.moves, "after": after.moves},
        "waves": {"before": before.waves, "after": after.waves},
        "target": [picked(each) for each in comparison.targets],
        "addedWorkloads": list(comparison.added),
        "removedWorkloads": list(comparison.removed),
    }
