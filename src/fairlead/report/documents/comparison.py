"""Comparisons as plain documents: what ``-o json`` prints."""

from fairlead.models.comparison import Comparison
from fairlead.report.documents.outcome import outcome_document
from fairlead.report.documents.values import Document, picked
from fairlead.solver.plan.comparison import PlanComparison


def comparison_document(comparison: Comparison) -> Document:
    """Return a comparison of answers as JSON-ready values.

    Returns
    -------
    dict
        ``verdict``; ``best``, as `Outcome.to_dict` gives it without decisions; ``contenders``, each alike,
        with ``name``, ``verdict``, ``unplaced`` and ``differences`` (``workload``, ``cluster``, ``replicas``,
        ``best``) on top.
    """
    return {
        "verdict": comparison.verdict,
        "best": outcome_document(comparison.best, decisions=False),
        "contenders": [
            {
                **picked(each, "name", "verdict", "unplaced", "differences"),
                **outcome_document(each.outcome, decisions=False),
            }
            for each in comparison.contenders
        ],
    }


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
