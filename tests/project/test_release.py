"""What a release consists of, and what runs fairlead elsewhere: action, hook, plugin and image."""

import hashlib
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

import krew
import sbom
from fairlead.version import VERSION
from locked import pins
from places import EXAMPLES, ROOT
from release import sums, tree_mistakes, version_mistakes

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
CONTAINERFILE = (ROOT / "Containerfile").read_text(encoding="utf-8")


def program(folder: Path, name: str, script: str) -> None:
    """Make a program of a folder."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    (folder / name).chmod(0o755)


def run(
    command: list[str], folder: Path, programs: Path, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a command where the programs of a folder come first; fairlead is among them."""
    program(programs, "fairlead", f'exec {shlex.quote(sys.executable)} -m fairlead "$@"')
    environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", **variables}
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def step(name: str) -> dict[str, Any]:
    """Return a step of the action."""
    found: dict[str, Any] = next(one for one in ACTION["runs"]["steps"] if one.get("name") == name)
    return found


def test_action_shows_conflicts_beside_their_lines(tmp_path: Path) -> None:
    """The very command of the action, with two files and an empty line between, as people write them."""
    files = "three-regions\n\ntoo-tight\n"
    done = run(
        ["bash", "-e", "-c", step("Validate")["run"]], EXAMPLES, tmp_path / "bin", FILES=files, STRICT="false"
    )
    assert done.returncode == 3, done.stderr
    assert "::error file=too-tight/too-tight.yaml,line=40,title=fairlead conflict::" in done.stdout


def test_action_passes_strict_on(tmp_path: Path) -> None:
    """A kind that is not read is a warning, and an error where one is strict."""
    (tmp_path / "odd.yaml").write_text("{apiVersion: v1, kind: Odd, metadata: {name: a}}\n", encoding="utf-8")
    for strict, told in (("false", "::warning "), ("true", "::error ")):
        command = ["bash", "-e", "-c", step("Validate")["run"]]
        done = run(command, tmp_path, tmp_path / "bin", FILES="odd.yaml", STRICT=strict)
        assert done.stdout.startswith(told), (done.stdout, done.stderr)


def test_action_installs_itself(tmp_path: Path) -> None:
    """The action installs the repository it stands in, whose path may hold blanks."""
    program(tmp_path, "python", 'printf "%s\\n" "$@"')
    command = ["bash", "-e", "-c", step("Install")["run"]]
    done = run(command, tmp_path, tmp_path, GITHUB_ACTION_PATH="/a b")
    assert done.stdout.split("\n")[:-1] == ["-m", "pip", "install", "--quiet", "/a b"]


def test_action_reads_no_input_as_a_command() -> None:
    """Inputs reach scripts as variables only, and each one that is used is declared."""
    for one in ACTION["runs"]["steps"]:
        assert "${{" not in one.get("run", "")
        used = re.findall(r"\$\{\{ inputs\.([\w-]+) \}\}", json.dumps(one))
        assert set(used) <= ACTION["inputs"].keys()


@pytest.mark.parametrize(("example", "code"), [("three-regions", 0), ("too-tight", 3)])
def test_hook_runs_its_command(tmp_path: Path, example: str, code: int) -> None:
    """The very command of the hook, as pre-commit puts it together, without names of files."""
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert hooks
    for hook in hooks:
        assert hook["pass_filenames"] is False
        done = run([*shlex.split(hook["entry"]), *hook["args"]], EXAMPLES / example, tmp_path / "bin")
        assert done.returncode == code, done.stderr


