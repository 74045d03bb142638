"""How far the levels got: bounds, proofs and the result of a lexicographic search."""

from dataclasses import dataclass, replace
from fractions import Fraction

from fairlead.models.errors import InternalError
from fairlead.models.outcome import Attained, Status
from fairlead.models.placement import Placement


@dataclass(frozen=True, slots=True)
class LexicographicResult:
    """What was found.

    Parameters
    ----------
    status
        OPTIMAL where every level is proven.
    placement
        The answer; None where there is none.
    attained
        The levels in order; the values are the pure scorer's.
    settled
        True where ties were settled to the end, so that the placement is the only right answer.
    """

    status: Status
    placement: Placement | None
    attained: tuple[Attained, ...] = ()
    settled: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """How far a level got: its bound in its own unit, whether it is reached, and whether steps are exact."""

    bound: int | Fraction | None = None
    proven: bool = False
    exact: bool = True


def attained_level(level: Attained, note: Note) -> Attained:
    """Return a level with what is proven of it."""
    if note.bound is None:
        return level
    bound = int(note.bound) if note.bound == int(note.bound) else note.bound
    if level.value < bound or (note.proven and note.exact and level.value != bound):
        raise InternalError(f"level {level.name} is {level.value}, proven was {bound}")
    resolution = None if note.exact or level.value == bound else Fraction(level.value - bound)
    if not note.proven:
        return replace(level, bound=bound, proven=level.value == bound)
    return replace(level, bound=bound, proven=True, resolution=resolution)
