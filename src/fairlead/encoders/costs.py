"""Costs by level: what is minimised, with the rule that each part comes from."""

from dataclasses import dataclass, field
from fractions import Fraction

from fairlead.encoders.convex import ConvexCost, Term
from fairlead.encoders.linear import LinearCost
from fairlead.encoders.peak import PeakCost
from fairlead.encoders.segments import ConvexFunction
from fairlead.encoders.selection import Subject, replicas_at
from fairlead.encoders.variables import Place
from fairlead.models.placement import Placement

Cost = ConvexCost | PeakCost | LinearCost


@dataclass(frozen=True, slots=True)
class Because:
    """Which rule a constraint or a cost comes from.

    Parameters
    ----------
    rule
        Kind of the rule, such as ``bounds``.
    workload, cluster
        What it is about; None where it is about none in particular.
    detail
        Which part of the rule, such as ``minimum``; empty where it has only one.
    """

    rule: str
    workload: str | None = None
    cluster: str | None = None
    detail: str = ""


@dataclass(slots=True)
class LevelCost:
    """What is minimised on one level: whole steps of ``1 / scale``, and a constant beside them.

    Parameters
    ----------
    scale
        Steps in one unit of the level.
    exact
        True where the cost in steps is exact; False where it is rounded down.
    constant
        What the level costs beside the steps, in its own unit.
    costs
        What adds up, with the rule it comes from.
    """

    scale: int
    exact: bool
    constant: Fraction = Fraction(0)
    costs: list[tuple[Because, Subject | None, Cost]] = field(default_factory=list)

    def value(self, steps: int) -> Fraction:
        """Return a number of steps in the unit of the level."""
        return Fraction(steps, self.scale) + self.constant

    def steps(self, placement: Placement) -> int:
        """Return what a placement costs, in steps."""
        total = 0
        for _, subject, cost in self.costs:
            if isinstance(cost, PeakCost):
                total += cost(placement.of(cost.workload))
            elif isinstance(cost, LinearCost):
                total += cost.of(placement)
            elif subject is not None:
                total += cost.function(replicas_at(placement, subject))
        return total

    def peaks(self) -> list[PeakCost]:
        """Return the costs that are a maximum."""
        return [cost for _, _, cost in self.costs if isinstance(cost, PeakCost)]

    def functions(self) -> dict[Place, ConvexFunction]:
        """Return the costs that depend on one place, by place."""
        return {
            place: cost.function
            for _, place, cost in self.costs
            if isinstance(place, Place) and isinstance(cost, ConvexCost)
        }

    def rest(self) -> int | None:
        """Return what all but `functions` costs at least, in steps; None where that is not known."""
        total, single = 0, 0
        for _, place, cost in self.costs:
            if isinstance(cost, LinearCost):
                if cost.least is None:
                    return None
                total += cost.least
            elif isinstance(cost, ConvexCost):
                single += isinstance(place, Place)
                if not isinstance(place, Place):
                    return None
        # Two costs of one place would be told as one function.
        return total if single == len(self.functions()) else None

    def terms(self) -> tuple[list[Term], int]:
        """Return the cost in steps as variables with coefficients, and what comes on top of their sum."""
        terms: list[Term] = []
        offset = 0
        for _, _, cost in self.costs:
            if isinstance(cost, PeakCost):
                terms.append((cost.variable, 1))
            elif isinstance(cost, LinearCost):
                terms.extend(cost.terms)
                offset += cost.offset
            else:
                more, on_top = cost.terms()
                terms.extend(more)
                offset += on_top
        return terms, offset
