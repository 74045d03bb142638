"""Placements of workloads that are no boxes: columns that fit together, and each by itself.

Columns are a few placements of every workload with limited groups, of which one each is taken.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Weights
from fairlead.models.rules.quota import Allowance
from fairlead.models.variants import with_each
from fairlead.models.workload import Workload
from fairlead.solver.answers.answer import among
from fairlead.solver.batch import tuning
from fairlead.solver.batch.arrays import Floats, Whole
from fairlead.solver.batch.dual.relaxation import relax
from fairlead.solver.batch.mixed.cardinality import Dual, LimitedRows, PricedBound
from fairlead.solver.batch.model import Prices
from fairlead.solver.dispensers import reference
from fairlead.solver.exact.allocation import allocate
from fairlead.solver.exact.boxes import Available, box_of, has_box
from fairlead.solver.levels.lexicographic import minimise_levels
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import Search

Keeps = Callable[[str, Mapping[str, int]], bool]
"""Tells whether a placement of the workload of a key keeps its rules."""


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Placements of workloads with limited groups, by column and workload.

    Worth is what each costs with all that it uses of the coupling at the best prices; where a rule is broken
    it is infinite, and nothing is used.
    """

    replicas: Whole
    worth: Floats
    usage: Floats


def fitting(dual: Dual, priced: PricedBound, keeps: Keeps, deadline: Deadline) -> dict[str, dict[str, int]]:
    """Return one placement of every workload with limited groups that keeps its rules, all about fitting.

    A workload of which no placement keeps them is left out; after the deadline no more are made.
    """
    columns = _columns_of(dual, priced, keeps, deadline)
    model = dual.model
    limit = model.batch.coupling.limit.astype(np.float64)
    # What all others use at these prices is known about, so that a little more is not charged.
    room = (1 + tuning.COLUMN_SLACK) * limit - relax(dual.plain, priced.prices, priced.rows).usage
    dear, size = priced.prices.capacity, np.maximum(1, limit)
    charge = tuning.COLUMN_CHARGE * np.maximum(dear, (dear * size).mean() / size if len(size) else 0.0)
    at = _chosen(columns, (charge, room), (tuning.COLUMN_FORBIDDEN * charge, limit))
    batch = dual.limited.batch
    found = {}
    for row, key in enumerate(batch.keys):
        if np.isfinite(columns.worth[at[row], row]):
            found[key] = _named(batch.clusters, columns.replicas[at[row], row])
    return found


def _columns_of(dual: Dual, priced: PricedBound, keeps: Keeps, deadline: Deadline) -> Columns:
    """Return placements at the best prices and at prices a little off."""
    model, coupling = dual.limited, dual.model.batch.coupling
    batch, chance = model.batch, np.random.default_rng(0)
    replicas, worth, usage = [], [], []
    for number in range(tuning.MOST_COLUMNS):
        if number and not deadline.remaining():
            break
        noise = np.exp(tuning.COLUMN_NOISE * chance.standard_normal(len(coupling.limit))) if number else 1.0
        part = LimitedRows.of(model, dual.groups, Prices(priced.prices.capacity * noise, priced.prices.pins))
        counts = _whole(part, part.divide(priced.limited)[0])
        used = (batch.needs[:, :, None] * counts[:, None, :])[:, coupling.resource, coupling.column]
        costs = [shape.value(counts).sum(axis=1).astype(np.float64) for shape in model.shapes]
        total = sum(
            (price * cost for price, cost in zip(priced.prices.pins, costs[1:], strict=True)), costs[0]
        )
        broken = [not keeps(key, _named(batch.clusters, counts[row])) for row, key in enumerate(batch.keys)]
        replicas.append(counts)
        worth.append(np.where(broken, np.inf, total + used @ priced.prices.capacity))
        usage.append(np.where(np.array(broken, dtype=bool)[:, None], 0.0, used))
    return Columns(np.array(replicas), np.array(worth), np.array(usage))


def _named(clusters: tuple[str, ...], counts: Whole) -> dict[str, int]:
    return {clusters[at]: int(counts[at]) for at in np.flatnonzero(counts).tolist()}


def _whole(part: LimitedRows, prices: Floats) -> Whole:
    """Return the replicas of rows at prices, by row and column, each its total where its groups hold it."""
    counts, chosen, _ = part.at(prices)
    batch = part.model.batch
    held = batch.lower + counts.astype(np.int64)
    for row, extra in enumerate((held.sum(axis=1) - batch.totals).tolist()):
        top = np.where(chosen[row], batch.upper[row], held[row])
        room = held[row] - batch.lower[row] if extra > 0 else top - held[row]
        left = abs(extra)
        for column in np.argsort(-room, kind="stable").tolist():
            step = min(left, int(room[column]))
            held[row, column] += -step if extra > 0 else step
            left -= step
            if not left:
                break
    return held


def _chosen(columns: Columns, *limits: tuple[Floats, Floats]) -> NDArray[np.int64]:
    """Return which column of each workload is taken: one after the other takes its best beside all others.

    Limits are what using more is charged, and from where on, both by row of the coupling.
    """
    rows = np.arange(columns.worth.shape[1])
    at: NDArray[np.int64] = columns.worth.argmin(axis=0)
    used = columns.usage[at, rows].sum(axis=0)
    for _ in range(tuning.COLUMN_ROUNDS):
        before = at.copy()
        for row in rows.tolist():
            others = used - columns.usage[at[row], row]
            together = others + columns.usage[:, row]
            beyond = [np.maximum(0.0, together - room) @ charge for charge, room in limits]
            at[row] = int(np.argmin(columns.worth[:, row] + sum(beyond)))
            used = others + columns.usage[at[row], row]
        if bool((at == before).all()):
            break
    return at


def place_one_by_one(
    part: Problem, odd: Collection[Workload], limits: Available, deadline: Deadline, seed: int
) -> Placement:
    """Place some workloads, the most urgent and the largest first; one that finds no room holds nothing.

    One that no simple way places gets a part of the time.
    """

    def otherwise(
        workload: Workload, _problem: Problem, available: Available, _quotas: Sequence[Allowance]
    ) -> Mapping[str, int]:
        left = {spot: max(0, amount) for spot, amount in available.items()}
        until = deadline.part(tuning.ONE_BY_ONE_SHARE, tuning.LONGEST_RUN)
        result = minimise_levels(among(part, (workload,), left), Search(until, 1, seed))
        return {} if result.placement is None else result.placement.of(workload.key)

    room = {spot: max(0, amount) for spot, amount in limits.items()}
    return reference.place(among(part, odd, room), otherwise)


def without_tiers(workload: Workload) -> Workload:
    """Return a workload whose weights are those of all its clusters together, whatever tiers hold."""
    rules = with_each(workload.rules, Weights, lambda rule: replace(rule, tiers=()))
    return replace(workload, rules=rules)


def in_tiers(workload: Workload, part: Problem) -> Mapping[str, int]:
    """Place a workload with overflow tiers as if it were alone; nothing where that is not simple."""
    if not has_box(workload):
        return {}
    return allocate(workload, part, box_of(workload, part, part.limits)) or {}
