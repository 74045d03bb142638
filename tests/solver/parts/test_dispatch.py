"""Independent parts give the same answer here, in other processes and on Ray."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from fairlead.models.cluster import Cluster
from fairlead.models.errors import UsageError
from fairlead.models.outcome import Status
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Capacity, Moves, Tiers, Total, Weights
from fairlead.models.score import levels_of
from fairlead.models.workload import Workload
from fairlead.solver.answers.answer import PartQuestion, components
from fairlead.solver.parts.dispatch import searched
from fairlead.solver.parts.methods import may_have_prices
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.processes import LocalProcesses
from fairlead.solver.running.search import Search, ThisProcess
from fairlead.solver.solve import solve


def two_teams() -> Problem:
    """Return two teams with clusters of their own, on which the workloads of a team compete."""
    clusters, workloads = [], []
    for team in "ab":
        names = (f"{team}1", f"{team}2", f"{team}3")
        clusters += [Cluster(name, free={"cpu": 4000 + 500 * at}) for at, name in enumerate(names)]
        for number in range(3):
            weights = Weights({name: 1 + (number + at) % 3 for at, name in enumerate(names)})
            rules = (Candidates(names), Total(), weights, Moves(frozenset(names)))
            key = f"{team}/w{number}"
            workloads.append(Workload(key, key, 4, team, requests={"cpu": 1000 + 100 * number}, rules=rules))
    return Problem(tuple(clusters), tuple(workloads), (Capacity(),))


@pytest.fixture(scope="module")
def others() -> Iterator[LocalProcesses]:
    """Begin two processes."""
    with LocalProcesses(2) as two:
        yield two


@pytest.mark.parametrize("partial", [False, True])
def test_processes_give_the_same_answers(partial: bool, others: LocalProcesses) -> None:
    """Two parts that need a search, in this process and in two others, also where something may give way."""
    parts = components(replace(two_teams(), partial=partial))
    assert len(parts) == 2
    search = Search(Deadline.after(60.0), 1)
    with ThisProcess() as here:
        first = searched(range(2), parts, {}, search, here)
        second = searched(range(2), parts, {}, search, others)
    assert first == second
    assert [first[number].status for number in range(2)] == [Status.OPTIMAL, Status.OPTIMAL]
    assert [len(second[number].attained) for number in range(2)] == [len(levels_of(part)) for part in parts]


def test_many_new_workloads_are_left_to_prices() -> None:
    """2,000 workloads on two clusters are 4,000 places: overflow comes first, but nothing runs."""
    new = [
        replace(each, key=f"{number:04}", rules=(*each.rules, Tiers((frozenset({"a1"}), frozenset({"a2"})))))
        for number, each in enumerate(two_teams().workloads[:1] * 2000)
    ]
    part = replace(two_teams(), clusters=two_teams().clusters[:2])
    assert may_have_prices(PartQuestion(replace(part, workloads=tuple(new)), Search()))
    assert not may_have_prices(PartQuestion(replace(part, workloads=tuple(new[1:])), Search()))
    running = (replace(new[0], current={"a1": 2}), *new[1:])
    assert not may_have_prices(PartQuestion(replace(part, workloads=running), Search()))


def test_a_wrong_engine_is_refused() -> None:
    """Also where nothing would have to be searched."""
    with pytest.raises(UsageError, match="no engine 'cloud'; known: local and ray"):
        solve(two_teams(), engine="cloud")


@pytest.mark.long
def test_ray_gives_the_same_answer() -> None:
    """The whole outcome but its seconds."""
    pytest.importorskip("ray")
    # Ray may take longer to start than the limit of ten seconds.
    here, there = solve(two_teams(), workers=1), solve(two_teams(), engine="ray", time_limit=60.0)
    assert here.status is there.status is Status.OPTIMAL
    assert (here.placement, here.objectives) == (there.placement, there.objectives)
