"""Where clusters stand: provider, region, zone and labels as a networkx graph, which is imported late."""

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import TYPE_CHECKING

from fairlead.models.cluster import Cluster

if TYPE_CHECKING:
    import networkx as nx

Node = tuple[str, str]
"""What a node is (``provider``, ``region``, ``zone``, ``cluster``, ``label``) and its name."""

ROOT: Node = ("all", "")


def topology(clusters: Iterable[Cluster]) -> "nx.DiGraph[Node]":
    """Build the graph of all clusters.

    Edges lead from the wider to the narrower: everything -> provider -> region -> zone -> cluster, leaving
    out what a cluster does not tell; a cluster in several zones has an edge from each. Every label
    ``key=value`` is a node with edges to its clusters.

    Parameters
    ----------
    clusters
        Member clusters.

    Returns
    -------
    networkx.DiGraph
        Nodes are `Node`; the names of regions and zones are qualified by what they lie in
        (``provider/region``, ``provider/region/zone``), as two providers may use one name.
    """
    import networkx as nx

    graph: nx.DiGraph[Node] = nx.DiGraph()
    graph.add_node(ROOT)
    for cluster in sorted(clusters, key=lambda each: each.name):
        leaf: Node = ("cluster", cluster.name)
        graph.add_node(leaf)
        for parent in _place(graph, cluster):
            graph.add_edge(parent, leaf)
        for key, value in sorted(cluster.labels.items()):
            graph.add_edge(("label", f"{key}={value}"), leaf)
    return graph


def _place(graph: "nx.DiGraph[Node]", cluster: Cluster) -> list[Node]:
    """Add provider, region and zones of a cluster and return the narrowest of them."""
    parent, name = ROOT, ""
    for kind, value in (("provider", cluster.provider), ("region", cluster.region)):
        if value:
            name = f"{name}/{value}" if name else value
            graph.add_edge(parent, (kind, name))
            parent = (kind, name)
    zones: list[Node] = [("zone", f"{name}/{zone}" if name else zone) for zone in cluster.zones]
    graph.add_edges_from((parent, zone) for zone in zones)
    return zones or [parent]


def members(graph: "nx.DiGraph[Node]", node: Node) -> tuple[str, ...]:
    """Return the names of all clusters below a node, in name order; empty where there is no such node."""
    if node not in graph:
        return ()
    import networkx as nx

    below = nx.descendants(graph, node)
    return tuple(sorted(name for kind, name in below if kind == "cluster"))


def groups(clusters: Iterable[Cluster], field: str) -> Mapping[str, frozenset[str]]:
    """Group clusters by a field of Karmada's spread constraints.

    Parameters
    ----------
    clusters
        Member clusters.
    field
        ``cluster``, ``region``, ``zone`` or ``provider``; anything else is the key of a label.

    Returns
    -------
    mapping
        Cluster names by group, in group order. A cluster that does not tell is in none; one in several
        zones is in each of them.
    """
    found: dict[str, set[str]] = {}
    for cluster in clusters:
        for value in _values(cluster, field):
            found.setdefault(value, set()).add(cluster.name)
    return {value: frozenset(found[value]) for value in sorted(found)}


def _values(cluster: Cluster, field: str) -> tuple[str, ...]:
    """Return the groups of one field that a cluster belongs to."""
    if field == "zone":
        return cluster.zones
    fixed = {"cluster": cluster.name, "region": cluster.region, "provider": cluster.provider}
    value = fixed[field] if field in fixed else cluster.labels.get(field)
    return (value,) if value else ()


def laminar(sets: Iterable[frozenset[str]]) -> bool:
    """Tell whether any two sets are disjoint or nested, so that greedy allocation stays exact."""
    return all(not a & b or a <= b or b <= a for a, b in combinations(sorted(sets, key=sorted), 2))
