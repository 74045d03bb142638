"""The command ``fairlead``: its subcommands, and what becomes of errors."""

import os
import sys
from collections import UserDict
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import click

from fairlead.cli import console, exits
from fairlead.cli.about import shows_version
from fairlead.cli.how_made import ARGUMENTS
from fairlead.models.errors import ExtensionError, FairleadError, InternalError, ManifestError
from fairlead.models.words import counted

COMPLETION = "_FAIRLEAD_COMPLETE"
"""Environment variable by which a shell asks for completions."""


class CommandEntry(NamedTuple):
    """Name and help of a command, known before anything of it is imported."""

    module: str
    """Name of its module in this package."""
    told: str
    """Help in one sentence, in the list of all."""


class Commands(UserDict[str, Any]):
    """Commands by name: of ``X`` its module is imported where it is asked for, and ``X_command`` taken."""

    def __getitem__(self, name: str) -> click.Command:
        known: CommandEntry = self.data[name]
        command: click.Command = getattr(import_module(f"fairlead.cli.{known.module}"), f"{name}_command")
        command.short_help = known.told
        return command


COMMANDS = Commands(
    {
        "validate": CommandEntry("validate", "Check the input and report every mistake."),
        "doctor": CommandEntry("doctor", "Show what an input contains and what is missing."),
        "solve": CommandEntry("solve", "Place the workloads, proven best."),
        "compare": CommandEntry("compare", "Compare the best placement with those of real schedulers."),
        "why": CommandEntry("why", "Explain the placement of a workload."),
        "plan": CommandEntry("plan", "Plan which replicas to move, and in which order."),
        "simulate": CommandEntry("simulate", "Show what a drain, a loss or a new cluster would do."),
        "report": CommandEntry("report", "Write a plan or a placement as one HTML file."),
        "bench": CommandEntry("compare", "Measure how long fairlead and greedy schedulers take."),
        "convert": CommandEntry("convert", "Rewrite Karmada's manifests for KubeAdmiral, or back."),
        "controller": CommandEntry("controller", "Serve the bindings of a Karmada control plane."),
        "examples": CommandEntry("about", "List the examples, or copy one to try."),
        "schema": CommandEntry("about", "Print the JSON Schema of fairlead's own kinds."),
        "completion": CommandEntry("about", "Print the completion script for a shell."),
        "version": CommandEntry("about", "Print the versions of fairlead, OR-Tools and Python."),
        "help": CommandEntry("about", "Print the help of a command."),
    }
)


class CommandGroup(click.Group):
    """A group whose help imports none of its commands."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what every command does."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS.data[name].told) for name in self.list_commands(ctx)])


@shows_version
@click.group(
    "fairlead",
    cls=CommandGroup,
    commands=COMMANDS,
    epilog="\b\nExample:\n  kubectl get clusters,rb,pp -A -o yaml | fairlead solve -f -",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
def cli() -> None:
    """Place the replicas of workloads on member clusters, proven best.

    Reads the manifests of Karmada and KubeAdmiral, from files or a cluster. Only `controller` and
    `plan --apply` write to one.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code.

    `arguments`: arguments without the program's name; None takes those of the process.
    """
    with exits.signals_heard():
        return _told(arguments)


def _told(arguments: Sequence[str] | None) -> int:
    """Run one command and tell what went wrong; return the exit code."""
    try:
        console.settle()
        code = _run(arguments)
        console.flush()
    except BrokenPipeError:
        console.silence()
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
            console.silence()
        return _error(error)
    except Exception as error:  # noqa: BLE001 - the last line of defence: no traceback for users
        return _error(error)
    return code


def _run(arguments: Sequence[str] | None) -> int:
    if COMPLETION in os.environ:
        from fairlead.cli.values import teach_bash

        teach_bash()
        cli.main(prog_name="fairlead", complete_var=COMPLETION)
    given = list(sys.argv[1:] if arguments is None else arguments)
    is_plugin = Path(sys.argv[0]).name.startswith("kubectl-")
    with cli.make_context("kubectl fairlead" if is_plugin else "fairlead", list(given)) as context:
        context.meta[ARGUMENTS] = given
        code: int = cli.invoke(context)
        return code


def _error(error: Exception) -> int:
    """Print an error for people and return the exit code; the traceback only under FAIRLEAD_DEBUG."""
    if os.environ.get("FAIRLEAD_DEBUG"):
        import traceback

        console.note("".join(traceback.format_exception(error)).rstrip())
    if isinstance(error, ManifestError):
        console.warn(error.warnings)
        files = {mistake.source.file for mistake in error.mistakes}
        told = f"{counted(len(error.mistakes), 'mistake')} in {counted(len(files), 'file')}"
        console.note("\n".join([*map(str, error.mistakes), told]))
        return exits.WRONG_INPUT
    if isinstance(error, FairleadError) and not isinstance(error, InternalError):
        console.note("\n".join(f"error: {line}" for line in str(error).splitlines()))
        return exits.UNEXPECTED if isinstance(error, ExtensionError) else exits.WRONG_INPUT
    if isinstance(error, OSError) and error.strerror is not None:
        where = "" if error.filename is None else f"{error.filename}: "
        console.note(f"error: {where}{error.strerror}")
        return exits.WRONG_INPUT
    what = str(error) if isinstance(error, InternalError) else f"{type(error).__name__}: {error}"
    where = "" if os.environ.get("FAIRLEAD_DEBUG") else " (FAIRLEAD_DEBUG=1 shows where)"
    console.note(f"internal error: {' '.join(what.split())}; please report it with the input{where}")
    return exits.UNEXPECTED
