"""Batches past one machine's memory: workloads and capacity are split, every share is solved by itself.

The shares together are a valid placement, because what they may use adds up to what there is. Prices for all
workloads come first; at these every share gets as much of each cluster as it would use, and starts there, so
that it is sent once. What is lost by splitting is told by a bound on the whole. The idea of shares is that of
POP (partitioned optimisation problems).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from fairlead.models.levels import DEVIATION
from fairlead.models.outcome import Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules.capacity import needs
from fairlead.models.score import better, levels_of
from fairlead.models.usage import Row
from fairlead.models.workload import Workload
from fairlead.solver.answers.answer import among, beside
from fairlead.solver.answers.attainment import LevelProof, LexicographicResult, attained
from fairlead.solver.batch import tuning
from fairlead.solver.batch.common_prices import Worth, asked_by, common_prices
from fairlead.solver.batch.levels import solve_batch
from fairlead.solver.running.deadline import TimeSpan, listening
from fairlead.solver.running.search import Machines, Search

Groups = Sequence[Sequence[Workload]]


def groups_of(part: Problem, count: int) -> Groups:
    """Split the workloads evenly by what they ask for, each group in order of that."""
    whole = asked_by(part.workloads)

    def size(workload: Workload) -> float:
        return workload.replicas * sum(need / max(1, whole[name]) for name, need in needs(workload).items())

    ordered = sorted(part.workloads, key=lambda each: (-size(each), each.key))
    groups: list[list[Workload]] = [[] for _ in range(count)]
    for number, workload in enumerate(ordered):
        turn, place = divmod(number, count)
        groups[place if turn % 2 == 0 else count - 1 - place].append(workload)
    return [group for group in groups if group]


def shares_of(
    part: Problem, groups: Groups, used: Sequence[Mapping[Row, int]] | None = None
) -> list[Problem]:
    """Return groups as problems of their own, which together may use no more than there is.

    `used`: what every group uses of each cluster where it may use all; None gives each as large a part as it
    asks for of what all ask for.
    """
    asked = [asked_by(group) for group in groups]
    units = _units(part)
    given: list[dict[Row, int]] = [{} for _ in groups]
    for row, limit in part.limits.items():
        unit = units.get(row[1], 1)
        amounts = [each[row[1]] for each in asked] if used is None else [each.get(row, 0) for each in used]
        for share, amount in zip(given, _parted(limit // unit, amounts), strict=True):
            share[row] = amount * unit
    return [among(part, group, limits) for group, limits in zip(groups, given, strict=True)]


def _units(part: Problem) -> dict[str, int]:
    """Return the greatest common divisor of what replicas take, by resource: less is of no use to anybody."""
    units: dict[str, int] = {}
    for workload in part.workloads:
        for name, need in needs(workload).items():
            units[name] = math.gcd(units.get(name, 0), need)
    return units


def _parted(limit: int, amounts: Sequence[int]) -> list[int]:
    """Part a whole number in the ratio of amounts, evenly where there are none; the parts add up to it."""
    amounts = amounts if any(amounts) else [1] * len(amounts)
    whole = sum(amounts)
    return [
        limit * end // whole - limit * start // whole
        for start, end in pairwise(accumulate(amounts, initial=0))
    ]


@dataclass(frozen=True, slots=True)
class ShareTask:
    """One share, with what resources are about worth, and how long it may take."""

    part: Problem
    worth: Worth
    search: Search
    span: TimeSpan


def solve_share(task: ShareTask) -> Placement | None:
    """Place one share. Runs in another process."""
    deadline = task.span.begun()
    with listening(deadline):
        search = task.search.until(deadline.part(tuning.SHARE_OF_SOLVING))
        return solve_batch(task.part, search, worth=task.worth).placement


def solve_partitioned(
    part: Problem, count: int, search: Search, machines: Machines, floor: Placement | None = None
) -> LexicographicResult:
    """Solve a batch, in which nothing but capacity is shared, in two or more shares.

    The answer has the bound of the first level, and is not worse than the floor, a valid placement; UNKNOWN
    where a share has no placement of its own, though the whole may have one.
    """
    groups = groups_of(part, count)
    level = next(iter(levels_of(part)), DEVIATION)
    found = common_prices(part, groups, level, search.deadline.part(tuning.FOR_PRICES), search.threads)
    shares = shares_of(part, groups, found.used)
    placed = _placed(part, shares, found.worth, search, machines)
    placement = better(part, placed, floor)
    if placement is None:
        return LexicographicResult(Status.UNKNOWN, None)
    # Only the first level has a bound of its own: for the others that of the first is not settled.
    levels = attained(part, placement, [] if found.bound is None else [LevelProof(found.bound)])
    return LexicographicResult(Status.FEASIBLE, placement, levels)


def _placed(
    part: Problem, shares: Sequence[Problem], worth: Worth, search: Search, machines: Machines
) -> Placement | None:
    """Return the placements of all shares; None where that leaves some without.

    As many are solved at a time as can be: those that come later get what time there is left then, so that
    what the first ones overran is made up for. Those that have no placement in their part are solved once
    more, together, in what the others leave.
    """
    slots = max(1, min(machines.slots, len(shares)))
    sent = Search(workers=max(1, search.threads // slots), seed=search.seed)
    placed: dict[str, Mapping[str, int]] = {}
    for start in range(0, len(shares), slots):
        span = search.deadline.each(len(shares) - start, slots)
        tasks = [ShareTask(share, worth, sent, span) for share in shares[start : start + slots]]
        for found in filter(None, machines.run(solve_share, tasks)):
            placed.update(found)
    failed = [each for each in part.workloads if each.key not in placed]
    if failed and placed:
        again = ShareTask(beside(part, failed, placed), worth, search, search.deadline.each(1, 1))
        placed.update(solve_share(again) or {})
    return Placement(placed) if len(placed) == len(part.workloads) else None
