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

RARELY = (300_000, 20, 20)
"""After how much that is new the collector looks in longer calls, by generation: most of that stays."""

MANY = 100_000
"""New things from which on one look at all there is takes less than those that would follow one another."""


@contextmanager
def uncollected(*, lasting: bool = False) -> Iterator[None]:
    """Let no collector of garbage look through what is being made, again and again, as it grows.

    For what has no circles, or ends soon, so that nothing is missed. Afterwards all is as before.

    `lasting`: True where nearly all of it is to stay: then the collector looks through it once, if it is
    much, and it is old.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        if lasting and gc.get_count()[0] > MANY:
            gc.collect()


@contextmanager
def rarely() -> Iterator[None]:
    """Let the collector of garbage look rarely; who lets it look more rarely himself, or never, is obeyed."""
    before = gc.get_threshold()
    if before[0]:
        gc.set_threshold(*map(max, before, RARELY))
    try:
        yield
    finally:
        gc.set_threshold(*before)


def hurried(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Leave garbage alone during a call whose ``time_limit`` is short, and look for it rarely in others."""

    @wraps(function)
    def called(*arguments: Arguments.args, **settings: Arguments.kwargs) -> Result:
        limit = settings.get("time_limit")
        short = isinstance(limit, int | float) and limit <= SHORT
        with uncollected() if short else rarely():
            return function(*arguments, **settings)

    return called
