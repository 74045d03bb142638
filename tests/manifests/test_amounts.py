"""Amounts of 2^63 and more are exact or refused; no cost grows with the number of replicas."""

import random
from fractions import Fraction

import pytest

import fairlead
from builders import cluster, deployment, policy, static, term
from fairlead.encoders.distances import distance_from_quota, floor_sum, sum_of_steps
from fairlead.encoders.scale import StepScale
from fairlead.models.errors import ManifestError, UnsupportedError
from fairlead.models.levels import Deviation
from fairlead.models.outcome import Status
from fairlead.models.statement import Proof
from fairlead.solver.plan.greedy import _counts

BILLIONS = 2**31 - 1


@pytest.mark.parametrize("memory", ["8Ei", "16Ei", "999999999Ei", 2**63, 2**63 - 1])
def test_amounts_beyond_64_bits_are_no_limit(memory: str | int) -> None:
    """A cluster with more memory than all could ask for is limited by its cpu only: 4 of 10 replicas."""
    fleet = [cluster("a", cpu=4, memory=memory), cluster("b", cpu=100, memory=memory)]
    asked = deployment(replicas=10, cpu=1, memory="4Gi")
    outcome = fairlead.solve(fairlead.load([*fleet, asked, policy(placement=static(("a", 9), ("b", 1)))]))
    assert outcome.status is Status.OPTIMAL
    assert outcome.placement is not None
    assert outcome.placement["default/nginx"] == {"a": 4, "b": 6}


@pytest.mark.parametrize("overcommitted", ["8Ei", "999999999Ei"])
def test_conflicts_with_amounts_beyond_64_bits(overcommitted: str) -> None:
    """What others take is beyond all measure on a, and pods are on b: the conflict says so."""
    fleet = [
        cluster("a", memory="1Gi", allocated={"memory": overcommitted}),
        cluster("b", memory=overcommitted, pods=1),
    ]
    asked = deployment(replicas=3, memory="1Gi")
    outcome = fairlead.solve(fairlead.load([*fleet, asked, policy(placement=static(("a", 1), ("b", 1)))]))
    assert outcome.status is Status.INFEASIBLE
    assert outcome.conflict is not None
    assert "b has capacity for 1" in str(outcome)


def test_sums_that_cannot_be_counted_are_refused() -> None:
    """2^31 - 1 replicas of 2^32 + 1 bytes beside one of 1 byte: 2^63 units of one byte, 8 times too many."""
    documents = [
        cluster("a", memory="8Ei"),
        deployment("big", BILLIONS, memory=2**32 + 1),
        deployment("small", 1, memory=1),
        policy(placement=static(("a", 1))),
    ]
    with pytest.raises(ManifestError, match="too much to count exactly; allowed are 1Ei in units of 1"):
        fairlead.load(documents)


@pytest.mark.parametrize("partial", [False, True])
@pytest.mark.parametrize("deviation", ["webster", "l1"])
def test_billions_of_replicas(deviation: str, *, partial: bool) -> None:
    """Two workloads of 2^31 - 1 replicas and others share clusters: no step is taken for each of them."""
    fleet = [cluster("a", cpu="9000000000000", pods=2**62), cluster("b", cpu=1000, pods=2**62)]
    documents = [
        *fleet,
        deployment("one", BILLIONS, cpu=1000),
        deployment("two", BILLIONS, cpu=1),
        deployment("three", 3, cpu="500m"),
        policy(placement=static(("a", 2**31 - 1), ("b", 1000000000))),
    ]
    outcome = fairlead.solve(
        fairlead.load(documents), partial=partial, deviation=deviation, time_limit=5.0, workers=1
    )
    assert outcome.status in (Status.OPTIMAL, Status.FEASIBLE)
    assert outcome.placement is not None
    assert sum(outcome.placement["default/one"].values()) == BILLIONS  # all fit on a
    # b holds 1000 replicas of one cpu, where nothing else stands there
    assert (
        sum(count for row in outcome.placement.values() for name, count in row.items() if name == "b") <= 2000
    )


