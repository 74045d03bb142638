"""What a placement is expected to lose where the input says how often clusters fail: a report, no rule."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction

from fairlead.models.cluster import Cluster
from fairlead.models.source import Source
from fairlead.models.topology import groups


@dataclass(frozen=True, slots=True)
class FailureRate:
    """How often a group of clusters is lost."""

    field: str
    """What it is a group of: ``cluster``, ``region``, ``zone``, ``provider`` or the key of a label."""
    name: str | None
    """The group; None stands for every group of the field that no other rate names."""
    rate: Fraction
    """The chance that the group is lost at a given moment, from 0 to 1. Groups are lost independently."""
    source: Source | None = None
    """Where it was declared."""


def chances(clusters: Collection[Cluster], rates: Collection[FailureRate]) -> dict[str, Fraction]:
    """Return the chance that a cluster is lost at a given moment, by name; 0 where no rate is about it.

    It stands as long as none of its groups is lost: a cluster that fails by itself in 1 % of the time, in a
    region that fails in 2 %, stands in 0.99 * 0.98 of it.
    """
    stands = {cluster.name: Fraction(1) for cluster in clusters}
    named = {(one.field, one.name): one.rate for one in rates}
    for field in dict.fromkeys(one.field for one in rates):
        for name, members in groups(clusters, field).items():
            rate = named.get((field, name), named.get((field, None), Fraction(0)))
            for cluster in members:
                stands[cluster] *= 1 - rate
    return {cluster: 1 - chance for cluster, chance in stands.items()}


def expected_loss(placed: Mapping[str, int], chance: Mapping[str, Fraction]) -> Fraction:
    """Return how many replicas of a workload are lost at a given moment, on average.

    The mean of a sum is the sum of the means, whatever clusters fail together.

    Parameters
    ----------
    placed
        Replicas by cluster; those on clusters of which nothing is known are left out.
    chance
        The chance that a cluster is lost, by name (`chances`).
    """
    return sum((held * chance[name] for name, held in placed.items() if name in chance), Fraction(0))
