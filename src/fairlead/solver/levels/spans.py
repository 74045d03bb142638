"""Fewest and most replicas of every workload on every cluster, and costs of levels in fractions then.

Only single workloads are looked at: what they share, spread constraints and levels that come before are left
out. So these numbers depend on the problem alone, never on how far a search came.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from fairlead.models.cluster import PODS
from fairlead.models.in_order import kept
from fairlead.models.levels import CLUSTERS, DEVIATIONS, MOVES, PRICED, Deviation, Level, tier
from fairlead.models.problem import Problem
from fairlead.models.rules import Duplicated, Moves, Tiers, Weights
from fairlead.models.rules.balance import Balance
from fairlead.models.rules.capacity import needs
from fairlead.models.rules.duplicated import copy_on
from fairlead.models.rules.price import prices_on
from fairlead.models.score import levels_of_workload
from fairlead.models.validity import largest, together
from fairlead.models.workload import Workload
from fairlead.solver.exact.boxes import box_of, has_box, replicas_placed


@dataclass(frozen=True, slots=True)
class ReplicaSpan:
    """Replicas of one workload.

    Parameters
    ----------
    ends
        Fewest and most replicas by cluster.
    total
        How many there are in all; None where that is open.
    """

    ends: Mapping[str, tuple[int, int]]
    total: int | None


def span_of(workload: Workload, problem: Problem) -> ReplicaSpan:
    """Return the fewest and most replicas of a workload."""
    if not workload.replicas:
        return ReplicaSpan({}, 0)
    copies = workload.rule(Duplicated)
    if not has_box(workload):
        return _open(workload, problem)
    boxed = box_of(workload, problem)
    pairs = zip(boxed.box.lower.tolist(), boxed.box.upper.tolist(), strict=True)
    ends = {name: (low, max(low, high)) for name, (low, high) in zip(boxed.names, pairs, strict=True)}
    if copies is not None:
        return ReplicaSpan(ends, sum(low for low, _ in ends.values()))
    least, most_of_all = sum(low for low, _ in ends.values()), sum(high for _, high in ends.values())
    total = workload.replicas
    within = {
        name: (max(low, total - most_of_all + high), min(high, total - least + low))
        for name, (low, high) in ends.items()
    }
    return ReplicaSpan({name: (low, max(low, high)) for name, (low, high) in within.items()}, total)


def _open(workload: Workload, problem: Problem) -> ReplicaSpan:
    """Return the replicas of a workload without a total: copies that it chooses are whole or missing."""
    copies, boxed = workload.rule(Duplicated), box_of(workload, problem)
    lows, highs = boxed.box.lower.tolist(), boxed.box.upper.tolist()
    if copies is not None:
        sizes = [copy_on(copies, workload, name) for name in boxed.names]
        lows = [0] * len(sizes)
        highs = [high if high >= size else 0 for high, size in zip(highs, sizes, strict=True)]
    total = replicas_placed(workload, problem)
    if total is None and lows == highs:
        total = sum(lows)
    mosts = highs if total is None else [min(high, total) for high in highs]
    pairs = zip(boxed.names, lows, mosts, strict=True)
    return ReplicaSpan({name: (low, max(low, most)) for name, low, most in pairs}, total)


Spans = Mapping[str, ReplicaSpan]
"""Spans by key of workload."""


@kept
def spans_of(problem: Problem) -> Spans:
    """Return the fewest and most replicas of every workload, by key."""
    return {workload.key: span_of(workload, problem) for workload in problem.workloads}


def least_balance(rule: Balance, problem: Problem, spans: Spans) -> Fraction:
    """Return how evenly clusters could be filled in fractions, at best.

    A resource of which it is open how much is used in all adds nothing: where clusters of unknown capacity
    take part, or copies are chosen.
    """
    members = [each for each in problem.workloads if each.key in rule.members]
    found = Fraction(0)
    for resource, shares in rule.shares.items():
        low, high, total = dict.fromkeys(shares, 0), dict.fromkeys(shares, 0), 0
        steady = all(uses_alike(each, spans[each.key], resource, shares, problem) for each in members)
        for each in members if steady else ():
            need = needs(each).get(resource, 0)
            total += need * (spans[each.key].total or 0)
            for name, (least, most) in spans[each.key].ends.items():
                if name in shares:
                    low[name] += need * least
                    high[name] += need * most
        if problem.has_capacity:
            high = {name: min(most, problem.limits[name, resource]) for name, most in high.items()}
        ends = {name: (low[name], max(low[name], high[name])) for name in shares}
        filled = (
            evened({name: share * total for name, share in shares.items()}, ends, total) if total else None
        )
        if filled is not None:
            parts = ((filled[name] / total - share, share) for name, share in shares.items())
            found += sum((gap * gap / share for gap, share in parts), Fraction(0))
    return found


def uses_alike(
    workload: Workload, span: ReplicaSpan, resource: str, shares: Mapping[str, Fraction], problem: Problem
) -> bool:
    """Tell whether a workload uses as much of a resource of some clusters wherever its replicas stand."""
    if not needs(workload).get(resource, 0):
        return True
    counted = shares.keys() & problem.charged.with_pods if resource == PODS else shares.keys()
    return span.total is not None and all(name in counted for name, (_, most) in span.ends.items() if most)


def used_between(
    rule: Balance, problem: Problem, spans: Spans
) -> tuple[dict[str, int], dict[str, tuple[int, int]]]:
    """Return how much members use of all clusters of a balance by resource, and at least and at most.

    The first where that is the same in every placement, the second elsewhere.
    """
    known, ends = dict[str, int](), dict[str, tuple[int, int]]()
    members = [each for each in problem.workloads if each.key in rule.members]
    for resource, shares in rule.shares.items():
        low = high = 0
        for each in members:
            least, most = _inside(each, spans[each.key], resource, shares, problem)
            low, high = low + least, high + most
        if low == high:
            known[resource] = low
        else:
            ends[resource] = low, high
    return known, ends


def _inside(
    workload: Workload, span: ReplicaSpan, resource: str, shares: Mapping[str, Fraction], problem: Problem
) -> tuple[int, int]:
    """Return how much a workload uses of a resource of some clusters at least and at most."""
    need = needs(workload).get(resource, 0)
    counted = shares.keys() & problem.charged.with_pods if resource == PODS else shares.keys()
    if problem.partial:
        # Whatever asks for replicas elsewhere may give way.
        return 0, need * together(workload, largest(workload), counted)
    inside = [ends for name, ends in span.ends.items() if name in counted]
    outside = [ends for name, ends in span.ends.items() if name not in counted]
    least, most = sum(low for low, _ in inside), sum(high for _, high in inside)
    if span.total is not None:
        least = max(least, span.total - sum(high for _, high in outside))
        most = min(most, span.total - sum(low for low, _ in outside))
    return need * least, need * most


def evened(
    quotas: Mapping[str, Fraction], ends: Mapping[str, tuple[int, int]], total: int | Fraction
) -> dict[str, Fraction] | None:
    """Return the division in fractions that minimises sum (x - q)^2 / q: every x is q times one factor.

    That is, as far as the ends let it. None where these do not allow the total.
    """
    if not sum(low for low, _ in ends.values()) <= total <= sum(high for _, high in ends.values()):
        return None
    factors = sorted({end / quotas[name] for name, both in ends.items() for end in both if quotas[name]})

    def at(factor: Fraction) -> dict[str, Fraction]:
        return {
            name: min(Fraction(high), max(Fraction(low), quotas[name] * factor))
            for name, (low, high) in ends.items()
        }

    def held(factor: Fraction) -> Fraction:
        return sum(at(factor).values(), Fraction(0))

    if not factors:
        return at(Fraction(0))
    below, above = 0, len(factors) - 1
    while below < above:
        middle = (below + above) // 2
        below, above = (below, middle) if held(factors[middle]) >= total else (middle + 1, above)
    upper = factors[above]
    lower = factors[above - 1] if above else upper
    first, last = held(lower), held(upper)
    return at(upper if first == last else lower + (upper - lower) * (total - first) / (last - first))


def least_alone(workload: Workload, problem: Problem, level: Level) -> Fraction:
    """Return the least that a level costs of one workload, in fractions; 0 where no more is known."""
    if level not in levels_of_workload(workload):
        return Fraction(0)
    span = span_of(workload, problem)
    if span.total is None or not span.ends:
        return Fraction(0)
    if level in DEVIATIONS:
        return _least_deviation(workload, problem.deviation, span)
    if level.key in MOVES:
        return Fraction(_least_moves(workload, span))
    if level in PRICED:
        return _least_cost(prices_on(workload, level), span)
    if level == CLUSTERS:
        return _fewest_clusters(span)
    if level.key == tier(1).key:
        return Fraction(_beyond(workload, span, level.number))
    return Fraction(0)


def _least_deviation(workload: Workload, deviation: Deviation, span: ReplicaSpan) -> Fraction:
    """Return the least distance from the quotas; of overflow tiers nothing is known."""
    rule = workload.rule(Weights)
    whole = 0 if rule is None else sum(rule.weights.values())
    if rule is None or rule.tiers or not whole:
        return Fraction(0)
    quotas = {
        name: Fraction(workload.replicas * weight, whole) for name, weight in rule.weights.items() if weight
    }
    ends = {name: span.ends.get(name, (0, 0)) for name in quotas}
    over = sum((max(Fraction(0), low - quotas[name]) for name, (low, _) in ends.items()), Fraction(0))
    under = sum((max(Fraction(0), quotas[name] - high) for name, (_, high) in ends.items()), Fraction(0))
    beside = [both for name, both in span.ends.items() if name not in quotas]
    least = workload.replicas - sum(high for _, high in beside)
    most = min(workload.replicas - sum(low for low, _ in beside), sum(high for _, high in ends.values()))
    # As near to all quotas as the ends let it, if clusters that are not measured may hold the rest.
    total = min(Fraction(most), max(Fraction(least), workload.replicas + over - under))
    match deviation:
        case Deviation.WEBSTER:
            filled = evened(quotas, ends, total) or quotas
            return sum(((filled[name] - quota) ** 2 / quota for name, quota in quotas.items()), Fraction(0))
        case Deviation.L1:
            above = max(over, under + total - workload.replicas)
            return 2 * above + workload.replicas - total
        case Deviation.MINIMAX:
            away = (
                max(low - quotas[name], quotas[name] - high) / quotas[name]
                for name, (low, high) in ends.items()
            )
            return max(Fraction(0), *away)


def _least_moves(workload: Workload, span: ReplicaSpan) -> int:
    """Return the moves of replicas for which there is no room where they run."""
    rule = workload.rule(Moves)
    present = rule.present if rule else frozenset[str]()
    held = {name: count for name, count in workload.current.items() if name in present}
    gone = sum(max(0, count - span.ends.get(name, (0, 0))[1]) for name, count in held.items())
    return max(0, gone - max(0, sum(held.values()) - workload.replicas))


def _least_cost(prices: Mapping[str, Fraction], span: ReplicaSpan) -> Fraction:
    """Return the cost of replicas where the cheapest clusters are filled first."""
    cost = sum((prices.get(name, Fraction(0)) * low for name, (low, _) in span.ends.items()), Fraction(0))
    left = (span.total or 0) - sum(low for low, _ in span.ends.values())
    for name in sorted(span.ends, key=lambda each: (prices.get(each, Fraction(0)), each)):
        more = min(left, span.ends[name][1] - span.ends[name][0])
        cost += prices.get(name, Fraction(0)) * more
        left -= more
    return cost


def _fewest_clusters(span: ReplicaSpan) -> Fraction:
    """Return how many clusters are used at least, the last one in part."""
    left, used = span.total or 0, Fraction(0)
    for most in sorted((high for _, high in span.ends.values() if high), reverse=True):
        used += Fraction(min(left, most), most)
        left -= min(left, most)
    return used


def _beyond(workload: Workload, span: ReplicaSpan, number: int) -> int:
    """Return the replicas for which the first tiers have no room."""
    rule = workload.rule(Tiers)
    before = frozenset[str]().union(*(rule.tiers[:number] if rule else ()))
    room = sum(high for name, (_, high) in span.ends.items() if name in before)
    return max(0, (span.total or 0) - room)
