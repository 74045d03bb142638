"""A simulation as a plain document: what ``-o json`` prints."""

from fairlead.models.usage import Utilisation
from fairlead.report.content.simulation import level_pairs
from fairlead.report.documents.outcome import (
    Document,
    conflict_document,
    json_number,
    outcome_document,
    picked,
    violation_documents,
)
from fairlead.solver.simulate.result import Effect, Simulation

_OF_SCENARIOS = ("clusters", "fits", "known", "status", "unplaced", "broken", "moved", "started", "lost")


def simulation_document(simulation: Simulation) -> Document:
    """Return a simulation as JSON-ready values.

    Returns
    -------
    dict
        ``changes`` in words; ``fits``; ``known``, false where not everything was placed in time, but a better
        placement might be found; ``workloads``, those to which the changes make a difference, with
        ``moved``, ``started``, ``stopped``, ``lost``, ``unplaced`` and their ``clusters`` (``name``,
        ``before``, ``after``); ``anyway``, how many others would be placed the same without the
        changes, but not as they run now; ``unchanged``, how many stay as they are; ``broken``, the rules
        that give way;
        ``brokenAtOnce``, those that are broken until it is repaired; ``objectives`` with ``before`` and
        ``after`` (null where the level is not there); ``utilisation`` by cluster and resource (``used``,
        ``offered`` in millicores or whole units, null where unknown); ``fullest``, of every cluster the
        resource that is used most after, the fullest cluster first; ``conflict`` or null; ``scenarios``,
        the worst first; ``warnings`` that the changes brought; ``before`` and ``after``, the outcomes as
        `Outcome.to_dict` gives them without decisions.
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
            {"change": str(scenario.change), **picked(scenario, *_OF_SCENARIOS)}
            for scenario in simulation.scenarios
        ],
        "warnings": [warning for warning in after["warnings"] if warning not in before["warnings"]],
        "before": before,
        "after": after,
    }


def _effect(effect: Effect) -> Document:
    return {
        "key": effect.workload,
        **picked(effect, "moved", "started", "stopped", "lost", "unplaced"),
        "clusters": [
            {"name": name, "before": before, "after": after} for name, before, after in effect.shifts
        ],
    }


def _used(one: Utilisation | None) -> Document | None:
    return None if one is None else picked(one, "used", "offered")
