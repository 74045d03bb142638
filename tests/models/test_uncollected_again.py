"""Who loads again and again gets rid of what he has done with."""

import gc
import weakref

import pytest

from fairlead.models.uncollected import MORE, _Looked, uncollected


class Circle:
    """Something that only a collector of garbage gets rid of."""

    def __init__(self) -> None:
        self.itself = self


def test_old_circles_are_collected(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left behind after each turn became old at once; most of it is gone all the same."""
    monkeypatch.setattr(_Looked, "things", 0)
    gc.collect()
    turns, each = 7, (len(gc.get_objects()) // 4 + MORE) // 4
    alive: list[weakref.ref[Circle]] = []
    for _ in range(turns):
        with uncollected(lasting=True):
            circles = [Circle() for _ in range(each)]
        alive += [weakref.ref(circle) for circle in circles[::1000]]
        del circles
    left = sum(one() is not None for one in alive)
    assert left <= len(alive) / 2
