"""An outcome as plain documents: what ``-o json`` prints, and a data frame."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from fairlead.models.conditions import Condition
from fairlead.models.errors import UsageError
from fairlead.models.outcome import Attained, ClusterDecision, Outcome
from fairlead.models.rules import Candidates, Duplicated
from fairlead.models.rules.duplicated import copy_on
from fairlead.models.source import Source
from fairlead.models.statement import Conflict, Relaxation, Statement, Violation
from fairlead.models.triggers import untriggered
from fairlead.models.wanted import wanted
from fairlead.models.workload import Workload

if TYPE_CHECKING:
    import pandas as pd

Document = dict[str, Any]


def to_dict(outcome: Outcome, *, decisions: bool = True) -> Document:
    """Return an outcome as JSON-ready values, in the spelling of Kubernetes.

    Parameters
    ----------
    outcome
        The outcome.
    decisions
        Whether the decision of every workload on every cluster is listed; False saves most of the space
        where both are many.

    Returns
    -------
    dict
        ``status``, ``origin``, ``reason``; ``workloads`` with ``clusters`` (those that hold replicas) and
        ``decisions`` (every cluster of the problem, and why); ``objectives``; ``conditions`` of the whole and
        of every workload; ``shortfalls`` (what gave way in a partial placement); ``brokenBefore`` and
        ``stillBroken`` (what runs now breaks, and the placement still does); ``violations``; ``conflict`` or
        None; ``conflicts``, one for every part that has no placement, that one first, each with ``proof``
        (``smallest``, ``minimal`` or ``unverified``); ``warnings``; ``seconds`` by step. Numbers of levels
        are int where whole, else float; where a float cannot hold the number, ``exact`` (``exactBound``)
        beside it holds it as ``"1/3"``. A level that was compared in steps tells their size as
        ``resolution``.
    """
    return {
        "status": str(outcome.status),
        "origin": outcome.origin,
        "reason": outcome.reason,
        "workloads": [
            _workload(outcome, workload, decisions=decisions) for workload in outcome.problem.workloads
        ],
        "objectives": [_level(level) for level in outcome.objectives],
        "conditions": [_condition(condition) for condition in outcome.conditions.whole],
        "shortfalls": [_violation(violation) for violation in outcome.shortfalls],
        "brokenBefore": [_violation(violation) for violation in outcome.broken_before],
        "stillBroken": [_violation(violation) for violation in outcome.still_broken],
        "violations": [_violation(violation) for violation in outcome.violations],
        "conflict": conflict_document(outcome.conflict) if outcome.conflict else None,
        "conflicts": [conflict_document(conflict) for conflict in outcome.conflicts],
        "warnings": [
            statement_document(warning) for warning in (*outcome.problem.warnings, *untriggered(outcome))
        ],
        "seconds": dict(outcome.seconds),
    }


def unplaced(outcome: Outcome, workload: Workload) -> int:
    """Return how many replicas of a workload stand nowhere; under Duplicated summed over the copies."""
    placed = outcome.placement.of(workload.key) if outcome.placement is not None else {}
    copies = workload.rule(Duplicated)
    if copies is None:
        return max(0, workload.replicas - sum(placed.values()))
    candidates = workload.rule(Candidates)
    names = candidates.names if candidates else tuple(outcome.problem.cluster_by_name)
    if copies.choice and not placed:
        return workload.replicas
    chosen = [name for name in names if placed.get(name)] if copies.choice else names
    return sum(max(0, copy_on(copies, workload, name) - placed.get(name, 0)) for name in chosen)


def _workload(outcome: Outcome, workload: Workload, *, decisions: bool) -> Document:
    """Return one workload with its clusters and decisions."""
    placed = outcome.placement.of(workload.key) if outcome.placement is not None else {}
    document: Document = {
        "namespace": workload.namespace,
        "name": workload.name,
        "kind": workload.kind,
        "key": workload.key,
        "replicas": workload.replicas,
        "unplaced": unplaced(outcome, workload),
        "affinityGroup": workload.group,
        "conditions": [_condition(condition) for condition in outcome.conditions.workloads[workload.key]],
        "clusters": [{"name": cluster, "replicas": replicas} for cluster, replicas in placed.items()],
    }
    if workload.key in outcome.rejected:
        document["rejectedGroups"] = [
            {"name": group.name, "reason": group.reason, "source": source_text(group.source)}
            for group in outcome.rejected[workload.key]
        ]
    if decisions:
        document["decisions"] = [_decision(decision) for decision in outcome.decisions[workload.key]]
    return document


def _decision(decision: ClusterDecision) -> Document:
    """Return what was decided for one cluster."""
    return {
        "clusterName": decision.cluster,
        "selected": decision.selected,
        "replicas": decision.replicas,
        "reason": decision.reason,
    }


def _level(level: Attained) -> Document:
    """Return one level of the objective."""
    document: Document = {
        "name": level.name,
        "value": json_number(level.value),
        "bound": None if level.bound is None else json_number(level.bound),
        "proven": level.proven,
    }
    if not holds(level.value):
        document["exact"] = str(level.value)
    if level.bound is not None and not holds(level.bound):
        document["exactBound"] = str(level.bound)
    if level.resolution is not None:
        document["resolution"] = json_number(level.resolution)
    return document


def json_number(value: int | Fraction) -> int | float:
    """Return an int where the value is whole, else a float."""
    return int(value) if value.denominator == 1 else float(value)


def holds(value: int | Fraction) -> bool:
    """Tell whether the JSON number is the exact value."""
    return Fraction(json_number(value)) == value


def _condition(condition: Condition) -> Document:
    """Return one condition as Kubernetes writes it."""
    return {
        "type": condition.type,
        "status": condition.status,
        "reason": condition.reason,
        "message": condition.message,
    }


def _violation(violation: Violation) -> Document:
    """Return one broken rule."""
    return {
        "rule": violation.rule,
        "source": source_text(violation.source),
        "text": violation.text,
        "amount": violation.amount,
        "workload": violation.workload,
        "cluster": violation.cluster,
    }


def statement_document(statement: Statement) -> Document:
    """Return what one rule says."""
    return {"rule": statement.rule, "source": source_text(statement.source), "text": statement.text}


def conflict_document(conflict: Conflict) -> Document:
    """Return rules that cannot hold together, whose they are, what is known of them, and the ways out."""
    return {
        "workloads": list(conflict.workloads),
        "rules": [statement_document(statement) for statement in conflict.rules],
        "proof": str(conflict.proof),
        "relaxations": [relaxation_document(relaxation) for relaxation in conflict.relaxations],
        "without_way_out": list(conflict.without_way_out),
    }


def relaxation_document(relaxation: Relaxation) -> Document:
    """Return a way out: what to change, one by one and as fragments of manifests."""
    return {
        "text": relaxation.text,
        "change": relaxation.change,
        "proven": relaxation.proven,
        "source": source_text(relaxation.source),
        "changes": [
            {
                "kind": str(change.kind),
                "workload": change.workload,
                "cluster": change.cluster,
                "detail": change.detail,
                "before": change.before,
                "after": change.after,
                "cost": change.cost,
                "source": source_text(change.source),
            }
            for change in relaxation.changes
        ],
        "manifest": relaxation.manifest or None,
    }


def source_text(source: Source | None) -> str | None:
    """Return ``file:line``; None where there is no source."""
    return str(source) if source else None


def to_frame(outcome: Outcome) -> pd.DataFrame:
    """Return one row per workload and cluster.

    Returns
    -------
    pandas.DataFrame
        ``workload``, ``namespace``, ``name``, ``cluster``, ``region``, ``selected``, ``replicas``,
        ``current`` (replicas that run there now), ``wanted`` (share of the weights; missing where no weight
        counts) and ``reason``. A text that a spreadsheet would take for a formula has an apostrophe before
        it.

    Raises
    ------
    UsageError
        Where pandas is not installed.
    """
    try:
        import pandas as pd
    except ImportError:
        message = "to_frame() needs pandas: pip install 'fairlead[frames]'"
        raise UsageError(message) from None
    columns: dict[str, list[object]] = {name: [] for name in _FRAME_TYPES}
    for workload in outcome.problem.workloads:
        for row in _rows(outcome, workload):
            for column, value in zip(columns.values(), row, strict=True):
                column.append(_harmless(value))
    return pd.DataFrame({name: pd.Series(columns[name], dtype=kind) for name, kind in _FRAME_TYPES.items()})


_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Beginnings of what a spreadsheet computes instead of showing it."""


def _harmless(value: object) -> object:
    """Return a cell; a text that a spreadsheet would compute is marked as text."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


_FRAME_TYPES = {
    "workload": "object",
    "namespace": "object",
    "name": "object",
    "cluster": "object",
    "region": "object",
    "selected": "bool",
    "replicas": "int64",
    "current": "int64",
    "wanted": "float64",
    "reason": "object",
}


def _rows(outcome: Outcome, workload: Workload) -> list[tuple[object, ...]]:
    """Return the rows of one workload, in the order of the columns."""
    placed = outcome.placement.of(workload.key) if outcome.placement is not None else {}
    shares = wanted(workload, placed)
    return [
        (
            workload.key,
            workload.namespace,
            workload.name,
            decision.cluster,
            outcome.problem.cluster_by_name[decision.cluster].region,
            decision.selected,
            decision.replicas,
            workload.current.get(decision.cluster, 0),
            float(shares[decision.cluster]) if decision.cluster in shares else None,
            decision.reason,
        )
        for decision in outcome.decisions[workload.key]
    ]
