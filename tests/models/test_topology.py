"""Where clusters stand: by what they are grouped."""

from fairlead.models.cluster import Cluster
from fairlead.models.topology import groups

CLUSTERS = (
    Cluster("a", "aws", "eu", ("eu-1", "eu-2"), {"tier": "gold"}),
    Cluster("b", "aws", "eu", ("eu-2",), {"tier": "silver"}),
    Cluster("c", "gcp", "eu", ()),
    Cluster("d", None, None, (), {"tier": "gold"}),
)


def test_groups_of_spread_constraints() -> None:
    """A cluster in two zones is in both groups; one that does not tell is in none."""
    assert groups(CLUSTERS, "zone") == {"eu-1": {"a"}, "eu-2": {"a", "b"}}
    assert groups(CLUSTERS, "region") == {"eu": {"a", "b", "c"}}
    assert groups(CLUSTERS, "tier") == {"gold": {"a", "d"}, "silver": {"b"}}
    assert list(groups(CLUSTERS, "cluster")) == ["a", "b", "c", "d"]
