"""The public face: complete, typed, picklable and quick to import."""

import pickle
import subprocess
import sys
import tomllib
from importlib.resources import files

import pytest

import fairlead
from fairlead.cli.app import COMMANDS
from fairlead.models.errors import FairleadError, ManifestError, Mistake
from fairlead.models.source import Source
from places import EXAMPLES, ROOT

HEAVY = {"numpy", "networkx", "pandas", "ortools", "rich", "pydantic", "yaml"}


def modules_after(*arguments: str) -> set[str]:
    """Return the modules that a fresh interpreter has imported after running some code."""
    code = "; ".join(["import sys", *arguments, "print(*sys.modules, sep=chr(10), file=sys.stderr)"])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names = done.stderr.splitlines()
    return {*names, *(name.partition(".")[0] for name in names)}


def test_the_package_itself_imports_nothing() -> None:
    """Until the command line listens, Ctrl-C would end in a traceback: nothing slow may come before."""
    new = modules_after("import fairlead") - modules_after()
    assert {name.partition(".")[0] for name in new} == {"fairlead", "__future__"}


@pytest.mark.parametrize(
    ("command", "unused"),
    [
        ("doctor -q -f {}", ("ortools", "numpy", "rich")),
        # One workload: the exact allocation answers, nobody competes, and one wave starts everything.
        (
            "solve -q -f {}",
            (
                "ortools",
                "fairlead.solver.parts.competing",
                "fairlead.solver.plan",
                "fairlead.solver.simulate",
            ),
        ),
        (
            "compare -q -f {}",
            (
                "ortools",
                "fairlead.solver.plan",
                "fairlead.solver.simulate",
                "fairlead.solver.dispensers.kubeadmiral",
            ),
        ),
        ("why -q -f {} shop", ("ortools", "fairlead.solver.plan", "fairlead.solver.simulate")),
        (
            "plan -q -f {}",
            (
                "ortools",
                "fairlead.solver.parts.competing",
                "fairlead.solver.script",
                "fairlead.solver.why",
            ),
        ),
        # Balance counts, but no time is left to search: to begin a search would take longer than the limit.
        ("solve -q -f {}/../filled-together --time-limit 0.000001", ("ortools",)),
    ],
)
def test_commands_import_what_they_use(command: str, unused: tuple[str, ...]) -> None:
    """An exact answer needs no CP-SAT, none without time either, and no command the answers of another."""
    # The path may hold a blank.
    words = [word.format(EXAMPLES / "three-regions") for word in command.split()]
    known = modules_after("from fairlead.cli.app import main", f"main({words!r})")
    assert not [name for name in known if name.startswith((*unused, "pandas", "networkx"))]
    assert "pydantic" in known


@pytest.mark.parametrize("name", fairlead.__all__)
def test_every_public_name_exists(name: str) -> None:
    """What the face promises can be had, late imports included."""
    assert getattr(fairlead, name) is not None


def test_public_names_are_complete_and_sorted() -> None:
    """Names stand once, constants before the rest and each group sorted; nothing else is public."""
    assert len(set(fairlead.__all__)) == len(fairlead.__all__)
    classes = [name for name in fairlead.__all__ if name[0].isupper()]
    functions = [name for name in fairlead.__all__ if not name[0].isupper()]
    assert fairlead.__all__ == sorted(classes) + sorted(functions)
    assert set(fairlead.__all__) <= set(dir(fairlead))
    objects = {
        name
        for name, value in vars(fairlead).items()
        if getattr(value, "__module__", "").startswith("fairlead.") and not name.startswith("_")
    }
    assert objects <= set(fairlead.__all__)


def test_unknown_names_are_refused() -> None:
    """A misspelled name is an ordinary AttributeError."""
    with pytest.raises(AttributeError, match="slove"):
        _ = fairlead.slove  # type: ignore[attr-defined]


def test_version_is_that_of_the_package() -> None:
    """The version is written in two places that must agree."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["version"] == fairlead.__version__


def test_package_is_typed() -> None:
    """Type checkers of users read the annotations only where py.typed is shipped."""
    assert files("fairlead").joinpath("py.typed").is_file()


def test_exceptions_are_one_picklable_tree() -> None:
    """Every exception has one parent and survives the way between processes."""
    mistake = Mistake(Source("a.yaml", 3), "spec.replicas", "-1", "must be at least 0")
    error = ManifestError([mistake])
    again = pickle.loads(pickle.dumps(error))
    assert again.mistakes == (mistake,)
    tree = (fairlead.ManifestError, fairlead.UsageError, fairlead.UnsupportedError, fairlead.InternalError)
    assert all(issubclass(each, FairleadError) for each in tree)


@pytest.mark.parametrize(
    ("example", "read"),
    [
        ("three-regions", set()),
        ("kubeadmiral", {"kubeadmiral"}),
        ("prices", {"own"}),
        # Overrides of both systems name sets of clusters by KubeAdmiral's terms.
        ("overridden", {"overrides", "kubeadmiral"}),
    ],
)
def test_kinds_that_few_inputs_have_are_imported_where_one_is_met(example: str, read: set[str]) -> None:
    """Their types, of which there are a hundred, cost an input of Karmada's kinds nothing."""
    found = modules_after("import fairlead", f"fairlead.load({str(ROOT / 'examples' / example)!r})")
    assert {
        name for name in ("kubeadmiral", "own", "overrides") if f"fairlead.manifests.api.{name}" in found
    } == read


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["solve", "--help"], ["validate", "--help"], ["why", "--help"], ["completion", "bash"]],
)
def test_help_is_light(arguments: list[str]) -> None:
    """Nor do the help of the command line and its completion."""
    imported = modules_after("from fairlead.cli.app import main", f"main({arguments})")
    assert "click" in imported
    assert not HEAVY & imported


def test_the_list_of_commands_imports_none_of_them() -> None:
    """What each does is told by a table, so that the help of all costs as much as that of one."""
    imported = modules_after("from fairlead.cli.app import main", "main(['--help'])")
    assert not imported & {f"fairlead.cli.{known.module}" for known in COMMANDS.data.values()} - {
        "fairlead.cli.about"  # it has the version, which is an option of all
    }


@pytest.mark.parametrize(("example", "read"), [("three-regions", False), ("quota", True)])
def test_what_reads_quotas_is_imported_where_there_are_any(example: str, read: bool) -> None:
    """As few inputs have quotas, the others do not wait for it."""
    found = modules_after("import fairlead", f"fairlead.load({str(ROOT / 'examples' / example)!r})")
    assert ("fairlead.manifests.karmada.quotas" in found) is read
