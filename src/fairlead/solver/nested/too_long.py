"""What ends a search before it has its answer."""

from dataclasses import dataclass

from fairlead.solver.nested.picking import Flags, Picked


class TooLongError(Exception):
    """The search needs more steps than it is given; CP-SAT is asked instead."""


@dataclass(eq=False)
class ApartError(Exception):
    """No price of a cluster makes the best set as large as wanted.

    Parameters
    ----------
    few, many
        Best sets at nearly one price, one too small and one too large.
    known
        The best set of the right size that was found; None where there was none.
    bound
        No set of the right size has more merit.
    """

    few: Flags
    many: Flags
    known: Picked | None
    bound: int
