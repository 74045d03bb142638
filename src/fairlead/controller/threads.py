"""Threads of their own, of which no bug is lost."""

import threading
from collections.abc import Callable


def begin(work: Callable[[], None], name: str, fail: Callable[[Exception], None]) -> threading.Thread:
    """Do something in a thread of its own, which does not keep the process from ending.

    `fail`: is told of a bug in that thread, which ends it, so that nobody waits for it for ever.
    """

    def guarded() -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001 - it is raised again where the controller runs
            fail(error)

    thread = threading.Thread(target=guarded, name=name, daemon=True)
    thread.start()
    return thread
