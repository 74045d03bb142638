"""Detours: a replica waits on a third cluster, so that clusters without room can exchange replicas."""

from collections.abc import Iterator, Mapping

from fairlead.solver.deadline import Deadline
from fairlead.solver.plan.builder import WaveBuilder
from fairlead.solver.plan.greedy import Steps, distance, end_of, run
from fairlead.solver.plan.migration import Fleet, Place, Trip, charge, left_over
from fairlead.solver.plan.steps import Placed, Step
from fairlead.solver.plan.waves import Order

TRIES = 100
"""Detours that are followed to their end before giving up."""

LOOKS = 500
"""Workloads and clusters they could leave that are looked at before giving up."""

WAYS = 8
"""Clusters to wait on that are tried for each."""


def with_detour(fleet: Fleet, deadline: Deadline) -> tuple[Steps, ...]:
    """Return waves that begin with a detour and get nearer to the target; empty where none was found.

    Parameters
    ----------
    fleet
        What moves, stuck as it stands; its own rules are those of all clusters.
    deadline
        When to give up.
    """
    far = distance(fleet, fleet.start())
    for _, wave in zip(range(TRIES), _detours(fleet), strict=False):
        if not deadline.remaining():
            break
        parked = fleet.starting_at(end_of(fleet, [wave])[0])
        waves = run(parked)
        end = end_of(parked, waves)[0]
        if distance(parked, end) < far and not _waiting(fleet, wave, end):
            return (wave, *waves)
    return ()


def _waiting(fleet: Fleet, wave: Steps, end: Mapping[str, Placed]) -> bool:
    """Tell whether replicas that made a detour are still where they only wait."""
    for key, step in wave.items():
        trip = fleet.trips[key]
        for via in step.starts:
            own = max(trip.start.get(via, 0), trip.target.get(via, 0))
            if end.get(key, trip.target).get(via, 0) > own:
                return True
    return False


def _detours(fleet: Fleet) -> Iterator[Steps]:
    """Yield waves of one detour each: those first that free just enough, to a near cluster with much room."""
    for (trip, source, counts), _ in zip(_waiting_to_leave(fleet), range(LOOKS), strict=False):
        builder = WaveBuilder(fleet, fleet.start(), fleet.used)
        for via in _ways(trip, source, builder)[:WAYS]:
            for count in _fitting(trip, via, counts, builder):
                starts, stops = {via: count}, {source: count}
                stop_first = trip.order is Order.STOP_FIRST
                step = Step(starts, early=stops) if stop_first else Step(starts, late=stops)
                if builder.add((trip, step)):
                    yield dict(builder.steps)
                    builder = WaveBuilder(fleet, fleet.start(), fleet.used)


def _waiting_to_leave(fleet: Fleet) -> Iterator[tuple[Trip, str, tuple[int, int]]]:
    """Yield what would make room for others by leaving: how many are enough, and how many there are."""
    short = _short(fleet)
    for trip in sorted(fleet.trips.values(), key=lambda each: each.key):
        out, into = left_over(trip, trip.start)
        for source in sorted(out) if into else ():
            enough = _enough(trip, source, short)
            if enough:
                yield trip, source, (min(enough, out[source]), out[source])


def _fitting(trip: Trip, via: str, counts: tuple[int, int], builder: WaveBuilder) -> list[int]:
    """Return how many may wait on a cluster; fewer than wanted where not all fit."""
    most = trip.terms.open[via]
    limits = [builder.fits(trip, via), None if most is None else most - trip.start.get(via, 0)]
    known = [limit for limit in limits if limit is not None]
    return sorted({count for count in (min([count, *known]) for count in counts) if count > 0})


def _ways(trip: Trip, source: str, builder: WaveBuilder) -> list[str]:
    """Return clusters on which replicas of a workload may wait, near ones with much room first."""
    regions = builder.fleet.regions
    rooms = {name: builder.fits(trip, name) for name in trip.terms.open if name != source}

    def rank(name: str) -> tuple[bool, bool, int, str]:
        room = rooms[name]
        return regions[name] != regions[source], room is not None, -(room or 0), name

    return sorted((name for name, room in rooms.items() if room is None or room > 0), key=rank)


def _short(fleet: Fleet) -> Mapping[Place, int]:
    """Return how much arriving replicas lack by cluster and resource."""
    asked: dict[Place, int] = {}
    for trip in fleet.trips.values():
        charge(asked, trip, left_over(trip, trip.start)[1])
    lack = {place: asked[place] + fleet.used.get(place, 0) - fleet.limits[place] for place in asked}
    return {place: amount for place, amount in lack.items() if amount > 0}


def _enough(trip: Trip, source: str, short: Mapping[Place, int]) -> int:
    """Return how many have to leave a cluster so that all that wait for it fit; 0 where none wait."""
    needs = trip.needs.get(source, {})
    return max((-(-short[place] // need) for place, need in needs.items() if place in short), default=0)
