"""What is found out about a problem, or a placement of it, is kept with it: neither of them ever changes."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, TypeVar, cast

if TYPE_CHECKING:
    from fairlead.models.placement import Placement
    from fairlead.models.problem import Problem

T = TypeVar("T")


def kept(find: Callable[[Problem], T]) -> Callable[[Problem], T]:
    """Let a function of a problem run once for each; what it returns must not be changed by anybody."""
    name = _name(find)

    @wraps(find)
    def found(problem: Problem) -> T:
        known = vars(problem)
        if name not in known:
            known[name] = find(problem)
        return cast("T", known[name])

    return found


def keep(problem: Problem, find: Callable[[Problem], T], value: T) -> None:
    """Let a function that is `kept` return a value for a problem of which that is known without a look."""
    vars(problem)[_name(find)] = value


def _name(find: Callable[..., T]) -> str:
    """Return under which name a problem keeps what a function found."""
    return f"kept {find.__module__}.{find.__qualname__}"


def kept_of_last(find: Callable[[Problem, Placement], T]) -> Callable[[Problem, Placement], T]:
    """Let a function of a problem and a placement run once for the same two, one after the other.

    What is found is asked for again by whoever checks and by whoever tells it: only the last is kept.
    """
    name = _name(find)

    @wraps(find)
    def found(problem: Problem, placement: Placement) -> T:
        last = cast("tuple[Placement, T] | None", vars(problem).get(name))
        if last is None or last[0] is not placement:
            last = vars(problem)[name] = placement, find(problem, placement)
        return last[1]

    return found
