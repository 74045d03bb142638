"""Tables of merits put together: the best sums, and the entries that they come from."""

from itertools import product

import numpy as np
import pytest

from fairlead.solver.exact.nested.best_set import lowest
from fairlead.solver.exact.nested.joined_tables import MOST_KEPT, Merits, join


@pytest.mark.parametrize("kind", [float, np.int64, object])
@pytest.mark.parametrize("sizes", [(5,), (2, 3), (3, 100)])
def test_the_way_back_leads_to_the_best_sum(sizes: tuple[int, ...], kind: type) -> None:
    """Of two tables every entry is looked at by brute force; 300 entries are more than are kept at hand."""
    random = np.random.default_rng(1)
    tables: Merits = random.integers(-9, 10, size=(2, 2, *sizes)).astype(kind)
    least = lowest(tables.ravel())
    tables[1, 0].ravel()[1] = least
    found, (pair,), _ = join(tables, [size - 1 for size in sizes], least)
    assert (int(np.prod(sizes)) > MOST_KEPT) == (sizes == (3, 100))
    for row, entry in product(range(2), np.ndindex(*sizes)):
        parts = np.ndindex(*(last + 1 for last in entry))
        rests = ((part, tuple(np.subtract(entry, part))) for part in parts)
        best = max(tables[row, 0][rest] + tables[row, 1][part] for part, rest in rests)
        assert found[row][entry] == best
        at = np.full((2, 1), np.ravel_multi_index(entry, sizes))
        one, other = pair.apart(at)[row]
        assert tables[row, 0].ravel()[one] + tables[row, 1].ravel()[other] == best
        assert np.array_equal(
            np.add(np.unravel_index(one, sizes), np.unravel_index(other, sizes)), np.array(entry)
        )


@pytest.mark.parametrize("kind", [float, np.int64, object])
def test_one_sort_puts_as_much_together_as_pairs_do(kind: type) -> None:
    """Four tables a row, where a group gains, loses, has to be used or cannot be: as pairs tell."""
    random = np.random.default_rng(2)
    tables: Merits = random.integers(-9, 10, size=(40, 4, 4)).astype(kind)
    least = lowest(tables.ravel())
    tables[..., 2:] = least
    for entry in (0, 1):
        tables[..., entry][random.random((40, 4)) < 0.2] = least
    ranked, (rank,), reach = join(tables, [1], least)
    # With one entry more in reach than there is, pairs are joined.
    paired, pairs, _ = join(tables, [2], least)
    assert len(pairs) == 2
    assert reach == [3]
    possible = paired > least // 2
    assert np.array_equal(ranked > least // 2, possible)
    assert np.array_equal(ranked[possible], paired[possible])
    for row, entry in np.argwhere(possible):
        parts = rank.apart(np.full((40, 1), entry))[row]
        assert parts.sum() == entry
        assert tables[row, np.arange(4), parts].sum() == ranked[row, entry]
