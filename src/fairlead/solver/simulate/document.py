"""A simulation as a plain document: what ``-o json`` prints."""

from typing import Any

from fairlead.models.outcome_document import conflict_document
from fairlead.models.statement import Violation
from fairlead.models.usage import Utilisation
from fairlead.solver.simulate.result import Effect, Scenario, Simulation, UtilisationShift

Document = dict[str, Any]


def to_dict(simulation: Simulation) -> Document:
    """Return a simulation as JSON-ready values.

    Returns
    -------
    dict
        ``changes`` in words; ``fits``; ``workloads``, those to which the changes make a difference, with
        ``moved``, ``started``, ``stopped``, ``lost``, ``unplaced`` and their ``clusters`` (``name``,
        ``before``, ``after``); ``anyway``, how many others would be placed the same without the
        changes, but not as they run now; ``unchanged``, how many stay as they are; ``broken``, the rules
        that give way;
        ``brokenAtOnce``, those that are broken until it is repaired; ``objectives`` with ``before`` and
        ``after`` (null where the level is not there); ``utilisation`` by cluster and resource (``used``,
        ``offered`` in millicores or whole units, null where unknown); ``conflict`` or null; ``scenarios``,
        the worst first; ``warnings`` that the changes brought; ``before`` and ``after``, the outcomes as
        `Outcome.to_dict` gives them without decisions.
    """
    before, after = simulation.before.to_dict(decisions=False), simulation.after.to_dict(decisions=False)
    changing = [effect for effect in simulation.effects if effect.caused]
    anyway = sum(effect.happens and not effect.caused for effect in simulation.effects)
    known = before["warnings"]
    return {
        "changes": [str(change) for change in simulation.changes],
        "fits": simulation.fits,
        "workloads": [_effect(effect) for effect in changing],
        "anyway": anyway,
        "unchanged": len(simulation.effects) - len(changing) - anyway,
        "broken": [_violation(violation) for violation in simulation.broken],
        "brokenAtOnce": [_violation(violation) for violation in simulation.broken_at_once],
        "objectives": _objectives(before["objectives"], after["objectives"]),
        "utilisation": [_utilisation(shift) for shift in simulation.utilisation],
        "conflict": conflict_document(simulation.after.conflict) if simulation.after.conflict else None,
        "sweep": simulation.sweep,
        "scenarios": [_scenario(scenario) for scenario in simulation.scenarios],
        "warnings": [warning for warning in after["warnings"] if warning not in known],
        "before": before,
        "after": after,
    }


def _effect(effect: Effect) -> Document:
    """Return what happens to one workload."""
    return {
        "key": effect.workload,
        "moved": effect.moved,
        "started": effect.started,
        "stopped": effect.stopped,
        "lost": effect.lost,
        "unplaced": effect.unplaced,
        "clusters": [
            {"name": name, "before": before, "after": after} for name, before, after in effect.shifts
        ],
    }


def _violation(violation: Violation) -> Document:
    """Return one broken rule."""
    return {
        "rule": violation.rule,
        "source": str(violation.source) if violation.source else None,
        "text": violation.text,
        "amount": violation.amount,
        "workload": violation.workload,
        "cluster": violation.cluster,
    }


def _objectives(before: list[Document], after: list[Document]) -> list[Document]:
    """Return the levels of both placements side by side; the n-th level of a name belongs to the n-th."""
    here, there = _numbered(before), _numbered(after)
    return [
        {"name": place[0], "before": here.get(place), "after": there.get(place)}
        for place in dict.fromkeys([*there, *here])
    ]


def _numbered(levels: list[Document]) -> dict[tuple[str, int], Any]:
    """Return the values of levels by name, levels of one name counted."""
    found: dict[tuple[str, int], Any] = {}
    for level in levels:
        number = sum(name == level["name"] for name, _ in found)
        found[level["name"], number] = level["value"]
    return found


def _utilisation(shift: UtilisationShift) -> Document:
    """Return how full a cluster is in one resource."""
    return {
        "cluster": shift.cluster,
        "resource": shift.resource,
        "before": _used(shift.before),
        "after": _used(shift.after),
    }


def _used(one: Utilisation | None) -> Document | None:
    """Return what is used and offered; None where the cluster is not there."""
    return None if one is None else {"used": one.used, "offered": one.offered}


def _scenario(scenario: Scenario) -> Document:
    """Return what was tried, and what came of it."""
    return {
        "change": str(scenario.change),
        "clusters": list(scenario.clusters),
        "fits": scenario.fits,
        "status": scenario.status,
        "unplaced": dict(scenario.unplaced),
        "broken": list(scenario.broken),
        "moved": scenario.moved,
        "started": scenario.started,
        "lost": scenario.lost,
    }
