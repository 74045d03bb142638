"""Why a workload stands where it stands, as a plain document: what ``-o json`` prints."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from fairlead.models.outcome_document import holds, json_number, source_text
from fairlead.solver.why.answer import ClusterWhy, Gain, Shift, Step, Why
from fairlead.solver.why.text import gain_sentence, sentence

Document = dict[str, Any]


def to_dict(why: Why) -> Document:
    """Return JSON-ready values, in the spelling of Kubernetes.

    Returns
    -------
    dict
        ``status``, ``origin``; ``workload`` with ``key``, ``namespace``, ``name``, ``kind``, ``replicas`` and
        ``affinityGroup``; ``available`` (Karmada's sentence, None where every cluster is a candidate);
        ``clusters`` with ``clusterName``, ``candidate``, ``selected``, ``replicas``, ``reason``, ``oneMore``
        and ``oneLess`` (None where there is nothing to ask); ``gains``, the best first; ``tried`` and
        ``untried`` bounds; ``objectives``, ``conflict`` and ``conflicts`` as `Outcome.to_dict` has them;
        ``seconds`` by step. A step has ``possible`` (``Yes``, ``No``, ``Unknown``), ``text``, ``replicas``,
        ``level``, ``before``, ``after``, ``change``, ``proven``, ``shifts``, ``reason`` and ``source``.
        Numbers are int where whole, else float; where a float cannot hold the number, ``exactBefore``,
        ``exactAfter`` and ``exactChange`` (``exactGain``) hold it as ``"1/3"``.
    """
    outcome = why.outcome.to_dict(decisions=False)
    workload = why.workload
    return {
        "status": outcome["status"],
        "origin": outcome["origin"],
        "workload": {
            "key": workload.key,
            "namespace": workload.namespace,
            "name": workload.name,
            "kind": workload.kind,
            "replicas": workload.replicas,
            "affinityGroup": workload.group,
        },
        "available": why.available or None,
        "clusters": [_cluster(each) for each in why.clusters],
        "gains": [_gain(gain) for gain in why.gains],
        "tried": why.tried,
        "untried": why.untried,
        "objectives": outcome["objectives"],
        "conflict": outcome["conflict"],
        "conflicts": outcome["conflicts"],
        "seconds": dict(why.seconds),
    }


def _cluster(each: ClusterWhy) -> Document:
    """Return one cluster."""
    decision = each.decision
    return {
        "clusterName": decision.cluster,
        "candidate": each.candidate,
        "selected": decision.selected,
        "replicas": decision.replicas,
        "reason": decision.reason,
        "oneMore": _step("one more", each.more, decision.cluster),
        "oneLess": _step("one less", each.less, decision.cluster),
    }


def _step(name: str, step: Step | None, cluster: str) -> Document | None:
    """Return what one replica more or less costs."""
    if step is None:
        return None
    return {
        "possible": str(step.possible),
        "text": sentence(name, step, cluster),
        "replicas": step.replicas,
        "level": step.level,
        **_numbers(before=step.before, after=step.after, change=step.change),
        "proven": step.proven,
        "shifts": [_shift(shift) for shift in step.shifts],
        "reason": step.reason or None,
        "source": source_text(step.source),
    }


def _shift(shift: Shift) -> Document:
    """Return what stands elsewhere."""
    return {
        "workload": shift.workload,
        "replicas": shift.replicas,
        "from": shift.start,
        "to": shift.end,
    }


def _gain(gain: Gain) -> Document:
    """Return a bound that improves the answer."""
    return {
        "text": gain_sentence(gain),
        "action": gain.action,
        "clusterName": gain.cluster,
        "level": gain.level,
        **_numbers(before=gain.before, after=gain.after, gain=gain.gain),
        "proven": gain.proven,
        "source": source_text(gain.source),
    }


def _numbers(**values: int | Fraction | None) -> Document:
    """Return numbers under their names, and exactly where a float cannot hold them."""
    document: Document = {}
    for name, value in values.items():
        if value is None:
            document[name] = None
            continue
        document[name] = json_number(value)
        if not holds(value):
            document[f"exact{name.capitalize()}"] = str(value)
    return document
