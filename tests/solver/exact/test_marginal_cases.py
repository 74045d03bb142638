"""Marginal allocation of one workload: known answers, and numbers around the limits of arithmetic."""

from fractions import Fraction
from math import ceil, floor

import numpy as np
import pytest

from boxes import (
    box_of,
    ints,
    narrow_change,
    narrow_l1,
    narrow_linear,
    narrow_minimax,
    narrow_moves,
    plain,
    webster,
)
from fairlead.models.errors import InternalError
from fairlead.solver.exact.costs.deviations import narrow_unweighted, narrow_webster
from fairlead.solver.exact.marginal import Box, exact_sum, settle_ties


@pytest.mark.parametrize(
    ("total", "expected"),
    [
        # Marginals (2k + 1) / w in thousandths: 5.9 (1/170), 9.1 (1/110), 16.7 (1/60), 17.6 (3/170),
        # 27.3 (3/110), 29.4 (5/170).
        (5, [2, 2, 1]),
        (6, [3, 2, 1]),
        # Then 41.2 (7/170), before 45.5 (5/110) and 50 (3/60).
        (7, [4, 2, 1]),
    ],
)
def test_webster_by_hand(total: int, expected: list[int]) -> None:
    """Weights 170 : 110 : 60 divided unit by unit."""
    assert webster(total, 170, 110, 60) == expected


def test_webster_known_cases() -> None:
    """Ratios of the proposals and a case where largest remainders and Webster differ."""
    assert webster(10, 2, 3) == [4, 6]
    assert webster(10, 2, 3, lower=[2, 4], upper=[6, 8]) == [4, 6]
    assert webster(10, 40, 60) == [4, 6]
    assert webster(5, 3, 2) == [3, 2]
    # Quotas 93.6 and 1.6 four times: the small ones round up first (3/16 < 183/936), then 92 remain.
    assert webster(100, 936, 16, 16, 16, 16) == [92, 2, 2, 2, 2]
    # Bounds that bind: the quota of 4 is cut to 3, the other takes the rest.
    assert webster(10, 2, 3, upper=[3, 9]) == [3, 7]


def test_ties_fall_to_the_first() -> None:
    """Equal weights leave one replica to choose; the box still offers both, the answer is the first."""
    box = narrow_webster(box_of([0, 0], [5, 5], 5), ints(1, 1))
    assert (box.lower.tolist(), box.upper.tolist()) == ([2, 2], [3, 3])
    assert settle_ties(box).tolist() == [3, 2]
    # Moves as the next level give the odd replica to the one that runs it.
    assert settle_ties(narrow_moves(box, ints(0, 3))).tolist() == [2, 3]


def test_weight_zero_gets_its_lower_bound_unless_all_others_are_full() -> None:
    """The first cluster has no weight: one replica by its bound, and more only once the second is full."""
    assert webster(6, 0, 5, lower=[1, 0], upper=[9, 9]) == [1, 5]
    assert webster(6, 0, 5, lower=[1, 0], upper=[9, 3]) == [3, 3]
    # Nothing has a weight: every allocation is as good, the first takes all.
    assert webster(4, 0, 0) == [4, 0]


def test_webster_refuses_an_open_weight_zero() -> None:
    """Without narrow_unweighted the expansion of the square would not hold."""
    with pytest.raises(InternalError, match="narrow_unweighted comes first"):
        narrow_webster(box_of([0, 0], [5, 5], 5), ints(0, 1))


def test_an_empty_box_is_refused() -> None:
    """No allocation: lower bounds above the total, upper bounds below it, or bounds that cross."""
    for box in (box_of([3, 3], [5, 5], 5), box_of([0, 0], [2, 2], 5), box_of([4, 0], [3, 9], 5)):
        assert not box.feasible
        with pytest.raises(InternalError, match="no allocation of 5 replicas"):
            narrow_linear(box, ints(1, 1))


