"""Every output that the README and the docs show is what is printed, and their Python runs."""

import doctest
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from places import ROOT

_BLOCK = re.compile(r"^```\n\$ (fairlead [^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
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


def test_python_of_the_docs_shows_what_it_prints() -> None:
    """A prompt goes on with what Python answers; all blocks of the page are one session."""
    found = doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False)
    assert found.attempted > 10
    assert not found.failed


def test_python_of_extensions_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    """All blocks of the page are one program; every line that it prints stands beside it."""
    page = (ROOT / "docs" / "extensions.md").read_text(encoding="utf-8")
    source = "\n".join(_PYTHON.findall(page))
    exec(compile(source, "extensions.md", "exec"), {"__name__": "shown"})  # noqa: S102 - the page is ours
    shown = re.findall(r"^print\(.*\) +# (.*)$", source, re.MULTILINE)
    assert len(shown) == 3
    assert capsys.readouterr().out.splitlines() == shown


def test_python_of_the_readme_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is printed is what the comment beside it says, where one does."""
    monkeypatch.chdir(ROOT)
    blocks = _PYTHON.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    source = "\n".join(blocks)
    exec(compile(source, "README.md", "exec"), {})  # noqa: S102 - the page is ours
    printed = capsys.readouterr().out.splitlines()
    shown = re.findall(r"^print\(.*\) +# (.*)$", source, re.MULTILINE)
    assert len(blocks) == 2
    assert shown == ["Optimal", "8", "6"]
    assert [line for line in printed if line in shown] == shown
