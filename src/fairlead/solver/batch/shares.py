"""Batches past one machine's memory: workloads and capacity are split, every share is solved by itself.

The shares together are a valid placement, because what they may use adds up to what there is. Each share, a
sample of the workloads, tells what scarce resources are worth to it; at the mean of these prices every share
gets as much of each cluster as it would use, and what is lost by splitting is told by a bound on the whole.
The idea of shares is that of POP (partitioned optimisation problems).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from fairlead.models.levels import DEVIATION, Level
from fairlead.models.outcome import Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules.capacity import needs
from fairlead.models.score import levels_of, score
from fairlead.models.usage import Row
from fairlead.models.workload import Workload
from fairlead.solver.answers.answer import among
from fairlead.solver.answers.attainment import LexicographicResult, Note, attained
from fairlead.solver.batch import tuning
from fairlead.solver.batch.arrays import batch_of
from fairlead.solver.batch.costs import LevelCost, costs_of, nothing
from fairlead.solver.batch.dual.bound import lower_bound, whole_prices
from fairlead.solver.batch.dual.relaxation import relax
from fairlead.solver.batch.dual.sifting import Sifting, sift
from fairlead.solver.batch.dual.subgradient import climb
from fairlead.solver.batch.levels import solve_batch
from fairlead.solver.batch.model import Model, Prices, model_of
from fairlead.solver.running.deadline import Span, listening
from fairlead.solver.running.search import Machines, Search


def shares_of(part: Problem, count: int) -> list[Problem]:
    """Split the workloads evenly by what they ask for, and what is there in proportion to that."""
    asked = {workload.key: _asked(workload) for workload in part.workloads}
    whole = sum(asked.values(), Counter[str]())
    size = {
        key: sum(Fraction(amount, whole[name]) for name, amount in each.items() if amount)
        for key, each in asked.items()
    }
    ordered = sorted(part.workloads, key=lambda each: (-size[each.key], each.key))
    groups: list[list[Workload]] = [[] for _ in range(count)]
    for number, workload in enumerate(ordered):
        turn, place = divmod(number, count)
        groups[place if turn % 2 == 0 else count - 1 - place].append(workload)
    shares = []
    for group in filter(None, groups):
        wanted = sum((asked[each.key] for each in group), Counter[str]())
        parts = {name: Fraction(wanted[name], amount) for name, amount in whole.items()}
        given = {
            row: int(limit * parts.get(row[1], Fraction(1, count))) for row, limit in part.limits.items()
        }
        shares.append(among(part, group, given))
    return shares


def resized(part: Problem, share: Problem, used: Sequence[Mapping[Row, int]], number: int) -> Problem:
    """Return a share that may use of every cluster in proportion to what it uses at common prices."""
    given = {}
    for row, limit in part.limits.items():
        amounts = [each.get(row, 0) for each in used]
        together = sum(amounts)
        given[row] = limit * amounts[number] // together if together else limit // len(used)
    return among(part, share.workloads, given)


def _asked(workload: Workload) -> Counter[str]:
    """Return what a workload asks for in all, by resource."""
    return Counter({name: need * workload.replicas for name, need in needs(workload).items()})


@dataclass(frozen=True, slots=True)
class ShareTask:
    """One share, and the prices at which its part of the bound is told.

    The level is the first one of the whole, limits are what all shares together may use, and prices those of
    one unit of a resource on a cluster, in units of that level.
    """

    part: Problem
    level: Level
    limits: Mapping[Row, int]
    prices: Mapping[Row, Fraction]
    search: Search
    span: Span


@dataclass(frozen=True, slots=True)
class ShareAnswer:
    """What was found for one share.

    Least is what its workloads cost at least on the first level, what they pay included; the prices are as
    they were used, and differ from what was asked for by rounding.
    """

    result: LexicographicResult
    least: Fraction
    prices: Mapping[Row, Fraction]


@dataclass(frozen=True, slots=True)
class _Priced:
    """One share as arrays, with what it costs on a level."""

    model: Model
    cost: LevelCost

    @classmethod
    def of(cls, share: Problem, level: Level) -> "_Priced":
        """Return a share; it costs nothing where none of its workloads counts on the level."""
        batch = batch_of(share)
        cost = next((cost for cost in costs_of(batch) if cost.level == level), nothing(batch))
        return cls(model_of(batch, cost), cost)

    @property
    def steps(self) -> list[Fraction]:
        """Steps in one unit of the level for one unit of a resource, by row of the coupling."""
        units = list(self.model.batch.units.values())
        return [Fraction(self.cost.scale * units[each]) for each in self.model.batch.coupling.resource]

    def priced(self, prices: Mapping[Row, Fraction]) -> Prices:
        """Return prices in units of the level as the model counts them."""
        rows = zip(self.model.batch.coupling.names, self.steps, strict=True)
        asked = [float(prices.get(row, Fraction(0)) * each) for row, each in rows]
        return Prices(np.array(asked, dtype=np.float64), np.zeros(0))


def prices_of(task: tuple[Problem, Level, Span]) -> dict[Row, Fraction]:
    """Return what one unit of each scarce resource is worth to a share, in units of the first level."""
    share, level, span = task
    deadline = span.begun()
    priced = _Priced.of(share, level)
    model = priced.model
    if not model.batch.feasible:
        return {}
    with listening(deadline):
        climbed = climb(model, 60, deadline)
        found = sift(model, climbed.prices, climbed.rows, deadline, Sifting(turns=8))
    rows = zip(model.batch.coupling.names, found.prices.capacity.tolist(), priced.steps, strict=True)
    return {row: Fraction(price) / steps for row, price, steps in rows if price > 0}


def usage_of(task: tuple[Problem, Level, Mapping[Row, Fraction]]) -> dict[Row, int]:
    """Return what a share would use at prices, by cluster and resource, in the resource's unit."""
    share, level, prices = task
    priced = _Priced.of(share, level)
    batch = priced.model.batch
    used = batch.needs.T @ relax(priced.model, priced.priced(prices)).replicas
    return {
        (cluster, name): int(used[row, column]) * unit
        for row, (name, unit) in enumerate(batch.units.items())
        for column, cluster in enumerate(batch.clusters)
    }


