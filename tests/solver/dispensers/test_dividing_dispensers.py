"""Dispensers that divide by weights: the proposal's pseudocodes, Webster, the largest remainder."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairlead
from builders import binding, clusters, duplicated, static, term
from dispensed import placed
from fairlead.solver.dispensers.rules_of_thumb import (
    DivisionInput,
    by_largest_remainder,
    by_proposal,
    by_proposal_ceiling,
    by_webster,
)

NAMES = ("karmada-proposal", "karmada-proposal-ceiling", "largest-remainder", "webster")


def question(
    replicas: int, *weights: int, low: dict[str, int] | None = None, high: dict[str, int] | None = None
) -> DivisionInput:
    """Return a division over clusters a, b, c, ... with some weights."""
    return DivisionInput(replicas, dict(zip("abcdefgh", weights, strict=False)), low or {}, high or {})


def numbers(answer: object) -> list[int]:
    """Return the replicas in name order."""
    assert isinstance(answer, dict)
    return list(answer.values())


def test_proposal_as_written() -> None:
    """Shares of what is left by then: 9 over 1:1:1 is 3 of 9, 2 of 6, 1 of 4, and 3 left for one each."""
    assert numbers(by_proposal(question(9, 1, 1, 1))) == [4, 3, 2]


def test_proposal_leaves_replicas_unplaced() -> None:
    """25 of 100, 18 of 75, 14 of 57, 10 of 43, and one each of the 33 that are left: 71 are placed."""
    assert numbers(by_proposal(question(100, 1, 1, 1, 1))) == [26, 19, 15, 11]
    problem = fairlead.load(clusters(4), binding("web", 100, placement=static()))
    outcome = fairlead.dispense(problem, like="karmada-proposal")
    assert outcome.status is fairlead.Status.INFEASIBLE
    assert [(violation.rule, violation.amount) for violation in outcome.violations] == [("total", 29)]


def test_proposal_serves_minima_first() -> None:
    """7 for a first; of the 3 that are left 1 goes to a, 1 of 2 to b, and the last one to a."""
    assert numbers(by_proposal(question(10, 1, 1, low={"a": 7}))) == [9, 1]
    assert by_proposal(question(6, 1, 1, low={"a": 7})) is None


def test_a_refused_division_has_a_reason() -> None:
    """The proposal's webhook refuses a policy whose minima exceed the replicas."""
    refused = static(("member1", 1), ("member2", 1), clusterConstraintTerms=[term("member1", 7)])
    outcome = fairlead.dispense(
        fairlead.load(clusters(2), binding("web", 6, placement=refused)), like="karmada-proposal"
    )
    assert (outcome.status, outcome.reason) == (fairlead.Status.INFEASIBLE, "Invalid")


def test_ceiling_as_written() -> None:
    """10 over 1:1:1 is 4 each, and the two too many are taken from the first two."""
    assert numbers(by_proposal_ceiling(question(10, 1, 1, 1))) == [3, 3, 4]


def test_ceiling_keeps_one_everywhere() -> None:
    """2 over 1:1:1 is 1 each, and nothing goes below 1: one replica too many."""
    assert numbers(by_proposal_ceiling(question(2, 1, 1, 1))) == [1, 1, 1]
    problem = fairlead.load(clusters(3), binding("web", 2, placement=static()))
    outcome = fairlead.dispense(problem, like="karmada-proposal-ceiling")
    assert [(violation.rule, violation.amount) for violation in outcome.violations] == [("total", 1)]


def test_webster_and_largest_remainder_differ() -> None:
    """Quotas 7.2, 1.4, 1.4 of 10: the remainder .4 beats .2, yet 7.2/7.5 = 0.96 beats 1.4/1.5 = 0.93."""
    assert numbers(by_largest_remainder(question(10, 72, 14, 14))) == [7, 2, 1]
    # Webster rounds all three down with divisor 1; at 0.96 of it 7.2 reaches 7.5 before 1.4 reaches 1.5.
    assert numbers(by_webster(question(10, 72, 14, 14))) == [8, 1, 1]


def test_webster_keeps_bounds() -> None:
    """At most 3 for a, at least 4 for c: 5 of 12 are left for b."""
    assert numbers(by_webster(question(12, 1, 1, 1, low={"c": 4}, high={"a": 3}))) == [3, 5, 4]
    assert by_webster(question(12, 1, 1, high={"a": 3, "b": 3})) is None


def test_no_weights() -> None:
    """Where nobody weighs anything Webster fills from the first name, and the largest remainder gives up."""
    assert numbers(by_webster(question(5, 0, 0))) == [5, 0]
    assert by_largest_remainder(question(5, 0, 0)) is None
    assert by_proposal_ceiling(question(5, 0, 0)) == {}
    assert numbers(by_proposal(question(1, 0, 0))) == [1, 0]


@pytest.mark.parametrize("name", NAMES)
def test_copies_and_zero(name: str) -> None:
    """Duplicated puts every replica everywhere; a workload scaled to 0 stands nowhere."""
    documents = [
        binding("all", 3, placement=duplicated()),
        binding("none", 0, placement=static(minReplicas=2)),
    ]
    outcome = fairlead.dispense(fairlead.load(clusters(2), documents), like=name)
    assert placed(outcome) == {"default/all": {"member1": 3, "member2": 3}, "default/none": {}}
    assert outcome.status is fairlead.Status.FEASIBLE


@given(st.integers(1, 300), st.lists(st.integers(0, 20), min_size=1, max_size=8))
def test_totals_and_quotas(replicas: int, weights: list[int]) -> None:
    """Webster and the largest remainder place everything; the latter stays within one of every quota."""
    asked = question(replicas, *weights)
    assert sum((by_webster(asked) or {}).values()) == replicas
    answer = by_largest_remainder(asked)
    total = sum(weights)
    assert (answer is None) == (total == 0)
    for name, count in (answer or {}).items():
        assert abs(count * total - replicas * asked.weights[name]) < total
    assert answer is None or sum(answer.values()) == replicas
    rounded = by_proposal_ceiling(asked)
    positive = sum(weight > 0 for weight in weights)
    assert sum(rounded.values()) == (max(replicas, positive) if total else 0)
