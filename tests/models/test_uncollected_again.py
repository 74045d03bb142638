"""Who loads again and again gets rid of what he has done with."""

import weakref

import pytest

from fairlead.models.uncollected import MANY, uncollected


class Circle:
    """Something that only a collector of garbage gets rid of."""

    def __init__(self) -> None:
        self.itself = self


@pytest.mark.parametrize(("each", "turns"), [(1_000, 40), (MANY, 3)])
def test_old_circles_are_collected(each: int, turns: int) -> None:
    """What is left behind after each turn is gone after some more, whether that was little or much."""
    alive: list[weakref.ref[Circle]] = []
    while len(alive) < turns:
        with uncollected(lasting=True):
            circles = [Circle() for _ in range(each)]
        alive.append(weakref.ref(circles[0]))
        del circles
    assert sum(one() is not None for one in alive) <= len(alive) / 2
