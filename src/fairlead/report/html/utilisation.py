"""How full clusters are: a panel for each, step by step or with every scheduler, and their section."""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from fairlead.models.outcome import Comparison, Outcome
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.quantity import short_amount
from fairlead.models.shown import Shown
from fairlead.models.words import counted
from fairlead.report.blocks import (
    JSON_HAS,
    NOTHING,
    Block,
    Cell,
    Column,
    Folded,
    Panel,
    Panels,
    Table,
    Text,
    cells,
    columns,
    table,
)
from fairlead.report.content.fullness import FullnessSeries, courses, format_fullness, fullest, tone_of
from fairlead.report.html.canvas import Canvas, Ink, drawn, fitting, measured, mosaic
from fairlead.report.html.document import asset
from fairlead.report.pages import Section
from fairlead.solver.plan.answer import RebalancePlan
from fairlead.solver.plan.waves import WavePlan, running
from fairlead.solver.simulate.result import Simulation

WIDTH, HEAD, ROW = 250, 24, 28
"""Pixels: width of a panel, height of its title and of each resource."""
LABEL, BARS, HEIGHT = 66, 80, 20
"""Pixels: width of the name of a resource and of its bars, height of a bar that is full."""
RESOURCES = 4
"""Resources that a panel shows: the fullest ones."""
HIGHEST = Fraction(5, 4)
"""Part up to which bars grow; above it only the text tells how far."""
_WORDS: dict[Ink, str] = {"bad": "over 100%", "notice": "90% or more"}


def panel(rows: Sequence[FullnessSeries], names: Sequence[str], *, compared: bool) -> Panel:
    """Return the panel of one cluster.

    `rows`: its resources; at least one. `names`: what the steps are called. `compared`: True where the steps
    stand side by side instead of one after the other.
    """
    by_resource = {row.resource: row for row in rows}
    shown = [by_resource[one] for one in fullest(((row.resource, row.most) for row in rows), RESOURCES)]
    colour = _colour(max(row.most for row in rows))

    def draw(canvas: Canvas) -> None:
        word = _WORDS.get(colour, "")
        room = WIDTH - 12 - (measured(word) + 8 if word else 0)
        canvas.text((0, 10), fitting(rows[0].cluster, room), bold=True)
        canvas.text((WIDTH - 12, 10), word, colour, side="right")
        for at, row in enumerate(shown):
            _row(canvas, row, HEAD + at * ROW, compared=compared)

    told = "; ".join(_told(row, names) for row in shown)
    return Panel(f"{rows[0].cluster}: {told}", drawn("panel", WIDTH, HEAD + ROW * len(shown), draw))


def _row(canvas: Canvas, row: FullnessSeries, top: float, *, compared: bool) -> None:
    """Draw one resource: a bar for every step on a track whose dashes are at 100 %."""
    scale = HEIGHT / float(max(Fraction(1), min(row.most, HIGHEST)))
    floor, width = top + HEIGHT, BARS / len(row.parts)
    gap = 1.0 if width > 3 else 0.0
    canvas.text((0, top + HEIGHT / 2), fitting(row.resource, LABEL - 6), "muted")
    canvas.rectangle((LABEL, floor - scale), (BARS, scale), "track")
    for at, part in enumerate(row.parts):
        long = scale * float(min(part or Fraction(0), HIGHEST))
        canvas.rectangle(
            (LABEL + at * width, floor - long), (width - gap, long), _colour(part or Fraction(0))
        )
    canvas.dashes((LABEL, floor - scale), BARS)
    canvas.text((LABEL + BARS + 8, top + HEIGHT / 2), _text(row, compared=compared))


def _text(row: FullnessSeries, *, compared: bool) -> str:
    """Return the first and the last part, of what is compared the least and the most."""
    known = [part for part in row.parts if part is not None]
    ends = (min(known), max(known)) if compared else (row.parts[0], row.parts[-1])
    first, last = _percent(ends[0], "new"), _percent(ends[1], "gone")
    between = "-" if compared else " → "
    return first if first == last else f"{first}{between}{last}"


def _percent(part: Fraction | None, absent: str = "not there") -> str:
    """Return a part in percent, or what is said where the cluster is not there."""
    return absent if part is None else format_fullness(part)


def _told(row: FullnessSeries, names: Sequence[str]) -> str:
    """Return the bars in words: all where they are few, else the first, the highest and the last."""
    parts = [f"{name} {_percent(part)}" for part, name in zip(row.parts, names, strict=True)]
    told = parts if len(parts) <= 3 else [parts[0], f"at most {_percent(row.most)}", parts[-1]]
    return f"{row.resource} {', '.join(told)}"


def _colour(part: Fraction) -> Ink:
    return tone_of(part) or "move"


PICTURED = 48
"""Clusters that have a panel: the fullest ones."""
WAVES_PICTURED = 60
"""Waves that a panel shows; of more every second one, or every third, ..."""
ACROSS, GAP = 4, 16
"""Panels side by side in a picture of its own, and pixels between them."""
ROWS_SHOWN = 1000
"""Rows that the table shows."""
AT_A_GLANCE = 3
"""Steps up to which the table has a column for each; else for the first, the highest and the last."""


class UtilisationStep(NamedTuple):
    """Placement after a step, or by a scheduler, with its name."""

    name: str
    problem: Problem
    placement: Placement


