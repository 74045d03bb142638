"""Every way out of random infeasible manifests, pasted into them as it is printed, makes them feasible."""

from collections.abc import Callable

import pytest

import fairlead
from builders import Manifest
from fairlead.manifests.loading import load
from fairlead.models.errors import ManifestError
from fairlead.models.outcome import Outcome, Status
from fairlead.models.statement import Relaxation
from merged import pasted
from random_manifests import karmada, kubeadmiral
from seeds import runs

Make = Callable[[int], list[Manifest]]


def failed(make: Make, seed: int) -> tuple[int, list[str]]:
    """Return how many ways out there are of one problem, and those that do not help."""
    stream = make(seed)
    try:
        problem = load(stream)
    except ManifestError:
        # Bounds of several terms may cross, which is refused.
        return 0, []
    outcome = fairlead.solve(problem, time_limit=60, workers=1)
    if outcome.status is not Status.INFEASIBLE or outcome.conflict is None:
        return 0, []
    wrong = [
        f"{make.__name__} {seed}: {way.text}"
        for way in outcome.conflict.relaxations
        if not helps(way, fairlead.solve(load(pasted(stream, way)), time_limit=60, workers=1))
    ]
    return len(outcome.conflict.relaxations), wrong


def helps(way: Relaxation, after: Outcome) -> bool:
    """Tell whether nothing contradicts itself after a way out, but what it says that it is no help for."""
    stuck = {key for conflict in after.conflicts for key in conflict.workloads}
    return after.placement is not None or (bool(stuck) and stuck <= set(way.without))


def helped(seeds: range) -> int:
    """Try all ways out of some problems of either kind; return how many there were."""
    tried = 0
    for make in (karmada, kubeadmiral):
        for seed in seeds:
            count, wrong = failed(make, seed)
            assert wrong == []
            tried += count
    return tried


@pytest.mark.parametrize("seeds", runs(range(30), *(range(at, at + 130) for at in range(30, 1330, 130))))
def test_ways_out_help(seeds: range) -> None:
    """Some problems, coupled, with groups, own kinds and quotas, have more ways out than there are seeds."""
    assert helped(seeds) >= (50 if seeds == range(30) else 200)


def test_a_budget_that_is_a_percentage_follows_what_runs() -> None:
    """Scaling a federated object that runs by its template's number leaves less than 30% of what ran."""
    count, wrong = failed(kubeadmiral, 52510)
    assert count > 0
    assert wrong == []


@pytest.mark.parametrize("seed", [70, 166, 190])
def test_a_shared_total_of_a_closed_cluster(seed: int) -> None:
    """Two workloads share the exact total of a cluster that a taint closes; tolerating it is a way out."""
    count, wrong = failed(karmada, seed)
    assert count > 0
    assert wrong == []


@pytest.mark.parametrize(
    ("make", "seed"), [(kubeadmiral, 40), (kubeadmiral, 168), (karmada, 146), (kubeadmiral, 67)]
)
def test_who_has_no_way_out_keeps_nobody_from_his(make: Make, seed: int) -> None:
    """In the first two a workload has none; a toleration would do harm in another group; the last is long."""
    count, wrong = failed(make, seed)
    assert count > 0
    assert wrong == []


def test_totals_of_one_name_are_told_apart_once_open() -> None:
    """Two groups of one manifest name the cluster that a taint closes: one of their maxima is raised."""
    count, wrong = failed(karmada, 7124)
    assert count > 0
    assert wrong == []


def test_a_copy_that_is_opened_grows_with_the_room() -> None:
    """A copy that is as small as the room behind a taint takes more once the cluster is larger, too."""
    count, wrong = failed(kubeadmiral, 810390)
    assert count > 0
    assert wrong == []


@pytest.mark.parametrize(("make", "seed"), [(karmada, 61092), (kubeadmiral, 61043)])
def test_what_runs_where_the_room_is_unknown(make: Make, seed: int) -> None:
    """Tolerating a taint would keep replicas there, and a minimum of their region or cluster would bind."""
    _, wrong = failed(make, seed)
    assert wrong == []


@pytest.mark.parametrize(("make", "seed"), [(kubeadmiral, 700663), (karmada, 700704)])
def test_who_would_hold_what_is_not_known_keeps_nobody_from_his(make: Make, seed: int) -> None:
    """Each has a way out of his own, but none is known for all: what rules do not tell is left out."""
    count, wrong = failed(make, seed)
    assert count > 0
    assert wrong == []
