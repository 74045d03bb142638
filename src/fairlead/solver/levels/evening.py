"""Evening out: one workload after the other stands where it fills clusters most evenly, given all others."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from fairlead.models.check import violations_of
from fairlead.models.levels import BALANCE, Level
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
from fairlead.solver.exact.costs.bowls import Bowls
from fairlead.solver.levels.filled_rows import Choice, FilledRows, Numbers, rows_and_choices
from fairlead.solver.running.deadline import Deadline

DEAREST = 2.0**40
"""What all replicas of a workload cost in whole steps, about: floats only choose what is tried."""
LEAST_GAIN = 1e-12
"""Changes that gain less are not made."""
WORTH = 2.0**-10
"""The part of it by which balance has to get better for everybody to be placed again."""


def evened_out(
    problem: Problem,
    rule: Balance,
    placement: Placement,
    apart: Apart,
    target: Fraction,
    until: Deadline,
) -> Placement:
    """Return a placement that fills clusters more evenly, and is no worse on the levels before that.

    Given all others, what a workload adds is a convex cost of every cluster: where it stands best is told
    exactly. One after the other is placed that way as long as all of them together gain enough.

    Parameters
    ----------
    rule
        Who is to fill clusters together; `Balance.totals` tells what is used in all.
    placement
        Where everybody stands; all rules are kept there.
    apart
        Workloads that cost what they would cost alone, by level.
    target
        How even is enough.
    """
    found = rows_and_choices(rule, problem, apart)
    if found is None or not all(isinstance(each, Capacity) for each in problem.rules):
        return placement
    rows, choices = found
    state = _State.of(problem, rule, rows, placement)
    moving = [
        _Kept.of(workload, choice, problem)
        for workload, choice in choices
        if choice is not None and workload.key in rule.members
    ]
    before, value = math.inf, state.value()
    while value > target and before - value > WORTH * value:
        for kept in moving:
            if until.remaining() and state.value() > target:
                state.place_again(kept)
        before, value = value, state.value()
    return Placement(state.placed)


@dataclass(slots=True)
class _State:
    """Where everybody stands, and what that uses: of the rows of the balance, and leaves of all."""

    problem: Problem
    rows: FilledRows
    placed: dict[str, dict[str, int]]
    used: Numbers
    left: dict[Row, int]

    @classmethod
    def of(cls, problem: Problem, rule: Balance, rows: FilledRows, placement: Placement) -> "_State":
        """Return the state of a placement."""
        placed = placement.to_dict()
        used = rows.amounts(used_by(rule, problem, placement))
        return cls(problem, rows, placed, used, left_by(problem, problem.workloads, placed))

    def value(self) -> float:
        """Return how unevenly clusters are filled, about."""
        return self.rows.unevenness(self.used)

    def place_again(self, kept: "_Kept") -> None:
        """Place a workload where it fills clusters most evenly beside all others, where that gains."""
        workload, choice = kept.workload, kept.choice
        before = self.placed[workload.key]
        held = choice.counts(before)
        others = self.used - choice.usage @ held
        add(self.left, usage_of(workload, before, self.problem))
        most = self._most(kept)
        for fewest in (np.zeros_like(held), np.minimum(held, choice.counts(workload.current))):
            counts = choice.within(fewest, most).cheapest(self._cost(choice, others, workload.replicas))
            used = self.used if counts is None else others + choice.usage @ counts
            if counts is None or self.value() - self.rows.unevenness(used) < LEAST_GAIN:
                break
            after = {name: count for name, count in zip(choice.names, counts.tolist(), strict=True) if count}
            if kept.allows(after, before):
                self.placed[workload.key], self.used = after, used
                break
        add(self.left, usage_of(workload, self.placed[workload.key], self.problem), -1)

    def _most(self, kept: "_Kept") -> Numbers:
        """Return how many replicas of a workload there is room for, by cluster."""
        boxed = box_of(kept.workload, self.problem, self.left)
        return kept.choice.counts(dict(zip(boxed.names, boxed.box.upper.tolist(), strict=True)))

    def _cost(self, choice: Choice, others: Numbers, most: int) -> Bowls:
        """Return what replicas cost beside others: of every row, what its square grows by."""
        bend = self.rows.bend[:, None] * choice.usage
        square, slope = (bend * choice.usage).sum(axis=0), 2 * (bend * others[:, None]).sum(axis=0)
        scale = DEAREST / max(float((most * (square * most + slope)).max()), 1 / DEAREST)
        return Bowls(np.rint(square * scale).astype(np.int64), np.rint(slope * scale).astype(np.int64))


@dataclass(frozen=True, slots=True)
class _Kept:
    """What a workload has to keep: its rules, and what it costs on the levels before balance."""

    workload: Workload
    choice: Choice
    single: Problem
    levels: tuple[Level, ...]

    @classmethod
    def of(cls, workload: Workload, choice: Choice, problem: Problem) -> "_Kept":
        """Return what a workload has to keep."""
        single = replace(problem, workloads=(workload,), rules=(), balances=())
        ordered = in_order({*levels_of_workload(workload), BALANCE}, problem)
        before = ordered[: ordered.index(BALANCE)]
        levels = tuple(replace(each, priority=workload.priority) for each in before)
        return cls(workload, choice, single, levels)

    def allows(self, after: Mapping[str, int], before: Mapping[str, int]) -> bool:
        """Tell whether a placement keeps the rules and is as good on every level as another one."""
        if any(violations_of(self.workload, after)):
            return False
        placements = [Placement({self.workload.key: each}) for each in (after, before)]
        return all(
            value_of(self.single, placements[0], level) <= value_of(self.single, placements[1], level)
            for level in self.levels
        )
