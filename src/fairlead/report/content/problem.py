"""A problem in short: its sizes, its clusters and its workloads."""

from __future__ import annotations

from collections.abc import Mapping

from fairlead.models.problem import Problem
from fairlead.models.showing import amounts
from fairlead.models.words import listed
from fairlead.models.workload import running
from fairlead.report.blocks import Brief, Row, cells, columns, first_lines, table

SHOWN = 20
"""Clusters, workloads and warnings that are shown before the rest is counted."""
CLUSTERS = columns("Cluster", "Region", "Free")
WORKLOADS = columns("Workload", ">Replicas", "Per replica", "Runs on")


def brief(problem: Problem) -> Brief:
    """Return a problem as notebooks show it."""
    clusters: list[Row] = [cells(one.name, one.region or "", _amounts(one.free)) for one in problem.clusters]
    workloads: list[Row] = [
        cells(
            one.key,
            one.replicas,
            _amounts(one.requests),
            listed([f"{name} {count}" for name, count in sorted(running(one).items())]),
        )
        for one in problem.workloads
    ]
    more = "... and {}"
    tables = [
        table(CLUSTERS, clusters).first(SHOWN, "cluster", more),
        table(WORKLOADS, workloads).first(SHOWN, "workload", more),
    ]
    return Brief(problem.sizes, first_lines(map(str, problem.warnings), SHOWN, "warning"), tables)


def _amounts(units: Mapping[str, int] | None) -> str:
    """Return amounts by resource in a line; empty where they are not known."""
    told = amounts(units) or {}
    return ", ".join(f"{resource} {amount}" for resource, amount in told.items())
