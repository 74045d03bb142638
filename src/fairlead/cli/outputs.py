"""Outputs of commands: files, replaced whole, manifests to apply, and the progress of a search."""

import os
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from fairlead.cli import console, exits
from fairlead.solver.running.deadline import Deadline, listening

if TYPE_CHECKING:
    from fairlead.models.outcome import Outcome
    from fairlead.models.result import Progress
    from fairlead.solver.plan.answer import RebalancePlan


class NotWritten(click.ClickException):
    """A file could not be written."""

    exit_code = exits.WRONG_INPUT


def require_writable(file: str) -> None:
    """Refuse a file that cannot be written, before anything takes its time.

    Raises `click.UsageError` saying why it cannot be written.
    """
    path = Path(file).resolve()
    if not path.parent.is_dir():
        raise click.UsageError(f"there is no directory {Path(file).parent} to write {file} to")
    try:
        if not _is_plain(path):
            os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
            return
        number, beside = _new_beside(path)
        os.close(number)
        Path(beside).unlink()
    except OSError as error:
        raise click.UsageError(f"{file} cannot be written: {error.strerror}") from error


def require_empty(directory: str) -> None:
    """Make a directory where there is none; refuse one that holds something.

    Raises `click.UsageError` saying why nothing can be written there.
    """
    path = Path(directory)
    try:
        path.mkdir(parents=True, exist_ok=True)
        if any(path.iterdir()):
            raise click.UsageError(f"{directory} is not empty; name a new or an empty directory")
    except OSError as error:
        raise click.UsageError(f"{directory} cannot be written: {error.strerror}") from error
    require_writable(str(path / "any"))


def write(file: str, text: str) -> None:
    """Write a file: all of it, or nothing where that fails; what was there before stays until then.

    Raises `NotWritten` saying why it cannot be written.
    """
    path = Path(file).resolve()
    with listening(Deadline()):  # a signal waits until the file is complete
        try:
            if _is_plain(path):
                _replace(path, text)
            else:
                path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise NotWritten(f"{file} cannot be written: {error.strerror}") from error


def _new_beside(path: Path) -> tuple[int, str]:
    """Make an empty file of another name beside a path; return its descriptor and name."""
    import tempfile

    return tempfile.mkstemp(prefix=f".{path.name[:40]}.", dir=path.parent)


def _is_plain(path: Path) -> bool:
    """Tell whether a path is an ordinary file, or nothing yet; devices and pipes cannot be replaced."""
    return not path.exists() or stat.S_ISREG(path.stat().st_mode)


def _replace(path: Path, text: str) -> None:
    """Write beside a file, and put that in its place."""
    number, beside = _new_beside(path)
    try:
        with os.fdopen(number, "w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        Path(beside).chmod(_mode_of(path))
        Path(beside).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(beside).unlink()
        raise


def _mode_of(path: Path) -> int:
    """Return the permissions of a file, or those that a new one gets."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


Patches = Literal["patch", "status-patch"]
PATCHES: tuple[Patches, ...] = ("patch", "status-patch")
"""Formats for ``kubectl apply``: of the objects, and of their status."""


def show_patches(outcome: "Outcome", output: Patches) -> None:
    """Print patches; where there is no placement, or nothing changes, that is a note."""
    if not outcome.answered:
        console.rows(outcome, "")
        return
    from fairlead.report.manifests import patch_text

    text = patch_text(outcome, "status" if output == "status-patch" else None)
    if text:
        console.result(text.rstrip("\n"))
    else:
        console.note("nothing to change")


def write_waves(plan: "RebalancePlan", directory: str) -> None:
    """Write one file per wave, and say which."""
    from fairlead.report.manifests import wave_files

    files = wave_files(plan)
    for name, text in files.items():
        write(str(Path(directory) / name), text)
    if files:
        console.note(f"written to {directory}: {', '.join(files)}")


Report = Callable[["Progress"], None]


QUIET_SECONDS = 0.5
"""Seconds below which a search shows no progress at all."""


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
        Function to be called with every progress; None where standard error is no terminal.
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
        Function to be called when a round begins.
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
