"""``fairlead report``: a plan, or a placement, as one HTML file; and the options that `plan` shares."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import click

from fairlead.cli import console, exits, outputs
from fairlead.cli.how_made import Settled, making
from fairlead.cli.inputs import Inputs, load_workloads, reads_input
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
)
from fairlead.models.errors import SettledError

if TYPE_CHECKING:
    from fairlead.manifests.yaml.documents import Document
    from fairlead.models.problem import Problem
    from fairlead.solver.plan.answer import RebalancePlan


def _budget(names: str, text: str, each: str = "") -> Option:
    """Return an option of replicas or a share of them: one, or one for each of what is named."""
    kind, metavar = (named_amount, f"{each}=N|P%") if each else (amount, "N|P%")
    return valued(names, text, metavar, cls=Settled, type=kind, each=bool(each))


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
    budgets: dict[str, Any] = {name: dict(arguments.pop(f"budget_{name}")) for name in _SEVERAL}
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


STDOUT = "-"

_EXIT_CODES = exits.codes(
    {
        0: "written",
        3: "written, but no target keeps every rule, or something cannot move",
        4: "written, but no target was found in time",
    }
)


@click.command("report", epilog=_EXIT_CODES)
@reads_input
@valued(
    "-o --output",
    "Where to write; - is standard output. A file that is there already is replaced.",
    "FILE",
    type=click.Path(dir_okay=False, writable=True, allow_dash=True),
    default="report.html",
)
@valued(
    "--plan saved",
    "Report a plan that fairlead plan --save wrote, instead of a new one.",
    "FILE",
    type=click.Path(exists=True, dir_okay=False),
)
@takes_plan_options
def report_command(inputs: Inputs, output: str, saved: str | None, **asked: Any) -> int:
    """Write a report of what to move where, and why: one HTML file that needs no network.

    Takes the options of fairlead plan. Where nothing runs yet, the report shows the placement. Nothing is
    written to a cluster.
    """
    if output != STDOUT:
        outputs.require_writable(output)
    document = None if saved is None else read_saved(saved)
    problem = load_workloads(inputs)
    from fairlead.report.renderer import page, verdict

    found = planned(problem, document, asked)
    if document is not None:
        found = _as_saved(found, document)
    runs = any(count for workload in problem.workloads for count in workload.current.values())
    whole = runs or document is not None
    answer = found if whole else found.outcome
    text = page(answer, making())
    if output == STDOUT:
        console.result(text.rstrip())
    else:
        outputs.write(output, text)
        if not inputs.quiet:
            console.note(f"{verdict(answer).removesuffix(':')}\nwritten to {output}")
    return exits.code_of_plan(found)


def _as_saved(found: "RebalancePlan", document: "Document") -> "RebalancePlan":
    """Return the plan with the waves that were saved, where they still lead from what runs to the target."""
    from fairlead.solver.plan.replay import replay
    from fairlead.solver.plan.saved import saved_plan

    waves = saved_plan(document).waves_for(found.problem)
    if replay(waves):
        console.note(
            "note: the saved waves do not start from what runs now; the report shows the waves that are left"
        )
        return found
    return replace(found, waves=waves)
