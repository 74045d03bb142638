"""How far the levels got: bounds, proofs and the result of a lexicographic search."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from fairlead.models.errors import InternalError
from fairlead.models.levels import Level
from fairlead.models.outcome import Attained, Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.score import levels_of, score

Least = Mapping[Level, int | Fraction]
"""What no placement is below, by level, whatever the levels before it are."""


Apart = Mapping[Level, frozenset[str]]
"""By level, workloads that cost there what they would cost alone, in every placement that is best so far."""


@dataclass(frozen=True, slots=True)
class LexicographicResult:
    """What was found."""

    status: Status
    """OPTIMAL where every level is proven."""
    placement: Placement | None
    """The answer; None where there is none."""
    attained: tuple[Attained, ...] = ()
    """The levels in order; the values are the pure scorer's."""
    settled: bool = False
    """True where ties were settled to the end, so that the placement is the only right answer."""


@dataclass(frozen=True, slots=True)
class Note:
    """How far a level got."""

    bound: int | Fraction | None = None
    """No placement is below it, in the unit of the level; None where nothing is known."""
    proven: bool = False
    """True where the bound is reached, up to the tolerance."""
    exact: bool = True
    """True where steps are exact."""
    tolerance: int | Fraction = 0
    """How much worse than the bound the level may be."""

    def better(self, other: "Note") -> "Note":
        """Return what says more of the same value: this, unless the other is proven or bounds it better."""
        if self.proven or other.bound is None:
            return self
        return other if other.proven or self.bound is None or other.bound > self.bound else self


def attained(
    problem: Problem, placement: Placement, notes: Sequence[Note], least: Least | None = None
) -> tuple[Attained, ...]:
    """Return the levels of a placement with what is proven of them: every result passes here.

    Parameters
    ----------
    problem
        The question.
    placement
        The answer.
    notes
        How far the levels got, in order; levels without one are not proven by any search.
    least
        What no placement is below, by level, whatever the levels before; of those
        that are left out, 0.

    Raises
    ------
    InternalError
        Where a level is below its bound: a bug in fairlead.
    """
    known = least or {}
    return tuple(
        at_least(_noted(scored, notes[number] if number < len(notes) else Note()), known.get(level, 0))
        for number, (level, scored) in enumerate(
            zip(levels_of(problem), score(problem, placement), strict=True)
        )
    )


def status_of(levels: Iterable[Attained]) -> Status:
    """Return OPTIMAL where every level of a placement is proven, else FEASIBLE."""
    return Status.OPTIMAL if all(level.proven for level in levels) else Status.FEASIBLE


def at_least(level: Attained, least: int | Fraction) -> Attained:
    """Return a level with a bound that is not below what every placement costs; at that it is proven.

    Raises `InternalError` where the level itself is below: a bug in fairlead.
    """
    if level.value < least:
        raise InternalError(f"level {level.name} is {level.value}, the least it can be is {least}")
    if level.value == least:
        return replace(level, bound=least, proven=True, resolution=None)
    if level.bound is not None and level.bound >= least:
        return level
    step = None if level.resolution is None else Fraction(level.value - least)
    return replace(level, bound=least, resolution=step)


def _noted(level: Attained, note: Note) -> Attained:
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
