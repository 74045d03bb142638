"""Workloads that keep what runs, whatever their rules say."""

from collections.abc import Container
from dataclasses import replace

from fairlead.models.rules import Bounds, Candidates
from fairlead.models.rules.bounds import Bound
from fairlead.models.workload import Workload


def running(workload: Workload) -> dict[str, int]:
    """Return where a workload runs, with the replicas on each cluster."""
    return {name: count for name, count in workload.current.items() if count}


def as_it_runs(workload: Workload, clusters: Container[str]) -> Workload:
    """Return a workload whose only placement is what runs.

    Parameters
    ----------
    clusters
        Names of the clusters that there are; what runs elsewhere is left out.
    """
    held = {
        name: Bound(count, workload.source)
        for name, count in sorted(running(workload).items())
        if name in clusters
    }
    open_to = workload.rule(Candidates)
    excluded = open_to.excluded if open_to else {}
    return replace(workload, rules=(Candidates(tuple(held), excluded), Bounds(held, held)))
