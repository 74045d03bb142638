"""Measure fairlead against contenders in the same run; values are checked, ratios count.

    python benchmarks/run.py                        # short: about two minutes
    python benchmarks/run.py --full                 # every case and contender: about half an hour
    python benchmarks/run.py --only 'batch-50x10-*' # some cases, with all their contenders
    python benchmarks/run.py --write-docs           # that, and write docs/benchmarks.md and its drawings

The exit code is 1 where a bar is missed or a value is wrong. Absolute times depend on the machine and on what
else runs there; the ratios and gaps hardly do.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from fnmatch import fnmatch
from io import StringIO
from pathlib import Path

from bars import judge, required
from contenders import CONTENDERS
from curves import draw
from loading import measure_loading
from machine import described, load
from many import measure_many
from measuring import Measurement, measure
from registry import CASES, Case
from single_rules import SIZES, measure_rules
from singles import measure_single
from spread import measure_spread
from starting import measure_commands, measure_load, measure_start
from tables import Fine, case_table, put_between_markers, to_markdown
from trend import Ratio, keep, on_record, slower

ROOT = Path(__file__).parent.parent
DOCUMENT = ROOT / "docs" / "benchmarks.md"


def main() -> int:
    """Run the benchmarks that are asked for; the exit code is 1 where a bar is missed or a value is wrong."""
    arguments = _arguments()
    full = arguments.full or arguments.write_docs
    chosen = _chosen(arguments.only, full=full)
    if arguments.list:
        _list()
        return 0
    if not chosen:
        sys.exit(f"no case is named like {arguments.only}; --list shows all")
    machine = described()
    ratios: list[Ratio] = []
    fine = Fine({}, [])
    if not arguments.only:
        fine = _measure_fine(ratios, full=full)
    measured = _measure_all(chosen, arguments, full=full or bool(arguments.only))
    failures = [*fine.missed, *_report(measured)]
    keep([*ratios, *_beside_others(measured)])
    for each in slower(on_record()):
        print(f"SLOWER: {each}")
    if arguments.write_docs:
        _write(measured, fine, machine)
    for failure in failures:
        print(f"FAILED: {failure}")
    return 1 if failures else 0


def _list() -> None:
    """Print all cases and contenders."""
    print("Cases")
    for case in CASES.values():
        print(f"  {case.name:<26} {case.about}")
    print("Contenders")
    for name, contender in CONTENDERS.items():
        print(f"  {name:<26} {contender.about}")


def _arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--full", action="store_true", help="every case and contender")
    parser.add_argument("--only", metavar="PATTERN", help="only the cases of such names, with all contenders")
    parser.add_argument("--list", action="store_true", help="print the cases and contenders")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="threads of each contender")
    parser.add_argument(
        "--seed", type=int, default=0, help="from which the problems are made; 0 is documented"
    )
    parser.add_argument(
        "--write-docs", action="store_true", help="as --full, and write docs/benchmarks.md and its drawings"
    )
    arguments = parser.parse_args()
    if arguments.write_docs and arguments.only:
        parser.error("--write-docs measures everything: its rows are all of one run")
    return arguments


class _Heard(StringIO):
    """Keeps what is printed, and prints it."""

    def write(self, text: str) -> int:
        """Print and keep."""
        print(text, end="", file=sys.__stdout__, flush=True)
        return super().write(text)


def _measure_fine(ratios: list[Ratio], *, full: bool) -> Fine:
    """Measure what takes milliseconds or seconds and has tables of its own."""
    often = 15 if full else 7
    steps: Mapping[str, Callable[[], list[str]]] = {
        "One workload": lambda: measure_single(ratios, full=full),
        "Many workloads in one call": lambda: measure_many(ratios),
        "One workload in some of many regions": lambda: measure_spread(full=full),
        "One workload under every ordinary rule": lambda: measure_rules(
            SIZES if full else SIZES[:2], repeat=7 if full else 3
        ),
        "Start and commands": lambda: measure_start(often) + measure_commands(often),
        "Loading": lambda: measure_load() + measure_loading(ratios, full=full),
    }
    printed: dict[str, str] = {}
    missed: list[str] = []
    for title, step in steps.items():
        with redirect_stdout(_Heard()) as heard:
            missed += step()
        printed[title] = heard.getvalue().strip()
    return Fine(printed, missed)


def _chosen(pattern: str | None, *, full: bool) -> list[Case]:
    """Return the cases that are asked for."""
    if pattern:
        return [case for case in CASES.values() if fnmatch(case.name, pattern)]
    return [case for case in CASES.values() if full or case.short]


def jobs(case: Case, *, full: bool) -> Iterator[tuple[str, float]]:
    """Yield the contenders of a case with their time limits; bars have limits of their own."""
    for contender in case.contenders if full else case.short:
        limits = {bar.seconds for bar in case.bars if bar.contender == contender}
        if full or not limits:
            limits.add(case.seconds)
        for limit in sorted(limits)[: None if full else 1]:
            yield contender, limit


def _measure_all(chosen: Sequence[Case], arguments: argparse.Namespace, *, full: bool) -> list[Measurement]:
    """Measure one after the other, so that nothing disturbs anything, and print as it goes.

    Who interrupts a run that takes too long keeps the cases that are done.
    """
    measured: list[Measurement] = []
    for case in chosen:
        try:
            measured += _measure_case(case, arguments, full=full)
        except KeyboardInterrupt:
            print(f"\ninterrupted at {case.name}: it and the cases after it are left out")
            break
    return measured


def _measure_case(case: Case, arguments: argparse.Namespace, *, full: bool) -> list[Measurement]:
    """Measure all contenders of a case and print its table."""
    print(f"\n{case.name}: {case.about}")
    measured = []
    for contender, limit in jobs(case, full=full):
        measured.append(measure(case.name, contender, limit, arguments.workers, arguments.seed))
        print(f"  {contender}, {limit:g} s: {_told(measured[-1])}", flush=True)
    print(case_table(measured), flush=True)
    return measured


def _told(one: Measurement) -> str:
    """Say in a line what was measured."""
    value = "".join(f", {level.name} {level.value:,.7g}" for level in one.levels if level.value is not None)
    gap = "" if one.gap is None else f", gap {one.gap:.4%}"
    return f"{one.state}{value}{gap}, {one.seconds:.2f} s, {one.mebibytes:.0f} MiB {one.remark}".rstrip()


def _report(measured: Sequence[Measurement]) -> list[str]:
    """Print the bars; return those that are missed and the answers of fairlead that are wrong."""
    failures = []
    verdicts = list(judge(CASES, measured))
    if verdicts:
        busy = load()
        print(f"\nBars (load of the machine now: {'unknown' if busy is None else f'{busy:.1f}'})")
    for verdict in verdicts:
        name = f"{verdict.case}, {verdict.bar.contender}: {required(verdict.bar)}"
        print(f"  {'MISSED' if verdict.missed else 'kept  '} {name}: {verdict.found}")
        failures += [f"{name}: {missed}" for missed in verdict.missed]
    ours = [one for one in measured if one.contender.startswith("fairlead")]
    failures += [
        f"{one.case}, {one.contender}: {one.state} {one.remark}"
        for one in ours
        if one.state in ("invalid", "failed")
    ]
    return failures


def _beside_others(measured: Sequence[Measurement]) -> Iterator[Ratio]:
    """Yield what the answers of fairlead cost on the first level, as multiples of the best of the others."""
    for one in measured:
        others = [
            each.values[0]
            for each in measured
            if each.case == one.case and not each.contender.startswith("fairlead") and each.values
        ]
        best = min((value for value in others if value), default=None)
        if one.contender == "fairlead" and one.values and one.values[0] is not None and best:
            yield Ratio(f"{one.case} in {one.limit:g} s", "the best other", one.values[0] / best)


def _write(measured: Sequence[Measurement], fine: Fine, machine: Mapping[str, str]) -> None:
    """Write the document and its drawings."""
    figures: dict[str, str] = {}
    for name in CASES:
        of_case = [one for one in measured if one.case == name]
        file = DOCUMENT.with_name(f"benchmarks-{name}.svg")
        if draw(name, of_case, file):
            figures[name] = file.name
    text = to_markdown(CASES, measured, list(judge(CASES, measured)), machine, figures, fine)
    DOCUMENT.write_text(put_between_markers(DOCUMENT.read_text(), text))
    print(f"written: {DOCUMENT}")


if __name__ == "__main__":
    sys.exit(main())
