"""Benches: who took how long for one input, and how good the answers are."""

import math

from fairlead.models.words import counted, listed
from fairlead.report.blocks import Line, Table, cells, columns, table, texts
from fairlead.report.content.comparison import answers
from fairlead.report.terminal import Look
from fairlead.solver.bench import BEST, Bench, Spread


def verdict(bench: Bench) -> str:
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


def summary(bench: Bench) -> list[str]:
    """Return the verdict, and what is to be known of the numbers, a line each."""
    load = bench.load
    lines = [verdict(bench), f"Loading the input takes {_told(load.median)} s ({_range(load)}) beside that."]
    if bench.changing:
        named = listed(bench.changing)
        lines.append(f"{named}: not the same placement in every round; shown is that of the last one.")
    return lines


def terminal(bench: Bench, look: Look) -> list[list[Line]]:
    """Return everything that a terminal shows; without headers a row per scheduler only."""
    rows: list[Line] = [timed(bench)]
    return [list(texts(summary(bench))), rows] if look.headers else [rows]


def timed(bench: Bench) -> Table:
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


def _range(spread: Spread) -> str:
    return f"{_told(spread.least)}-{_told(spread.most)}"


def _ratio(ratio: float) -> str:
    return f"{ratio:.1f}x" if ratio < 10 else f"{ratio:.0f}x"
