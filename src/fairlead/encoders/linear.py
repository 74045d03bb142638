"""Costs that are linear in auxiliary variables, such as the number of clusters used."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from fairlead.encoders.convex import Term
from fairlead.models.placement import Placement


@dataclass(frozen=True, slots=True)
class LinearCost:
    """A sum of variables times coefficients, and a number.

    Parameters
    ----------
    terms
        Variables and coefficients.
    offset
        What comes on top.
    of
        The same cost of a placement, in steps.
    values
        Variables of its own with the values that they have in a placement.
    refine
        Makes the cost exact at a placement; tells whether it was underestimated there.
    least
        No placement costs less, in steps; None where that is not known.
    """

    terms: Sequence[Term]
    offset: int
    of: Callable[[Placement], int]
    values: Callable[[Placement], Iterable[Term]] = lambda _: ()
    refine: Callable[[Placement], bool] = lambda _: False
    least: int | None = None
