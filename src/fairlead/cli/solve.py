"""``fairlead solve``, ``compare``, ``bench`` and ``why``: the best placement, beside others, timed, told."""

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import click

from fairlead.cli import console, exits
from fairlead.cli.completion import complete_clusters, complete_workloads
from fairlead.cli.inputs import Inputs, leaves_untriggered, left_as_triggered, load_workloads, reads_input
from fairlead.cli.options import flag, picks_rows, require_table, takes, takes_settings, valued, writes_output
from fairlead.cli.outputs import PATCHES, Patches, rounds_told, show_patches, shown
from fairlead.cli.values import WholeNumber, WordChoice

if TYPE_CHECKING:
    from fairlead.models.outcome import Outcome
    from fairlead.models.problem import Problem
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


DISPENSERS = (
    "karmada",
    "karmada-proposal",
    "karmada-proposal-ceiling",
    "kubeadmiral",
    "largest-remainder",
    "reference",
    "webster",
)
"""Names of the dispensers; known here, so that help and completion need not import them."""

takes_schedulers = takes(
    valued(
        "--like likes",
        f"Scheduler to compare with: {', '.join(DISPENSERS)}. May be repeated."
        "  [default: the workloads' own scheduler, reference]",
        "SCHEDULER",
        multiple=True,
        type=WordChoice(DISPENSERS),
    ),
    valued(
        "--overcommit",
        "as-karmada: every workload sees all free capacity; deduct: only what earlier workloads left.",
        type=WordChoice(["as-karmada", "deduct"]),
        default="as-karmada",
    ),
)
"""Gives a command the schedulers to compare with; it receives ``likes`` and ``overcommit``."""


@click.command("compare", epilog=exits.codes(title="Exit codes, of the best placement"))
@reads_input
@writes_output("table", "wide", "json", "yaml", "html")
@takes_schedulers
@flag("--no-headers", "Print only one row per answer.")
@takes_settings
def compare_command(
    inputs: Inputs, output: console.Format, likes: tuple[str, ...], *, no_headers: bool, **settings: Any
) -> int:
    """Compare the best placement with what greedy schedulers do with the same input.

    The exit code is that of the best placement.
    """
    problem = load_workloads(inputs)
    from fairlead.solver.compare import compare

    comparison = compare(problem, likes or None, **settings)
    console.show(comparison, output, headers=not no_headers)
    return exits.code_of(comparison.best)


_BENCH_USE = """\b
Example:
  fairlead bench -f manifests --rounds 9 --like karmada"""


@click.command(
    "bench",
    epilog=f"{_BENCH_USE}\n\n{exits.codes(title='Exit codes, of the best placement in the last round')}",
)
@reads_input
@writes_output("table", "wide", "json", "yaml", "html")
@valued("--rounds", "How often everybody answers, in turn.", "N", type=WholeNumber(1, 1000), default=5)
@takes_schedulers
@flag("--no-headers", "Print only one row per scheduler.")
@takes_settings
def bench_command(
    inputs: Inputs, output: console.Format, rounds: int, *, no_headers: bool, **settings: Any
) -> int:
    """Measure how long fairlead and greedy schedulers take for the same input.

    In every round the input is read anew and all of them answer one after the other; --time-limit is for a
    round. Shown are the median and the range of the rounds, and how good the answers are. Ctrl-C ends it with
    the rounds that are complete.
    """
    load_workloads(inputs)
    from fairlead.solver.compare import bench

    with rounds_told(rounds, quiet=inputs.quiet) as begins:

        def read() -> "Problem":
            begins()
            return inputs.read()

        measured = bench(read, rounds, settings.pop("likes") or None, **settings)
    console.show(measured, output, headers=not no_headers)
    return exits.code_of(measured.last.best)


_WHY_USE = f"""\b
Examples:
  fairlead why shop -f fleet.yaml
  fairlead why retail/shop eu-west-1 -f fleet.yaml
  fairlead why deployment/shop -n retail -f fleet.yaml

{exits.codes()}"""


@click.command("why", epilog=_WHY_USE)
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
