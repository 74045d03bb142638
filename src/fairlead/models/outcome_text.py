"""An outcome in words: the verdict, what contradicts what, and short renderings for people."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from html import escape

from fairlead.models.gap import gap_of
from fairlead.models.outcome import Attained, Outcome, Status
from fairlead.models.statement import Conflict, Proof
from fairlead.models.triggers import untriggered
from fairlead.models.words import counted, escaped, listed
from fairlead.models.workload import Workload

SOLVERS = ("exact", "cp-sat", "prices")
"""Origins whose outcome is infeasible only where that is proven."""
SHOWN = 20
"""Workloads, rules and warnings that a short rendering shows before it counts the rest."""
_KNOWN = {
    Proof.MINIMAL: "minimal, perhaps not the smallest: none of these rules can be spared",
    Proof.UNVERIFIED: "time ran out: perhaps not all of these rules are needed",
}


def format_number(value: int | Fraction) -> str:
    """Return a number with at most four decimals; decimals that end in zeros were cut off, not exact."""
    if value.denominator == 1:
        return str(int(value))
    shown = f"{float(value):.4f}"
    if not float(shown):
        return f"{float(value):.1e}"
    return shown.rstrip("0") if Fraction(shown) == value else shown


def format_percent(share: Fraction) -> str:
    """Return a share between 0 and 1 as a percentage that is short, but not 0 where the share is not."""
    percent = float(100 * share)
    if percent >= 10 or not percent:
        return f"{percent:.0f} %"
    return f"{percent:.2g} %" if percent >= 0.01 else "<0.01 %"


def proof(level: Attained) -> str:
    """Return what is known of a level: ``proven``, ``gap 3 %`` or ``-``."""
    if level.proven:
        within = f" to {format_number(level.resolution)}" if level.resolution else ""
        return f"proven{within}"
    missing = gap_of(level.value, level.bound)
    return "-" if missing is None else f"gap {format_percent(missing)}"


def verdict(outcome: Outcome) -> str:
    """Return the outcome in one sentence."""
    match outcome.status:
        case Status.OPTIMAL:
            return f"Optimal: {_optimal(outcome)}"
        case Status.FEASIBLE:
            return f"Feasible: {first_unproven(outcome)}{':' if outcome.shortfalls else '.'}"
        case Status.UNKNOWN:
            return (
                "Unknown: no placement was found in time, and no proof that there is none; "
                "a higher time limit may find one."
            )
        case Status.INFEASIBLE:
            return f"Infeasible: {_infeasible(outcome)}"


def _optimal(outcome: Outcome) -> str:
    """Say what is proven, and how finely it was compared."""
    coarse = [level for level in outcome.objectives if level.resolution]
    steps = [f"{level.name} to within {format_number(level.resolution or 0)}" for level in coarse]
    proven = f"({', '.join(['proven', *steps])})"
    if outcome.shortfalls:
        return f"not everything can be met, and no placement comes closer {proven}:"
    return f"no better placement exists {proven}."


def first_unproven(outcome: Outcome) -> str:
    """Say how far the first level that is not proven may be from the best."""
    level = next((level for level in outcome.objectives if not level.proven), None)
    missing = gap_of(level.value, level.bound) if level else None
    if level is None or missing is None:
        held = "not everything is met" if outcome.shortfalls else "every rule holds"
        return f"{held}; how good the answer of {outcome.origin} is was not proven"
    return f"not proven best; {level.name} could be at most {format_percent(missing)} lower"


def _infeasible(outcome: Outcome) -> str:
    """Say what stands in the way; the lines of `explanation` follow."""
    if outcome.placement is not None:
        return f"the placement of {outcome.origin} breaks {counted(len(outcome.violations), 'rule')}:"
    if outcome.conflict is None and outcome.origin in SOLVERS:
        return "no placement keeps every rule (proven); time ran out before it was found which ones clash."
    if outcome.conflict is None:
        because = f" ({outcome.reason})" if outcome.reason else ""
        return f"{outcome.origin} found no placement{because}."
    if len(outcome.conflict.rules) == 1:
        return "no placement keeps this rule:"
    return "no placement keeps all of these rules:"


def explanation(outcome: Outcome) -> list[str]:
    """Return what the verdict announces, a line each, with file and line; may be empty."""
    if outcome.status is not Status.INFEASIBLE:
        return _shortened([f"  {shortfall.text}" for shortfall in outcome.shortfalls], "line")
    if outcome.conflict is not None:
        first, *others = outcome.conflicts
        lines = told_rules(first)
        for each in others[: SHOWN - 1]:
            lines += ["No placement keeps these either:", *told_rules(each)]
        if len(others) >= SHOWN:
            lines.append(f"... and {counted(len(others) - SHOWN + 1, 'more conflict')}")
        return [*lines, *told_ways(first)]
    return [f"  {violation}" for violation in outcome.violations]


def explain(conflict: Conflict) -> list[str]:
    """Return the statements of a conflict and the ways out of it, a line each."""
    return [*told_rules(conflict), *told_ways(conflict)]


def told_rules(conflict: Conflict) -> list[str]:
    """Return the statements of a conflict, a line each, and what is known of it."""
    lines = [f"  {statement}" for statement in conflict.rules]
    if conflict.rules and conflict.proof is not Proof.SMALLEST:
        lines.append(f"  ({_KNOWN[conflict.proof]})")
    return lines


def told_ways(conflict: Conflict) -> list[str]:
    """Return the ways out, a line each; nothing where none is known."""
    if not conflict.relaxations:
        return []
    opening = ["Any one of these changes helps:"]
    if conflict.without_way_out:
        stuck = listed(conflict.without_way_out, "workload")
        opening = [f"No way out is known for {stuck}.", "Any one of these changes helps all others:"]
    return [
        *opening,
        *(
            f"  {relaxation.text} ({relaxation.source})" if relaxation.source else f"  {relaxation.text}"
            for relaxation in conflict.relaxations
        ),
    ]


def breaches(outcome: Outcome) -> list[str]:
    """Return what runs now breaks, a line each: what the placement repairs, and what it still breaks."""
    repaired = [f"Repaired: {violation}" for violation in outcome.repaired]
    return [*repaired, *(f"Still broken: {violation}" for violation in outcome.still_broken)]


def remarks(outcome: Outcome) -> list[str]:
    """Return what the schedulers themselves would do otherwise, a line each."""
    return [f"Note: {statement}" for statement in untriggered(outcome)]


def to_text(outcome: Outcome) -> str:
    """Return a short, readable rendering."""
    lines = [verdict(outcome), *_shortened(explanation(outcome), "line")]
    lines += [*_shortened(breaches(outcome), "rule"), *remarks(outcome)]
    if outcome.placement is not None:
        placed = [_placed(outcome, workload) for workload in outcome.problem.workloads]
        width = max((len(name) for name, _ in placed), default=0)
        lines += _shortened([f"{name:<{width}}  {where}" for name, where in placed], "workload")
    if outcome.objectives:
        lines.append(", ".join(f"{level.name} {format_number(level.value)}" for level in outcome.objectives))
    return "\n".join(map(escaped, lines))


def _placed(outcome: Outcome, workload: Workload) -> tuple[str, str]:
    """Return a workload's key and its clusters in words."""
    placed = outcome.placement.of(workload.key) if outcome.placement is not None else {}
    where = ", ".join(f"{cluster} {replicas}" for cluster, replicas in placed.items()) or "nowhere"
    return workload.key, f"{counted(workload.replicas, 'replica')}: {where}"


