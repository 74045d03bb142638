"""The benchmarks build, their contenders answer tiny cases rightly, and what they write is deterministic.

Nothing here looks at the time: how fast something is belongs to ``benchmarks/`` itself.
"""

import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import fairlead
from brute_force import brute_force
from fairlead.models.levels import Deviation
from fairlead.models.problem import Problem
from fairlead.models.rules import Aggregated, Candidates, Capacity, Spread, Tiers, Total, Weights
from places import ROOT

sys.path.append(str(ROOT / "benchmarks"))

from answers import Point
from bars import judge, verdict
from batch_cases import RATIO_ONLY, batch
from contenders import BOUNDS, CONTENDERS, EXACT
from curves import draw
from formulation import Formulation, formulate
from measuring import LevelMeasure, Measurement, gap_of, measure, measured_here
from mixed_cases import independent, mixed, planted, priorities
from openb_cases import openb
from registry import CASES, Bar
from run import jobs, main
from tables import BEGIN, END, Fine, put_between_markers, to_markdown
from trend import Ratio, keep, on_record, slower


def tiny(deviation: Deviation = Deviation.L1) -> Problem:
    """Two workloads on two clusters; both want to stand on the first, which has room for five replicas."""
    members = (
        fairlead.Cluster("a", free={"cpu": 500}),
        fairlead.Cluster("b", free={"cpu": 600}),
    )
    names = ("a", "b")
    made = tuple(
        fairlead.Workload(
            f"bench/{name}",
            name,
            replicas,
            "bench",
            requests={"cpu": 100},
            rules=(Candidates(names), Total(), Weights({"a": weight, "b": 1})),
        )
        for name, replicas, weight in (("v", 4, 3), ("w", 5, 2))
    )
    return Problem(members, made, (Capacity(),), RATIO_ONLY, deviation)


@pytest.mark.parametrize("deviation", [Deviation.L1, Deviation.WEBSTER])
@pytest.mark.parametrize("name", ["fairlead", "fairlead CP-SAT", *EXACT])
def test_solvers_find_the_best_value_of_a_tiny_case(name: str, deviation: Deviation) -> None:
    """Every exact contender reaches what brute force reaches, and says so."""
    if name == "naive CP-SAT" and deviation is not Deviation.L1:
        pytest.skip("the naive model measures l1 only")
    problem = tiny(deviation)
    best = brute_force(problem)
    assert best is not None
    # The shares are 3 and 10/3 on the first cluster, so that more than its five replicas are wanted there.
    assert best.values[0] > 0
    found = measured_here("tiny", problem, name, 20.0, 1)
    assert found.state == "valid"
    assert found.proven
    assert found.value == pytest.approx(float(best.values[0]))
    # Bounds of the whole models are rounded to millionths, or floating-point numbers.
    assert found.bound == pytest.approx(float(best.values[0]), abs=1e-5)


SHARES = ("fairlead in shares", "fairlead in shares on Ray")


@pytest.mark.parametrize("name", [SHARES[0], pytest.param(SHARES[1], marks=pytest.mark.long)])
def test_shares_are_valid_with_a_bound(name: str) -> None:
    """Twenty workloads make two shares; what they lose is told."""
    if name == SHARES[1]:
        pytest.importorskip("ray")
    found = measured_here("tiny", batch(20, 4), name, 20.0, 1)
    assert found.state == "valid"
    assert found.bound is not None
    assert found.value is not None
    assert 0 < found.bound <= found.value


@pytest.mark.parametrize("deviation", [Deviation.L1, Deviation.WEBSTER])
@pytest.mark.parametrize("name", BOUNDS)
def test_linear_relaxations_give_a_bound(name: str, deviation: Deviation) -> None:
    """A relaxation never promises more than the best placement costs."""
    problem = tiny(deviation)
    best = brute_force(problem)
    assert best is not None
    found = measured_here("tiny", problem, name, 20.0, 1)
    assert found.state == "bound"
    assert found.value is None
    assert found.bound is not None
    assert 0 < found.bound <= float(best.values[0]) + 1e-4


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("reference", "valid"),
        # These look at no capacity: six replicas on the first cluster, which has room for five.
        ("karmada", "invalid"),
        ("webster", "invalid"),
        ("largest-remainder", "invalid"),
        ("karmada-proposal", "invalid"),
    ],
)
def test_greedy_answers_are_judged(name: str, state: str) -> None:
    """An answer that breaks a rule is shown as such and has no value."""
    found = measured_here("tiny", tiny(), name, 20.0, 1)
    assert found.state == state, found.remark
    if state == "invalid":
        assert found.value is None
        assert "broken" in found.remark
    else:
        best = brute_force(tiny())
        assert best is not None
        assert found.value is not None
        assert found.value >= float(best.values[0])


