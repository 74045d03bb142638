"""A way out: changes that were verified, which of several is better, and several as one."""

from collections.abc import Sequence
from dataclasses import dataclass

from fairlead.models.statement import Change
from fairlead.solver.changes.kinds import ChangeKind, order, sentences

SIMPLE = 3
"""Changes of a way out that people still read where there is another one."""


@dataclass(frozen=True, slots=True)
class WayOut:
    """Changes that were verified."""

    changes: tuple[Change, ...]
    """The changes, in order."""
    proven: bool
    """True where nothing cheaper exists."""

    @property
    def cost(self) -> int:
        """The total cost."""
        return sum(change.cost for change in self.changes)

    @property
    def rules(self) -> frozenset[tuple[object, ...]]:
        """The numbers that are changed, whatever the amounts."""
        return frozenset(each.about for each in self.changes)

    @property
    def rank(self) -> tuple[bool, int, int, list[tuple[int, str, str, str]]]:
        """Sort key: those that are simple enough to read first, then by cost."""
        said = sentences(self.changes)
        # To give up replicas here and there is a long way to go, also where it is said in one breath.
        fewer = sum(1 for change in self.changes if change.kind == ChangeKind.REPLICAS)
        return max(said, fewer) > SIMPLE, self.cost, said, [order(change) for change in self.changes]


def chosen(found: Sequence[WayOut], most: int) -> list[WayOut]:
    """Return the best ways; none changes all that a better one does, and no long one follows another."""
    kept: list[WayOut] = []
    for one in sorted(found, key=lambda each: each.rank):
        long = bool(kept) and one.rank[0]
        if not long and not any(earlier.rules <= one.rules for earlier in kept):
            kept.append(one)
    return kept[:most]


def joined(every: Sequence[WayOut]) -> WayOut:
    """Return changes for several parts as one way."""
    changes = tuple(sorted((change for way in every for change in way.changes), key=order))
    return WayOut(changes, all(way.proven for way in every))
