"""Why a workload stands where it stands, as a plain document: what ``-o json`` prints."""

from __future__ import annotations

from fairlead.report.content.why import gain_sentence, told
from fairlead.report.documents.outcome import Document, numbers, outcome_document, picked, plain
from fairlead.solver.why.answer import ClusterWhy, Gain, Step, Why


def why_document(why: Why) -> Document:
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
    outcome = outcome_document(why.outcome, decisions=False)
    names = ("key", "namespace", "name", "kind", "replicas")
    return {
        "status": outcome["status"],
        "origin": outcome["origin"],
        "workload": {**picked(why.workload, *names), "affinityGroup": why.workload.group},
        "available": why.available or None,
        "clusters": [_cluster(each) for each in why.clusters],
        "gains": [_gain(gain) for gain in why.gains],
        **picked(why, "tried", "untried"),
        "objectives": outcome["objectives"],
        "conflict": outcome["conflict"],
        "conflicts": outcome["conflicts"],
        "seconds": dict(why.seconds),
    }


def _cluster(each: ClusterWhy) -> Document:
    decision = each.decision
    return {
        "clusterName": decision.cluster,
        "candidate": each.candidate,
        **picked(decision, "selected", "replicas", "reason"),
        "oneMore": _step("one more", each.more, decision.cluster),
        "oneLess": _step("one less", each.less, decision.cluster),
    }


def _step(name: str, step: Step | None, cluster: str) -> Document | None:
    if step is None:
        return None
    return {
        "possible": str(step.possible),
        "text": f"{name}: {told(step, cluster)}",
        **picked(step, "replicas", "level"),
        **numbers(before=step.before, after=step.after, change=step.change),
        "proven": step.proven,
        "shifts": [
            {**picked(shift, "workload", "replicas"), "from": shift.start, "to": shift.end}
            for shift in step.shifts
        ],
        "reason": step.reason or None,
        "source": plain(step.source),
    }


def _gain(gain: Gain) -> Document:
    return {
        "text": gain_sentence(gain),
        "action": gain.action,
        "clusterName": gain.cluster,
        "level": gain.level,
        **numbers(before=gain.before, after=gain.after, gain=gain.gain),
        "proven": gain.proven,
        "source": plain(gain.source),
    }
