"""The one place where outcomes are made: every placement is checked and scored again before it leaves."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

from fairlead.models import blame
from fairlead.models.check import check
from fairlead.models.errors import InternalError
from fairlead.models.outcome import Attained, Outcome, Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import total
from fairlead.models.score import score
from fairlead.models.shortfall import refused
from fairlead.models.statement import Conflict
from fairlead.solver.answers.attainment import at_least, status_of


def conclude(
    problem: Problem,
    placement: Placement | None,
    attained: Sequence[Attained],
    origin: str,
    seconds: Mapping[str, float],
) -> Outcome:
    """Make the outcome of a placement that the solver found.

    Parameters
    ----------
    placement
        The answer; None where none was found in time.
    attained
        Levels with their bounds and proofs, in order, the values are taken from the pure scorer; of those
        that are left out nothing was searched.
    seconds
        Time by step.

    Raises
    ------
    InternalError
        Where the placement breaks a rule that does not give way, or a level is better than its bound: a bug
        in fairlead.
    """
    if placement is None:
        return Outcome(Status.UNKNOWN, origin, problem, None, seconds=seconds)
    broken = refused(problem, placement)
    if broken:
        raise blame.broken(f"the answer of {origin}", broken[0], problem)
    objectives = tuple(
        at_least(level if claim is None else _confirmed(claim, level), 0)
        for level, claim in zip_longest(score(problem, placement), attained)
    )
    return Outcome(status_of(objectives), origin, problem, placement, objectives, seconds=seconds)


def _confirmed(claim: Attained, actual: Attained) -> Attained:
    """Return a level with the value that the scorer finds, after comparing it with what is claimed."""
    if claim.name != actual.name:
        raise InternalError(f"level {claim.name} was solved where {actual.name} was expected")
    step = claim.resolution or 0
    if claim.bound is not None and actual.value < claim.bound - step:
        raise InternalError(f"level {claim.name} is {actual.value}, below its proven bound {claim.bound}")
    if claim.proven and actual.value > claim.value + step:
        raise InternalError(f"level {claim.name} is {actual.value}, proven was {claim.value}")
    return replace(claim, value=actual.value)


def conclude_infeasible(
    problem: Problem, conflicts: Sequence[Conflict], origin: str, seconds: Mapping[str, float]
) -> Outcome:
    """Make the outcome of a problem that has no placement."""
    return Outcome(
        Status.INFEASIBLE,
        origin,
        problem,
        None,
        conflict=conflicts[0] if conflicts else None,
        seconds=seconds,
        conflicts=tuple(conflicts),
    )


def conclude_greedy(
    problem: Problem,
    placement: Placement | None,
    origin: str,
    seconds: Mapping[str, float],
    reason: str | None = None,
) -> Outcome:
    """Make the outcome of a dispenser: what it breaks is reported, not refused.

    The status is FEASIBLE where it placed all replicas without an error of its own, whatever rules that
    breaks, else INFEASIBLE.

    `placement`: the dispenser's answer; None where it gave none. `seconds`: time by step. `reason`: category
    of its failure in the dispenser's own words, such as ``Unschedulable``.
    """
    if placement is None:
        return Outcome(Status.INFEASIBLE, origin, problem, None, reason=reason, seconds=seconds)
    broken = check(problem, placement)
    unplaced = any(violation.rule == total.KIND for violation in broken)
    status = Status.INFEASIBLE if unplaced or reason is not None else Status.FEASIBLE
    return Outcome(
        status, origin, problem, placement, score(problem, placement), broken, None, reason, seconds
    )
