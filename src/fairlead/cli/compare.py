"""``fairlead compare`` and ``bench``: the best placement beside greedy schedulers, and how long they take."""

from typing import TYPE_CHECKING, Any

import click

from fairlead.cli import console, exits
from fairlead.cli.inputs import Inputs, load_workloads, reads_input
from fairlead.cli.options import flag, require_with, takes, takes_settings, valued, writes_output
from fairlead.cli.outputs import rounds_told
from fairlead.cli.values import WholeNumber, WordChoice

if TYPE_CHECKING:
    from fairlead.models.problem import Problem

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
_REAL = ("karmada", "kubeadmiral")
"""Those that may give out more than there is, as the real schedulers do."""

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


def _require_usable(likes: tuple[str, ...]) -> None:
    """Refuse to say how much is given out where nobody who is asked gives out more than there is."""
    if likes and not {*likes} & {*_REAL}:
        require_with("--like karmada or kubeadmiral", "overcommit")


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
    _require_usable(likes)
    problem = load_workloads(inputs)
    from fairlead.solver.compare import compare

    comparison = compare(problem, likes or None, **settings)
    console.show(comparison, output, headers=not no_headers)
    return exits.code_of(comparison.best)


_USE = """\b
Example:
  fairlead bench -f manifests --rounds 9 --like karmada"""


@click.command(
    "bench",
    epilog=f"{_USE}\n\n{exits.codes(title='Exit codes, of the best placement in the last round')}",
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
    _require_usable(settings["likes"])
    load_workloads(inputs)
    from fairlead.solver.compare import bench

    with rounds_told(rounds, quiet=inputs.quiet) as begins:

        def read() -> "Problem":
            begins()
            return inputs.read()

        measured = bench(read, rounds, settings.pop("likes") or None, **settings)
    console.show(measured, output, headers=not no_headers)
    return exits.code_of(measured.last.best)
