"""Convex costs of a place: in segments that never overestimate, and rounded by no more than is said."""

from fractions import Fraction

import pytest

from fairlead.encoders.convex import ConvexFunction, cover
from fairlead.encoders.costs import LevelCost
from fairlead.encoders.distances import squared


@pytest.mark.parametrize("centre", [-5, 0, 17, 300, 900])
def test_segments_never_overestimate(centre: int) -> None:
    """Coarse segments lie on or below the function and meet it near the centre; slopes rise."""
    function = ConvexFunction(
        lambda k: 2 * k + 1 - 40, anchor=20, closed=lambda x: x * x - 400 - 40 * (x - 20)
    )
    found = cover(function, 0, 900, centre)
    assert found.gap
    assert [segment.slope for segment in found.segments] == sorted({s.slope for s in found.segments})
    inside = max(0, min(900, centre))
    for at in range(901):
        assert found(at) <= function(at)
        if abs(at - inside) <= 6:
            assert found(at) == function(at)


def test_far_segments_are_near_the_function() -> None:
    """They touch it: of x^2 at x they miss an eighth at most, and nothing at the ends.

    Between two steps at k and k + w where they touch, x^2 is above both by w^2 / 4 at most; w is about k / 2.
    """
    square = ConvexFunction(lambda k: 2 * k + 1, closed=lambda x: x * x)
    for found in (cover(square, 0, 900, 0), cover(square, -900, 0, 0)):
        assert all(
            8 * (at * at - found(at)) <= at * at for at in (range(901) if found(1) == 1 else range(-900, 1))
        )
        assert found.gap == max(end * end - found(end) for _, end, _ in found.segments)


def test_straight_pieces_become_one_segment() -> None:
    """However long, a straight piece is one segment: the hull of |x - 2.4| in fifths has three."""
    # From 2 to 3 the distance goes from 0.4 to 0.6, in fifths 2 to 3: slope 1.
    function = ConvexFunction(
        lambda k: abs(5 * k + 5 - 12) - abs(5 * k - 12), closed=lambda x: abs(5 * x - 12) - 12
    )
    found = cover(function, 0, 10**6, 700)
    assert not found.gap
    assert [(s.start, s.end, s.slope) for s in found.segments] == [(0, 2, -5), (2, 3, 1), (3, 10**6, 5)]
    assert found(0) == 0
    assert found(10) == sum(function.marginal(k) for k in range(10))


def test_rounded_costs_are_below_true_ones_by_what_is_said() -> None:
    """Every step from the quota on is rounded: hundreds of steps add up to more than one step of error.

    Of 600 replicas, all on a cluster whose quota is 355/113, the cost in thousandths is 294 steps too low.
    """
    quota, steps = Fraction(355, 113), 1000
    function, least = squared(quota, Fraction(steps), exact=False)
    level = LevelCost(steps, exact=False)
    away = [steps * (at - quota) ** 2 / quota - least - function(at) for at in range(601)]
    assert all(0 <= error <= level.rounded(max(at, 4)) for at, error in enumerate(away))
    assert max(away) > 290
    assert LevelCost(steps, exact=True).rounded(600) == 0
