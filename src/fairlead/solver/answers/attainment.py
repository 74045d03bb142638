"""How far the levels of a problem got, and the one place where outcomes are made.

Every placement is checked and scored again before it leaves.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import zip_longest

from fairlead.models import blame
from fairlead.models.check import check
from fairlead.models.errors import InternalError
from fairlead.models.levels import Level
from fairlead.models.outcome import Attained, Outcome, Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.score import score
from fairlead.models.shortfall import refused
from fairlead.models.statement import Conflict

Least = Mapping[Level, int | Fraction]
"""Least of every placement by level, in its unit, whatever the levels before it are."""


Apart = Mapping[Level, frozenset[str]]
"""Workloads, by level, that cost there what they would cost alone, in every placement that is best so far."""


@dataclass(frozen=True, slots=True)
class LexicographicResult:
    """Placement of a search over all levels, and how far each level got."""

    status: Status
    """OPTIMAL where every level is proven."""
    placement: Placement | None
    """The answer; None where there is none."""
    attained: tuple[Attained, ...] = ()
    """The levels in order; the values are the pure scorer's."""
    settled: bool = False
    """True where ties were settled to the end, so that the placement is the only right answer."""


@dataclass(frozen=True, slots=True)
class LevelProof:
    """How far a level got."""

    bound: int | Fraction | None = None
    """No placement is below it, in the unit of the level; None where nothing is known."""
    proven: bool = False
    """True where the bound is reached, up to the tolerance."""
    exact: bool = True
    """True where steps are exact."""
    tolerance: int | Fraction = 0
    """Amount by which the level may be worse than the bound."""

    def better(self, other: "LevelProof") -> "LevelProof":
        """Return the better note on one value: this, unless the other is proven or has a better bound."""
        if self.proven or other.bound is None:
            return self
        return other if other.proven or self.bound is None or other.bound > self.bound else self


def attained(problem: Problem, placement: Placement, notes: Sequence[LevelProof]) -> tuple[Attained, ...]:
    """Return the levels of a placement with what is proven of them: every result passes here.

    `problem`: the question. `placement`: the answer. `notes`: how far the levels got, in order; levels
    without one are not proven by any search.

    Raises `InternalError` where a level is below its bound: a bug in fairlead.
    """
    return tuple(
        not_negative(_noted(scored, notes[number] if number < len(notes) else LevelProof()))
        for number, scored in enumerate(score(problem, placement))
    )


def status_of(levels: Iterable[Attained]) -> Status:
    """Return OPTIMAL where every level of a placement is proven, else FEASIBLE."""
    return Status.OPTIMAL if all(level.proven for level in levels) else Status.FEASIBLE


def are_exact(levels: Iterable[Attained]) -> bool:
    """Tell whether what is proven of levels is so to the last digit, not only as far as steps tell."""
    return all(level.resolution is None for level in levels)


def not_negative(level: Attained) -> Attained:
    """Return a level with a bound that is not below 0; at 0 it is proven.

    Raises `InternalError` where the level itself is below: a bug in fairlead.
    """
    if level.value < 0:
        raise InternalError(f"level {level.name} is {level.value}, the least it can be is 0")
    if level.value == 0:
        return replace(level, bound=0, proven=True, resolution=None)
    if level.bound is not None and level.bound >= 0:
        return level
    step = None if level.resolution is None else Fraction(level.value)
    return replace(level, bound=0, resolution=step)


def _noted(level: Attained, note: LevelProof) -> Attained:
    if note.tolerance:
        loose = replace(level, tolerance=note.tolerance)
        return loose if note.bound is None else tolerated(level, note.bound, note.tolerance)
    if note.bound is None:
        return level
    bound = int(note.bound) if note.bound == int(note.bound) else note.bound
    if level.value < bound or (note.proven and note.exact and level.value != bound):
        raise InternalError(f"level {level.name} is {level.value}, proven was {bound}")
    resolution = None if note.exact or level.value == bound else Fraction(level.value - bound)
    if not note.proven:
        return replace(level, bound=bound, proven=level.value == bound)
    return replace(level, bound=bound, proven=True, resolution=resolution)


def tolerated(level: Attained, bound: int | Fraction, tolerance: int | Fraction) -> Attained:
    """Return a level that may be worse than its bound by a tolerance.

    Raises `InternalError` where the level is below its bound: a bug in fairlead.
    """
    if level.value < bound:
        raise InternalError(f"level {level.name} is {level.value}, the least it can be is {bound}")
    return replace(level, bound=bound, proven=level.value <= bound + tolerance, tolerance=tolerance)


def bounded(levels: Sequence[Attained], relaxed: Sequence[Attained]) -> tuple[Attained, ...]:
    """Return the levels of a placement with the bounds that a problem with fewer rules tells as well.

    Its bounds hold for the placement as long as both have the same values on the levels before; at the first
    level that differs the bound still holds, after it nothing is told.

    `levels`: the levels of the placement; their bounds stay where they are better. `relaxed`: the first
    levels of a best placement of a problem with fewer rules, with their bounds; of the levels after them
    nothing is known, and where it is empty nothing at all.
    """
    found = list(levels)
    for at, (level, other) in enumerate(zip(levels, relaxed, strict=False)):
        better = other.bound is not None and (level.bound is None or level.bound < other.bound)
        # Proven as far as steps tell, a level may have no better bound than the least that there is.
        better = better or (other.proven and level.value == other.value)
        if better and not level.proven:
            found[at] = combined(level, other)
        if level.value != other.value:
            break
    return tuple(found)


def combined(level: Attained, other: Attained) -> Attained:
    """Return a level with the better bound of two, one of which is known; proven where either says so."""
    bound = max(each.bound for each in (level, other) if each.bound is not None)
    tolerance = max(level.tolerance, other.tolerance)
    reached = level.value <= bound + tolerance
    proven = level.proven or reached or (other.proven and level.value == other.value)
    # Proven, though above its bound: as far as the steps tell in which it was compared.
    step = Fraction(level.value - bound) if proven and not reached else None
    return replace(level, bound=bound, proven=proven, resolution=step, tolerance=tolerance)


def conclude(
    problem: Problem,
    placement: Placement | None,
    attained: Sequence[Attained],
    origin: str,
    seconds: Mapping[str, float],
) -> Outcome:
    """Make the outcome of a placement that the solver found.

    `placement`: the answer; None where none was found in time. `attained`: levels with their bounds and
    proofs, in order, the values are taken from the pure scorer; of those that are left out nothing was
    searched. `seconds`: time by step.

    Raises `InternalError` where the placement breaks a rule that does not give way, or a level is better than
    its bound: a bug in fairlead.
    """
    if placement is None:
        return Outcome(Status.UNKNOWN, origin, problem, None, seconds=seconds)
    broken = refused(problem, placement)
    if broken:
        raise blame.broken(f"the answer of {origin}", broken[0], problem)
    objectives = tuple(
        not_negative(level if claim is None else _confirmed(claim, level))
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
    found = score(problem, placement)
    outcome = Outcome(Status.FEASIBLE, origin, problem, placement, found, broken, None, reason, seconds)
    failed = outcome.missing or reason is not None
    return replace(outcome, status=Status.INFEASIBLE) if failed else outcome
