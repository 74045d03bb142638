"""``fairlead examples``: what there is to try, copied to where it can be changed."""

import re
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from fairlead.cli import console, exits, outputs
from fairlead.models.errors import UsageError
from fairlead.models.words import with_nearest

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


@click.command("examples", short_help="List the examples, or copy one to try.", epilog=_USE)
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
