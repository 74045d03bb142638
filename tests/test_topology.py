"""Where clusters stand, as a graph."""

from fairlead.models.cluster import Cluster
from fairlead.models.topology import ROOT, groups, laminar, members, topology

CLUSTERS = (
    Cluster("a", "aws", "eu", ("eu-1", "eu-2"), {"tier": "gold"}),
    Cluster("b", "aws", "eu", ("eu-2",), {"tier": "silver"}),
    Cluster("c", "gcp", "eu", ()),
    Cluster("d", None, None, (), {"tier": "gold"}),
)


def test_members_below_every_node() -> None:
    """Names of regions are qualified by their provider: aws/eu and gcp/eu differ."""
    graph = topology(CLUSTERS)
    assert members(graph, ("provider", "aws")) == ("a", "b")
    assert members(graph, ("region", "gcp/eu")) == ("c",)
    assert members(graph, ("zone", "aws/eu/eu-2")) == ("a", "b")
    assert members(graph, ("label", "tier=gold")) == ("a", "d")
    assert members(graph, ROOT) == ("a", "b", "c", "d")
    assert members(graph, ("region", "mars")) == ()


def test_groups_of_spread_constraints() -> None:
    """A cluster in two zones is in both groups; one that does not tell is in none."""
    assert groups(CLUSTERS, "zone") == {"eu-1": {"a"}, "eu-2": {"a", "b"}}
    assert groups(CLUSTERS, "region") == {"eu": {"a", "b", "c"}}
    assert groups(CLUSTERS, "tier") == {"gold": {"a", "d"}, "silver": {"b"}}
    assert list(groups(CLUSTERS, "cluster")) == ["a", "b", "c", "d"]


def test_laminar_sets() -> None:
    """Nested or disjoint sets are laminar, overlapping ones are not."""
    assert laminar([frozenset("ab"), frozenset("a"), frozenset("cd")])
    assert not laminar([frozenset("ab"), frozenset("bc")])
