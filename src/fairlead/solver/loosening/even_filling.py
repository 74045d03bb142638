"""Placements that fill clusters more evenly, where there is no time for more."""

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import dropwhile, takewhile

from fairlead.models.levels import BALANCE, DEVIATIONS, Level
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules.balance import Balance
from fairlead.models.rules.balance import cost as balance_of
from fairlead.models.score import levels_of, score, value_of
from fairlead.models.shortfall import refused
from fairlead.solver.answers.attainment import Apart
from fairlead.solver.columns.branching import BoundQuery, branches_of
from fairlead.solver.columns.own_cost import is_own
from fairlead.solver.levels.targets import LevelTarget, ranked
from fairlead.solver.running.deadline import Deadline


def evened_out(
    rule: Balance,
    problem: Problem,
    placement: Placement,
    apart: Apart,
    target: LevelTarget,
    until: Deadline,
    *,
    deviations: bool,
) -> tuple[Placement, LevelTarget]:
    """Return a placement that is better on balance, or on deviations after it, and no worse before that.

    The second is the target with what prices bound balance by, among placements that cost no more before it.

    Parameters
    ----------
    rule, problem, placement, apart
        As for `branches_of`.
    target
        Target of the balance.
    until
        When to stop.
    deviations
        Whether deviations after balance are looked at as well.
    """
    known, levels = _EvenSearch(rule, problem, placement, target), levels_of(problem)
    everybody = frozenset(problem.workload_by_key)
    pins = {
        level: known.most(level)
        for level in takewhile(lambda each: each != BALANCE, levels)
        if is_own(level) and not everybody <= apart.get(level, frozenset())
    }
    for level in dropwhile(lambda each: each != BALANCE, levels):
        asks = deviations and level.base in DEVIATIONS and until.remaining()
        if level != BALANCE and not asks:
            continue
        asked = BoundQuery(level, partial(known.wanted, level), pins, parts=1)
        branches = branches_of(rule, problem, known.best, apart, None, asked)
        if branches is None:
            break
        branches.search(asked, until)
        if level == BALANCE:
            known.target = known.target.raised(branches.bound or 0)
        pins[level] = known.most(level)
    return known.best, known.target


@dataclass(slots=True)
class _EvenSearch:
    """The best placement so far, and what balance may be."""

    rule: Balance
    problem: Problem
    best: Placement
    target: LevelTarget

    def wanted(self, level: Level, found: Placement | None) -> Fraction:
        """Take a placement if it is better; return what a level has to be bounded by to be settled."""
        tried = Placement({**self.best, **(found or {})})
        if not refused(self.problem, tried):
            self.best = min(self.best, tried, key=self._rank)
        return self._cost(level) - (self.target.tolerance if level == BALANCE else 0)

    def most(self, level: Level) -> Fraction:
        """Return the most that a level may cost from now on."""
        return max(self._cost(level), self._enough(level))

    def _rank(self, placement: Placement) -> list[int | Fraction]:
        """Return the levels of a placement; what is enough of balance is all one."""
        return ranked(self.problem, score(self.problem, placement), {BALANCE: self.target.value})

    def _cost(self, level: Level) -> Fraction:
        if level == BALANCE:
            return balance_of(self.rule, self.problem, self.best)
        return Fraction(value_of(self.problem, self.best, level))

    def _enough(self, level: Level) -> Fraction:
        return Fraction(self.target.value if level == BALANCE else 0)
