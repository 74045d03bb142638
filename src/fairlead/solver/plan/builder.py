"""One wave under construction: steps are added as long as every rule holds at every moment of the wave."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from fairlead.solver.plan.migration import Companions, Fleet, Place, Trip, charge
from fairlead.solver.plan.steps import (
    NOTHING,
    Placed,
    Step,
    after,
    minus,
    plus,
    positive,
    started,
    stopped,
    total,
)
from fairlead.solver.plan.waves import Order

Addition = tuple[Trip, Step]


class WaveBuilder:
    """A wave under construction; adds to its own steps only.

    Parameters
    ----------
    fleet
        What moves.
    positions
        What every moving workload holds before the wave.
    used
        What is used by cluster and resource before the wave.
    """

    def __init__(self, fleet: Fleet, positions: Mapping[str, Placed], used: Mapping[Place, int]) -> None:
        self.fleet = fleet
        self.positions = positions
        self.steps: dict[str, Step] = {}
        self.room = {place: limit - used.get(place, 0) for place, limit in fleet.limits.items()}

    def step(self, key: str) -> Step:
        """Return what a workload does in the wave so far."""
        return self.steps.get(key, NOTHING)

    def remaining(self, trip: Trip) -> tuple[dict[str, int], dict[str, int]]:
        """Return what has still to be stopped and to be started after the wave so far."""
        change = minus(trip.target, after(self.positions[trip.key], self.step(trip.key)))
        return positive({cluster: -count for cluster, count in change.items()}), positive(change)

    def fits(self, trip: Trip, cluster: str) -> int | None:
        """Return how many more replicas can be started on a cluster; None where nothing limits it."""
        needs = trip.needs.get(cluster)
        if not needs:
            return None
        return max(0, min(self.room[place] // need for place, need in needs.items()))

    def add(self, *additions: Addition) -> bool:
        """Add steps of several workloads, all of them or none; tell whether they were added."""
        if all(step.empty for _, step in additions):
            return False
        change = _change(additions)
        if any(more > 0 and self.room[place] < more for place, more in change.items()):
            return False
        steps = {trip.key: self.step(trip.key) + step for trip, step in additions}
        if not all(self._allowed(trip, steps[trip.key]) for trip, _ in additions):
            return False
        if any(trip.bound for trip, _ in additions) and not self._together({**self.steps, **steps}):
            return False
        self.steps.update(steps)
        for place, more in change.items():
            self.room[place] -= more
        return True

    def _allowed(self, trip: Trip, step: Step) -> bool:
        """Tell whether a workload keeps its availability and its own rules."""
        before = self.positions[trip.key]
        running, fewest, end = total(before), total(stopped(before, step)), total(after(before, step))
        least = min(trip.least, running)
        if fewest < least or end < least:
            return False
        most = trip.most
        if most is not None and step.starts and total(started(before, step)) > max(most, running):
            return False
        if (step.late and trip.order is Order.STOP_FIRST) or (step.early and trip.order is Order.START_FIRST):
            return False
        return not trip.terms.tricky or trip.terms.allow(before, step, self.fleet.goals[trip.key])

    def _together(self, steps: Mapping[str, Step]) -> bool:
        """Tell whether workloads that keep together or apart do so at every moment."""
        return all(self._keeps(group, steps) for group in self.fleet.companions)

    def _keeps(self, group: Companions, steps: Mapping[str, Step]) -> bool:
        """Tell whether one group of workloads keeps together or apart, or does it no worse than before."""
        touched = [key for key in group.members if key in steps]
        if not touched:
            return True
        moments = {key: list(self._moments(key, steps.get(key, NOTHING))) for key in group.members}
        for earlier, later in combinations(group.members, 2):
            pairs = list(zip(moments[earlier], moments[later], strict=True))
            wrong = [_wrong(group, first, second) for first, second in pairs]
            allowed = wrong[0] | wrong[-1]
            if any(not found <= allowed for found in wrong[1:-1]):
                return False
        return True

    def _moments(self, key: str, step: Step) -> Iterator[frozenset[str]]:
        """Yield where a workload stands: before, at three moments of the wave, and in its target."""
        before = self.positions[key] if key in self.fleet.trips else self.fleet.still.get(key, {})
        for placed in (
            before,
            stopped(before, step),
            started(before, step),
            after(before, step),
            self.fleet.goals[key],
        ):
            yield frozenset(positive(placed))


def _wrong(group: Companions, earlier: frozenset[str], later: frozenset[str]) -> frozenset[str]:
    """Return the clusters on which two workloads stand against their rule."""
    return later - earlier if group.together else later & earlier


def _change(additions: Sequence[Addition]) -> dict[Place, int]:
    """Return how much more is used when everything new is there."""
    change: dict[Place, int] = {}
    for trip, step in additions:
        charge(change, trip, minus(step.starts, plus(step.early, step.gone)))
    return change
