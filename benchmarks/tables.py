"""Measurements as Markdown, and the place in docs/benchmarks.md where they stand."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bars import Verdict, required
from measuring import Measurement
from registry import Case

BEGIN = "<!-- measured: begin (written by benchmarks/run.py --write-docs) -->"
END = "<!-- measured: end -->"


@dataclass(frozen=True, slots=True)
class Fine:
    """What was measured in milliseconds or seconds: what was printed, by title, and which bars are missed."""

    printed: Mapping[str, str]
    missed: Sequence[str]


def to_markdown(
    cases: Mapping[str, Case],
    measurements: Sequence[Measurement],
    verdicts: Sequence[Verdict],
    machine: Mapping[str, str],
    figures: Mapping[str, str],
    fine: Fine,
) -> str:
    """Write everything that was measured.

    Parameters
    ----------
    cases
        The cases by name.
    measurements, verdicts
        What was measured and how it was judged.
    machine
        What it was measured on, in words.
    figures
        File names of drawings by case, relative to the document.
    fine
        What has tables of its own.
    """
    parts = [_table(("", ""), [(name, text) for name, text in machine.items()])]
    if verdicts:
        rows = [_verdict_row(verdict) for verdict in verdicts]
        parts += ["### Bars", _table(("case", "by", "required", "reached", ""), rows)]
    if fine.missed:
        parts.append("Besides, these are missed:\n\n" + "\n".join(f"* {each}" for each in fine.missed))
    for title, printed in fine.printed.items():
        parts += [f"### {title}", f"```text\n{printed}\n```"]
    for name, case in cases.items():
        of_case = [measurement for measurement in measurements if measurement.case == name]
        if of_case:
            parts += [f"### {name}", _about(case, of_case), case_table(of_case)]
            if name in figures:
                parts.append(f"![{name}: value and bound over time]({figures[name]})")
    return "\n\n".join(parts) + "\n"


def _about(case: Case, measurements: Sequence[Measurement]) -> str:
    """Say what the case is, and of which seed."""
    seeds = " and ".join(str(seed) for seed in sorted({one.seed for one in measurements}))
    return f"{case.about[0].upper()}{case.about[1:]}. Seed {seeds}."


def _verdict_row(verdict: Verdict) -> tuple[str, ...]:
    """Write one bar down."""
    state = f"**missed**: {'; '.join(verdict.missed)}" if verdict.missed else "kept"
    return verdict.case, verdict.bar.contender, required(verdict.bar), verdict.found, state


def case_table(measurements: Sequence[Measurement]) -> str:
    """Write all contenders of one case down.

    Where there are several levels, all are written down, and there is no ratio to the best value.
    """
    values = [measurement.value for measurement in measurements if measurement.value is not None]
    best = min(values, default=None)
    head = ("contender", "limit s", "s", "value", "to best", "own bound", "own gap", "MiB", "")
    rows = [_row(measurement, best) for measurement in measurements]
    return _table(head, rows)


def _row(measurement: Measurement, best: float | None) -> tuple[str, ...]:
    """Write one measurement down."""
    value = measurement.value
    ratio = "" if value is None or not best else f"{value / best:.6f}"
    state = "proven" if measurement.proven else measurement.state
    if measurement.state in ("invalid", "failed", "not applicable") and measurement.remark:
        state = f"{state}: {measurement.remark}"
    return (
        measurement.contender,
        f"{measurement.limit:g}",
        _seconds(measurement.seconds),
        _numbers(measurement.values),
        ratio,
        _numbers([level.bound for level in measurement.levels]),
        "" if measurement.gap is None else f"{measurement.gap:.4%}",
        f"{measurement.mebibytes:.0f}" if measurement.mebibytes else "",
        state if measurement.state != "valid" or measurement.proven else "",
    )


def _seconds(seconds: float) -> str:
    """Write seconds with three digits."""
    return f"{seconds:.{max(1, 3 - len(str(int(seconds)))) if seconds >= 1 else 3}f}"


def _numbers(levels: Sequence[float | None]) -> str:
    """Write the numbers of all levels with seven digits each, the most important level first."""
    if all(number is None for number in levels):
        return ""
    return "; ".join("?" if number is None else f"{number:,.7g}" for number in levels)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Write a Markdown table; a bar in a text would end its cell."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(cell.replace("|", "/") for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def put_between_markers(document: str, measured: str) -> str:
    """Return a document with what was measured between its two markers."""
    return put_between(document, BEGIN, END, f"\n\n{measured}\n")


def put_between(document: str, begin: str, end: str, text: str) -> str:
    """Return a document with another text between two markers.

    Raises
    ------
    ValueError
        Where the document does not have both markers, once each and in order.
    """
    if document.count(begin) != 1 or document.count(end) != 1 or document.index(begin) > document.index(end):
        raise ValueError(f"the document needs the two markers of what was measured, once each: {begin} {end}")
    before, _, rest = document.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}{text}{end}{after}"
