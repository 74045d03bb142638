"""A first placement of many workloads, in milliseconds: clusters filled by weights, by room, then by prices.

Nothing is searched for its own sake: any placement that keeps all rules is better than none.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from operator import not_

import numpy as np

from fairlead.models.check import check
from fairlead.models.in_order import kept
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Preference, Quota, Total
from fairlead.models.usage import add, usage_of
from fairlead.models.workload import Workload, Workloads
from fairlead.solver.answers.answer import among
from fairlead.solver.batch.arrays import MOST, MOST_ASKED, Batch, Floats, Whole, batch_of
from fairlead.solver.batch.separable import fits_arrays
from fairlead.solver.exact.quick_placement import filled, place_quickly, wished


@kept
def can_be_filled(part: Problem) -> bool:
    """Tell whether quotas leave a problem alone and what all replicas ask for fits 64 bits."""
    return not any(isinstance(rule, Quota) for rule in part.rules) and fits_arrays(part)


def are_rows(part: Problem) -> bool:
    """Tell whether all workloads of a problem are rows of arrays that can be filled."""
    return can_be_filled(part) and all(part.all_workloads.once(_which_are_rows))


def _which_are_rows(workloads: Workloads) -> tuple[bool, ...]:
    return tuple(map(is_a_row, workloads))


def is_a_row(workload: Workload) -> bool:
    """Tell whether what must hold of a workload is a box and a total, and no more."""
    return (
        workload.rule(Total) is not None
        and workload.replicas < MOST
        and all(
            not rule.where_used
            if isinstance(rule, Bounds)
            else isinstance(rule, Preference | Candidates | Total)
            for rule in workload.rules
        )
    )


@dataclass(slots=True, eq=False)
class Filling:
    """Clusters while they are filled."""

    batch: Batch
    """The workloads as rows; `is_a_row` must hold for all of them."""
    left: Whole
    """Free capacity, by resource and cluster, in units of the resource."""

    @classmethod
    def of(cls, batch: Batch) -> "Filling":
        """Start with empty clusters."""
        coupling = batch.coupling
        left = np.full((batch.needs.shape[1], len(batch.clusters)), MOST_ASKED, dtype=np.int64)
        left[coupling.resource, coupling.column] = coupling.limit
        return cls(batch, left)

    @classmethod
    def of_problem(cls, part: Problem) -> "Filling | None":
        """Start with the empty clusters of a problem; None where they are no rows, or too large."""
        if not are_rows(part):
            return None
        batch = part.once(batch_of)
        running = [sum(each.current.values()) for each in part.workloads]
        most = zip(batch.needs.max(axis=1, initial=0).tolist(), running, strict=True)
        return cls.of(batch) if sum(need * count for need, count in most) < MOST_ASKED else None

    def wishes(self) -> Whole:
        """Return replicas that run or the whole part of every share, by row and column, at most the total."""
        workloads = self.batch.problem.workloads
        found = np.array([wished(each, self.batch.clusters) for each in workloads], dtype=np.int64)
        most = np.array([each.replicas for each in workloads], dtype=np.int64)[:, None]
        return np.minimum(found.reshape(self.batch.lower.shape), most)

    def room(self, rows: Sequence[int]) -> Whole:
        """Return how many replicas of workloads every cluster takes, each by itself, at least 0."""
        needs = self.batch.needs[rows][:, :, None]
        takes = np.where(needs > 0, self.left // np.maximum(needs, 1), MOST_ASKED).min(
            axis=1, initial=MOST_ASKED
        )
        found: Whole = np.maximum(np.minimum(self.batch.upper[rows], takes), 0)
        return found

    def take(self, row: int, counts: Whole, times: int = 1) -> None:
        """Let replicas of a workload use their clusters; -1 times gives back what they used."""
        self.left -= self.batch.needs[row][:, None] * (times * counts)

    def fill(self, rows: Sequence[int], wishes: Whole, *, partly: bool = False) -> Whole:
        """Return the first of some workloads placed as near to their wishes as there is room for all of them.

        Each is placed in the room there is before the first. None of them is where the first finds no place.
        Partly: where less than the total will do, and less than the fewest of a cluster if that is none.
        """
        lower, totals = self.batch.lower[rows], self.batch.totals[rows]
        found = filled(lower, self.room(rows), totals, wishes)
        enough = (found >= lower) | (found == 0) if partly else found >= lower
        misses = ~enough.all(axis=1) | (not partly) & (found.sum(axis=1) < totals)
        needs = self.batch.needs[rows]
        if len(rows) > 1:
            used = (needs[:, :, None] * found[:, None, :]).cumsum(axis=0)
            misses |= (used > np.maximum(self.left, 0)).any(axis=(1, 2))
        count = int(misses.argmax()) if misses.any() else len(rows)
        self.left -= needs[:count].T @ found[:count]
        return found[:count]

    def in_turn(
        self, order: Sequence[int], wishes: Whole, *, partly: bool = False
    ) -> Iterator[tuple[Sequence[int], Whole | None]]:
        """Yield workloads placed one after the other, as many at a time as there is room for.

        None for one that finds no place; whoever asks may place it before the next ones are.
        """
        at, size = 0, TOGETHER
        while at < len(order):
            rows = order[at : at + size]
            found = self.fill(rows, wishes[rows], partly=partly)
            yield rows[: max(1, len(found))], found if len(found) else None
            at += max(1, len(found))
            size = min(TOGETHER, 2 * max(1, len(found)))


TOGETHER = 64
"""Workloads that are filled at one look."""
PLACES_LOOKED_AT = 2_000_000
"""Places (workloads times clusters) that all steps towards prices look at together."""
FEWEST_STEPS, MOST_STEPS = 20, 400
"""Steps towards prices, whatever the number of places."""
CLOSE_ENOUGH = 1.001
"""Part of its capacity asked of the fullest cluster at which no more steps are worth while."""
HOPELESS = 1.3
"""Part of its capacity asked of the fullest cluster beyond which following the prices leads nowhere."""
PUSHING_FROM = 0.95
"""Part of its capacity asked of a cluster from which on it gets dearer with every step."""
PUSH = 1.5
"""Power of the excess over that part by which a cluster gets dearer in a step."""
START = 0.5
"""Before the first step, clusters are as much worth as this power of their size."""
TIGHT = 0.95
"""Part of the scarcest resource of all clusters asked for from which on rounding breaks what prices even
out."""
ROWS_FILLED = 4_000
"""Workloads that all rounds of filling after the prices take together, one round at the least."""
MOST_ROUNDS = 8
TINY = float(np.finfo(np.float64).tiny)


def place_first(part: Problem) -> Placement | None:
    """Return any placement that keeps all rules; None where none is found at once.

    Nothing gives way, and no affinity group is left to be chosen. Workloads that are more than a box and a
    total come first, each on any clusters that will do. All others are rows of arrays, see `Filling`.
    """
    simple = part.all_workloads.once(_which_are_rows)
    rows = tuple(compress(part.workloads, simple))
    if not rows or not can_be_filled(part):
        return None
    placed: dict[str, dict[str, int]] = {}
    limits = dict(part.limits)
    for workload in compress(part.workloads, map(not_, simple)):
        found = place_quickly(workload, part, limits, ())
        if found is None:
            return None
        placed[workload.key] = dict(found)
        add(limits, usage_of(workload, found, part), -1)
    batch = batch_of(among(part, rows, limits)) if placed else part.once(batch_of)
    if not batch.feasible:
        return None
    replicas = _Placing.of(batch).first()
    if replicas is None:
        return None
    placement = Placement({**placed, **batch.placement(replicas).to_dict()})
    return None if check(part, placement) else placement


def place_near(batch: Batch, wishes: Whole) -> Whole | None:
    """Return a placement near to one that may break limits; None where none is found at once."""
    return _Placing.of(batch).near(wishes)


@dataclass(frozen=True, slots=True, eq=False)
class _Placing:
    """A batch with limits, wishes and shares of the scarcest resource, which are looked at more than once."""

    batch: Batch
    wishes: Whole
    limit: Floats
    """Capacity, by resource and cluster, in units of the resource; `MOST_ASKED` where there is no limit."""
    asked: Floats
    """The part of the scarcest resource of all clusters that every workload asks for."""

    @classmethod
    def of(cls, batch: Batch) -> "_Placing":
        """Look at a batch."""
        filling = Filling.of(batch)
        limit = filling.left.astype(np.float64)
        offered = np.where(limit < MOST_ASKED, limit, 0.0).sum(axis=1)
        shares = batch.needs * batch.totals[:, None] / np.maximum(offered, 1.0)
        asked = np.where(offered > 0, shares, 0.0).max(axis=1, initial=0.0)
        return cls(batch, filling.wishes(), limit, asked)

    def first(self) -> Whole | None:
        """Return the first placement that is found: by weights, by prices and by room."""
        asked = self.fullness(self.batch.totals[:, None])
        if (asked[(self.limit < MOST_ASKED).all(axis=1)] > CLOSE_ENOUGH).any():
            return None  # all clusters together do not have what is asked for
        tight = asked.max(initial=0.0) > TIGHT
        ways = (self._by_room, self._by_prices) if tight else (self._by_prices, self._by_room)
        fits = (self.fullness(self.wishes) <= 1.0).all()
        ordered = (self._by_wishes, *ways) if fits else (*ways, self._by_wishes)
        return next((found for way in ordered if (found := way()) is not None), None)

    def fullness(self, replicas: Floats | Whole) -> Floats:
        """Return the requests as a part of the capacity, by resource and cluster.

        Totals in a single column are compared with what all clusters have together.
        """
        limit = np.where(self.limit < MOST_ASKED, self.limit, 0.0)
        limit = limit if replicas.shape[1] > 1 or limit.shape[1] == 1 else limit.sum(axis=1, keepdims=True)
        used = self.batch.needs.T @ replicas
        return np.where(limit > 0, used / np.maximum(limit, 0.5), 0.0)

    def _by_wishes(self) -> Whole | None:
        """Fill clusters as near to the wishes as there is room, the largest first."""
        return self._filled_wholly(np.argsort(-self.asked, kind="stable"), self.wishes)

    def _by_room(self) -> Whole | None:
        """Fill clusters in the ratio of their room, first who has the fewest to choose from."""
        return self._filled_wholly(self._fewest_first(), self.batch.lower)

    def _filled_wholly(self, order: Whole, wishes: Whole) -> Whole | None:
        """Fill clusters; None as soon as a workload finds no place."""
        found = np.zeros_like(wishes)
        for rows, placed in Filling.of(self.batch).in_turn(order.tolist(), wishes):
            if placed is None:
                return None
            found[rows] = placed
        return found

    def _by_prices(self) -> Whole | None:
        """Fill clusters near a division by which none is overfull."""
        shares, fullest = self._evened()
        return None if fullest > HOPELESS else self.near(_rounded(self.batch, shares))

    def near(self, wishes: Whole) -> Whole | None:
        """Fill clusters as near to wishes as there is room; who is late goes first next time."""
        order = self._fewest_first().tolist()
        for _ in range(max(1, min(MOST_ROUNDS, ROWS_FILLED // len(order)))):
            found, late = np.zeros_like(wishes), set[int]()
            for rows, placed in Filling.of(self.batch).in_turn(order, wishes):
                if placed is None:
                    late |= set(rows)
                else:
                    found[rows] = placed
            if not late:
                return found
            order.sort(key=lambda row, late=late: row not in late)
        return None

    def _evened(self) -> tuple[Floats, float]:
        """Divide all workloads so that no cluster is overfull, as near to their weights as that is possible.

        Every cluster has a factor for each resource, which falls as long as more is asked for than there is,
        and a workload takes clusters in the ratio of its weights times these factors, each to the power of
        the part that the resource has in what it needs (iterative proportional fitting).

        `replicas`, `fullest`: replicas by row and cluster, and what the fullest cluster is asked for as a
        part of what it has.
        """
        batch, bound = self.batch, self.limit < MOST_ASKED
        offered = np.where(bound, self.limit, 0.0)
        sizes = np.maximum(1.0, offered.sum(axis=1, keepdims=True))
        parts = np.where(bound.any(axis=1), batch.needs / sizes[:, 0], 0.0)
        parts /= np.maximum(parts.sum(axis=1, keepdims=True), TINY)
        weights = np.where(batch.upper > 0, self.wishes + 0.5, 0.0)
        totals, upper = batch.totals[:, None].astype(np.float64), batch.upper.astype(np.float64)
        factors = START * np.where(bound, np.log(np.maximum(offered, 1.0) / sizes), 0.0)
        best, fullest = upper, np.inf
        steps = max(FEWEST_STEPS, min(MOST_STEPS, PLACES_LOOKED_AT // max(1, batch.lower.size)))
        for _ in range(steps):
            replicas = _divided(weights * np.exp(np.clip(parts @ factors, -60, 60)), totals, upper)
            full = self.fullness(replicas)
            most = float(full.max(initial=0.0))
            if most < fullest:
                best, fullest = replicas, most
            if most <= CLOSE_ENOUGH:
                break
            factors -= PUSH * np.log(np.maximum(full, PUSHING_FROM) / PUSHING_FROM) * (full > PUSHING_FROM)
        return best, fullest

    def _fewest_first(self) -> Whole:
        """Return the rows in the order of how few clusters they may use, then the largest first."""
        return np.lexsort((-self.asked, (self.batch.upper > 0).sum(axis=1)))


def _divided(weights: Floats, totals: Floats, upper: Floats) -> Floats:
    """Divide totals by weights up to the most of every place; what is cut off goes to the others once."""
    found = np.minimum(upper, totals * weights / np.maximum(weights.sum(axis=1, keepdims=True), TINY))
    free = np.where(found < upper, weights, 0.0)
    rest = totals - found.sum(axis=1, keepdims=True)
    divided: Floats = found + rest * free / np.maximum(free.sum(axis=1, keepdims=True), TINY)
    return np.minimum(upper, divided)


def _rounded(batch: Batch, shares: Floats) -> Whole:
    """Round shares down, and up where the most was cut off, as far as the total goes."""
    down = np.floor(shares).astype(np.int64)
    ranks = np.argsort(np.argsort(down - shares, axis=1, kind="stable"), axis=1, kind="stable")
    found: Whole = down + (ranks < (batch.totals - down.sum(axis=1))[:, None])
    return found
