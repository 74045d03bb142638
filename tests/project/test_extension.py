"""The extension of the examples, installed as any package is, and what is said of packages that are none."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import fairlead
from builders import cluster, deployment, policy
from called import Called, called
from fairlead.extending import Extension, Level
from fairlead.manifests import extensions as reading
from fairlead.models import extensions
from places import EXAMPLES, ROOT

FOLDER = EXAMPLES / "extension"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the package of the example, without its dependencies, and return where."""
    folder = tmp_path_factory.mktemp("extension")
    shutil.copytree(FOLDER, folder / "source")
    quiet = ["-q", "--disable-pip-version-check", "--no-deps", "--no-build-isolation", "--no-index"]
    target = ["--target", str(folder / "installed"), str(folder / "source")]
    subprocess.run([sys.executable, "-m", "pip", "install", *quiet, *target], check=True)
    return folder / "installed"


@contextmanager
def found(folder: Path | None) -> Iterator[None]:
    """Let the packages of a folder be installed while the block runs; None for no folder."""
    known = set(sys.modules)
    with pytest.MonkeyPatch.context() as patch:
        if folder is not None:
            patch.syspath_prepend(str(folder))
        reading.installed.cache_clear()
        try:
            yield
        finally:
            reading.installed.cache_clear()
            for name in {"brought", "fairlead_blocks"} & (set(sys.modules) - known):
                del sys.modules[name]


def run(arguments: list[str], beside: Path | None = None) -> Called:
    """Run the command line with packages that are installed in a folder."""
    with found(beside):
        return called(*arguments)


def answered(beside: Path | None = None) -> Any:
    """Return what `solve` says of the example, with the packages of a folder."""
    done = run(["solve", "-f", str(FOLDER), "-o", "json"], beside)
    assert done.code == 0, done.told
    return json.loads(done.printed)


def test_the_example_is_solved(installed: Path) -> None:
    """Blocks of four where ten fit on the owned cluster: the least risk is 0.2 * 4^2 + 0.05 * 12^2 = 10.4."""
    found = answered(installed)
    (workload,) = found["workloads"]
    placed = {each["name"]: each["replicas"] for each in workload["clusters"]}
    assert placed == {"owned": 8, "spot-a": 4, "spot-b": 12}
    levels = [(each["name"], each["value"]) for each in found["objectives"]]
    assert levels == [("spot risk", 10.4), ("deviation", 4)]


def test_without_the_package_its_kinds_are_skipped() -> None:
    """A warning names them, as any kind that nobody knows."""
    done = run(["solve", "-f", str(FOLDER)])
    assert done.code == 0
    assert "BlockSize of example.com/v1 is not a kind that is read" in done.told
    assert "spot risk" not in done.printed


def test_who_is_installed_is_said(installed: Path) -> None:
    """By the version, and where an input is looked at."""
    assert "extension fairlead-blocks 1.0" in run(["--version"], installed).printed
    assert "  extension fairlead-blocks 1.0\n" in run(["doctor", "-f", str(FOLDER)], installed).printed
    assert "extension" not in run(["--version"]).printed


def test_mistakes_are_told_as_ours_are(installed: Path, tmp_path: Path) -> None:
    """With file, line, field and value; levels of extensions may be named in a profile."""
    manifests = """\
apiVersion: example.com/v1
kind: BlockSize
metadata: {name: machines}
spec:
  size: 0
  sise: 4
---
apiVersion: example.com/v1
kind: BlockSize
metadata: {name: others, namespace: ml}
spec: {size: 3}
---
apiVersion: example.com/v1
kind: SpotClusters
metadata: {name: risks}
spec:
  percent: {spot-a: 200%}
---
apiVersion: fairlead.io/v1alpha1
kind: Profile
metadata: {name: order}
spec:
  levels: [spot risk, spot-risc]
"""
    file = tmp_path / "wrong.yaml"
    file.write_text(manifests)
    done = run(["validate", "-f", str(file)], installed)
    assert done.code == 2
    said = done.told.replace(f"{file}:", "")
    assert "spec.sise is an unknown field and has no effect; did you mean size? (" in said
    assert "10: metadata.namespace: 'ml' has no meaning here: the kinds of example.com belong" in said
    assert "5: spec.size: '0' must be at least 1" in said
    assert "17: spec.percent.spot-a: '200%' must be a percentage from 0% to 100%" in said
    assert "23: spec.levels[1]: 'spot-risc' is not a level" in said
    assert ", spot-risk, spot risk\n" in said
    assert "4 mistakes in 1 file" in said


