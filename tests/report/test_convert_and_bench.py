"""The commands ``convert`` and ``bench``: what they print, and how they end."""

import io
import json
import re
import signal
from dataclasses import replace
from pathlib import Path

import pytest

import fairlead
from fairlead.cli.app import main
from fairlead.cli.outputs import rounds_told
from fairlead.models.result import Status
from fairlead.report import renderer
from fairlead.report.pages import Making
from fairlead.solver.compare import Benchmark, Round, bench
from places import EXAMPLES


def test_what_is_converted_can_be_solved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The output is an input: the shop stands where it stood, 10 by 1:2:2:1:1 and so on."""
    for form in ("yaml", "json"):
        assert (
            main(["convert", "-f", str(EXAMPLES / "three-regions"), "--to", "kubeadmiral", "-o", form]) == 0
        )
        told = capsys.readouterr()
        assert "kubeadmiral.io/propagation-policy-name=shop" in told.err
        written = tmp_path / f"written.{form}"
        written.write_text(told.out, encoding="utf-8")
        before = fairlead.solve(fairlead.load(EXAMPLES / "three-regions")).placement
        assert fairlead.solve(fairlead.load(written)).placement == before


def test_what_would_be_lost_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is printed unless the loss is allowed; then it is a warning, with what differs after it."""
    asked = ["convert", "-q", "-f", str(EXAMPLES / "aggregated"), "--to", "kubeadmiral"]
    assert main(asked) == 2
    told = capsys.readouterr()
    assert not told.out
    place, lost, closing = told.err.partition("'Aggregated' has no equivalent: Binpack fills clusters")
    assert "aggregated.yaml:53: spec.placement.replicaScheduling.replicaDivisionPreference: " in place
    assert lost
    assert closing.endswith(
        "nothing is written: KubeAdmiral cannot say 1 field; --allow-loss writes the rest\n"
    )
    assert main([*asked, "--allow-loss"]) == 0
    told = capsys.readouterr()
    assert "replicasStrategy: Binpack" in told.out
    assert "warning: " in told.err
    assert "weights: " in told.err


def test_a_rule_without_numbers_that_is_lost_is_told_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    """With Duplicate, as a region list without its number becomes, no total is left: ``[{}] before`` once."""
    asked = ["convert", "-q", "-f", str(EXAMPLES / "region-list"), "--to", "kubeadmiral", "--allow-loss"]
    assert main(asked) == 0
    assert "warning: shop/checkout: total: there before, nothing after\n" in capsys.readouterr().err


def test_convert_needs_a_system(capsys: pytest.CaptureFixture[str]) -> None:
    """The nearest name is proposed."""
    assert main(["convert", "-f", str(EXAMPLES / "aggregated"), "--to", "kubadmiral"]) == 2
    assert "Did you mean 'kubeadmiral'?" in capsys.readouterr().err
    assert main(["convert", "-f", str(EXAMPLES / "aggregated")]) == 2
    assert "Missing option '--to'. Choose from:\n  karmada,\n  kubeadmiral\n" in capsys.readouterr().err


