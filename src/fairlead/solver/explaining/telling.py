"""A conflict in words: what each of its rules says, with the sum where numbers are added up."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fairlead.models.problem import Problem
from fairlead.models.quantity import format_alike
from fairlead.models.rules import Bounds, Candidates, GroupTotal, Total
from fairlead.models.rules.capacity import needs
from fairlead.models.statement import Statement
from fairlead.solver.explaining.together import excess_of
from fairlead.solver.explaining.units import Room, Unit


def told(conflict: Sequence[Unit], problem: Problem) -> tuple[Statement, ...]:
    """Return what every unit of a conflict says.

    Where several of them add up against a total, the total says to how much. An exact total of a set is told
    once, though both of its sides may be in the conflict.
    """
    rest = [unit for unit in conflict if not isinstance(unit.part, Candidates)]
    heads = [unit for unit in rest if isinstance(unit.part, Total)] or [
        unit for unit in rest if isinstance(unit.part, GroupTotal)
    ]
    statements = [unit.statement for unit in conflict]
    keys = {unit.workload for unit in rest if not isinstance(unit.part, Room)}
    if len(heads) == 1 and len(keys) == 1:
        (head,) = heads
        added = _added([unit for unit in rest if unit is not head], head.workload or "", problem)
        at = next(at for at, unit in enumerate(conflict) if unit is head)
        statements[at] = replace(head.statement, text=f"{head.statement.text}{added}")
    if len(heads) > 1:
        last = next(at for at, unit in enumerate(conflict) if unit is heads[-1])
        statements[last] = replace(
            statements[last], text=f"{statements[last].text}{_together(conflict, problem)}"
        )
    return tuple(dict.fromkeys(statements))


def _together(conflict: Sequence[Unit], problem: Problem) -> str:
    """Say what several workloads ask for of a scarce resource; nothing where one cluster tells it."""
    excess = excess_of(problem, conflict)
    if excess is None or excess.clusters < 2 or excess.asked <= excess.has:
        return ""
    asked, has = format_alike(excess.resource, excess.asked, excess.has)
    return (
        f"; together they ask for {asked} of {excess.resource}, these {excess.clusters} clusters have {has}"
    )


def _added(units: Sequence[Unit], key: str, problem: Problem) -> str:
    """Say to how much several units add up; nothing where they do not."""
    if len(units) < 2:
        return ""
    least = [_least(unit) for unit in units]
    if None not in least:
        return f"; the minima of {len(units)} clusters add up to {sum(each or 0 for each in least)}"
    asked = needs(problem.workload(key))
    most = [_most(unit, asked, problem) for unit in units]
    if None not in most:
        return f"; these {len(units)} clusters can hold {sum(each or 0 for each in most)} together"
    sets = [unit.part for unit in units if isinstance(unit.part, GroupTotal)]
    if len(sets) == len(units):
        total = sum(each.minimum or each.maximum or 0 for each in sets)
        return f"; the totals of {len(units)} sets add up to {total}"
    return ""


def _least(unit: Unit) -> int | None:
    """Return the minimum of a unit; None where it is no minimum that always binds."""
    part = unit.part
    if not isinstance(part, Bounds) or part.where_held:
        return None
    return next((bound.replicas for bound in part.minimum.values()), None)


def _most(unit: Unit, asked: Mapping[str, int], problem: Problem) -> int | None:
    """Return how many replicas a unit leaves to a cluster, given what each takes; None if it is no limit."""
    part = unit.part
    if isinstance(part, Bounds) and not part.minimum:
        return next(bound.replicas for bound in part.maximum.values())
    if isinstance(part, Room):
        fits = [
            problem.limits.get((part.cluster, resource), 0) // asked[resource]
            for resource in part.resources
            if resource in asked
        ]
        return min(fits, default=None)
    return None
