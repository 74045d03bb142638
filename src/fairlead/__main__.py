"""``python -m fairlead`` and the program ``fairlead``."""

import gc
import os
import sys

TYPE_CHECKING = False  # type checkers know better; nothing is imported before Ctrl-C ends without a word
if TYPE_CHECKING:
    from types import FrameType, TracebackType

INTERRUPTED = 130
"""The exit code that shells give a program that Ctrl-C ended."""


def unhandled(kind: "type[BaseException]", error: BaseException, trace: "TracebackType | None") -> None:
    """End without a word where Ctrl-C comes before anybody listens; show everything else."""
    if issubclass(kind, KeyboardInterrupt):
        os._exit(INTERRUPTED)
    sys.__excepthook__(kind, error, trace)


sys.excepthook = unhandled


def main() -> int:
    """Run the command line; until it listens itself, signals that end a program end it without a word."""
    import signal  # it takes a module of its own, and Ctrl-C is told before that already

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, end)
    start_light()
    from fairlead.cli.app import main as run

    code = run()
    # The process ends: nobody has to look through all that is left for garbage.
    gc.freeze()
    return code


def start_light() -> None:
    """Set what makes imports slower in libraries that are not asked for it; who sets it himself is obeyed."""
    # Hundreds of classes are made while importing, and none of them is garbage.
    gc.set_threshold(300_000, 20, 20)
    # NumPy starts a thread for every core; no array here is large enough to be worth it.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Pydantic reads the metadata of every installed package to look for plugins.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


def end(number: int, _frame: "FrameType | None") -> None:
    """End the program at once, with the exit code that shells give a program that a signal ended."""
    os._exit(128 + number)


if __name__ == "__main__":
    sys.exit(main())
