"""Least costs of single workloads at the prices of a bound, as lines of a CP-SAT model.

A bound by prices adds up what every workload costs at least at these prices, whatever it chooses
(`fairlead.solver.columns.mix`). Each of these minima holds for every placement by itself, so it may be a
line of a model. With all of them the linear relaxation knows at least what the bound knows, where else it
mixes numbers of replicas and sets of clusters that no workload can choose together. What CP-SAT branches on
then raises a bound that is close already.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from fairlead.encoders.convex import Term
from fairlead.encoders.encoding import Encoding
from fairlead.encoders.variables import Place
from fairlead.solver.columns.branching import Branches
from fairlead.solver.columns.mix import Mix, PricedMixes

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

FINE = 2**50
"""Sum of a line, about, in whole numbers: the finer, the less is lost where they are rounded."""
FAR = 2**8
"""Multiple of `FINE` that is beyond all that a line can add up to."""


def priced_lines(encoding: Encoding, branches: Branches) -> Iterator[tuple[list[Term], int]]:
    """Yield for every workload what it costs at the prices that bound best, and what that is not below.

    Parameters
    ----------
    encoding
        A model of placements of which the bound holds.
    branches
        What is bounded.
    """
    master = branches.whole
    priced = master.priced
    if priced is None:
        return
    by_cluster = master.rows.by_cluster(master.needs * priced.prices).tolist()
    for mix, prices, least in zip(master.mixes, by_cluster, priced.terms, strict=True):
        terms = _terms(encoding, branches, mix, priced)
        if terms is None:
            continue
        slopes, known = terms
        for name, price in zip(mix.choice.names, prices, strict=True):
            if price and encoding.variables.range(Place(mix.choice.key, name)).upper > 0:
                variable = encoding.replicas(mix.choice.key, name)
                _, slope = slopes.get(variable.index, (variable, 0))
                slopes[variable.index] = variable, slope + Fraction(price)
        dearest = max((abs(slope) for _, slope in slopes.values()), default=Fraction(0))
        if not dearest:
            continue
        finer = FINE / (dearest * mix.choice.total * len(prices))
        bottom = math.floor((least - known) * finer)
        # Where nobody knows what a workload costs at least, that is far below what any line adds up to.
        if abs(bottom) < FAR * FINE:
            # No variable is below 0.
            yield [(variable, math.ceil(slope * finer)) for variable, slope in slopes.values()], bottom


def _terms(
    encoding: Encoding, branches: Branches, mix: Mix, priced: PricedMixes
) -> "tuple[dict[int, tuple[cp_model.IntVar, Fraction]], Fraction] | None":
    """Return the cost of a workload on all levels as they weigh: variables with slopes, and the constant.

    None where the model knows nothing of a cost.
    """
    slopes: dict[int, tuple[cp_model.IntVar, Fraction]] = {}
    known = Fraction(0)
    for level, own, scale in zip(branches.levels, mix.own, priced.scales, strict=True):
        if not own.counts:
            continue
        cost = encoding.levels[level].alone(mix.choice.key)
        if not cost.costs:
            return None
        steps, offset = cost.terms()
        rounded = cost.rounded(mix.choice.total, len(mix.choice.names))
        known += scale * cost.value(offset + rounded)
        for variable, step in steps:
            _, slope = slopes.get(variable.index, (variable, Fraction(0)))
            slopes[variable.index] = variable, slope + Fraction(scale * step, cost.scale)
    return slopes, known
