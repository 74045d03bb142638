"""solve(): the algorithm, from a problem to a proven placement."""

import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, get_args

from fairlead.models.check import check, shared_violations
from fairlead.models.errors import InternalError, UnsupportedError, UsageError
from fairlead.models.levels import Deviation
from fairlead.models.outcome import Attained, Outcome, Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.score import levels_of, score
from fairlead.models.statement import Conflict, Relaxation
from fairlead.solver.attainment import LexicographicResult
from fairlead.solver.boxes import WorkloadBox, boxes_of
from fairlead.solver.choosing import choose
from fairlead.solver.components import components
from fairlead.solver.conclusion import conclude, conclude_infeasible, conclude_optimal
from fairlead.solver.conflict import conflicts
from fairlead.solver.deadline import Deadline
from fairlead.solver.dispensers import reference
from fairlead.solver.exact import allocate
from fairlead.solver.feasibility import has_placement
from fairlead.solver.groups import choose_groups, earlier_that_would_do
from fairlead.solver.minimal_conflict import minimal_conflict

Method = Literal["auto", "exact", "cp-sat"]


def solve(  # noqa: PLR0913 - the public face, all by keyword
    problem: Problem,
    *,
    time_limit: float | None = 10.0,
    workers: int | None = None,
    seed: int = 0,
    deviation: str | None = None,
    partial: bool = False,
    fresh: bool | None = None,
    display: bool = False,
    method: Method = "auto",
) -> Outcome:
    """Place all replicas as well as the rules allow, and prove it.

    Levels are minimised in lexicographic order (`Problem.levels`); ties fall to the cluster that comes first
    by name. The same problem gives the same answer whatever the order of its parts or the number of workers,
    as long as all levels are proven in time.

    Parameters
    ----------
    problem
        Clusters, workloads and rules; see `fairlead.load`.
    time_limit
        Seconds for the whole call; None means no limit. At the limit the best placement found so far is
        returned, with the bound that is proven.
    workers
        Threads of the CP-SAT solver; None means one for every core.
    seed
        Random seed of the CP-SAT solver.
    deviation
        ``webster``, ``l1`` or ``minimax`` (see `Deviation`); None keeps the problem's own.
    partial
        Not finished in this version.
    fresh
        True places every workload as if a reschedule had been asked for, False none of them; None keeps
        what the input says.
    display
        True prints a line for every level that is solved by CP-SAT to standard error.
    method
        ``auto`` uses the exact allocation wherever it applies and CP-SAT elsewhere; ``exact`` and ``cp-sat``
        force one of them.

    Returns
    -------
    Outcome
        OPTIMAL, FEASIBLE, INFEASIBLE or UNKNOWN; being infeasible is a result, not an error.

    Raises
    ------
    UsageError
        An argument is wrong, or ``exact`` is asked for where only CP-SAT can answer.
    UnsupportedError
        `partial` is True.
    InternalError
        A bug in fairlead: the answer breaks a rule.
    """
    started = time.perf_counter()
    search = _Search(Deadline.after(time_limit), workers, seed, _printer if display else None)
    grouped = choose_groups(
        _settle(problem, deviation, fresh, partial, method),
        lambda trial: has_placement(trial, search.deadline, seed),
    )
    outcome = _solve(grouped.problem, method, search, started)
    if outcome.status is Status.INFEASIBLE:
        return _with_way_out(outcome, search)
    return replace(outcome, rejected=grouped.rejected)


def _solve(problem: Problem, method: Method, search: "_Search", started: float) -> Outcome:
    """Solve a problem in which every workload has its affinity group."""
    boxes = boxes_of(problem)
    hopeless = conflicts(problem, boxes)
    if hopeless:
        return conclude_infeasible(problem, hopeless[0], "exact", _since(started))
    alone = {} if method == "cp-sat" else _alone(problem, boxes)
    if _covers(alone, problem):
        placement = Placement(alone)
        if not _compete(problem, placement):
            return conclude_optimal(problem, placement, "exact", _since(started))
    if method == "exact":
        raise UsageError("the exact allocation does not apply to this problem; use method='auto'")
    answers = [_solve_part(part, alone, search) for part in components(problem)]
    return _merge(problem, answers, search, _since(started))


def _with_way_out(outcome: Outcome, search: "_Search") -> Outcome:
    """Name an earlier affinity group that would do, where a workload may not go back to it by itself."""
    for workload in outcome.problem.workloads:
        group = earlier_that_would_do(
            workload, outcome.problem, lambda trial: has_placement(trial, search.deadline, search.seed)
        )
        if group is not None:
            text = f"reschedule {workload.key} afresh: affinity group {group.name} would do"
            known = outcome.conflict or Conflict(())
            way_out = Relaxation(text, 1, group.source)
            return replace(outcome, conflict=replace(known, relaxations=(*known.relaxations, way_out)))
    return outcome


@dataclass(frozen=True, slots=True)
class _Search:
    """How CP-SAT is to be run."""

    deadline: Deadline
    workers: int | None
    seed: int
    progress: Callable[[Attained], None] | None


@dataclass(frozen=True, slots=True)
class _Answer:
    """What was found for one part of the problem."""

    part: Problem
    status: Status
    placement: Placement | None
    attained: tuple[Attained, ...]
    origin: str


