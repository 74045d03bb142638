"""The optimum against the real schedulers' answers: never worse on any level, in lexicographic order."""

from collections.abc import Iterable

import pytest

import fairlead
from fairlead.models.score import score
from karmada_record_manifests import manifests
from karmada_records import Record, records


def beaten(problems: Iterable[Record]) -> list[str]:
    """Return the recorded problems whose valid greedy answer is better than what solve() found."""
    found = []
    for record in problems:
        try:
            problem = fairlead.load(manifests(record["problem"]))
        except fairlead.ManifestError:
            # Past the webhook; test_dispense_karmada counts them.
            continue
        greedy = fairlead.dispense(problem, like="karmada")
        if greedy.reason or greedy.violations or greedy.placement is None:
            continue
        best = fairlead.solve(problem)
        if best.placement is None:
            found.append(f"{record['id']}: {best.status}")
            continue
        if best.problem.workloads[0].group != greedy.problem.workloads[0].group:
            continue
        proven = tuple(level.value for level in best.objectives)
        if proven > tuple(level.value for level in score(best.problem, greedy.placement)):
            found.append(record["id"])
    return found


def test_some_recorded_problems() -> None:
    """Every fortieth recorded problem of Karmada."""
    assert beaten(records()[::40]) == []


@pytest.mark.long
def test_all_recorded_problems() -> None:
    """All recorded problems of Karmada that manifests can state."""
    assert beaten(records()) == []
