"""Batches past one machine's memory: workloads and capacity are split, every share is solved by itself.

The shares together are a valid placement, because what they may use adds up to what there is. Each share, a
sample of the workloads, tells what scarce resources are worth to it; at the mean of these prices every share
gets as much of each cluster as it would use, and what is lost by splitting is told by a bound on the whole.
The idea of shares is that of POP (partitioned optimisation problems).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fairlead.models.levels import DEVIATION, Level
from fairlead.models.outcome import Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules.capacity import demands, needs
from fairlead.models.score import levels_of, score
from fairlead.models.workload import Workload
from fairlead.solver.attainment import LexicographicResult, Note, attained
from fairlead.solver.batch.arrays import Batch, batch_of
from fairlead.solver.batch.costs import LevelCost, costs_of, nothing
from fairlead.solver.batch.dual.bound import lower_bound, whole_prices
from fairlead.solver.batch.dual.relaxation import relax
from fairlead.solver.batch.dual.sifting import Sifting, sift
from fairlead.solver.batch.dual.subgradient import climb
from fairlead.solver.batch.levels import solve_batch
from fairlead.solver.batch.model import Model, Prices, model_of
from fairlead.solver.batch.tuning import FOR_PRICES
from fairlead.solver.deadline import Deadline, Stop
from fairlead.solver.interrupt import listening
from fairlead.solver.machines import Machines
from fairlead.solver.search import Search

Row = tuple[str, str]
"""A cluster and a resource."""


def shares_of(part: Problem, count: int) -> list[Problem]:
    """Split the workloads evenly by what they ask for, and what is there in proportion to that.

    Parameters
    ----------
    part
        The problem.
    count
        Number of shares.
    """
    asked = {workload.key: _asked(workload) for workload in part.workloads}
    whole = _added(asked.values())
    size = {
        key: sum(Fraction(amount, whole[name]) for name, amount in each.items())
        for key, each in asked.items()
    }
    ordered = sorted(part.workloads, key=lambda each: (-size[each.key], each.key))
    groups: list[list[Workload]] = [[] for _ in range(count)]
    for number, workload in enumerate(ordered):
        turn, place = divmod(number, count)
        groups[place if turn % 2 == 0 else count - 1 - place].append(workload)
    shares = []
    for group in filter(None, groups):
        wanted = _added(asked[each.key] for each in group)
        parts = {name: Fraction(wanted.get(name, 0), amount) for name, amount in whole.items()}
        given = {
            row: int(limit * parts.get(row[1], Fraction(1, count))) for row, limit in part.limits.items()
        }
        shares.append(offering(part, group, given))
    return shares


def resized(part: Problem, share: Problem, used: Sequence[Mapping[Row, int]], number: int) -> Problem:
    """Return a share that may use of every cluster in proportion to what it uses at common prices."""
    given = {}
    for row, limit in part.limits.items():
        amounts = [each.get(row, 0) for each in used]
        together = sum(amounts)
        given[row] = limit * amounts[number] // together if together else limit // len(used)
    return offering(part, share.workloads, given)


def _asked(workload: Workload) -> dict[str, int]:
    """Return what a workload asks for in all, by resource."""
    return {name: need * workload.replicas for name, need in needs(workload).items() if workload.replicas}


def _added(amounts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Add amounts by resource."""
    total: dict[str, int] = {}
    for each in amounts:
        for name, amount in each.items():
            total[name] = total.get(name, 0) + amount
    return total


def offering(part: Problem, group: Sequence[Workload], given: Mapping[Row, int]) -> Problem:
    """Return some workloads with clusters of which they may use so much, what they hold now included."""
    held: dict[Row, int] = {}
    for workload in group:
        for name, count in workload.current.items():
            cluster = part.cluster_by_name.get(name)
            for resource, need in demands(workload, cluster).items() if cluster and cluster.free else ():
                held[name, resource] = held.get((name, resource), 0) + need * count
    # What is not listed as free is there too where workloads hold it now.
    free: dict[str, dict[str, int]] = {cluster.name: dict(cluster.free or {}) for cluster in part.clusters}
    for (name, resource), amount in given.items():
        free[name][resource] = amount - held.get((name, resource), 0)
    clusters = tuple(
        cluster if cluster.free is None else replace(cluster, free=free[cluster.name])
        for cluster in part.clusters
    )
    return replace(part, clusters=clusters, workloads=tuple(group))


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


