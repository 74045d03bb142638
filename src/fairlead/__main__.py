"""``python -m fairlead`` and the program ``fairlead``."""

import os
import signal
import sys
from types import FrameType


def main() -> int:
    """Run the command line; until it listens itself, signals that end a program end it without a word."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, end)
    from fairlead.cli.app import main as run

    return run()


def end(number: int, _frame: FrameType | None) -> None:
    """End the program at once, with the exit code that shells give a program that a signal ended."""
    os._exit(128 + number)


if __name__ == "__main__":
    sys.exit(main())
