"""Who is tied to whom: connected components of the graph of workloads and of what they share."""

from collections.abc import Collection, Hashable, Mapping


def connected(shared: Mapping[str, Collection[Hashable]]) -> list[list[str]]:
    """Return who shares something, one with the next.

    Parameters
    ----------
    shared
        What each of some keys shares with others, such as clusters; who shares nothing is alone.

    Returns
    -------
    list of list of str
        The keys in their order, those that are tied together; in the order of their first keys.
    """
    import networkx as nx

    graph: nx.Graph[Hashable] = nx.Graph()
    graph.add_nodes_from(("key", key) for key in shared)
    # Those that share the same tie it together only once.
    for things in set(map(frozenset, shared.values())):
        nx.add_path(graph, things)
    graph.add_edges_from((("key", key), next(iter(things))) for key, things in shared.items() if things)
    number = {node: at for at, nodes in enumerate(nx.connected_components(graph)) for node in nodes}
    found: dict[int, list[str]] = {}
    for key in shared:
        found.setdefault(number["key", key], []).append(key)
    return list(found.values())
