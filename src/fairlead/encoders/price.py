"""Price: what a replica costs on a cluster."""

from collections.abc import Collection, Mapping
from fractions import Fraction

from fairlead.encoders.convex import proportional
from fairlead.encoders.costs import Origin
from fairlead.encoders.encoding import Encoding
from fairlead.encoders.scale import Held, StepScale, whole_steps
from fairlead.encoders.variables import Place
from fairlead.models.levels import Level
from fairlead.models.problem import Problem
from fairlead.models.rules import Price
from fairlead.models.rules.price import KIND
from fairlead.models.workload import Workload


def encode(rule: Price, workload: Workload, encoding: Encoding) -> None:
    """Minimise ``sum p_c x_c`` in whole steps of 1 / L.

    L is the least common denominator of all prices; where that leads to numbers above 2^53, L is as large as
    they allow and prices are rounded down to steps.
    """
    scale = encoding.once(_scales)[rule.level]
    costs = [
        encoding.convex_cost(Place(workload.key, name), proportional(int(price * scale.steps)))
        for name, price in sorted(rule.prices.items())
    ]
    because = Origin(KIND, workload.key)
    encoding.prefer(rule.level, costs, because=because, scale=scale.steps, exact=scale.exact)


def _scales(problem: Problem, _held: Held | None) -> Mapping[Level, StepScale]:
    """Return the steps in which all prices of a problem are measured, by level."""
    priced: dict[Level, list[tuple[int, Collection[Fraction]]]] = {}
    for workload in problem.workloads:
        for rule in workload.rules_of(Price):
            priced.setdefault(rule.level, []).append((workload.replicas, rule.prices.values()))
    return {
        level: whole_steps(
            (price.denominator for _, prices in each for price in prices),
            sum(replicas * max(prices, default=Fraction(0)) for replicas, prices in each),
        )
        for level, each in priced.items()
    }