def test_bench_takes_turns(capsys: pytest.CaptureFixture[str]) -> None:
    """A row for everybody with median, range and ratio; in JSON every number too."""
    asked = ["bench", "-f", str(EXAMPLES / "three-regions"), "--rounds", "3", "--like", "karmada"]
    assert main(asked) == 0
    out = capsys.readouterr().out
    head = out[out.index("SCHEDULER") :].splitlines()
    assert head[0].split()[:6] == ["SCHEDULER", "SECONDS", "RANGE", "RATIO", "STATUS", "UNPLACED"]
    assert [line.split()[0] for line in head[1:]] == ["best", "karmada"]
    assert "the median of 3 rounds" in out
    assert main([*asked, "-o", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["rounds"] == 3
    assert len(found["load"]["all"]) == 3
    assert [one["name"] for one in found["schedulers"]] == ["best", "karmada"]
    assert min(one["ratio"] for one in found["schedulers"]) == 1
    for one in found["schedulers"]:
        seconds = one["seconds"]
        assert seconds["least"] <= seconds["median"] <= seconds["most"]
        assert seconds["median"] == sorted(seconds["all"])[1]
    # Karmada's scheduler does not know the bounds of the policy.
    assert [len(one["violations"]) for one in found["schedulers"]] == [0, 1]


def measured(*seconds: tuple[float, float, float]) -> Benchmark:
    """Return a bench of rounds with given seconds: of loading, of the best answer and of Karmada's."""
    comparison = fairlead.compare(fairlead.load(EXAMPLES / "three-regions"), ["karmada"])
    (other,) = comparison.contenders
    return Benchmark(
        tuple(
            Round(
                load,
                replace(
                    comparison,
                    best=replace(comparison.best, seconds={"solve": best}),
                    contenders=(replace(other, outcome=replace(other.outcome, seconds={"solve": karmada})),),
                ),
            )
            for load, best, karmada in seconds
        )
    )


def test_numbers_of_a_bench() -> None:
    """Medians 0.2 and 0.05 make a ratio of 4; loading is told beside them."""
    found = measured((0.1, 0.2, 0.05), (0.3, 0.1, 0.05), (0.2, 0.9, 0.04))
    assert found.ratios == {"best": pytest.approx(4), "karmada": 1}
    shown = renderer.terminal(found).splitlines()
    assert (
        shown[0] == "fairlead takes 0.20 s, 4.0 times as long as karmada (0.050 s), the median of 3 rounds."
    )
    assert shown[1] == "Loading the input takes 0.20 s (0.10-0.30) beside that."
    assert "0.10-0.90" in shown[4]
    assert "<table" in renderer.page(found, Making())


def test_an_answer_that_changes_from_round_to_round_is_told() -> None:
    """Where a time limit ends a search the placement may differ."""
    found = measured((0.1, 0.2, 0.05), (0.1, 0.2, 0.05))
    first, second = found.rounds
    none = replace(second.comparison.best, placement=None, status=Status.UNKNOWN, objectives=())
    changed = replace(
        found, rounds=(first, second._replace(comparison=replace(second.comparison, best=none)))
    )
    assert changed.changing == ("best",)
    assert "best: not the same placement in every round" in renderer.text(changed)


@pytest.mark.parametrize(("interrupted", "told"), [(1, 1), (3, 2)])
def test_a_bench_ends_with_the_rounds_that_are_complete(interrupted: int, told: int) -> None:
    """Ctrl-C in the third round: two are told. In the first one that one is, so there is something."""
    problem, rounds = fairlead.load(EXAMPLES / "three-regions"), 0

    def read() -> fairlead.Problem:
        nonlocal rounds
        rounds += 1
        if rounds == interrupted:
            signal.raise_signal(signal.SIGINT)
        return problem

    assert len(bench(read, 9, ["reference"]).rounds) == told
    assert rounds == interrupted


def test_telephones_name_every_column() -> None:
    """A value stands beside its header there, which a style brings: also that of the last of many levels."""
    comparison = fairlead.compare(fairlead.load(EXAMPLES / "fleet"), ["reference"], time_limit=30)
    page = renderer.page(Benchmark((Round(0.1, comparison),)), Making())
    stated = {int(number) for number in re.findall(r"--c(\d+):", page)}
    assert max(stated) == 7 + len(comparison.best.objectives)
    assert {f"var(--c{number})" for number in stated - {1}} <= set(re.findall(r"var\(--c\d+\)", page))


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        """Tell that somebody looks."""
        return True


def test_rounds_are_told_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line is cleared at the end; elsewhere, and where quiet was asked for, there is none."""
    for stream, quiet, told in (
        (_Terminal(), False, "\rround 1 of 2\rround 2 of 2\r\x1b[2K"),
        (_Terminal(), True, ""),
        (io.StringIO(), False, ""),
    ):
        monkeypatch.setattr("sys.stderr", stream)
        with rounds_told(2, quiet=quiet) as begins:
            begins()
            begins()
        assert stream.getvalue() == told
