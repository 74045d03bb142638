"""Outcomes, alone and compared, as plain documents, and what all documents are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from fairlead.models.outcome import Attained, Comparison, Outcome
from fairlead.models.source import Source
from fairlead.models.statement import Conflict, Relaxation, Statement, Violation
from fairlead.models.triggers import untriggered
from fairlead.models.workload import Workload

if TYPE_CHECKING:
    from fairlead.solver.compare import Benchmark, SecondsSpread


def outcome_document(outcome: Outcome, *, decisions: bool = True) -> JsonObject:
    """Return an outcome as JSON-ready values, in the spelling of Kubernetes.

    `decisions`: whether the decision of every workload on every cluster is listed; False saves most of the
    space where both are many.

    ``status``, ``origin``, ``reason``; ``workloads`` with ``clusters`` (those that hold replicas) and
    ``decisions`` (every cluster of the problem, and why), ``expectedLoss`` where the input says how often
    clusters fail, ``reason`` where a dispenser fails on the workload; ``objectives``; ``conditions`` of the
    whole and of every workload; ``shortfalls`` (what gave way in a partial placement); ``brokenBefore`` and
    ``stillBroken`` (what runs now breaks, and the placement still does); ``violations``; ``conflict`` or
    None; ``conflicts``, one for every part that has no placement, that one first, each with ``proof``
    (``smallest``, ``minimal`` or ``unverified``);
    ``warnings``; ``seconds`` by step. Numbers of levels are int where whole, else float; where a float cannot
    hold the number, ``exact`` (``exactBound``) beside it holds it as ``"1/3"``. A level that was compared in
    steps tells their size as ``resolution``.
    """
    return {
        **picked(outcome, "status", "origin", "reason"),
        "workloads": [_workload(outcome, one, decisions=decisions) for one in outcome.problem.workloads],
        "objectives": [_level(level) for level in outcome.objectives],
        "conditions": plain(outcome.conditions.whole),
        "shortfalls": violation_documents(outcome.shortfalls),
        "brokenBefore": violation_documents(outcome.broken_before),
        "stillBroken": violation_documents(outcome.still_broken),
        "violations": violation_documents(outcome.violations),
        "conflict": conflict_document(outcome.conflict),
        "conflicts": [conflict_document(conflict) for conflict in outcome.conflicts],
        "warnings": statement_documents((*outcome.problem.warnings, *untriggered(outcome))),
        "seconds": dict(outcome.seconds),
    }


def _workload(outcome: Outcome, workload: Workload, *, decisions: bool) -> JsonObject:
    placed = outcome.placed(workload)
    document: JsonObject = {
        **picked(workload, "namespace", "name", "kind", "key", "replicas"),
        "unplaced": outcome.unplaced(workload),
        "affinityGroup": workload.group,
        "conditions": plain(outcome.conditions.workloads[workload.key]),
        "clusters": [{"name": cluster, "replicas": replicas} for cluster, replicas in placed.items()],
    }
    if outcome.expected_loss is not None:
        document["expectedLoss"] = json_number(outcome.expected_loss[workload.key])
    if workload.key in outcome.reasons:
        document["reason"] = outcome.reasons[workload.key]
    if workload.key in outcome.rejected:
        document["rejectedGroups"] = plain(outcome.rejected[workload.key])
    if decisions:
        document["decisions"] = [
            # One for every place, so written out: it takes a tenth of what picking the fields would.
            {
                "clusterName": one.cluster,
                "selected": one.selected,
                "replicas": one.replicas,
                "reason": one.reason,
            }
            for one in outcome.decisions[workload.key]
        ]
    return document


def _level(level: Attained) -> JsonObject:
    known = numbers(value=level.value, bound=level.bound)
    document: JsonObject = {"name": level.name, "value": known["value"], "bound": known["bound"]}
    document["proven"] = level.proven
    if "exactValue" in known:
        document["exact"] = known["exactValue"]
    if "exactBound" in known:
        document["exactBound"] = known["exactBound"]
    if level.resolution is not None:
        document["resolution"] = json_number(level.resolution)
    if level.tolerance:
        document["tolerance"] = json_number(level.tolerance)
    return document


def violation_documents(violations: Iterable[Violation]) -> list[JsonObject]:
    """Return broken rules."""
    names = ("rule", "source", "text", "amount", "workload", "cluster")
    return [picked(violation, *names) for violation in violations]


def statement_documents(statements: Iterable[Statement]) -> list[JsonObject]:
    """Return statements of rules as documents."""
    return [picked(statement, "rule", "source", "text") for statement in statements]


def conflict_document(conflict: Conflict | None) -> JsonObject | None:
    """Return rules that cannot hold together, whose they are, what is known of them, and the ways out."""
    if conflict is None:
        return None
    return {
        "workloads": list(conflict.workloads),
        "cause": conflict.cause or None,
        "rules": statement_documents(conflict.rules),
        "proof": str(conflict.proof),
        "relaxations": [_relaxation(relaxation) for relaxation in conflict.relaxations],
        "withoutWayOut": list(conflict.without_way_out),
        "advice": list(conflict.advice),
    }


def _relaxation(relaxation: Relaxation) -> JsonObject:
    """Return a way out: what to change, one by one and as fragments of manifests."""
    return {
        **picked(relaxation, "text", "change", "proven", "source"),
        "changes": [{**picked(change), "detail": change.named} for change in relaxation.changes],
        "manifest": relaxation.manifest or None,
    }


def comparison_document(comparison: Comparison) -> JsonObject:
    """Return a comparison of answers as JSON-ready values.

    ``verdict``; ``best``, as `Outcome.to_dict` gives it without decisions; ``contenders``, each alike, with
    ``name``, ``verdict``, ``unplaced`` and ``differences`` (``workload``, ``cluster``, ``replicas``,
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


def bench_document(bench: Benchmark) -> JsonObject:
    """Return measured rounds as JSON-ready values.

    ``rounds``; ``load``, seconds until the input was read (``median``, ``least``, ``most``, ``all``);
    ``schedulers``, fairlead's ``best`` first, each with ``name``, ``seconds`` likewise without loading,
    ``ratio`` to the fastest, whether the placement was the ``same`` in every round, and of the last one
    ``status``, ``unplaced``, ``objectives`` and ``violations``.
    """
    ratios, taken = bench.ratios, bench.taken
    return {
        "rounds": len(bench.rounds),
        "load": _seconds(bench.load, [each.load for each in bench.rounds]),
        "schedulers": [
            {
                "name": name,
                "seconds": _seconds(bench.seconds[name], taken[name]),
                "ratio": ratios[name],
                "same": name not in bench.changing,
                "unplaced": outcome.missing,
                **{
                    key: value
                    for key, value in outcome_document(outcome, decisions=False).items()
                    if key in ("status", "objectives", "violations")
                },
            }
            for name, outcome in bench.last.answers.items()
        ],
    }


def _seconds(spread: SecondsSpread, every: list[float]) -> JsonObject:
    return {**spread._asdict(), "all": every}


JsonObject = dict[str, Any]


def picked(thing: object, *names: str) -> JsonObject:
    """Return fields and properties of an object under their names in camel case, the value of each plain.

    `names`: names of fields and properties; none takes all fields of a dataclass, in order.
    """
    wanted = names or tuple(one.name for one in fields(thing)) if is_dataclass(thing) else names
    return {_camel(name): plain(getattr(thing, name)) for name in wanted}


def plain(value: object) -> Any:
    """Return a value as JSON has it: sources and enums as text, objects as their fields."""
    match value:
        case Source() | Enum():
            return str(value)
        case Fraction():
            return json_number(value)
        case Mapping():
            return {str(key): plain(each) for key, each in value.items()}
        case tuple() | list():
            return [plain(each) for each in value]
        case _ if is_dataclass(value):
            return picked(value)
        case _:
            return value


def json_number(value: int | Fraction) -> int | float:
    """Return an int where the value is whole, else a float."""
    return int(value) if value.denominator == 1 else float(value)


def numbers(**values: int | Fraction | None) -> JsonObject:
    """Return numbers under their names; those that a float cannot hold stand exactly beside them as well."""
    document: JsonObject = {}
    for name, value in values.items():
        document[name] = None if value is None else json_number(value)
        if value is not None and Fraction(document[name]) != value:
            document[f"exact{name.capitalize()}"] = str(value)
    return document


def _camel(name: str) -> str:
    """Return a name in camel case.

    >>> _camel("still_broken")
    'stillBroken'
    """
    first, *others = name.split("_")
    return first + "".join(each.capitalize() for each in others)
