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
    from fairlead.models.plan_options import Budgets
    from fairlead.models.rebalance import PlannedChange, RebalancePlan
    from fairlead.models.rebalance_comparison import PlanComparison, TargetDifference, compare_plans
    from fairlead.models.what_if_changes import Add, Cordon, Drain, Lose, Restore, Scale, Weight
    from fairlead.models.what_if_result import Effect, Scenario, Simulation
    from fairlead.models.why import ClusterWhy, Gain, Possible, Shift, Step, Why
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
    "Add": "fairlead.models.what_if_changes",
    "Budgets": "fairlead.models.plan_options",
    "ClusterWhy": "fairlead.models.why",
    "Comparison": "fairlead.models.comparison",
    "Contender": "fairlead.models.comparison",
    "Cordon": "fairlead.models.what_if_changes",
    "Difference": "fairlead.models.comparison",
    "Drain": "fairlead.models.what_if_changes",
    "Effect": "fairlead.models.what_if_result",
    "Gain": "fairlead.models.why",
    "Lose": "fairlead.models.what_if_changes",
    "PlannedChange": "fairlead.models.rebalance",
    "PlanComparison": "fairlead.models.rebalance_comparison",
    "Possible": "fairlead.models.why",
    "RebalancePlan": "fairlead.models.rebalance",
    "Restore": "fairlead.models.what_if_changes",
    "Scale": "fairlead.models.what_if_changes",
    "Scenario": "fairlead.models.what_if_result",
    "Shift": "fairlead.models.why",
    "Simulation": "fairlead.models.what_if_result",
    "Step": "fairlead.models.why",
    "TargetDifference": "fairlead.models.rebalance_comparison",
    "Weight": "fairlead.models.what_if_changes",
    "Why": "fairlead.models.why",
    "compare": "fairlead.solver.comparing",
    "compare_plans": "fairlead.models.rebalance_comparison",
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
