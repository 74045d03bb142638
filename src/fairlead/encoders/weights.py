"""Weights: the distance of a division from the wanted ratio."""

from fractions import Fraction

from fairlead.encoders.costs import Because, Cost
from fairlead.encoders.distances import known_distances
from fairlead.encoders.encoding import Encoding
from fairlead.encoders.open_tiers import distance_of_open_tier
from fairlead.encoders.peak import PeakCost, add_peak_cost
from fairlead.encoders.scale import Division, Scale, measured_of, scale_of
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
    because = Because(KIND, workload.key)
    encoding.prefer(
        level(rule), costs, because=because, constant=on_top, scale=scale.steps, exact=scale.exact
    )


def _peak(division: Division, workload: Workload, scale: Scale, encoding: Encoding) -> PeakCost:
    """Return the greatest cost of all clusters."""
    replicas = {name: encoding.replicas(workload.key, name) for name in division.weights}
    ranges = {name: encoding.variables.range(Place(workload.key, name)) for name in division.weights}
    return add_peak_cost(encoding.model, workload.key, division, scale, replicas, ranges)