def test_no_clusters() -> None:
    """Zero replicas on no cluster is an allocation; one replica is not."""
    empty = ints()
    box = Box(empty, empty, 0)
    narrowed = (
        narrow_unweighted(box, empty),
        narrow_moves(box, empty),
        narrow_change(box, empty),
        narrow_webster(box, empty),
        narrow_l1(box, empty, 0),
        narrow_minimax(box, empty, 0),
    )
    assert [settle_ties(result).tolist() for result in narrowed] == [[]] * 6
    assert not Box(empty, empty, 1).feasible


def test_l1_and_webster_differ() -> None:
    """The smallest difference: 2 replicas over 5 : 1 : 1 : 1."""
    weights, box = ints(5, 1, 1, 1), box_of([0] * 4, [2] * 4, 2)
    # Webster: 1/5, then 3/5 < 1: both on the first.
    assert settle_ties(narrow_webster(box, weights)).tolist() == [2, 0, 0, 0]
    # Quotas 1.25 and 0.25: the second unit of the first costs 1 - 2 * 0.25 = 0.5, as the first of any other.
    l1 = narrow_l1(box, weights, 2)
    assert (l1.lower.tolist(), l1.upper.tolist()) == ([1, 0, 0, 0], [2, 1, 1, 1])


def test_minimax_leaves_a_wide_box_where_one_cluster_decides() -> None:
    """A cluster held at twice its quota fixes the maximum; the others may lie anywhere within it."""
    # N = 12 over 1 : 1 : 1, quotas 4. The first holds 8, so t = 1: the others lie in 0..8, with 4 to share.
    box = narrow_minimax(box_of([8, 0, 0], [8, 12, 12], 12), ints(1, 1, 1), 12)
    assert (box.lower.tolist(), box.upper.tolist()) == ([8, 0, 0], [8, 4, 4])


def test_quotas_may_divide_another_total_than_the_box() -> None:
    """Nine replicas on a box whose quotas divide 6: each stands one and a half times its quota."""
    box = narrow_minimax(box_of([0, 0], [9, 9], 9), ints(1, 2), 6)
    assert settle_ties(box).tolist() == [3, 6]
    # l1 is indifferent among all that lie above both quotas 2 and 4.
    box = narrow_l1(box_of([0, 0], [9, 9], 9), ints(1, 2), 6)
    assert (box.lower.tolist(), box.upper.tolist()) == ([2, 4], [5, 7])


