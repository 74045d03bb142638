"""why() against brute force: every cost and every gain, all rules mixed, by formula and by solving again."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

from brute_force import brute_force, placements, values_of
from fairlead.models.levels import Deviation, Level
from fairlead.models.outcome import Outcome, Status
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    GroupTotal,
    MoveBudget,
    Quota,
    SharedRule,
)
from fairlead.models.rules.quota import QuotaLimit, QuotaScope
from fairlead.models.score import levels_of
from fairlead.models.shortfall import is_shortfall
from fairlead.solver.solve import solve
from fairlead.solver.why.answer import Possible, Step
from fairlead.solver.why.answered import AnsweredPart, answered
from fairlead.solver.why.changes import changes_of
from fairlead.solver.why.why import why
from random_problems import random_problem
from seeds import runs

QUICK = range(25)
LONG = range(25, 700)
Found = dict[str, tuple[str, Fraction]]
"""What is gained by action: the level and by how much."""


def assert_explained(problem: Problem, key: str) -> None:
    """Compare the costs and gains of one workload with brute force."""
    outcome = solve(problem, time_limit=60.0, workers=1)
    if outcome.status is Status.INFEASIBLE:
        return
    found = why(problem, key, time_limit=600.0, workers=1, outcome=outcome)
    for each in found.clusters:
        replicas, cluster = each.decision.replicas, each.decision.cluster
        if each.candidate:
            assert_step(each.more, outcome, pinned(problem, key, cluster, replicas + 1, None))
            assert_step(each.less, outcome, pinned(problem, key, cluster, 0, replicas - 1))
    assert found.untried == 0
    gained = {gain.action: (gain.level, Fraction(gain.gain)) for gain in found.gains}
    assert gained == gains_by_brute_force(answered(outcome, key, 1, 0))
    assert list(found.gains) == sorted(found.gains, key=lambda gain: _order(outcome, gain.level, gain.gain))


def _order(outcome: Outcome, level: str, gain: int | Fraction) -> tuple[int, Fraction]:
    """Return what gains are sorted by."""
    names = [each.name for each in outcome.objectives]
    return names.index(level), -Fraction(gain)


def pinned(problem: Problem, key: str, cluster: str, least: int, most: int | None) -> Problem | None:
    """Return the problem with a total of a single cluster; None where nothing can be held there."""
    if (most is not None and most < 0) or not problem.workload(key).replicas:
        return None
    pin = GroupTotal("pin", frozenset({cluster}), least, most)
    workloads = tuple(
        replace(each, rules=(*each.rules, pin)) if each.key == key else each for each in problem.workloads
    )
    return replace(problem, workloads=workloads)


def assert_step(step: Step | None, outcome: Outcome, changed: Problem | None) -> None:
    """Compare one replica more or less with the best of all placements that have it."""
    best = None if changed is None else brute_force(changed)
    assert step is not None
    assert step.proven
    if best is None:
        assert step.possible is Possible.NO
        return
    known = [level.value for level in outcome.objectives]
    assert (step.possible, (step.level, step.change)) == (
        Possible.YES,
        first(levels_of(outcome.problem), known, best.values),
    )


def first(
    levels: Sequence[Level], before: Sequence[int | Fraction], after: Sequence[int | Fraction]
) -> tuple[str | None, int | Fraction]:
    """Return the first level that differs and by how much it grows."""
    for level, here, there in zip(levels, before, after, strict=True):
        if here != there:
            return level.name, there - here
    return None, 0


def gains_by_brute_force(about: AnsweredPart) -> Found:
    """Return what every change of a bound gains, also of those that do not bind."""
    known = [level.value for level in about.values]
    found: Found = {}
    for change in changes_of(about):
        changed = change.build(about.part)
        best = brute_force(changed) if levels_of(changed) == about.levels else None
        name, more = (None, 0) if best is None else first(about.levels, known, best.values)
        if name is not None and more < 0:
            found[change.action] = (name, Fraction(-more))
    return found


def assert_all_explained(seeds: Iterable[int], deviation: Deviation) -> None:
    """Compare the problems of all seeds; name those that differ."""
    wrong = []
    for seed in seeds:
        problem = random_problem(seed, deviation, most_replicas=4)
        problem = replace(problem, rules=(*problem.rules, *_quotas(seed, problem)))
        key = problem.workloads[seed % len(problem.workloads)].key
        try:
            assert_explained(problem, key)
        except AssertionError as difference:
            wrong.append(f"seed {seed}: {difference}")
    assert not wrong, "\n".join(wrong)


def _quotas(seed: int, problem: Problem) -> tuple[SharedRule, ...]:
    """Return a quota of pods and a budget of moves, each at times."""
    rng = random.Random(seed)
    scopes = [QuotaScope("pods"), QuotaScope("pods", "member1"), QuotaScope("cpu", "member2")]
    limits = {
        scope: QuotaLimit(rng.randint(0, 5) * (200 if scope.resource == "cpu" else 1)) for scope in scopes
    }
    known = {None, *problem.cluster_by_name}
    chosen = {
        scope: limit for scope, limit in limits.items() if rng.random() < 0.5 and scope.cluster in known
    }
    quota = (Quota("small", "", chosen),) if rng.random() < 0.3 else ()
    return (*quota, MoveBudget("the plan", rng.randint(0, 4))) if rng.random() < 0.2 else quota


@pytest.mark.parametrize("deviation", list(Deviation))
@pytest.mark.parametrize(
    "seeds", runs(QUICK, *(range(at, at + 75) for at in range(LONG.start, LONG.stop, 75)))
)
def test_costs_and_gains_are_those_of_brute_force(seeds: range, deviation: Deviation) -> None:
    """Problems of all rules mixed, one or two workloads on up to three clusters."""
    assert_all_explained(seeds, deviation)


def assert_partial_explained(problem: Problem, key: str) -> bool:
    """Compare one replica more and less in a partial placement with the best of all that have it.

    Tell whether something gave way. More of what runs is not possible where anything gives way for it that
    counts more than a minimum of its own, or a minimum.
    """
    outcome = solve(problem, time_limit=60.0, workers=1, partial=True)
    about = answered(outcome, key, 1, 0)
    if outcome.placement is None or not about.part.partial:
        return False
    known, own = [level.value for level in about.values], about.workload.priority
    urgent = {
        each
        for each in about.levels
        if is_shortfall(each) and (each.key != "unplaced" or each.priority > own)
    }
    every = [(values_of(about.part, each), each) for each in placements(about.part)]
    found = why(problem, key, time_limit=600.0, workers=1, outcome=outcome)
    gained = {gain.action: (gain.level, Fraction(gain.gain)) for gain in found.gains}
    assert gained == gains_by_brute_force(about)
    for each in found.clusters:
        held, cluster = each.decision.replicas, each.decision.cluster
        for by, step in ((1, each.more), (-1, each.less)):
            if step is None:
                continue
            fitting = [values for values, one in every if by * (one.of(key).get(cluster, 0) - held) > 0]
            level, change = first(about.levels, known, min(fitting)) if fitting else (None, 0)
            lost = [place for place, value in enumerate(known) if fitting and min(fitting)[place] != value]
            gives_way = by > 0 and any(about.levels[place] in urgent for place in lost[:1])
            assert step.proven
            if not fitting or gives_way:
                assert step.possible is Possible.NO, (cluster, by)
            else:
                assert (step.possible, step.level, step.change) == (Possible.YES, level, change), (
                    cluster,
                    by,
                )
    return True


def partial_problem(seed: int) -> Problem | None:
    """Return a problem in which something has to give way; None where everything can be placed."""
    chance, problem = random.Random(seed), random_problem(seed, Deviation.L1, most_replicas=3)
    urgent = tuple(replace(each, priority=chance.choice((0, 7))) for each in problem.workloads)
    problem = replace(problem, workloads=urgent)
    return problem if solve(problem, workers=1).status is Status.INFEASIBLE else None


@pytest.mark.parametrize("asked_for", [range(30), pytest.param(range(30, 180), marks=pytest.mark.long)])
def test_costs_in_partial_placements_are_those_of_brute_force(asked_for: range) -> None:
    """Where replicas stay unplaced the best partial placements are compared."""
    asked = filter(None, map(partial_problem, asked_for))
    explained = [assert_partial_explained(each, each.workloads[0].key) for each in asked]
    assert sum(explained) > 3