def test_the_schema_has_the_kinds(installed: Path) -> None:
    """By name, and among all kinds."""
    schema = json.loads(run(["schema", "blocksize"], installed).printed)
    assert schema["properties"]["apiVersion"]["const"] == "example.com/v1"
    assert schema["$defs"]["WholeBlocksSpec"]["properties"]["size"]["minimum"] == 1
    every = json.loads(run(["schema"], installed).printed)["oneOf"]
    assert {"BlockSize", "SpotClusters", "PriceList"} <= {each["title"] for each in every}
    assert run(["schema", "BlockSize"]).code == 2


@pytest.fixture
def blocks() -> Iterator[ModuleType]:
    """Return the module of the example, without its package being installed."""
    with found(FOLDER):
        import fairlead_blocks

        yield fairlead_blocks


def test_python_needs_no_installation(blocks: ModuleType) -> None:
    """A model, and documents, take an extension as it is; its level may be ordered and be a little worse."""
    model = fairlead.Model([blocks.EXTENSION])
    for name in ("a", "b"):
        model.add_cluster(name)
    model.add_workload("web", 8)
    model.add_rule("BlockSize", {"size": 6})
    outcome = model.solve()
    assert outcome.conflict is not None
    assert {rule.rule for rule in outcome.conflict.rules} == {"total", "whole-blocks"}
    (own,) = (rule for rule in outcome.conflict.rules if rule.rule == "whole-blocks")
    assert own.text == "policy default/web: every cluster holds whole blocks of 6"
    assert own.source is not None
    assert Path(own.source.file).name == Path(__file__).name

    two = [deployment("api", replicas=8), deployment(replicas=8)]
    block = {
        "apiVersion": "example.com/v1",
        "kind": "BlockSize",
        "metadata": {"name": "b"},
        "spec": {"size": 4},
    }
    alike = fairlead.load(cluster("a"), two, policy(), block, extensions=[blocks.EXTENSION])
    assert len({id(rule) for one in alike.workloads for rule in one.rules_of(blocks.WholeBlocks)}) == 1

    risks = {"kind": "SpotClusters", "metadata": {"name": "r"}, "spec": {"percent": {"member1": "50%"}}}
    order = {"kind": "Profile", "metadata": {"name": "p"}}
    documents = [
        *(cluster(f"member{i}") for i in (1, 2)),
        deployment(replicas=4),
        policy(),
        {"apiVersion": "example.com/v1", **risks},
    ]
    level = {"name": "spot risk", "tolerance": 1}
    after = {"apiVersion": "fairlead.io/v1alpha1", **order, "spec": {"levels": ["deviation", level]}}
    for more, keys in (([], ["spot-risk", "deviation"]), ([after], ["deviation", "spot-risk"])):
        problem = fairlead.load(documents, more, extensions=[blocks.EXTENSION])
        assert [key for key in problem.levels if key in keys] == keys
        assert fairlead.solve(problem).status is fairlead.Status.OPTIMAL


