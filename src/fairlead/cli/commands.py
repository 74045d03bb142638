"""The subcommands by name, each imported where it is asked for: a command waits for no other one."""

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module

import click


class Commands(MutableMapping[str, click.Command]):
    """Commands by name.

    Parameters
    ----------
    modules
        By name of a command ``X`` the module that holds it as ``X_command``.
    """

    def __init__(self, modules: Mapping[str, str]) -> None:
        self._found: dict[str, click.Command | str] = dict(modules)

    def __getitem__(self, name: str) -> click.Command:
        found = self._found[name]
        if isinstance(found, str):
            command: click.Command = getattr(import_module(found), f"{name}_command")
            self._found[name] = found = command
        return found

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._found[name] = command

    def __delitem__(self, name: str) -> None:
        del self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)
