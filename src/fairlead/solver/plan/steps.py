"""What one workload does in one wave, as numbers by cluster."""

from collections.abc import Mapping
from dataclasses import dataclass, field

Placed = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Step:
    """Replicas that one workload stops and starts in one wave, by cluster.

    Which stopped replica is replaced by which started one does not matter to any rule, only how many are
    stopped when.

    Parameters
    ----------
    starts
        Started.
    late
        Stopped after the new ones are up.
    early
        Stopped before the new ones are started.
    gone
        Stopped for good, before anything is started.
    """

    starts: Placed = field(default_factory=dict)
    late: Placed = field(default_factory=dict)
    early: Placed = field(default_factory=dict)
    gone: Placed = field(default_factory=dict)

    @property
    def fresh(self) -> int:
        """How many are started without stopping any for them."""
        return total(self.starts) - total(self.late) - total(self.early)

    @property
    def empty(self) -> bool:
        """Whether nothing is stopped or started."""
        return not (self.starts or self.late or self.early or self.gone)

    def without_exchange(self) -> "Step":
        """Return the step without replicas that are started where others of the workload are stopped."""
        both = {
            cluster: min(count, self.late.get(cluster, 0) + self.early.get(cluster, 0))
            for cluster, count in self.starts.items()
        }
        late = {cluster: min(count, self.late.get(cluster, 0)) for cluster, count in both.items()}
        return Step(
            minus(self.starts, both), minus(self.late, late), minus(self.early, minus(both, late)), self.gone
        )

    def __add__(self, other: "Step") -> "Step":
        return Step(
            plus(self.starts, other.starts),
            plus(self.late, other.late),
            plus(self.early, other.early),
            plus(self.gone, other.gone),
        )


NOTHING = Step()


def total(placed: Placed) -> int:
    """Return the replicas on all clusters."""
    return sum(placed.values())


def plus(placed: Placed, more: Placed) -> dict[str, int]:
    """Return the sum, without zeros."""
    if not more:
        return dict(placed)
    result = dict(placed)
    for cluster, replicas in more.items():
        result[cluster] = result.get(cluster, 0) + replicas
    return {cluster: replicas for cluster, replicas in result.items() if replicas}


def minus(placed: Placed, less: Placed) -> dict[str, int]:
    """Return the difference, without zeros."""
    if not less:
        return dict(placed)
    result = dict(placed)
    for cluster, replicas in less.items():
        result[cluster] = result.get(cluster, 0) - replicas
    return {cluster: replicas for cluster, replicas in result.items() if replicas}


def positive(placed: Placed) -> dict[str, int]:
    """Return the clusters with more than 0."""
    return {cluster: replicas for cluster, replicas in placed.items() if replicas > 0}


def under_way(before: Placed, step: Step) -> dict[str, int]:
    """Return what stands where what moves still counts where it was."""
    return minus(before, step.gone)


def stopped(before: Placed, step: Step) -> dict[str, int]:
    """Return the fewest replicas: what stops early is gone, nothing new is there."""
    return minus(under_way(before, step), step.early)


def started(before: Placed, step: Step) -> dict[str, int]:
    """Return the most replicas: everything new is there, and what it replaces is still there."""
    return plus(stopped(before, step), step.starts)


def after(before: Placed, step: Step) -> dict[str, int]:
    """Return what stands when the wave is done."""
    return minus(started(before, step), step.late)
