"""``fairlead report``: a rebalance plan, or a placement, as one HTML file."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from fairlead.cli import console, exits, outputs
from fairlead.cli.how_made import making
from fairlead.cli.inputs import Inputs, load_workloads, reads_input
from fairlead.cli.options import valued
from fairlead.cli.plan_options import planned, read_saved, takes_plan_options

if TYPE_CHECKING:
    from fairlead.manifests.yaml.documents import Document
    from fairlead.solver.plan.answer import RebalancePlan

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
