"""How many threads multiply and invert the matrices of a search: one."""

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from threadpoolctl import threadpool_limits

Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")


def in_one_thread(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Let a function have its linear algebra done by one thread; afterwards all is as it was.

    NumPy's library takes a thread for every core it sees. For matrices of a few hundred rows that gains
    nothing, and where others use the cores as well, or a container may use few of them, the threads wait for
    each other: an inverse takes five to fifty times as long. The number is one for the whole process: of
    searches in several threads, each sets back what it found.
    """

    @functools.wraps(function)
    def alone(*arguments: Arguments.args, **settings: Arguments.kwargs) -> Result:
        with threadpool_limits(limits=1, user_api="blas"):
            return function(*arguments, **settings)

    return alone
