"""The section about how full clusters are, before and after."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.usage import Utilisation, utilisation
from fairlead.models.words import counted, format_percent
from fairlead.report.amounts import short_amount
from fairlead.report.blocks import NOTHING, Cell, Folded, Picture, Section, Table, Text, cells, columns, table
from fairlead.report.html.utilisation_picture import Fill, utilisation_picture
from fairlead.report.html.waves import NARROW, TOLD, WIDE

PICTURED = 16
"""Clusters that the picture shows: the fullest ones."""
ROWS_PICTURED = 80
"""Bars that the picture shows; no further cluster is begun beyond."""
ROWS_SHOWN = 1000
"""Rows that the table shows."""

_NAME = "utilisation"
_TITLE = "How full the clusters are"


def utilisation_section(problem: Problem, target: Placement | None, before: Placement | None) -> Section:
    """Return how full clusters are by resource.

    Parameters
    ----------
    problem
        Clusters and workloads.
    target
        What should run; without one the section is empty.
    before
        What runs now; None where nothing is to be compared.
    """
    if target is None:
        return Section(_NAME, _TITLE, ())
    now = {} if before is None else {_place(each): each for each in utilisation(problem, before)}
    known = [
        (each, now.get(_place(each)))
        for each in utilisation(problem, target)
        if each.fullness is not None and each.offered is not None
    ]
    used = [(after, then) for after, then in known if after.used or (then and then.used)]
    if not used:
        return Section(_NAME, _TITLE, ())
    fills = _fullest([_fill(*pair) for pair in used])
    clusters = len({each.cluster for each, _ in used})
    shown = len({fill.cluster for fill in fills})
    rest = f" The {shown} fullest of {counted(clusters, 'cluster')} are shown." if shown < clusters else ""
    picture = Picture(_caption(compared=before is not None) + rest, _told(fills), *_pictures(fills))
    title = f"The numbers of {counted(clusters, 'cluster')}"
    numbers = Folded(title, (_numbers(used, compared=before is not None),))
    unknown = sorted({cluster.name for cluster in problem.clusters if cluster.free is None})
    apart = "1 cluster does" if len(unknown) == 1 else f"{len(unknown)} clusters do"
    note = (Text(f"{apart} not report capacity.", "dim"),) if unknown else ()
    return Section(_NAME, _TITLE, (picture, numbers, *note))


def _place(each: Utilisation) -> tuple[str, str]:
    """Return what tells one utilisation from the others."""
    return each.cluster, each.resource


def _fill(after: Utilisation, before: Utilisation | None) -> Fill:
    """Return the shares of one resource of one cluster."""
    then = None if before is None else before.fullness or Fraction(0)
    return Fill(after.cluster, after.resource, after.fullness or Fraction(0), then)


def _fullest(fills: list[Fill]) -> list[Fill]:
    """Return the fills of the fullest clusters, in the order in which they came."""
    most: dict[str, Fraction] = {}
    for fill in fills:
        most[fill.cluster] = max(most.get(fill.cluster, Fraction(0)), fill.most)
    count = Counter(fill.cluster for fill in fills)
    chosen: list[str] = []
    for name in sorted(most, key=lambda name: (-most[name], name))[:PICTURED]:
        if sum(count[each] for each in chosen) < ROWS_PICTURED:
            chosen.append(name)
    return [fill for fill in fills if fill.cluster in chosen]


def _caption(*, compared: bool) -> str:
    """Explain the picture."""
    if compared:
        return (
            "Bar: the share that is used with the target, by others too. Mark: the share that is used now. "
            "Dashed line: all that the cluster has."
        )
    return "Bar: the share that is used with the placement, by others too. Dashed line: all the cluster has."


def _told(fills: list[Fill]) -> str:
    """Return the picture in words."""
    return "; ".join(f"{fill.cluster} {fill.resource} {fill.text.replace('→', 'to')}" for fill in fills)


def _pictures(fills: list[Fill]) -> tuple[str, str]:
    """Return both forms of the picture."""
    return (
        utilisation_picture(fills, WIDE, "utilisation-wide"),
        utilisation_picture(fills, NARROW, "utilisation-narrow"),
    )


def _numbers(used: list[tuple[Utilisation, Utilisation | None]], *, compared: bool) -> Table:
    """Return the numbers of the picture."""
    rows = []
    for after, before in used:
        fill = _fill(after, before)
        front = cells(
            after.cluster, after.resource, short_amount(after.resource, after.others + (after.offered or 0))
        )
        rows.append((*front, *([_percent(fill.before)] if compared else []), _percent(fill.after)))
    head = columns("Cluster", "Resource", ">Allocatable", *([">Now", ">Target"] if compared else [">Used"]))
    return table(head, rows, "Utilisation").first(ROWS_SHOWN, "row", TOLD)


def _percent(share: Fraction | None) -> Cell:
    """Return a share as a cell."""
    return NOTHING if share is None else Cell(format_percent(share), "bad" if share > 1 else "")
