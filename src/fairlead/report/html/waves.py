"""Sections about the way: where replicas go, in which waves, and what changes in the end."""

from collections.abc import Mapping

from fairlead.models.words import counted, happening
from fairlead.report.blocks import (
    ROWS_OPEN,
    Block,
    Folded,
    Picture,
    Text,
    table,
)
from fairlead.report.content.fleet import grouped, not_changing, places
from fairlead.report.content.plan import MOVES, change_table, move_cells
from fairlead.report.html import pictures
from fairlead.report.html.pictures import by_kind, flow_picture, in_words, wave_picture
from fairlead.report.pages import Section
from fairlead.report.terminal import Rows
from fairlead.solver.plan.answer import RebalancePlan
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
TOLD = f"and {{}}: {ELSEWHERE}"
"""Counts what a table leaves out, and says where it is."""

CHANGES_SHOWN = 1000
"""Rows that the table of the changes shows."""

_WAVES = (
    "The moves of a wave are made at the same time; the next wave starts when all of them are done. "
    "Capacity, bounds and the declared availability hold at every moment, group totals and spread between "
    "waves. What is violated already gets no worse."
)


def flow_section(waves: WavePlan) -> Section:
    """Return the picture of where replicas go; empty where none goes anywhere."""
    flows = pictures.flows(move for wave in waves.waves for move in wave.moves)
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
    if waves.waiting:
        what = happening([(waves.waiting, "waits", "wait")], "replica")
        blocks.append(Text(f"{what} on a third cluster on the way, drawn twice."))
    return Section("flows", "Where replicas go", tuple(blocks), brief=True)


def _extremes(flows: tuple[Move, ...]) -> str:
    """Explain the two names that stand for no cluster, where they occur."""
    new = ' "Started new" is not a cluster: nothing is stopped for them.'
    gone = ' "Stopped" is not a cluster: nothing is started for them.'
    kinds = {flow.kind for flow in flows}
    return (new if "start" in kinds else "") + (gone if "stop" in kinds else "")


def _told(flow: Move) -> str:
    what = counted(flow.replicas, "replica")
    if flow.source is None:
        return f"{what} started on {flow.target}"
    if flow.target is None:
        return f"{what} stopped on {flow.source}"
    return f"{what} from {flow.source} to {flow.target}"


def wave_section(waves: WavePlan) -> Section:
    """Return every wave with its moves; empty where there is nothing to do."""
    blocks: list[Block] = []
    if waves.waves:
        blocks.append(Text(_WAVES))
    if len(waves.waves) > 1:
        blocks += _wave_picture(waves)
    blocks += _wave_tables(waves)
    return Section("waves", "Waves", tuple(blocks))


def _wave_tables(waves: WavePlan) -> list[Block]:
    """Return the moves of every wave, as many as a page can bear."""
    blocks: list[Block] = []
    left = MOVES_SHOWN
    few = sum(len(wave.moves) for wave in waves.waves) <= MOVES_OPEN
    for at, wave in enumerate(waves.waves, start=1):
        if left <= 0:
            hidden = len(waves.waves) - at + 1
            return [*blocks, Text(f"and {counted(hidden, 'more wave')}: {ELSEWHERE}")]
        caption = f"Moves of wave {at}; first: what is done first, start or stop"
        moves = table(MOVES, map(move_cells, wave.moves), caption).first(left, "move", TOLD)
        summary = f"Wave {at}: {in_words(by_kind(wave.moves), 'replica')}"
        blocks.append(Folded(summary, (moves,), printed=few, opened=few))
        left -= len(moves.rows)
    return blocks


def _wave_picture(waves: WavePlan) -> list[Block]:
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


def change_section(plan: RebalancePlan) -> Section:
    """Return the changes in the end, by cluster and by workload; empty where there are none."""
    if not plan.changes:
        return Section("changes", "What changes", ())
    clusters = plan.problem.clusters
    by_cluster = grouped(places(plan.outcome), Rows(changed=True, group_by="cluster"), clusters)
    still = not_changing(len(clusters) - len(by_cluster.rows), "other cluster")
    by_workload = change_table(plan).first(CHANGES_SHOWN, "change", TOLD)
    workloads = len({change.workload for change in plan.changes})
    verb = "changes" if workloads == 1 else "change"
    title = f"{workloads} of {counted(len(plan.problem.with_replicas), 'workload')} {verb}"
    few = len(by_workload.rows) <= ROWS_OPEN
    return Section(
        "changes",
        "What changes",
        (
            by_cluster._replace(note=still and f"{still}."),
            Folded(title, (by_workload,), printed=few, opened=few),
        ),
        brief=True,
    )
