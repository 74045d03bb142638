"""Marginal allocation of one workload against brute force over all allocations."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
from fairlead.solver.exact.costs.deviations import narrow_unweighted, narrow_webster
from fairlead.solver.exact.marginal import Box, settle_ties

Allocation = tuple[int, ...]


def allocations(box: Box) -> list[Allocation]:
    """Return every allocation of a small box."""
    ranges = [range(low, high + 1) for low, high in zip(box.lower.tolist(), box.upper.tolist(), strict=True)]
    return [x for x in product(*ranges) if sum(x) == box.total]


@dataclass(frozen=True)
class Instance:
    """A small workload with everything that a level may ask for."""

    box: Box
    weights: tuple[int, ...]
    current: tuple[int, ...]
    price: tuple[int, ...]
    quota_total: int

    def quotas(self) -> list[Fraction]:
        """Return the exact share of each cluster; 0 for all where no cluster has a weight."""
        return [Fraction(self.quota_total * w, max(1, sum(self.weights))) for w in self.weights]


# Each level twice: as the literal definition of its cost and as the function under test.
COSTS: dict[str, Callable[[Instance, Allocation], Fraction]] = {
    "unweighted": lambda case, x: Fraction(sum(n for n, w in zip(x, case.weights, strict=True) if w == 0)),
    "linear": lambda case, x: Fraction(sum(n * p for n, p in zip(x, case.price, strict=True))),
    "moves": lambda case, x: Fraction(sum(max(0, c - n) for n, c in zip(x, case.current, strict=True))),
    "change": lambda case, x: Fraction(sum((n - c) ** 2 for n, c in zip(x, case.current, strict=True))),
    # With the quotas of one replica more than there are: none is 0, and the expansion is put to the test.
    "webster": lambda case, x: sum(
        (
            (n - (case.box.total + 1) * Fraction(w, sum(case.weights))) ** 2 / w
            for n, w in zip(x, case.weights, strict=True)
            if w
        ),
        Fraction(0),
    ),
    "l1": lambda case, x: sum((abs(n - q) for n, q in zip(x, case.quotas(), strict=True) if q), Fraction(0)),
    "minimax": lambda case, x: max(
        (abs(n - q) / q for n, q in zip(x, case.quotas(), strict=True) if q), default=Fraction(0)
    ),
}
LEVELS: dict[str, Callable[[Instance, Box], Box]] = {
    "unweighted": lambda case, box: narrow_unweighted(box, ints(*case.weights)),
    "linear": lambda case, box: narrow_linear(box, ints(*case.price)),
    "moves": lambda case, box: narrow_moves(box, ints(*case.current)),
    "change": lambda case, box: narrow_change(box, ints(*case.current)),
    "webster": lambda case, box: narrow_webster(box, ints(*case.weights)),
    "l1": lambda case, box: narrow_l1(box, ints(*case.weights), case.quota_total),
    "minimax": lambda case, box: narrow_minimax(box, ints(*case.weights), case.quota_total),
}


@st.composite
def instances(draw: st.DrawFn, largest_weight: int = 6) -> Instance:
    """Draw a workload of up to four clusters whose box holds at least one allocation."""
    size = draw(st.integers(1, 4))

    def several(least: int, most: int) -> tuple[int, ...]:
        return tuple(draw(st.lists(st.integers(least, most), min_size=size, max_size=size)))

    lower = several(0, 2)
    upper = [low + more for low, more in zip(lower, several(0, 8), strict=True)]
    total = draw(st.integers(sum(lower), max(sum(lower), min(8, sum(upper)))))
    box = box_of(lower, upper, total)
    quota_total = draw(st.one_of(st.just(total), st.integers(0, 10)))
    return Instance(box, several(0, largest_weight), several(0, 5), several(-2, 2), quota_total)


SEQUENCES = [
    ["moves", "unweighted", "webster"],
    ["unweighted", "webster", "moves"],
    ["unweighted", "moves", "webster"],
    ["l1", "moves"],
    ["unweighted", "l1", "moves"],
    ["minimax", "moves"],
    ["unweighted", "minimax", "moves"],
    ["linear", "moves", "unweighted", "webster"],
    ["minimax", "unweighted", "webster"],
    ["l1", "linear"],
    ["change", "moves"],
    ["moves", "change", "linear"],
]


def assert_levels_agree(case: Instance, names: Sequence[str]) -> None:
    """Compare the box after each level, and at last the answer, with brute force."""
    box, best = case.box, allocations(case.box)
    for name in names:
        box = LEVELS[name](case, box)
        costs = {x: COSTS[name](case, x) for x in best}
        best = [x for x in best if costs[x] == min(costs.values())]
        assert allocations(box) == best, name
        # The bounds of the result are attained, so that they can be shown as the range of a cluster.
        assert box.lower.tolist() == [min(column) for column in zip(*best, strict=True)]
        assert box.upper.tolist() == [max(column) for column in zip(*best, strict=True)]
    assert tuple(settle_ties(box).tolist()) == max(best)


@pytest.mark.parametrize("names", SEQUENCES, ids="-".join)
@given(case=instances())
def test_levels_leave_exactly_the_optima(names: list[str], case: Instance) -> None:
    """After every level the box holds exactly the lexicographic optima, and ties go to the first by name."""
    assert_levels_agree(case, names)


@pytest.mark.parametrize("names", SEQUENCES, ids="-".join)
@settings(max_examples=30)
@given(case=instances(largest_weight=2**62))
def test_levels_with_weights_beyond_64_bit_products(names: list[str], case: Instance) -> None:
    """Weights up to 2**62, whose sums and products overflow 64 bits, leave exactly the optima too."""
    assert_levels_agree(case, names)


@given(case=instances(), scale=st.sampled_from([3, 10**9, 10**15]))
def test_the_scale_of_weights_is_irrelevant(case: Instance, scale: int) -> None:
    """Weights multiplied by a constant give the same boxes."""
    scaled = replace(case, weights=tuple(w * scale for w in case.weights))
    for name in ("webster", "l1", "minimax"):
        box = LEVELS["unweighted"](case, case.box)
        small, large = LEVELS[name](case, box), LEVELS[name](scaled, box)
        assert plain(small.lower) == plain(large.lower)
        assert plain(small.upper) == plain(large.upper)


@given(
    weights=st.lists(st.integers(1, 1000), min_size=1, max_size=12),
    bounds=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 30)), min_size=12, max_size=12),
)
def test_webster_is_house_monotone(weights: list[int], bounds: list[tuple[int, int]]) -> None:
    """One replica more takes none from any cluster, with bounds too."""
    lower = [low for low, _ in bounds[: len(weights)]]
    upper = [low + more for low, more in bounds[: len(weights)]]
    totals = range(sum(lower), min(sum(upper), sum(lower) + 25) + 1)
    answers = [webster(total, *weights, lower=lower, upper=upper) for total in totals]
    for smaller, larger in pairwise(answers):
        assert all(a <= b for a, b in zip(smaller, larger, strict=True))
