"""Whether a binding is scheduled, and what it stands for runs where it was put."""

from collections.abc import Iterator, Mapping
from typing import Any

from fairlead.controller.standing import condition_of
from fairlead.controller.world import Entry
from fairlead.manifests.karmada.requests import in_sets

_NUMBERS = ("replicas", "readyReplicas")


def arrival(entry: Entry, placed: Mapping[str, int]) -> str:
    """Say what is still missing until a binding has arrived; empty where nothing is.

    Its scheduler has seen it, and every cluster reports in ``status.aggregatedStatus`` that the workload was
    applied, is healthy and, where it reports numbers, that all replicas are ready and none is left over. A
    cluster that it left reports no more.

    Parameters
    ----------
    entry
        The binding.
    placed
        Replicas by cluster where it was put.
    """
    if entry.status.get("schedulerObservedGeneration") != entry.generation:
        return "its scheduler has not seen it yet"
    scheduled = condition_of(entry.status) or {}
    if scheduled.get("status") != "True":
        return f"is not scheduled: {scheduled.get('message') or 'no reason is given'}"
    spec = entry.subject.binding.model.spec if entry.subject and entry.subject.binding else None
    # What a set of several components reports as replicas is its own business.
    counted = spec is not None and not in_sets(spec)
    reports = {str(one["clusterName"]): one for one in entry.status.get("aggregatedStatus") or ()}
    return next(_missing(reports, placed, counted=counted), "")


def _missing(
    reports: Mapping[str, Mapping[str, Any]], placed: Mapping[str, int], *, counted: bool
) -> Iterator[str]:
    """Yield what is missing, by cluster."""
    for cluster, count in sorted(placed.items()):
        report = reports.get(cluster)
        if report is None:
            yield f"{cluster} has not reported yet"
            continue
        if not report.get("applied"):
            yield f"is not applied in {cluster}: {report.get('appliedMessage') or 'no reason is given'}"
        told = report.get("status") or {}
        numbers = (
            {name: int(told.get(name) or 0) for name in _NUMBERS} if counted and _has_numbers(told) else {}
        )
        wrong = [f"{name} is {number}" for name, number in numbers.items() if number != count]
        if wrong:
            yield f"{wrong[0]} in {cluster}, not {count}"
        # Of some kinds Karmada cannot tell the health; then their numbers, or that they are applied, count.
        if report.get("health") == "Unhealthy":
            yield f"is not healthy in {cluster}"
    for cluster in sorted(set(reports) - set(placed)):
        yield f"is still in {cluster}"


def _has_numbers(told: Mapping[str, Any]) -> bool:
    """Tell whether a status counts replicas; a workload that is scaled to 0 leaves the numbers out."""
    return any(name in told for name in (*_NUMBERS, "availableReplicas", "updatedReplicas"))
