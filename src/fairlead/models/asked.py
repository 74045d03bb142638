"""check() and score() as users call them: of problems that may have been made in Python."""

from collections.abc import Mapping

from fairlead.models import check as checking
from fairlead.models import score as scoring
from fairlead.models.balance import with_balance
from fairlead.models.outcome import Attained
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.statement import Violation
from fairlead.models.validity import completed

Placed = Placement | Mapping[str, Mapping[str, int]]


def check(problem: Problem, placement: Placed) -> tuple[Violation, ...]:
    """Return every rule that a placement breaks; empty where it breaks none.

    Parameters
    ----------
    problem
        The clusters, workloads and rules; `Total` and `Capacity` hold unless they are left out on purpose.
    placement
        Replicas by workload key and cluster name; a workload that is left out holds none.

    Raises
    ------
    ManifestError
        Where the problem was made in Python and something in it is wrong; names every mistake.
    UsageError
        Where the placement names a workload that the problem does not have, or is none.
    """
    return checking.check(completed(problem), placement)


def score(problem: Problem, placement: Placed) -> tuple[Attained, ...]:
    """Return the value of every level that the problem has, the most important first.

    Parameters
    ----------
    problem
        The question; its `deviation` says how the distance from the ratio is measured.
    placement
        Replicas by workload key and cluster name.

    Returns
    -------
    tuple of Attained
        Exact values (int or Fraction), without bound or proof. Levels to which no rule contributes are left
        out.

    Raises
    ------
    ManifestError
        Where the problem was made in Python and something in it is wrong; names every mistake.
    UsageError
        Where the placement is none.
    """
    return scoring.score(with_balance(completed(problem)), placement)