def _cost_on(batch: Batch, level: Level) -> LevelCost:
    """Return what a share costs on a level; nothing where none of its workloads counts there."""
    return next((cost for cost in costs_of(batch) if cost.level == level), nothing(batch))


def _in_steps(model: Model, prices: Mapping[Row, Fraction], scale: int, units: Sequence[int]) -> Prices:
    """Return prices as a model of one share counts them."""
    coupling = model.batch.coupling
    asked = [
        float(prices.get(row, Fraction(0)) * scale * units[resource])
        for row, resource in zip(coupling.names, coupling.resource.tolist(), strict=True)
    ]
    return Prices(np.array(asked, dtype=np.float64), Prices.none(model).pins)


def solve_share(task: ShareTask) -> ShareAnswer:
    """Solve one share and tell its part of the bound. Runs in another process."""
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


def solve_partitioned(part: Problem, count: int, search: Search, machines: Machines) -> LexicographicResult:
    """Solve a batch in shares.

    Parameters
    ----------
    part
        The problem; `fairlead.solver.batch.separable.applies` must hold.
    count
        Number of shares, at least 2.
    search
        How to search.
    machines
        Where shares are solved.

    Returns
    -------
    LexicographicResult
        FEASIBLE, with the bound of the first level; UNKNOWN where a share has no placement of its own, though
        the whole may have one.
    """
    shares = shares_of(part, count)
    level = next(iter(levels_of(part)), DEVIATION)
    due = search.deadline.part(FOR_PRICES).remaining()
    limit = None if due == float("inf") else due * min(1.0, machines.slots / len(shares))
    stop = search.deadline.stop
    prices = _mean(machines.run(prices_of, [(share, level, limit, stop) for share in shares]))
    used = machines.run(usage_of, [(share, level, prices) for share in shares])
    shares = [resized(part, share, used, number) for number, share in enumerate(shares)]
    workers = max(1, search.threads // min(machines.slots, len(shares)))
    seconds = search.deadline.remaining() * min(1.0, machines.slots / len(shares))
    limit = None if seconds == float("inf") else seconds
    tasks = [
        ShareTask(share, level, part.limits, prices, limit, workers, search.seed, stop) for share in shares
    ]
    answers = machines.run(solve_share, tasks)
    placed: dict[str, Mapping[str, int]] = {}
    for answer in answers:
        if answer.result.placement is None:
            return LexicographicResult(Status.UNKNOWN, None)
        placed.update(answer.result.placement)
    placement = Placement(placed)
    # Only the first level has a bound of its own: for the others that of the first is not settled.
    bound = _bound(part, answers)
    first = next((scored.value for scored in score(part, placement)), bound)
    notes = [Note(min(bound, Fraction(first)), proven=bound >= first)]
    return LexicographicResult(Status.FEASIBLE, placement, attained(part, placement, notes))


def _mean(found: Sequence[Mapping[Row, Fraction]]) -> dict[Row, Fraction]:
    """Return the mean of several prices, by row."""
    rows = sorted({row for each in found for row in each})
    return {
        row: sum((each.get(row, Fraction(0)) for each in found), Fraction(0)) / len(found) for row in rows
    }


def _bound(part: Problem, answers: Sequence[ShareAnswer]) -> Fraction:
    """Return what the whole costs at least on its first level.

    Every share pays for what it uses. Together they use no more than there is, so at the highest of the
    prices that were used they pay no more than what is there is worth.
    """
    highest: dict[Row, Fraction] = {}
    for answer in answers:
        for row, price in answer.prices.items():
            highest[row] = max(price, highest.get(row, Fraction(0)))
    worth = sum((price * part.limits.get(row, 0) for row, price in highest.items()), Fraction(0))
    return sum((answer.least for answer in answers), Fraction(0)) - worth
