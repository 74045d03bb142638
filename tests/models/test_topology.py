"""Where clusters stand: by what they are grouped, and who shares something."""

from hypothesis import given
from hypothesis import strategies as some

from fairlead.models.cluster import Cluster, connected, groups

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


@given(some.lists(some.frozensets(some.integers(0, 6), max_size=3), max_size=7))
def test_parts_are_what_merging_one_after_the_other_makes(shared: list[frozenset[int]]) -> None:
    """Whoever comes joins all parts that it shares something with; who shares nothing is alone."""
    parts: list[tuple[set[str], set[int]]] = []
    for at, things in enumerate(shared):
        met = [part for part in parts if part[1] & things]
        parts = [part for part in parts if part not in met]
        parts.append(
            ({f"w{at}"}.union(*(keys for keys, _ in met)), set(things).union(*(all_ for _, all_ in met)))
        )
    found = connected({f"w{at}": things for at, things in enumerate(shared)})
    assert {frozenset(keys) for keys in found} == {frozenset(keys) for keys, _ in parts}
    # In the order of their first keys, and the keys of each in theirs.
    assert [keys[0] for keys in found] == sorted(keys[0] for keys in found)
    assert all(keys == sorted(keys) for keys in found)
