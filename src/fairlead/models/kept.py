"""What is found out about a value that never changes is kept with it: nobody looks for it twice."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Self, TypeVar, TypeVarTuple

Found = TypeVar("Found")
Others = TypeVarTuple("Others")


class Known:
    """An immutable value that keeps what was found out about it; copies and pickles of it begin anew."""

    def once(self, find: Callable[[Self, *Others], Found], *others: *Others) -> Found:
        """Return what a pure function finds of this value and of others; asked again it is not called.

        What it returns must not be changed by anybody. Others are told apart by identity, so they have to be
        immutable, and the same object each time.
        """
        known = _known(self)
        # Who is part of a key is kept, so that nobody else gets his identity.
        key = (find, *map(id, others))
        if key not in known:
            known[key] = (others, find(self, *others))
        found: Found = known[key][1]
        return found

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_known"}


Value = TypeVar("Value", bound=Known)


def kept(find: Callable[[Value], Found]) -> Callable[[Value], Found]:
    """Let a function of a value run once for each."""

    @wraps(find)
    def found(value: Value) -> Found:
        return value.once(find)

    return found


def keep(value: Value, find: Callable[[Value], Found], result: Found) -> None:
    """Let a function that is `kept` return a result for a value of which that is known without a look."""
    _known(value)[(find.__wrapped__,)] = ((), result)  # type: ignore[attr-defined]


def _known(value: Known) -> dict[object, tuple[object, Any]]:
    """Return what is kept with a value, by what was asked."""
    known: dict[object, tuple[object, Any]] = vars(value).setdefault("_known", {})
    return known
