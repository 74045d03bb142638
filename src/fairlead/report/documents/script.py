"""Results of a script as a plain document."""

from fairlead.report.documents.outcome import JsonObject, picked
from fairlead.solver.script.played import Handled, Played, quantile


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
