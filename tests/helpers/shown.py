"""What a page of the documentation shows: blocks of commands and of Python, and what running them prints."""

import doctest
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from fairlead.cli.app import cli, main
from places import ROOT

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PROMPT = re.compile(r"^\$ ", re.MULTILINE)
_PRINTED = re.compile(r"^print\(.*\)  +# (.*)$", re.MULTILINE)
_SECONDS = re.compile(r"(?<=after )\d+ s\b")


class Block(NamedTuple):
    """A fenced block of a page: its language (empty where none is named), its text, the line it begins on."""

    language: str
    text: str
    line: int


def pages() -> Sequence[Path]:
    """Return every page with blocks that are run: the README, and what lies in docs/."""
    return (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(found[1], found[2], text[: found.start()].count("\n") + 1) for found in _FENCE.finditer(text)
    ]


def is_run(block: Block) -> bool:
    """Tell whether a block is Python, or begins with a command of fairlead."""
    return block.language == "python" or (not block.language and block.text.startswith("$ fairlead"))


@dataclass
class Reading:
    """A reader who tries all blocks of a page, one after the other, in one folder and one Python.

    Parameters
    ----------
    folder
        Where commands are called; the examples lie in it.
    environment
        Variables of the environment that commands are called with, beside those that are set.
    """

    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    _names: dict[str, Any] = field(default_factory=dict)

    def differences(self, page: Path) -> Iterator[str]:
        """Yield what a page shows and what is printed instead, where the two differ."""
        (self.folder / "examples").symlink_to(ROOT / "examples")
        shown = blocks(page)
        for block, after in zip(shown, [*shown[1:], None], strict=True):
            if is_run(block):
                for told, printed in self._run(block, after):
                    if _comparable(told) != _comparable(printed):
                        yield f"{page.name}:{block.line} shows\n{told}\nbut this is printed:\n{printed}"

    def _run(self, block: Block, after: Block | None) -> Iterator[tuple[str, str]]:
        """Yield what a block shows and what it prints, for everything in it that prints."""
        if block.language != "python":
            for part in _PROMPT.split(block.text)[1:]:
                command, _, output = part.partition("\n")
                yield output, self._called(command)
        elif block.text.startswith(">>>"):
            yield "", self._asked(block)
        else:
            yield from self._executed(block, after)

    def _called(self, command: str) -> str:
        """Return what a command prints, errors and remarks included."""
        program, *words = [*shlex.split(command), *_patience(command)]
        if "--context" not in words:
            output = io.StringIO()
            with chdir(self.folder), redirect_stdout(output), redirect_stderr(output):
                main(words)
            return output.getvalue()
        # Clients of API servers look at the environment once, when they are imported.
        done = subprocess.run(
            [sys.executable, "-m", program, *words],
            cwd=self.folder,
            env={**os.environ, **self.environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.stdout

    def _asked(self, block: Block) -> str:
        """Return what Python answers otherwise than a block with prompts shows; nothing where all is so."""
        told: list[str] = []
        test = doctest.DocTestParser().get_doctest(block.text, self._names, "page", "page", block.line)
        doctest.DocTestRunner(verbose=False).run(test, out=told.append, clear_globs=False)
        self._names.update(test.globs)
        return "".join(told)

    def _executed(self, block: Block, after: Block | None) -> Iterator[tuple[str, str]]:
        """Run Python; a block of text after it, or a comment after `print`, is what it prints."""
        output = io.StringIO()
        with redirect_stdout(output):
            exec(compile(block.text, f"block of line {block.line}", "exec"), self._names)  # noqa: S102
        printed = output.getvalue()
        if after is not None and after.language == "text":
            yield after.text, printed
        lines = printed.splitlines()
        yield from ((told, told if told in lines else printed) for told in _PRINTED.findall(block.text))


def _patience(command: str) -> Sequence[str]:
    """Return a longer limit than the default, which only lets busy machines finish."""
    options = cli.commands[command.split()[1]].params
    limited = any("--time-limit" in one.opts for one in options) and "--time-limit" not in command
    return ("--time-limit", "300") if limited else ()


def _comparable(text: str) -> str:
    """Return a text without what depends on the machine: how many seconds something took."""
    return _SECONDS.sub("some s", text.rstrip())
