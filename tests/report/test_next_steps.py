"""What a terminal says to do next: commands that run as they are printed."""

import html
import re
import shlex
import sys
from pathlib import Path

import pytest

import fairlead
from builders import binding, cluster, static
from fairlead.cli.app import main
from fairlead.report.content.next_steps import again, longer, steps_of
from fairlead.report.pages import Making
from places import EXAMPLES


def on(command: str, example: str) -> str:
    """Return a command on an example as one types it, wherever the repository lies."""
    return shlex.join([command, "-f", str(EXAMPLES / example)])


PLAN = on("plan", "safe-migration")
INFEASIBLE = on("solve", "too-tight")


def suggested(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *, seen: bool = True
) -> list[str]:
    """Return the commands that are proposed after a command, where somebody sees both streams or not."""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: seen)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: seen)
    monkeypatch.setenv("NO_COLOR", "1")
    main(shlex.split(command))
    below = capsys.readouterr().err.partition("What to do next:\n")[2]
    return [line.strip() for line in below.splitlines() if line.startswith("    fairlead ")]


def test_every_proposed_command_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One after the other: the plan is saved, and its waves are written as files."""
    monkeypatch.chdir(tmp_path)
    first, second = suggested(PLAN, monkeypatch, capsys)
    for command in (first, second):
        assert main(shlex.split(command)[1:]) == 0
    assert (tmp_path / "plan.json").exists()
    assert list((tmp_path / "waves").iterdir())


def test_a_saved_plan_is_not_told_again_how_it_was_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A saved plan refuses budgets and the like, which it has settled: the command that resumes has none."""
    monkeypatch.chdir(tmp_path)
    asked = "--budget=90% --max-surge 50% --no-detours --time-limit 30"
    first, second = suggested(f"{PLAN} {asked}", monkeypatch, capsys)
    assert first == f"fairlead {PLAN} {asked} --save plan.json"
    assert second == f"fairlead {PLAN} --time-limit 30 --resume plan.json --waves waves"
    for command in (first, second):
        assert main(shlex.split(command)[1:]) == 0


def test_where_nothing_fits_something_is_proposed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With `--partial` as much is placed as can be; the exit code says that something gave way."""
    (command,) = suggested(INFEASIBLE, monkeypatch, capsys)
    assert command == f"fairlead {INFEASIBLE} --partial"
    assert main(shlex.split(command)[1:]) == 3


def test_after_a_sweep_the_worst_is_looked_at(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without the home cluster two replicas are unplaced, more than without any other: that loss alone."""
    lost = on("simulate", "overflow")
    (command,) = suggested(f"{lost} --sweep cluster", monkeypatch, capsys)
    assert command == f"fairlead {lost} --lose home"
    assert main(shlex.split(command)[1:]) == 3


