"""The command line: streams, formats, exit codes."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import pytest
import yaml

from builders import binding, cluster, policy
from fairlead import load
from fairlead.cli import console
from fairlead.cli.app import main
from fairlead.cli.inputs import Inputs
from fairlead.cli.solve import solve_command
from fairlead.models.errors import InternalError, ManifestError, Mistake, UnsupportedError, UsageError
from fairlead.models.levels import Deviation
from fairlead.models.outcome import Outcome, Status
from fairlead.models.problem import Problem
from fairlead.models.source import Source
from fairlead.models.statement import Statement
from fairlead.report.renderer import terminal
from hand_made import feasible, infeasible, many, nginx, problem, solved
from places import EXAMPLES

Answering = Callable[[Outcome], dict[str, Any]]
REPORT = "; please report it with the input (FAIRLEAD_DEBUG=1 shows where)"
MISTAKES = ManifestError(
    [
        Mistake(Source("b.yaml", 7), "spec.replicas", "-1", "must be at least 0"),
        Mistake(Source("a.yaml", 3), "", "", "is not YAML"),
        Mistake(Source("b.yaml", 9), "kind", "", "is missing"),
    ]
)


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> Answering:
    """Return a function that makes the solver give an answer; it returns how the solver was called."""

    def prepare(outcome: Outcome) -> dict[str, Any]:
        called: dict[str, Any] = {}

        def solve(question: Problem, **settings: Any) -> Outcome:
            called.update(settings, problem=question)
            return outcome

        solving = ModuleType("fairlead.solver.solve")
        solving.solve = solve  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "fairlead.solver.solve", solving)
        monkeypatch.setattr(Inputs, "read", lambda _: outcome.problem)
        return called

    return prepare


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], None]:
    """Return a function that makes reading the input fail."""

    def prepare(error: BaseException) -> None:
        def read(_: Inputs) -> Problem:
            raise error

        monkeypatch.setattr(Inputs, "read", read)

    return prepare


def fairlead(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "fairlead", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | environment,
    )


def test_table_goes_to_standard_output(answering: Answering, capsys: pytest.CaptureFixture[str]) -> None:
    """The table is the result; nothing else is printed."""
    answering(solved())
    assert main(["solve", "-f", "x.yaml"]) == 0
    printed = capsys.readouterr()
    assert printed.out == terminal(solved()) + "\n"
    assert printed.err == ""


def test_json_and_yaml_are_the_same_document(
    answering: Answering, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both formats hold what `to_dict` returns, and the time that loading took."""
    answering(solved())
    assert main(["solve", "-f", "x.yaml", "-o", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert main(["solve", "-f", "x.yaml", "-o", "yaml"]) == 0
    same = yaml.safe_load(capsys.readouterr().out)
    assert document["seconds"].keys() == {"load", "solve"}
    for each in (document, same):
        del each["seconds"]["load"]
    assert document == same == solved().to_dict()


def test_names_are_those_of_kubectl(answering: Answering, capsys: pytest.CaptureFixture[str]) -> None:
    """``-o name`` prints kind.group/name; without an answer the conflict is a note."""
    answering(solved())
    assert main(["solve", "-f", "x.yaml", "-o", "name"]) == 0
    assert capsys.readouterr().out == "deployment.apps/nginx\n"
    answering(infeasible())
    assert main(["solve", "-f", "x.yaml", "-o", "name"]) == 3
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "member3 needs at least 4 (pp.yaml:31)" in printed.err


def test_no_headers(answering: Answering, capsys: pytest.CaptureFixture[str]) -> None:
    """``--no-headers`` leaves only rows."""
    answering(many(12))
    assert main(["solve", "-f", "x.yaml", "--no-headers"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 12
    answering(infeasible())
    assert main(["solve", "-f", "x.yaml", "--no-headers"]) == 3
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "member3 needs at least 4 (pp.yaml:31)" in printed.err


@pytest.mark.parametrize(
    ("outcome", "options", "code"),
    [
        (solved(), [], 0),
        (solved(), ["--require-proof"], 0),
        (feasible(), [], 0),
        (feasible(), ["--require-proof"], 4),
        (infeasible(), [], 3),
        (infeasible(), ["--require-proof"], 3),
        # nothing found in time is neither solved nor infeasible
        (replace(infeasible(), status=Status.UNKNOWN, conflict=None), [], 4),
        (replace(infeasible(), status=Status.UNKNOWN, conflict=None), ["--require-proof"], 4),
    ],
)
def test_exit_codes(answering: Answering, outcome: Outcome, options: list[str], code: int) -> None:
    """Solved, infeasible and unproven are told apart."""
    answering(outcome)
    assert main(["solve", "-f", "x.yaml", *options]) == code


def test_settings_reach_the_solver(answering: Answering) -> None:
    """Every option arrives under the name that `solve` gives it."""
    called = answering(solved())
    numbers = "--time-limit 2.5 --workers 3 --seed 7"
    words = (
        "--deviation l1 --method cp-sat --engine ray --partitions 4 --fresh --partial --tolerance cost=0.1%"
    )
    main(["solve", "-f", "x.yaml", *numbers.split(), *words.split()])
    assert called == {
        "problem": solved().problem,
        "time_limit": 2.5,
        "workers": 3,
        "seed": 7,
        "deviation": "l1",
        "method": "cp-sat",
        "engine": "ray",
        "partitions": 4,
        "fresh": True,
        "partial": True,
        "tolerance": {"cost": "0.1%"},
        "progress": None,  # standard error is no terminal here
    }


def test_defaults_of_the_solver(answering: Answering) -> None:
    """Left out, options say what the function would have done by itself."""
    called = answering(solved())
    main(["solve", "-f", "x.yaml"])
    del called["problem"]
    assert called == {
        "time_limit": 10.0,
        "workers": None,
        "seed": 0,
        "deviation": None,
        "method": "auto",
        "engine": "local",
        "partitions": None,
        "fresh": None,
        "partial": False,
        "tolerance": None,
        "progress": None,
    }


@pytest.mark.parametrize(("text", "seconds"), [("0", None), ("none", None), ("0.5", 0.5)])
def test_time_limits(answering: Answering, text: str, seconds: float | None) -> None:
    """Zero and none mean no limit."""
    called = answering(solved())
    assert main(["solve", "-f", "x.yaml", "--time-limit", text]) == 0
    assert called["time_limit"] == seconds


@pytest.mark.parametrize("text", ["-1", "nan", "inf", "soon"])
def test_wrong_time_limits(answering: Answering, capsys: pytest.CaptureFixture[str], text: str) -> None:
    """Anything else is refused, with the value."""
    answering(solved())
    assert main(["solve", "-f", "x.yaml", "--time-limit", text]) == 2
    assert f"'{text}' is not a number of seconds" in capsys.readouterr().err


def test_choices_are_those_of_the_library() -> None:
    """The command line spells deviations and methods as the library does."""
    from fairlead.solver.arguments import Method

    choices = {option.name: list(getattr(option.type, "choices", ())) for option in solve_command.params}
    assert choices["deviation"] == [str(deviation) for deviation in Deviation]
    assert choices["method"] == list(get_args(Method))


def test_warnings_go_to_standard_error(answering: Answering, capsys: pytest.CaptureFixture[str]) -> None:
    """Warnings are no result; ``-q`` silences them, many are counted."""
    texts = [
        Statement("input", f"kind Thing{index} is skipped", Source("a.yaml", index + 1))
        for index in range(22)
    ]
    answering(replace(solved(), problem=replace(solved().problem, warnings=tuple(texts))))
    main(["solve", "-f", "x.yaml"])
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "warning: kind Thing0 is skipped (a.yaml:1)"
    assert lines[20:] == ["warning: 2 more; fairlead validate shows them all"]
    main(["solve", "-f", "x.yaml", "-q"])
    assert capsys.readouterr().err == ""


def test_input_without_workloads_is_a_mistake(
    answering: Answering, capsys: pytest.CaptureFixture[str]
) -> None:
    """Placing nothing is never what was meant."""
    answering(replace(solved(), problem=Problem(solved().problem.clusters, ())))
    for given, who in ((["-n", "prod"], "-n chooses"), (["-n", "prod", "-l", "a=b"], "-n and -l choose")):
        assert main(["solve", "-f", "x.yaml", *given]) == 2
        assert capsys.readouterr().err == f"error: nothing to place: {who} no workload\n"
    reason = Statement("left-out", "shop is left out: no policy selects it", Source("a.yaml", 1))
    answering(replace(solved(), problem=Problem(solved().problem.clusters, (), warnings=(reason,))))
    assert main(["solve", "-f", "x.yaml", "-q"]) == 2
    assert capsys.readouterr().err.startswith(f"warning: {reason}\nerror: nothing to place")


def test_an_input_of_which_nothing_is_placed_is_not_simply_valid(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A policy that selects none of the workloads is worth a word, also where nothing contradicts itself."""
    idle = policy("web")
    (tmp_path / "idle.yaml").write_text(yaml.safe_dump_all([cluster("a"), idle]), encoding="utf-8")
    lacking = "no workload is left that a policy selects or a binding places"
    assert main(["validate", "-q", "-f", str(tmp_path)]) == 0
    assert capsys.readouterr().out.endswith(f"Valid, but nothing to place: {lacking}.\n")
    assert main(["solve", "-q", "-f", str(tmp_path)]) == 2
    assert capsys.readouterr().err.endswith(f"error: nothing to place: {lacking}\n")


def test_input_must_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    """Without -f the message says how to name it."""
    assert main(["solve"]) == 2
    assert "-f FILE" in capsys.readouterr().err


def test_mistakes_are_listed_and_counted(
    failing: Callable[[BaseException], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """Every mistake is a line, then a count."""
    failing(MISTAKES)
    assert main(["solve", "-f", "x.yaml"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines() == [
        "a.yaml:3: is not YAML",
        "b.yaml:7: spec.replicas: '-1' must be at least 0",
        "b.yaml:9: kind: is missing",
        "3 mistakes in 2 files",
    ]


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (UsageError("no workload 'x'"), 2, "error: no workload 'x'"),
        (UnsupportedError("a is not finished\nnor is b"), 2, "error: a is not finished\nerror: nor is b"),
        (FileNotFoundError(2, "No such file", "a.yaml"), 2, "error: a.yaml: No such file"),
        (
            InternalError("the answer breaks a rule"),
            1,
            f"internal error: the answer breaks a rule{REPORT}",
        ),
        (
            ZeroDivisionError("division\nby zero"),
            1,
            f"internal error: ZeroDivisionError: division by zero{REPORT}",
        ),
    ],
)
def test_errors_are_one_line(
    failing: Callable[[BaseException], None],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    code: int,
    line: str,
) -> None:
    """No error shows a traceback, unless one asks for it."""
    monkeypatch.delenv("FAIRLEAD_DEBUG", raising=False)
    failing(error)
    assert main(["solve", "-f", "x.yaml"]) == code
    assert capsys.readouterr().err == f"{line}\n"
    monkeypatch.setenv("FAIRLEAD_DEBUG", "1")
    assert main(["solve", "-f", "x.yaml"]) == code
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_interrupt_ends_quietly(
    failing: Callable[[BaseException], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C ends with the code that shells use, and without a word."""
    failing(KeyboardInterrupt())
    assert main(["solve", "-f", "x.yaml"]) == 130
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "")


def test_closed_pipe_ends_quietly() -> None:
    """Where the reader goes away, nothing complains."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "fairlead", "version"], stdout=writer, stderr=subprocess.PIPE, check=False
    )
    os.close(writer)
    assert done.stderr == b""
    assert done.returncode == 141


def test_validate_counts_and_finds_conflicts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Valid input is counted; what can never be placed is told, with another exit code."""
    monkeypatch.setattr(Inputs, "read", lambda _: problem())
    assert main(["validate", "-f", "x.yaml"]) == 0
    assert capsys.readouterr().out == (
        "4 clusters, 1 workload, 1 policy, 11 replicas, 0 warnings\nValid: no workload contradicts itself.\n"
    )
    # 8000m, 4000m and 1000m of cpu take 16, 8 and 2 replicas of 500m: 26 of the 27 wanted
    monkeypatch.setattr(Inputs, "read", lambda _: problem(nginx(27)))
    assert main(["validate", "-f", "x.yaml"]) == 3
    lines = capsys.readouterr().out.splitlines()
    assert "  default/nginx needs 27 replicas; these 3 clusters can hold 26 together (pp.yaml:3)" in lines
    assert lines[-1] == "Infeasible: 1 workload can never be placed."
    assert main(["validate", "-f", "x.yaml", "-o", "json"]) == 3
    document = json.loads(capsys.readouterr().out)
    assert document["workloads"] == 1
    assert document["conflicts"][0]["rules"][0]["source"] == "pp.yaml:3"


def test_validate_looks_at_every_affinity_group(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Four replicas of one core: b of the second group takes them; with one core as well no group does."""

    def groups(cpu: int) -> Problem:
        terms = [{"affinityName": f"group-{name}", "clusterNames": [name]} for name in "ab"]
        members = [cluster("a", cpu=1), cluster("b", cpu=cpu)]
        return load([*members, binding("web", 4, placement={"clusterAffinities": terms}, cpu=1)])

    monkeypatch.setattr(Inputs, "read", lambda _: groups(4))
    assert main(["validate", "-f", "x.yaml"]) == 0
    capsys.readouterr()
    monkeypatch.setattr(Inputs, "read", lambda _: groups(1))
    assert main(["validate", "-f", "x.yaml"]) == 3
    told = capsys.readouterr().out
    assert all(f"affinity group group-{name}: " in told for name in "ab")


def test_validate_lists_mistakes_for_programs(
    failing: Callable[[BaseException], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """``-o json`` holds the mistakes; without it they are lines as everywhere."""
    failing(MISTAKES)
    assert main(["validate", "-f", "x.yaml", "-o", "json"]) == 2
    document = json.loads(capsys.readouterr().out)
    assert document["valid"] is False
    assert document["mistakes"][1] == {
        "file": "b.yaml",
        "line": 7,
        "field": "spec.replicas",
        "value": "-1",
        "message": "must be at least 0",
    }
    assert main(["validate", "-f", "x.yaml"]) == 2
    assert capsys.readouterr().err.endswith("3 mistakes in 2 files\n")


def test_validate_shows_every_warning(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What solve cuts short is shown in full here."""
    warnings = tuple(Statement("input", f"warning {index}") for index in range(console.WARNINGS_SHOWN + 5))
    monkeypatch.setattr(Inputs, "read", lambda _: replace(problem(), warnings=warnings))
    assert main(["validate", "-f", "x.yaml"]) == 0
    assert len(capsys.readouterr().err.splitlines()) == len(warnings)


def test_help_version_and_unknown_commands(capsys: pytest.CaptureFixture[str]) -> None:
    """Help and version go to standard output; a wrong command is a usage error."""
    assert main(["--help"]) == 0
    assert "solve" in capsys.readouterr().out
    assert main(["version"]) == 0
    assert capsys.readouterr().out.startswith("fairlead 0.")
    assert main(["slove"]) == 2
    assert "slove" in capsys.readouterr().err
    assert main([]) == 2


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(capsys: pytest.CaptureFixture[str], shell: str) -> None:
    """Every shell gets a script that calls back."""
    assert main(["completion", shell]) == 0
    assert "_FAIRLEAD_COMPLETE" in capsys.readouterr().out


def test_completion_answers() -> None:
    """The shell's question is answered with the commands that fit."""
    done = fairlead(_FAIRLEAD_COMPLETE="bash_complete", COMP_WORDS="fairlead so")
    assert done.stdout == "plain,solve\n"


@pytest.mark.parametrize(
    ("environment", "toned"),
    [({"TERM": "xterm"}, True), ({"TERM": "xterm", "NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)],
)
def test_colour_only_on_a_terminal_that_wants_it(
    tmp_path: Path, environment: dict[str, str], toned: bool
) -> None:
    """On a terminal results are toned, under NO_COLOR and on dumb terminals not; elsewhere never."""
    manifest = tmp_path / "empty.yaml"
    manifest.write_text(CLUSTER, encoding="utf-8")
    command = [sys.executable, "-m", "fairlead", "validate", "-q", "-f", str(manifest)]
    inherited = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM")}
    terminal, side = pty.openpty()
    subprocess.run(command, stdout=side, stderr=side, check=True, env=inherited | environment)
    os.close(side)
    shown = os.read(terminal, 10_000)
    os.close(terminal)
    assert b"Valid" in shown
    assert (b"\033[" in shown) is toned
    if not toned:
        return
    piped = subprocess.run(command, capture_output=True, check=True, env=inherited | environment)
    assert b"\033[" not in piped.stdout


CLUSTER = """\
apiVersion: cluster.karmada.io/v1alpha1
kind: Cluster
metadata:
  name: member1
spec:
  syncMode: Push
"""

WORKLOAD = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: nginx
  namespace: default
  labels: {app: nginx}
spec:
  replicas: 5
  selector: {matchLabels: {app: nginx}}
  template:
    metadata: {labels: {app: nginx}}
    spec: {containers: [{name: nginx, image: nginx}]}
---
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata:
  name: nginx
  namespace: default
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: nginx}]
  placement:
    replicaScheduling:
      replicaSchedulingType: Divided
      replicaDivisionPreference: Weighted
      weightPreference:
        staticWeightList:
          - targetCluster: {clusterNames: [member1]}
            weight: 3
          - targetCluster: {clusterNames: [member2]}
            weight: 2
"""


def test_from_manifests_to_the_table(tmp_path: Path) -> None:
    """The whole way once, in a process of its own: 5 replicas over 3:2 are 3 and 2."""
    text = "---\n".join([CLUSTER, CLUSTER.replace("member1", "member2"), WORKLOAD])
    (tmp_path / "all.yaml").write_text(text, encoding="utf-8")
    done = fairlead("solve", "-f", str(tmp_path))
    assert done.returncode == 0, done.stderr
    rows = [line.split()[:3] for line in done.stdout.splitlines()[2:4]]
    assert rows == [["member1", "-", "3"], ["member2", "-", "2"]]
    assert done.stdout.endswith("Optimal: no better placement exists (proven).\n")


def test_version_and_help_in_every_spelling(capsys: pytest.CaptureFixture[str]) -> None:
    """``--version`` says what ``version`` says, ``help solve`` what ``solve --help`` says."""
    for one, other in ((["--version"], ["version"]), (["help", "solve"], ["solve", "--help"])):
        assert main(one) == main(other) == 0
        told = capsys.readouterr().out
        assert told[: len(told) // 2] == told[len(told) // 2 :]
    assert main(["help", "sovle"]) == 2
    assert "Did you mean 'solve'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        (["-o", "tabel"], "Did you mean 'table'?"),
        (["--method", "exakt"], "Did you mean 'exact'?"),
        (["-n", "retial"], "no workload in namespace retial (did you mean retail?)"),
        (["--tolerance", "balance"], "'balance' is not of the form LEVEL=AMOUNT"),
        (["--tolerance", "balence=1"], "no level 'balence'; did you mean balance?"),
        (["--seed", "x"], "'x' is not a valid whole number"),
    ],
)
def test_the_nearest_value_is_proposed(
    capsys: pytest.CaptureFixture[str], options: list[str], hint: str
) -> None:
    """A value that does not exist names the one that was probably meant."""
    assert main(["solve", "-f", str(EXAMPLES / "three-regions"), *options]) == 2
    assert hint in capsys.readouterr().err


@pytest.mark.parametrize(
    ("environment", "toned"), [({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)]
)
def test_colour_is_forced(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    toned: bool,
) -> None:
    """FORCE_COLOR tones what goes into a pipe, as build systems want it; NO_COLOR is stronger."""
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert main(["solve", "-f", str(EXAMPLES / "three-regions")]) == 0
    assert ("\033[" in capsys.readouterr().out) is toned


def test_a_plugin_of_kubectl(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Run as ``kubectl fairlead`` the program calls itself so."""
    monkeypatch.setattr(sys, "argv", ["/usr/bin/kubectl-fairlead"])
    assert main(["solve", "--help"]) == 0
    assert capsys.readouterr().out.startswith("Usage: kubectl fairlead solve")


def test_an_input_without_clusters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing can be placed, which is no conflict of rules; single workloads are checked all the same."""
    manifest = tmp_path / "input.yaml"
    manifest.write_text(WORKLOAD, encoding="utf-8")
    assert main(["solve", "-f", str(manifest)]) == 2
    assert "the input holds no cluster (fairlead doctor says more)" in capsys.readouterr().err
    assert main(["doctor", "-f", str(manifest)]) == 2
    assert "  clusters: kubectl get clusters -o yaml" in capsys.readouterr().out
    assert main(["validate", "-f", str(manifest)]) == 0
    assert "Whether workloads fit is not known without clusters." in capsys.readouterr().out


def test_doctor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It counts what there is, and names what is missing or not said."""
    manifest = tmp_path / "input.yaml"
    manifest.write_text(CLUSTER, encoding="utf-8")
    assert main(["doctor", "-f", str(manifest)]) == 2
    told = capsys.readouterr().out
    assert "  1 cluster\n" in told
    assert "  workloads: kubectl get rb,pp" in told
    assert "capacity of member1 (status.resourceSummary): taken as unlimited" in told
    manifest.write_text(f"{CLUSTER}---\n{WORKLOAD}", encoding="utf-8")
    assert main(["doctor", "-f", str(manifest)]) == 0
    told = capsys.readouterr().out
    assert "  1 Deployment\n  5 replicas requested, 0 workloads running\n  1 policy in use\n" in told
    assert "requests of default/nginx: only pods count against capacity" in told
    assert "Ready: fairlead solve can answer." in told
    assert main(["doctor", "-f", str(EXAMPLES / "three-regions")]) == 0
    assert "Would make the answer better" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("constraint", "told"),
    [
        ({"spreadByField": "region"}, "  region of member1: never chosen where a policy spreads by region\n"),
        ({"spreadByLabel": "rack"}, "  value of label rack of member1: never chosen"),
        ({"spreadByField": "cluster"}, None),
    ],
)
def test_doctor_names_what_policies_spread_by(
    constraint: dict[str, str], told: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where no cluster at all has it; then nothing can be placed, and nobody said why."""
    manifest = tmp_path / "input.yaml"
    spread = [{**constraint, "minGroups": 1}]
    documents = [cluster("member1", cpu=4), binding(placement={"spreadConstraints": spread})]
    manifest.write_text(yaml.safe_dump_all(documents), encoding="utf-8")
    assert main(["doctor", "-f", str(manifest)]) == 0
    assert (told or "") in (out := capsys.readouterr().out)
    assert ("never chosen" in out) == (told is not None)