def test_plugin_is_packed_for_krew(tmp_path: Path) -> None:
    """The manifest tells the checksum of the archive, which is the same however often it is made."""
    packed, manifest = krew.write("1.2.3", "https://host/repository", tmp_path)
    told = yaml.safe_load(manifest.read_text(encoding="utf-8"))
    (platform,) = told["spec"]["platforms"]
    assert told["spec"]["version"] == "v1.2.3"
    assert platform["uri"] == f"https://host/repository/releases/download/v1.2.3/{packed.name}"
    assert platform["sha256"] == hashlib.sha256(packed.read_bytes()).hexdigest()
    assert packed.read_bytes() == krew.archive("1.2.3")
    with tarfile.open(packed) as archive:
        assert {file["from"] for file in platform["files"]} == set(archive.getnames())
        assert archive.getmember(platform["bin"]).mode & 0o111


@pytest.mark.parametrize(
    ("runner", "before"), [("uv", "tool run --quiet --from"), ("pipx", "run --quiet --spec")]
)
def test_plugin_runs_its_version(tmp_path: Path, runner: str, before: str) -> None:
    """The program in the archive hands its arguments on, blanks and all, to its own version."""
    with tarfile.open(fileobj=io.BytesIO(krew.archive("1.2.3"))) as archive:
        archive.extractall(tmp_path, filter="data")
    program(tmp_path / "bin", runner, 'printf "%s\\n" "$@"')
    command = ["/bin/sh", str(tmp_path / "kubectl-fairlead"), "solve", "-f", "a b"]
    environment = {"PATH": str(tmp_path / "bin")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    wanted = [*before.split(), "fairlead[live]==1.2.3", "kubectl-fairlead", "solve", "-f", "a b"]
    assert done.stdout.splitlines() == wanted


def test_plugin_says_what_it_needs(tmp_path: Path) -> None:
    """Without a program that runs Python programs it ends as shells do where a command is missing."""
    command = ["/bin/sh", str(ROOT / "deploy" / "krew" / "kubectl-fairlead")]
    done = subprocess.run(command, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False)
    assert done.returncode == 127
    assert "needs uv or pipx" in done.stderr


def test_bill_of_materials_is_the_lock() -> None:
    """What users install is in it, once and in locked versions; what only developers need is not."""
    bill = sbom.bill()
    found = {(one["name"], one["version"]): one["scope"] for one in bill["components"]}
    assert len(found) == len(bill["components"])
    assert found.keys() <= set(pins())
    scopes = {name: scope for (name, _), scope in found.items()}
    for text in PROJECT["dependencies"]:
        assert scopes[re.split(r"[><=]", text)[0]] == "required"
    for extra in PROJECT["optional-dependencies"].values():
        assert {re.split(r"[><=]", text)[0] for text in extra} <= scopes.keys()
    assert scopes["kubernetes"] == "optional"
    assert not {"pytest", "mypy", "ruff"} & scopes.keys()
    known = {one["bom-ref"] for one in bill["components"]}
    assert all(set(one["dependsOn"]) <= known for one in bill["dependencies"])
    assert json.loads(sbom.text()) == bill


SECTION = "# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-01-31\n\n- Something.\n"


@pytest.mark.parametrize(
    ("declared", "changelog", "told"),
    [
        ("1.2.3", SECTION, ""),
        ("1.2.4", SECTION, "pyproject.toml has version 1.2.4"),
        ("1.2.3", SECTION.replace("[1.2.3]", "[1.2.2]"), "its newest version: 1.2.2"),
        ("1.2.3", SECTION.replace(" - 2026-01-31", ""), "does not date"),
        ("1.2.3", SECTION.replace("## [1.", "- New.\n\n## [1."), "under Unreleased"),
        ("1.2.3", "# Changelog\n\n## [Unreleased]\n", "its newest version: none"),
    ],
)
def test_version_is_that_of_the_changelog(declared: str, changelog: str, told: str) -> None:
    """A release has its own dated section on top, and nothing is left over above it."""
    found = list(version_mistakes("1.2.3", declared, changelog))
    assert told in found[0] if told else not found, found
    assert len(found) <= 1


def test_tree_is_clean_and_published_where_it_says() -> None:
    """Nothing uncommitted gets into a release; an address is the same over ssh and https."""
    there = "https://host/team/fairlead"
    assert not list(tree_mistakes("", "git@host:team/fairlead.git", there))
    assert not list(tree_mistakes("", "", there))
    assert "not clean" in next(tree_mistakes(" M README.md", "", there))
    assert "origin is" in next(tree_mistakes("", "https://host/other/fairlead", there))


def test_checksums_are_read_by_sha256sum(tmp_path: Path) -> None:
    """The file of checksums is what ``sha256sum --check`` takes."""
    (tmp_path / "a").write_bytes(b"fairlead")
    (tmp_path / "SHA256SUMS").write_text(sums([tmp_path / "a"]), encoding="utf-8")
    command = ["sha256sum", "--check", "SHA256SUMS"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "a: OK\n"


def copied() -> list[str]:
    """Return the files and folders of the repository that the image is built of."""
    lines = re.findall(r"^COPY (?!--from)(.*)$", CONTAINERFILE, re.MULTILINE)
    return [name for line in lines for name in line.split()[:-1]]


def test_image_is_made_of_what_is_there() -> None:
    """Every source is in the repository and reaches the build, and what runs is not root."""
    ignored = (ROOT / ".containerignore").read_text(encoding="utf-8").splitlines()
    taken = {line[1:] for line in ignored if line.startswith("!")}
    sources = copied()
    assert sources
    assert all((ROOT / name).exists() for name in sources)
    assert set(sources) == taken
    user = re.findall(r"^USER (\d+)", CONTAINERFILE, re.MULTILINE)
    assert user
    assert int(user[-1]) > 0


def test_image_is_built_of_what_is_copied(tmp_path: Path) -> None:
    """Of these files alone pip makes the package, with its examples."""
    for name in copied():
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tmp_path / name, symlinks=True)
        else:
            shutil.copy(ROOT / name, tmp_path / name)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--wheel-dir", "made", "."], cwd=tmp_path, check=True, capture_output=True)
    (wheel,) = (tmp_path / "made").iterdir()
    with zipfile.ZipFile(wheel) as made:
        assert "fairlead/examples/three-regions/shop.yaml" in made.namelist()


def test_image_pins_what_the_lock_pins(tmp_path: Path) -> None:
    """The command of the build that makes constraints of the lock loses no pin."""
    command = re.search(r"sed -n '[^']*'", CONTAINERFILE)
    assert command
    words = [*shlex.split(command[0]), str(ROOT / "requirements.lock")]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    pinned = [re.split("==| ", line)[:2] for line in done.stdout.splitlines()]
    assert pinned == [list(pin) for pin in pins()]


def test_versions_agree() -> None:
    """The image, its label and the deployment have the version of the package."""
    assert PROJECT["version"] == VERSION
    deployment = (ROOT / "deploy" / "deployment.yaml").read_text(encoding="utf-8")
    tags = re.findall(r"fairlead:(\d[\w.]*)", CONTAINERFILE + deployment)
    labels = re.findall(r'image\.version="([^"]+)"', CONTAINERFILE)
    assert {*tags, *labels} == {VERSION}
    assert PROJECT["urls"]["Repository"] in CONTAINERFILE


def test_page_uses_what_is_there() -> None:
    """The action and the hook that the page shows have the inputs and names that it gives them."""
    page = (ROOT / "docs" / "installation.md").read_text(encoding="utf-8")
    action, hook = (yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL))
    used = action["jobs"]["placements"]["steps"][-1]
    assert used["with"].keys() <= ACTION["inputs"].keys()
    assert PROJECT["urls"]["Repository"].endswith("/" + used["uses"].partition("@")[0])
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    (repository,) = hook["repos"]
    assert {one["id"] for one in repository["hooks"]} <= {one["id"] for one in hooks}
    assert repository["repo"] == PROJECT["urls"]["Repository"]
    assert {used["uses"].partition("@")[2], repository["rev"]} == {f"v{VERSION}"}
