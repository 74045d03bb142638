"""Steps of one workload in one wave: replicas stopped and started by cluster, and the moves they make."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from fairlead.solver.plan.transient import Placed, WaveMoment
from fairlead.solver.plan.waves import Move, Wave

Course = Mapping[WaveMoment, Placed]
"""Replicas by cluster at every moment of a wave."""
Regions = Mapping[str, tuple[str, str]]
"""Region and provider by cluster."""


@dataclass(frozen=True, slots=True)
class WaveStep:
    """Replicas that one workload stops and starts in one wave, by cluster.

    Which stopped replica is replaced by which started one does not matter to any rule, only how many are
    stopped when.
    """

    starts: Placed = field(default_factory=dict)
    """Replicas that are started."""
    late: Placed = field(default_factory=dict)
    """Replicas that are stopped after the new ones are up."""
    early: Placed = field(default_factory=dict)
    """Replicas that are stopped before the new ones are started."""
    gone: Placed = field(default_factory=dict)
    """Replicas that are stopped for good, before anything is started."""

    @property
    def fresh(self) -> int:
        """Replicas that are started without stopping any for them."""
        return total(self.starts) - total(self.late) - total(self.early)

    @property
    def moves(self) -> int:
        """Replicas that are moved, started or stopped for good: those that a wave counts."""
        return total(self.starts) + total(self.gone)

    @property
    def empty(self) -> bool:
        """Whether nothing is stopped or started."""
        return not (self.starts or self.late or self.early or self.gone)

    def without_exchange(self) -> "WaveStep":
        """Return the step without replicas that are started where others of the workload are stopped."""
        both = {
            cluster: min(count, self.late.get(cluster, 0) + self.early.get(cluster, 0))
            for cluster, count in self.starts.items()
        }
        late = {cluster: min(count, self.late.get(cluster, 0)) for cluster, count in both.items()}
        return WaveStep(
            minus(self.starts, both), minus(self.late, late), minus(self.early, minus(both, late)), self.gone
        )

    def __add__(self, other: "WaveStep") -> "WaveStep":
        if self.empty:
            return other
        return WaveStep(
            plus(self.starts, other.starts),
            plus(self.late, other.late),
            plus(self.early, other.early),
            plus(self.gone, other.gone),
        )


NOTHING = WaveStep()


def total(placed: Placed) -> int:
    """Return the replicas on all clusters."""
    return sum(placed.values())


def plus(placed: Placed, more: Placed, times: int = 1) -> dict[str, int]:
    """Return the sum, or the difference at -1 times, without zeros."""
    if not more:
        return dict(placed)
    result = dict(placed)
    for cluster, replicas in more.items():
        result[cluster] = result.get(cluster, 0) + times * replicas
    return {cluster: replicas for cluster, replicas in result.items() if replicas}


def minus(placed: Placed, less: Placed) -> dict[str, int]:
    """Return the difference, without zeros."""
    return plus(placed, less, -1)


def positive(placed: Placed) -> dict[str, int]:
    """Return the clusters with more than 0."""
    return {cluster: replicas for cluster, replicas in placed.items() if replicas > 0}


def between(standing: Placed, target: Placed) -> tuple[dict[str, int], dict[str, int]]:
    """Return replicas to be stopped and to be started, by cluster, to get from here to there."""
    change = minus(target, standing)
    return positive({cluster: -count for cluster, count in change.items()}), positive(change)


def course(before: Placed, step: WaveStep) -> Course:
    """Return the replicas by cluster at every moment of a wave."""
    under_way = minus(before, step.gone)
    stopped = minus(under_way, step.early)
    started = plus(stopped, step.starts)
    return {
        WaveMoment.STOPPED: stopped,
        WaveMoment.UNDER_WAY: under_way,
        WaveMoment.STARTED: started,
        WaveMoment.AFTER: minus(started, step.late),
    }


def after(before: Placed, step: WaveStep) -> dict[str, int]:
    """Return the replicas by cluster when the wave is done."""
    return dict(course(before, step)[WaveMoment.AFTER])


def wave_of(steps: Mapping[str, WaveStep], regions: Regions) -> Wave:
    """Return the steps of all workloads in a wave, by key, as moves."""
    return Wave(tuple(move for key, step in steps.items() for move in moves_of(key, step, regions)))


def moves_of(workload: str, step: WaveStep, regions: Regions) -> Iterable[Move]:
    """Yield the step of one workload in a wave as moves; near clusters are paired first, then by name."""
    starts = dict(step.starts)
    stops = {(cluster, True): count for cluster, count in step.early.items()}
    stops |= {(cluster, False): count for cluster, count in step.late.items()}
    for (source, early), target in sorted(
        ((stop, start) for stop in stops for start in starts), key=lambda pair: _apart(pair, regions)
    ):
        count = min(stops[source, early], starts[target])
        if count:
            stops[source, early] -= count
            starts[target] -= count
            yield Move(workload, source, target, count, early)
    for target, count in sorted(starts.items()):
        if count:
            yield Move(workload, None, target, count)
    for source, count in sorted(step.gone.items()):
        yield Move(workload, source, None, count)


def undone(workload: str, out: Placed, into: Placed, regions: Regions) -> tuple[Move, ...]:
    """Return the remaining stops and starts of a workload as moves."""
    surplus = max(0, sum(out.values()) - sum(into.values()))
    late, gone = dict(out), {}
    for cluster in sorted(out, reverse=True):
        count = min(surplus, late[cluster])
        if count:
            gone[cluster] = count
            late[cluster] -= count
            surplus -= count
    return tuple(moves_of(workload, WaveStep(into, late, {}, gone), regions))


def _apart(pair: tuple[tuple[str, bool], str], regions: Regions) -> tuple[bool, bool, str, str, bool]:
    """Return how far two clusters are apart, and their names."""
    (source, early), target = pair
    (region, provider), (other, another) = regions[source], regions[target]
    return (region, provider) != (other, another), provider != another, source, target, early
