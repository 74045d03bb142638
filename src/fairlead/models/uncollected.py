"""Making much at once without the collector of garbage."""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

SHORT = 1.0
"""Seconds up to which a call leaves garbage alone: one look through a large fleet takes a twentieth."""

MORE = 100_000
"""Things that become old without a look at them before the collector looks at all, or a quarter of those
there were at its last look where that is more: so does Python itself."""


class _Looked:
    """What the collector was left after its last look at everything that is old."""

    things = 0


@contextmanager
def uncollected(*, lasting: bool = False) -> Iterator[None]:
    """Let no collector of garbage look through what is being made, again and again, as it grows.

    For what has no circles, or ends soon, so that nothing is missed. Afterwards all is as before.

    `lasting`: True where nearly all of it is to stay: then the collector looks through it with all that is
    old.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if lasting and not gc.get_freeze_count():
            # All there is becomes old without a look at it, so none follows at once either.
            gc.freeze()
            _looked_through(gc.get_freeze_count())
        gc.enable()


def _looked_through(things: int) -> None:
    """Let what is frozen be old; look through it where it has become much more, as nobody else does.

    Python looks through what is old after so many looks at what is young, and freezing begins to count anew:
    who loads again and again would never get rid of what he has done with.
    """
    gc.unfreeze()
    if not _Looked.things:
        _Looked.things = things
    elif things > _Looked.things + max(MORE, _Looked.things // 4):
        gc.collect()
        _Looked.things = len(gc.get_objects())


def hurried(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Leave garbage alone during a call whose ``time_limit`` is short."""

    @wraps(function)
    def called(*arguments: Arguments.args, **settings: Arguments.kwargs) -> Result:
        limit = settings.get("time_limit")
        if not isinstance(limit, int | float) or limit > SHORT:
            return function(*arguments, **settings)
        with uncollected():
            return function(*arguments, **settings)

    return called
