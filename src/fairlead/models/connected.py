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

    # Many share the same, which is looked at once, and ties things together once.
    sets = {id(things): frozenset(things) for things in shared.values()}
    graph: nx.Graph[Hashable] = nx.Graph()
    for inside in set(sets.values()):
        nx.add_path(graph, inside)
    number = {node: at for at, nodes in enumerate(nx.connected_components(graph)) for node in nodes}
    found: dict[Hashable, list[str]] = {}
    for key, things in shared.items():
        inside = sets[id(things)]
        found.setdefault(number[next(iter(inside))] if inside else ("key", key), []).append(key)
    return list(found.values())
