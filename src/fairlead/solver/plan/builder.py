"""One wave under construction: steps are added as long as every rule holds at every moment of the wave."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from fairlead.solver.plan.migration import Companions, Migration, Place, WorkloadPath, charge
from fairlead.solver.plan.steps import NOTHING, WaveStep, after, between, course, minus, plus, positive, total
from fairlead.solver.plan.transient import Placed, WaveMoment
from fairlead.solver.plan.waves import MoveOrder

Addition = tuple[WorkloadPath, WaveStep]


class WaveBuilder:
    """A wave under construction; adds to its own steps only."""

    def __init__(
        self, migration: Migration, positions: Mapping[str, Placed], used: Mapping[Place, int]
    ) -> None:
        self.migration = migration
        self.positions = positions
        self.steps: dict[str, WaveStep] = {}
        self.moves_left = migration.most_moves
        self.room = migration.room(used)

    def step(self, key: str) -> WaveStep:
        """Return the step of a workload in the wave so far."""
        return self.steps.get(key, NOTHING)

    def remaining(self, path: WorkloadPath) -> tuple[dict[str, int], dict[str, int]]:
        """Return the replicas still to be stopped and to be started after the wave so far, by cluster."""
        return between(after(self.positions[path.key], self.step(path.key)), path.target)

    def fits(self, path: WorkloadPath, cluster: str) -> int | None:
        """Return how many more replicas can be started on a cluster; None where nothing limits it."""
        needs = path.needs.get(cluster)
        if not needs:
            return None
        return max(0, min(self.room[place] // need for place, need in needs.items()))

    def within(self, count: int) -> int:
        """Return how many of so many moves the wave may still make."""
        return count if self.moves_left is None else min(count, self.moves_left)

    def add(self, *additions: Addition) -> bool:
        """Add steps of several workloads, all of them or none; tell whether they were added."""
        if all(step.empty for _, step in additions):
            return False
        moves = sum(step.moves for _, step in additions)
        if self.within(moves) < moves:
            return False
        change = _change(additions)
        if any(more > 0 and self.room[place] < more for place, more in change.items()):
            return False
        steps = {path.key: self.step(path.key) + step for path, step in additions}
        if not all(self._allowed(path, steps[path.key]) for path, _ in additions):
            return False
        if any(path.bound for path, _ in additions) and not self._together({**self.steps, **steps}):
            return False
        self.steps.update(steps)
        for place, more in change.items():
            self.room[place] -= more
        if self.moves_left is not None:
            self.moves_left -= moves
        return True

    def _allowed(self, path: WorkloadPath, step: WaveStep) -> bool:
        """Tell whether a workload keeps its availability and its own rules."""
        before = self.positions[path.key]
        running, then = total(before), course(before, step)
        if min(total(then[WaveMoment.STOPPED]), total(then[WaveMoment.AFTER])) < min(path.least, running):
            return False
        most = path.most
        if most is not None and step.starts and total(then[WaveMoment.STARTED]) > max(most, running):
            return False
        if (step.late and path.order is MoveOrder.STOP_FIRST) or (
            step.early and path.order is MoveOrder.START_FIRST
        ):
            return False
        return not path.constraints.tricky or path.constraints.allow(
            before, then, self.migration.goals[path.key]
        )

    def _together(self, steps: Mapping[str, WaveStep]) -> bool:
        """Tell whether workloads that keep together or apart do so at every moment."""
        return all(self._keeps(group, steps) for group in self.migration.companions)

    def _keeps(self, group: Companions, steps: Mapping[str, WaveStep]) -> bool:
        """Tell whether one group of workloads keeps together or apart, or does it no worse than before."""
        touched = [key for key in group.members if key in steps]
        if not touched:
            return True
        moments = {key: list(self._moments(key, steps.get(key, NOTHING))) for key in group.members}
        for earlier, later in combinations(group.members, 2):
            pairs = list(zip(moments[earlier], moments[later], strict=True))
            wrong = [second - first if group.together else second & first for first, second in pairs]
            allowed = wrong[0] | wrong[-1]
            if any(not found <= allowed for found in wrong[1:-1]):
                return False
        return True

    def _moments(self, key: str, step: WaveStep) -> Iterator[frozenset[str]]:
        """Yield where a workload stands: before, at three moments of the wave, and in its target."""
        before = self.positions[key] if key in self.migration.paths else self.migration.still.get(key, {})
        then = course(before, step)
        inside = (then[moment] for moment in (WaveMoment.STOPPED, WaveMoment.STARTED, WaveMoment.AFTER))
        for placed in (before, *inside, self.migration.goals[key]):
            yield frozenset(positive(placed))


def _change(additions: Sequence[Addition]) -> dict[Place, int]:
    """Return how much more is used when everything new is there."""
    change: dict[Place, int] = {}
    for path, step in additions:
        charge(change, path.needs, minus(step.starts, plus(step.early, step.gone)))
    return change
