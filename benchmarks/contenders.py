"""Who is measured: fairlead, greedy dispensers, and whole models given to the solvers of OR-Tools."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

import cp_models
import mip_models
from answers import Answer, Effort, Solve
from as_manifests import as_karmada_reads_it

import fairlead
from fairlead.models.problem import Problem
from fairlead.models.result import Progress
from fairlead.solver.arguments import Method


@dataclass(frozen=True, slots=True)
class Contender:
    """One that is measured.

    Parameters
    ----------
    solve
        How it is asked.
    about
        What it is, for readers of the table.
    """

    solve: Solve
    about: str


def _fairlead(method: Method) -> Solve:
    """Return fairlead as a user calls it."""

    def solve(problem: Problem, effort: Effort) -> Answer:
        def told(progress: Progress) -> None:
            effort.tell(_float(progress.value), _float(progress.bound))

        outcome = fairlead.solve(
            problem, time_limit=effort.seconds, workers=effort.workers, method=method, progress=told
        )
        return _answered(outcome)

    return solve


def _in_shares(engine: str) -> Solve:
    """Return fairlead where no machine is to hold all workloads: two shares at least, of 25,000 at most."""

    def solve(problem: Problem, effort: Effort) -> Answer:
        count = max(2, -(-len(problem.workloads) // 25_000))
        outcome = fairlead.solve(
            problem, time_limit=effort.seconds, workers=effort.workers, engine=engine, partitions=count
        )
        return _answered(outcome)

    return solve


def _float(number: Fraction | float | None) -> float | None:
    """Return a number as it is drawn."""
    return None if number is None else float(number)


def _answered(outcome: fairlead.Outcome) -> Answer:
    """Return an outcome as an answer."""
    bounds = tuple(None if level.bound is None else Fraction(level.bound) for level in outcome.objectives)
    slack = tuple(Fraction(level.tolerance) + (level.resolution or 0) for level in outcome.objectives)
    return Answer(outcome.placement, bounds, outcome.status is fairlead.Status.OPTIMAL, slack)


def _dispenser(like: str) -> Solve:
    """Return a greedy dispenser."""

    def solve(problem: Problem, effort: Effort) -> Answer:
        del effort
        return Answer(fairlead.dispense(problem, like).placement)

    return solve


def _karmada(problem: Problem, effort: Effort) -> Answer:
    """Use what stands in for Karmada's scheduler; the problem is written down as manifests for it."""
    asked = as_karmada_reads_it(problem)
    effort.restart()
    return Answer(fairlead.dispense(asked, "karmada").placement)


CONTENDERS: Mapping[str, Contender] = MappingProxyType(
    {
        "fairlead": Contender(_fairlead("auto"), "`fairlead.solve`, as a user calls it"),
        "fairlead CP-SAT": Contender(_fairlead("cp-sat"), "`fairlead.solve(..., method='cp-sat')`"),
        "fairlead in shares": Contender(
            _in_shares("local"), "`fairlead.solve(..., partitions=N)`, 25,000 workloads a share at most"
        ),
        "fairlead in shares on Ray": Contender(_in_shares("ray"), "the same with `engine='ray'`"),
        "naive CP-SAT": Contender(
            cp_models.naive, "one model for all: integer x, d >= abs(W x - w N), minimise the sum of d"
        ),
        "hull CP-SAT": Contender(cp_models.hull, "one model for all, costs by their integer hull"),
        "hull HiGHS": Contender(mip_models.mixed_integer("highs"), "the same as a mixed-integer program"),
        "hull SCIP": Contender(mip_models.mixed_integer("scip"), "the same as a mixed-integer program"),
        "LP bound HiGHS": Contender(mip_models.relaxed("highs"), "its linear relaxation: a bound only"),
        "LP bound GLOP": Contender(mip_models.relaxed("glop"), "its linear relaxation: a bound only"),
        "LP bound PDLP": Contender(mip_models.relaxed("pdlp"), "its linear relaxation: a bound only"),
        "reference": Contender(
            _dispenser("reference"), "greedy, one workload after the other, capacity kept"
        ),
        "karmada": Contender(_karmada, "greedy, what Karmada's scheduler answers"),
        "webster": Contender(_dispenser("webster"), "greedy, Webster's division; looks at no capacity"),
        "largest-remainder": Contender(
            _dispenser("largest-remainder"), "greedy, Hamilton's division; looks at no capacity"
        ),
        "karmada-proposal": Contender(
            _dispenser("karmada-proposal"), "greedy, the pseudocode of a proposal; looks at no capacity"
        ),
    }
)
"""All contenders by name."""

EXACT = ("naive CP-SAT", "hull CP-SAT", "hull HiGHS", "hull SCIP")
BOUNDS = ("LP bound HiGHS", "LP bound GLOP", "LP bound PDLP")
GREEDY = ("reference", "karmada", "webster", "largest-remainder", "karmada-proposal")
