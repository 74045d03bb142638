"""The tables that a terminal shows for a rebalance plan."""

from fairlead.models.outcome_text import explanation, format_percent, remarks
from fairlead.models.usage import utilisation
from fairlead.report.amounts import short_amount
from fairlead.report.columns import Cell, Column, printable, toned
from fairlead.report.table import Look, first_rows
from fairlead.solver.plan.answer import RebalancePlan
from fairlead.solver.plan.text import headline, inside_line, target_line
from fairlead.solver.plan.waves import WavePlan


def plan_tables(plan: RebalancePlan, look: Look | None = None) -> str:
    """Return everything that a terminal shows for a plan.

    Parameters
    ----------
    plan
        The plan.
    look
        How to print; None for plain text.
    """
    look = look or Look()
    head = [toned(printable(headline(plan)), "bold", colour=look.colour)]
    if plan.waves is None:
        return "\n".join([*head, *map(printable, explanation(plan.outcome))])
    head.append(printable(target_line(plan)))
    head += [printable(line) for line in (inside_line(plan),) if line]
    head += map(printable, remarks(plan.outcome))
    blocks = [head]
    if not plan.nothing_to_do:
        blocks += [_waves(plan.waves, look), _blocked(plan.waves), _changes(plan, look)]
    blocks.append(_utilisation(plan, look))
    return "\n\n".join("\n".join(block) for block in blocks if block)


def wave_rows(plan: RebalancePlan, look: Look | None = None) -> str:
    """Return the moves only, a line each, for scripts."""
    look = look or Look(wide=True)
    return "\n".join(_waves(plan.waves, look)) if plan.waves is not None else ""


def _waves(waves: WavePlan, look: Look) -> list[str]:
    """Return a row per move, in the order of the waves."""
    columns = [
        Column("WAVE", right=True),
        Column("WORKLOAD", elastic=True),
        Column("REPLICAS", right=True),
        Column("FROM", elastic=True),
        Column("TO", elastic=True),
        Column("FIRST"),
    ]
    rows = [
        (
            Cell(str(number)),
            Cell(move.workload),
            Cell(str(move.replicas)),
            Cell(move.source or "-"),
            Cell(move.target or "-"),
            Cell("stop" if move.stops_early else "start"),
        )
        for number, wave in enumerate(waves.waves, start=1)
        for move in wave.moves
    ]
    return first_rows(columns, rows, look, "move")


def _blocked(waves: WavePlan) -> list[str]:
    """Return what cannot be moved, and why."""
    return [f"Cannot move: {printable(blocked.reason)}" for blocked in waves.blocked]


def _changes(plan: RebalancePlan, look: Look) -> list[str]:
    """Return a row per workload and cluster that changes."""
    columns = [
        Column("WORKLOAD", elastic=True),
        Column("CLUSTER", elastic=True),
        Column("NOW", right=True),
        Column("TARGET", right=True),
        Column("CHANGE", right=True),
    ]
    rows = [
        (
            Cell(change.workload),
            Cell(change.cluster),
            Cell(str(change.before)),
            Cell(str(change.after)),
            Cell(f"{change.difference:+d}", "good" if change.difference > 0 else "notice"),
        )
        for change in plan.changes
    ]
    return first_rows(columns, rows, look, "change")


def _utilisation(plan: RebalancePlan, look: Look) -> list[str]:
    """Return how full every cluster is before and after; clusters of unknown capacity are left out."""
    if plan.outcome.placement is None:
        return []
    before = {(each.cluster, each.resource): each for each in utilisation(plan.problem, plan.before)}
    columns = [
        Column("CLUSTER", elastic=True),
        Column("RESOURCE"),
        Column("MAY USE", right=True),
        Column("NOW", right=True),
        Column("TARGET", right=True),
    ]
    rows = []
    for each in utilisation(plan.problem, plan.outcome.placement):
        share, now = each.share, before.get((each.cluster, each.resource))
        if share is None or each.offered is None:
            continue
        full = now.share if now is not None and now.share is not None else None
        if not (look.wide or share or full):
            continue
        rows.append(
            (
                Cell(each.cluster),
                Cell(each.resource),
                Cell(short_amount(each.resource, each.offered)),
                Cell("-" if full is None else format_percent(full), "bad" if full and full > 1 else ""),
                Cell(format_percent(share)),
            )
        )
    return first_rows(columns, rows, look, "row")
