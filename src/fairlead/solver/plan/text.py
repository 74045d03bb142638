"""A rebalance plan in words, the same for terminal, notebook and report."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from fairlead.models.outcome import Status
from fairlead.models.outcome_text import explanation, verdict
from fairlead.models.words import counted
from fairlead.solver.plan.waves import Move, WavePlan

if TYPE_CHECKING:
    from fairlead.solver.plan.answer import RebalancePlan

SHOWN = 20
"""Moves that a short rendering shows before it counts the rest."""


def headline(plan: RebalancePlan) -> str:
    """Return the plan in one sentence."""
    if plan.waves is None:
        return f"No plan. {verdict(plan.outcome)}"
    if plan.nothing_to_do:
        return "Nothing to do: what runs now is the target."
    blocked = sum(each.move.replicas for each in plan.waves.blocked)
    held_up = f"; {counted(blocked, 'replica')} cannot move" if blocked else ""
    return f"{_amount(plan)} in {counted(len(plan.waves.waves), 'wave')}{_least(plan)}{held_up}."


def _amount(plan: RebalancePlan) -> str:
    """Say how many replicas move, start and stop."""
    started = sum(change.difference for change in plan.changes if change.difference > 0) - plan.moves
    stopped = -sum(change.difference for change in plan.changes if change.difference < 0) - plan.moves
    parts = (
        [f"{counted(plan.moves, 'replica')} {'moves' if plan.moves == 1 else 'move'}"] if plan.moves else []
    )
    for count, one, several in ((started, "starts", "start"), (stopped, "stops", "stop")):
        if count > 0:
            what = str(count) if parts else counted(count, "replica")
            parts.append(f"{what} {one if count == 1 else several}")
    return ", ".join(parts)


def _least(plan: RebalancePlan) -> str:
    """Say whether fewer would do, as far as it is proven of the waves, and of the target."""
    waves = plan.waves
    if waves is None or not waves.waves:
        return ""
    if not waves.proven:
        verb = "is" if waves.lower_bound == 1 else "are"
        return f" (at least {counted(waves.lower_bound, 'wave')} {verb} needed)"
    proven = plan.outcome.status is Status.OPTIMAL and waves.complete
    return " (no fewer would do)" if proven else " (no fewer waves lead to this target)"


def inside_line(plan: RebalancePlan) -> str:
    """Say which rules about several clusters hold between waves only; empty where there are none."""
    found = plan.passed_inside
    if not found:
        return ""
    first, *others = found
    keys = {each.violation.workload for each in found}
    more = f", and {counted(len(others), 'more such case')}" if others else ""
    whose = counted(len(keys), "workload")
    return f"Group totals and spread of {whose} hold between the waves only: {first}{more}."


def target_line(plan: RebalancePlan) -> str:
    """Say how good the target is."""
    if plan.outcome.status is Status.FEASIBLE and plan.outcome.origin == "saved plan":
        return "Target: that of the saved plan; it still keeps every rule."
    return f"Target: {verdict(plan.outcome)}"


def move_text(move: Move) -> str:
    """Say what one move does."""
    what = counted(move.replicas, "replica")
    if move.source is None:
        return f"start {what} of {move.workload} on {move.target}"
    if move.target is None:
        return f"stop {what} of {move.workload} on {move.source}"
    early = ", the old ones stop first" if move.stop_first else ""
    return f"move {what} of {move.workload} from {move.source} to {move.target}{early}"


def to_text(plan: RebalancePlan) -> str:
    """Return a short, readable rendering."""
    lines = [headline(plan)]
    if plan.waves is None:
        return "\n".join([*lines, *explanation(plan.outcome)])
    lines.append(target_line(plan))
    lines += filter(None, [inside_line(plan)])
    moves = [f"  wave {number}: {move_text(move)}" for number, move in _numbered(plan.waves)]
    lines += moves[:SHOWN]
    if len(moves) > SHOWN:
        lines.append(f"  ... and {counted(len(moves) - SHOWN, 'more move')}")
    lines += [f"  cannot move: {blocked.reason}" for blocked in plan.waves.blocked[:SHOWN]]
    return "\n".join(lines)


def _numbered(waves: WavePlan) -> list[tuple[int, Move]]:
    """Return every move with the number of its wave."""
    return [(number, move) for number, wave in enumerate(waves.waves, start=1) for move in wave.moves]


def to_html(plan: RebalancePlan) -> str:
    """Return the same for notebooks; every text of the input is escaped."""
    first, *rest = to_text(plan).splitlines()
    lines = "".join(f"<br>{escape(line.strip())}" for line in rest)
    return f"<div><p><b>{escape(first)}</b>{lines}</p></div>"
