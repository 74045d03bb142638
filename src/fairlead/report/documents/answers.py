"""All other answers as plain documents: plans, simulations, comparisons, explanations."""

from fairlead.models.answer import Answer
from fairlead.models.outcome import Comparison
from fairlead.models.usage import Utilisation
from fairlead.report.content.fullness import planned
from fairlead.report.content.simulation import level_pairs
from fairlead.report.content.why import gain_sentence, told
from fairlead.report.documents.outcome import (
    JsonObject,
    bench_document,
    comparison_document,
    conflict_document,
    json_number,
    numbers,
    outcome_document,
    picked,
    plain,
    violation_documents,
)
from fairlead.solver.compare import Benchmark
from fairlead.solver.plan.answer import RebalancePlan
from fairlead.solver.plan.saved import VERSION, PlanComparison
from fairlead.solver.script.played import Handled, Played, quantile
from fairlead.solver.simulate.result import Effect, Simulation
from fairlead.solver.why.answer import ClusterWhy, Gain, Step, Why


def document_of(answer: Answer) -> JsonObject:
    """Return an answer that is no outcome as JSON-ready values."""
    match answer:
        case RebalancePlan():
            return plan_document(answer)
        case PlanComparison():
            return plan_comparison_document(answer)
        case Simulation():
            return simulation_document(answer)
        case Comparison():
            return comparison_document(answer)
        case Benchmark():
            return bench_document(answer)
        case Why():
            return why_document(answer)
        case Played():
            return script_document(answer)
        case _:
            raise TypeError(f"{type(answer).__name__} has no form to be shown in")


def plan_document(plan: RebalancePlan) -> JsonObject:
    """Return a plan as JSON-ready values.

    ``form``; ``moves`` (replicas that move), ``nothingToDo``; ``changes`` by workload and cluster with
    ``before`` and ``after``; ``waves`` (see `WavePlan.to_dict`) or None; ``insideWaves`` (group totals and
    spreads that hold between waves only); ``target`` (replicas by workload and cluster) or None; ``partial``
    (whether replicas may stay unplaced); ``waveOptions``; ``utilisation`` by cluster and resource ``before``
    and ``after``; ``outcome`` as `Outcome.to_dict` gives it, without decisions; ``seconds`` by step.
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
        "utilisation": [
            {
                **picked(each, "cluster", "resource"),
                "offered": each.after and each.after.offered,
                "before": each.before and each.before.used,
                "after": each.after and each.after.used,
            }
            for each in (() if target is None else planned(plan))
        ],
        "outcome": outcome_document(plan.outcome, decisions=False),
        "seconds": dict(plan.seconds),
    }


def plan_comparison_document(comparison: PlanComparison) -> JsonObject:
    """Return a comparison of plans as JSON-ready values.

    ``same``; ``hasTarget``, ``moves`` and ``waves`` (None without a target) with ``before`` and ``after``;
    ``target`` (the differences by workload and cluster); ``addedWorkloads`` and ``removedWorkloads``.
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


_OF_SCENARIOS = "clusters fits known status unplaced least broken moved started lost"


def simulation_document(simulation: Simulation) -> JsonObject:
    """Return a simulation as JSON-ready values.

    ``changes`` in words; ``fits``; ``known``, false where not everything was placed in time, but a better
    placement might be found; ``workloads``, those to which the changes make a difference, with ``moved``,
    ``started``, ``stopped``, ``lost``, ``unplaced`` and their ``clusters`` (``name``, ``before``, ``after``);
    ``anyway``, how many others would be placed the same without the changes, but not as they run now;
    ``unchanged``, how many stay as they are; ``broken``, the rules that give way; ``brokenAtOnce``, those
    that are broken until it is repaired; ``objectives`` with ``before`` and ``after`` (null where the level
    is not there); ``utilisation`` by cluster and resource (``used``, ``offered`` in millicores or whole
    units, null where unknown); ``fullest``, of every cluster the resource that is used most after, the
    fullest cluster first; ``conflict`` or null; ``scenarios``, the worst first, with
    ``least``, false where time was over before it was proven that nothing less gives way; ``warnings`` that
    the changes brought; ``before`` and ``after``, the outcomes as `Outcome.to_dict` gives them without
    decisions.
    """
    before = outcome_document(simulation.before, decisions=False)
    after = outcome_document(simulation.after, decisions=False)
    anyway = sum(effect.happens and not effect.caused for effect in simulation.effects)
    return {
        "changes": [str(change) for change in simulation.changes],
        **picked(simulation, "fits", "known"),
        "workloads": [_effect(effect) for effect in simulation.caused],
        "anyway": anyway,
        "unchanged": len(simulation.effects) - len(simulation.caused) - anyway,
        "broken": violation_documents(simulation.broken),
        "brokenAtOnce": violation_documents(simulation.broken_at_once),
        "objectives": [
            {
                "name": name,
                "before": None if here is None else json_number(here.value),
                "after": None if there is None else json_number(there.value),
            }
            for name, here, there in level_pairs(simulation)
        ],
        "utilisation": [
            {**picked(one, "cluster", "resource"), "before": _used(one.before), "after": _used(one.after)}
            for one in simulation.utilisation
        ],
        "fullest": [picked(one, "cluster", "resource", "used", "offered") for one in simulation.fullest],
        "conflict": conflict_document(simulation.after.conflict),
        "sweep": simulation.sweep,
        "scenarios": [
            {"change": str(scenario.change), **picked(scenario, *_OF_SCENARIOS.split())}
            for scenario in simulation.scenarios
        ],
        "warnings": [warning for warning in after["warnings"] if warning not in before["warnings"]],
        "before": before,
        "after": after,
    }


