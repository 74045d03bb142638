"""``fairlead solve``: place the workloads and prove that there is no better placement."""

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from fairlead.cli import console, exits
from fairlead.cli.options import Inputs, reads_input, writes_output
from fairlead.cli.progress import shown
from fairlead.cli.settings import leaves_untriggered, takes_settings

if TYPE_CHECKING:
    from fairlead.models.outcome import Outcome
    from fairlead.models.problem import Problem

_EXIT_CODES = """\b
Exit codes:
  0  solved
  1  unexpected
  2  wrong input or usage
  3  infeasible, or replicas unplaced
  4  nothing found in time; with --require-proof: no proof in time"""


@click.command("solve", short_help="Place the workloads, proven best.", epilog=_EXIT_CODES)
@reads_input
@writes_output("table", "wide", "json", "yaml", "name")
@click.option("--no-headers", is_flag=True, help="Print rows only, with namespace and name in front.")
@takes_settings
@leaves_untriggered
@click.option("--require-proof", is_flag=True, help="Exit with 4 unless the answer is proven.")
def solve_command(
    inputs: Inputs,
    output: str,
    *,
    no_headers: bool,
    require_proof: bool,
    as_triggered: bool,
    **settings: Any,
) -> int:
    """Place the workloads and prove that there is no better placement."""
    started = time.perf_counter()
    problem = left_as_triggered(load_workloads(inputs), as_triggered=as_triggered)
    loaded = time.perf_counter() - started
    from fairlead.solver.solving import solve

    with shown(settings["time_limit"], quiet=inputs.quiet) as progress:
        outcome = solve(problem, progress=progress, **settings)
    outcome = replace(outcome, seconds={"load": loaded, **outcome.seconds})
    _show(outcome, output, no_headers=no_headers)
    return exits.code_of(outcome, require_proof=require_proof)


def left_as_triggered(problem: "Problem", *, as_triggered: bool) -> "Problem":
    """Return the problem, with what KubeAdmiral would leave kept as it runs where that is asked for."""
    if not as_triggered:
        return problem
    from fairlead.models import triggers

    return triggers.as_triggered(problem)


def load_workloads(inputs: Inputs) -> "Problem":
    """Read the input and say what is odd about it; an input without workloads is a mistake."""
    from fairlead.models.errors import UsageError

    problem = inputs.read()
    if not inputs.quiet:
        console.warn(problem.warnings)
    if not problem.workloads:
        chosen = " that -n and -l choose" if inputs.namespaces or inputs.selector else ""
        raise UsageError(f"nothing to place: the input holds no workload{chosen}")
    return problem


def _show(outcome: "Outcome", output: str, *, no_headers: bool) -> None:
    """Print an outcome in the asked format."""
    if output in ("json", "yaml"):
        console.result(console.serialised(outcome.to_dict(), output))
    elif output == "name":
        _names(outcome)
    else:
        from fairlead.report.table import Look, tables

        look = Look(output == "wide", not no_headers, console.coloured(), console.width())
        console.result(tables(outcome, look))


def _names(outcome: "Outcome") -> None:
    """Print the placed workloads as kubectl names objects; without a placement the verdict is a note."""
    if outcome.placement is None:
        from fairlead.models.outcome_text import explanation, verdict

        console.note("\n".join([verdict(outcome), *explanation(outcome)]))
        return
    for workload in outcome.problem.with_replicas:
        group = workload.api_version.partition("/")[0] if "/" in workload.api_version else ""
        kind = f"{workload.kind}.{group}" if group else workload.kind
        console.result(f"{kind.lower()}/{workload.name}")
