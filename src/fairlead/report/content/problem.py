"""A problem in short: its sizes, its clusters and its workloads."""

from __future__ import annotations

from collections.abc import Mapping

from fairlead.models.problem import Problem
from fairlead.models.words import amounts, listed
from fairlead.models.workload import running
from fairlead.report.blocks import Line, Row, cells, columns, first_lines, some, table, texts

SHOWN = 20
"""Clusters, workloads and warnings that are shown before the rest is counted."""
CLUSTERS = columns("Cluster", "Region", "Free")
WORKLOADS = columns("Workload", ">Replicas", "Per replica", "Runs on")


def lines(problem: Problem) -> list[list[Line]]:
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
    warnings = first_lines(map(str, problem.warnings), SHOWN, "warning")
    return [
        texts([problem.sizes, *warnings]),
        some(table(CLUSTERS, clusters).first(SHOWN, "cluster", "... and {}")),
        some(table(WORKLOADS, workloads).first(SHOWN, "workload", "... and {}")),
    ]


def _amounts(units: Mapping[str, int] | None) -> str:
    """Return amounts by resource in a line; empty where they are not known."""
    told = amounts(units) or {}
    return ", ".join(f"{resource} {amount}" for resource, amount in told.items())
