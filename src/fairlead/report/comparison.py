"""The tables that a terminal shows for a comparison."""

from collections.abc import Iterator

from fairlead.models.comparison import Comparison, Contender
from fairlead.models.outcome import Outcome, Status
from fairlead.models.outcome_document import unplaced
from fairlead.models.outcome_text import explanation, format_number, verdict
from fairlead.report.columns import Cell, Column, Tone, printable, render, toned
from fairlead.report.table import Look

BEST = "best"
SHOWN = 20
"""Rows and violations that a table shows before it counts the rest; a wide one shows all."""

_TONES: dict[Status, Tone] = {Status.OPTIMAL: "good", Status.FEASIBLE: "notice"}


def comparison_tables(comparison: Comparison, look: Look | None = None) -> str:
    """Return everything that a terminal shows for a comparison.

    Parameters
    ----------
    comparison
        The comparison.
    look
        How to print; None for plain text.
    """
    look = look or Look()
    blocks = [_contenders(comparison, look), _replicas(comparison, look), list(_verdicts(comparison, look))]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _contenders(comparison: Comparison, look: Look) -> list[str]:
    """Return a row per answer: status, what is missing or broken, and every level of the best one."""
    names = [level.name for level in comparison.best.objectives]
    columns = [
        Column("ANSWER"),
        Column("STATUS"),
        Column("UNPLACED", right=True),
        Column("BROKEN", right=True),
        *(Column(name.upper(), right=True) for name in names),
    ]
    rows = [_row(BEST, comparison.best, _missing(comparison.best), names)]
    rows += [_row(each.name, each.outcome, str(each.unplaced), names) for each in comparison.contenders]
    return render(columns, rows, headers=look.headers, colour=look.colour, width=look.limit)


def _missing(outcome: Outcome) -> str:
    """Return how many replicas the best placement leaves; a dash where there is none."""
    if outcome.placement is None:
        return "-"
    return str(sum(unplaced(outcome, workload) for workload in outcome.problem.workloads))


def _row(name: str, outcome: Outcome, unplaced: str, levels: list[str]) -> list[Cell]:
    """Return the row of one answer; levels of another affinity group are not comparable."""
    same = [level.name for level in outcome.objectives] == levels
    values = [format_number(level.value) for level in outcome.objectives] if same else ["-"] * len(levels)
    broken = len(outcome.violations)
    return [
        Cell(name, "bold"),
        Cell(str(outcome.status), _TONES.get(outcome.status, "bad")),
        Cell(unplaced, "" if unplaced in ("0", "-") else "bad"),
        Cell(str(broken), "bad" if broken else ""),
        *map(Cell, values),
    ]


def _replicas(comparison: Comparison, look: Look) -> list[str]:
    """Return the clusters on which a contender differs, the replicas of every answer side by side."""
    spots = sorted(
        {(one.workload, one.cluster) for each in comparison.contenders for one in each.differences}
    )
    if not spots or not look.headers:
        return []
    shown = spots if look.wide else spots[:SHOWN]
    answers = [(BEST, comparison.best), *((each.name, each.outcome) for each in comparison.contenders)]
    columns = [Column("WORKLOAD", elastic=True), Column("CLUSTER", elastic=True)]
    columns += [Column(name.upper(), right=True) for name, _ in answers]
    rows = [[Cell(key), Cell(cluster), *_numbers(answers, key, cluster)] for key, cluster in shown]
    lines = render(columns, rows, colour=look.colour, width=look.limit)
    rest = len(spots) - len(shown)
    return [*lines, f"... and {rest} more; -o wide shows them all"] if rest else lines


def _numbers(answers: list[tuple[str, Outcome]], key: str, cluster: str) -> Iterator[Cell]:
    """Yield the replicas of every answer on a cluster, toned where they differ from the best."""
    numbers = [answer.placement.of(key).get(cluster, 0) if answer.placement else 0 for _, answer in answers]
    yield from (Cell(str(number), "" if number == numbers[0] else "notice") for number in numbers)


def _verdicts(comparison: Comparison, look: Look) -> Iterator[str]:
    """Yield the verdict on every answer and what the contenders break."""
    if not look.headers:
        return
    word, _, rest = printable(verdict(comparison.best)).partition(":")
    yield f"{toned(word, _TONES.get(comparison.best.status, 'bad'), colour=look.colour)}:{rest}"
    yield from map(printable, explanation(comparison.best))
    for contender in comparison.contenders:
        yield printable(contender.verdict)
        yield from _broken(contender, look)


def _broken(contender: Contender, look: Look) -> Iterator[str]:
    """Yield what a contender breaks, in the user's words."""
    violations = contender.outcome.violations
    shown = violations if look.wide else violations[:SHOWN]
    yield from (f"  {printable(str(violation))}" for violation in shown)
    if len(shown) < len(violations):
        yield f"  ... and {len(violations) - len(shown)} more; -o wide shows them all"
