"""The command ``fairlead``: its subcommands, and what becomes of errors."""

import os
import sys
from collections.abc import Sequence

import click

from fairlead.cli import console, exits, signals, streams
from fairlead.cli.compare import compare_command
from fairlead.cli.plan import plan_command
from fairlead.cli.report import report_command
from fairlead.cli.schema import schema_command
from fairlead.cli.simulate import simulate_command
from fairlead.cli.solve import solve_command
from fairlead.cli.validate import validate_command
from fairlead.cli.version import completion_command, version_command
from fairlead.cli.why import why_command

COMPLETION = "_FAIRLEAD_COMPLETE"
"""Environment variable by which a shell asks for completions."""


@click.group(
    "fairlead",
    commands=[
        validate_command,
        solve_command,
        compare_command,
        why_command,
        plan_command,
        simulate_command,
        report_command,
        schema_command,
        completion_command,
        version_command,
    ],
    epilog="\b\nExample:\n  kubectl get clusters,rb,pp -A -o yaml | fairlead solve -f -",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
def cli() -> None:
    """Place the replicas of workloads on member clusters, proven best.

    Reads the manifests of Karmada and KubeAdmiral; nothing is ever written to a cluster.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code.

    Parameters
    ----------
    arguments
        Arguments without the program's name; None takes those of the process.
    """
    with signals.heard():
        return _told(arguments)


def _told(arguments: Sequence[str] | None) -> int:
    """Run one command and tell what went wrong; return the exit code."""
    try:
        streams.settle()
        code = _run(arguments)
        console.flush()
    except BrokenPipeError:
        streams.silence()
        return exits.PIPE_CLOSED
    except click.exceptions.Exit as finished:
        return finished.exit_code
    except click.ClickException as error:
        console.told(error)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return exits.INTERRUPTED
    except OSError as error:
        if error.filename is None:
            streams.silence()
        return exits.tell(error)
    except Exception as error:  # noqa: BLE001 - the last line of defence: no traceback for users
        return exits.tell(error)
    return code


def _run(arguments: Sequence[str] | None) -> int:
    """Run one command; it returns its exit code."""
    if COMPLETION in os.environ:
        cli.main(prog_name="fairlead", complete_var=COMPLETION)
    with cli.make_context("fairlead", list(sys.argv[1:] if arguments is None else arguments)) as context:
        code: int = cli.invoke(context)
        return code
