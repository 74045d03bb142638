"""The greatest relative distance from a quota: one variable that lies above all clusters of a workload."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ortools.sat.python import cp_model

from fairlead.encoders.convex import Term
from fairlead.encoders.scale import Division, Scale
from fairlead.encoders.variables import Range
from fairlead.models.placement import Placement


@dataclass(frozen=True, slots=True)
class PeakCost:
    """The cost ``max over c of |W x_c - N w_c| / (N w_c)``, rounded down to whole steps of 1 / L.

    Parameters
    ----------
    variable
        Stands for the rounded maximum.
    division
        Replicas N and weights w.
    scale
        Steps L in one.
    """

    variable: cp_model.IntVar
    workload: str
    division: Division
    scale: Scale

    @property
    def least(self) -> int:
        """No distance is below 0."""
        return 0

    def of(self, placement: Placement) -> int:
        """Return what a placement costs, in steps."""
        return int(self.exactly(placement.of(self.workload)) * self.scale.steps)

    def terms(self) -> tuple[Sequence[Term], int]:
        """Return the variable, and nothing on top."""
        return [(self.variable, 1)], 0

    def values(self, placement: Placement) -> Iterable[Term]:
        """Return the variable with its value in a placement."""
        return [(self.variable, self.of(placement))]

    def refine(self, placement: Placement) -> bool:  # noqa: ARG002 - exact everywhere
        """Return that the cost was not underestimated."""
        return False

    def exactly(self, placed: Mapping[str, int]) -> Fraction:
        """Return the cost of a division, not rounded."""
        whole, replicas = self.division.whole, self.division.replicas
        return max(
            Fraction(abs(whole * placed.get(cluster, 0) - replicas * weight), replicas * weight)
            for cluster, weight in self.division.weights.items()
        )

    def within(self, cluster: str, limit: Fraction, *, strictly: bool) -> Range:
        """Return the fewest and the most replicas that keep a cluster's distance within a limit.

        Parameters
        ----------
        strictly
            True where the distance must be less than the limit.
        """
        quota = Fraction(self.division.replicas * self.division.weights[cluster], self.division.whole)
        least, greatest = (1 - limit) * quota, (1 + limit) * quota
        fewest, most = -(-least // 1), greatest // 1
        if strictly:
            fewest += fewest == least
            most -= most == greatest
        return Range(int(fewest), int(most))


def add_peak_cost(
    model: cp_model.CpModel,
    workload: str,
    division: Division,
    scale: Scale,
    replicas: Mapping[str, cp_model.IntVar],
    ranges: Mapping[str, Range],
) -> PeakCost:
    """Add the greatest relative distance of a workload to a model.

    With M rounded down to steps, for every cluster c and k = floor(q_c)::

        N w_c M + N w_c - 1 >= L (W x_c - N w_c)
        N w_c M + N w_c - 1 >= L (N w_c - W x_c)
        M >= g(k) + (g(k+1) - g(k)) (x_c - k),   g(x) = floor(L |W x - N w_c| / (N w_c))

    The first two lose the rounding where costs are whole. The third is the segment of the integer hull
    around the quota; it is left out where rounding makes it steeper than the first two.
    """
    whole, steps = division.whole, scale.steps
    greatest = 0
    for cluster, weight in division.weights.items():
        ends = (abs(whole * at - division.replicas * weight) for at in ranges[cluster])
        greatest = max(greatest, steps * max(ends) // (division.replicas * weight))
    peak = model.new_int_var(0, greatest, "")
    for cluster, weight in division.weights.items():
        quota = division.replicas * weight
        rest = 0 if scale.exact else quota - 1
        x = replicas[cluster]
        for sign in (1, -1):
            row = cp_model.LinearExpr.weighted_sum([peak, x], [quota, -sign * steps * whole])
            model.add(row >= -sign * steps * quota - rest)
        k = quota // whole
        below, above = (steps * abs(whole * at - quota) // quota for at in (k, k + 1))
        slope = above - below
        if abs(slope) <= steps * whole // quota:
            model.add(cp_model.LinearExpr.weighted_sum([peak, x], [1, -slope]) >= below - slope * k)
    return PeakCost(peak, workload, division, scale)