def _effect(effect: Effect) -> JsonObject:
    return {
        "key": effect.workload,
        **picked(effect, "moved", "started", "stopped", "lost", "unplaced"),
        "clusters": [
            {"name": name, "before": before, "after": after} for name, before, after in effect.shifts
        ],
    }


def _used(one: Utilisation | None) -> JsonObject | None:
    return None if one is None else picked(one, "used", "offered")


def why_document(why: Why) -> JsonObject:
    """Return JSON-ready values, in the spelling of Kubernetes.

    ``status``, ``origin``; ``workload`` with ``key``, ``namespace``, ``name``, ``kind``, ``replicas`` and
    ``affinityGroup``; ``available`` (Karmada's sentence, None where every cluster is a candidate);
    ``clusters`` with ``clusterName``, ``candidate``, ``selected``, ``replicas``, ``reason``, ``oneMore`` and
    ``oneLess`` (None where there is nothing to ask); ``gains``, the best first; ``tried`` and ``untried``
    bounds; ``objectives``, ``conflict`` and ``conflicts`` as `Outcome.to_dict` has them; ``seconds`` by step.
    A step has ``possible`` (``Yes``, ``No``, ``Unknown``), ``text``, ``replicas``, ``level``, ``before``,
    ``after``, ``change``, ``proven``, ``shifts``, ``reason`` and ``source``. Numbers are int where whole,
    else float; where a float cannot hold the number, ``exactBefore``, ``exactAfter`` and ``exactChange``
    (``exactGain``) hold it as ``"1/3"``.
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


def _cluster(each: ClusterWhy) -> JsonObject:
    decision = each.decision
    return {
        "clusterName": decision.cluster,
        "candidate": each.candidate,
        **picked(decision, "selected", "replicas", "reason"),
        "oneMore": _step("one more", each.more, decision.cluster),
        "oneLess": _step("one less", each.less, decision.cluster),
    }


def _step(name: str, step: Step | None, cluster: str) -> JsonObject | None:
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


def _gain(gain: Gain) -> JsonObject:
    return {
        "text": gain_sentence(gain),
        "action": gain.action,
        "clusterName": gain.cluster,
        "level": gain.level,
        **numbers(before=gain.before, after=gain.after, gain=gain.gain),
        "proven": gain.proven,
        "source": plain(gain.source),
    }


def script_document(played: Played) -> JsonObject:
    """Return JSON-ready values.

    Returns
    -------
    dict
        ``script``, its name; ``start``, ``end``, ``hours``; ``schedulers``, each with ``name``;
        ``pendingHours``, ``waitingHours``, ``brokenHours`` in replica-hours and ``brokenByRule``; ``moved``,
        ``evicted`` and ``disturbed``; ``off``, replicas off their weights on average; ``clusters`` or null;
        ``proven``, the share of answers that are proven or within 1 %, and ``provenAboveBalance``, or null;
        ``use`` by resource with ``peak`` and ``percentile95`` of what a cluster has; ``seconds`` with
        ``total``, ``median``, ``percentile95`` and ``worst``; ``events``, with ``at``, ``name``, ``hours``
        until the next one, ``due``, ``moved``, ``evicted``, ``planned``; in replicas ``missing``,
        ``waiting``, ``broken``, ``rules`` by kind and ``pending`` by workload; and ``reasons``, why these
        workloads were not placed in full, where the scheduler says so.
    """
    script = played.script
    return {
        "script": script.name,
        "start": script.events[0].at.isoformat(),
        "end": script.end.isoformat(),
        "hours": script.hours,
        "schedulers": [_handled(one) for one in played.handled],
    }


def _handled(one: Handled) -> JsonObject:
    peak, usual, seconds = one.use(1), one.use(0.95), one.seconds
    return {
        "name": one.scheduler,
        **picked(one, "pending_hours", "waiting_hours", "broken_hours", "broken_by_rule", "moved"),
        "evicted": one.forced,
        **picked(one, "disturbed", "off", "clusters", "proven"),
        "provenAboveBalance": one.proven_above,
        "use": {name: {"peak": peak[name], "percentile95": usual[name]} for name in peak},
        "seconds": {
            "total": sum(seconds),
            "median": quantile(seconds, 0.5),
            "percentile95": quantile(seconds, 0.95),
            "worst": quantile(seconds, 1),
        },
        "events": [
            {
                "at": step.at.isoformat(),
                **picked(step, "name", "hours", "due", "moved"),
                "evicted": step.forced,
                **picked(step, "planned", "missing", "waiting", "broken"),
                "rules": dict(step.state.rules),
                "pending": step.pending,
                "reasons": {key: step.reasons[key] for key in step.pending if key in step.reasons},
            }
            for step in one.steps
        ],
    }
