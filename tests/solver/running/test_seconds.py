"""What is taken for a time limit."""

from fractions import Fraction

import numpy as np
import pytest

from fairlead.models.errors import UsageError
from fairlead.solver.running.deadline import Deadline


@pytest.mark.parametrize("seconds", [60, 60.0, Fraction(60), np.int64(60), np.float32(60)])
def test_any_number_of_seconds_is_a_limit(seconds: float) -> None:
    """Those of NumPy and pandas, too."""
    assert 0 < Deadline.after(seconds).remaining() <= 60


@pytest.mark.parametrize("seconds", ["60", float("nan"), [60]])
def test_what_is_no_number_is_refused(seconds: float) -> None:
    """The value is told."""
    with pytest.raises(UsageError, match="time limit"):
        Deadline.after(seconds)
