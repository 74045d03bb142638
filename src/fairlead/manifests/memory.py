"""What several workloads share and is made only once."""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

V = TypeVar("V")


class Memory:
    """Things by key, made when they are first asked for."""

    def __init__(self) -> None:
        self._made: dict[Hashable, Any] = {}

    def once(self, key: Hashable | None, make: Callable[[], V]) -> V:
        """Return the thing of a key; None is the key of what nobody shares."""
        if key is None:
            return make()
        if key not in self._made:
            self._made[key] = make()
        found: V = self._made[key]
        return found
