"""Comparisons: the best placement beside those of dispensers."""

import math
from collections.abc import Iterator, Sequence

from fairlead.models.outcome import BEST, Comparison, Contender, Outcome
from fairlead.models.words import counted, format_number, listed
from fairlead.report.blocks import (
    WIDE_SHOWS,
    Cell,
    Column,
    Line,
    Row,
    Table,
    cells,
    columns,
    first_lines,
    some,
    table,
    texts,
)
from fairlead.report.content.outcome import SHOWN, TONES, explanation, toned_verdict, verdict
from fairlead.report.terminal import Look
from fairlead.solver.compare import Benchmark, SecondsSpread

BROKEN_SHOWN = 5
"""Broken rules of a contender that are listed before the rest is counted, so that tables stay in sight."""


def verdicts(comparison: Comparison) -> str:
    """Return how all contenders compare, a line each, below the verdict on the best placement."""
    return "\n".join([verdict(comparison.best), *(each.verdict for each in comparison.contenders)])


def summary(comparison: Comparison) -> list[str]:
    """Return the verdict, and below every contender what it breaks, a line each."""
    lines = [verdict(comparison.best)]
    for contender in comparison.contenders:
        lines += [contender.verdict, *_broken(contender, BROKEN_SHOWN, "  ... and {}")]
    return lines


def terminal(comparison: Comparison, look: Look) -> list[list[Line]]:
    """Return everything that a terminal shows, the verdicts first; without headers a row per answer only."""
    if not look.headers:
        return [[answers(comparison)]]
    shown = [toned_verdict(comparison.best), *texts(explanation(comparison.best))]
    for contender in comparison.contenders:
        told = _broken(contender, look.few(BROKEN_SHOWN), f"  {WIDE_SHOWS}")
        shown += texts([contender.verdict, *told])
    return [shown, [answers(comparison)], some(replicas(comparison).first(look.few(SHOWN), ""))]


def answers(comparison: Comparison) -> Table:
    """Return a row per answer: status, what is missing or broken, and every level of the best one."""
    names = [level.name for level in comparison.best.objectives]
    rows = [_answer(name, outcome, names) for name, outcome in comparison.answers.items()]
    levels = (Column(name.capitalize(), right=True) for name in names)
    return table((*columns("Scheduler", "Status", ">Unplaced", ">Violations"), *levels), rows)


def _answer(name: str, outcome: Outcome, levels: list[str]) -> Row:
    """Return the row of one answer; levels of another affinity group are not comparable."""
    same = [level.name for level in outcome.objectives] == levels
    values = [format_number(level.value) for level in outcome.objectives] if same else ["-"] * len(levels)
    broken = len(outcome.violations)
    unplaced = "-" if outcome.placement is None else str(outcome.missing)
    return (
        Cell(name, "bold"),
        Cell(str(outcome.status), TONES[outcome.status]),
        Cell(unplaced, "" if unplaced in ("0", "-") else "bad"),
        Cell(str(broken), "bad" if broken else ""),
        *cells(*values),
    )


def replicas(comparison: Comparison) -> Table:
    """Return the clusters on which a contender differs, the replicas of every answer side by side."""
    spots = sorted(
        {(one.workload, one.cluster) for each in comparison.contenders for one in each.differences}
    )
    named = (Column(name, right=True) for name in comparison.answers)
    outcomes = tuple(comparison.answers.values())
    rows = ((*cells(key, cluster), *_numbers(outcomes, key, cluster)) for key, cluster in spots)
    return table((*columns("~Workload", "~Cluster"), *named), rows)


def _numbers(answers: Sequence[Outcome], key: str, cluster: str) -> Iterator[Cell]:
    """Yield the replicas of every answer on a cluster, toned where they differ from the best."""
    numbers = [one.placement.of(key).get(cluster, 0) if one.placement else 0 for one in answers]
    yield from (Cell(str(number), "" if number == numbers[0] else "notice") for number in numbers)


def _broken(contender: Contender, shown: int | None, told: str) -> list[str]:
    return first_lines((f"  {violation}" for violation in contender.outcome.violations), shown, "", told)


def bench_verdict(bench: Benchmark) -> str:
    """Return who is the fastest, in a sentence."""
    seconds, ratios = bench.seconds, bench.ratios
    fastest = min(ratios, key=lambda name: ratios[name])
    rounds = counted(len(bench.rounds), "round")
    if fastest == BEST:
        return f"fairlead is the fastest: {_told(seconds[BEST].median)} s, the median of {rounds}."
    mine, theirs = _told(seconds[BEST].median), _told(seconds[fastest].median)
    times = _ratio(ratios[BEST]).removesuffix("x")
    return (
        f"fairlead takes {mine} s, {times} times as long as {fastest} ({theirs} s), the median of {rounds}."
    )


def bench_summary(bench: Benchmark) -> list[str]:
    """Return the verdict, and what is to be known of the numbers, a line each."""
    load = bench.load
    lines = [
        bench_verdict(bench),
        f"Loading the input takes {_told(load.median)} s ({_range(load)}) beside that.",
    ]
    if bench.changing:
        named = listed(bench.changing)
        lines.append(f"{named}: not the same placement in every round; shown is that of the last one.")
    return lines


def bench_terminal(bench: Benchmark, look: Look) -> list[list[Line]]:
    """Return everything that a terminal shows; without headers a row per scheduler only."""
    rows: list[Line] = [timed(bench)]
    return [list(texts(bench_summary(bench))), rows] if look.headers else [rows]


def timed(bench: Benchmark) -> Table:
    """Return a row per scheduler: seconds and ratio to the fastest, then status, what is broken, levels."""
    seconds, ratios = bench.seconds, bench.ratios
    quality = answers(bench.last)
    rows = []
    for name, answer in zip(seconds, quality.rows, strict=True):
        taken = seconds[name]
        measured = cells(_told(taken.median), _range(taken), _ratio(ratios[name]))
        rows.append((answer[0], *measured, *answer[1:]))
    head = (quality.columns[0], *columns(">Seconds", ">Range", ">Ratio"), *quality.columns[1:])
    return table(head, rows)


def _told(seconds: float) -> str:
    """Return seconds with two digits that count, or three where there are whole ones."""
    if seconds < 1:
        return f"{seconds:.{min(6, 1 - math.floor(math.log10(seconds)))}f}" if seconds else "0"
    return f"{seconds:.2f}" if seconds < 10 else f"{seconds:.1f}"


def _range(spread: SecondsSpread) -> str:
    return f"{_told(spread.least)}-{_told(spread.most)}"


def _ratio(ratio: float) -> str:
    return f"{ratio:.1f}x" if ratio < 10 else f"{ratio:.0f}x"
