"""
Check the wheel as a user gets it: built, installed in a bare environment, used from outside the repository.

Run by ``make wheel-check`` as ``python tests/distribution/wheel_check.py examples/NAME``, on the oldest and
the newest Python from 3.11 on that the machine has; with FAIRLEAD_LONG set, on all of them. Needs the
environment of the project (for ``build``, ``mypy`` and ``pip``); leaves nothing behind.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from locked import ROOT, locked_entries, runtime

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
LARGEST = 350
"""Megabytes that an environment may have, compiled and without pip."""
HEAVY = ("numpy", "networkx", "ortools", "pandas")
NOT_IN_THE_COPY = shutil.ignore_patterns(
    ".git", ".venv", "build", "dist", "site", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis"
)

CONSUMER = """\
import fairlead

outcome = fairlead.solve(fairlead.load("placement.yaml"))
if outcome.placement is not None:
    replicas: int = outcome.placement["default/nginx"]["member1"]
"""
# If the types of the package were not seen, everything would be Any and this would pass.
WRONG_CONSUMER = """\
import fairlead

outcome: int = fairlead.solve(fairlead.load("placement.yaml"))
"""


class CheckFailedError(Exception):
    """The wheel is not as it should be; the message says in what way."""


def run(command: list[str | Path], directory: Path, expected: int = 0) -> str:
    """
    Run a command outside the repository.

    Returns
    -------
    str
        What it wrote to its standard output.

    Raises
    ------
    CheckFailedError
        If it ends with another exit code than expected; the message shows all of its output.
    """
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode != expected:
        raise CheckFailedError(
            f"exit code {done.returncode}, expected {expected}: {' '.join(words)}\n{done.stdout}{done.stderr}"
        )
    return done.stdout


def require(condition: object, message: str) -> None:
    """Raise `CheckFailedError` with the message unless the condition holds."""
    if not condition:
        raise CheckFailedError(message)


def build_wheel(workspace: Path) -> tuple[Path, Path]:
    """
    Return sdist and wheel: build the sdist from a fresh copy of the repository, and the wheel from the sdist.

    A copy, because setuptools reads the file list of an earlier build where it finds one.
    """
    copy = workspace / "copy"
    shutil.copytree(ROOT, copy, symlinks=True, ignore=NOT_IN_THE_COPY)
    run([sys.executable, "-m", "build", "--no-isolation", "--outdir", workspace / "dist", copy], workspace)
    wheels = list((workspace / "dist").glob("*.whl"))
    require(len(wheels) == 1, f"expected one wheel, built {[wheel.name for wheel in wheels]}")
    return next((workspace / "dist").glob("*.tar.gz")), wheels[0]


def check_contents(wheel: Path) -> None:
    """Check that the wheel holds the package whole, and nothing beside it."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    require("fairlead/py.typed" in names, "the wheel lacks fairlead/py.typed")
    top = {name.split("/")[0] for name in names}
    strangers = {name for name in top if name != "fairlead" and not name.endswith(".dist-info")}
    require(not strangers, f"the wheel holds more than the package: {sorted(strangers)}")
    require(not any("/tests/" in name for name in names), "the wheel holds tests")
    require(any(name.endswith("/licenses/LICENSE") for name in names), "the wheel lacks the licence")
    source = ROOT / "src"
    modules = {path.relative_to(source).as_posix() for path in (source / "fairlead").rglob("*.py")}
    require(modules <= names, f"the wheel lacks {sorted(modules - names)}")


