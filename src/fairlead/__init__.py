"""Proven-best placement of workload replicas on Kubernetes member clusters.

>>> import fairlead
>>> problem = fairlead.load("placement.yaml")  # doctest: +SKIP
>>> outcome = fairlead.solve(problem)  # doctest: +SKIP
>>> outcome.placement["default/nginx"]["member1"]  # doctest: +SKIP
3

The placement rules, for problems that are built in Python, are in `fairlead.models.rules`.
"""

from typing import TYPE_CHECKING

from fairlead.models.check import check
from fairlead.models.cluster import Cluster, Taint, Toleration
from fairlead.models.errors import (
    FairleadError,
    InternalError,
    ManifestError,
    Mistake,
    UnsupportedError,
    UsageError,
)
from fairlead.models.levels import Deviation, Level
from fairlead.models.outcome import Attained, ClusterDecision, Outcome, Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.score import score
from fairlead.models.source import Source
from fairlead.models.statement import Conflict, Relaxation, Statement, Violation
from fairlead.models.workload import Workload

if TYPE_CHECKING:
    from fairlead.models.comparison import Comparison, Contender, Difference
    from fairlead.models.manifests.loading import load, select
    from fairlead.models.plans.comparison import PlanComparison, TargetDifference, compare_plans
    from fairlead.models.plans.options import Budgets
    from fairlead.models.plans.plan import PlannedChange, RebalancePlan
    from fairlead.models.what_if.changes import Add, Cordon, Drain, Lose, Restore, Scale, Weight
    from fairlead.models.what_if.result import Effect, Scenario, Simulation
    from fairlead.models.why.answer import ClusterWhy, Gain, Possible, Shift, Step, Why
    from fairlead.report.html import report_html
    from fairlead.solver.asking.why import why
    from fairlead.solver.comparing import compare
    from fairlead.solver.dispensing import dispense
    from fairlead.solver.planning.planning import plan
    from fairlead.solver.simulating import simulate
    from fairlead.solver.solving import solve

__version__ = "0.1.0"

# What brings pydantic, PyYAML, NumPy or OR-Tools with it, and what few programs need; imported at first use.
_LATE = {
    "Add": "fairlead.models.what_if.changes",
    "Budgets": "fairlead.models.plans.options",
    "ClusterWhy": "fairlead.models.why.answer",
    "Comparison": "fairlead.models.comparison",
    "Contender": "fairlead.models.comparison",
    "Cordon": "fairlead.models.what_if.changes",
    "Difference": "fairlead.models.comparison",
    "Drain": "fairlead.models.what_if.changes",
    "Effect": "fairlead.models.what_if.result",
    "Gain": "fairlead.models.why.answer",
    "Lose": "fairlead.models.what_if.changes",
    "PlannedChange": "fairlead.models.plans.plan",
    "PlanComparison": "fairlead.models.plans.comparison",
    "Possible": "fairlead.models.why.answer",
    "RebalancePlan": "fairlead.models.plans.plan",
    "Restore": "fairlead.models.what_if.changes",
    "Scale": "fairlead.models.what_if.changes",
    "Scenario": "fairlead.models.what_if.result",
    "Shift": "fairlead.models.why.answer",
    "Simulation": "fairlead.models.what_if.result",
    "Step": "fairlead.models.why.answer",
    "TargetDifference": "fairlead.models.plans.comparison",
    "Weight": "fairlead.models.what_if.changes",
    "Why": "fairlead.models.why.answer",
    "compare": "fairlead.solver.comparing",
    "compare_plans": "fairlead.models.plans.comparison",
    "dispense": "fairlead.solver.dispensing",
    "load": "fairlead.models.manifests.loading",
    "plan": "fairlead.solver.planning.planning",
    "report_html": "fairlead.report.html",
    "select": "fairlead.models.manifests.loading",
    "simulate": "fairlead.solver.simulating",
    "solve": "fairlead.solver.solving",
    "why": "fairlead.solver.asking.why",
}

__all__ = [
    "Add",
    "Attained",
    "Budgets",
    "Cluster",
    "ClusterDecision",
    "ClusterWhy",
    "Comparison",
    "Conflict",
    "Contender",
    "Cordon",
    "Deviation",
    "Difference",
    "Drain",
    "Effect",
    "FairleadError",
    "Gain",
    "InternalError",
    "Level",
    "Lose",
    "ManifestError",
    "Mistake",
    "Outcome",
    "Placement",
    "PlanComparison",
    "PlannedChange",
    "Possible",
    "Problem",
    "RebalancePlan",
    "Relaxation",
    "Restore",
    "Scale",
    "Scenario",
    "Shift",
    "Simulation",
    "Source",
    "Statement",
    "Status",
    "Step",
    "Taint",
    "TargetDifference",
    "Toleration",
    "UnsupportedError",
    "UsageError",
    "Violation",
    "Weight",
    "Why",
    "Workload",
    "__version__",
    "check",
    "compare",
    "compare_plans",
    "dispense",
    "load",
    "plan",
    "report_html",
    "score",
    "select",
    "simulate",
    "solve",
    "why",
]


if not TYPE_CHECKING:  # or type checkers would believe that every name exists

    def __getattr__(name: str) -> object:
        """Import a name at its first use."""
        if name not in _LATE:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        found = getattr(import_module(_LATE[name]), name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    """Name everything, also what is not imported yet."""
    return sorted({*globals(), *__all__})
