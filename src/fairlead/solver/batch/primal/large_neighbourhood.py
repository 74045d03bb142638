"""Large neighbourhood search: some clusters of a placement are divided anew, again and again."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from fairlead.solver.batch import tuning
from fairlead.solver.batch.arrays import Whole
from fairlead.solver.batch.dual.relaxation import within
from fairlead.solver.batch.incumbent import Incumbent
from fairlead.solver.batch.model import LevelModel
from fairlead.solver.batch.primal.exchange import Exchange
from fairlead.solver.batch.primal.moves import Charges
from fairlead.solver.batch.primal.neighbourhood import Window, close_all, divide_anew, open_up
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import RunLimits


def search_neighbourhoods(
    level: Incumbent,
    done: Callable[[], bool] = lambda: False,
    near: Incumbent | None = None,
    patience: int = tuning.SEARCH_PATIENCE,
) -> None:
    """Change the best placement until it is done or nothing better was found for long; keep what is better.

    Places are near at the prices of another incumbent, if one is given.
    """
    if level.best is None or len(level.model.batch.keys) < 2:
        return
    search = _LargeNeighbourhoods(level, np.random.default_rng(level.search.seed), near or level)
    search.look_back(0)
    failures, turn = 0, 0
    while not level.over and not done() and failures < patience:
        before = level.cost
        search.turn(turn)
        failures = 0 if level.cost != before else failures + 1
        turn += 1
        search.look_back(turn)


def repair_by_neighbourhoods(level: Incumbent, start: Whole, deadline: Deadline) -> None:
    """Lead a placement back to what is allowed, by dividing groups of clusters anew at a charge.

    It keeps the totals of all rows; the level hears of it once all limits are kept.
    """
    model = level.model
    search = _LargeNeighbourhoods(level, np.random.default_rng(level.search.seed), level)
    now, failures, turn = _exchanged(level, start, deadline), 0, 0
    while failures < tuning.SEARCH_PATIENCE and deadline.remaining() > 0:
        charges = Charges.of(model, level.prices, tuning.LEADING_CHARGES[min(turn // tuning.DEARER_AFTER, 2)])
        cost = charged(model, now, charges)
        before = cost
        for group, found in search.divided(now, turn, charges):
            together = now.copy()
            together[:, group] = found[:, group]
            then = charged(model, together, charges)
            if then < cost:
                now, cost = together, then
        level.offer(now)
        if level.over or model.keeps(now):
            return
        failures = 0 if cost < before else failures + 1
        turn += 1


def _exchanged(level: Incumbent, start: Whole, deadline: Deadline) -> Whole:
    """Return a placement with fewer limits broken, and none by far."""
    exchange = Exchange.start(level.model, level.prices, level.rows, start, tuning.LEADING_CHARGES[0])
    for reach in tuning.LEADING_REACHES:
        if level.offer(exchange.replicas):
            break
        exchange.improve(reach * level.model.unit, deadline)
    return exchange.replicas


def charged(model: LevelModel, replicas: Whole, charges: Charges) -> float:
    """Return the cost of a placement with the charges for broken limits, in steps."""
    coupling = model.batch.coupling
    beyond, over = model.beyond(replicas)
    total = float((charges.charge[coupling.column, coupling.resource] * beyond).sum())
    for each, charge in zip(over, charges.pin_charge.tolist(), strict=True):
        total += charge * each
    return total + float(model.steps(replicas))


@dataclass(slots=True, eq=False)
class _LargeNeighbourhoods:
    """State between changes: the incumbents, chance, windows, and the size of neighbourhoods."""

    level: Incumbent
    chance: np.random.Generator
    near: Incumbent
    windows: dict[float, tuple[Whole, Whole]] = field(default_factory=dict)
    most_places: int = tuning.FAST[0]
    work: float = tuning.FAST[1]
    cost: int | None = None

    def look_back(self, turn: int) -> None:
        """Be thorough from when little was won for some rounds."""
        cost = self.level.cost
        if cost is None or turn % tuning.ROUNDS_OF_MUCH:
            return
        if self.cost is not None and self.cost - cost <= tuning.MUCH * abs(cost):
            self.most_places, self.work = tuning.THOROUGH
        self.cost = cost

    def turn(self, turn: int) -> None:
        """Divide some clusters anew, and keep what is better."""
        best = self.level.best
        if best is None or len(self.level.model.batch.clusters) < 2:
            return
        for group, found in self.divided(best, turn, None):
            together = best.copy()
            together[:, group] = found[:, group]
            if self.level.offer(together):
                best = together

    def divided(self, now: Whole, turn: int, charges: Charges | None) -> list[tuple[Whole, Whole]]:
        """Divide groups of clusters anew, side by side; return what was found for each."""
        level = self.level
        groups = list(self._drawn(now, tuning.GROUPS[turn % len(tuning.GROUPS)], charges))
        opened = []
        for at, group in enumerate(groups):
            effort = RunLimits(level.deadline, 1, turn * tuning.SEARCH_SIDE_BY_SIDE + at, self.work)
            window = self._window(now, group, turn)
            opened.append(open_up(level.model, now, window, effort, bits=tuning.COARSE_BITS, charges=charges))
        results = close_all(opened, level.search.side_by_side)
        return [
            (group, found.replicas)
            for group, found in zip(groups, results, strict=True)
            if found.replicas is not None
        ]

    def _drawn(self, now: Whole, size: int, charges: Charges | None) -> Iterator[Whole]:
        """Draw groups of clusters, rather those that leave much unused that has a price, or break limits."""
        model = self.level.model
        coupling = model.batch.coupling
        columns = len(model.batch.clusters)
        left = (coupling.limit - model.batch.usage(now)).astype(np.float64)
        if charges is None:
            worth = self.near.prices.capacity * np.maximum(left, 0.0) / self.near.model.unit
            unused = np.bincount(coupling.column, worth, columns)
            weight = unused + tuning.LEAST_WEIGHT * max(float(unused.mean()), 1e-9)
        else:
            weight = 1.0 + columns * (np.bincount(coupling.column, left < 0, columns) > 0.0)
        # Clusters without limits take what others have no room for: one group has them nearly always.
        unlimited = np.bincount(coupling.column, minlength=columns) == 0
        weight = np.where(unlimited, columns * float(weight.sum()), weight)
        order = self.chance.choice(columns, columns, replace=False, p=weight / weight.sum())
        for number in range(tuning.SEARCH_SIDE_BY_SIDE):
            group = order[number * size : (number + 1) * size]
            if number == 0 or len(group) >= min(tuning.GROUPS):
                yield group

    def _window(self, now: Whole, group: Whole, turn: int) -> Window:
        """Return the places of a group of clusters that are worth looking at, not too many.

        In some turns farther ones of fewer rows, as the lot decides: what counts little is always near.
        """

        def fits(reach: float) -> bool:
            lower, upper = self._within(now, group, reach)
            places = (upper > lower).sum(axis=1)
            return int(places[places >= 2].sum()) <= self.most_places

        last = len(tuning.SEARCH_REACHES) - 1
        fitting = next((at for at, reach in enumerate(tuning.SEARCH_REACHES) if fits(reach)), last)
        reach = tuning.SEARCH_REACHES[max(0, fitting - tuning.FARTHER[turn % len(tuning.FARTHER)])]
        lower, upper = self._within(now, group, reach)
        places = (upper > lower).sum(axis=1)
        rows = np.flatnonzero(places >= 2)
        if places[rows].sum() > self.most_places:
            rows = self.chance.permutation(rows)
            rows = np.sort(rows[np.cumsum(places[rows]) <= self.most_places])
        whole_lower, whole_upper = now[rows].copy(), now[rows].copy()
        whole_lower[:, group], whole_upper[:, group] = lower[rows], upper[rows]
        return Window(rows, whole_lower, whole_upper)

    def _within(self, now: Whole, group: Whole, reach: float) -> tuple[Whole, Whole]:
        """Return the fewest and most replicas on a group of clusters within reach, with what is there."""
        if reach not in self.windows:
            model, prices, rows = self.near.model, self.near.prices, self.near.rows
            self.windows[reach] = within(model, prices, np.arange(len(rows)), rows, reach * model.unit)
        low, high = self.windows[reach]
        return np.minimum(low[:, group], now[:, group]), np.maximum(high[:, group], now[:, group])


def window_near(level: Incumbent, now: Whole, reach: float) -> Window:
    """Return the places of all rows that the prices of an incumbent call near, with what is there.

    `reach`: how far from the prices of rows, in units of the level.
    """
    rows = np.arange(len(now))
    low, high = within(level.model, level.prices, rows, level.rows, reach * level.model.unit)
    return Window(rows, np.minimum(low, now), np.maximum(high, now))


def divide_whole(level: Incumbent) -> None:
    """Divide all rows of a small batch anew, as far as a fixed amount of work goes."""
    if level.over or level.best is None or level.best.size > tuning.PLACES_OF_WHOLE:
        return
    now, near = level.best, window_near(level, level.best, tuning.REACH_OF_WHOLE)
    window = Window(
        near.rows,
        np.maximum(near.lower, now - tuning.UNITS_OF_WHOLE),
        np.minimum(near.upper, now + tuning.UNITS_OF_WHOLE),
    )
    effort = RunLimits(level.deadline, 1, level.search.seed, tuning.WORK_OF_WHOLE)
    found = divide_anew(level.model, now, window, effort)
    if found.replicas is not None:
        level.offer(found.replicas)
