"""Linear programs, handed to GLOP as numbers, from nothing or from the basis of another program."""

import numpy as np
import pytest

from fairlead.solver.batch.dual.linear_program import Basis, LinearProgram, optimum
from fairlead.solver.running.deadline import Deadline


def program(keys: tuple[int, ...] = (10, 20, 30), first: float = 1.0) -> LinearProgram:
    """Return x + y + z = 3 with x, y at most 2, where z is dear, and y + w = 1.5 where w is what y leaves."""
    return LinearProgram(
        np.array([*keys, 99]),
        np.array([2.0, 2.0, np.inf, np.inf]),
        np.array([first, 3.0, 50.0, 0.0]),
        np.array([5, 8]),
        np.array([3.0, 1.5]),
        (np.array([1, 0, 0, 0, 1]), np.array([1, 0, 1, 2, 3]), np.ones(5)),
    )


def test_a_program_has_the_optimum_that_one_finds_by_hand() -> None:
    """Two of x at 1 and one of y at 3 are 5; one more in all would be a y, so the first row is worth 3."""
    found = optimum(program(), Deadline())
    assert found is not None
    assert found.primal == pytest.approx([2.0, 1.0, 0.0, 0.5])
    assert found.dual == pytest.approx([3.0, 0.0])
    assert found.cost == pytest.approx(5.0)


def test_a_start_from_other_variables_changes_nothing() -> None:
    """Variables that are gone leave their places to rows; new ones stand at their lower bound."""
    before = optimum(program(), Deadline())
    assert before is not None
    assert before.basis is not None
    # With x as dear as 4 two of y would be cheapest, but the second row leaves 1.5: 6 and 4.5 are 10.5.
    found = optimum(program((11, 20, 31), first=4.0), Deadline(), before.basis)
    assert found is not None
    assert found.cost == pytest.approx(10.5)
    assert found.primal == pytest.approx([1.5, 1.5, 0.0, 0.0])


def test_a_start_from_which_nothing_follows_does_not_hurt() -> None:
    """X and z stand in one row only, so they cannot be basic for two: GLOP has to find its own way."""
    basic, at_zero = 5, 2
    rows = np.array([5, 8])
    singular = Basis(np.array([10, 30]), np.array([basic, basic]), rows, np.array([at_zero, at_zero]))
    found = optimum(program(), Deadline(), singular)
    assert found is not None
    assert found.cost == pytest.approx(5.0)


def test_a_program_without_a_solution_has_no_optimum() -> None:
    """X alone cannot be 3 where it is at most 2."""
    alone = LinearProgram(
        np.array([1]),
        np.array([2.0]),
        np.array([1.0]),
        np.array([0]),
        np.array([3.0]),
        (np.array([0]), np.array([0]), np.ones(1)),
    )
    assert optimum(alone, Deadline()) is None
