"""Independent parts of a problem: connected components of the graph of workloads and clusters."""

from dataclasses import replace

import networkx as nx

from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Companionship
from fairlead.models.workload import Workload

Node = tuple[str, str]


def components(problem: Problem) -> tuple[Problem, ...]:
    """Split a problem into parts that share no cluster on which capacity could bind.

    Workloads are connected by every candidate cluster of known capacity; where they run now counts as well,
    since leaving it gives room to others. Workloads that keep together or apart are
    connected as well. The graph is bipartite; its connected components are independent
    problems whose optima add up level by level.

    Parameters
    ----------
    problem
        The whole question.

    Returns
    -------
    tuple of Problem
        One problem a part, with all clusters (decisions name them all) and the workloads of the part; in the
        order of their first workloads.
    """
    if len(problem.workloads) <= 1 or not problem.rules:
        return tuple(replace(problem, workloads=(workload,)) for workload in problem.workloads)
    graph: nx.Graph[Node] = nx.Graph()
    for rule in problem.rules:
        if isinstance(rule, Companionship):
            nx.add_path(graph, [("workload", key) for key in rule.members])
    for workload in problem.workloads:
        graph.add_node(("workload", workload.key))
        graph.add_edges_from(
            (("workload", workload.key), ("cluster", name)) for name in _touched(workload, problem)
        )
    parts = []
    for nodes in nx.connected_components(graph):
        keys = {name for kind, name in nodes if kind == "workload"}
        if keys:
            parts.append(tuple(workload for workload in problem.workloads if workload.key in keys))
    parts.sort(key=lambda part: part[0].key)
    return tuple(replace(problem, workloads=part) for part in parts)


def _touched(workload: Workload, problem: Problem) -> tuple[str, ...]:
    """Return the clusters of known capacity that a workload may use or uses now."""
    candidates = workload.rule(Candidates)
    names = set(candidates.names if candidates else problem.cluster_by_name) | set(workload.current)
    known = problem.cluster_by_name
    return tuple(sorted(name for name in names if name in known and known[name].free is not None))
