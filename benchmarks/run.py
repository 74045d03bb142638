"""Measure fairlead against contenders in the same run; values are checked, ratios count.

    python benchmarks/run.py                        # short: about two minutes
    python benchmarks/run.py --full                 # every case and contender: about an hour
    python benchmarks/run.py --only 'batch-50x10-*' # some cases, with all their contenders
    python benchmarks/run.py --full --write-docs    # and write docs/benchmarks.md and its drawings anew

The exit code is 1 where a bar is missed or a value is wrong. Absolute times depend on the machine and on what
else runs there; the ratios and gaps hardly do.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from fnmatch import fnmatch
from pathlib import Path

from bars import judge, required
from contenders import CONTENDERS
from curves import draw
from loading import measure_loading
from machine import described, load
from many import measure_many
from measuring import Measurement, from_dict, measure
from registry import CASES, Case
from single_rules import SIZES, measure_rules
from singles import measure_single
from spread import measure_spread
from starting import measure_commands, measure_load, measure_start
from tables import case_table, put_between_markers, to_markdown
from trend import Ratio, keep, on_record, slower

ROOT = Path(__file__).parent.parent
DOCUMENT = ROOT / "docs" / "benchmarks.md"
# What was measured last; a run that writes the document replaces only what it measured itself.
RECORD = ROOT / "build" / "benchmarks.json"


def main() -> int:
    """Run the benchmarks that are asked for; the exit code is 1 where a bar is missed or a value is wrong."""
    arguments = _arguments()
    chosen = _chosen(arguments.only, full=arguments.full)
    if arguments.list:
        _list()
        return 0
    if not chosen:
        sys.exit(f"no case is named like {arguments.only}; --list shows all")
    failures: list[str] = []
    ratios: list[Ratio] = []
    if not arguments.only:
        failures += measure_single(ratios, full=arguments.full) + measure_many(ratios)
        failures += measure_spread(full=arguments.full)
        failures += measure_rules(SIZES if arguments.full else SIZES[:2], repeat=7 if arguments.full else 3)
        failures += measure_start(repeat=15 if arguments.full else 7) + measure_load()
        failures += measure_commands(repeat=15 if arguments.full else 7)
        failures += measure_loading(ratios, full=arguments.full)
    whole = arguments.full or bool(arguments.only)
    measured = _measure_all(chosen, arguments, full=whole)
    failures += _report(measured)
    keep([*ratios, *_beside_others(measured)])
    for each in slower(on_record()):
        print(f"SLOWER: {each}")
    if arguments.write_docs:
        _write(_recorded(measured))
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
    parser.add_argument("--write-docs", action="store_true", help="write docs/benchmarks.md and its drawings")
    return parser.parse_args()


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
    """Measure one after the other, so that nothing disturbs anything, and print as it goes."""
    measured = []
    for case in chosen:
        print(f"\n{case.name}: {case.about}")
        of_case = []
        for contender, limit in jobs(case, full=full):
            of_case.append(measure(case.name, contender, limit, arguments.workers, arguments.seed))
            print(f"  {contender}, {limit:g} s: {_told(of_case[-1])}", flush=True)
        print(case_table(of_case), flush=True)
        measured += of_case
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


def _recorded(measured: Sequence[Measurement]) -> list[Measurement]:
    """Put what was measured now in place of what is on record of it; return everything."""
    known: list[Measurement] = []
    if RECORD.exists():
        known = [from_dict(data) for data in json.loads(RECORD.read_text())]
    merged = merge(known, measured)
    RECORD.parent.mkdir(exist_ok=True)
    RECORD.write_text(json.dumps([asdict(one) for one in merged]))
    return merged


def merge(known: Sequence[Measurement], measured: Sequence[Measurement]) -> list[Measurement]:
    """Return the newest measurement of every job that is in the registry, in its order."""
    newest = {(one.case, one.contender, one.limit): one for one in (*known, *measured)}
    return [
        newest[case.name, contender, limit]
        for case in CASES.values()
        for contender, limit in jobs(case, full=True)
        if (case.name, contender, limit) in newest
    ]


def _write(measured: Sequence[Measurement]) -> None:
    """Write the document and its drawings."""
    figures: dict[str, str] = {}
    for name in CASES:
        of_case = [one for one in measured if one.case == name]
        file = DOCUMENT.with_name(f"benchmarks-{name}.svg")
        if draw(name, of_case, file):
            figures[name] = file.name
    text = to_markdown(CASES, measured, list(judge(CASES, measured)), described(), figures)
    DOCUMENT.write_text(put_between_markers(DOCUMENT.read_text(), text))
    print(f"written: {DOCUMENT}")


if __name__ == "__main__":
    sys.exit(main())
