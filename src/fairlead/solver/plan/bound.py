"""Fewer waves than this do not do: what can have arrived after so many waves, looked at generously."""

from collections.abc import Mapping

from fairlead.solver.plan.migration import Fleet, Place, Trip, left_over
from fairlead.solver.plan.steps import Placed, total
from fairlead.solver.plan.waves import Order


def fewest_waves(fleet: Fleet, most: int) -> int:
    """Return a number of waves below which no plan reaches the target without detours.

    Wave by wave, every cluster may take what its room allows at once, and everything that may have arrived
    elsewhere may have left it the wave before; workloads do not get into each other's way in this
    calculation, and each resource counts alone. What cannot have arrived even so takes another wave.

    Parameters
    ----------
    fleet
        What moves.
    most
        Waves that are known to do.
    """
    trips = [_Way(trip) for trip in fleet.trips.values() if any(left_over(trip, trip.start))]
    if not trips:
        return 0
    arrived = 0
    for number in range(1, most + 1):
        room = _room(fleet, trips, number)
        for way in trips:
            way.arrive(room, number)
        if all(way.done for way in trips):
            return number
        if sum(way.started for way in trips) == arrived and not any(way.waits for way in trips):
            return most
        arrived = sum(way.started for way in trips)
    return most


class _Way:
    """How much of one workload's way can have been made after so many waves."""

    def __init__(self, trip: Trip) -> None:
        self.trip = trip
        self.out, self.into = left_over(trip, trip.start)
        self.gone = max(0, total(self.out) - total(self.into))
        self.fresh = max(0, total(self.into) - total(self.out))
        self.started = 0

    @property
    def done(self) -> bool:
        """Whether everything can have been started."""
        return self.started == total(self.into)

    @property
    def waits(self) -> bool:
        """Whether the availability, not room, lets no more start in one wave."""
        return self.trip.most is not None or self.trip.order is not Order.START_FIRST

    def left(self, number: int) -> dict[str, int]:
        """Return how many replicas can have left every cluster when the new ones of a wave are started."""
        # What is replaced the wave before, what stops for good, and what stops first up to this wave.
        count = self.started + self.gone + number * self.trip.early_allowed
        return {cluster: min(out, count) for cluster, out in self.out.items()}

    def arrive(self, room: Mapping[Place, int], number: int) -> None:
        """Start as much as the room of every cluster by itself and the availability allow."""
        fits = sum(min(count, _fits(self.trip, cluster, room, count)) for cluster, count in self.into.items())
        self.started = min(fits, number * self._in_one_wave() + self.gone)

    def _in_one_wave(self) -> int:
        """Return how many replicas can be started in one wave at the very most, for good ones left aside."""
        trip, both = self.trip, (total(self.trip.start), total(self.trip.target))
        early = trip.early_allowed
        if trip.order is Order.STOP_FIRST:
            return early + self.fresh
        if trip.most is None:
            return total(self.into)
        return max(trip.most, *both) - min(both) + early


def _fits(trip: Trip, cluster: str, room: Mapping[Place, int], count: int) -> int:
    """Return how many replicas fit on a cluster, at most a number."""
    needs = trip.needs.get(cluster, {})
    return min((room[place] // need for place, need in needs.items()), default=count)


def _room(fleet: Fleet, trips: list[_Way], number: int) -> dict[Place, int]:
    """Return what arriving replicas can have used of every cluster in a wave at the very most."""
    room = {place: max(0, limit - fleet.used.get(place, 0)) for place, limit in fleet.limits.items()}
    for way in trips:
        _give_back(room, way.trip, way.left(number))
    return room


def _give_back(room: dict[Place, int], trip: Trip, left: Placed) -> None:
    """Add what replicas leave behind."""
    for cluster, count in left.items():
        for place, need in trip.needs.get(cluster, {}).items():
            room[place] += need * count