def check_source(sdist: Path) -> None:
    """Check that the sdist holds documentation and examples; that it builds was seen already."""
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {
        path.relative_to(ROOT).as_posix()
        for folder in ("docs", "examples", "deploy")
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    require(wanted <= names, f"the sdist lacks {sorted(wanted - names)}")


def interpreters() -> Iterator[tuple[str, Path]]:
    """Yield the version and the place of every Python that the machine has: on the path, or under pyenv."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for version in PYTHONS:
        named = shutil.which(f"python{version}")
        found = [Path(named)] if named else []
        found += sorted(pyenv.glob(f"{version}.*/bin/python{version}"))
        working = (path for path in found if _runs(path, version))
        if path := next(working, None):
            yield version, path


def _runs(interpreter: Path, version: str) -> bool:
    """Tell whether an interpreter is what its name says, and can make environments."""
    script = "import sys, venv; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([interpreter, "-c", script], capture_output=True, text=True, check=False)
    return done.returncode == 0 and done.stdout.strip() == version


def install(wheel: Path, interpreter: Path, workspace: Path, *, compiled: bool) -> Path:
    """
    Install the wheel and its locked run-time dependencies, nothing else, in a new environment of a Python.

    Parameters
    ----------
    compiled
        Whether everything is compiled, as users get it, and its size is looked at.

    Returns
    -------
    Path
        The directory that holds the interpreter and the commands.
    """
    needed = runtime()
    lock = workspace / "runtime.lock"
    lock.write_text("\n".join(text for name, text in locked_entries() if name in needed), encoding="utf-8")
    run([interpreter, "-m", "venv", "--without-pip", "--clear", workspace / "bare"], workspace)
    commands = workspace / "bare" / ("Scripts" if sys.platform == "win32" else "bin")
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", commands / "python"]
    quietly = ["install", "--quiet", *([] if compiled else ["--no-compile"])]
    # Nothing is looked for that the lock does not name; the check after it tells whether that was all.
    run([*pip, *quietly, "--no-deps", "--require-hashes", "-r", lock], workspace)
    run([*pip, *quietly, "--no-deps", wheel], workspace)
    run([*pip, "check"], workspace)
    if compiled:
        size = sum(path.stat().st_size for path in (workspace / "bare").rglob("*") if path.is_file())
        require(size <= LARGEST * 1_000_000, f"the environment has {size / 1e6:.0f} MB, more than {LARGEST}")
    return commands


def check_import(commands: Path, workspace: Path) -> None:
    """Check that the package is imported from the wheel, and stays light."""
    script = f"import sys, fairlead; print(fairlead.__file__); print(*(set({HEAVY}) & set(sys.modules)))"
    place, heavy = run([commands / "python", "-c", script], workspace).split("\n")[:2]
    require(Path(place).is_relative_to(workspace), f"imported from {place}, not from the wheel")
    require(not heavy, f"import fairlead also imports {heavy}")
    version = run([commands / "python", "-m", "fairlead", "version"], workspace)
    require(version.strip(), "python -m fairlead version prints nothing")


def check_solve(commands: Path, example: Path, workspace: Path) -> None:
    """Check that the installed command places every replica of the example."""
    readable = run([commands / "fairlead", "solve", "-f", example], workspace)
    answer: dict[str, Any] = json.loads(
        run([commands / "fairlead", "solve", "-f", example, "-o", "json"], workspace)
    )
    require(answer["workloads"], f"the answer names no workload:\n{json.dumps(answer, indent=2)}")
    for workload in answer["workloads"]:
        require(workload["clusters"], f"{workload['name']} is placed nowhere:\n{readable}")
        require(workload["unplaced"] == 0, f"{workload['name']} has unplaced replicas:\n{readable}")
        for cluster in workload["clusters"]:
            require(cluster["name"] in readable, f"the table does not show {cluster['name']}:\n{readable}")


def check_types(commands: Path, workspace: Path) -> None:
    """Check that a user's strict type check sees the types of the installed package."""
    mypy: list[str | Path] = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", workspace / "mypy"]
    mypy += ["--config-file=", "--python-executable", commands / "python"]
    (workspace / "consumer.py").write_text(CONSUMER, encoding="utf-8")
    (workspace / "wrong_consumer.py").write_text(WRONG_CONSUMER, encoding="utf-8")
    run([*mypy, "consumer.py"], workspace)
    complaint = run([*mypy, "wrong_consumer.py"], workspace, expected=1)
    require("Outcome" in complaint, f"mypy complains of something else than the type:\n{complaint}")


def main() -> int:
    """Make all checks; return the exit code."""
    if len(sys.argv) != 2:
        print("usage: wheel_check.py EXAMPLE", file=sys.stderr)
        return 2
    example = Path(sys.argv[1]).resolve()
    # A space in the path, because users have them too.
    with tempfile.TemporaryDirectory(prefix="fairlead wheel ") as name:
        workspace = Path(name).resolve()
        try:
            sdist, wheel = build_wheel(workspace)
            check_source(sdist)
            check_contents(wheel)
            checked: list[str] = []
            found = list(interpreters())
            passed = [version for version, _ in found[1:-1] if not os.environ.get("FAIRLEAD_LONG")]
            for version, interpreter in (one for one in found if one[0] not in passed):
                # Size and types are the same on every Python.
                commands = install(wheel, interpreter, workspace, compiled=not checked)
                check_import(commands, workspace)
                check_solve(commands, example, workspace)
                if not checked:
                    check_types(commands, workspace)
                checked.append(version)
            require(checked, f"the machine has none of Python {', '.join(PYTHONS)}")
        except CheckFailedError as failure:
            print(f"wheel check failed: {failure}", file=sys.stderr)
            return 1
        missing = [version for version in PYTHONS if version not in (*checked, *passed)]
        told = f"; not on {', '.join(missing)}, which this machine does not have" if missing else ""
        left = f"; {', '.join(passed)} passed over" if passed else ""
        places = f"on Python {', '.join(checked)}{left}{told}"
        print(f"{wheel.name}: built, installed, typed and solving outside the repository, {places}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
