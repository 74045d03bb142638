"""``fairlead solve``: place the workloads and prove that there is no better placement."""

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import click

from fairlead.cli import console, exits
from fairlead.cli.inputs import Inputs, leaves_untriggered, left_as_triggered, load_workloads, reads_input
from fairlead.cli.options import flag, picks_rows, require_table, takes_settings, writes_output
from fairlead.cli.outputs import PATCHES, Patches, show_patches, shown

if TYPE_CHECKING:
    from fairlead.models.outcome import Outcome
    from fairlead.report.terminal import Rows

_EXIT_CODES = exits.codes({4: "nothing found in time; with --require-proof: no proof in time"})


@click.command("solve", epilog=_EXIT_CODES)
@reads_input
@writes_output("table", "wide", "json", "yaml", "html", "name", *PATCHES)
@flag("--no-headers", "Print only the rows, with namespace and name in front.")
@picks_rows
@takes_settings
@leaves_untriggered
@flag("--require-proof", "Exit with 4 unless the answer is proven.")
def solve_command(
    inputs: Inputs,
    output: console.Format | Literal["name"] | Patches,
    *,
    no_headers: bool,
    picked: "Rows",
    require_proof: bool,
    as_triggered: bool,
    **settings: Any,
) -> int:
    """Place the workloads and prove that there is no better placement.

    Nothing is written to a cluster. `-o patch` prints what to apply to the objects that change, `-o
    status-patch` what belongs in their status afterwards.
    """
    require_table(output, picked)
    # Before anything is loaded: after Pydantic, NumPy takes half as long again to import.
    from fairlead.solver.solve import solve

    started = time.perf_counter()
    problem = left_as_triggered(load_workloads(inputs), as_triggered=as_triggered)
    loaded = time.perf_counter() - started
    with shown(settings["time_limit"], quiet=inputs.quiet) as progress:
        outcome = solve(problem, progress=progress, **settings)
    outcome = replace(outcome, seconds={"load": loaded, **outcome.seconds})
    match output:
        case "name":
            _names(outcome)
        case "patch" | "status-patch":
            show_patches(outcome, output)
        case _:
            console.show(outcome, output, headers=not no_headers, picked=picked)
            console.suggest(outcome, output)
    return exits.code_of(outcome, require_proof=require_proof)


def _names(outcome: "Outcome") -> None:
    """Print the placed workloads as kubectl names objects; without a placement the verdict is a note."""
    if outcome.placement is None:
        console.rows(outcome, "")
        return
    from fairlead.manifests.yaml.documents import group_of

    for workload in outcome.problem.with_replicas:
        group = group_of(workload.api_version)
        kind = f"{workload.kind}.{group}" if group else workload.kind
        console.result(f"{kind.lower()}/{workload.name}")
