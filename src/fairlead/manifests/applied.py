"""Whether a binding was scheduled by the placement that counts now, as Karmada's scheduler tells it."""

import json
from typing import Any

from fairlead.manifests.division import is_divided
from fairlead.manifests.facts import Declared
from fairlead.manifests.join import Subject
from fairlead.models.workload import Workload

APPLIED = "policy.karmada.io/applied-placement"
"""Annotation with the placement by which the scheduler placed a binding last, as JSON."""

_COMPARED = ("clusterAffinity", "clusterTolerations", "spreadConstraints", "replicaScheduling")
# Tolerations that Karmada's webhook adds to every policy, whether it asks for them or not.
_ADDED = ("cluster.karmada.io/not-ready", "cluster.karmada.io/unreachable")


def is_at_rest(subject: Subject, workload: Workload, declared: Declared) -> bool:
    """Tell whether Karmada's scheduler would leave a binding as it is, the rules it may break left aside.

    It looks again at a binding whose placement is not the one in its annotation, at one whose replicas do not
    add up, and always at one that is duplicated; at one that somebody asked to reschedule (`Workload.fresh`)
    as well, which is not looked at here.
    """
    binding = subject.binding
    if binding is None:
        return False
    if not (is_divided(declared.placement) or declared.totals.even or declared.totals.equal):
        return False
    if sum(workload.current.values()) != workload.replicas:
        return False
    applied = _parsed(binding.model.metadata.annotations.get(APPLIED, ""))
    return applied is not None and _compared(applied, workload) == _compared(_at(declared), workload)


def _parsed(text: str) -> Any:
    """Return what an annotation says; None where it is no JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def _at(declared: Declared) -> Any:
    """Return the placement as it is written."""
    data: Any = declared.document.data
    for step in declared.path:
        data = data.get(step) if isinstance(data, dict) else None
    return data


def _compared(placement: Any, workload: Workload) -> Any:
    """Return what the scheduler compares of a placement: of affinity groups only the observed one."""
    if not isinstance(placement, dict):
        return None
    parts = {name: placement.get(name) for name in _COMPARED}
    terms = placement.get("clusterAffinities")
    if isinstance(terms, list) and terms:
        named = (term for term in terms if isinstance(term, dict))
        parts["observed"] = next(
            (term for term in named if term.get("affinityName") == workload.observed), "none"
        )
    return _bare(_completed(parts))


def _completed(parts: dict[str, Any]) -> dict[str, Any]:
    """Fill in what Karmada's webhook fills in, so that a policy that did not pass it compares alike."""
    scheduling = parts["replicaScheduling"]
    if isinstance(scheduling, dict) and scheduling.get("replicaSchedulingType") != "Duplicated":
        parts["replicaScheduling"] = {
            **scheduling,
            "replicaSchedulingType": "Divided",
            "replicaDivisionPreference": scheduling.get("replicaDivisionPreference") or "Weighted",
        }
    spreads, tolerations = parts["spreadConstraints"], parts["clusterTolerations"]
    if isinstance(spreads, list):
        parts["spreadConstraints"] = [_spread(one) for one in spreads]
    if isinstance(tolerations, list):
        parts["clusterTolerations"] = [one for one in tolerations if not _is_added(one)]
    return parts


def _spread(constraint: Any) -> Any:
    """Return a spread constraint with its defaults: over clusters, at least one."""
    if not isinstance(constraint, dict):
        return constraint
    named = constraint.get("spreadByLabel") or constraint.get("spreadByField")
    field = {} if named else {"spreadByField": "cluster"}
    return {**constraint, **field, "minGroups": constraint.get("minGroups") or 1}


def _is_added(toleration: Any) -> bool:
    """Tell whether a toleration is one that the webhook adds."""
    return (
        isinstance(toleration, dict)
        and toleration.get("key") in _ADDED
        and toleration.get("operator") == "Exists"
        and toleration.get("effect") == "NoExecute"
    )


def _bare(value: Any) -> Any:
    """Return a value without what is empty, as an absent field and an empty one mean the same."""
    if isinstance(value, dict):
        found = {key: _bare(item) for key, item in value.items()}
        return {key: item for key, item in found.items() if item not in (None, "", [], {}, 0, False)}
    return [_bare(item) for item in value] if isinstance(value, list) else value
