"""Move price: a replica moves only where the ratio gains at least so much by it."""

from fractions import Fraction

from fairlead.encoders.convex import ConvexFunction
from fairlead.encoders.costs import Cost, Origin
from fairlead.encoders.distances import known_distances
from fairlead.encoders.encoding import Encoding
from fairlead.encoders.moves import movable
from fairlead.encoders.open_totals import distance_of_open_tier
from fairlead.encoders.scale import measured_of, scale_of
from fairlead.encoders.variables import Place
from fairlead.models.errors import UnsupportedError
from fairlead.models.levels import NET, Deviation
from fairlead.models.rules import MovePrice, Weights
from fairlead.models.rules.move_price import KIND
from fairlead.models.workload import Workload


def encode(rule: MovePrice, workload: Workload, encoding: Encoding) -> None:
    """Minimise deviation plus price times moves, on one level.

    With d_c the distance of cluster c from its quota (see `weights`), held_c the replicas there now and p the
    price, in whole steps of 1 / L; a price that is no whole number of steps is rounded down::

        minimise  sum d_c(x_c) + p (sum max(0, held_c - x_c) - max(0, sum held_c - N))

    Under Duplicated held_c is at most a full copy, and no total shrinks (see `moves`).

    Raises `UnsupportedError` under ``minimax``, a maximum, beside which a price of moves has no unit.
    """
    if encoding.problem.deviation is Deviation.MINIMAX:
        raise UnsupportedError("a price of moves cannot be weighed against minimax; use webster or l1")
    scale = encoding.once(scale_of)
    steps = int(rule.price * scale.steps)
    held, shrunk = movable(workload, rule.present, encoding)
    constant = -Fraction(steps * shrunk, scale.steps)
    ratio = workload.rule(Weights)
    measured = () if ratio is None else measured_of(ratio, workload, encoding.held)
    functions, on_top = known_distances(measured, scale, encoding.problem.deviation)
    constant += on_top
    for cluster, count in sorted(held.items()):
        functions[cluster], at_anchor = _with_moves(functions.get(cluster), count, steps)
        constant += Fraction(at_anchor, scale.steps)
    costs: list[Cost] = [
        encoding.convex_cost(Place(workload.key, cluster), function)
        for cluster, function in functions.items()
    ]
    costs += (distance_of_open_tier(each, workload.key, scale, encoding) for each in measured if each.is_open)
    encoding.prefer(
        NET,
        costs,
        because=Origin(KIND, workload.key),
        constant=constant,
        scale=scale.steps,
        exact=scale.exact and steps == rule.price * scale.steps,
    )


def _with_moves(distance: ConvexFunction | None, held: int, price: int) -> tuple[ConvexFunction, int]:
    """Add the price of what is stopped to a distance; return what the sum is at its anchor as well."""
    base = distance or ConvexFunction(lambda _: 0, lambda _: 0, held)
    at_anchor = price * max(0, held - base.anchor)

    def marginal(k: int) -> int:
        return base.marginal(k) - (price if k < held else 0)

    def closed(x: int) -> int:
        return base(x) + price * max(0, held - x) - at_anchor

    return ConvexFunction(marginal, closed, base.anchor), at_anchor
