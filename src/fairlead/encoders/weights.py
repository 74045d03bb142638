"""Weights: the distance of a division from the wanted ratio."""

from fractions import Fraction

from fairlead.encoders.costs import Because
from fairlead.encoders.distances import distances_of
from fairlead.encoders.encoding import Encoding
from fairlead.encoders.open_tiers import distance_of_open_tier
from fairlead.encoders.peak import add_peak_cost
from fairlead.encoders.scale import Division, Scale, measured_of, scale_of
from fairlead.encoders.variables import Place
from fairlead.models.levels import DEVIATION, Deviation
from fairlead.models.rules import Weights
from fairlead.models.rules.weights import KIND
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
    scale = encoding.once(scale_of)
    because = Because(KIND, workload.key)
    encoding.prefer(DEVIATION, (), because=because, scale=scale.steps, exact=scale.exact)
    for measured in measured_of(rule, workload, encoding.held):
        if measured.is_open:
            cost = distance_of_open_tier(measured, workload.key, scale, encoding)
            encoding.prefer(DEVIATION, [cost], because=because, scale=scale.steps, exact=scale.exact)
            continue
        for division in measured.divisions:
            if encoding.problem.deviation is Deviation.MINIMAX:
                _encode_peak(division, workload, scale, encoding)
            else:
                _encode_sum(division, workload, scale, encoding)


def _encode_sum(division: Division, workload: Workload, scale: Scale, encoding: Encoding) -> None:
    """Add the cost of every cluster by itself."""
    webster = encoding.problem.deviation is Deviation.WEBSTER
    costs, start = [], 0
    distances = distances_of(division, scale, encoding.problem.deviation)
    for cluster, (function, least) in distances.items():
        costs.append(encoding.convex_cost(Place(workload.key, cluster), function))
        start += least
    encoding.prefer(
        DEVIATION,
        costs,
        because=Because(KIND, workload.key),
        constant=Fraction(start, scale.steps) + (division.replicas if webster else 0),
        scale=scale.steps,
        exact=scale.exact,
    )


def _encode_peak(division: Division, workload: Workload, scale: Scale, encoding: Encoding) -> None:
    """Add the greatest cost of all clusters."""
    replicas = {name: encoding.replicas(workload.key, name) for name in division.weights}
    ranges = {name: encoding.variables.range(Place(workload.key, name)) for name in division.weights}
    cost = add_peak_cost(encoding.model, workload.key, division, scale, replicas, ranges)
    encoding.prefer(
        DEVIATION,
        [cost],
        because=Because(KIND, workload.key),
        scale=scale.steps,
        exact=scale.exact,
    )
