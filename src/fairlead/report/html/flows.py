"""From which cluster to which cluster replicas go, all workloads and waves together."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from fairlead.solver.plan.waves import Move, WavePlan


@dataclass(frozen=True, slots=True)
class Flow:
    """Replicas that go from one cluster to another.

    Parameters
    ----------
    source
        Cluster on which they are stopped; None where they are started new.
    target
        Cluster on which they are started; None where they are stopped for good.
    replicas
        How many; at least 1.
    """

    source: str | None
    target: str | None
    replicas: int

    @property
    def kind(self) -> str:
        """What happens: ``move``, ``start`` or ``stop``."""
        if self.source is None:
            return "start"
        return "stop" if self.target is None else "move"


def flows_of(waves: WavePlan) -> tuple[Flow, ...]:
    """Return the flows of a plan, the largest first; a replica that waits on a third cluster counts twice."""
    return flows(move for wave in waves.waves for move in wave.moves)


def flows(moves: Iterable[Move]) -> tuple[Flow, ...]:
    """Return the flows of moves, the largest first, those of equal size by name."""
    counts: Counter[tuple[str | None, str | None]] = Counter()
    for move in moves:
        counts[move.source, move.target] += move.replicas
    found = (Flow(source, target, replicas) for (source, target), replicas in counts.items())
    return tuple(sorted(found, key=lambda flow: (-flow.replicas, flow.source or "", flow.target or "")))


def by_kind(moves: Iterable[Move]) -> dict[str, int]:
    """Return how many replicas move, start and stop."""
    counts = {"move": 0, "start": 0, "stop": 0}
    for move in moves:
        counts[Flow(move.source, move.target, move.replicas).kind] += move.replicas
    return counts
