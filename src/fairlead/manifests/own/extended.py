"""What our own kinds make of a problem."""

from collections.abc import Mapping
from typing import NamedTuple

from fairlead.models.expected_loss import FailureRate
from fairlead.models.levels import Deviation, Tolerance
from fairlead.models.rules import Companionship, MoveBudget
from fairlead.models.statement import Statement
from fairlead.models.workload import Workload


class Extended(NamedTuple):
    """What our own kinds make of a problem."""

    workloads: tuple[Workload, ...]
    rules: tuple[Companionship | MoveBudget, ...]
    """Rules that several workloads share."""
    levels: tuple[str, ...]
    """Keys of the objective levels, the most important first."""
    deviation: Deviation
    tolerances: Mapping[str, Tolerance]
    """How much worse than best levels may be, by key."""
    failure_rates: tuple[FailureRate, ...]
    """How often clusters fail."""
    warnings: tuple[Statement, ...]
    """Selectors that match nothing, bounds without effect and the like."""
