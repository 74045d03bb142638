"""Columns: a few placements of every workload with limited groups, and one of each that fit together.

At the best prices every such workload by itself takes the groups that save most, and all of them may take the
same ones. At prices a little off it takes others that are about as good. Of these *columns* one of each is
chosen so that all together use about what the prices leave them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairlead.solver.batch import tuning
from fairlead.solver.batch.arrays import Floats, Whole
from fairlead.solver.batch.dual.relaxation import relax
from fairlead.solver.batch.mixed.cardinality import Dual, LimitedRows, Priced
from fairlead.solver.batch.model import Prices
from fairlead.solver.running.deadline import Deadline

Keeps = Callable[[str, Mapping[str, int]], bool]
"""Tells whether a placement of the workload of a key keeps its rules."""


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Placements of workloads with limited groups.

    Parameters
    ----------
    replicas
        By column, workload and cluster.
    worth
        What each costs with all that it uses at the best prices, by column and workload; infinite where a
        rule is broken.
    usage
        What each uses of what is shared, by column, workload and row of the coupling; 0 where a rule is
        broken.
    """

    replicas: Whole
    worth: Floats
    usage: Floats


def fitting(dual: Dual, priced: Priced, keeps: Keeps, deadline: Deadline) -> dict[str, dict[str, int]]:
    """Return one placement of every workload with limited groups that keeps its rules, all about fitting.

    Parameters
    ----------
    dual
        A level.
    priced
        Its best prices.
    keeps
        Tells which placements count; a workload of which none does is left out.
    deadline
        When no more placements are made.
    """
    columns = _columns_of(dual, priced, keeps, deadline)
    model = dual.model
    limit = model.batch.coupling.limit.astype(np.float64)
    # What all others use at these prices is known about, so that a little more is not charged.
    room = (1 + tuning.COLUMN_SLACK) * limit - relax(dual.plain, priced.prices, priced.rows).usage
    charge = _charge(dual, priced.prices)
    at = _chosen(columns, (charge, room), (tuning.COLUMN_FORBIDDEN * charge, limit))
    batch = dual.limited.batch
    found = {}
    for row, key in enumerate(batch.keys):
        if np.isfinite(columns.worth[at[row], row]):
            found[key] = _named(batch.clusters, columns.replicas[at[row], row])
    return found


def _charge(dual: Dual, prices: Prices) -> Floats:
    """Return what using more than there is room for is charged, by row of the coupling."""
    limit = np.maximum(1, dual.model.batch.coupling.limit)
    mean = float((prices.capacity * limit).mean()) if len(limit) else 0.0
    return tuning.COLUMN_CHARGE * np.maximum(prices.capacity, mean / limit)


def _columns_of(dual: Dual, priced: Priced, keeps: Keeps, deadline: Deadline) -> Columns:
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
    """Return replicas by name of the cluster."""
    return {clusters[at]: int(counts[at]) for at in np.flatnonzero(counts).tolist()}


def _whole(part: LimitedRows, prices: Floats) -> Whole:
    """Return what rows hold at prices of their replicas, each its total where its groups hold it."""
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
