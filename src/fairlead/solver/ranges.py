"""What the search between levels needs to know of a problem: shares, tiers and ranges. Pure functions."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from fairlead.encoders.peak import PeakCost
from fairlead.encoders.selection import Group
from fairlead.encoders.variables import Place, Range
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Tiers, Total
from fairlead.models.workload import Workload
from fairlead.solver.pricing import Relaxed, Share


def shares_of(problem: Problem) -> list[Share]:
    """Return what every workload has to divide, by itself."""
    clusters = [cluster.name for cluster in problem.clusters]
    return [
        Share(
            [Place(workload.key, name) for name in clusters],
            None if workload.rule(Total) is None else workload.replicas,
        )
        for workload in problem.workloads
    ]


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
