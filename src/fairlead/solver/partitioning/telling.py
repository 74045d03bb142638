"""What one share tells: its prices, what it would use at common ones, its answer and its part of the bound.

Everything here may run in another process.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fairlead.models.levels import Level
from fairlead.models.problem import Problem
from fairlead.models.rules.capacity import needs
from fairlead.solver.attainment import LexicographicResult
from fairlead.solver.deadline import Deadline, Stop
from fairlead.solver.interrupt import listening
from fairlead.solver.partitioning.splitting import Row, offering
from fairlead.solver.search import Search

if TYPE_CHECKING:
    from fairlead.solver.batch.arrays import Batch
    from fairlead.solver.batch.costs import LevelCost
    from fairlead.solver.batch.relaxation import Model, Prices


@dataclass(frozen=True, slots=True)
class ShareTask:
    """One share, and the prices at which its part of the bound is told.

    Parameters
    ----------
    part
        Its workloads, and clusters with its share of what is there.
    level
        The first level of the whole, on which the bound is told.
    limits
        What all shares together may use, by cluster and resource.
    prices
        Price of one unit of a resource on a cluster, in units of that level.
    seconds
        When the answer is due; None means no limit.
    workers, seed
        Threads and random seed.
    stop
        The wish to end before that. Elsewhere it is a copy, which is asked by `listening`.
    """

    part: Problem
    level: Level
    limits: Mapping[Row, int]
    prices: Mapping[Row, Fraction]
    seconds: float | None
    workers: int
    seed: int
    stop: Stop = field(default_factory=Stop, compare=False)


@dataclass(frozen=True, slots=True)
class ShareAnswer:
    """What was found for one share.

    Parameters
    ----------
    result
        The answer.
    least
        What its workloads cost at least on the first level with prices, what they pay included.
    prices
        Those prices as they were used; they differ from what was asked for by rounding.
    """

    result: LexicographicResult
    least: Fraction
    prices: Mapping[Row, Fraction]


def prices_of(task: tuple[Problem, Level, float | None, Stop]) -> dict[Row, Fraction]:
    """Return what one unit of each scarce resource is worth to a share, in units of the first level.

    Parameters
    ----------
    task
        The share, the level, the seconds that this may take (None means no limit), and the wish to end
        before that.
    """
    share, level, seconds, stop = task
    deadline = Deadline(Deadline.after(seconds).at, stop)
    from fairlead.solver.batch.arrays import batch_of
    from fairlead.solver.batch.ascent import climb
    from fairlead.solver.batch.relaxation import model_of
    from fairlead.solver.batch.sifting import Sifting, sift

    batch = batch_of(share)
    if not batch.feasible:
        return {}
    cost = _cost_on(batch, level)
    model = model_of(batch, cost)
    with listening(deadline):
        climbed = climb(model, 60, deadline)
        found = sift(model, climbed.prices, climbed.rows, deadline, Sifting(turns=8))
    units = _units(share, batch.needs)
    return {
        row: Fraction(price) / cost.scale / units[resource]
        for row, price, resource in zip(
            batch.coupling.names,
            found.prices.capacity.tolist(),
            batch.coupling.resource.tolist(),
            strict=True,
        )
        if price > 0
    }


def _units(share: Problem, needed: NDArray[np.int64]) -> list[int]:
    """Return the unit in which the arrays of a batch count each resource."""
    names = sorted({name for workload in share.workloads for name in needs(workload)})
    units = []
    for column, name in enumerate(names):
        row = int(np.argmax(needed[:, column] > 0))
        units.append(needs(share.workloads[row]).get(name, 1) // max(1, int(needed[row, column])))
    return units


def usage_of(task: tuple[Problem, Level, Mapping[Row, Fraction]]) -> dict[Row, int]:
    """Return what a share would use at prices, by cluster and resource, in the resource's unit.

    Parameters
    ----------
    task
        The share, the level, and the prices.
    """
    from fairlead.solver.batch.arrays import batch_of
    from fairlead.solver.batch.relaxation import model_of, relax

    share, level, prices = task
    batch = batch_of(share)
    cost = _cost_on(batch, level)
    model = model_of(batch, cost)
    units = _units(share, batch.needs)
    replicas = relax(model, _in_steps(model, prices, cost.scale, units)).replicas
    names = sorted({name for workload in share.workloads for name in needs(workload)})
    used = batch.needs.T @ replicas
    return {
        (cluster, name): int(used[row, column]) * units[row]
        for row, name in enumerate(names)
        for column, cluster in enumerate(batch.clusters)
    }


def _cost_on(batch: "Batch", level: Level) -> "LevelCost":
    """Return what a share costs on a level; nothing where none of its workloads counts there."""
    from fairlead.solver.batch.costs import costs_of, nothing

    return next((cost for cost in costs_of(batch) if cost.level == level), nothing(batch))


def _in_steps(model: "Model", prices: Mapping[Row, Fraction], scale: int, units: Sequence[int]) -> "Prices":
    """Return prices as a model of one share counts them."""
    from fairlead.solver.batch.relaxation import Prices

    coupling = model.batch.coupling
    asked = [
        float(prices.get(row, Fraction(0)) * scale * units[resource])
        for row, resource in zip(coupling.names, coupling.resource.tolist(), strict=True)
    ]
    return Prices(np.array(asked, dtype=np.float64), Prices.none(model).pins)


def solve_share(task: ShareTask) -> ShareAnswer:
    """Solve one share and tell its part of the bound. Runs in another process."""
    from fairlead.solver.batch.arrays import batch_of
    from fairlead.solver.batch.bound import lower_bound, whole_prices
    from fairlead.solver.batch.relaxation import model_of, relax
    from fairlead.solver.batch.solving import solve_batch

    deadline = Deadline(Deadline.after(task.seconds).at, task.stop)
    with listening(deadline):
        result = solve_batch(task.part, Search(deadline, task.workers, task.seed))
    # In the whole a workload may use what other shares got here, so its bound has to allow for that.
    wide = offering(task.part, task.part.workloads, task.limits)
    batch = batch_of(wide)
    if not batch.feasible:
        return ShareAnswer(result, Fraction(0), {})
    cost = _cost_on(batch, task.level)
    model, coupling = model_of(batch, cost), batch.coupling
    units, scale = _units(task.part, batch.needs), cost.scale
    prices = _in_steps(model, task.prices, scale, units)
    rows = relax(model, prices).rows
    whole = whole_prices(model, prices, rows)
    least = lower_bound(model, prices, rows)
    used: dict[Row, Fraction] = {}
    for place, row in enumerate(coupling.names):
        price, bits = whole.capacity[place], whole.capacity_bits[place]
        # What the bound takes off for what is there is added again: the whole has its own limits.
        least += -((-price * int(coupling.limit[place])) >> bits)
        used[row] = Fraction(price, 1 << bits) / scale / units[int(coupling.resource[place])]
    return ShareAnswer(result, Fraction(least, scale) + cost.constant, used)
