"""How full clusters are, now and after a plan or a change."""

from collections.abc import Sequence
from fractions import Fraction

from fairlead.models.usage import Utilisation, utilisation
from fairlead.models.words import format_percent
from fairlead.report.amounts import short_amount
from fairlead.report.blocks import NOTHING, Cell, Column, Line, Row, Table, Tone, cells, columns, some, table
from fairlead.report.terminal import Look
from fairlead.solver.plan.answer import RebalancePlan
from fairlead.solver.simulate.result import Simulation, UtilisationShift

SHOWN = 20
"""Clusters that a table shows before it counts the rest; a wide one shows all."""
RESOURCES = 3
"""Resources of which a table shows how full the clusters are; a wide one shows all."""

_PLANNED = columns("~Cluster", "Resource", ">Available", ">Now", ">Target")


def planned_fullness(plan: RebalancePlan, look: Look) -> Table:
    """Return how full every cluster is before and after; clusters of unknown capacity are left out."""
    target = plan.outcome.placement
    before = {(each.cluster, each.resource): each.share for each in utilisation(plan.problem, plan.before)}
    rows: list[Row] = []
    for each in () if target is None else utilisation(plan.problem, target):
        share, full = each.share, before.get((each.cluster, each.resource))
        if share is None or each.offered is None or not (look.wide or share or full):
            continue
        now = Cell("-" if full is None else format_percent(full), "bad" if full and full > 1 else "")
        offered = short_amount(each.resource, each.offered)
        rows.append((*cells(each.cluster, each.resource, offered), now, Cell(format_percent(share))))
    return table(_PLANNED, rows)


def cluster_shifts(simulation: Simulation, look: Look) -> list[Line]:
    """Return a row per cluster that the changes make emptier or fuller: by resource, now and after."""
    found: dict[str, dict[str, UtilisationShift]] = {}
    for shift in filter(_known, simulation.utilisation):
        found.setdefault(shift.cluster, {})[shift.resource] = shift
    changing = [name for name, shifts in found.items() if any(map(_differs, shifts.values()))]
    resources = _resources([found[name] for name in changing], wide=look.wide)
    head = (Column("Cluster", elastic=True), *(Column(name, right=True) for name in resources))
    rows = ((Cell(name), *(_fullness(found[name].get(one)) for one in resources)) for name in changing)
    return some(table(head, rows).first(look.few(SHOWN), "cluster"))


def _resources(clusters: Sequence[dict[str, UtilisationShift]], *, wide: bool) -> list[str]:
    """Return the resources to show: the fullest first where not all are."""
    fullest: dict[str, Fraction] = {}
    for shifts in clusters:
        for resource, shift in shifts.items():
            share = (shift.after and shift.after.share) or Fraction(0)
            fullest[resource] = max(share, fullest.get(resource, Fraction(0)))
    ordered = sorted(fullest, key=lambda name: (-fullest[name], name))
    return sorted(ordered if wide else ordered[:RESOURCES])


def _known(shift: UtilisationShift) -> bool:
    """Tell whether it is known how full a cluster is."""
    return any(one is not None and one.offered is not None for one in (shift.before, shift.after))


def _differs(shift: UtilisationShift) -> bool:
    """Tell whether the changes make a cluster emptier or fuller, or let it go or come."""
    here = shift.before is not None and shift.after is not None
    return shift.caused and not (here and shift.before == shift.after)


def _fullness(shift: UtilisationShift | None) -> Cell:
    """Return how full a cluster is in a resource, such as ``40% -> 95%``."""
    if shift is None:
        return NOTHING
    before, after = _percent(shift.before, "new"), _percent(shift.after, "gone")
    share = shift.after.share if shift.after else None
    tone: Tone = (
        "bad" if share is not None and share > 1 else "notice" if share is not None and share >= 0.9 else ""
    )
    return Cell(f"{before} -> {after}" if before != after else before, tone)


def _percent(one: Utilisation | None, absent: str) -> str:
    """Return a used share in percent, rounded up; a dash where the capacity is unknown."""
    if one is None:
        return absent
    if one.share is None:
        return "-" if one.offered is None or not one.used else "over"
    return f"{-(-100 * one.share.numerator // one.share.denominator)}%"