def steps_of(answer: Shown) -> tuple[UtilisationStep, ...]:
    """Return the placements step by step: now and after, inside of every wave, or with every scheduler.

    Empty for an answer without a placement, and for one that is about something else.
    """
    match answer:
        case RebalancePlan(outcome=Outcome(placement=Placement() as target), waves=WavePlan() as waves):
            return (
                UtilisationStep("now", answer.problem, answer.before),
                *_inside(waves),
                UtilisationStep("target", answer.problem, target),
            )
        case Outcome(placement=Placement() as placement):
            now = running(answer.problem)
            then = UtilisationStep("placement", answer.problem, placement)
            return (UtilisationStep("now", answer.problem, now), then) if any(now.values()) else (then,)
        case Simulation(changed=True, after=Outcome(placement=Placement() as placement) as after):
            return (
                UtilisationStep("now", answer.before.problem, answer.now),
                UtilisationStep("after", after.problem, placement),
            )
        case Comparison():
            return tuple(
                UtilisationStep(name, one.problem, one.placement)
                for name, one in answer.answers.items()
                if one.placement is not None
            )
        case _:
            return ()


def _inside(waves: WavePlan) -> Iterator[UtilisationStep]:
    """Yield the fullest placements inside of the waves; of too many every second, or every third, ..."""
    every = -(-len(waves.waves) // WAVES_PICTURED) or 1
    for number, one in enumerate(waves.fullest, start=1):
        if number % every == 0:
            yield UtilisationStep(f"in wave {number}", waves.problem, one)


def panels_of(found: Sequence[FullnessSeries], names: Sequence[str], *, compared: bool) -> tuple[Panel, ...]:
    """Return a panel for every cluster, the fullest first."""
    by_cluster: dict[str, list[FullnessSeries]] = {}
    for course in found:
        by_cluster.setdefault(course.cluster, []).append(course)
    ranked = sorted(by_cluster.values(), key=lambda rows: (-max(row.most for row in rows), rows[0].cluster))
    return tuple(panel(rows, names, compared=compared) for rows in ranked[:PICTURED])


def plot(answer: Shown) -> str:
    """Return the panels of an answer as an SVG document; empty where it has none."""
    steps = steps_of(answer)
    found = courses([(step.problem, step.placement) for step in steps])
    panels = panels_of(found, [step.name for step in steps], compared=isinstance(answer, Comparison))
    most = Counter(one.cluster for one in found).most_common(1)
    size = WIDTH + GAP, HEAD + ROW * min(RESOURCES, most[0][1] if most else 0) + GAP
    return mosaic([one.svg for one in panels], size, ACROSS, asset("colours.css")) if panels else ""


def utilisation_section(answer: Shown, note: str = "") -> Section:
    """Return how full clusters are by resource; where nothing is placed or used, nothing.

    `note`: a sentence more on how the panels are to be read.
    """
    steps, compared = steps_of(answer), isinstance(answer, Comparison)
    title = "How full the clusters are"
    names = [step.name for step in steps]
    found = courses([(step.problem, step.placement) for step in steps])
    if not found:
        return Section("utilisation", title, ())
    clusters = len({course.cluster for course in found})
    panels = panels_of(found, names, compared=compared)
    rest = f" The {len(panels)} fullest of {clusters} clusters." if len(panels) < clusters else ""
    blocks: list[Block] = [Panels(f"{_caption(names)}{note}{rest}", panels)]
    blocks.append(
        Folded(f"The numbers of {counted(clusters, 'cluster')}", (_numbers(found, names),), printed=False)
    )
    unknown = {one.name for step in steps for one in step.problem.clusters if one.free is None}
    apart = "1 cluster does" if len(unknown) == 1 else f"{len(unknown)} clusters do"
    blocks += [Text(f"{apart} not report capacity.", "dim")] if unknown else []
    return Section("utilisation", title, tuple(blocks), brief=True)


def _caption(names: Sequence[str]) -> str:
    bars = ", ".join(names if len(names) <= 4 else [names[0], f"{names[1]} to {names[-2]}", names[-1]])
    return (
        f"Share of each resource in use, by other workloads too. Bars: {bars}. "
        "Dashed line: all that the cluster has. Amber: 90% or more. Red: over 100%."
    )


def _numbers(found: Sequence[FullnessSeries], names: Sequence[str]) -> Table:
    few = len(names) <= AT_A_GLANCE
    shown = (
        [name.capitalize() for name in names]
        if few
        else [names[0].capitalize(), "At most", names[-1].capitalize()]
    )
    head = (*columns("Cluster", "Resource", ">Allocatable"), *(Column(name, right=True) for name in shown))
    rows = (
        (
            *cells(one.cluster, one.resource, short_amount(one.resource, one.whole)),
            *map(_part, one.parts if few else (one.parts[0], one.most, one.parts[-1])),
        )
        for one in found
    )
    return table(head, rows, "Utilisation").first(ROWS_SHOWN, "row", JSON_HAS)


def _part(part: Fraction | None) -> Cell:
    """Return a part as a cell that says where it is high."""
    if part is None:
        return NOTHING
    tone = tone_of(part)
    word = {"bad": " over", "notice": " high"}.get(tone, "")
    return Cell(f"{format_fullness(part)}{word}", tone)
