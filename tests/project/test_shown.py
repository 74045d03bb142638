"""Every output that the README and the docs show is what is printed, and every Python block runs."""

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import yaml

from fairlead.cli.app import cli
from fairlead.live.client import BINDING
from members import follow, followed
from places import EXAMPLES, ROOT
from served_api import serving
from shown import Reading, blocks, is_run, pages

_LINE = re.compile(r"^(?:    |\$ )(?:[^`#\n]*\| *)?(?:kubectl )?fairlead ([^|&#\n]+)", re.MULTILINE)
_INLINE = re.compile(r"`(?:kubectl )?fairlead ([^`|]+)`")
_WRITTEN = "--context karmada"
"""What a page says where it means a control plane in which the fleet of the examples runs."""


@pytest.fixture
def karmada(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Serve a control plane with the fleet, whose members follow; return how commands find it."""
    with serving() as api:
        for file in sorted((EXAMPLES / "fleet").glob("*.yaml")):
            for manifest in yaml.safe_load_all(file.read_text(encoding="utf-8")):
                api.add(manifest)
                if manifest["kind"] == BINDING.kind:
                    followed(api, manifest["metadata"]["name"], manifest["metadata"]["namespace"])
        follow(api)
        kubeconfig = Path(api.kubeconfig(tmp_path))
        kubeconfig.write_text(kubeconfig.read_text().replace('"fake"', '"karmada"'))
        yield {"KUBECONFIG": str(kubeconfig)}


@pytest.mark.parametrize(
    "page", [page for page in pages() if any(map(is_run, blocks(page)))], ids=lambda page: page.name
)
def test_a_page_shows_what_is_printed(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """The blocks of a page are one session: commands and Python print what the page shows, to the letter."""
    there = any(_WRITTEN in block.text for block in blocks(page) if is_run(block))
    environment = request.getfixturevalue("karmada") if there else {}
    folder = tmp_path / "reader"
    folder.mkdir()
    monkeypatch.chdir(folder)
    differences = list(Reading(folder, environment).differences(page))
    assert not differences, os.linesep.join(differences)


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_commands_have_the_options_that_a_page_names(page: Path) -> None:
    """Also where a command is not run: it is there, and so is every option."""
    text = page.read_text(encoding="utf-8")
    for command in {*_LINE.findall(text), *_INLINE.findall(text)}:
        name, *rest = shlex.split(command.replace("...", ""))
        if name.islower() and not name.startswith("-"):
            assert name in cli.commands, command
            named = {word.partition("=")[0] for word in rest if word.startswith("--")}
            assert named <= _options(name), command


def _options(name: str) -> set[str]:
    """Return the options of a command."""
    options = (one for one in cli.commands[name].params if isinstance(one, click.Option))
    return {"--help", *(spelled for one in options for spelled in (*one.opts, *one.secondary_opts))}


def test_no_shown_line_is_too_long() -> None:
    """What is printed into a page stays below 200 characters a line."""
    for page in pages():
        for block in filter(is_run, blocks(page)):
            assert max(map(len, block.text.splitlines())) <= 200, f"{page.name}:{block.line}"


def test_pages_show_both() -> None:
    """The blocks are found at all: dozens of commands, and Python with and without prompts."""
    shown = [block for page in pages() for block in blocks(page) if is_run(block)]
    python = [block for block in shown if block.language == "python"]
    assert len(shown) - len(python) >= 20
    assert len(python) >= 6
    assert any(block.text.startswith(">>>") for block in python)
    assert (ROOT / "README.md") in pages()
