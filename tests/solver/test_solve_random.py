"""solve() against brute force: all rules mixed, all measures, every way an answer can be found."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from agreeing import assert_best
from fairlead.models.cluster import Cluster
from fairlead.models.levels import Deviation
from fairlead.models.problem import Problem
from fairlead.models.rules import Aggregated, Candidates, Spread, Total
from fairlead.models.workload import Workload
from fairlead.solver.exact import allocation, alone
from fairlead.solver.exact.boxes import WorkloadBox
from fairlead.solver.exact.nested import choose
from fairlead.solver.solve import solve
from random_problems import random_problem
from seeds import holds_for, seeds


def test_nothing_to_spread() -> None:
    """A workload scaled to 0 stands nowhere, whatever its groups are; Aggregated rules the formula out."""
    zones = {"a": frozenset({"member1"}), "b": frozenset({"member2"})}
    rules = (
        Candidates(("member1", "member2")),
        Total(),
        Spread("zone", zones, 1, 1),
        Aggregated(),
    )
    workload = Workload("w", "w", 0, rules=rules)
    assert_best(Problem((Cluster("member1"), Cluster("member2")), (workload,)))


@pytest.mark.parametrize("deviation", Deviation)
@pytest.mark.parametrize("which", seeds(150, 4000))
def test_agrees_with_brute_force(which: range, deviation: Deviation) -> None:
    """Random mixtures of all rules: feasibility, every level and the tie-break are those of brute force."""
    holds_for(which, lambda seed: assert_best(random_problem(seed, deviation)))


def test_every_way_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """The random problems reach all ways: what runs stays, exact allocation, a choice of clusters, CP-SAT."""
    taken: Counter[str] = Counter()
    stays, allocate, chooses = alone.stays, allocation.allocate, choose.choose

    def stayed(*asked: Any) -> bool:
        answer = stays(*asked)
        taken["stays"] += answer
        return answer

    def allocated(workload: Workload, problem: Problem, boxed: WorkloadBox) -> Mapping[str, int] | None:
        answer = allocate(workload, problem, boxed)
        taken["exact"] += answer is not None
        return answer

    def chosen(workload: Workload, problem: Problem, boxed: WorkloadBox) -> Mapping[str, int] | None:
        answer = chooses(workload, problem, boxed)
        taken["choose"] += answer is not None
        return answer

    monkeypatch.setattr(alone, "stays", stayed)
    monkeypatch.setattr(alone, "allocate", allocated)
    monkeypatch.setattr(choose, "choose", chosen)
    for seed in range(150):
        taken[solve(random_problem(seed, Deviation.WEBSTER), workers=1).origin] += 1
    assert min(taken[way] for way in ("stays", "exact", "choose", "cp-sat")) >= 2, taken
