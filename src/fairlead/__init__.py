"""Proven-best placement of workload replicas on Kubernetes member clusters.

>>> import fairlead
>>> problem = fairlead.load("placement.yaml")  # doctest: +SKIP
>>> outcome = fairlead.solve(problem)  # doctest: +SKIP
>>> outcome.placement["default/nginx"]["member1"]  # doctest: +SKIP
3

The placement rules, for problems that are built in Python, are in `fairlead.models.rules`.
"""

TYPE_CHECKING = False  # type checkers know better; this way nothing has to be imported
if TYPE_CHECKING:
    from fairlead.manifests.loading import load, select
    from fairlead.models.asked import check, score
    from fairlead.models.cluster import Cluster, Taint, Toleration
    from fairlead.models.comparison import Comparison, Contender, Difference
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
    from fairlead.models.source import Source
    from fairlead.models.statement import Conflict, Relaxation, Statement, Violation
    from fairlead.models.workload import Workload
    from fairlead.report.html import report_html
    from fairlead.solver.comparing import compare
    from fairlead.solver.dispensing import dispense
    from fairlead.solver.plan.answer import PlannedChange, RebalancePlan
    from fairlead.solver.plan.comparison import PlanComparison, TargetDifference, compare_plans
    from fairlead.solver.plan.options import Budgets
    from fairlead.solver.plan.plan import plan
    from fairlead.solver.simulate.changes import Add, Cordon, Drain, Lose, Restore, Scale, Weight
    from fairlead.solver.simulate.result import Effect, Scenario, Simulation
    from fairlead.solver.simulate.simulate import simulate
    from fairlead.solver.solving import solve
    from fairlead.solver.why.answer import ClusterWhy, Gain, Possible, Shift, Step, Why
    from fairlead.solver.why.why import why

__version__ = "0.1.0"

# Everything is imported at its first use: the command line listens to Ctrl-C before it imports anything, and
# few programs need all of pydantic, PyYAML, NumPy and OR-Tools.
_LATE = {
    "Add": "fairlead.solver.simulate.changes",
    "Attained": "fairlead.models.outcome",
    "Budgets": "fairlead.solver.plan.options",
    "Cluster": "fairlead.models.cluster",
    "ClusterDecision": "fairlead.models.outcome",
    "ClusterWhy": "fairlead.solver.why.answer",
    "Comparison": "fairlead.models.comparison",
    "Conflict": "fairlead.models.statement",
    "Contender": "fairlead.models.comparison",
    "Cordon": "fairlead.solver.simulate.changes",
    "Deviation": "fairlead.models.levels",
    "Difference": "fairlead.models.comparison",
    "Drain": "fairlead.solver.simulate.changes",
    "Effect": "fairlead.solver.simulate.result",
    "FairleadError": "fairlead.models.errors",
    "Gain": "fairlead.solver.why.answer",
    "InternalError": "fairlead.models.errors",
    "Level": "fairlead.models.levels",
    "Lose": "fairlead.solver.simulate.changes",
    "ManifestError": "fairlead.models.errors",
    "Mistake": "fairlead.models.errors",
    "Outcome": "fairlead.models.outcome",
    "Placement": "fairlead.models.placement",
    "PlanComparison": "fairlead.solver.plan.comparison",
    "PlannedChange": "fairlead.solver.plan.answer",
    "Possible": "fairlead.solver.why.answer",
    "Problem": "fairlead.models.problem",
    "RebalancePlan": "fairlead.solver.plan.answer",
    "Relaxation": "fairlead.models.statement",
    "Restore": "fairlead.solver.simulate.changes",
    "Scale": "fairlead.solver.simulate.changes",
    "Scenario": "fairlead.solver.simulate.result",
    "Shift": "fairlead.solver.why.answer",
    "Simulation": "fairlead.solver.simulate.result",
    "Source": "fairlead.models.source",
    "Statement": "fairlead.models.statement",
    "Status": "fairlead.models.outcome",
    "Step": "fairlead.solver.why.answer",
    "Taint": "fairlead.models.cluster",
    "TargetDifference": "fairlead.solver.plan.comparison",
    "Toleration": "fairlead.models.cluster",
    "UnsupportedError": "fairlead.models.errors",
    "UsageError": "fairlead.models.errors",
    "Violation": "fairlead.models.statement",
    "Weight": "fairlead.solver.simulate.changes",
    "Why": "fairlead.solver.why.answer",
    "Workload": "fairlead.models.workload",
    "check": "fairlead.models.asked",
    "compare": "fairlead.solver.comparing",
    "compare_plans": "fairlead.solver.plan.comparison",
    "dispense": "fairlead.solver.dispensing",
    "load": "fairlead.manifests.loading",
    "plan": "fairlead.solver.plan.plan",
    "report_html": "fairlead.report.html",
    "score": "fairlead.models.asked",
    "select": "fairlead.manifests.loading",
    "simulate": "fairlead.solver.simulate.simulate",
    "solve": "fairlead.solver.solving",
    "why": "fairlead.solver.why.why",
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
        from importlib import import_module

        if name == "models":
            import_module("fairlead.models.rules")
            return import_module("fairlead.models")
        if name not in _LATE:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = getattr(import_module(_LATE[name]), name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    """Name everything, also what is not imported yet."""
    return sorted({*globals(), *__all__})
