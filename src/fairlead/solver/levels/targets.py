"""Targets: costs at which levels need not get better, and which levels have one."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from fairlead.models.errors import InternalError
from fairlead.models.levels import BALANCE, Level
from fairlead.models.outcome import Attained
from fairlead.models.problem import Problem
from fairlead.models.rules.balance import Balance
from fairlead.models.score import levels_of, tolerance
from fairlead.solver.answers.attainment import LevelProof, combined, tolerated
from fairlead.solver.levels.spans import least_alone

MOST_PLACES = 100_000
"""Workloads times clusters that are searched together; of more, clusters are only filled more evenly."""
MOST_UNHEARD = 30_000
"""Workloads times clusters beyond which the first search hears of tolerances: there is no second one then."""
FEWEST_PRICED = 2_000
"""Workloads times clusters beyond which it does so where everything is placed for the first time."""


@dataclass(frozen=True, slots=True)
class LevelTarget:
    """Most that a level may cost: so much more than a bound that only depends on the problem.

    Parameters
    ----------
    bound
        No placement is below it on the level, as far as single workloads and what they can hold tell.
    tolerance
        How much worse the level may be.
    """

    bound: int | Fraction
    tolerance: int | Fraction

    @property
    def value(self) -> int | Fraction:
        """Most that the level may cost, in its unit."""
        return self.bound + self.tolerance

    def raised(self, bound: int | Fraction) -> "LevelTarget":
        """Return the target with a bound that was proven, where the best is not known."""
        return replace(self, bound=max(self.bound, bound))

    def note(self, value: int | Fraction, known: Iterable[int | Fraction]) -> LevelProof:
        """Return how far a level got of which bounds are known: proven where it is within the tolerance.

        Raises `InternalError` where the level is below what no placement is below: a bug in fairlead.
        """
        if value < self.bound:
            raise InternalError(f"a level with a tolerance is {value}, the least it can be is {self.bound}")
        least = min(value, max(self.bound, *known))
        return LevelProof(least, proven=value <= least + self.tolerance, tolerance=self.tolerance)


Targets = Mapping[Level, LevelTarget]
"""Target by level."""


def loose_levels(problem: Problem) -> frozenset[Level]:
    """Return the levels of a problem that need not be best."""
    given = problem.tolerances
    return frozenset(
        level
        for level in levels_of(problem)
        if level == BALANCE or (level.key in given and given[level.key].amount)
    )


def strict(problem: Problem) -> Problem:
    """Return a problem of which every level has to be best, balance left out; itself where nothing is loose.

    Only where many workloads are placed for the first time tolerances stay: prices hear of them.
    """
    places = len(problem.workloads) * len(problem.clusters)
    new = not any(each.current for each in problem.workloads)
    heard = places > (FEWEST_PRICED if new else MOST_UNHEARD)
    if not (problem.balances if heard else loose_levels(problem)):
        return problem
    return replace(problem, tolerances=problem.tolerances if heard else {}, balances=())


def is_searched(problem: Problem) -> bool:
    """Tell whether balance counts, and those that may stand elsewhere are few enough for a search of it."""
    due = sum(each.due or each.fresh for each in problem.workloads)
    return bool(problem.balances) and due * len(problem.clusters) <= MOST_PLACES


def unheard(problem: Problem, searched: Problem) -> frozenset[Level]:
    """Return the loose levels that a search heard nothing of, balance left out."""
    return loose_levels(problem) - loose_levels(searched) - {BALANCE}


def within(level: Attained, target: LevelTarget) -> Attained:
    """Return a loose level with what its target says of it."""
    return tolerated(level, target.bound, target.tolerance)


def needed(level: Level, problem: Problem) -> Fraction:
    """Return the least cost of the workloads of a level, each alone."""
    inside = (each for each in problem.workloads if each.priority == level.priority)
    return sum((least_alone(each, problem, level.base) for each in inside), Fraction(0))


def target_of(level: Level, problem: Problem, least: Fraction) -> LevelTarget:
    """Return the target of a loose level."""
    return LevelTarget(least, problem.tolerances[level.key].of(least))


def target_of_balance(rule: Balance, problem: Problem, least: Fraction) -> LevelTarget:
    """Return the target of a balance; its tolerance is its own, unless one is given."""
    given = problem.tolerances.get(BALANCE.key)
    return LevelTarget(least, tolerance(rule, problem) if given is None else given.of(least))


def with_strict_bounds(
    problem: Problem, levels: Sequence[Attained], strictly: Mapping[Level, Attained], loose: Container[Level]
) -> Iterator[Attained]:
    """Yield levels with the bounds that hold where none is loose, as long as levels are what they are there.

    Parameters
    ----------
    problem
        The question.
    levels
        Levels attained, in order.
    strictly
        Levels attained where none is loose.
    loose
        Levels other than balance that may be worse than best: of those after them nothing more is known.
    """
    same = True
    for level, each in zip(levels_of(problem), levels, strict=True):
        other = strictly.get(level)
        if other is None or other.bound is None or not same:
            yield each
            continue
        yield combined(each, other)
        same = level not in loose and each.value == other.value


def ranked(
    problem: Problem, levels: Sequence[Attained], enough: Mapping[Level, int | Fraction]
) -> list[int | Fraction]:
    """Return the levels of an answer as numbers by which answers compare.

    Parameters
    ----------
    problem
        The question.
    levels
        Levels of the answer, in order.
    enough
        Values by level below which a level need not be: all of them are one.
    """
    pairs = zip(levels_of(problem), levels, strict=True)
    return [max(each.value, enough.get(level, each.value)) for level, each in pairs]