def test_sums_of_rounded_steps() -> None:
    """Formula and sum, step by step, agree on random progressions."""
    chance = random.Random(1)
    for _ in range(3000):
        count, slope, offset, divisor = (
            chance.randint(*ends) for ends in ((0, 12), (0, 30), (0, 40), (1, 15))
        )
        assert floor_sum(count, slope, offset, divisor) == sum(
            (slope * k + offset) // divisor for k in range(count)
        )
        first, last, below = chance.randint(-8, 8), chance.randint(-8, 8), chance.randint(-60, 60)
        steps = [int(Fraction((slope + 1) * k + below, divisor)) for k in range(*sorted((first, last)))]
        wanted = sum(steps) if first <= last else -sum(steps)
        assert sum_of_steps(first, last, slope + 1, below, divisor) == wanted


@pytest.mark.parametrize("deviation", [Deviation.WEBSTER, Deviation.L1])
@pytest.mark.parametrize("exact", [True, False])
def test_distances_are_the_sum_of_their_steps(deviation: Deviation, *, exact: bool) -> None:
    """Also where costs are rounded: 60 replicas over weights 7 and 5 in 175 or in 13 steps."""
    for quota in (Fraction(60 * 7, 12), Fraction(60 * 5, 12)):
        function, _ = distance_from_quota(quota, StepScale(175 if exact else 13, exact), deviation)
        for at in range(61):
            between = range(*sorted((function.anchor, at)))
            wanted = sum(function.marginal(k) for k in between)
            assert function(at) == (wanted if at >= function.anchor else -wanted)


def test_few_numbers_of_replicas_are_tried() -> None:
    """All of a small number, the largest first; of billions both ends and halves in between."""
    assert list(_counts(5)) == [5, 4, 3, 2, 1]
    many = list(_counts(BILLIONS))
    assert many == sorted(set(many), reverse=True)
    assert (many[0], many[-1]) == (BILLIONS, 1)
    assert len(many) < 100


@pytest.mark.parametrize("deviation", ["webster", "minimax"])
def test_weights_that_cannot_be_measured_are_refused(deviation: str) -> None:
    """Weights of 1 and 2^62 for 7 replicas cost up to 2^64, beside a workload that shares the clusters."""
    documents = [
        cluster("a", cpu=9),
        cluster("b", cpu=4),
        deployment("one", 7, cpu=1),
        deployment("two", 5, cpu=1),
        policy(placement=static(("a", 1), ("b", 2**62))),
    ]
    with pytest.raises(UnsupportedError, match="weights between 1 and 4611686018427387904 for 7 replicas"):
        fairlead.solve(fairlead.load(documents), deviation=deviation)


def test_conflicts_are_looked_for_with_requests_beyond_64_bits() -> None:
    """One replica asks for more than 64 bits can say, and two of them have to stand on a cluster of 1 GiB."""
    least = static(("a", 1), ("b", 1), clusterConstraintTerms=[term("a", 2)])
    fleet = [cluster("a", memory="1Gi"), cluster("b", memory="1Gi")]
    asked = deployment(replicas=3, memory="999999999Ei")
    problem = fairlead.load([*fleet, asked, policy(placement=least)])
    (conflict,) = fairlead.solve(problem, workers=1).conflicts
    assert conflict.proof is Proof.SMALLEST
    assert [each.cluster for each in conflict.rules] == ["a", "a"]


def test_weights_that_differ_too_much_are_refused_with_their_workload() -> None:
    """Weights of 1 and 2^62 beside another workload on the same full cluster: whose they are, and where."""
    far = static(("a", 1), ("b", 2**62))
    documents = [
        cluster("a", cpu=3),
        cluster("b", cpu=9),
        deployment("far", 10, cpu=1),
        deployment("near", 2, cpu=1),
        policy(placement=far),
    ]
    with pytest.raises(
        UnsupportedError, match=r"<dict>: default/far: weights between 1 and 4611686018427387904"
    ):
        fairlead.solve(fairlead.load(documents), method="cp-sat")
