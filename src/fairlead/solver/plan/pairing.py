"""Which stopped replica is replaced by which started one: near ones first, then by name."""

from collections.abc import Iterable, Mapping

from fairlead.solver.plan.steps import Placed, Step
from fairlead.solver.plan.waves import Move, Wave

Regions = Mapping[str, tuple[str, str]]


def wave_of(steps: Mapping[str, Step], regions: Regions) -> Wave:
    """Return what all workloads do in a wave as moves.

    Parameters
    ----------
    steps
        What each does, by key.
    regions
        Region and provider by cluster.
    """
    return Wave(tuple(move for key, step in steps.items() for move in moves_of(key, step, regions)))


def moves_of(workload: str, step: Step, regions: Regions) -> Iterable[Move]:
    """Yield what one workload does in a wave as moves."""
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


def left(workload: str, out: Placed, into: Placed, regions: Regions) -> tuple[Move, ...]:
    """Return what has still to be done for a workload as moves."""
    surplus = max(0, sum(out.values()) - sum(into.values()))
    late, gone = dict(out), {}
    for cluster in sorted(out, reverse=True):
        count = min(surplus, late[cluster])
        if count:
            gone[cluster] = count
            late[cluster] -= count
            surplus -= count
    return tuple(moves_of(workload, Step(into, late, {}, gone), regions))


def _apart(pair: tuple[tuple[str, bool], str], regions: Regions) -> tuple[bool, bool, str, str, bool]:
    """Return how far two clusters are apart, and their names."""
    (source, early), target = pair
    (region, provider), (other, another) = regions[source], regions[target]
    return (region, provider) != (other, another), provider != another, source, target, early
