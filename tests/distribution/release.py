"""
Make everything that a release consists of, in dist/, and stop before anything is uploaded.

Run by ``make release`` as ``python tests/distribution/release.py``. Refuses where the version, the changelog
or the working tree are not those of a release.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

import krew
import sbom
from fairlead.version import VERSION
from locked import ROOT

DIST = ROOT / "dist"


def git(*arguments: str) -> str:
    """Return what git says in the repository."""
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.rstrip("\n")


def version_mistakes(version: str, declared: str, changelog: str) -> Iterator[str]:
    """Say what speaks against releasing a version.

    Parameters
    ----------
    version
        The version that the package says of itself.
    declared
        The one of pyproject.toml.
    changelog
        The text of CHANGELOG.md.
    """
    if declared != version:
        yield f"pyproject.toml has version {declared}, the package {version}"
    heads = re.findall(r"^## \[([^\]]+)\](?: - (\d{4}-\d\d-\d\d))?$", changelog, re.MULTILINE)
    released = [head for head in heads if head[0] != "Unreleased"]
    if not released or released[0][0] != version:
        newest = released[0][0] if released else "none"
        yield f"CHANGELOG.md has no section ## [{version}] - YYYY-MM-DD on top (its newest version: {newest})"
    elif not released[0][1]:
        yield f"CHANGELOG.md does not date the section of {version}"
    unreleased = re.search(r"^## \[Unreleased\]\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    if unreleased and unreleased[1].strip():
        yield f"CHANGELOG.md has changes under Unreleased; they belong to {version}"


def tree_mistakes(status: str, origin: str, repository: str) -> Iterator[str]:
    """Say what is wrong with the working tree: what is not committed, and where it is published.

    Parameters
    ----------
    status
        What ``git status --porcelain`` prints.
    origin
        Where the repository is published; empty where it is not.
    repository
        Where pyproject.toml says that it is.
    """
    if status:
        yield f"the working tree is not clean:\n{status}"
    if origin and _address(origin) != _address(repository):
        yield f"pyproject.toml names the repository {repository}, and origin is {origin}"


def _address(url: str) -> str:
    """Return host and path of a repository, however it is reached."""
    plain = re.sub(r"^(\w+://)?(\w+@)?", "", url.removesuffix(".git"))
    return plain.replace(":", "/").rstrip("/").lower()


def build() -> None:
    """Build sdist and wheel of the last commit: nothing that is only in the working tree gets in."""
    when = git("log", "-1", "--format=%ct")
    with tempfile.TemporaryDirectory(prefix="fairlead-release-") as name:
        packed, copy = Path(name) / "source.tar", Path(name) / "source"
        git("archive", "--output", str(packed), "HEAD")
        shutil.unpack_archive(packed, copy, filter="tar")
        command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(DIST), str(copy)]
        environment = {**os.environ, "SOURCE_DATE_EPOCH": when}
        subprocess.run(command, check=True, cwd=name, env=environment, stdout=subprocess.DEVNULL)


def sums(files: list[Path]) -> str:
    """Return the checksums of files, as ``sha256sum --check`` reads them."""
    return "".join(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files)


def main() -> int:
    """Check, make, and say what was made; return the exit code."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    repository: str = project["urls"]["Repository"]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    origin = git("remote", "get-url", "origin") if "origin" in git("remote").splitlines() else ""
    mistakes = [
        *version_mistakes(VERSION, project["version"], changelog),
        *tree_mistakes(git("status", "--porcelain"), origin, repository),
    ]
    if mistakes:
        print("no release:", *mistakes, sep="\n  ", file=sys.stderr)
        return 1
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    build()
    (DIST / f"fairlead-{VERSION}.cdx.json").write_text(sbom.text(), encoding="utf-8")
    krew.write(VERSION, repository, DIST)
    made = sorted(DIST.iterdir())
    (DIST / "SHA256SUMS").write_text(sums(made), encoding="utf-8")
    print(f"fairlead {VERSION} is ready in dist/; nothing was uploaded:")
    for file in [*made, DIST / "SHA256SUMS"]:
        print(f"  {file.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
