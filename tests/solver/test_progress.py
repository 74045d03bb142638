"""How far a search is: what is told, and that only a terminal is shown it."""

import logging
from fractions import Fraction

import pytest

from fairlead.cli.outputs import sentence, shown
from fairlead.models.cluster import Cluster
from fairlead.models.problem import Problem
from fairlead.models.result import Progress
from fairlead.models.rules import Candidates, Capacity, Total, Weights
from fairlead.models.workload import Workload
from fairlead.solver.solve import solve


def competing() -> Problem:
    """Return two workloads that compete for the first of two clusters."""
    names = ("member1", "member2")
    rules = (Candidates(names), Total(), Weights({"member1": 1, "member2": 1}))
    workloads = tuple(Workload(key, key, 4, requests={"cpu": 1000}, rules=rules) for key in "ab")
    clusters = (Cluster("member1", free={"cpu": 3000}), Cluster("member2", free={"cpu": 9000}))
    return Problem(clusters, workloads, (Capacity(),))


def test_a_search_tells_how_far_it_is() -> None:
    """The last report is the value that comes out: of eight replicas three find room on member1, not four."""
    told: list[Progress] = []
    outcome = solve(competing(), progress=told.append)
    last = [each for each in told if each.level == "deviation"][-1]
    assert last.value == outcome.objectives[0].value
    assert (told[-1].bound, told[-1].gap) == (told[-1].value, 0.0)


def test_a_log_says_what_was_solved_and_in_which_way(caplog: pytest.LogCaptureFixture) -> None:
    """The two compete for one cluster: the way that solves them together answers; the call is told too."""
    with caplog.at_level(logging.DEBUG, logger="fairlead"):
        solve(competing(), time_limit=None)
    told = [(record.levelname, record.getMessage()) for record in caplog.records]
    size = "2 clusters, 2 workloads, 8 replicas"
    assert ("DEBUG", f"{size}: Workloads that compete (Optimal)") in told
    assert told[-1][0] == "INFO"
    assert told[-1][1].startswith(f"{size}: Optimal by cp-sat in ")


def test_a_search_of_some_tells_of_all() -> None:
    """Two of five compete: 1 for them, and some for each of three that divide 3 by 1 : 1."""
    problem = competing()
    names = ("member2", "member3")
    rules = (Candidates(names), Total(), Weights({"member2": 1, "member3": 1}))
    others = tuple(Workload(key, key, 3, requests={"cpu": 1}, rules=rules) for key in "cde")
    clusters = (*problem.clusters, Cluster("member3", free={"cpu": 9000}))
    told: list[Progress] = []
    whole = Problem(clusters, (*problem.workloads, *others), problem.rules)
    least = solve(whole, progress=told.append).objectives[0].value
    assert told
    about = [each for each in told if each.level == "deviation"]
    assert all(each.value is not None and each.value >= least for each in about)


def test_display_prints_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Value and bound, to standard error."""
    solve(competing(), display=True)
    assert capsys.readouterr().err.startswith("deviation: 1, at least 1 after ")


def test_nothing_is_shown_where_there_is_no_terminal() -> None:
    """Under pytest standard error is a file."""
    with shown(10.0) as report:
        assert report is None


@pytest.mark.parametrize(
    ("value", "bound", "gap", "text"),
    [
        (None, Fraction(5), None, "deviation: no placement yet"),
        (Fraction(21, 2), None, None, "deviation 10.5"),
        (Fraction(10), Fraction(9), 0.1, "deviation 10, at least 9, gap 10%"),
    ],
)
def test_sentence(value: Fraction | None, bound: Fraction | None, gap: float | None, text: str) -> None:
    """What is not known is left out."""
    assert sentence(Progress("deviation", value, bound, gap, 1.0)) == text
