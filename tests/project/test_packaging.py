"""What the repository promises to those who install it: one import name, a complete lock."""

import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from places import ROOT

DOORS = ("models", "encoders", "solver")
MEGABYTE = 1_000_000

IMPORT_EVERYTHING = """
import importlib, pkgutil, sys
import fairlead

names = [module.name for module in pkgutil.walk_packages(fairlead.__path__, "fairlead.")]
for name in names:
    importlib.import_module(name)
print(len(names))
print(*sorted({"models", "encoders", "solver"} & set(sys.modules)))
"""


def run_python(script: str) -> list[str]:
    """Run a script at the root, where a bare `import solver` would work; return the lines it prints."""
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@cache
def repository_files() -> tuple[Path, ...]:
    """Return the files that git tracks, or would track if they were added; links are left out."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git repository")
    # A clone made by another user (as on build servers) is no less the repository.
    command = [
        "git",
        "-c",
        "safe.directory=*",
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    paths = (ROOT / name for name in names if name)
    return tuple(path for path in paths if path.is_file() and not path.is_symlink())


@cache
def project() -> dict[str, Any]:
    """Return pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@cache
def lock_entries() -> tuple[str, ...]:
    """Return the entries of the lock: a pin with its marker and hashes, comments left out."""
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    text = "\n".join(line for line in lines if line.strip() and not line.lstrip().startswith("#"))
    return tuple(re.split(r"\n(?=\S)", text))


def pinned_versions() -> dict[str, list[str]]:
    """Return the versions of every distribution in the lock: several where they differ between Pythons."""
    versions: dict[str, list[str]] = {}
    for entry in lock_entries():
        name, version = re.split(r"==|[ ;\\]", entry, maxsplit=2)[:2]
        versions.setdefault(canonicalize_name(name), []).append(version)
    return versions


def declared_requirements() -> list[str]:
    """Return every requirement of pyproject.toml: of users, of extras, of developers, of the build."""
    metadata = project()["project"]
    groups = [*metadata["optional-dependencies"].values(), *project()["dependency-groups"].values()]
    return [
        *metadata["dependencies"],
        *project()["build-system"]["requires"],
        *(text for group in groups for text in group),
    ]


def test_only_one_import_name() -> None:
    """After importing every module, no second copy of a layer stands beside it under a bare name."""
    count, bare = run_python(IMPORT_EVERYTHING)
    assert int(count) >= len(DOORS)
    assert bare == ""


@pytest.mark.parametrize("door", DOORS)
def test_door_at_the_root(door: str) -> None:
    """The folders at the root are links into the package (files that hold the path where links cannot be)."""
    link = ROOT / door
    target = str(link.readlink()) if link.is_symlink() else link.read_text(encoding="utf-8").strip()
    assert Path(target).as_posix() == f"src/fairlead/{door}"
    assert (ROOT / target / "__init__.py").is_file()


def test_every_pin_has_hashes() -> None:
    """Pip refuses a lock of which one entry has no hash; an entry is one exact version."""
    for entry in lock_entries():
        assert re.match(r"[A-Za-z0-9._-]+==[^\s;]+( ;[^\\]+)? \\\n", entry), entry
        assert re.search(r"--hash=sha256:[0-9a-f]{64}\b", entry), entry


def test_lock_names_no_address() -> None:
    """The lock installs from whatever registry or mirror pip is configured for."""
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    options = set(re.findall(r"(?<!\S)--?[a-z][a-z-]*", text))
    assert options == {"--hash"}
    assert "://" not in text
    assert " @ " not in text


@pytest.mark.parametrize("text", declared_requirements())
def test_lock_covers(text: str) -> None:
    """Every declared requirement is in the lock, in a version that it allows."""
    requirement = Requirement(text)
    versions = pinned_versions().get(canonicalize_name(requirement.name), [])
    assert versions, f"{requirement.name} is not in requirements.lock: run make lock"
    assert all(requirement.specifier.contains(version) for version in versions), versions


def test_no_foreign_addresses() -> None:
    """No file names a package registry or a directory of the machine it was written on."""
    # Put together here, so that this file does not contain them itself.
    hosts = [
        ".".join(parts)
        for parts in (("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"), ("anaconda", "org"))
    ]
    directory = "work"
    pattern = re.compile("|".join([*map(re.escape, hosts), rf"(?<![\w.-])/{directory}/"]).encode())
    found = {
        str(path.relative_to(ROOT)): match.group().decode()
        for path in repository_files()
        if (match := pattern.search(path.read_bytes()))
    }
    assert found == {}


def test_repository_is_small() -> None:
    """The files of a clone stay under 20 megabytes."""
    assert sum(path.stat().st_size for path in repository_files()) < 20 * MEGABYTE