def solve_share(task: ShareTask) -> ShareAnswer:
    """Solve one share and tell its part of the bound. Runs in another process."""
    deadline = task.span.begun()
    with listening(deadline):
        result = solve_batch(task.part, task.search.until(deadline))
    # In the whole a workload may use what other shares got here, so its bound has to allow for that.
    wide = _Priced.of(among(task.part, task.part.workloads, task.limits), task.level)
    model, cost, coupling = wide.model, wide.cost, wide.model.batch.coupling
    if not model.batch.feasible:
        return ShareAnswer(result, Fraction(0), {})
    prices = wide.priced(task.prices)
    rows = relax(model, prices).rows
    whole = whole_prices(model, prices, rows)
    least = lower_bound(model, prices, rows)
    used: dict[Row, Fraction] = {}
    for place, (row, steps) in enumerate(zip(coupling.names, wide.steps, strict=True)):
        price, bits = whole.capacity[place]
        # What the bound takes off for what is there is added again: the whole has its own limits.
        least += -((-price * int(coupling.limit[place])) >> bits)
        used[row] = Fraction(price, 1 << bits) / steps
    return ShareAnswer(result, Fraction(least, cost.scale) + cost.constant, used)


def solve_partitioned(part: Problem, count: int, search: Search, machines: Machines) -> LexicographicResult:
    """Solve a batch, in which nothing but capacity is shared, in two or more shares.

    The answer has the bound of the first level; UNKNOWN where a share has no placement of its own, though the
    whole may have one.
    """
    shares = shares_of(part, count)
    level = next(iter(levels_of(part)), DEVIATION)
    span = search.deadline.part(tuning.FOR_PRICES).each(count, machines.slots)
    prices = _mean(machines.run(prices_of, [(share, level, span) for share in shares]))
    used = machines.run(usage_of, [(share, level, prices) for share in shares])
    shares = [resized(part, share, used, number) for number, share in enumerate(shares)]
    sent = Search(workers=max(1, search.threads // min(machines.slots, count)), seed=search.seed)
    span = search.deadline.each(count, machines.slots)
    tasks = [ShareTask(share, level, part.limits, prices, sent, span) for share in shares]
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
