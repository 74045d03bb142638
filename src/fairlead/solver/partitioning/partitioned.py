"""Batches past one machine's memory: workloads and capacity are split, every share is solved by itself.

The shares together are a valid placement, because what they may use adds up to what there is. Each share, a
sample of the workloads, tells what scarce resources are worth to it; at the mean of these prices every share
gets as much of each cluster as it would use, and what is lost by splitting is told by a bound on the whole.
The idea of shares is that of POP (partitioned optimisation problems).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from fairlead.models.levels import DEVIATION
from fairlead.models.outcome import Attained, Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.score import levels_of, score
from fairlead.solver.attainment import LexicographicResult
from fairlead.solver.machines import Machines
from fairlead.solver.partitioning.splitting import Row, resized, shares_of
from fairlead.solver.partitioning.telling import ShareAnswer, ShareTask, prices_of, solve_share, usage_of
from fairlead.solver.search import Search

FOR_PRICES = 0.15
"""Share of the time that finding prices may take."""


def solve_partitioned(part: Problem, count: int, search: Search, machines: Machines) -> LexicographicResult:
    """Solve a batch in shares.

    Parameters
    ----------
    part
        The problem; `fairlead.solver.batch.arrays.applies` must hold.
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
    return LexicographicResult(Status.FEASIBLE, placement, _attained(part, placement, answers))


def _mean(found: Sequence[Mapping[Row, Fraction]]) -> dict[Row, Fraction]:
    """Return the mean of several prices, by row."""
    rows = sorted({row for each in found for row in each})
    return {
        row: sum((each.get(row, Fraction(0)) for each in found), Fraction(0)) / len(found) for row in rows
    }


def _attained(part: Problem, placement: Placement, answers: Sequence[ShareAnswer]) -> tuple[Attained, ...]:
    """Return the levels; only the first has a bound: for the others that of the first is not settled."""
    levels = score(part, placement)
    if not levels:
        return levels
    first = levels[0]
    bound = _bound(part, answers)
    if len(levels_of(part)) == 1 or bound >= first.value:
        first = replace(first, bound=min(bound, Fraction(first.value)), proven=bound >= first.value)
    else:
        first = replace(first, bound=bound)
    return (first, *levels[1:])


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
