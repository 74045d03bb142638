"""A first placement of many workloads at once: by weights, by prices, by room, beside what is no row."""

from dataclasses import replace

import pytest

import fairlead
from batch_problems import fleet as mixed_fleet
from batch_problems import middling, random_batch
from fairlead.models.check import check
from fairlead.models.cluster import CPU, Cluster
from fairlead.models.outcome import Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Capacity, Duplicated, Quota, Total, Weights
from fairlead.models.shortfall import refused
from fairlead.models.workload import Workload
from fairlead.solver.answers.answer import PartAnswer, unproven
from fairlead.solver.batch.first_placement import place_first
from fairlead.solver.floor import at_once, keep_and_repair, place_greedily
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import Search
from random_problems import random_problem

NO_TIME = 1e-9


def workload(key: str, replicas: int, weights: dict[str, int]) -> Workload:
    """Return a workload of one-cpu replicas on the clusters that it weighs."""
    rules = (Candidates(tuple(sorted(weights))), Total(), Weights(weights))
    return Workload(key, key, replicas, requests={CPU: 1000}, rules=rules)


def fleet(*workloads: Workload, **cores: int) -> Problem:
    """Return a problem of clusters with so many cores."""
    clusters = tuple(Cluster(name, free={CPU: 1000 * count}) for name, count in cores.items())
    return Problem(clusters, workloads, (Capacity(),))


def test_where_weights_fit_they_are_kept() -> None:
    """Quotas of 2 and 4, and of 3 and 3: there is room for just that."""
    part = fleet(workload("one", 6, {"a": 1, "b": 2}), workload("two", 6, {"a": 1, "b": 1}), a=5, b=7)
    assert place_first(part) == Placement({"one": {"a": 2, "b": 4}, "two": {"a": 3, "b": 3}})


def test_where_weights_do_not_fit_others_give_way() -> None:
    """The one that may use a only takes all of it, so the other has to leave its weight of 9 there."""
    part = fleet(workload("any", 4, {"a": 9, "b": 1}), workload("only", 4, {"a": 1}), a=4, b=4)
    assert place_first(part) == Placement({"any": {"b": 4}, "only": {"a": 4}})


def test_what_is_no_row_comes_first() -> None:
    """Full copies of 2 on both clusters, and two replicas in what they leave."""
    copied = replace(workload("copied", 2, {}), rules=(Candidates(("a", "b")), Duplicated()))
    part = fleet(workload("any", 2, {"a": 9, "b": 1}), copied, a=2, b=4)
    assert place_first(part) == Placement({"any": {"b": 2}, "copied": {"a": 2, "b": 2}})


def test_nothing_is_found_where_nothing_is() -> None:
    """Five replicas, room for four."""
    assert place_first(fleet(workload("any", 5, {"a": 1, "b": 1}), a=2, b=2)) is None


def test_quotas_are_left_to_others() -> None:
    """What is asked of a quota is no matter of single clusters."""
    part = fleet(workload("any", 2, {"a": 1}), a=2)
    assert place_first(replace(part, rules=(Capacity(), Quota("q", "default", {})))) is None


@pytest.mark.parametrize("seed", range(5))
def test_a_batch_has_a_placement_without_time(seed: int) -> None:
    """60 workloads at 90% of both resources, where the weights alone overfill clusters."""
    problem = middling(seed, fairlead.Deviation.L1, workloads=60, clusters=12)
    outcome = fairlead.solve(problem, time_limit=NO_TIME)
    assert outcome.status is Status.FEASIBLE
    assert not check(problem, outcome.placement or {})


@pytest.mark.parametrize("seed", range(40))
def test_what_is_found_keeps_all_rules(seed: int) -> None:
    """Random problems, those with rules about sets among them: a valid placement or none."""
    problem = random_problem(seed, fairlead.Deviation.WEBSTER, most_workloads=4)
    found = place_first(problem)
    assert found is None or not refused(problem, found)
    late = keep_and_repair(problem, (), Deadline.after(0))
    assert late is None or not refused(problem, late)


def test_a_search_that_finds_nothing_ends_with_what_is_found_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search of the only part has found nothing in its time."""
    part = fleet(workload("any", 4, {"a": 9, "b": 1}), workload("only", 4, {"a": 1}), a=4, b=4)

    def searched(parts: list[Problem], *_: object) -> list[PartAnswer]:
        return [unproven(each, None) for each in parts]

    monkeypatch.setattr("fairlead.solver.parts.dispatch.solve_parts", searched)
    # Without a search of the whole either, which balance may begin.
    monkeypatch.setattr("fairlead.solver.loosening.tolerances.MOST_AT_ONCE", 0)
    outcome = fairlead.solve(part)
    assert outcome.status is Status.FEASIBLE
    assert outcome.placement == Placement({"any": {"b": 4}, "only": {"a": 4}})


def test_what_fits_is_placed_in_arrays_as_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """60 batches of up to twice what fits, in which something runs: nothing is refused, as much is placed."""
    batches = [
        random_batch(seed, fairlead.Deviation.L1, workloads=8, clusters=4, load=1.5 + seed % 2 / 2)
        for seed in range(60)
    ]
    problems = [replace(each, partial=True) for each in batches]
    placed = [place_greedily(each, Deadline.after(0)) for each in problems]
    assert not any(refused(problem, found) for problem, found in zip(problems, placed, strict=True))
    monkeypatch.setattr("fairlead.solver.floor.Filling.of_problem", lambda _: None)
    one_by_one = [place_greedily(each, Deadline.after(0)) for each in problems]
    assert sum(map(unplaced, problems, placed)) <= sum(map(unplaced, problems, one_by_one))


def unplaced(problem: Problem, placement: Placement) -> int:
    """Return how many replicas are missing."""
    return sum(each.replicas - sum(placement.of(each.key).values()) for each in problem.workloads)


@pytest.mark.parametrize("seed", range(4))
def test_rows_and_others_are_placed_together(seed: int) -> None:
    """24 workloads, of which every third has regions, tiers, full copies or few clusters."""
    problem = mixed_fleet(seed)
    found = place_first(problem)
    assert found is not None
    assert not check(problem, found)


def test_who_answers_at_once_with_some_time_left_finds_a_first_placement_too() -> None:
    """The one that may use a only comes last by size; of 501 places the reference dispenser leaves it none.

    No search follows, so that whatever keeps all rules has to be the answer.
    """
    names = [f"c{number:03}" for number in range(250)]
    part = fleet(workload("any", 5, {"a": 9, "b": 1}), workload("only", 4, {"a": 1}), a=4, b=5)
    part = replace(part, clusters=(*part.clusters, *(Cluster(name, free={CPU: 0}) for name in names)))
    assert keep_and_repair(part, ()) is None
    found = at_once(part, Search())
    assert found.placement == Placement({"any": {"b": 5}, "only": {"a": 4}})