def test_the_example_agrees_with_all_placements(installed: Path) -> None:
    """It compares itself, as people are told to compare theirs; both answers and conflicts are met."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{installed}"}
    command = [sys.executable, str(FOLDER / "check_blocks.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    found = re.fullmatch(r"60 problems, (\d+) of them infeasible: every answer is .*\n", done.stdout)
    assert found is not None
    assert 10 < int(found[1]) < 50


def pretended(folder: Path, code: str, value: str = "brought:EXTENSION") -> Path:
    """Pretend that a package is installed whose module is this code."""
    (folder / "brought.py").write_text(code)
    told = folder / "brought-2.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: brought\nVersion: 2.0\n")
    (told / "entry_points.txt").write_text(f"[{extensions.GROUP}]\nmine = {value}\n")
    return folder


ONE_KIND = """
from fairlead.extending import Extension, RuleManifest, SelectingSpec

class {kind}(RuleManifest):
    group_version = {version!r}
    spec: {spec}

    def rule(self, workload, candidates, source):
        return {made}

EXTENSION = Extension(kinds=({kind},))
"""


def one_kind(
    kind: str = "BlockSize", version: str = "example.com/v1", spec: str = "SelectingSpec", made: str = "None"
) -> str:
    """Return a module that brings one kind."""
    return ONE_KIND.format(kind=kind, version=version, spec=spec, made=made)


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (
            "import nothing_like_it",
            "extension mine (brought:EXTENSION) cannot be loaded: ModuleNotFoundError",
        ),
        ("EXTENSION = 1", "extension mine (brought:EXTENSION) is int; it has to be a fairlead Extension"),
        ("", "extension mine (brought:EXTENSION) cannot be loaded: AttributeError"),
        (one_kind(kind="Deployment"), "brought.Deployment has the name of a kind that fairlead reads"),
        (one_kind(version="fairlead.io/v1alpha1"), "has the group_version 'fairlead.io/v1alpha1'; needed is"),
        (one_kind(spec="int"), "brought.BlockSize needs a field spec of a type that is a SelectingSpec"),
        (one_kind(made="1 / 0"), "brought.BlockSize fails for ml/training: ZeroDivisionError"),
        (one_kind(made="7"), "brought.BlockSize makes int, which is not a rule from outside"),
    ],
    ids=lambda text: text[-30:],
)
def test_a_package_that_is_none_is_named(tmp_path: Path, code: str, told: str) -> None:
    """Where an input needs it, and only there; nothing is wrong with the input, so that the code is 1."""
    done = run(["solve", "-f", str(FOLDER)], pretended(tmp_path, code))
    assert done.code == 1
    assert done.told.startswith("error: ")
    assert told in done.told
    ours = run(["solve", "-f", str(EXAMPLES / "skew")], tmp_path)
    assert ours.code == 0
    assert not ours.told


def test_two_packages_with_one_kind(installed: Path, tmp_path: Path) -> None:
    """Nobody could tell which of them is meant."""
    pretended(tmp_path, one_kind())
    shutil.copytree(installed, tmp_path, dirs_exist_ok=True)
    done = run(["solve", "-f", str(FOLDER)], tmp_path)
    assert done.code == 1
    assert (
        "extension mine (brought:EXTENSION) brings the kind BlockSize, as does extension blocks" in done.told
    )


def test_levels_of_extensions_have_names_of_their_own() -> None:
    """Names of ours, and of several of ours together, are taken."""
    for level in (Level("cost", title="x"), Level("moves", title="x"), Level("new")):
        with pytest.raises(fairlead.ExtensionError, match="needs a key and a title of its own"):
            Extension(levels=(level,))


def test_nothing_is_looked_for_where_nothing_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packages are looked through only where a kind or a level is not fairlead's own."""

    def refuse() -> None:
        raise AssertionError("packages were looked for")

    monkeypatch.setattr(reading, "points", refuse)
    reading.installed.cache_clear()
    for example in ("skew", "prices", "fleet"):
        fairlead.load(EXAMPLES / example)
    with pytest.raises(AssertionError, match="packages were looked for"):
        fairlead.load(FOLDER)
