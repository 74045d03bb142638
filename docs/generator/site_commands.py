"""The reference of the command line, made from the commands themselves."""

import inspect
import textwrap
from collections.abc import Iterator

import click

from fairlead.cli.app import cli
from site_text import described, prose

_WIDTH = 100
"""Characters of a line of usage and examples."""


def command_line_page() -> str:
    """Return the page: the program, then every command in alphabetical order."""
    parts = ["# Command line\n"]
    with click.Context(cli, info_name="fairlead", **cli.context_settings) as root:
        parts += _command(cli, root)
        for name in cli.list_commands(root):
            with click.Context(cli.commands[name], info_name=name, parent=root) as context:
                parts += [f"## {name}\n", *_command(cli.commands[name], context)]
    return "\n".join(parts)


def _command(command: click.Command, context: click.Context) -> Iterator[str]:
    """Yield the paragraphs of a command: what it does, its usage, options and what else its help tells."""
    yield prose(inspect.cleandoc(command.help or "")) + "\n"
    yield f"```\n{' '.join((context.command_path, *command.collect_usage_pieces(context)))}\n```\n"
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and isinstance(parameter, click.Option):
            yield described(f"`{record[0]}`", [prose(record[1])])
    formatter = click.HelpFormatter(width=_WIDTH)
    command.format_epilog(context, formatter)
    if epilog := textwrap.dedent(formatter.getvalue()).strip():
        yield f"```\n{epilog}\n```\n"
