"""Keep what was measured as ratios to contenders of the same run, and say what has become slower since.

    python benchmarks/trend.py     # the last run against those before it; exit code 1 where one is slower

`benchmarks/run.py` adds its ratios to `benchmarks/trend.csv`: date, commit, what was measured, against whom,
and how many times as long it took (or as much it cost). Machines differ, and so does what else runs there; a
ratio to something that ran a moment before differs little.
"""

import csv
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from machine import today

FILE = Path(__file__).with_name("trend.csv")
SLOWER = 1.1
"""A ratio of so many times the usual one is told."""
USUAL = 5
"""Runs of which the median is the usual ratio."""


class Ratio(NamedTuple):
    """What was measured, as a ratio to a contender; less is better."""

    measure: str
    contender: str
    ratio: float


class Run(NamedTuple):
    """When a ratio was measured, and of which commit."""

    date: str
    commit: str
    ratio: Ratio


def keep(ratios: Iterable[Ratio], file: Path = FILE) -> None:
    """Add the ratios of a run to what is known."""
    commit, new = _commit(), not file.exists()
    with file.open("a", newline="") as stream:
        table = csv.writer(stream, lineterminator="\n")
        if new:
            table.writerow(["date", "commit", *Ratio._fields])
        for each in ratios:
            table.writerow([today(), commit, each.measure, each.contender, f"{each.ratio:.4g}"])


def _commit() -> str:
    """Return the commit that is measured, short; a word where nobody tells."""
    git = shutil.which("git")
    if git is None:
        return "unknown"
    command = [git, "rev-parse", "--short", "HEAD"]
    told = subprocess.run(command, capture_output=True, text=True, check=False, cwd=FILE.parent)
    return told.stdout.strip() or "unknown"


def on_record(file: Path = FILE) -> list[Run]:
    """Return the runs that are on record, the oldest first."""
    if not file.exists():
        return []
    with file.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    return [
        Run(row["date"], row["commit"], Ratio(row["measure"], row["contender"], float(row["ratio"])))
        for row in rows
    ]


def compared(runs: Sequence[Run]) -> Iterator[tuple[Run, float | None]]:
    """Yield the last run of everything, and the usual ratio before it; None where it is the first."""
    of: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        of.setdefault((run.ratio.measure, run.ratio.contender), []).append(run)
    for *before, last in of.values():
        usual = [run.ratio.ratio for run in before[-USUAL:]]
        yield last, statistics.median(usual) if usual else None


def slower(runs: Sequence[Run]) -> list[str]:
    """Say what took at least a tenth more than usual when it was measured last."""
    return [
        f"{last.ratio.measure}: {last.ratio.ratio:.3g} times {last.ratio.contender}, usually {usual:.3g}"
        for last, usual in compared(runs)
        if usual is not None and last.ratio.ratio >= SLOWER * usual
    ]


def main() -> int:
    """Print the last ratio of everything beside the usual one; the exit code is 1 where one is slower."""
    runs = on_record()
    for last, usual in compared(runs):
        shown = "first run" if usual is None else f"usually {usual:.3g}"
        print(f"{last.ratio.measure:<44} {last.ratio.ratio:>8.3g} times {last.ratio.contender} ({shown})")
    worse = slower(runs)
    for each in worse:
        print(f"SLOWER: {each}")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
