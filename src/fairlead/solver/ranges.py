"""What the search between levels needs to know of a problem: shares, tiers and ranges. Pure functions."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType

from fairlead.encoders.peak import PeakCost
from fairlead.encoders.selection import Group
from fairlead.encoders.variables import Place, Range
from fairlead.models.levels import Level
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Tiers, Total
from fairlead.models.shortfall import UNPLACED
from fairlead.models.workload import Workload
from fairlead.solver.pricing import Relaxed, Share


def shares_of(problem: Problem, totals: Mapping[str, int] = MappingProxyType({})) -> list[Share]:
    """Return what every workload has to divide, by itself.

    Parameters
    ----------
    problem
        The question.
    totals
        In a partial problem: how many replicas are placed of those workloads of which that is known.
    """
    clusters = [cluster.name for cluster in problem.clusters]
    return [
        Share(
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
    problem
        A partial problem.
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


def placement_of(found: Sequence[Relaxed]) -> Placement:
    """Return what several workloads hold, each divided by itself."""
    replicas: dict[str, dict[str, int]] = {}
    for relaxed in found:
        for place, count in relaxed.replicas.items():
            replicas.setdefault(place.workload, {})[place.cluster] = count
    return Placement(replicas)


def beyond_tiers(workload: Workload) -> list[Group]:
    """Return the clusters beyond every overflow tier but the last."""
    tiers = next(rule.tiers for rule in workload.rules_of(Tiers))
    return [Group(workload.key, frozenset().union(*tiers[number:])) for number in range(1, len(tiers))]


def within_peaks(
    ranges: Mapping[Place, Range], peaks: Sequence[PeakCost], limit: Fraction, *, strictly: bool
) -> dict[Place, Range]:
    """Return the ranges in which no distance of a workload exceeds a limit."""
    found = dict(ranges)
    for peak in peaks:
        for cluster in peak.division.weights:
            place = Place(peak.workload, cluster)
            least, most = peak.within(cluster, limit, strictly=strictly)
            found[place] = Range(max(found[place].lower, least), min(found[place].upper, most))
    return found
