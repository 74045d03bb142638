"""``fairlead version`` and ``fairlead completion``."""

import platform

import click

import fairlead
from fairlead.cli import console

SHELLS = ("bash", "zsh", "fish")

_USE = """\b
Load it:
  bash  source <(fairlead completion bash)
  zsh   source <(fairlead completion zsh)
  fish  fairlead completion fish | source"""


@click.command("version")
def version_command() -> int:
    """Print the versions of fairlead, OR-Tools and Python."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        solver = version("ortools")
    except PackageNotFoundError:
        solver = "missing"
    console.result(f"fairlead {fairlead.__version__} (OR-Tools {solver}, Python {platform.python_version()})")
    return 0


@click.command("completion", epilog=_USE)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion_command(context: click.Context, shell: str) -> int:
    """Print the completion script of a shell."""
    from click.shell_completion import get_completion_class

    completion = get_completion_class(shell)
    if completion is None:
        raise click.UsageError(f"no completion for {shell}")
    root = context.find_root()
    console.result(completion(root.command, {}, "fairlead", "_FAIRLEAD_COMPLETE").source())
    return 0
