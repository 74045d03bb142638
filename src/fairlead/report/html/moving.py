"""Sections about the way: where replicas go, in which waves, and what changes in the end."""

from __future__ import annotations

from collections.abc import Mapping

from fairlead.models.words import counted
from fairlead.report.columns import Cell, Column
from fairlead.report.html.content import (
    Block,
    Folded,
    Heading,
    Picture,
    Section,
    Table,
    Text,
    sentences,
    shortened,
)
from fairlead.report.html.flow_picture import flow_picture
from fairlead.report.html.flows import Flow, by_kind, flows_of
from fairlead.report.html.wave_picture import in_words, wave_picture
from fairlead.solver.plan.waves import Move, WavePlan

WIDE, NARROW = 800, 320
"""Widths of the two forms of a picture, in pixels."""
FLOWS_SHOWN = 40
"""Flows that the picture shows; the rest is counted."""
WAVES_PICTURED = 40
"""Waves that the picture shows."""
MOVES_OPEN = 30
"""Moves up to which the tables of the waves are open from the start."""
MOVES_SHOWN = 1000
"""Moves that all tables together show."""
ELSEWHERE = "fairlead plan -o json has them all"

_MOVES = (
    Column("Workload"),
    Column("Replicas", right=True),
    Column("From"),
    Column("To"),
    Column("First"),
)
_WAVES = (
    "Moves of a wave are made at once; the next wave begins when all of them are done. At every moment of a "
    "wave capacities, bounds and the declared availability hold, group totals and spread between waves; "
    "what is broken already gets no worse."
)


def flow_section(waves: WavePlan) -> Section:
    """Return the picture of where replicas go; empty where none goes anywhere."""
    flows = flows_of(waves)
    if not flows:
        return Section("flows", "Where replicas go", ())
    shown, rest = flows[:FLOWS_SHOWN], flows[FLOWS_SHOWN:]
    blocks: list[Block] = [
        Picture(
            "Replicas that go from a cluster (left) to a cluster (right), all waves together; the width of a "
            f"band is their number.{_extremes(shown)}",
            "; ".join(map(_told, shown)),
            flow_picture(shown, WIDE, "flows-wide"),
            flow_picture(shown, NARROW, "flows-narrow"),
        )
    ]
    if rest:
        replicas = sum(flow.replicas for flow in rest)
        blocks.append(
            Text(
                f"The {len(shown)} largest flows are drawn, and the numbers count what is drawn; "
                f"{counted(len(rest), 'smaller flow')} with {counted(replicas, 'replica')} are left out."
            )
        )
    if waves.detours:
        blocks.append(Text("Some replicas wait on a third cluster on their way; they are drawn twice."))
    return Section("flows", "Where replicas go", tuple(blocks))


def _extremes(flows: tuple[Flow, ...]) -> str:
    """Explain the two names that stand for no cluster, where they occur."""
    new = ' "Started new" is no cluster: nothing is stopped for them.'
    gone = ' "Stopped" is no cluster: nothing is started for them.'
    kinds = {flow.kind for flow in flows}
    return (new if "start" in kinds else "") + (gone if "stop" in kinds else "")


def _told(flow: Flow) -> str:
    """Return a flow in words."""
    what = counted(flow.replicas, "replica")
    if flow.source is None:
        return f"{what} started on {flow.target}"
    if flow.target is None:
        return f"{what} stopped on {flow.source}"
    return f"{what} from {flow.source} to {flow.target}"


def wave_section(waves: WavePlan) -> Section:
    """Return every wave with its moves, and what cannot move; empty where there is nothing to do."""
    blocks: list[Block] = []
    if waves.waves:
        blocks.append(Text(_WAVES))
    if len(waves.waves) > 1:
        blocks += _wave_picture(waves)
    blocks += _wave_tables(waves)
    if waves.blocked:
        reasons = (each.reason for each in waves.blocked)
        blocks += [Heading("Cannot move"), *sentences(reasons, "move", "bad")]
    return Section("waves", "Waves", tuple(blocks))


def _wave_tables(waves: WavePlan) -> list[Block]:
    """Return the moves of every wave, as many as a page can bear."""
    blocks: list[Block] = []
    left = MOVES_SHOWN
    few = sum(len(wave.moves) for wave in waves.waves) <= MOVES_OPEN
    for number, wave in enumerate(waves.waves, start=1):
        if left <= 0:
            hidden = len(waves.waves) - number + 1
            return [*blocks, Text(f"and {counted(hidden, 'more wave')}: {ELSEWHERE}")]
        table = _moves(wave.moves, number, left)
        summary = f"Wave {number}: {in_words(by_kind(wave.moves), 'replica')}"
        blocks.append(Folded(summary, (table,), opened=few))
        left -= len(table.rows)
    return blocks


def _wave_picture(waves: WavePlan) -> list[Block]:
    """Return how much happens in every wave."""
    counts = [by_kind(wave.moves) for wave in waves.waves]
    shown: list[Mapping[str, int]] = [*counts[:WAVES_PICTURED]]
    told = "; ".join(f"wave {number}: {in_words(each)}" for number, each in enumerate(shown, start=1))
    picture = Picture(
        "Replicas that move (blue), start (green) and stop (orange) in every wave.",
        told,
        wave_picture(shown, WIDE, "waves-wide"),
        wave_picture(shown, NARROW, "waves-narrow"),
    )
    rest = len(counts) - len(shown)
    return [picture, Text(f"and {counted(rest, 'more wave')}")] if rest > 0 else [picture]


def _moves(moves: tuple[Move, ...], number: int, shown: int) -> Table:
    """Return the moves of a wave."""
    rows = (
        (
            Cell(move.workload),
            Cell(str(move.replicas)),
            Cell(move.source or "-"),
            Cell(move.target or "-"),
            Cell("stop" if move.stops_early else "start"),
        )
        for move in moves
    )
    kept, note = shortened(rows, shown, "move", ELSEWHERE)
    return Table(f"Moves of wave {number}; first: what is done first, start or stop", _MOVES, kept, note)