def test_every_contender_is_tried_here() -> None:
    """A new contender needs a tiny case as well."""
    tried = {"fairlead", "fairlead CP-SAT", *SHARES, *EXACT, *BOUNDS}
    tried |= {"reference", "karmada", "webster", "largest-remainder", "karmada-proposal"}
    assert tried == set(CONTENDERS)


def test_what_a_model_does_not_know_is_told() -> None:
    """A model that lacks a rule is not asked to answer without it."""
    problem = mixed(10, 10, kinds=("spread",))
    assert measured_here("tiny", problem, "hull CP-SAT", 5.0, 1).state == "not applicable"
    assert measured_here("tiny", problem, "karmada", 5.0, 1).state == "not applicable"


@pytest.mark.parametrize("deviation", [Deviation.L1, Deviation.WEBSTER])
@pytest.mark.parametrize("wide", [False, True])
def test_the_pieces_are_the_cost_or_below_it(
    deviation: Deviation, *, wide: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pieces of the integer hull add up to the cost; wide ones underestimate it."""
    problem = replace(planted(1, 3, most_replicas=90), deviation=deviation)
    problem = replace(problem, rules=())
    if wide:
        monkeypatch.setattr("formulation.MOST_PIECES", 0)
        monkeypatch.setattr("formulation.EXACT_REACH", 2)
    made = formulate(problem)
    assert made.exact == (not wide or deviation is Deviation.L1)
    ((positions, total),) = made.totals
    assert total > 10
    for first in positions:
        # All replicas on one cluster: as far from the shares as can be, where wide pieces underestimate.
        replicas = [total if number == first else 0 for number in positions]
        value = fairlead.score(problem, made.placement(replicas))[0].value
        assert claimed(made, replicas) == value if made.exact else claimed(made, replicas) < value


def claimed(made: Formulation, replicas: list[int]) -> Fraction:
    """Return what a formulation believes a placement to cost."""
    cost = made.constant
    for place, count in zip(made.places, replicas, strict=True):
        left = count - place.lower
        for piece in place.pieces:
            cost += piece.slope * min(left, piece.width)
            left -= min(left, piece.width)
        assert left == 0
    return cost


# Cases of 10,000 workloads take seconds to make, the largest takes minutes; it is made as the others are.
# Fleets are read from manifests, which takes seconds from 1,000 workloads on.
LARGE = [name for name in CASES if any(size in name for size in ("-10000x", "fleet-1000x", "fleet-5000x"))]
HUGE = [name for name in CASES if CASES[name].huge]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.long) if name in LARGE else name
        for name in CASES
        if name not in HUGE
    ],
)
def test_every_case_builds_and_is_always_the_same(name: str) -> None:
    """The seed decides everything."""
    problem = CASES[name].make(0)
    assert problem.workloads
    assert problem == CASES[name].make(0)


def test_the_largest_cases_are_made_as_the_others() -> None:
    """What is too large to be made here differs in size only."""
    assert HUGE
    for name in HUGE:
        assert getattr(CASES[name].make, "func", None) is batch


def test_every_case_is_asked_of_known_contenders() -> None:
    """Names in the registry exist, and every bar is measured in a full run."""
    for case in CASES.values():
        assert set(case.contenders) <= set(CONTENDERS)
        assert set(case.short) <= set(case.contenders)
        assert {bar.contender for bar in case.bars} <= set(case.contenders)
        told = list(jobs(case, full=True))
        assert {contender for contender, _ in told} == set(case.contenders)
        assert all((bar.contender, bar.seconds) in told for bar in case.bars)


def test_tied_workloads_keep_to_their_share() -> None:
    """The share of tied workloads is exact, and the rest is plain."""
    # One in ten of 40 workloads; the other 36 have candidates, a total and weights only.
    problem = mixed(40, 10)
    tied = [
        workload
        for workload in problem.workloads
        if {type(rule) for rule in workload.rules} & {Spread, Tiers, Aggregated}
    ]
    assert len(tied) == 4


@pytest.mark.parametrize("seed", range(5))
def test_planted_cases_have_an_answer(seed: int) -> None:
    """What was planted is found."""
    # Five replicas at most, so that clusters filled to 99 % leave room for none.
    problem = planted(3, 2, seed, most_replicas=5)
    assert brute_force(problem) is not None
    assert measured_here("tiny", problem, "fairlead", 20.0, 1).state == "valid"


def test_what_is_scarce_goes_to_the_urgent() -> None:
    """Above a load of 1 something stays unplaced, and nothing else is broken."""
    problem = priorities(6, 2, load=1.2)
    found = measured_here("tiny", problem, "fairlead", 20.0, 1)
    assert found.state == "valid"
    unplaced = [level.value or 0 for level in found.levels if level.name.startswith("unplaced")]
    assert sum(unplaced) > 0
    assert len({workload.priority for workload in problem.workloads}) > 1


def test_independent_workloads_are_proven() -> None:
    """Workloads that do not compete have a formula."""
    found = measured_here("tiny", independent(20, 5), "fairlead", 20.0, 1)
    assert found.proven
    assert found.gap == 0


def test_the_trace_is_whole() -> None:
    """Nothing of the trace is lost on its way into the repository."""
    problem = openb()
    assert (len(problem.clusters), len(problem.workloads)) == (8, 162)
    # All pods of the trace.
    assert sum(workload.replicas for workload in problem.workloads) == 8152


def test_a_measurement_in_its_own_process_is_the_same() -> None:
    """What comes back from another process is what was found there."""
    here = measured_here("openb", openb(), "largest-remainder", 5.0, 1)
    there = measure("openb", "largest-remainder", 5.0, 1)
    assert (there.state, there.remark, there.levels) == (here.state, here.remark, here.levels)
    assert there.mebibytes > 10


def test_an_error_of_a_contender_is_told() -> None:
    """A contender that fails ends its own process only."""
    found = measure("openb", "nobody", 5.0, 1)
    assert found.state == "failed"
    assert "nobody" in found.remark


def measurement(contender: str, value: float, bound: float | None, **other: Any) -> Measurement:
    """Return a measurement of the smallest case."""
    gap = None if bound is None else gap_of(Fraction(value), bound)
    level = LevelMeasure("deviation", value, bound, gap)
    given: dict[str, Any] = {"seconds": 4.0, "state": "valid", "mebibytes": 100.0, **other}
    return Measurement("batch-50x10-l1", contender, 5.0, levels=(level,), **given)


def test_gaps_are_parts_of_the_value() -> None:
    """Gaps are exact, and those of several levels are not averaged."""
    assert gap_of(100, Fraction(99)) == 0.01
    assert gap_of(0, Fraction(0)) == 0
    # What is within the tolerance of a level is no gap; 4 is beyond 1 + 1.
    assert [gap_of(value, Fraction(1), Fraction(1)) for value in (1, 2, 4)] == [0, 0, 0.75]
    # The greatest gap of all levels counts, and one unknown level makes the whole unknown.
    levels = (LevelMeasure("cost", 4, 4, 0.0), LevelMeasure("deviation", 100, 99, 0.01))
    assert Measurement("openb", "fairlead", 5, 1, "valid", levels=levels).gap == 0.01
    unknown = (*levels, LevelMeasure("moves", 3, None, None))
    assert Measurement("openb", "fairlead", 5, 1, "valid", levels=unknown).gap is None


@pytest.mark.parametrize(
    ("found", "missed"),
    [
        (measurement("fairlead", 1000.0, 999.0), ()),
        (measurement("fairlead", 1000.0, 998.9), ("gap 0.1100%, 0.1000% allowed",)),
        (measurement("fairlead", 1000.0, None), ("gap unknown, 0.1000% allowed",)),
        (measurement("fairlead", 1000.0, 999.0, seconds=5.6), ("5.6 s, 5.5 s allowed",)),
        (measurement("fairlead", 1000.0, 999.0, mebibytes=3000.0), ("2.9 GiB, 2 GiB allowed",)),
        (
            measurement("fairlead", 1000.0, 999.0, state="invalid", remark="1 broken"),
            ("no valid placement (invalid: 1 broken)",),
        ),
    ],
)
def test_bars_are_judged(found: Measurement, missed: tuple[str, ...]) -> None:
    """A bar is kept only with a valid placement, its gap, its time and its memory."""
    assert verdict(Bar("fairlead", 5.0, 0.001, 2), found).missed == missed


def test_levels_up_to_the_moves_are_judged_apart() -> None:
    """Up to the moves a bar may ask for a proof, and for a gap only after them."""
    moves = LevelMeasure("moves", 4, 4, 0.0, leading=True)
    open_moves = LevelMeasure("moves", 4, 3, 0.25, leading=True)
    near, far = (LevelMeasure("deviation", 100, bound, 1 - bound / 100) for bound in (99.5, 90))
    bar = Bar("fairlead", 5.0, 0.01, leading=True)

    def missed(bar: Bar, *levels: LevelMeasure) -> int:
        found = Measurement("fleet-300x30-drain", "fairlead", 5.0, 4.0, "valid", levels=levels)
        return len(verdict(bar, found).missed)

    assert missed(bar, moves, near) == 0
    assert missed(bar, moves, far) == 1
    assert missed(bar, open_moves, far) == 2
    assert missed(replace(bar, gap=None), moves, far) == 0
    assert missed(replace(bar, gap=None), open_moves, near) == 1


def test_the_tables_are_deterministic_and_never_show_invalid_values(tmp_path: Path) -> None:
    """The same measurements give the same bytes."""
    points = (Point(0.5, 110.0, 90.0), Point(3.0, 100.0, 99.0))
    found = [
        measurement("fairlead", 100.0, 99.0, points=points),
        measurement("naive CP-SAT", 110.0, 90.0),
        measurement("karmada", 12345.0, None, state="invalid", remark="1 broken, first: too | much"),
    ]
    verdicts = list(judge(CASES, found))
    assert [len(each.missed) for each in verdicts] == [2], "one part in a hundred is missing; 4 s"
    machine = {"measured": "2026-11-21", "cores": "2"}
    fine = Fine({"One workload": "1.2 ms"}, ["one workload takes 1.2 ms"])
    drawn = {"batch-50x10-l1": "a.svg"}
    texts = [to_markdown(CASES, found, verdicts, machine, drawn, fine) for _ in range(2)]
    assert texts[0] == texts[1]
    assert "12,345" not in texts[0]
    assert "| naive CP-SAT | 5 | 4.00 | 110 | 1.100000 | 90 | 18.1818% | 100 |  |" in texts[0]
    assert "invalid: 1 broken, first: too / much" in texts[0]
    assert "**missed**: gap 1.0000%, 0.0000% allowed; 4.0 s, 1.5 s allowed" in texts[0]
    assert "* one workload takes 1.2 ms\n" in texts[0]
    assert "### One workload\n\n```text\n1.2 ms\n```\n" in texts[0]
    drawings = [tmp_path / "first.svg", tmp_path / "second.svg"]
    for drawing in drawings:
        assert draw("batch-50x10-l1", found, drawing)
    assert drawings[0].read_bytes() == drawings[1].read_bytes()
    assert "fairlead" in drawings[0].read_text()


def test_a_page_of_some_cases_only_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its other rows would be of another day."""
    monkeypatch.setattr("sys.argv", ["run.py", "--write-docs", "--only", "openb"])
    with pytest.raises(SystemExit, match="2"):
        main()


def test_what_was_measured_stands_between_its_markers() -> None:
    """Writing twice changes nothing else of the document."""
    document = f"# Title\n\n{BEGIN}\nold\n{END}\n\nafter\n"
    once = put_between_markers(document, "new\n")
    assert once == f"# Title\n\n{BEGIN}\n\nnew\n\n{END}\n\nafter\n"
    assert put_between_markers(once, "new\n") == once
    with pytest.raises(ValueError, match="two markers"):
        put_between_markers("# Title\n", "new\n")


def test_what_became_slower_by_a_tenth_is_told(tmp_path: Path) -> None:
    """Against the median of the runs before; one outlier there, and a first run, say nothing."""
    file = tmp_path / "trend.csv"
    for loading, single in ((1.0, 5.0), (9.0, 5.0), (1.0, 5.0), (1.1, 5.4)):
        keep([Ratio("loading", "a parser", loading), Ratio("single", "a sort", single)], file)
    keep([Ratio("new", "a sort", 7.0)], file)

    runs = on_record(file)

    assert slower(runs) == ["loading: 1.1 times a parser, usually 1"]
    assert slower(runs[:-3]) == []
    assert file.read_text().splitlines()[0] == "date,commit,measure,contender,ratio"
