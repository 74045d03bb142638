"""Judge measurements by the bars of their cases."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from measuring import Measurement
from registry import Bar, Case

# A limit is kept where no more than this is used of it: the last step of a search has to end, too.
TOLERANCE = 1.1


@dataclass(frozen=True, slots=True)
class Verdict:
    """A bar and whether it is reached.

    Parameters
    ----------
    case
        Name of the case.
    bar
        What had to be reached.
    missed
        What is missing, in words; empty where the bar is reached.
    found
        What was reached, in words.
    """

    case: str
    bar: Bar
    missed: tuple[str, ...]
    found: str


def judge(cases: Mapping[str, Case], measurements: Iterable[Measurement]) -> Iterator[Verdict]:
    """Judge every measurement for which there is a bar."""
    for measurement in measurements:
        for bar in cases[measurement.case].bars:
            if (bar.contender, bar.seconds) == (measurement.contender, measurement.limit):
                yield verdict(bar, measurement)


def verdict(bar: Bar, measurement: Measurement) -> Verdict:
    """Judge a measurement by a bar."""
    missed = []
    if measurement.state != "valid":
        missed.append(f"no valid placement ({measurement.state}{_after(measurement.remark)})")
    elif bar.leading:
        missed += _missed_levels(bar, measurement)
    elif bar.gap is not None and (measurement.gap is None or measurement.gap > bar.gap):
        shown = "unknown" if measurement.gap is None else f"{measurement.gap:.4%}"
        missed.append(f"gap {shown}, {bar.gap:.4%} allowed")
    most = TOLERANCE * bar.seconds if bar.done_in is None else bar.done_in
    if measurement.seconds > most:
        missed.append(f"{measurement.seconds:.1f} s, {most:g} s allowed")
    gibibytes = measurement.mebibytes / 1024
    if bar.gibibytes is not None and gibibytes > bar.gibibytes:
        missed.append(f"{gibibytes:.1f} GiB, {bar.gibibytes:g} GiB allowed")
    gap = "" if measurement.gap is None else f"gap {measurement.gap:.4%}, "
    found = f"{gap}{measurement.seconds:.1f} s, {gibibytes:.2f} GiB"
    return Verdict(measurement.case, bar, tuple(missed), found)


def _missed_levels(bar: Bar, measurement: Measurement) -> Iterator[str]:
    """Yield the levels that are too far from their bounds; none at all is allowed up to the moves."""
    for level in measurement.levels:
        allowed = 0.0 if level.leading else bar.gap
        if allowed is not None and (level.gap is None or level.gap > allowed):
            shown = "unknown" if level.gap is None else f"{level.gap:.4%}"
            yield f"{level.name}: gap {shown}, {allowed:.4%} allowed"


def _after(remark: str) -> str:
    return f": {remark}" if remark else ""


def required(bar: Bar) -> str:
    """Say what a bar asks for."""
    quality = "a placement that keeps all rules" if bar.gap is None else f"gap {100 * bar.gap:g}%"
    if bar.gap == 0:
        quality = "proven"
    if bar.leading:
        later = "" if bar.gap is None else f", later levels {quality}"
        quality = f"moves proven least{later}"
    time = f"{bar.seconds:g} s" if bar.done_in is None else f"{bar.done_in:g} s"
    memory = "" if bar.gibibytes is None else f" and {bar.gibibytes:g} GiB"
    return f"{quality} in {time}{memory}"
