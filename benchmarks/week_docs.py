"""What weeks came to, written into docs/week.md size by size, and in one sentence into the README."""

import re
from collections.abc import Sequence
from pathlib import Path

from tables import put_between
from week_page import draw, title_of
from week_tables import CONTENDERS, EVENTS, SECONDS, Run, behind, by_seed, missed, range_of, to_markdown

ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = ROOT / "docs" / "week.md"
README = ROOT / "README.md"
SIZES = tuple(EVENTS)
"""Sizes that have a place in the document."""
FIRST = SIZES[0]
"""The size of which curves are drawn, and that the README tells."""
IN_README = ("<!-- week: begin -->", "<!-- week: end -->")
"""Between which marks the README tells it."""
NUMBERS = ("no", "one", "two", "three", "four", "five")


def markers(size: str) -> tuple[str, str]:
    """Return between which lines stands what was measured of a size."""
    by = " (written by benchmarks/week.py --write-docs)"
    return f"<!-- week {size}: begin{by} -->", f"<!-- week {size}: end -->"


def write_docs(
    runs: Sequence[Run],
    patience: float,
    limit: float = SECONDS,
    document: Path = DOCUMENT,
    readme: Path = README,
) -> None:
    """Write what was measured into the document, and of the first size a sentence into the README.

    Parameters
    ----------
    runs
        What was measured; sizes that are not among them stay as they are.
    patience
        Factor on all time limits.
    limit
        Seconds that an answer may take, before that.
    document, readme
        Where it is written to; the drawing goes beside the document.
    """
    for size in dict.fromkeys(run.size for run in runs):
        inside = [run for run in runs if run.size == size]
        text = measured(inside, patience, limit)
        if size == FIRST:
            seed = min(run.seed for run in inside)
            name = f"week-{size}.svg"
            draw([run for run in inside if run.seed == seed], document.parent / name)
            text += (
                f"\n\n![Not running, against rules, and moved so far over the week of seed {seed}]({name})"
            )
            readme.write_text(put_between(readme.read_text(), *IN_README, summary(text)))
        document.write_text(put_between(document.read_text(), *markers(size), f"\n\n{text}\n\n"))


def measured(runs: Sequence[Run], patience: float, limit: float) -> str:
    """Return what is to be told of one size: how it was measured, tables, and where others do better."""
    handled = [run.handled for run in runs]
    events = range_of([len(one.steps) for one in handled], ",.0f")
    seeds = sorted({run.seed for run in runs})
    cpu = [sum(run.cpu for run in runs if run.seed == seed) / 60 for seed in seeds]
    allowed = f"{limit:g} seconds"
    if patience != 1:
        allowed += f", times {patience:g} because the cores were in use by others"
    told = ", ".join(map(str, seeds))
    begin = (
        f"{events} events, {'seed' if len(seeds) == 1 else 'seeds'} {told}; all contenders of a seed together"
        f" took {range_of(cpu, '.1f')} minutes of one core, judging included. Limit of an answer: {allowed}."
    )
    parts = [begin, to_markdown(runs), by_seed(runs), _bars(runs)]
    if found := list(behind(runs)):
        parts += [
            "When a greedy scheduler has fewer replicas pending, or against rules, event by event:",
            "\n".join(found),
        ]
    else:
        parts.append("At no time does a greedy scheduler have fewer replicas pending, or against rules.")
    return "\n\n".join(parts)


def _bars(runs: Sequence[Run]) -> str:
    """Return which bars are missed."""
    found = [line for run in runs for line in missed(run, runs)]
    if not found:
        return "All bars are kept."
    return "Bars that are missed:\n\n" + "\n".join(f"* {line}" for line in found)


def summary(text: str) -> str:
    """Return what the README says of the first size, from the first table of its part of the document."""
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    seeds = re.search(r"seeds? ([\d, ]+);", text)
    count = len(seeds[1].split(",")) if seeds else 0

    def told(name: str) -> str:
        return next(row[1] for row in rows if row[0] == CONTENDERS[name]).replace(" - ", " to ")

    weeks = f"{NUMBERS[count]} made-up {'week' if count == 1 else 'weeks'}"
    return (
        f"In {weeks} of {title_of(FIRST)} fairlead leaves\n"
        f"{told('fairlead')} replica-hours pending, models of Karmada's scheduler"
        f" {told('karmada-deduct')} and of KubeAdmiral's {told('kubeadmiral')},\nthe reference dispenser"
        f" {told('reference')}"
    )
