"""A walk over small random problems of all rules, and what of an answer cannot be true."""

import math
import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

import fairlead
from brute_force import Best, brute_force, placements
from fairlead.models.affinity_groups import from_start, in_group
from fairlead.models.outcome import Attained, Outcome, Status
from fairlead.models.problem import Problem
from fairlead.models.result import Progress
from fairlead.models.score import score
from fairlead.models.shortfall import refused
from walk_problems import walk_problem

LIMITS = (0.01, 0.05, 0.2, 0.5, math.inf)
"""Time limits that a walk chooses from; without one everything is proven, however busy the machine is."""

Values = Sequence[int | Fraction]


def best_of(problem: Problem) -> tuple[Problem, Best | None]:
    """Return what brute force finds: inside the first joint choice of affinity groups that has a placement.

    Joint choices are ordered by priority, then by key: the groups of the first workload matter most.

    Returns
    -------
    tuple of Problem and Best or None
        The problem with the chosen groups, and its best placement; the problem as it is, and None, where no
        choice has a placement.
    """
    order = sorted(problem.workloads, key=lambda workload: (-workload.priority, workload.key))
    choices = [
        [replace(in_group(workload, group), groups=()) for group in from_start(workload)] or [workload]
        for workload in order
    ]
    for chosen in product(*choices):
        inside = replace(problem, workloads=tuple(chosen))
        best = brute_force(inside)
        if best is not None:
            return inside, best
    return problem, None


def walk(seed: int, made: Callable[[int], Problem] = walk_problem) -> list[str]:
    """Solve the problem of a seed within a short limit or a long one; return what cannot be true.

    Parameters
    ----------
    seed
        The seed; it chooses the limit as well.
    made
        Makes the problem.
    """
    problem = made(seed)
    limit = LIMITS[random.Random(f"limit {seed}").choice((0, 1, 2, 3, 4, 4, 4))]
    told: list[Progress] = []
    try:
        outcome = fairlead.solve(problem, time_limit=limit, workers=1, progress=told.append)
    except fairlead.FairleadError as error:
        return [f"seed {seed}, {limit:g} s: {type(error).__name__}: {error}"]
    found = [*of_answer(problem, outcome, whole=limit == max(LIMITS))]
    found += [*of_progress(told), *below(outcome, problem)]
    return [f"seed {seed}, {limit:g} s: {fault}" for fault in found]


def of_answer(problem: Problem, outcome: Outcome, *, whole: bool) -> Iterator[str]:
    """Yield what brute force finds wrong; `whole` where there was time enough to prove everything."""
    inside, best = best_of(replace(problem, partial=False))
    if problem.partial:
        # Where some joint choice places everything, it is the choice; else any choice will do.
        inside = replace(inside if best is not None else without_groups(outcome.problem), partial=True)
        best = brute_force(inside)
    later = [*other_groups(outcome, inside)]
    if not later:
        yield from against(outcome, best, whole=whole)
    elif outcome.status is Status.OPTIMAL or whole:
        yield from later
    else:
        # Nobody says that these groups come first; what is said inside them has to hold.
        yield from beyond(outcome.objectives, vectors_of(outcome.problem))


def without_groups(problem: Problem) -> Problem:
    """Return a problem in which every workload keeps the affinity group that it has."""
    return replace(problem, workloads=tuple(replace(each, groups=()) for each in problem.workloads))


def other_groups(outcome: Outcome, inside: Problem) -> Iterator[str]:
    """Yield the workloads for which another affinity group was chosen than the first that will do."""
    if outcome.placement is None:
        return
    for workload in inside.workloads:
        chosen = outcome.problem.workload(workload.key).group
        if chosen != workload.group:
            yield f"{workload.key}: group {chosen}, {workload.group} comes first"


def against(outcome: Outcome, best: Best | None, *, whole: bool) -> Iterator[str]:
    """Compare an answer with the best one; `whole` where there was time enough to prove everything."""
    if best is None:
        if outcome.placement is not None:
            yield f"placement {dict(outcome.placement)} where there is none"
        if whole and outcome.status is not Status.INFEASIBLE:
            yield f"{outcome.status} where nothing is feasible"
        return
    if outcome.status is Status.INFEASIBLE:
        yield f"Infeasible, but {dict(best.placement)} keeps every rule"
        return
    if whole and outcome.status is not Status.OPTIMAL:
        yield f"{outcome.status} where there was time enough"
    if outcome.placement is None:
        return
    yield from of_outcome(outcome)
    yield from _beside(outcome, best, whole=whole)


