"""``fairlead compare``: the best placement beside what greedy schedulers do."""

from typing import Any

import click

from fairlead.cli import console, exits
from fairlead.cli.inputs import Inputs, load_workloads, reads_input
from fairlead.cli.options import Choice, takes, takes_settings, writes_output

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
    click.option(
        "--like",
        "likes",
        multiple=True,
        type=Choice(DISPENSERS),
        metavar="SCHEDULER",
        help=f"Scheduler to compare with: {', '.join(DISPENSERS)}. May be repeated."
        "  [default: the workloads' own scheduler, reference]",
    ),
    click.option(
        "--overcommit",
        type=Choice(["as-karmada", "deduct"]),
        default="as-karmada",
        show_default=True,
        help="as-karmada: every workload sees all free capacity; deduct: only what earlier workloads left.",
    ),
)
"""Gives a command the schedulers to compare with; it receives ``likes`` and ``overcommit``."""


@click.command(
    "compare",
    short_help="Compare the best placement with those of real schedulers.",
    epilog=exits.codes(title="Exit codes, of the best placement"),
)
@reads_input
@writes_output("table", "wide", "json", "yaml", "html")
@takes_schedulers
@click.option("--no-headers", is_flag=True, help="Print only one row per answer.")
@takes_settings
def compare_command(
    inputs: Inputs, output: console.Format, likes: tuple[str, ...], *, no_headers: bool, **settings: Any
) -> int:
    """Compare the best placement with what greedy schedulers do with the same input.

    The exit code is that of the best placement.
    """
    problem = load_workloads(inputs)
    from fairlead.solver.comparing import compare

    comparison = compare(problem, likes or None, **settings)
    console.show(comparison, output, headers=not no_headers)
    return exits.code_of(comparison.best)
