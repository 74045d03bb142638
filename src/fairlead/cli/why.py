"""``fairlead why``: why a workload stands where it stands, and what anything else would cost."""

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from fairlead.cli import console, exits
from fairlead.cli.options import Inputs, reads_input, writes_output
from fairlead.cli.settings import takes_settings
from fairlead.cli.solve import load_workloads

if TYPE_CHECKING:
    from fairlead.solver.why.answer import Why

_USE = """\b
Examples:
  fairlead why shop -f fleet.yaml
  fairlead why retail/shop eu-west-1 -f fleet.yaml
  fairlead why deployment/shop -n retail -f fleet.yaml

\b
Exit codes:
  0  solved
  1  unexpected
  2  wrong input or usage
  3  infeasible, or replicas unplaced
  4  nothing found in time"""


@click.command("why", short_help="Say why a workload stands where it stands.", epilog=_USE)
@click.argument("workload")
@click.argument("cluster", required=False)
@reads_input
@writes_output("table", "wide", "json", "yaml")
@click.option("--no-headers", is_flag=True, help="Print the rows of the clusters only.")
@takes_settings
def why_command(
    inputs: Inputs, workload: str, cluster: str | None, output: str, *, no_headers: bool, **settings: Any
) -> int:
    """Say why WORKLOAD stands where it stands: on every cluster, or on CLUSTER only.

    For each cluster: which rule binds, and what one replica more and one less would cost: the first level of
    the objective that gets worse. Then the bounds that improve the placement when they are moved by one.

    WORKLOAD is a name, namespace/name or kind/name. All workloads of the input are placed, since they share
    clusters; -n only tells in which namespace WORKLOAD is.
    """
    started = time.perf_counter()
    problem = load_workloads(replace(inputs, namespaces=()))
    loaded = time.perf_counter() - started
    from fairlead.solver.why.names import find_workload
    from fairlead.solver.why.why import why

    key = find_workload(problem, workload, inputs.namespaces).key
    found = why(problem, key, cluster, **settings)
    _show(replace(found, seconds={"load": loaded, **found.seconds}), output, no_headers=no_headers)
    return exits.code_of(found.outcome)


# Other answers than the best one are not explained, so how and where it is found is not to be chosen.
_NOT_CHOSEN = ("method", "partial", "engine", "partitions")
why_command.params = [each for each in why_command.params if each.name not in _NOT_CHOSEN]


def _show(why: "Why", output: str, *, no_headers: bool) -> None:
    """Print the explanation in the asked format."""
    if output in ("json", "yaml"):
        console.result(console.serialised(why.to_dict(), output))
        return
    from fairlead.report.table import Look
    from fairlead.report.why import why_tables

    look = Look(output == "wide", not no_headers, console.coloured(), console.width())
    console.result(why_tables(why, look))