@pytest.mark.parametrize("options", ["-q", "-o json", "-o csv"])
def test_nothing_is_proposed_to_programs_and_the_quiet(
    options: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nor where one of the streams is no terminal."""
    assert not suggested(f"{INFEASIBLE} {options}", monkeypatch, capsys)
    assert not suggested(INFEASIBLE, monkeypatch, capsys, seen=False)


def test_what_runs_already_needs_no_plan(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A running fleet in which everything stays; one that changes is to be planned."""
    assert not suggested(f"{on('solve', 'fleet')} -n ml --time-limit 60", monkeypatch, capsys)
    (command,) = suggested(on("solve", "scale-up"), monkeypatch, capsys)
    assert command == f"fairlead {on('plan', 'scale-up')}"


def test_a_plan_is_proposed_of_what_was_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What may stay unplaced may so in the plan, too; where nothing was to stay, no plan leads there."""
    steps = suggested(f"{on('solve', 'scale-up')} --partial --deviation l1", monkeypatch, capsys)
    assert steps[-1] == f"fairlead {on('plan', 'scale-up')} --deviation l1 --partial"
    assert main(shlex.split(steps[-1])[1:]) == 0
    steps = suggested(f"{on('solve', 'scale-up')} --fresh", monkeypatch, capsys)
    assert steps[-1] == f"fairlead {on('solve', 'scale-up')} --fresh -o patch"


def test_no_less_time_is_proposed_than_there_was() -> None:
    """Twice as much where that is more than five minutes."""
    assert longer(Making(time_limit=60)) == "300"
    assert longer(Making(time_limit=600)) == "1200"


def test_an_option_is_given_once() -> None:
    """More time takes the place of what there was."""
    making = Making(arguments={"solve": "-f fleet --time-limit 20 -q"}, time_limit=20)
    assert again("solve", making, "--time-limit", "300") == "fairlead solve -f fleet -q --time-limit 300"
    assert again("solve", making, "-o", "patch") == "fairlead solve -f fleet --time-limit 20 -q -o patch"


def test_partial_is_proposed_once() -> None:
    """Where a placement of what fits was asked for already there is only the way out."""
    problem = fairlead.load(EXAMPLES / "too-tight")
    outcome = fairlead.solve(problem)
    given = "-f too-tight --partial"
    making = Making(command=f"fairlead solve {given}", arguments={"solve": given})
    ((told, command),) = steps_of(outcome, "solve", making)
    assert told == "Make one of the changes above and run this again:"
    assert command == "fairlead solve -f too-tight --partial"


def test_the_plan_of_a_drain_is_what_was_simulated(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was simulated beside the drain is planned, too: other replicas need other moves."""
    asked = "--scale search=3 --drain east"
    steps = suggested(f"{on('simulate', 'safe-migration')} {asked} --seed 1", monkeypatch, capsys)
    assert steps == [f"fairlead {PLAN} {asked}"]
    assert main(shlex.split(steps[0])[1:]) == 0


def test_patches_have_no_rows_to_pick(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where nothing runs, what to apply is printed next: of all workloads, in no order of columns."""
    solve = on("solve", "three-regions")
    steps = suggested(f"{solve} --sort-by replicas --changed --seed=1", monkeypatch, capsys)
    assert steps == [f"fairlead {solve} --seed=1 -o patch"]
    assert main(shlex.split(steps[0])[1:]) == 0


def on_the_page(command: str, page: Path) -> list[str]:
    """Return the commands that a report proposes."""
    main(shlex.split(f"{command} -o {shlex.quote(str(page))}"))
    below = page.read_text(encoding="utf-8").partition(">What to do next</h2>")[2].partition("</section>")[0]
    found = re.findall("<code>(fairlead [^<]*)</code>", below)
    return [html.unescape(each) for each in found]


def test_a_report_proposes_commands_that_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes the options of a plan, which not every command has that it proposes: each gets its own."""
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.html"
    saving, resuming = on_the_page(f"{on('report', 'safe-migration')} --budget 90% --seed 1", page)
    assert saving == f"fairlead {PLAN} --budget 90% --seed 1 --save plan.json"
    assert resuming == f"fairlead {PLAN} --seed 1 --resume plan.json --waves waves"
    assert [main(shlex.split(command)[1:]) for command in (saving, resuming)] == [0, 0]
    assert on_the_page(f"{on('report', 'safe-migration')} --plan plan.json", page) == [
        f"fairlead {PLAN} --resume plan.json --waves waves"
    ]
    (patching,) = on_the_page(f"{on('report', 'three-regions')} --budget=9 --seed 1", page)
    assert patching == f"fairlead {on('solve', 'three-regions')} --seed 1 -o patch"
    assert main(shlex.split(patching)[1:]) == 0


def test_changes_are_only_spoken_of_where_some_are_proposed() -> None:
    """No cluster is called elsewhere: no number and no toleration helps, so no change is above."""
    lonely = {**static(("a", 1)), "clusterAffinity": {"clusterNames": ["elsewhere"]}}
    problem = fairlead.load([cluster("a", cpu=4), binding("w", 1, placement=lonely, cpu=1)])
    ((told, _),) = steps_of(fairlead.solve(problem, workers=1), "solve", Making())
    assert told.startswith("Change one of the rules above and run this again;")


def test_what_is_only_supposed_is_not_explained_by_a_command_that_does_not_suppose_it() -> None:
    """Four replicas fit on a and b, and two on b alone: `why` knows of no loss."""
    running = binding("w", 4, {"a": 2, "b": 2}, static(("a", 1), ("b", 1)), cpu=1)
    problem = fairlead.load([cluster("a", cpu=2), cluster("b", cpu=2), running])
    lost = fairlead.simulate(problem, fairlead.Lose("a"), workers=1).after
    told = [sentence for sentence, _ in steps_of(lost, "simulate", Making())]
    assert told == ["Write another cluster into new-cluster.yaml, and see what it changes:"]