def _shortened(lines: list[str], noun: str) -> list[str]:
    """Return the first lines, and how many more there are."""
    rest = len(lines) - SHOWN
    return [*lines[:SHOWN], f"... and {counted(rest, f'more {noun}')}"] if rest > 0 else lines


def to_html(outcome: Outcome) -> str:
    """Return a small table for notebooks; every text of the input is escaped."""
    told = [*explanation(outcome), *_shortened(breaches(outcome), "rule")]
    lines = "".join(f"<br>{escape(escaped(line.strip()))}" for line in told)
    parts = [f"<div><p><b>{escape(verdict(outcome))}</b>{lines}</p>"]
    if outcome.placement is not None:
        parts.append(_html_table(("Workload", "Replicas", "Clusters"), _html_placements(outcome)))
    if outcome.objectives:
        rows = [
            (
                level.name,
                format_number(level.value),
                "" if level.bound is None else format_number(level.bound),
                proof(level),
            )
            for level in outcome.objectives
        ]
        parts.append(_html_table(("Level", "Value", "Bound", "Proof"), iter(rows)))
    return "".join([*parts, "</div>"])


def _html_placements(outcome: Outcome) -> Iterator[tuple[str, ...]]:
    """Return a row per workload, the first ones only where there are many."""
    for workload in outcome.problem.workloads[:SHOWN]:
        placed = outcome.placement.of(workload.key) if outcome.placement is not None else {}
        where = ", ".join(f"{cluster} {replicas}" for cluster, replicas in placed.items())
        yield workload.key, str(workload.replicas), where
    rest = len(outcome.problem.workloads) - SHOWN
    if rest > 0:
        yield f"... and {counted(rest, 'more workload')}", "", ""


def _html_table(head: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    """Return an HTML table of escaped cells."""
    header = "".join(f'<th style="text-align:left">{escape(cell)}</th>' for cell in head)
    body = "".join(
        "<tr>"
        + "".join(f'<td style="text-align:left">{escape(escaped(cell))}</td>' for cell in row)
        + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{header}</tr></thead><tbody>{body}</tbody></table>"
