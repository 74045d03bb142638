"""Weights: the distance of a division from the wanted ratio."""

from fractions import Fraction

from ortools.sat.python import cp_model

from fairlead.encoders.costs import Cost, Origin, PeakCost
from fairlead.encoders.distances import known_distances
from fairlead.encoders.encoding import Encoding
from fairlead.encoders.open_totals import distance_of_open_tier
from fairlead.encoders.scale import Apportionment, StepScale, measured_of, scale_of
from fairlead.encoders.variables import Place
from fairlead.models.levels import Deviation
from fairlead.models.rules import Weights
from fairlead.models.rules.weights import KIND, level
from fairlead.models.workload import Workload


def encode(rule: Weights, workload: Workload, encoding: Encoding) -> None:
    """Divide the workload as closely to the ratio of the weights as the other rules allow.

    With quotas ``q_c = N w_c / W`` over the clusters c of positive weight, in whole steps of 1 / L::

        webster   minimise  sum ((W / (N w_c)) x_c^2 - 2 x_c) + N      = sum (x_c - q_c)^2 / q_c
        l1        minimise  sum |x_c - q_c|
        minimax   minimise  M,   M >= |x_c - q_c| / q_c

    With overflow tiers every tier that holds replicas is measured by itself, N and W being its own; where
    what it holds is open, see `open_tiers`. The sums are convex costs of single variables. L is the least
    common denominator over all workloads; where that leads to numbers above 2^60, L is as large as they allow
    and every step of a cost is rounded towards 0. That keeps equal steps equal, keeps their order, and never
    overestimates a cost.
    """
    scale, deviation = encoding.once(scale_of), encoding.problem.deviation
    measured = measured_of(rule, workload, encoding.held)
    costs: list[Cost] = []
    on_top = Fraction(0)
    if deviation is Deviation.MINIMAX:
        known = (division for each in measured if not each.is_open for division in each.divisions)
        costs += (_peak(division, workload, scale, encoding) for division in known)
    else:
        functions, on_top = known_distances(measured, scale, deviation)
        costs += (encoding.convex_cost(Place(workload.key, name), each) for name, each in functions.items())
    costs += (distance_of_open_tier(each, workload.key, scale, encoding) for each in measured if each.is_open)
    because = Origin(KIND, workload.key)
    encoding.prefer(
        level(rule), costs, because=because, constant=on_top, scale=scale.steps, exact=scale.exact
    )


def _peak(division: Apportionment, workload: Workload, scale: StepScale, encoding: Encoding) -> PeakCost:
    """Return the greatest relative distance of all clusters.

    With M rounded down to steps, for every cluster c and k = floor(q_c)::

        N w_c M + N w_c - 1 >= L (W x_c - N w_c)
        N w_c M + N w_c - 1 >= L (N w_c - W x_c)
        M >= g(k) + (g(k+1) - g(k)) (x_c - k),   g(x) = floor(L |W x - N w_c| / (N w_c))

    The first two lose the rounding where costs are whole. The third is the segment of the integer hull
    around the quota; it is left out where rounding makes it steeper than the first two.
    """
    whole, steps = division.whole, scale.steps
    replicas = {name: encoding.replicas(workload.key, name) for name in division.weights}
    greatest = 0
    for cluster, weight in division.weights.items():
        known = encoding.variables.range(Place(workload.key, cluster))
        ends = (abs(whole * at - division.replicas * weight) for at in known)
        greatest = max(greatest, steps * max(ends) // (division.replicas * weight))
    peak = encoding.model.new_int_var(0, greatest, "")
    for cluster, weight in division.weights.items():
        quota = division.replicas * weight
        rest = 0 if scale.exact else quota - 1
        x = replicas[cluster]
        for sign in (1, -1):
            row = cp_model.LinearExpr.weighted_sum([peak, x], [quota, -sign * steps * whole])
            encoding.model.add(row >= -sign * steps * quota - rest)
        k = quota // whole
        below, above = (steps * abs(whole * at - quota) // quota for at in (k, k + 1))
        slope = above - below
        if abs(slope) <= steps * whole // quota:
            encoding.model.add(cp_model.LinearExpr.weighted_sum([peak, x], [1, -slope]) >= below - slope * k)
    return PeakCost(peak, workload.key, division, scale)
