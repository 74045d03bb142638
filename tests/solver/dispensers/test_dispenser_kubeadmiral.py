"""KubeAdmiral's dispenser against recorded answers of the real program (commit 19de01c, default plugins)."""

from collections.abc import Iterator
from typing import Any

import pytest

from fairlead.solver.dispensers import kubeadmiral
from kubeadmiral_documents import plan, read_cluster, read_unit, schedule
from kubeadmiral_recordings import FAMILIES, NOW, Record, recordings


def answer(record: Record) -> dict[str, Any]:
    """Return fairlead's answer to a recorded problem."""
    if record["kind"] == "schedule":
        return schedule(now=NOW, **record["problem"])
    return plan(record["kind"], **record["problem"])


def possible(record: Record) -> Iterator[dict[str, Any]]:
    """Return the answers for every way in which the rounding error of dynamic weights can fall."""
    problem = dict(record["problem"])
    clusters = [read_cluster(document) for document in problem.pop("federatedClusters")]
    unit = read_unit(**problem)
    for tie in kubeadmiral.schedule_unit(unit, clusters, NOW).ties:
        placement = kubeadmiral.schedule_unit(unit, clusters, NOW, tie).placement
        yield {"plan": dict(placement), "overflow": {}}


def agrees(record: Record) -> bool:
    """Tell whether fairlead's answer is the recorded one, where the real program draws no tie."""
    return "alternatives" in record or answer(record) == record["result"]


def test_all_recordings_are_there() -> None:
    """The files hold what they should."""
    assert {key: len(records) for key, records in recordings().items()} == FAMILIES


@pytest.mark.parametrize(("name", "family"), FAMILIES, ids=[f"{name}-{family}" for name, family in FAMILIES])
def test_recorded_answers(name: str, family: str) -> None:
    """Plan, overflow and error are those of the real program, for every problem of the family."""
    assert [record["id"] for record in recordings()[name, family] if not agrees(record)] == []


def test_recorded_alternatives_are_possible() -> None:
    """Every answer that the real program gave in repeated runs comes from one of the ties."""
    drawn = [record for records in recordings().values() for record in records if "alternatives" in record]
    assert len(drawn) == 4
    for record in drawn:
        answers = list(possible(record))
        recorded = [record["result"], *record["alternatives"]]
        assert all(alternative in answers for alternative in recorded), record["id"]


def test_same_answer_whatever_the_order_of_clusters() -> None:
    """The order in which clusters, labels and conditions are listed changes nothing."""
    for record in recordings()["kubeadmiral-pipeline", "sched-dynamic"][:40]:
        problem = dict(record["problem"])
        problem["federatedClusters"] = problem["federatedClusters"][::-1]
        problem["currentClusters"] = dict(reversed(problem["currentClusters"].items()))
        assert schedule(now=NOW, **problem) == answer(record)
