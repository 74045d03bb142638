"""Small random problems in which rules and levels of every kind meet, and what is best of them by looking."""

import random
from dataclasses import replace
from fractions import Fraction

from brute_force import placements
from fairlead.models.levels import BALANCE, DEFAULT_ORDER, DYNAMIC_DEVIATION, EMISSIONS, Level, Tolerance
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Price
from fairlead.models.score import levels_of, score, tolerance, with_balance
from fairlead.models.shortfall import is_shortfall
from fairlead.solver.levels.spans import least_alone, least_balance, spans_of
from random_problems import with_losses, with_quotas, with_skews
from walk_problems import standing_problem, walk_problem

Best = tuple[tuple[int | Fraction, ...], Placement]
"""The values of the levels, and the placement that has them."""


def mixed_problem(seed: int) -> Problem:
    """Return the problem of a seed: survival of several losses, skew, emissions, quotas, tiers, balance.

    Any of them at times; levels in their usual order mostly, some of them with a tolerance; workloads that
    nobody would look at now; not everything has to be placed, at times.
    """
    rng = random.Random(f"mixed {seed}")
    problem = (standing_problem if rng.random() < 0.3 else walk_problem)(seed)
    problem = with_losses(problem, seed) if rng.random() < 0.35 else problem
    problem = with_skews(problem, seed) if rng.random() < 0.2 else problem
    problem = with_quotas(problem, seed) if rng.random() < 0.1 else problem
    problem = emitting(problem, seed) if rng.random() < 0.3 else problem
    order = DEFAULT_ORDER if rng.random() < 0.7 else tuple(rng.sample(DEFAULT_ORDER, len(DEFAULT_ORDER)))
    return replace(problem, levels=order, tolerances=_tolerances(rng), partial=rng.random() < 0.2)


def emitting(problem: Problem, seed: int) -> Problem:
    """Return a problem whose workloads emit some grams per replica, beside what they cost."""
    rng = random.Random(f"emissions {seed}")
    names = tuple(problem.cluster_by_name)

    def grams() -> Price:
        numbers = {name: Fraction(rng.randint(0, 9), rng.choice([1, 2, 3])) for name in names}
        return Price(numbers, None, EMISSIONS)

    workloads = tuple(replace(each, rules=(*each.rules, grams())) for each in problem.workloads)
    return replace(problem, workloads=workloads)


def _tolerances(rng: random.Random) -> dict[str, Tolerance]:
    """Return how much worse some levels may be: nothing mostly, at times an amount or a share."""
    if rng.random() < 0.6:
        return {}
    amounts = (Tolerance(Fraction(1, 2)), Tolerance(Fraction(2)), Tolerance(Fraction(1, 10), relative=True))
    moved = ("moves-first", "moves-last")
    keys = (*moved, "cost", "emissions", "clusters", "deviation", DYNAMIC_DEVIATION.key, BALANCE.key)
    return {key: rng.choice(amounts) for key in rng.sample(keys, rng.randint(1, 2))}


def best_of(problem: Problem) -> Best | None:
    """Return the best of all placements, found by looking; None where all break a rule.

    A level with a tolerance is as good as its target wherever it is below that. The target is the least that
    single workloads can have in fractions, and the tolerance on top.
    """
    asked = with_balance(problem)
    found = [
        (tuple(level.value for level in score(asked, placement)), placement)
        for placement in placements(asked)
    ]
    short = False
    for number, level in enumerate(levels_of(asked)):
        least = min((values[number] for values, _ in found), default=0)
        short = short or (is_shortfall(level) and least > 0)
        most = max(least, _target(level, asked, short=short))
        found = [each for each in found if each[0][number] <= most]
    names = [cluster.name for cluster in asked.clusters]
    keys = [one.key for one in asked.workloads]

    def first(each: Best) -> list[int]:
        return [each[1].of(key).get(name, 0) for key in keys for name in names]

    return max(found, key=first, default=None)


def _target(level: Level, problem: Problem, *, short: bool = False) -> int | Fraction:
    """Return what a level may be without having to get better; 0 where it has to be best.

    Where something gives way (`short`) nobody knows what single workloads can have.
    """
    given = problem.tolerances.get(level.key)
    least = Fraction(0) if short else least_of(level, problem)
    if level == BALANCE and given is None:
        assert problem.balances
        return least + tolerance(problem.balances[0], problem)
    return 0 if given is None or not (given.amount or level == BALANCE) else least + given.of(least)


def least_of(level: Level, problem: Problem) -> Fraction:
    """Return what single workloads tell that a level costs at least."""
    if level == BALANCE:
        return sum(
            (least_balance(rule, problem, spans_of(problem)) for rule in problem.balances or ()), Fraction(0)
        )
    inside = (one for one in problem.workloads if level.priority == one.priority)
    return sum((least_alone(one, problem, level.base) for one in inside), Fraction(0))
