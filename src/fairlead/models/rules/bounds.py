"""Bounds: the fewest and the most replicas of a workload on a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from fairlead.models.source import Source
from fairlead.models.statement import Statement, Violation
from fairlead.models.words import counted

if TYPE_CHECKING:
    from fairlead.models.workload import Workload

KIND = "bounds"


class Bound(NamedTuple):
    """A number of replicas and where it was declared.

    Parameters
    ----------
    replicas
        The number.
    source
        Where it was declared.
    ceiling
        The most that a higher maximum in its place would allow, because of what nobody can change by itself:
        a cluster that has no weight beside others, or a report of what a cluster can run. None where nothing
        like that holds; the number itself where nobody declared it.
    """

    replicas: int
    source: Source | None = None
    ceiling: int | None = None


@dataclass(frozen=True, slots=True)
class Bounds:
    """Every named candidate holds at least its minimum and at most its maximum.

    Minima do not bind a workload that is scaled to 0.

    Parameters
    ----------
    minimum
        Fewest replicas by candidate; absent means 0.
    maximum
        Most replicas by candidate; absent means no limit.
    where_held
        Candidates whose minimum binds only where they hold replicas at all: those among which the solver
        chooses (spread constraints, Aggregated, most clusters) and those of later overflow tiers.
    preferred
        True where clusters with a minimum are chosen before all others (KubeAdmiral's ``maxClusters``).
    """

    minimum: Mapping[str, Bound] = field(default_factory=dict)
    maximum: Mapping[str, Bound] = field(default_factory=dict)
    where_held: frozenset[str] = frozenset()
    preferred: bool = False


def violations(rule: Bounds, workload: Workload, placed: Mapping[str, int]) -> Iterator[Violation]:
    """List clusters with too few or too many replicas."""
    for cluster, (fewest, source, _) in rule.minimum.items() if workload.replicas else ():
        replicas = placed.get(cluster, 0)
        if replicas < fewest and (replicas or cluster not in rule.where_held):
            held = counted(replicas, "replica")
            text = f"{workload.key}: {cluster} holds {held}, at least {fewest} are needed"
            short = fewest - replicas
            yield Violation(KIND, text, short, source, workload.key, cluster, gives_way=True)
    for cluster, (most, source, _) in rule.maximum.items():
        replicas = placed.get(cluster, 0)
        if replicas > most:
            text = (
                f"{workload.key}: {cluster} holds {counted(replicas, 'replica')}, at most {most} are allowed"
            )
            yield Violation(KIND, text, replicas - most, source, workload.key, cluster)


def passed_over(rule: Bounds, workload: Workload, placed: Mapping[str, int]) -> int:
    """Return how many clusters with a minimum hold nothing; none where minima do not bind."""
    if not workload.replicas:
        return 0
    return sum(1 for cluster, bound in rule.minimum.items() if bound.replicas and not placed.get(cluster))


def describe_minimum(rule: Bounds, workload: Workload, cluster: str) -> Statement:
    """Say in the user's words how many replicas a cluster needs."""
    bound = rule.minimum[cluster]
    where_held = " where it is used at all" if cluster in rule.where_held else ""
    text = f"{workload.policy or workload.key}: {cluster} needs at least {bound.replicas}{where_held}"
    return Statement(KIND, text, bound.source, workload.key, cluster)


def describe_maximum(rule: Bounds, workload: Workload, cluster: str) -> Statement:
    """Say in the user's words how many replicas a cluster may hold."""
    bound = rule.maximum[cluster]
    text = f"{workload.policy or workload.key}: {cluster} may hold at most {bound.replicas}"
    return Statement(KIND, text, bound.source, workload.key, cluster)
