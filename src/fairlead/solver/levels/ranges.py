"""Shares, tiers and ranges of a problem, for the search between levels. Pure functions."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from types import MappingProxyType

from fairlead.encoders.costs import PeakCost
from fairlead.encoders.scale import Held
from fairlead.encoders.variables import Interval, Place, PlaceSet, replicas_at
from fairlead.models.levels import Level, tier
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.requirement import UNPLACED
from fairlead.models.rules import Tiers, Total, Weights
from fairlead.models.workload import Workload
from fairlead.solver.levels.relaxed_shares import LevelShare, ShareOptimum

Pinned = Mapping[Level, tuple[int | Fraction, int]]
"""Levels with what they are at least and at most."""


def shares_of(problem: Problem, totals: Mapping[str, int] = MappingProxyType({})) -> list[LevelShare]:
    """Return the places and totals by which every workload is divided by itself.

    Parameters
    ----------
    totals
        In a partial problem: how many replicas are placed of those workloads of which that is known.
    """
    clusters = [cluster.name for cluster in problem.clusters]
    return [
        LevelShare(
            [Place(workload.key, name) for name in clusters],
            None if workload.rule(Total) is None else totals.get(workload.key, workload.replicas),
            at_most=problem.partial and workload.key not in totals,
        )
        for workload in problem.workloads
    ]


def totals_known(problem: Problem, level: Level, unplaced: int) -> dict[str, int]:
    """Return how many replicas are placed of which workload, where their sum over one priority is proven.

    Parameters
    ----------
    level
        Any level; unless it is about unplaced replicas nothing is known.
    unplaced
        Least number of replicas that stay unplaced on that level.
    """
    counted = [each for each in problem.workloads if each.priority == level.priority]
    sized = [each for each in counted if each.rule(Total) is not None]
    if level.key != UNPLACED or (unplaced and (len(sized) != 1 or len(counted) != 1)):
        return {}
    return {each.key: each.replicas - unplaced for each in sized}


def placement_of(found: Sequence[ShareOptimum]) -> Placement:
    """Return the placement of several workloads, each divided by itself."""
    replicas: dict[str, dict[str, int]] = {}
    for relaxed in found:
        for place, count in relaxed.replicas.items():
            replicas.setdefault(place.workload, {})[place.cluster] = count
    return Placement(replicas)


def beyond_tiers(workload: Workload) -> list[PlaceSet]:
    """Return the clusters beyond every overflow tier but the last."""
    tiers = next(rule.tiers for rule in workload.rules_of(Tiers))
    return [PlaceSet(workload.key, frozenset().union(*tiers[number:])) for number in range(1, len(tiers))]


def within_totals(shares: Sequence[LevelShare], ranges: Mapping[Place, Interval]) -> dict[Place, Interval]:
    """Return the ranges that leave every workload its total: what others hold at least is not left."""
    found = dict(ranges)
    for share in shares:
        known = [ranges[place] for place in share.places]
        if share.total is None or any(lower > upper for lower, upper in known):
            continue
        spare = share.total - sum(lower for lower, _ in known)
        lacking = 0 if share.at_most else share.total - sum(upper for _, upper in known)
        for place, (lower, upper) in zip(share.places, known, strict=True):
            least = lower if share.at_most else max(lower, upper + lacking)
            found[place] = Interval(least, min(upper, lower + spare))
    return found


def within_peaks(
    ranges: Mapping[Place, Interval], peaks: Sequence[PeakCost], limit: Fraction, *, strictly: bool
) -> dict[Place, Interval]:
    """Return the ranges in which no distance of a workload exceeds a limit."""
    found = dict(ranges)
    for peak in peaks:
        for cluster in peak.division.weights:
            place = Place(peak.workload, cluster)
            least, most = peak.within(cluster, limit, strictly=strictly)
            found[place] = found[place].within(least, most)
    return found


def held_by_tiers(
    problem: Problem, ranges: Mapping[Place, Interval], totals: Mapping[str, int], pinned: Pinned
) -> Held:
    """Return how many replicas every overflow tier holds at least and at most, by workload.

    Parameters
    ----------
    ranges
        Fewest and most replicas of every place.
    totals
        In a partial problem: how many replicas are placed of those workloads of which that is known.
    pinned
        Levels that are settled. Of the replicas beyond a tier a workload holds what the level allows less
        what the others hold at least.
    """
    alone = {
        each.key: list(_beyond_alone(each, problem, ranges, totals))
        for each in problem.workloads
        if each.rule(Tiers) is not None
    }
    beyond = {key: list(each) for key, each in alone.items()}
    for workload in problem.workloads:
        for number in range(1, len(beyond.get(workload.key, ()))):
            level = Level(tier(number).key, number, workload.priority)
            if level in pinned:
                others = [
                    alone[each.key][number]
                    for each in problem.workloads
                    if each.key != workload.key
                    and each.priority == workload.priority
                    and number < len(alone.get(each.key, ()))
                ]
                beyond[workload.key][number] = _left(alone[workload.key][number], others, pinned[level])
    return {
        workload.key: _by_tier(rule, workload, ranges, beyond.get(workload.key))
        for workload in problem.workloads
        for rule in workload.rules_of(Weights)
        if rule.tiers
    }


def _beyond_alone(
    workload: Workload, problem: Problem, ranges: Mapping[Place, Interval], totals: Mapping[str, int]
) -> Iterator[Interval]:
    """Yield the replicas of a workload in all, beyond its first tier, and so on, as far as ranges tell."""
    rule = workload.rule(Tiers)
    tiers = rule.tiers if rule is not None else ()
    everywhere = frozenset(problem.cluster_by_name)
    everything = _held(workload, everywhere, ranges)
    if workload.rule(Total) is not None:
        placed = totals.get(workload.key, workload.replicas)
        fewest = 0 if problem.partial and workload.key not in totals else placed
        everything = everything.within(fewest, placed)
    yield everything
    inside: frozenset[str] = frozenset()
    for members in tiers[:-1]:
        inside |= members
        within, outside = _held(workload, inside, ranges), _held(workload, everywhere - inside, ranges)
        yield outside.within(everything.lower - within.upper, everything.upper - within.lower)


def _left(known: Interval, others: list[Interval], level: tuple[int | Fraction, int]) -> Interval:
    """Return the range of one workload where all together hold as many as a level says."""
    least, most = level
    return known.within(
        int(-(-least // 1)) - sum(each.upper for each in others), most - sum(each.lower for each in others)
    )


def _by_tier(
    rule: Weights, workload: Workload, ranges: Mapping[Place, Interval], beyond: list[Interval] | None
) -> list[Interval]:
    """Return the range of each tier, as far as its own ranges and those of the tiers beyond tell."""
    found = [_held(workload, members, ranges) for members in rule.tiers]
    tiers = workload.rule(Tiers)
    if beyond is None or tiers is None or tiers.tiers != rule.tiers:
        return found
    edges = pairwise([*beyond, Interval(0, 0)])
    return [
        known.within(above.lower - below.upper, above.upper - below.lower)
        for known, (above, below) in zip(found, edges, strict=True)
    ]


def _held(workload: Workload, clusters: frozenset[str], ranges: Mapping[Place, Interval]) -> Interval:
    """Return the range of a set of clusters together, as far as single ranges tell."""
    found = [ranges.get(Place(workload.key, name), Interval(0, 0)) for name in clusters]
    return Interval(sum(lower for lower, _ in found), sum(max(lower, upper) for lower, upper in found))


def held_in(placement: Placement, workloads: Sequence[Workload]) -> Held:
    """Return the replicas of overflow tiers in a placement, by workload."""
    found: dict[str, list[Interval]] = {}
    for workload in workloads:
        for rule in workload.rules_of(Weights):
            counts = [replicas_at(placement, PlaceSet(workload.key, members)) for members in rule.tiers]
            found[workload.key] = [Interval(count, count) for count in counts]
    return found


def open_places(workloads: Sequence[Workload], held: Held) -> int:
    """Return how many pairs of a cluster and a total are to be looked at where totals of tiers are open."""
    return sum(
        len(members) * (most - least)
        for workload in workloads
        for rule in workload.rules_of(Weights)
        for members, (least, most) in zip(rule.tiers, held.get(workload.key, ()), strict=False)
    )
