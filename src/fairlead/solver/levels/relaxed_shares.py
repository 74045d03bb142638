"""Prices on totals: what a level must cost at least, and which numbers of replicas a good placement can have.

Leave out every rule that ties workloads together. Then each workload divides its total by itself, and is best
divided at a price: every step ``k -> k + 1`` that costs less than the price is taken, none that costs more
(Fox 1966). The least cost of this relaxation is a bound. Any placement that is to cost at most a *cutoff* can
leave the relaxed optimum only so far: a step at cluster c that costs m instead of the price p adds at least
``|m - p|``, whatever the other clusters do. All arithmetic is in whole numbers, so nothing is lost.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fairlead.encoders.convex import ConvexFunction
from fairlead.encoders.variables import Interval, Place

# Ranges are followed at most so many steps from the relaxed optimum; farther ends stay as they are.
REACH = 512


@dataclass(frozen=True, slots=True)
class LevelShare:
    """One workload's part of a level.

    Parameters
    ----------
    places
        Where its replicas may stand.
    total
        Their sum; None where it is open.
    at_most
        True where the sum may be less.
    """

    places: Sequence[Place]
    total: int | None
    at_most: bool = False


@dataclass(frozen=True, slots=True)
class ShareOptimum:
    """The optimum of one workload by itself.

    Parameters
    ----------
    cost
        Cost of the optimum.
    price
        Cost of one replica more or less in total.
    replicas
        Replicas by place.
    """

    cost: int
    price: int
    replicas: Mapping[Place, int]


Functions = Mapping[Place, ConvexFunction]
_FREE = ConvexFunction(marginal=lambda _: 0, closed=lambda _: 0)


def relax_all(
    shares: Sequence[LevelShare], functions: Functions, ranges: Mapping[Place, Interval]
) -> tuple[ShareOptimum, ...] | None:
    """Divide every workload by itself.

    Parameters
    ----------
    functions
        Costs of replicas by place; places that are left out cost nothing.
    ranges
        Ranges that are known so far, for every place of the shares.

    Returns
    -------
    tuple of ShareOptimum or None
        One optimum a workload; None where the ranges of one do not allow its total.
    """
    found = [relax(share, functions, ranges) for share in shares]
    complete = tuple(relaxed for relaxed in found if relaxed is not None)
    return complete if len(complete) == len(found) else None


def tighten(
    found: Sequence[ShareOptimum], functions: Functions, ranges: Mapping[Place, Interval], cutoff: int
) -> dict[Place, Interval] | None:
    """Return the ranges that placements of at most the cutoff can have.

    Parameters
    ----------
    found
        The optimum of every workload by itself, in the given ranges.
    functions, ranges
        As they were for `relax_all`.
    cutoff
        Most that a placement may cost.

    Returns
    -------
    dict or None
        Narrower ranges; None where no placement costs so little.
    """
    slack = cutoff - sum(relaxed.cost for relaxed in found)
    if slack < 0:
        return None
    return {
        place: _reachable(functions.get(place, _FREE), ranges[place], at, relaxed.price, slack)
        for relaxed in found
        for place, at in relaxed.replicas.items()
    }


def relax(share: LevelShare, functions: Functions, ranges: Mapping[Place, Interval]) -> ShareOptimum | None:
    """Divide one workload by itself; None where its ranges do not allow its total."""
    used = [functions.get(place, _FREE) for place in share.places]
    low = [ranges[place].lower for place in share.places]
    high = [ranges[place].upper for place in share.places]
    if any(lower > upper for lower, upper in zip(low, high, strict=True)):
        return None
    price, at = 0, list[int]()
    if share.total is None or share.at_most:
        at = _upto(used, low, high, -1)
    # Where the sum may be less but a free choice takes more, the least cost is at the sum itself.
    if share.total is not None and (not share.at_most or sum(at) > share.total):
        if not sum(low) <= share.total <= sum(high):
            return None
        price, below, upto = _price(used, low, high, share.total)
        left = share.total - sum(below)
        at = []
        for least, most in zip(below, upto, strict=True):
            at.append(least + min(left, most - least))
            left -= at[-1] - least
    cost = sum(function(count) for function, count in zip(used, at, strict=True))
    return ShareOptimum(cost, price, dict(zip(share.places, at, strict=True)))


def _price(
    functions: Sequence[ConvexFunction], low: list[int], high: list[int], total: int
) -> tuple[int, list[int], list[int]]:
    """Return the price at which a total is reached, and the replicas below and up to that price."""
    steps = [
        (function.marginal(lower), function.marginal(upper - 1))
        for function, lower, upper in zip(functions, low, high, strict=True)
        if lower < upper
    ]
    if not steps:
        return 0, low, high
    cheap, dear = min(first for first, _ in steps) - 1, max(last for _, last in steps)
    # Replicas up to the price `cheap` are too few (or just enough at the first), up to `dear` enough.
    while dear - cheap > 1:
        middle = (cheap + dear) // 2
        counts = _upto(functions, low, high, middle)
        if sum(counts) >= total:
            dear, high = middle, counts
        else:
            cheap, low = middle, counts
    return dear, low, high


def _upto(functions: Sequence[ConvexFunction], low: list[int], high: list[int], price: int) -> list[int]:
    """Return the replicas between low and high whose steps cost at most a price."""
    found = []
    for function, lower, upper in zip(functions, low, high, strict=True):
        inside, outside = lower, upper
        while inside < outside:
            middle = (inside + outside) // 2
            if function.marginal(middle) <= price:
                inside = middle + 1
            else:
                outside = middle
        found.append(inside)
    return found


def _reachable(function: ConvexFunction, known: Interval, at: int, price: int, slack: int) -> Interval:
    """Return how far one place can be from the relaxed optimum."""
    most, left = at, slack
    while most < known.upper:
        left -= function.marginal(most) - price
        if left < 0:
            break
        most += 1
        if most - at == REACH:
            most = known.upper
    least, left = at, slack
    while least > known.lower:
        left -= price - function.marginal(least - 1)
        if left < 0:
            break
        least -= 1
        if at - least == REACH:
            least = known.lower
    return Interval(least, most)
