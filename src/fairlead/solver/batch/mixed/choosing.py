"""What overflow tiers hold, chosen so that all together cost little: one way of each workload.

Whatever is chosen costs at least what its rows cost at prices, at any prices that were ever looked at. The
greatest of these *cuts* is made small by changing one or two workloads at a time. Then the linear program of
what is chosen gives prices at which it costs more, and they are the next cuts.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from fairlead.models.placement import Placement
from fairlead.solver.batch import tuning
from fairlead.solver.batch.arrays import Floats, Whole
from fairlead.solver.batch.costs import nothing
from fairlead.solver.batch.dual.interior import inner_prices
from fairlead.solver.batch.dual.relaxation import relax
from fairlead.solver.batch.dual.sifting import Sifting, sift
from fairlead.solver.batch.mixed.overflow import Overflow, Ways
from fairlead.solver.batch.model import LevelModel, Prices, model_of, rows_of
from fairlead.solver.running.deadline import Deadline


@dataclass(slots=True, eq=False)
class Choosing:
    """Search for one way of each workload."""

    ways: Ways
    prices: Prices
    """Prices of capacity and of a replica beyond the first tiers."""
    most: int
    """Replicas that may stand beyond them."""
    costs: list[Floats] = field(default_factory=list)
    fixed: list[float] = field(default_factory=list)
    """Cost of every way at the prices of each cut, and what all capacity is worth there."""
    rows: Floats | None = None
    """Prices of the rows of all ways at the first cut."""

    def add(self, capacity: Floats) -> None:
        """Add a cut at prices of capacity."""
        costs, rows, _ = self.ways.at(capacity, self.rows)
        self.rows = rows if self.rows is None else self.rows
        self.costs.append(costs)
        self.fixed.append(float(capacity @ self.ways.model.batch.coupling.limit))

    def add_around(self, capacity: Floats, deadline: Deadline) -> None:
        """Add cuts at prices, and where one of them is higher or lower."""
        self.add(capacity)
        for row in np.flatnonzero(capacity > tuning.WORTH_A_CUT * capacity.max(initial=0.0)).tolist():
            for factor in tuning.CUT_FACTORS:
                if deadline.remaining() <= 0:
                    return
                self.add(np.where(np.arange(len(capacity)) == row, capacity * factor, capacity))

    def search(self) -> Whole:
        """Return ways of which the greatest cut is small, by workload."""
        ways, costs = self.ways, np.array(self.costs)
        price = self._dear_enough()
        own = self.costs[0] + price * ways.beyond
        taken = ways.cheapest(own)
        first = np.flatnonzero(np.diff(ways.owner, prepend=-1))
        twice = np.flatnonzero(np.diff(np.append(first, len(ways.owner))) == 2)
        gap = np.abs(own[first[twice]] - own[first[twice] + 1])
        open_to = twice[np.argsort(gap, kind="stable")[: tuning.NEAR_WAYS]]
        now = taken[open_to]
        other = 2 * first[open_to] + 1 - now
        cuts = costs[:, taken].sum(axis=1) - self.fixed
        beyond = int(ways.beyond[taken].sum())

        def at(cut: Floats, replicas: Whole) -> Floats:
            over = np.maximum(0, beyond + replicas - self.most)
            charged: Floats = cut.max(axis=0) + tuning.BEYOND_CHARGE * price * over
            return charged

        best = float(at(cuts[:, None], np.zeros(1, dtype=np.int64))[0])
        while len(open_to):
            change = costs[:, other] - costs[:, now]
            more = ways.beyond[other] - ways.beyond[now]
            alone = at(cuts[:, None] + change, more)
            found: list[tuple[float, tuple[int, ...]]] = [(float(alone.min()), (int(alone.argmin()),))]
            for one in range(len(open_to)):
                both = at((cuts + change[:, one])[:, None] + change, more + more[one])
                both[one] = np.inf
                found.append((float(both.min()), (one, int(both.argmin()))))
            least, changed = min(found)
            if least >= best - tuning.FEWEST_GAIN * ways.model.unit:
                break
            at_once = list(changed)
            cuts = cuts + change[:, at_once].sum(axis=1)
            beyond += int(more[at_once].sum())
            now[at_once], other[at_once] = other[at_once], now[at_once]
            best = least
        taken = taken.copy()
        taken[open_to] = now
        return taken

    def _dear_enough(self) -> float:
        """Return a price of a replica beyond the first tiers at which few enough stand there."""
        low = high = max(float(self.prices.pins[0]), self.ways.model.unit)
        while self._stand_beyond(high) > self.most and high < tuning.ENDLESS * self.ways.model.unit:
            low, high = high, 2 * high
        for _ in range(tuning.HALVES_NEARBY):
            middle = (low + high) / 2
            low, high = (middle, high) if self._stand_beyond(middle) > self.most else (low, middle)
        return high

    def _stand_beyond(self, price: float) -> int:
        """Return how many replicas stand beyond the first tiers at a price of each."""
        taken = self.ways.cheapest(self.costs[0] + price * self.ways.beyond)
        return int(self.ways.beyond[taken].sum())

    def chosen(self, deadline: Deadline) -> Iterator[tuple[float, Whole, Prices]]:
        """Yield choices with the bound on what each costs, in steps, and the prices that tell it."""
        known = set[bytes]()
        for _ in range(tuning.CHOICES):
            taken = self.search()
            if deadline.remaining() <= 0 or taken.tobytes() in known:
                return
            known.add(taken.tobytes())
            part = rows_of(self.ways.model, self.ways.rows_of(taken))
            prices, _ = inner_prices(part, deadline)
            if prices is not None:
                self.add_around(prices.capacity, deadline)
                yield relax(part, prices).value, taken, prices
            elif not self._add_beyond(part, deadline):
                return

    def _add_beyond(self, part: LevelModel, deadline: Deadline) -> bool:
        """Add cuts at prices that say that a choice finds no room; tell whether there are such prices."""
        free = model_of(part.batch, nothing(part.batch))
        start = relax(free, Prices.none(free))
        found = sift(free, Prices.none(free), start.rows, deadline, Sifting(1))
        if found.value <= 0:
            return False
        size = abs(float(self.costs[0][self.ways.cheapest(self.costs[0])].sum()) - self.fixed[0])
        for share in tuning.SHARES_OF_REFUSAL:
            self.add(self.prices.capacity + share * size / found.value * found.prices.capacity)
        return True


def choose(overflow: Overflow, deadline: Deadline) -> tuple[Prices, Placement | None]:
    """Return prices for the bound, and a placement of every workload that shows what its tiers hold.

    No placement where nothing that fits is found in time.
    """
    ways = overflow.ends()
    priced = overflow.climb(ways, overflow.most, deadline.part(tuning.SHARE_OF_WORTH)).prices
    search = Choosing(ways, priced, overflow.most)
    search.add_around(priced.capacity, deadline)
    fitting = (each for each in search.chosen(deadline) if ways.beyond[each[1]].sum() <= overflow.most)
    best = min(fitting, key=lambda each: each[0], default=None)
    if best is None:
        return priced, None
    _, taken, prices = best
    at = ways.rows_of(taken)
    replicas = ways.at(prices.capacity)[2]
    batch = ways.model.batch
    found: dict[str, dict[str, int]] = {}
    for row in at.tolist():
        counts = {
            batch.clusters[column]: int(replicas[row, column]) for column in np.flatnonzero(replicas[row])
        }
        found.setdefault(overflow.owners[batch.keys[row]], {}).update(counts)
    return priced, Placement(found)
