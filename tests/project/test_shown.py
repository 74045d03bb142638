"""Every output that the README and the docs show is what is printed."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from places import ROOT

_BLOCK = re.compile(r"^```\n\$ (fairlead [^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SAVED = "fairlead plan -q -f examples/safe-migration --save plan.json -o moves"
"""Makes the saved plan that a page compares with."""


def _shown() -> Iterator[tuple[str, str, str]]:
    """Yield the page, the command and the output of every block."""
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        for command, output in _BLOCK.findall(page.read_text()):
            yield page.name, command, output


def _printed(command: str, folder: Path) -> str:
    """Return what a command prints, where the examples lie beside it."""
    if not (folder / "examples").exists():
        (folder / "examples").symlink_to(ROOT / "examples")
    called = [sys.executable, "-m", *shlex.split(command)]
    return subprocess.run(called, cwd=folder, capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize(
    ("page", "command", "output"), list(_shown()), ids=lambda text: text.split("\n")[0][:60]
)
def test_shown_is_printed(page: str, command: str, output: str, tmp_path: Path) -> None:
    """A block that begins with ``$ fairlead ...`` goes on with what that prints, to the letter."""
    if "plan.json" in command:
        _printed(_SAVED, tmp_path)
    assert _printed(command, tmp_path).rstrip() == output.rstrip(), f"{page}: {command}"
