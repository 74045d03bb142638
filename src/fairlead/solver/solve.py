"""solve(): the algorithm, from a problem to a proven placement."""

import logging
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from fairlead.models import blame
from fairlead.models.outcome import Outcome, Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.result import Progress
from fairlead.models.score import with_balance
from fairlead.models.shapes import checked
from fairlead.models.statement import Conflict
from fairlead.models.uncollected import hurried
from fairlead.models.validity import completed
from fairlead.models.variants import in_full, without_preferences
from fairlead.solver.answers.answer import PartAnswer, PartQuestion, Placed, covers
from fairlead.solver.answers.attainment import conclude, conclude_infeasible, status_of
from fairlead.solver.arguments import Method, applied
from fairlead.solver.conflicts.alone import hopeless
from fairlead.solver.exact.alone import place_alone
from fairlead.solver.exact.boxes import WorkloadBox, boxes_of
from fairlead.solver.groups.choices import is_open
from fairlead.solver.groups.choose import ChosenGroups, GroupedProblem, choose_groups, in_first_groups
from fairlead.solver.levels.targets import strict
from fairlead.solver.running.deadline import Deadline, listening
from fairlead.solver.running.search import Search, Workplace
from fairlead.solver.strictly import StrictQuestion, answer_at_once, answer_strictly

LOG = logging.getLogger(__name__)

SHARE_ALONE = 0.8
"""Part of the time left for placing workloads each for itself."""
WORTH_ARRAYS = 8
"""Workloads from which on it is worth it to place those of the commonest kind in arrays, all at once."""
WORTH_A_SEARCH = 0.5
"""Seconds that are worth a search of workloads of which not all could be looked at one by one in time."""


