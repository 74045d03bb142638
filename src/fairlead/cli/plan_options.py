"""Options of plans, and a plan as these options ask for it; of `plan` and of `report`."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from fairlead.cli.how_made import Settled
from fairlead.cli.options import (
    DEVIATION,
    PARTIAL,
    SEED,
    WORKERS,
    Option,
    flag,
    takes,
    time_limit,
    typed,
    valued,
)
from fairlead.cli.values import (
    WholeNumber,
    WordChoice,
    amount,
    complete_clusters,
    complete_workloads,
    gain,
    named_amount,
    named_once,
)
from fairlead.models.errors import SettledError

if TYPE_CHECKING:
    from fairlead.manifests.yaml.documents import Document
    from fairlead.models.problem import Problem
    from fairlead.solver.plan.answer import RebalancePlan


def _budget(names: str, text: str, each: str = "") -> Option:
    """Return an option of replicas or a share of them: one, or one for each of what is named."""
    if not each:
        return valued(names, text, "N|P%", cls=Settled, type=amount)
    named = f"{each}=N|P%"
    return valued(names, text, named, cls=Settled, type=named_amount, callback=named_once, each=True)


_BUDGETS = (
    _budget("--budget total", "Replicas that may move in total."),
    _budget("--budget-per-workload per_workload", "Replicas that may move, for every workload."),
    _budget("--budget-per-namespace per_namespace", "Replicas that may move, for every namespace."),
    _budget("--budget-of budget_workloads", "Replicas that may move, for one workload.", "WORKLOAD"),
    _budget("--budget-in budget_namespaces", "Replicas that may move, for one namespace.", "NAMESPACE"),
    _budget("--budget-out-of budget_leaving", "Replicas that may leave a cluster.", "CLUSTER"),
    _budget("--budget-into budget_arriving", "Replicas that may arrive at a cluster.", "CLUSTER"),
)

_MOVING = (
    valued(
        "--pin pinned",
        "Never move this workload.",
        "WORKLOAD",
        cls=Settled,
        each=True,
        shell_complete=complete_workloads,
    ),
    valued(
        "--pin-cluster pinned_clusters",
        "Move nothing off or onto this cluster.",
        "CLUSTER",
        cls=Settled,
        each=True,
        shell_complete=complete_clusters,
    ),
    valued(
        "--gain",
        "Skip moves that improve the deviation by less than this.  [default: any]",
        "X",
        cls=Settled,
        type=gain,
    ),
    flag("--moves-first", "Prefer fewer moves over a better fit to the weights.", cls=Settled),
    flag(
        "--make-room",
        "If only some workloads are due, let others move to free capacity for them.",
        cls=Settled,
    ),
    valued(
        "--order",
        "Start the new replica or stop the old one first.",
        cls=Settled,
        type=WordChoice(["start-first", "stop-first", "either"]),
        default="start-first",
    ),
    _budget("--max-unavailable", "Replicas of a workload that may be unavailable."),
    _budget("--max-surge", "Replicas of a workload that may run in addition."),
    flag(
        "--no-detours",
        "Never park replicas on a third cluster while full clusters exchange some.",
        cls=Settled,
    ),
    valued(
        "--max-moves-per-wave",
        "Replicas that one wave may move, start or stop.  [default: any number]",
        "N",
        cls=Settled,
        type=WholeNumber(min=1),
    ),
)

takes_plan_options = takes(
    *_BUDGETS,
    *_MOVING,
    PARTIAL,
    time_limit(60, "Stop after this many seconds with the best plan found"),
    WORKERS,
    SEED,
    DEVIATION,
)
"""Gives a command everything that a plan may be asked for."""


_SEVERAL = ("workloads", "namespaces", "leaving", "arriving")
_SINGLE = ("total", "per_workload", "per_namespace")

_ARGUMENTS: Mapping[str, str] = MappingProxyType(
    {
        **{f"budget_{name}": "budget" for name in _SEVERAL},
        **dict.fromkeys(_SINGLE, "budget"),
        "make_room": "others",
        "no_detours": "detours",
    }
)
"""Arguments of `plan` by parameter of the command, where they are called otherwise."""


def planned(
    problem: "Problem", saved: "Document | None", asked: Mapping[str, Any], **more: Any
) -> "RebalancePlan":
    """Return a plan, or what becomes of a saved one, as the options of a command ask for it.

    Raises `SettledError` where options are given that a saved plan has settled; names these.
    """
    from fairlead.solver.plan.plan import plan

    try:
        return plan(problem, resume=saved, **plan_arguments(asked), **more)
    except SettledError as error:
        settled = (name for name in asked if _ARGUMENTS.get(name, name) in error.names)
        raise SettledError(typed(*settled)) from None


def plan_arguments(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `plan`: single budgets become one object."""
    from fairlead.solver.plan.answer import Budgets

    arguments = dict(asked)
    budgets: dict[str, Any] = {name: arguments.pop(f"budget_{name}") for name in _SEVERAL}
    budgets |= {name: arguments.pop(name) for name in _SINGLE}
    arguments["budget"] = Budgets(**budgets)
    arguments["others"] = "make-room" if arguments.pop("make_room") else "stay"
    arguments["detours"] = not arguments.pop("no_detours")
    return arguments


def read_saved(file: str) -> "Document":
    """Read a saved plan; all that is wrong with it is told."""
    from fairlead.solver.plan.saved import read_file, validated

    document = read_file(file)
    validated(document)
    return document
