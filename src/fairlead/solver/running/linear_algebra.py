"""How many threads multiply and invert the matrices of a search: one."""

from contextlib import ContextDecorator
from threading import Lock
from typing import Self

from threadpoolctl import threadpool_limits


class _OneThread(ContextDecorator):
    """One thread for linear algebra from the first search that begins to the last one that ends.

    The number of threads is the process's, and searches in several threads of a program overlap in any
    order: only the last one to end may set back what the first one found.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._searches = 0
        self._limits: threadpool_limits | None = None

    def __enter__(self) -> Self:
        with self._lock:
            self._searches += 1
            if self._limits is None:
                self._limits = threadpool_limits(limits=1, user_api="blas")
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._searches -= 1
            if not self._searches and self._limits is not None:
                self._limits.restore_original_limits()
                self._limits = None


in_one_thread = _OneThread()
"""Lets a function have its linear algebra done by one thread; afterwards all is as it was.

NumPy's library takes a thread for every core it sees. For matrices of a few hundred rows that gains nothing,
and where others use the cores as well, or a container may use few of them, the threads wait for each other:
an inverse takes five to fifty times as long.
"""
