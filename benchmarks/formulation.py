"""A batch as a sum of convex costs of single places: the common ground of the models that compete.

Every place is cut into the pieces of the integer hull of its cost, so that a linear relaxation sees what
whole replicas cost. Shares no code with fairlead's own way to solve a batch, apart from the bounds of places.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from answers import NotApplicableError

from fairlead.models.levels import Deviation
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Capacity, Moves, Total, Weights, WorkloadRule
from fairlead.models.rules.capacity import demands
from fairlead.models.workload import Workload
from fairlead.solver.exact.boxes import WorkloadBox, box_of

# Costs are exact, one piece for every replica, where that is at most so many pieces for the whole batch.
MOST_PIECES = 30_000
# Elsewhere so many replicas to both sides of the share; farther away pieces grow wider and underestimate.
EXACT_REACH = 12
# So many pieces of one width before it doubles.
PIECES_OF_A_WIDTH = 4


@dataclass(frozen=True, slots=True)
class Piece:
    """So many replicas that cost the same each."""

    width: int
    slope: Fraction


@dataclass(frozen=True, slots=True)
class Place:
    """A workload on a cluster.

    Parameters
    ----------
    workload, cluster
        Key and name.
    lower, upper
        Fewest and most replicas.
    pieces
        From the lower bound up, slopes rise.
    weight, whole
        Weight of the cluster and of all candidates, for the naive model.
    """

    workload: str
    cluster: str
    lower: int
    upper: int
    pieces: tuple[Piece, ...]
    weight: int
    whole: int


@dataclass(frozen=True, slots=True)
class Limit:
    """Places with what a replica takes there; together at most so much."""

    needs: Mapping[int, int]
    most: int


@dataclass(frozen=True, slots=True)
class Formulation:
    """The whole batch.

    Parameters
    ----------
    deviation
        The measure of distance.
    places
        All places of all workloads.
    totals
        For every workload the positions of its places and its replicas.
    limits
        Capacities that could be exceeded.
    constant
        Cost of the lower bounds.
    exact
        False where costs far from the shares are underestimated: bounds hold, values have to be scored.
    """

    deviation: Deviation
    places: tuple[Place, ...]
    totals: tuple[tuple[range, int], ...]
    limits: tuple[Limit, ...]
    constant: Fraction
    exact: bool

    def placement(self, replicas: list[int]) -> Placement:
        """Return replicas by place as a placement."""
        placed: dict[str, dict[str, int]] = {}
        for place, count in zip(self.places, replicas, strict=True):
            here = placed.setdefault(place.workload, {})
            if count:
                here[place.cluster] = count
        return Placement(placed)


def formulate(problem: Problem) -> Formulation:
    """Write a problem down in this form.

    Raises
    ------
    NotApplicableError
        Where it has rules that are no matter of single places.
    """
    if problem.deviation is Deviation.MINIMAX or problem.partial:
        raise NotApplicableError("the models know the measures l1 and webster only, and no partial placement")
    boxes = {workload.key: box_of(workload, problem, problem.limits) for workload in problem.workloads}
    exact = (
        problem.deviation is Deviation.L1
        or sum(int((boxed.box.upper - boxed.box.lower).sum()) for boxed in boxes.values()) <= MOST_PIECES
    )
    reach = None if exact else EXACT_REACH
    places: list[Place] = []
    totals: list[tuple[range, int]] = []
    constant = Fraction(0)
    for workload in problem.workloads:
        found, least = _of_workload(workload, problem, boxes[workload.key], reach)
        totals.append((range(len(places), len(places) + len(found)), workload.replicas))
        places += found
        constant += least
    limits = tuple(_limits(problem, places))
    return Formulation(problem.deviation, tuple(places), tuple(totals), limits, constant, exact)


def _of_workload(
    workload: Workload, problem: Problem, boxed: WorkloadBox, reach: int | None
) -> tuple[list[Place], Fraction]:
    """Cut the places of a workload; return also what its lower bounds cost."""
    if not all(_is_known(rule, workload) for rule in workload.rules):
        raise NotApplicableError(f"the models do not know a rule of {workload.key}")
    rule = workload.rule(Weights)
    weights = rule.weights if rule else {}
    whole, places = sum(weights.values()), []
    constant = Fraction(workload.replicas if problem.deviation is Deviation.WEBSTER and whole else 0)
    bounds = zip(boxed.names, boxed.box.lower.tolist(), boxed.box.upper.tolist(), strict=True)
    for name, low, high in bounds:
        weight = weights.get(name, 0)
        pieces: tuple[Piece, ...] = (Piece(high - low, Fraction(0)),)
        if weight and workload.replicas:
            cost, unit = _cost(weight, whole, workload.replicas, problem.deviation)
            centre = min(high, max(low, workload.replicas * weight // whole))
            breaks = (
                sorted({low, centre, min(high, centre + 1), high})
                if problem.deviation is Deviation.L1
                else _breaks(low, high, centre, reach)
            )
            pieces = tuple(_cut(cost, unit, breaks, centre))
            least = sum(
                piece.width * piece.slope
                for piece, end in zip(pieces, breaks[1:], strict=True)
                if end <= centre
            )
            constant += Fraction(cost(centre), unit) - least
        places.append(Place(workload.key, name, low, high, pieces, weight, whole))
    return places, constant


def _breaks(low: int, high: int, centre: int, reach: int | None) -> list[int]:
    """Return the ends of the pieces: single replicas near the centre, then more and more."""
    if reach is None:
        return list(range(low, high + 1))
    found = set(range(max(low, centre - reach), min(high, centre + reach) + 1))
    distance, number = reach, 0
    while centre - distance > low or centre + distance < high:
        distance += 2 ** (1 + number // PIECES_OF_A_WIDTH)
        number += 1
        found |= {max(low, centre - distance), min(high, centre + distance)}
    return sorted(found)


def _cut(cost: Callable[[int], int], unit: int, breaks: list[int], centre: int) -> Iterator[Piece]:
    """Yield the pieces; wide ones take the slope of their replica that is nearest to the centre."""
    for start, end in pairwise(breaks):
        nearest = end - 1 if end <= centre else start
        yield Piece(end - start, Fraction(cost(nearest + 1) - cost(nearest), unit))


def _is_known(rule: WorkloadRule, workload: Workload) -> bool:
    """Tell whether a rule is a matter of single places and counts on no level but the deviation."""
    match rule:
        case Candidates() | Total():
            return True
        case Bounds():
            return not rule.preferred and not rule.where_held
        case Weights():
            return not rule.tiers
        case Moves():
            return not workload.current
        case _:
            return False


def _cost(weight: int, whole: int, replicas: int, deviation: Deviation) -> tuple[Callable[[int], int], int]:
    """Return the cost of one place in whole steps, and how many steps are 1.

    abs(x - q) in steps of 1 / W, and x^2 / q - 2 x in steps of 1 / (N w), with q = N w / W.
    """
    if deviation is Deviation.L1:
        return lambda at: abs(whole * at - replicas * weight), whole
    return lambda at: whole * at * at - 2 * replicas * weight * at, replicas * weight


def _limits(problem: Problem, places: list[Place]) -> Iterator[Limit]:
    """Yield the capacities that all places together could exceed, in units of the greatest common divisor."""
    if not any(isinstance(rule, Capacity) for rule in problem.rules):
        return
    found: dict[tuple[str, str], dict[int, int]] = {}
    for number, place in enumerate(places):
        cluster = problem.cluster_by_name[place.cluster]
        if cluster.free is not None:
            for resource, need in demands(problem.workload(place.workload), cluster).items():
                found.setdefault((place.cluster, resource), {})[number] = need
    for key, needs in sorted(found.items()):
        most = problem.limits.get(key, 0)
        if sum(need * places[number].upper for number, need in needs.items()) > most:
            divisor = math.gcd(*needs.values())
            yield Limit({number: need // divisor for number, need in needs.items()}, most // divisor)
