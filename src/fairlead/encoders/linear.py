"""Costs that are linear in auxiliary variables, such as the number of clusters used."""

from collections.abc import Callable, Sequence
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
    """

    terms: Sequence[Term]
    offset: int
    of: Callable[[Placement], int]
