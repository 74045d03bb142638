"""How full clusters are, now and after a plan or a change."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.quantity import short_amount
from fairlead.models.usage import Utilisation, utilisation
from fairlead.report.blocks import NOTHING, Cell, Column, Line, Row, Table, Tone, cells, columns, some, table
from fairlead.report.content.fleet import ALL_SHOWN
from fairlead.report.terminal import Look
from fairlead.solver.plan.answer import RebalancePlan
from fairlead.solver.simulate.result import UtilisationShift

SHOWN = 20
"""Clusters that a table shows before it counts the rest; a wide one shows all."""
RESOURCES = 3
"""Resources of which a table shows how full the clusters are; a wide one shows all."""

NEARLY = Fraction(9, 10)
"""Used part of a cluster from which on it counts as nearly full."""

_PLANNED = columns("~Cluster", "Resource", ">Allocatable", ">Others", ">Now", ">Target")


def planned(plan: RebalancePlan) -> list[UtilisationShift]:
    """Return how full every cluster is by resource, now and in the target of a plan, in name order."""
    now = _by_place(plan.problem, plan.before)
    then = _by_place(plan.problem, plan.outcome.placement or Placement({}))
    return [UtilisationShift(*place, now[place], one) for place, one in then.items()]


def planned_fullness(plan: RebalancePlan, look: Look) -> Table:
    """Return how full every cluster is before and after; clusters of unknown capacity are left out."""
    rows: list[Row] = []
    for shift in planned(plan):
        now, then = shift.before, shift.after
        if now is None or then is None or then.fullness is None or then.offered is None:
            continue
        if look.wide or then.used or now.used:
            whole = short_amount(then.resource, then.others + then.offered)
            others = short_amount(then.resource, then.others) if then.others else "-"
            front = cells(then.cluster, then.resource, whole, others)
            rows.append((*front, _filled(now.fullness), _filled(then.fullness)))
    return table(_PLANNED, rows)


def _filled(part: Fraction | None) -> Cell:
    """Return how full a cluster is, toned where it is nearly or more than full."""
    if part is None:
        return NOTHING
    return Cell(format_fullness(part), tone_of(part))


def tone_of(part: Fraction) -> Literal["", "notice", "bad"]:
    """Return the tone of a used part: from `NEARLY` on it is worth a look, above 1 it is wrong."""
    return "bad" if part > 1 else "notice" if part >= NEARLY else ""


def cluster_shifts(shifts: Iterable[UtilisationShift], look: Look) -> list[Line]:
    """Return a row per cluster that becomes emptier or fuller: by resource, now and after."""
    found: dict[str, dict[str, UtilisationShift]] = {}
    for shift in shifts:
        if any(one is not None and one.offered is not None for one in (shift.before, shift.after)):
            found.setdefault(shift.cluster, {})[shift.resource] = shift
    changing = [name for name, each in found.items() if any(map(_differs, each.values()))]
    shares = (
        (resource, (shift.after and shift.after.fullness) or Fraction(0))
        for name in changing
        for resource, shift in found[name].items()
    )
    resources = fullest(shares, None if look.wide else RESOURCES)
    head = (Column("Cluster", elastic=True), *(Column(name, right=True) for name in resources))
    rows = ((Cell(name), *(_fullness(found[name].get(one)) for one in resources)) for name in changing)
    return some(table(head, rows).first(look.few(SHOWN), "cluster", ALL_SHOWN))


def fullest(parts: Iterable[tuple[str, Fraction]], most: int | None) -> list[str]:
    """Return clusters or resources in name order, the fullest ones of too many.

    `parts`: names with used parts, of which the greatest of a name counts. `most`: how many; None for all.
    """
    found: dict[str, Fraction] = {}
    for name, part in parts:
        found[name] = max(part, found.get(name, Fraction(0)))
    return sorted(sorted(found, key=lambda name: (-found[name], name))[:most])


def _differs(shift: UtilisationShift) -> bool:
    """Tell whether the changes make a cluster emptier or fuller, or let it go or come."""
    here = shift.before is not None and shift.after is not None
    return shift.caused and not (here and shift.before == shift.after)


def _fullness(shift: UtilisationShift | None) -> Cell:
    """Return how full a cluster is in a resource, such as ``40% -> 95%``."""
    if shift is None:
        return NOTHING
    before, after = _percent(shift.before, "new"), _percent(shift.after, "gone")
    if {before, after} <= {"-", "new", "gone"}:
        return NOTHING
    share = shift.after.fullness if shift.after else None
    tone: Tone = "" if share is None else tone_of(share)
    return Cell(f"{before} -> {after}" if before != after else before, tone)


def _percent(one: Utilisation | None, absent: str) -> str:
    """Return how full a cluster is; a dash where its capacity is unknown."""
    if one is None:
        return absent
    if one.fullness is None:
        return "-" if one.offered is None or not one.used else "over"
    return format_fullness(one.fullness)


def format_fullness(part: Fraction) -> str:
    """Return a used part in whole percent, rounded up: what is used is never said to be less."""
    return f"{-(-100 * part.numerator // part.denominator)}%"


@dataclass(frozen=True, slots=True)
class FullnessSeries:
    """Used part of one resource of one cluster, step by step."""

    cluster: str
    resource: str
    """Cluster and resource."""
    whole: int
    """Allocatable capacity of the cluster: millicores of cpu, whole units of anything else."""
    parts: tuple[Fraction | None, ...]
    """The part that is used at every step, by others too; None where the cluster is not there."""

    @property
    def most(self) -> Fraction:
        """The largest part."""
        return max((part for part in self.parts if part is not None), default=Fraction(0))


def courses(steps: Sequence[tuple[Problem, Placement]]) -> tuple[FullnessSeries, ...]:
    """Return how full every cluster is in every resource that is used at any step, by name.

    Of a cluster that comes or goes all resources are told, whoever uses them.

    `steps`: what stands on which clusters, in order. Clusters of unknown capacity are left out.
    """
    at = [
        {place: one for place, one in _by_place(*step).items() if None not in (one.offered, one.fullness)}
        for step in steps
    ]
    found = []
    for place in sorted({place for step in at for place in step}):
        every = [step.get(place) for step in at]
        if any(one is None or one.used for one in every):
            whole = max(one.others + (one.offered or 0) for one in every if one is not None)
            parts = (None if one is None else one.fullness or Fraction(0) for one in every)
            found.append(FullnessSeries(*place, whole, tuple(parts)))
    return tuple(found)


def _by_place(problem: Problem, placement: Placement) -> dict[tuple[str, str], Utilisation]:
    return {(one.cluster, one.resource): one for one in utilisation(problem, placement)}