def test_large_weights_and_totals() -> None:
    """10**9 replicas over weights of 10**9 and 1: exact without listing a unit."""
    heavy = 10**9
    # Quotas 499 999 999.75 twice and 0.4999...: the light one stays at 0.
    assert webster(heavy, heavy, heavy, 1) == [heavy // 2, heavy // 2, 0]
    weights, box = ints(heavy, heavy, 1), box_of([0] * 3, [heavy] * 3, heavy)
    assert settle_ties(narrow_l1(box, weights, heavy)).tolist() == [heavy // 2, heavy // 2, 0]
    # minimax: with 0 the light one is off by its whole quota, t = 1; with 1 by 1 / 0.4999... - 1, a
    # little more. The others may then have at most twice their quotas, floor(999 999 999.5) = 10**9 - 1,
    # so at least 1 each.
    minimax = narrow_minimax(box, weights, heavy)
    assert (plain(minimax.lower), plain(minimax.upper)) == ([1, 1, 0], [heavy - 1, heavy - 1, 0])


def test_minimax_with_ratios_that_floats_confuse() -> None:
    """The cluster furthest from its quota is found where floats cannot tell, and where 64 bits overflow."""
    # Quotas of about 1/6, 1/6, 2/3. Both of the first two must hold 1; the second is further off, by one part
    # in 2**60. t is nearly 5, which lets the third have 4; the total leaves it 2.
    box = narrow_minimax(box_of([1, 1, 0], [9, 9, 9], 4), ints(2**60 + 1, 2**60, 2**62), 1)
    assert (plain(box.lower), plain(box.upper)) == ([1, 1, 2], [1, 1, 2])
    # 1/7, 2/7, 4/7. The first must hold 8, 56 times its quota; the others may then hold 16 and 32. 8 * 2**60
    # does not fit 64 bits.
    box = narrow_minimax(box_of([8, 8, 0], [99, 99, 99], 48), ints(2**60, 2**61, 2**62), 1)
    assert (plain(box.lower), plain(box.upper)) == ([8, 8, 24], [8, 16, 32])


def test_upper_bounds_without_limit() -> None:
    """A bound of 2**62 on many clusters stands for no limit; sums of it do not fit 64 bits."""
    box = box_of([0] * 8, [2**62] * 8, 16)
    assert settle_ties(narrow_webster(box, ints(*[1] * 8))).tolist() == [2] * 8
    assert exact_sum(box.upper) == 2**65


@pytest.mark.parametrize("exponent", [20, 30, 31, 51, 52, 53, 54, 60])
def test_neighbouring_weights_around_the_limits_of_floats(exponent: int) -> None:
    """Weights that differ by one are told apart also where their quotients are the same float."""
    # The heaviest gets the only odd replica: its (2k + 1) / w is smallest, by about one part in 2**exponent.
    weight = 2**exponent
    assert webster(4, weight, weight + 1, weight - 1) == [1, 2, 1]
    assert webster(5, weight, weight + 1, weight - 1) == [2, 2, 1]
    # Many near-equal weights in a scrambled order: the seats go to the heaviest, one each.
    extra = [(7 * i) % 23 for i in range(23)]
    expected = [1 + (more >= 23 - 9) for more in extra]
    assert webster(23 + 9, *(weight + more for more in extra)) == expected


@pytest.mark.parametrize("total", [10**6, 2 * 10**9, 2**33, 2**39])
def test_products_around_the_limit_of_64_bits(total: int) -> None:
    """Weights near 2**31 and totals whose products pass 2**63: no single replica can pass with a gain."""
    weights = [2**31 - 1, 2**31 - 19, 2**31 - 61, 3, 2**30 + 7]
    x = webster(total, *weights)
    assert sum(x) == total
    dearest = max(Fraction(2 * n - 1, w) for n, w in zip(x, weights, strict=True) if n)
    cheapest = min(Fraction(2 * n + 1, w) for n, w in zip(x, weights, strict=True))
    assert dearest <= cheapest
    # l1: no replica passes from one cluster to another with a gain.
    box = narrow_l1(box_of([0] * 5, [total] * 5, total), ints(*weights), total)
    answer = settle_ties(box).tolist()
    quotas = [Fraction(total * w, sum(weights)) for w in weights]
    gain = max(abs(n - q) - abs(n - 1 - q) for n, q in zip(answer, quotas, strict=True) if n)
    loss = min(abs(n + 1 - q) - abs(n - q) for n, q in zip(answer, quotas, strict=True))
    assert gain <= loss
    # minimax: with t just below the attained maximum the bounds of some cluster cross, or the total is
    # out of reach.
    shares = settle_ties(narrow_minimax(box_of([0] * 5, [total] * 5, total), ints(*weights), total))
    worst = max(abs(n - q) / q for n, q in zip(plain(shares), quotas, strict=True))
    less = worst - Fraction(1, 10**60)
    least = [ceil(q * (1 - less)) for q in quotas]
    most = [floor(q * (1 + less)) for q in quotas]
    crossing = any(low > high for low, high in zip(least, most, strict=True))
    assert crossing or not sum(least) <= total <= sum(most)


def test_the_order_of_weights_of_one_size_does_not_matter() -> None:
    """Permuting clusters permutes the box."""
    rng = np.random.default_rng(7)
    weights = rng.integers(1, 1000, 200)
    lower = rng.integers(0, 20, 200)
    upper = lower + rng.integers(0, 60, 200)
    order = rng.permutation(200)
    total = int(lower.sum()) + 3000
    for narrow in (
        narrow_webster,
        lambda box, w: narrow_l1(box, w, total),
        lambda box, w: narrow_minimax(box, w, total),
    ):
        straight = narrow(Box(lower, upper, total), weights)
        permuted = narrow(Box(lower[order], upper[order], total), weights[order])
        assert plain(straight.lower[order]) == plain(permuted.lower)
        assert plain(straight.upper[order]) == plain(permuted.upper)
