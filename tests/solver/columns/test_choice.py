"""Sets of clusters that workloads may use, many at once: the best against all of them."""

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fairlead.solver.columns.choice import NONE, AllowedSets, Numbers


def one(
    group: list[int],
    merits: list[int],
    required: set[int],
    groups: tuple[int, int],
    clusters: tuple[int, int],
) -> tuple[AllowedSets, Numbers]:
    """Return a workload of which every cluster is open, and what its clusters bring."""
    count = len(group)
    limited = AllowedSets(
        np.ones((1, count), dtype=bool),
        np.array([[at in required for at in range(count)]]),
        np.array([group]),
        np.array([[groups[0], clusters[0]]]),
        np.array([[groups[1], clusters[1]]]),
        np.zeros((1, max(group) + 1), dtype=bool),
    )
    return limited, np.array([merits])


def test_no_set_is_told_where_more_groups_are_wanted_than_clusters_may_be_used() -> None:
    """A workload that needs more groups than it may use clusters has no set."""
    # Five groups need five clusters, and two may be used. Ways of merit lead below no cluster there.
    limited, merits = one([2, 1, 3, 4, 3, 0, 0, 4], [3, 2, 5, 6, 9, 8, 1, 1], {0}, (5, 6), (1, 2))
    used, value = limited.best(merits * 100_000)
    assert value[0] < NONE // 2
    assert not used.any()


@settings(max_examples=200)
@given(st.data())
def test_best_set_is_that_of_all_sets(data: st.DataObject) -> None:
    """The best set and its merit are those of all sets that are allowed."""
    count = data.draw(st.integers(2, 7))
    group = data.draw(st.lists(st.integers(0, 4), min_size=count, max_size=count))
    merits = data.draw(st.lists(st.integers(-9, 99), min_size=count, max_size=count))
    required = data.draw(st.sets(st.integers(0, count - 1), max_size=1))
    fewest = (data.draw(st.integers(1, 5)), data.draw(st.integers(1, 5)))
    most = tuple(least + data.draw(st.integers(0, 2)) for least in fewest)
    limited, brought = one(group, merits, required, (fewest[0], most[0]), (fewest[1], most[1]))
    possible = [
        sum(merits[at] for at in some)
        for size in range(fewest[1], most[1] + 1)
        for some in combinations(range(count), size)
        if required <= set(some) and fewest[0] <= len({group[at] for at in some}) <= most[0]
    ]
    used, value = limited.best(brought)
    if possible:
        assert value[0] == max(possible) == brought[0][used[0]].sum()
    else:
        assert value[0] < NONE // 2
        assert not used.any()