def _beside(outcome: Outcome, best: Best, *, whole: bool) -> Iterator[str]:
    """Compare a placement with the best one, and what is claimed of it with all there are."""
    if outcome.status is not Status.OPTIMAL:
        yield from beyond(outcome.objectives, vectors_of(outcome.problem))
    else:
        values = tuple(level.value for level in outcome.objectives)
        if values != best.values:
            yield f"Optimal with {_shown(values)}, best is {_shown(best.values)}"
        elif whole and outcome.placement is not None and outcome.placement != best.placement:
            yield f"ties: {dict(outcome.placement)} instead of {dict(best.placement)}"


def of_outcome(outcome: Outcome) -> Iterator[str]:
    """Yield what contradicts itself in an answer that has a placement."""
    assert outcome.placement is not None
    for violation in refused(outcome.problem, outcome.placement):
        yield f"breaks {violation.text}"
    scored = tuple(level.value for level in fairlead.score(outcome.problem, outcome.placement))
    if scored != tuple(level.value for level in outcome.objectives):
        yield f"says {_shown(level.value for level in outcome.objectives)}, scores {_shown(scored)}"
    for level in outcome.objectives:
        yield from _of_level(level)
    sure = outcome.status is Status.OPTIMAL
    chosen = any(workload.group for workload in outcome.problem.workloads)
    # All levels may be proven inside affinity groups of which it is not known that they come first.
    if sure != all(level.proven for level in outcome.objectives) and (sure or not chosen):
        yield f"{outcome.status}, but levels proven: {[level.proven for level in outcome.objectives]}"
    for percent in re.findall(r"gap ([\d,.]+)", str(outcome)):
        if float(percent.replace(",", "")) > 100:
            yield f"shows a gap of {percent} %"


def _of_level(level: Attained) -> Iterator[str]:
    """Yield what contradicts itself in one level."""
    if level.bound is None:
        yield f"{level.name}: no bound"
    elif level.bound < 0:
        yield f"{level.name}: bound {level.bound} below 0"
    elif level.bound > level.value:
        yield f"{level.name}: bound {level.bound} above its own value {level.value}"
    elif level.proven and level.value != level.bound and not level.resolution:
        yield f"{level.name}: proven with value {level.value} and bound {level.bound}"


def of_progress(told: Sequence[Progress]) -> Iterator[str]:
    """Yield bounds and gaps on the way that cannot be true."""
    for one in told:
        if one.gap is not None and not 0 <= one.gap <= 1:
            yield f"progress on {one.level}: gap {one.gap}"
        if one.bound is not None and one.bound < 0:
            yield f"progress on {one.level}: bound {one.bound} below 0"


def beyond(levels: Sequence[Attained], known: Iterable[Values]) -> Iterator[str]:
    """Yield the bounds and proofs that a placement refutes.

    A bound holds for all placements that are nowhere worse on the levels above it.

    Parameters
    ----------
    levels
        What an answer says.
    known
        The values of placements: of all, or of some that are known.
    """
    keeping = list(known)
    for number, level in enumerate(levels):
        if not keeping:
            return
        least = min(values[number] for values in keeping)
        if level.bound is not None and level.bound > least:
            yield f"{level.name}: bound {level.bound}, but {least} is attained"
        if level.proven and level.value > least:
            yield f"{level.name}: {level.value} called proven, best is {least}"
        keeping = [values for values in keeping if values[number] <= level.value]


def vectors_of(problem: Problem) -> list[Values]:
    """Return the values of every placement of a problem in which every workload has its affinity group."""
    settled = without_groups(problem)
    return [tuple(level.value for level in score(settled, each)) for each in placements(settled)]


def below(outcome: Outcome, problem: Problem) -> Iterator[str]:
    """Yield where the reference dispenser does better, or finds a placement where the answer has none."""
    if any(workload.groups for workload in problem.workloads):
        return
    floor = fairlead.dispense(problem, "reference")
    if floor.placement is None or refused(problem, floor.placement):
        return
    yield from worse_than(outcome, fairlead.score(problem, floor.placement), "the reference dispenser")


def worse_than(outcome: Outcome, floor: Sequence[Attained], name: str) -> Iterator[str]:
    """Yield the first level on which an answer is worse than a placement that was known before."""
    if outcome.placement is None:
        yield f"{outcome.status}, but {name} has a placement"
        return
    for level, least in zip(outcome.objectives, floor, strict=True):
        if level.value != least.value:
            if level.value > least.value:
                yield f"{level.name}: {level.value}, {name} has {least.value}"
            return


def _shown(values: Iterable[int | Fraction]) -> str:
    """Return values as text."""
    return ", ".join(str(value) for value in values)
