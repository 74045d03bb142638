"""What a placement is expected to lose where the input says how often clusters fail: a report, no rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from fairlead.models.topology import groups

if TYPE_CHECKING:
    from fairlead.models.problem import Problem
    from fairlead.models.source import Source


@dataclass(frozen=True, slots=True)
class FailureRate:
    """How often a group of clusters is lost.

    Parameters
    ----------
    field
        What it is a group of: ``cluster``, ``region``, ``zone``, ``provider`` or the key of a label.
    name
        The group; None stands for every group of the field that no other rate names.
    rate
        The chance that the group is lost at a given moment, from 0 to 1. Groups are lost independently.
    source
        Where it was declared.
    """

    field: str
    name: str | None
    rate: Fraction
    source: Source | None = None


def chances(problem: Problem) -> Mapping[str, Fraction]:
    """Return the chance that a cluster is lost at a given moment, by name; 0 where no rate is about it.

    It stands as long as none of its groups is lost: a cluster that fails by itself in 1 % of the time, in a
    region that fails in 2 %, stands in 0.99 * 0.98 of it.
    """
    stands = dict.fromkeys(problem.cluster_by_name, Fraction(1))
    named = {(one.field, one.name): one.rate for one in problem.failure_rates}
    for field in dict.fromkeys(one.field for one in problem.failure_rates):
        for name, clusters in groups(problem.clusters, field).items():
            rate = named.get((field, name), named.get((field, None), Fraction(0)))
            for cluster in clusters:
                stands[cluster] *= 1 - rate
    return {cluster: 1 - chance for cluster, chance in stands.items()}


def expected_loss(problem: Problem, placement: Mapping[str, Mapping[str, int]]) -> dict[str, Fraction]:
    """Return how many replicas of each workload are lost at a given moment, on average.

    The mean of a sum is the sum of the means, whatever clusters fail together: the sum over clusters of
    replicas times the chance that the cluster is lost.

    Parameters
    ----------
    problem
        Clusters, and how often they fail.
    placement
        Replicas by workload and cluster; those on clusters that are not in the problem are left out.

    Returns
    -------
    dict
        Replicas by key of the workload, for every workload of the problem.
    """
    chance = chances(problem)

    def lost(placed: Mapping[str, int]) -> Fraction:
        return sum((held * chance[name] for name, held in placed.items() if name in chance), Fraction(0))

    return {workload.key: lost(placement.get(workload.key, {})) for workload in problem.workloads}
