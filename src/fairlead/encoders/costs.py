"""Costs by level, each part as variables of a model and as a number for a placement."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

from ortools.sat.python import cp_model

from fairlead.encoders.convex import ConvexCost, ConvexFunction, Term
from fairlead.encoders.scale import Apportionment, StepScale
from fairlead.encoders.variables import Interval, Place, Subject, replicas_at
from fairlead.models.placement import Placement


@dataclass(frozen=True, slots=True)
class Origin:
    """Origin of a constraint or a cost: rule, workload, cluster."""

    rule: str
    """Kind of the rule, such as ``bounds``."""
    workload: str | None = None
    cluster: str | None = None
    """Workload and cluster that it is about; None where it is about none in particular."""
    detail: str = ""
    """Part of the rule, such as ``minimum``; empty where it has only one."""


class Cost(Protocol):
    """A part of what is minimised, in whole steps; unless it says more, linear in variables of others."""

    @property
    def least(self) -> int | None:
        """No placement costs less, in steps; None where that is not known."""
        return None

    @property
    def error(self) -> int:
        """Steps by which it is underestimated at most, where it is rounded down."""
        return 0

    @property
    def spare(self) -> int:
        """Steps by which placements that cost the same may differ, where each total is rounded anew."""
        return 0

    def of(self, placement: Placement, /) -> int:
        """Return the cost of a placement, in steps."""
        ...

    def terms(self) -> tuple[Sequence[Term], int]:
        """Return variables with coefficients, and what comes on top of their sum."""
        ...

    def values(self, placement: Placement, /) -> Iterable[Term]:
        """Return variables of its own with the values that they have in a placement."""
        del placement
        return ()

    def refine(self, placement: Placement, /) -> bool:
        """Make the cost exact at a placement; tell whether it was underestimated there."""
        del placement
        return False


@dataclass(frozen=True, slots=True)
class LinearCost:
    """A sum of variables times coefficients, and a number; such as the number of clusters used."""

    weighted: Sequence[Term]
    offset: int
    """Constant beside the weighted variables, in steps of the level."""
    of: Callable[[Placement], int]
    values: Callable[[Placement], Iterable[Term]] = lambda _: ()
    refine: Callable[[Placement], bool] = lambda _: False
    least: int | None = None
    """Functions as the methods of `Cost`; `least` in steps, None where it is not known."""
    error: int = 0
    """Steps by which it is underestimated at most, where its coefficients are rounded."""

    @property
    def spare(self) -> int:
        """Steps by which it may differ for placements that cost the same."""
        return self.error

    def terms(self) -> tuple[Sequence[Term], int]:
        """Return variables with coefficients, and what comes on top of their sum."""
        return self.weighted, self.offset


@dataclass(frozen=True, slots=True)
class ConvexTerm(Cost):
    """A convex cost of the replicas on a cluster, or on a set of clusters."""

    subject: Subject
    convex: ConvexCost

    def of(self, placement: Placement) -> int:
        """Return the cost of a placement, in steps."""
        return self.convex.function(replicas_at(placement, self.subject))

    def terms(self) -> tuple[list[Term], int]:
        """Return variables with coefficients, and what comes on top of their sum."""
        return self.convex.terms()

    def values(self, placement: Placement) -> Iterable[Term]:
        """Return variables of its own with the values that they have in a placement."""
        return self.convex.values(replicas_at(placement, self.subject))

    def refine(self, placement: Placement) -> bool:
        """Make the cost exact at a placement; tell whether it was underestimated there."""
        return self.convex.refine(replicas_at(placement, self.subject))


@dataclass(frozen=True, slots=True)
class PeakCost(Cost):
    """The cost ``max over c of |W x_c - N w_c| / (N w_c)``, rounded down to whole steps of 1 / L."""

    variable: cp_model.IntVar
    """Stands for the rounded maximum."""
    workload: str
    division: Apportionment
    """Replicas N and weights w."""
    scale: StepScale
    """Steps L in one."""

    @property
    def least(self) -> int:
        """No distance is below 0."""
        return 0

    def of(self, placement: Placement) -> int:
        """Return the cost of a placement, in steps."""
        return int(self.exactly(placement.of(self.workload)) * self.scale.steps)

    def terms(self) -> tuple[Sequence[Term], int]:
        """Return the variable, and nothing on top."""
        return [(self.variable, 1)], 0

    def values(self, placement: Placement) -> Iterable[Term]:
        """Return the variable with its value in a placement."""
        return [(self.variable, self.of(placement))]

    def exactly(self, placed: Mapping[str, int]) -> Fraction:
        """Return the cost of a division, not rounded."""
        whole, replicas = self.division.whole, self.division.replicas
        return max(
            Fraction(abs(whole * placed.get(cluster, 0) - replicas * weight), replicas * weight)
            for cluster, weight in self.division.weights.items()
        )

    def within(self, cluster: str, limit: Fraction, *, strictly: bool) -> Interval:
        """Return the fewest and the most replicas that keep a cluster's distance within a limit.

        `strictly`: True where the distance must be less than the limit.
        """
        quota = Fraction(self.division.replicas * self.division.weights[cluster], self.division.whole)
        least, greatest = (1 - limit) * quota, (1 + limit) * quota
        fewest, most = -(-least // 1), greatest // 1
        if strictly:
            fewest += fewest == least
            most -= most == greatest
        return Interval(int(fewest), int(most))


@dataclass(slots=True)
class LevelCost:
    """Cost of one level: whole steps of ``1 / scale`` of its unit, and constants beside them."""

    scale: int
    """Steps in one unit of the level."""
    exact: bool
    """True where the cost in steps is exact; False where it is rounded down."""
    constants: dict[str | None, Fraction] = field(default_factory=dict)
    """Constants beside the steps, in the unit of the level, by workload key; None as in `parts`."""
    parts: dict[str | None, list[Cost]] = field(default_factory=dict)
    """Costs that add up, by workload key; None for those of several workloads."""

    @property
    def constant(self) -> Fraction:
        """Sum of all constants, in the unit of the level."""
        return sum(self.constants.values(), Fraction(0))

    @property
    def costs(self) -> list[Cost]:
        """Costs of all workloads that add up, each in steps."""
        return [cost for part in self.parts.values() for cost in part]

    def alone(self, workload: str) -> "LevelCost":
        """Return the cost of one workload by itself."""
        found = LevelCost(self.scale, self.exact)
        found.constants[workload] = self.constants.get(workload, Fraction(0))
        found.parts[workload] = self.parts.get(workload, [])
        return found

    def most(self, workload: str, placement: Placement) -> int:
        """Return the most that a workload costs, in steps, if it is to cost what it does in a placement.

        Costs that are rounded may differ where they are the same.
        """
        rounded = self.rounded(sum(placement.of(workload).values()))
        return sum(cost.of(placement) for cost in self.parts.get(workload, [])) + rounded

    def rounded(self, replicas: int, clusters: int = 0) -> int:
        """Return by how many steps the deviation of so many replicas is rounded down at most.

        Every step between what a cluster holds and the whole number nearest to its quota is rounded: the ones
        add up to the replicas, the others to twice that at most. So is one constant of each of some clusters.
        """
        return 0 if self.exact else 3 * replicas + clusters

    @property
    def error(self) -> Fraction:
        """Amount by which it is underestimated at most where its parts say so, in the unit of the level."""
        return Fraction(0 if self.exact else sum(cost.error for cost in self.costs), self.scale)

    @property
    def spare(self) -> int:
        """Steps by which placements that cost the same may differ."""
        return 0 if self.exact else sum(cost.spare for cost in self.costs)

    def steps_up_to(self, value: int | Fraction) -> int:
        """Return the most steps that keep it up to a value, though it may be underestimated."""
        return math.floor((value - self.constant - self.error) * self.scale)

    def value(self, steps: int) -> Fraction:
        """Return a number of steps in the unit of the level."""
        return Fraction(steps, self.scale) + self.constant

    def steps(self, placement: Placement) -> int:
        """Return the cost of a placement, in steps."""
        return sum(cost.of(placement) for cost in self.costs)

    def peaks(self) -> list[PeakCost]:
        """Return the costs that are a maximum."""
        return [cost for cost in self.costs if isinstance(cost, PeakCost)]

    def functions(self) -> dict[Place, ConvexFunction]:
        """Return the costs that depend on one place, by place."""
        return {
            cost.subject: cost.convex.function
            for cost in self.costs
            if isinstance(cost, ConvexTerm) and isinstance(cost.subject, Place)
        }

    def rest(self) -> int | None:
        """Return the least of all costs but `functions`, in steps; None where that is not known."""
        total, single = 0, 0
        for cost in self.costs:
            if isinstance(cost, ConvexTerm) and isinstance(cost.subject, Place):
                single += 1
            elif cost.least is None:
                return None
            else:
                total += cost.least
        # Two costs of one place would be told as one function.
        return total if single == len(self.functions()) else None

    def terms(self) -> tuple[list[Term], int]:
        """Return the cost in steps as variables with coefficients, and what comes on top of their sum."""
        parts = [cost.terms() for cost in self.costs]
        return [term for terms, _ in parts for term in terms], sum(offset for _, offset in parts)
