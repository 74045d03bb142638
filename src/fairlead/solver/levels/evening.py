"""Evening out: one workload after the other stands where it fills clusters best, given all others."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from fairlead.models.check import violations_of
from fairlead.models.levels import BALANCE, DEVIATIONS, MOVES_LAST, Level
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Capacity
from fairlead.models.rules.balance import Balance, used_by
from fairlead.models.score import in_order, levels_of_workload, value_of
from fairlead.models.usage import Row, add, usage_of
from fairlead.models.workload import Workload
from fairlead.solver.answers.attainment import Apart
from fairlead.solver.answers.rows import left_by
from fairlead.solver.exact.boxes import box_of
from fairlead.solver.exact.costs.pieces import Pieces, bent
from fairlead.solver.exact.nested.picking import TooLongError
from fairlead.solver.levels.choice import Choice, Numbers
from fairlead.solver.levels.filled_rows import FilledRows, rows_and_choices
from fairlead.solver.levels.own_cost import OwnCost, own_cost
from fairlead.solver.running.deadline import Deadline

DEAREST = 2.0**40
"""What all replicas of a workload cost in whole steps, about: floats only choose what is tried."""
MOVE = Fraction(1, 16)
"""What a move counts beside a deviation that comes before it: whoever costs nothing there does not move."""
LEAST_GAIN = 1e-12
"""Changes that gain less are not made."""
WORTH = 2.0**-10
"""The part of it by which balance has to get better for everybody to be placed again."""
SWEEPS = 12
"""How often everybody is placed again, where balance only has to keep what it is pinned to."""
STRIDE = 4.0
"""By what the weight of balance is changed at first, there."""


@dataclass(frozen=True, slots=True)
class Goal:
    """What is to get better.

    Parameters
    ----------
    level
        Balance, or a level after it.
    limit
        How even is enough: of balance less is not looked for, and of levels after it no more is taken.
    """

    level: Level
    limit: float


def evened_out(
    problem: Problem, rule: Balance, placement: Placement, apart: Apart, goal: Goal, until: Deadline
) -> Placement:
    """Return a placement that is better on balance or a level after it, and no worse on those before that.

    Given all others, what a workload adds is a convex cost of every cluster: where it stands best is told
    exactly. One after the other is placed that way as long as all of them together gain enough. After balance
    it counts with a weight, which grows where it is above its limit, and else falls.

    Parameters
    ----------
    rule
        Who is to fill clusters together; `Balance.totals` tells what is used in all.
    placement
        Where everybody stands; all rules are kept there.
    apart
        Workloads that cost what they would cost alone, by level.
    """
    found = rows_and_choices(rule, problem, apart)
    if found is None or not all(isinstance(each, Capacity) for each in problem.rules):
        return placement
    rows, choices = found
    state = _State.of(problem, rule, rows, placement)
    moving = [
        _Kept.of(workload, choice, problem, goal.level)
        for workload, choice in choices
        if choice is not None and workload.key in rule.members
    ]
    return (
        _evened(state, moving, goal, until) if goal.level == BALANCE else _weighed(state, moving, goal, until)
    )


def _evened(state: "_State", moving: Sequence["_Kept"], goal: Goal, until: Deadline) -> Placement:
    """Fill clusters more evenly, as long as that gains enough."""
    before, value = math.inf, state.value()
    while value > goal.limit and before - value > WORTH * value:
        for kept in moving:
            if until.remaining() and state.value() > goal.limit:
                state.place_again(kept)
        before, value = value, state.value()
    return Placement(state.placed)


def _weighed(state: "_State", moving: Sequence["_Kept"], goal: Goal, until: Deadline) -> Placement:
    """Find what costs least while clusters are filled evenly enough: look for the weight of that."""
    spent = state.spent(moving)
    best, least = Placement(state.placed), spent if state.value() <= goal.limit else math.inf
    state.weight, stride = spent / max(goal.limit, LEAST_GAIN), STRIDE
    for _ in range(SWEEPS):
        for kept in moving:
            if until.remaining():
                state.place_again(kept)
        fits = state.value() <= goal.limit
        if fits and state.spent(moving) < least:
            best, least = Placement(state.placed), state.spent(moving)
        if fits != (stride < 1):
            stride **= -0.5
        state.weight *= stride
    return best


@dataclass(slots=True)
class _State:
    """Where everybody stands, and what that uses: of the rows of the balance, and leaves of all.

    What balance costs counts with the weight, beside what workloads cost alone.
    """

    problem: Problem
    rows: FilledRows
    placed: dict[str, dict[str, int]]
    used: Numbers
    left: dict[Row, int]
    weight: float = 1.0

    @classmethod
    def of(cls, problem: Problem, rule: Balance, rows: FilledRows, placement: Placement) -> "_State":
        """Return the state of a placement."""
        placed = placement.to_dict()
        used = rows.amounts(used_by(rule, problem, placement))
        return cls(problem, rows, placed, used, left_by(problem, problem.workloads, placed))

    def value(self) -> float:
        """Return how unevenly clusters are filled, about."""
        return self.rows.unevenness(self.used)

    def spent(self, moving: Iterable["_Kept"]) -> float:
        """Return about what workloads cost alone; rounding may leave less than nothing of it."""
        costs = (each.own.about(each.choice.counts(self.placed[each.workload.key])) for each in moving)
        return max(0.0, sum(costs))

    def place_again(self, kept: "_Kept") -> None:
        """Place a workload where it costs least beside all others, where that gains."""
        workload, choice = kept.workload, kept.choice
        before = self.placed[workload.key]
        held = choice.counts(before)
        others = self.used - choice.need * held[self.rows.column]
        add(self.left, usage_of(workload, before, self.problem))
        most, value = self._most(kept), self._value(kept, held, self.used)
        for fewest in (np.zeros_like(held), np.minimum(held, choice.counts(workload.current))):
            counts = self._cheapest(kept, choice.within(fewest, most), others, held)
            used = self.used if counts is None else others + choice.need * counts[self.rows.column]
            if counts is None or value - self._value(kept, counts, used) < LEAST_GAIN * self.weight:
                break
            after = {name: count for name, count in zip(choice.names, counts.tolist(), strict=True) if count}
            if kept.allows(after, before):
                self.placed[workload.key], self.used = after, used
                break
        add(self.left, usage_of(workload, self.placed[workload.key], self.problem), -1)

    def _value(self, kept: "_Kept", counts: Numbers, used: Numbers) -> float:
        """Return about what a workload costs, and how clusters are filled, weighed."""
        return kept.own.about(counts) + self.weight * self.rows.unevenness(used)

    def _cheapest(self, kept: "_Kept", choice: Choice, others: Numbers, near: Numbers) -> Numbers | None:
        """Return where replicas cost least beside others, or nearly; None where that cannot be told."""
        try:
            found = choice.cheapest(self._cost(kept, others), near)
        except TooLongError:
            return None
        return None if found is None else found.counts

    def _most(self, kept: "_Kept") -> Numbers:
        """Return how many replicas of a workload there is room for, by cluster."""
        boxed = box_of(kept.workload, self.problem, self.left)
        return kept.choice.counts(dict(zip(boxed.names, boxed.box.upper.tolist(), strict=True)))

    def _cost(self, kept: "_Kept", others: Numbers) -> Pieces:
        """Return what replicas cost beside others: alone, and of every row what its square grows by."""
        need, most, own = kept.choice.need, kept.workload.replicas, kept.own
        bend = self.weight * self.rows.bend * need
        square, slope = (self.rows.by_cluster(each) for each in (bend * need, 2 * bend * others))
        square, slope = square + own.floats[0], slope + own.floats[1]
        dearest = float((most * (square * most + np.abs(slope) + float(own.saved))).max())
        scale = DEAREST / max(dearest, 1 / DEAREST)
        steps = (np.rint(each * scale).astype(np.int64) for each in (square, slope))
        return bent(next(steps), next(steps), round(own.saved * scale), own.held)


@dataclass(frozen=True, slots=True)
class _Kept:
    """What a workload has to keep: its rules, and what it costs on the levels before balance."""

    workload: Workload
    choice: Choice
    single: Problem
    levels: tuple[Level, ...]
    own: OwnCost

    @classmethod
    def of(cls, workload: Workload, choice: Choice, problem: Problem, goal: Level) -> "_Kept":
        """Return what a workload has to keep on the levels before one."""
        single = replace(problem, workloads=(workload,), rules=(), balances=())
        ordered = in_order({*levels_of_workload(workload), BALANCE, goal.base}, problem)
        before = (each for each in ordered[: ordered.index(goal.base)] if each != BALANCE)
        levels = tuple(replace(each, priority=workload.priority) for each in before)
        own = own_cost(workload, choice, problem, goal)
        if goal.base in DEVIATIONS:
            own = own.beside(
                own_cost(workload, choice, problem, replace(MOVES_LAST, priority=goal.priority)), MOVE
            )
        return cls(workload, choice, single, levels, own)

    def allows(self, after: Mapping[str, int], before: Mapping[str, int]) -> bool:
        """Tell whether a placement keeps the rules and is as good on every level as another one."""
        if any(violations_of(self.workload, after)):
            return False
        placements = [Placement({self.workload.key: each}) for each in (after, before)]
        return all(
            value_of(self.single, placements[0], level) <= value_of(self.single, placements[1], level)
            for level in self.levels
        )