@hurried
@checked
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
    progress: Callable[[Progress], None] | None = None,
    method: Method = "auto",
    engine: str = "local",
    address: str | None = None,
    partitions: int | None = None,
    tolerance: Mapping[str, object] | None = None,
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
        Seconds for the whole call, without those in which Ray starts; None means no limit. At the limit the
        best placement found so far is returned, with the bound that is proven. Without one a level is given
        up when twice the work no longer halves what is missing to its bound; that may take minutes.
    workers
        Threads or processes at once; None means one for every core that this process may use.
    seed
        Random seed of the CP-SAT solver.
    deviation
        ``webster``, ``l1`` or ``minimax`` (see `Deviation`); None keeps the problem's own.
    partial
        True places what can be placed where not everything can: replicas stay unplaced, then minima give way,
        then spread, as little as possible and for the most urgent workloads last; `Outcome.shortfalls` says
        what and why. What can be placed in full is placed as without it.
    fresh
        True places every workload as if a reschedule had been asked for, False none of them; None keeps
        what the input says.
    display
        True prints a line to standard error whenever a search gets further.
    progress
        Called whenever a search gets further, with the best value, the bound and the gap; see `Progress`.
        Parts that are searched in other processes tell nothing.
    method
        ``auto`` uses the exact allocation wherever it applies and CP-SAT elsewhere; ``exact`` and ``cp-sat``
        force one of them.
    engine
        Where independent parts of the problem and neighbourhoods of a placement are searched: ``local``
        (processes of this machine, where that is worth it) or ``ray`` (a Ray cluster).
    address
        Address of a running Ray cluster; None takes the one that the environment names (``RAY_ADDRESS``), or
        starts one on this machine.
    partitions
        Shares into which many workloads that compete are split, each solved by itself, where they are too
        many for one machine; what that loses is told by the bound. None splits nothing.
    tolerance
        How much worse than best levels may be for the sake of those below them, by name or key of the level:
        a number or a text such as ``0.5`` in the unit of the level, or ``0.1%`` of the least that it can be
        as far as single workloads tell. None keeps the problem's own.

    Returns
    -------
    Outcome
        OPTIMAL, FEASIBLE, INFEASIBLE or UNKNOWN; being infeasible is a result, not an error.

    Raises
    ------
    ManifestError
        The problem was made in Python, and something in it is wrong; names every mistake.
    UsageError
        An argument is wrong, or ``exact`` is asked for where only CP-SAT can answer.
    ExtensionError
        A rule from outside of fairlead breaks its promises.
    InternalError
        A bug in fairlead: the answer breaks a rule.
    """
    started = time.perf_counter()
    told = progress or (_printer if display else None)
    search = Search(Deadline.after(time_limit), workers, seed, told, method != "cp-sat")
    where = Workplace(engine, address, partitions)
    settled = applied(completed(problem), deviation, fresh, partial, method, tolerance)
    with listening(search.deadline), blame.shared(settled):
        grouped = _choose_groups(settled, search)
        explain = _Explain(search, grouped.exhausted)
        outcome = _solve(grouped.problem, method, search, where, explain, started)
        outcome = _as_sure(outcome, grouped)
        LOG.info(
            "%s: %s by %s in %.3f s",
            settled.sizes,
            outcome.status,
            outcome.origin,
            time.perf_counter() - started,
        )
        if outcome.status is Status.INFEASIBLE:
            return outcome
    return replace(outcome, rejected=grouped.rejected)


@dataclass(frozen=True, slots=True)
class _Explain:
    """Says why there is no placement; nothing where another choice of affinity groups may have one."""

    search: Search
    certain: bool
    """True where no choice of affinity groups has a placement."""

    def conflicts(self, problem: Problem, parts: Sequence[Problem] = ()) -> tuple[Conflict, ...]:
        """Return the conflicts of a problem that has no placement, or of its parts that have none."""
        if not self.certain:
            return ()
        from fairlead.solver.explaining.explanation import conflicts_of

        return tuple(conflicts_of(problem, self.search, parts))


def _solve(
    problem: Problem, method: Method, search: Search, where: Workplace, explain: _Explain, started: float
) -> Outcome:
    """Solve a problem in which every workload has its affinity group: first with no level loose."""
    problem = with_balance(problem)
    bare = strict(problem)
    if not search.deadline.remaining():
        return _concluded(problem, answer_at_once(problem, search), started)
    quickly = {} if method == "cp-sat" else _side_by_side(bare)
    boxes = boxes_of(bare, quickly)
    if not bare.partial and hopeless(bare, boxes):
        return conclude_infeasible(problem, explain.conflicts(bare), "exact", _since(started))
    due = search.deadline.part(SHARE_ALONE)
    alone = {} if method == "cp-sat" else _alone(in_full(bare), quickly, boxes, due)
    if not due.remaining() and search.deadline.remaining() < WORTH_A_SEARCH and not covers(alone, bare):
        return _concluded(problem, answer_at_once(problem, search), started)
    found, failing = answer_strictly(problem, StrictQuestion(bare, alone, method, where), search)
    if found.status is Status.INFEASIBLE:
        return conclude_infeasible(problem, explain.conflicts(bare, failing), found.origin, _since(started))
    if bare is not problem and found.placement is not None:
        from fairlead.solver.loosening.tolerances import loosened

        found = loosened(problem, found, alone, search)
    return _concluded(problem, found, started)


def _side_by_side(problem: Problem) -> Placed:
    """Place the workloads of the commonest kind, where they are many."""
    if len(problem.workloads) < WORTH_ARRAYS:
        return {}
    from fairlead.solver.batch.side_by_side import place_side_by_side

    return place_side_by_side(problem)


def _concluded(problem: Problem, found: PartAnswer, started: float) -> Outcome:
    """Check and score an answer once more, and tell it."""
    return conclude(problem, found.placement, found.attained, found.origin, _since(started))


def _choose_groups(problem: Problem, search: Search) -> GroupedProblem:
    """Choose an affinity group for every workload."""
    if not any(map(is_open, problem.workloads)):
        return GroupedProblem(in_first_groups(problem), {})
    # What tries choices out searches, and is imported where there are any.
    from fairlead.solver.feasibility import SHARE_OF_TIME, has_placement
    from fairlead.solver.floor import place_greedily
    from fairlead.solver.groups.partial import choose_partially

    def strictly(trial: Problem) -> bool | None:
        return has_placement(trial, search.part(SHARE_OF_TIME))

    def place(trial: Problem) -> tuple[Placement | None, bool]:
        from fairlead.solver.parts.methods import solve_giving_way

        bare = replace(trial, workloads=tuple(map(without_preferences, trial.workloads)))
        found = solve_giving_way(PartQuestion(bare, search.part(SHARE_OF_TIME)))
        if found.status is Status.INFEASIBLE:
            return None, True
        return found.placement or place_greedily(bare, search.deadline), found.status is Status.OPTIMAL

    def partially(part: Problem) -> ChosenGroups:
        return choose_partially(part, strictly, place, search.deadline.part(SHARE_OF_TIME))

    otherwise = partially if problem.partial else None
    return choose_groups(problem, strictly, search, otherwise)


def _as_sure(outcome: Outcome, grouped: GroupedProblem) -> Outcome:
    """Claim no more than is known of the affinity groups: another choice may do, or come first."""
    if outcome.status is Status.INFEASIBLE and not grouped.exhausted:
        return Outcome(Status.UNKNOWN, outcome.origin, outcome.problem, None, seconds=outcome.seconds)
    if outcome.problem.partial and not grouped.exhausted:
        levels = tuple(replace(each, bound=0, proven=not each.value) for each in outcome.objectives)
        return replace(outcome, status=status_of(levels), objectives=levels)
    if outcome.status is Status.OPTIMAL and not grouped.earliest:
        return replace(outcome, status=Status.FEASIBLE)
    return outcome


def _alone(
    problem: Problem, known: Placed, boxes: Mapping[str, WorkloadBox], deadline: Deadline
) -> dict[str, Mapping[str, int]]:
    """Place every workload as if it had all shared capacity for itself, where that can be done exactly.

    Where time runs out some are left out. Of those that are known already nothing is asked.
    """
    found = {
        workload.key: place_alone(workload, problem, boxed=boxes.get(workload.key))
        for workload in problem.workloads
        if workload.key not in known and deadline.remaining()
    }
    return {**known, **{key: answer for key, answer in found.items() if answer is not None}}


def _since(started: float) -> dict[str, float]:
    """Return the seconds since the start of the call."""
    return {"build": 0.0, "solve": time.perf_counter() - started}


def _printer(progress: Progress) -> None:
    """Print how far the search is."""
    value = "none yet" if progress.value is None else f"{float(progress.value):g}"
    bound = "" if progress.bound is None else f", at least {float(progress.bound):g}"
    print(f"{progress.level}: {value}{bound} after {progress.seconds:.1f} s", file=sys.stderr, flush=True)
