"""``fairlead version``, ``completion``, ``schema`` and ``examples``: what is asked without an input."""

import re
from pathlib import Path
from typing import Literal

import click
from click.shell_completion import CompletionItem

from fairlead.cli import console, exits, outputs
from fairlead.cli.values import WordChoice
from fairlead.models.errors import UsageError
from fairlead.models.words import with_nearest
from fairlead.version import VERSION

SHELLS = ("bash", "zsh", "fish")

_COMPLETION_USE = """\b
Load it:
  bash  source <(fairlead completion bash)
  zsh   source <(fairlead completion zsh)
  fish  fairlead completion fish | source"""


@click.command("version")
def version_command() -> int:
    """Print the versions of fairlead, OR-Tools and Python."""
    console.result(version_text())
    return 0


def shows_version(group: click.Group) -> click.Group:
    """Give the program the option ``--version``, which says what the command says."""

    def show(context: click.Context, _: click.Parameter, asked: object) -> None:
        if asked and not context.resilient_parsing:
            console.result(version_text())
            context.exit()

    told = "Print the versions and exit."
    return click.option(
        "--version", is_flag=True, is_eager=True, expose_value=False, callback=show, help=told
    )(group)


@click.command("help")
@click.argument("command", required=False, metavar="[COMMAND]")
@click.pass_context
def help_command(context: click.Context, command: str | None) -> int:
    """Print the help of a command."""
    root = context.find_root()
    group = root.command
    if command is None or not isinstance(group, click.Group):
        console.result(root.get_help())
        return 0
    name, found, _ = group.resolve_command(root, [command])
    with click.Context(found or group, info_name=name, parent=root) as inner:
        console.result(inner.get_help())
    return 0


def version_text() -> str:
    """Return the versions of fairlead, OR-Tools, Python and all extensions that are installed, in a line."""
    import platform
    from importlib.metadata import PackageNotFoundError, version

    from fairlead.models.extensions import found

    try:
        solver = version("ortools")
    except PackageNotFoundError:
        solver = "missing"
    named = "".join(f", {each}" for each in found())
    return f"fairlead {VERSION} (OR-Tools {solver}, Python {platform.python_version()}{named})"


@click.command("completion", epilog=_COMPLETION_USE)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion_command(context: click.Context, shell: str) -> int:
    """Print the completion script for a shell."""
    from click.shell_completion import get_completion_class

    from fairlead.cli.values import teach_bash

    teach_bash()
    completion = get_completion_class(shell)
    if completion is None:
        raise click.UsageError(f"no completion for {shell}")
    root = context.find_root()
    console.result(completion(root.command, {}, "fairlead", "_FAIRLEAD_COMPLETE").source())
    return 0


_SCHEMA_USE = """Kinds: {kinds}

\b
Example:
  fairlead schema PriceList > pricelist.schema.json"""


def _kinds() -> WordChoice:
    """Return the choice between our own kinds; their types are read only once one is asked for."""
    from fairlead.manifests.own.schema import written_kinds

    return WordChoice(tuple(written_kinds()), case_sensitive=False)


class _SchemaCommand(click.Command):
    """Command whose help names all kinds."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the kinds and an example."""
        use = _SCHEMA_USE.format(kinds=", ".join(_kinds().choices))
        click.Command(self.name, epilog=use).format_epilog(ctx, formatter)


@click.command("schema", cls=_SchemaCommand)
@click.argument(
    "kind",
    required=False,
    metavar="[KIND]",
    type=lambda kind: _kinds().convert(kind, None, None),
    shell_complete=lambda *asked: _kinds().shell_complete(*asked),
)
@click.option(
    "-o",
    "--output",
    type=click.Choice(["json", "yaml"]),
    default="json",
    show_default=True,
    help="Format of the result.",
)
def schema_command(kind: str | None, output: Literal["json", "yaml"]) -> int:
    """Print the JSON Schema of a kind of fairlead.io/v1alpha1, or of an extension that is installed.

    Without KIND, one schema that accepts every kind.
    """
    from fairlead.manifests.own.schema import json_schema

    console.result(console.serialised(json_schema(kind), output))
    return 0


_COPIED = (".yaml", ".py", ".toml")

_USE = """\b
Examples:
  fairlead examples
  fairlead examples three-regions
  fairlead solve -f three-regions"""


def _known() -> dict[str, Path]:
    folders = (one for one in (Path(__file__).parents[1] / "examples").iterdir() if one.is_dir())
    return {one.name: one for one in sorted(folders, key=lambda one: one.name) if _manifests(one)}


def _manifests(folder: Path) -> list[Path]:
    return sorted((one for one in folder.iterdir() if one.name.endswith(".yaml")), key=lambda one: one.name)


def _told(folder: Path) -> str:
    """Return the first sentence that an example says about itself."""
    for file in reversed(_manifests(folder)):
        comment = re.match(r"(?:#.*\n)+", file.read_text(encoding="utf-8"))
        if comment:
            words = " ".join(line.lstrip("# ") for line in comment[0].splitlines())
            return re.split(r"(?<=[.]) ", words, maxsplit=1)[0]
    return ""


def _completed(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    return [
        CompletionItem(name, help=_told(folder))
        for name, folder in _known().items()
        if name.startswith(begun)
    ]


def _copy(folder: Path, where: Path) -> None:
    """Write the files of a folder, and of those below it that have manifests, into a directory."""
    where.mkdir(exist_ok=True)
    for file in (one for one in folder.iterdir() if one.name.endswith(_COPIED)):
        outputs.write(str(where / file.name), file.read_text(encoding="utf-8"))
    for below in (one for one in folder.iterdir() if one.is_dir() and _manifests(one)):
        _copy(below, where / below.name)


@click.command("examples", epilog=_USE)
@click.argument("name", required=False, shell_complete=_completed)
@click.argument("directory", required=False, type=click.Path(file_okay=False))
def examples_command(name: str | None, directory: str | None) -> int:
    """List the examples, or copy the manifests of NAME into a new DIRECTORY, by default of that name."""
    known = _known()
    if name is None:
        from fairlead.report.blocks import cells, columns, table
        from fairlead.report.terminal import printed

        rows = (cells(one, _told(folder)) for one, folder in known.items())
        console.result(printed([[table(columns("Example", "~What it shows"), rows)]], console.look()))
        return exits.SOLVED
    if name not in known:
        raise UsageError(f"no example {with_nearest([name], known)}; fairlead examples lists them")
    where = Path(directory or name)
    outputs.require_empty(str(where))
    _copy(known[name], where)
    console.note(f"{where}: copied. Try: fairlead solve -f {where}")
    return exits.SOLVED
