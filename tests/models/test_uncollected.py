"""Much is made without anybody looking through it for garbage; who freezes objects keeps them frozen."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from fairlead.models.uncollected import MANY as MUCH
from fairlead.models.uncollected import RARELY, hurried, uncollected

MANY = 5_000
"""Containers made at once: far above the 700 after which a collector looks, as a rule."""


@contextmanager
def collections() -> Iterator[list[int]]:
    """Count by generation how often the collector looks."""
    found: list[int] = []

    def note(phase: str, told: dict[str, int]) -> None:
        if phase == "start":
            found.append(told["generation"])

    gc.callbacks.append(note)
    try:
        yield found
    finally:
        gc.callbacks.remove(note)


@pytest.fixture(autouse=True)
def _usual_threshold() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)


def test_much_that_is_to_stay_is_looked_through_once() -> None:
    """Not while it is made but at its end, with all that is old; a few more are no reason to look again."""
    with collections() as found:
        with uncollected(lasting=True):
            made = [[number] for number in range(MUCH + 1)]
        more = [[number] for number in range(100)]
    assert found == [2]
    assert len(made) + len(more) == MUCH + 101
    assert gc.isenabled()


def test_little_that_is_to_stay_is_young() -> None:
    """Whatever is old is not looked at for a few thousand containers."""
    with collections() as found:
        with uncollected(lasting=True):
            made = [[number] for number in range(MANY)]
        more = [[number] for number in range(100)]
    assert 2 not in found
    assert len(made) + len(more) == MANY + 100


def test_what_may_be_garbage_is_looked_at_soon() -> None:
    """Of what need not stay the young part is looked at as soon as more is made."""
    with collections() as found:
        with uncollected():
            made = [[number] for number in range(MANY)]
        more = [[number] for number in range(100)]
    assert found
    assert len(made) + len(more) == MANY + 100


def test_what_is_frozen_stays_so() -> None:
    """Who froze objects himself keeps them frozen."""
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        with uncollected(lasting=True):
            pass
        # Some of them may be gone meanwhile, as nothing refers to them any more.
        assert gc.get_freeze_count() > frozen / 2 > 0
    finally:
        gc.unfreeze()


@pytest.mark.parametrize(
    ("before", "during"),
    [((700, 10, 10), RARELY), ((10**6, 5, 30), (10**6, RARELY[1], 30)), ((0, 10, 10), (0, 10, 10))],
)
def test_longer_calls_are_looked_through_rarely(
    before: tuple[int, int, int], during: tuple[int, int, int]
) -> None:
    """Unless somebody asks for less than that, or for nothing; afterwards all is as before."""
    gc.set_threshold(*before)
    called = hurried(lambda *, time_limit: gc.get_threshold() if time_limit else ())
    assert called(time_limit=10.0) == during
    assert gc.get_threshold() == before
