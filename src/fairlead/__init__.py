"""Proven-best placement of workload replicas on Kubernetes member clusters.

>>> import fairlead
>>> problem = fairlead.load("placement.yaml")  # doctest: +SKIP
>>> outcome = fairlead.solve(problem)  # doctest: +SKIP
>>> outcome.placement["default/nginx"]["member1"]  # doctest: +SKIP
3

The placement rules, for problems that are built in Python, are in `fairlead.models.rules`.
"""

from __future__ import annotations

from fairlead.models.shown import Shown as _Shown
from fairlead.version import VERSION as _VERSION

TYPE_CHECKING = False  # type checkers know better; this way nothing has to be imported
if TYPE_CHECKING:
    from fairlead.manifests.loading import load, select
    from fairlead.modelling.model import Model
    from fairlead.modelling.policy import Policy
    from fairlead.models.answer import Plot
    from fairlead.models.answer import Renderer as _Renderer
    from fairlead.models.cluster import Cluster, Taint, Toleration
    from fairlead.models.errors import (
        ExtensionError,
        FairleadError,
        InternalError,
        ManifestError,
        Mistake,
        UnsupportedError,
        UsageError,
    )
    from fairlead.models.levels import Deviation, Level
    from fairlead.models.outcome import (
        Attained,
        ClusterDecision,
        Comparison,
        Contender,
        Difference,
        Outcome,
        Status,
    )
    from fairlead.models.placement import Placement
    from fairlead.models.problem import Problem
    from fairlead.models.source import Source
    from fairlead.models.statement import Conflict, Relaxation, Statement, Violation
    from fairlead.models.validity import check, score
    from fairlead.models.workload import Workload
    from fairlead.report.html import report_html
    from fairlead.solver.compare import compare
    from fairlead.solver.dispense import dispense
    from fairlead.solver.plan.answer import Budgets, PlannedChange, RebalancePlan
    from fairlead.solver.plan.plan import plan
    from fairlead.solver.plan.saved import PlanComparison, TargetDifference, compare_plans
    from fairlead.solver.simulate.changes import Add, At, Cordon, Drain, Lose, Restore, Scale, Weight
    from fairlead.solver.simulate.result import Effect, Scenario, Simulation
    from fairlead.solver.simulate.simulate import simulate
    from fairlead.solver.solve import solve
    from fairlead.solver.why.answer import ClusterWhy, Gain, Possible, Shift, Step, Why
    from fairlead.solver.why.why import why

__version__ = _VERSION

# Everything is imported at its first use: the command line listens to Ctrl-C before it imports anything, and
# few programs need all of pydantic, PyYAML, NumPy and OR-Tools.
_PUBLIC = {
    "fairlead.manifests.loading": "load select",
    "fairlead.modelling.model": "Model",
    "fairlead.modelling.policy": "Policy",
    "fairlead.models.answer": "Plot",
    "fairlead.models.validity": "check score",
    "fairlead.models.cluster": "Cluster Taint Toleration",
    "fairlead.models.errors": (
        "ExtensionError FairleadError InternalError ManifestError Mistake UnsupportedError UsageError"
    ),
    "fairlead.models.levels": "Deviation Level",
    "fairlead.models.outcome": "Attained ClusterDecision Comparison Contender Difference Outcome Status",
    "fairlead.models.placement": "Placement",
    "fairlead.models.problem": "Problem",
    "fairlead.models.source": "Source",
    "fairlead.models.statement": "Conflict Relaxation Statement Violation",
    "fairlead.models.workload": "Workload",
    "fairlead.report.html": "report_html",
    "fairlead.solver.compare": "compare",
    "fairlead.solver.dispense": "dispense",
    "fairlead.solver.plan.plan": "plan",
    "fairlead.solver.plan.saved": "PlanComparison TargetDifference compare_plans",
    "fairlead.solver.plan.answer": "Budgets PlannedChange RebalancePlan",
    "fairlead.solver.simulate.simulate": "simulate",
    "fairlead.solver.solve": "solve",
    "fairlead.solver.simulate.changes": "Add At Cordon Drain Lose Restore Scale Weight",
    "fairlead.solver.simulate.result": "Effect Scenario Simulation",
    "fairlead.solver.why.answer": "ClusterWhy Gain Possible Shift Step Why",
    "fairlead.solver.why.why": "why",
}
_MODULES = {name: module for module, names in _PUBLIC.items() for name in names.split()}

__all__ = [
    "Add",
    "At",
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
    "ExtensionError",
    "FairleadError",
    "Gain",
    "InternalError",
    "Level",
    "Lose",
    "ManifestError",
    "Mistake",
    "Model",
    "Outcome",
    "Placement",
    "PlanComparison",
    "PlannedChange",
    "Plot",
    "Policy",
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
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = getattr(import_module(_MODULES[name]), name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    """Name everything, also what is not imported yet."""
    return sorted({*globals(), *__all__})


def _renderer() -> _Renderer:
    """Return the renderer of answers; imported where the first one is shown."""
    from fairlead.report import renderer

    return renderer


# The face knows all layers: questions and answers, in the lowest, are handed what shows them, in the highest.
_Shown.renderer = staticmethod(_renderer)
