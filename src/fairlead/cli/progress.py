"""How far a search is, on one line of the terminal that disappears when it is over."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fairlead.models.result import Progress

Report = Callable[["Progress"], None]


QUIET_SECONDS = 0.5
"""What is over sooner is not shown at all."""


@contextmanager
def shown(time_limit: float | None, *, quiet: bool = False) -> Iterator[Report | None]:
    """Show how far a search is while the block runs, where somebody can see it.

    Parameters
    ----------
    time_limit
        Seconds that the search may take; None where there is no limit.
    quiet
        True shows nothing.

    Yields
    ------
    function or None
        What is to be called with every progress; None where standard error is no terminal.
    """
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    bars = Bars(*columns, console=Console(stderr=True), transient=True)
    task = bars.add_task("searching", total=time_limit)
    started = time.monotonic()

    def report(progress: "Progress") -> None:
        passed = time.monotonic() - started
        if passed >= QUIET_SECONDS:
            bars.start()
            bars.update(task, description=sentence(progress), completed=passed)

    try:
        yield report
    finally:
        bars.stop()


@contextmanager
def rounds_told(rounds: int, *, quiet: bool = False) -> Iterator[Callable[[], None]]:
    """Tell which round of a measurement begins, where somebody can see it; nothing runs beside the rounds.

    Yields
    ------
    function
        What is to be called when a round begins.
    """
    if quiet or not sys.stderr.isatty():
        yield lambda: None
        return
    begun = 0

    def begins() -> None:
        nonlocal begun
        begun += 1
        print(f"\rround {begun} of {rounds}", end="", file=sys.stderr, flush=True)

    try:
        yield begins
    finally:
        print("\r\x1b[2K", end="", file=sys.stderr, flush=True)


def sentence(progress: "Progress") -> str:
    """Return how far a search is in a few words."""
    if progress.value is None:
        return f"{progress.level}: no placement yet"
    value = f"{progress.level} {float(progress.value):.6g}"
    if progress.bound is None or progress.gap is None:
        return value
    return f"{value}, at least {float(progress.bound):.6g}, gap {100 * progress.gap:.3g}%"
