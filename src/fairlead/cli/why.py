"""``fairlead why``: why a workload stands where it stands, and what anything else would cost."""

import time
from dataclasses import replace
from typing import Any

import click

from fairlead.cli import console, exits
from fairlead.cli.inputs import Inputs, load_workloads, reads_input
from fairlead.cli.options import flag, takes_settings, writes_output
from fairlead.cli.values import complete_clusters, complete_workloads

_USE = f"""\b
Examples:
  fairlead why shop -f fleet.yaml
  fairlead why retail/shop eu-west-1 -f fleet.yaml
  fairlead why deployment/shop -n retail -f fleet.yaml

{exits.codes()}"""


@click.command("why", epilog=_USE)
@click.argument("workload", shell_complete=complete_workloads)
@click.argument("cluster", required=False, shell_complete=complete_clusters)
@reads_input
@writes_output("table", "wide", "json", "yaml", "html")
@flag("--no-headers", "Print only the rows of the clusters.")
@takes_settings
def why_command(
    inputs: Inputs,
    workload: str,
    cluster: str | None,
    output: console.Format,
    *,
    no_headers: bool,
    **settings: Any,
) -> int:
    """Explain why WORKLOAD is placed as it is: on every cluster, or on CLUSTER only.

    For each cluster: which rule binds, and what one more and one less replica would cost: the first objective
    that gets worse. Then the limits that improve the placement when they are changed by one.

    WORKLOAD is a name, namespace/name or kind/name. All workloads of the input are placed, since they share
    clusters; -n only says in which namespace WORKLOAD is.
    """
    started = time.perf_counter()
    problem = load_workloads(replace(inputs, namespaces=()))
    loaded = time.perf_counter() - started
    from fairlead.models.names import find_workload
    from fairlead.solver.why.why import why

    key = find_workload(problem, workload, inputs.namespaces).key
    found = why(problem, key, cluster, **settings)
    found = replace(found, seconds={"load": loaded, **found.seconds})
    console.show(found, output, headers=not no_headers)
    return exits.code_of(found.outcome)


# Other answers than the best one are not explained, so how and where it is found is not to be chosen.
_NOT_CHOSEN = ("method", "engine", "partitions")
why_command.params = [each for each in why_command.params if each.name not in _NOT_CHOSEN]
