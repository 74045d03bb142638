"""Examples are copied to where they can be tried, and shells complete names of the input."""

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from fairlead.cli.app import cli, main
from places import EXAMPLES


def test_every_example_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """A line each, with a short sentence about it, below the header."""
    assert main(["examples"]) == 0
    _, *lines = capsys.readouterr().out.splitlines()
    assert all(len(line.split()) > 1 for line in lines)
    assert [line.split()[0] for line in lines] == sorted(
        one.name for one in EXAMPLES.iterdir() if one.is_dir()
    )
    assert any(
        line.endswith("A DNS cache runs in full in every edge cluster, and nowhere else.") for line in lines
    )
    assert all(line.endswith(".") and not line.endswith("...") for line in lines)
    assert max(map(len, lines)) < 140


def test_an_example_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Into a directory of its name or another one, never over what is there; then it can be solved."""
    monkeypatch.chdir(tmp_path)
    assert main(["examples", "three-regions"]) == 0
    assert "Try: fairlead solve -f three-regions" in capsys.readouterr().err
    copied = {one.name: one.read_text() for one in Path("three-regions").iterdir()}
    assert copied == {one.name: one.read_text() for one in (EXAMPLES / "three-regions").iterdir()}
    assert main(["solve", "-q", "-f", "three-regions", "-o", "name"]) == 0
    assert main(["examples", "three-regions"]) == 2
    assert main(["examples", "three-regions", "mine"]) == 0
    assert (tmp_path / "mine" / "shop.yaml").is_file()
    assert main(["examples", "fleet"]) == 0
    assert (tmp_path / "fleet" / "stories" / "quota.yaml").is_file()
    assert main(["examples", "three-region"]) == 2
    assert "no example three-region (did you mean three-regions?)" in capsys.readouterr().err


def completed(*words: str) -> list[str]:
    """Return what a shell offers for the last word."""
    shell = ShellComplete(cli, {}, "fairlead", "_FAIRLEAD_COMPLETE")
    return [item.value for item in shell.get_completions(list(words[:-1]), words[-1])]


FLEET = ("-f", str(EXAMPLES / "three-regions"))


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("simulate", *FLEET, "--drain", "us-"), ["us-east-1", "us-east-2"]),
        (("plan", *FLEET, "--pin-cluster", "ap"), ["ap-south-1"]),
        (("plan", *FLEET, "--scale", "retail/"), ["retail/shop="]),
        (("plan", *FLEET, "--weight", "retail/"), ["retail/shop:"]),
        (("plan", *FLEET, "--weight", "retail/shop:ap"), ["retail/shop:ap-south-1="]),
        (("simulate", *FLEET, "--lose", "re"), ["region="]),
        (("simulate", *FLEET, "--lose", "us-"), ["us-east-1", "us-east-2"]),
        (("simulate", *FLEET, "--lose", "region=eu"), ["region=eu-west"]),
        (("solve", *FLEET, "-n", "re"), ["retail"]),
        (("why", *FLEET, "s"), ["shop"]),
        (("why", *FLEET, "shop", "eu-west-1"), ["eu-west-1"]),
        (("examples", "sp"), ["specified", "spread"]),
        (("simulate", "--drain", "us-"), []),
        (("simulate", "-f", "nowhere.yaml", "--drain", "us-"), []),
    ],
)
def test_names_of_the_input_are_completed(words: tuple[str, ...], offered: list[str]) -> None:
    """Clusters, workloads and examples; nothing where no input is named, or it is wrong."""
    assert completed(*words) == offered


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("fairlead sim", ["simulate"]),
        ("fairlead simulate -f FLEET --lose ap", ["ap-south-1"]),
        ("fairlead simulate -f FLEET --lose region=eu", ["eu-west"]),
        ("fairlead plan -f FLEET --weight retail/shop:ap", ["ap-south-1="]),
        ("fairlead examples too-", ["too-tight"]),
    ],
)
def test_a_real_bash_completes(
    line: str, offered: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where it breaks words at = and :, of which it replaces the last part only."""
    program = tmp_path / "fairlead"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m fairlead "$@"\n')
    program.chmod(0o755)
    assert main(["completion", "bash"]) == 0
    # What readline does before it calls the function; outside of it there is no `compopt`.
    typed = line.replace("FLEET", shlex.quote(str(EXAMPLES / "three-regions")))
    script = "\n".join(
        (
            capsys.readouterr().out,
            "compopt() { :; }",
            f"COMP_LINE={shlex.quote(typed)}; COMP_POINT=${{#COMP_LINE}}",
            f"_fairlead_completion {shlex.quote(str(program))}",
            'printf "%s\\n" "${COMPREPLY[@]}"',
        )
    )
    done = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr) == (offered, "")


def test_files_are_completed() -> None:
    """By the shell itself."""
    shell = ShellComplete(cli, {}, "fairlead", "_FAIRLEAD_COMPLETE")
    assert [item.type for item in shell.get_completions(["solve", "-f"], "exa")] == ["file"]
