"""The planners alone, asked with the names that KubeAdmiral gives things."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from fairlead.models.errors import UsageError
from fairlead.solver.dispensers.kubeadmiral.binpack import binpack
from fairlead.solver.dispensers.kubeadmiral.documents import Document, entries, section, text
from fairlead.solver.dispensers.kubeadmiral.inputs import Division, PlannerInput, Preferences
from fairlead.solver.dispensers.kubeadmiral.planner import spread

PLANNERS: Mapping[str, Callable[[PlannerInput], Division]] = MappingProxyType(
    {"plan": spread, "binpack": binpack}
)

_PLANNER_NAMES = frozenset(
    {
        "availableClusters",
        "avoidDisruption",
        "clusters",
        "currentReplicaCount",
        "estimatedCapacity",
        "keepUnschedulableReplicas",
        "limitedCapacity",
        "replicaSetKey",
        "scheduledReplicas",
        "totalReplicas",
    }
)


def plan(kind: str = "plan", **parameters: Any) -> dict[str, dict[str, int]]:
    """Divide replicas as one of KubeAdmiral's planners does.

    Parameters
    ----------
    kind
        ``plan`` for the strategy Spread, ``binpack`` for Binpack.
    **parameters
        ``totalReplicas``, ``availableClusters`` (names, in order of filling for Binpack), ``clusters``
        ({name: {weight, minReplicas, maxReplicas}}, ``*`` for all others), ``currentReplicaCount``,
        ``estimatedCapacity``, ``limitedCapacity``, ``scheduledReplicas`` ({name: replicas}),
        ``replicaSetKey``, ``avoidDisruption``, ``keepUnschedulableReplicas``. What is left out is empty, 0
        or false.

    Returns
    -------
    dict
        ``plan`` and ``overflow`` by cluster; zeros in the plan are kept.

    Raises
    ------
    UsageError
        Where the kind or a parameter is unknown.
    UnsupportedError
        Where negative weights make the real planner run for ever.
    """
    if kind not in PLANNERS:
        raise UsageError(f"no planner {kind!r}; known: {', '.join(sorted(PLANNERS))}")
    unknown = sorted(set(parameters) - _PLANNER_NAMES)
    if unknown:
        raise UsageError(f"unknown: {', '.join(unknown)}; known: {', '.join(sorted(_PLANNER_NAMES))}")
    division = PLANNERS[kind](_question(parameters))
    return {"plan": dict(division.plan), "overflow": dict(division.overflow)}


def _question(parameters: Document) -> PlannerInput:
    """Return what a planner is asked, from its own parameter names."""
    preferences = {
        name: Preferences(each.get("weight") or 0, each.get("minReplicas") or 0, each.get("maxReplicas"))
        for name, each in section(parameters, "clusters").items()
    }
    return PlannerInput(
        preferences=preferences,
        total=parameters.get("totalReplicas") or 0,
        available=tuple(entries(parameters, "availableClusters")),
        current=dict(section(parameters, "currentReplicaCount")),
        estimated=dict(section(parameters, "estimatedCapacity")),
        limited=dict(section(parameters, "limitedCapacity")),
        scheduled=dict(section(parameters, "scheduledReplicas")),
        key=text(parameters, "replicaSetKey"),
        avoid_disruption=bool(parameters.get("avoidDisruption")),
        keep_unschedulable=bool(parameters.get("keepUnschedulableReplicas")),
    )