def _settle(
    problem: Problem, deviation: str | None, fresh: bool | None, partial: bool, method: str
) -> Problem:
    """Return the problem with the arguments of the call applied."""
    if partial:
        raise UnsupportedError("partial placement is not finished in this version")
    if method not in get_args(Method):
        raise UsageError(f"no method {method!r}; known: {', '.join(get_args(Method))}")
    if deviation is not None:
        if deviation not in list(Deviation):
            raise UsageError(f"no deviation {deviation!r}; known: {', '.join(Deviation)}")
        problem = replace(problem, deviation=Deviation(deviation))
    if fresh is not None:
        problem = replace(problem, workloads=tuple(replace(each, fresh=fresh) for each in problem.workloads))
    return problem


def _alone(problem: Problem, boxes: Mapping[str, WorkloadBox]) -> dict[str, Mapping[str, int]]:
    """Place every workload as if it had all shared capacity for itself, where that can be done exactly."""
    placed: dict[str, Mapping[str, int]] = {}
    for key, boxed in boxes.items():
        workload = problem.workload(key)
        answer = allocate(workload, problem, boxed) or choose(workload, problem, boxed)
        if answer is not None:
            placed[key] = answer
    return placed


def _compete(problem: Problem, placement: Placement) -> bool:
    """Tell whether workloads that were placed alone ask for more than there is of what they share."""
    return len(problem.workloads) > 1 and bool(shared_violations(problem, placement))


def _covers(alone: Mapping[str, Mapping[str, int]], problem: Problem) -> bool:
    """Tell whether every workload of a problem was placed."""
    return all(workload.key in alone for workload in problem.workloads)


def _proven(problem: Problem, placement: Placement) -> tuple[Attained, ...]:
    """Return the levels of a placement that is optimal by construction.

    Workloads placed alone form a relaxation of the joint problem that is separable, so their lexicographic
    optima add up to a bound; a placement that reaches it and keeps the shared rules is optimal.
    """
    return tuple(replace(level, bound=level.value, proven=True) for level in score(problem, placement))


def _solve_part(part: Problem, alone: Mapping[str, Mapping[str, int]], search: _Search) -> _Answer:
    """Solve one independent part: by formula where its workloads do not compete, else by CP-SAT."""
    if _covers(alone, part):
        placement = Placement({workload.key: alone[workload.key] for workload in part.workloads})
        if not _compete(part, placement):
            return _Answer(part, Status.OPTIMAL, placement, _proven(part, placement), "exact")
    from fairlead.solver.fewest import place_on_fewest
    from fairlead.solver.lexicographic import minimise_levels

    def minimise(problem: Problem, floor: Placement | None = None) -> LexicographicResult:
        return minimise_levels(problem, floor, search.deadline, search.workers, search.seed, search.progress)

    fewest = place_on_fewest(part, minimise)
    if fewest is not None:
        return _Answer(part, Status.OPTIMAL, fewest, _proven(part, fewest), "cp-sat")
    floor = reference.place(part)
    result = minimise(part, floor)
    _compare_with_floor(part, floor, result)
    return _Answer(part, result.status, result.placement, result.attained, "cp-sat")


def _compare_with_floor(part: Problem, floor: Placement, result: LexicographicResult) -> None:
    """Refuse a result that the reference dispenser beats: then something that was called proven is not.

    Raises
    ------
    InternalError
        Always a bug in fairlead.
    """
    if check(part, floor) or result.status not in (Status.OPTIMAL, Status.INFEASIBLE):
        return
    if result.placement is None:
        raise InternalError("a problem is called infeasible of which the reference dispenser has a placement")
    greedy = tuple(level.value for level in score(part, floor))
    proven = tuple(level.value for level in result.attained)
    steps = tuple(level.resolution or 0 for level in result.attained)
    for low, high, step in zip(greedy, proven, steps, strict=True):
        if low < high - step:
            raise InternalError("the reference dispenser beats an optimum that is called proven")
        if low != high:
            return


def _merge(
    problem: Problem, answers: list[_Answer], search: _Search, seconds: Mapping[str, float]
) -> Outcome:
    """Put the parts together: placements side by side, levels added up."""
    origin = "cp-sat" if any(answer.origin == "cp-sat" for answer in answers) else "exact"
    hopeless = [answer.part for answer in answers if answer.status is Status.INFEASIBLE]
    if hopeless:
        conflict = minimal_conflict(
            hopeless[0], lambda trial: has_placement(trial, search.deadline, search.seed)
        )
        return conclude_infeasible(problem, conflict, origin, seconds)
    if any(answer.placement is None for answer in answers):
        return conclude(problem, None, (), origin, seconds)
    replicas = {
        key: placed for answer in answers for key, placed in (answer.placement or Placement({})).items()
    }
    return conclude(problem, Placement(replicas), _added(problem, answers), origin, seconds)


def _added(problem: Problem, answers: list[_Answer]) -> tuple[Attained, ...]:
    """Add the levels of independent parts."""
    by_level = [dict(zip(levels_of(answer.part), answer.attained, strict=True)) for answer in answers]
    added = []
    for level in levels_of(problem):
        parts = [found[level] for found in by_level if level in found]
        bounds = [part.bound for part in parts]
        steps = [part.resolution for part in parts if part.resolution is not None]
        added.append(
            Attained(
                level.name,
                sum(part.value for part in parts),
                None if None in bounds else sum(bound for bound in bounds if bound is not None),
                all(part.proven for part in parts),
                sum(steps, Fraction(0)) if steps else None,
            )
        )
    return tuple(added)


def _since(started: float) -> dict[str, float]:
    """Return the seconds since the start of the call."""
    return {"build": 0.0, "solve": time.perf_counter() - started}


def _printer(level: Attained) -> None:
    """Print a level while the solver runs."""
    state = "proven" if level.proven else f"bound {level.bound}"
    print(f"{level.name}: {float(level.value):g} ({state})", file=sys.stderr, flush=True)
