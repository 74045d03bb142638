"""Weights: the ratio in which a workload wants to be divided, and the distance from it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from fairlead.models.data import WorkloadData
from fairlead.models.in_order import WORTH_ARRAYS, Column, Known, names_of, numbers_of
from fairlead.models.levels import DEVIATION, DYNAMIC_DEVIATION, Deviation, Level, Measured
from fairlead.models.mistaken import MOST_WEIGHT, WEIGHT, Faults, FleetClusters, PlainRepr, amounts, strangers
from fairlead.models.quantity import sum_of_ratios
from fairlead.models.source import Source

KIND = "weights"


@dataclass(frozen=True, repr=False)
class Weights(Known, PlainRepr):
    """The workload is divided as closely to the ratio of the weights as the other rules allow."""

    weights: Mapping[str, int]
    """Weight by candidate, at least 0."""
    dynamic: bool = False
    """True where the weights are the room of the clusters (available replicas)."""
    source: Source | None = None
    """Where the rule was declared; None where it was not."""
    tiers: tuple[frozenset[str], ...] = ()
    """Candidates by overflow tier, where there are tiers: each tier divides what it holds, so the quotas of a
    tier are shares of the replicas that stand there, and the distances of the tiers add up. Empty where there
    are none."""
    apart: bool = False
    """True where the deviation counts after balance, as that from dynamic weights does of workloads that fill
    clusters together; see `fairlead.models.score`."""

    def mistakes(self, known: FleetClusters) -> Faults:
        """Yield clusters that the problem does not have, and weights that are none."""
        weighed = by_cluster(self)
        yield from strangers("Weights.weights", names_of(weighed), known)
        yield from amounts("Weights.weights", weighed, WEIGHT, least=0, most=MOST_WEIGHT)

    def levels(self, workload: WorkloadData) -> tuple[Level, ...]:
        """Return the one level on which the deviation counts."""
        del workload
        return (level(self),)

    def cost_of(self, measured: Measured) -> Fraction:
        """Return the distance of a placement from the quotas, exactly."""
        return cost(self, measured.workload, measured.placed, measured.deviation)


def by_cluster(rule: Weights) -> Mapping[str, int]:
    """Return the weights, as a column where they are many."""
    return rule.once(_column) if len(rule.weights) >= WORTH_ARRAYS else rule.weights


def _column(rule: Weights) -> Column:
    return Column(tuple(rule.weights), [*rule.weights.values()])


def level(rule: Weights) -> Level:
    """Return the level on which the deviation counts."""
    return DYNAMIC_DEVIATION if rule.apart else DEVIATION


def divided(
    rule: Weights, workload: WorkloadData, placed: Mapping[str, int]
) -> Iterator[tuple[Mapping[str, int], int]]:
    """Yield weights and replicas that are divided by them: all replicas, or those of each overflow tier."""
    if not rule.tiers:
        yield by_cluster(rule), workload.replicas
        return
    for tier in rule.tiers:
        held = sum(replicas for cluster, replicas in placed.items() if cluster in tier)
        yield {cluster: weight for cluster, weight in rule.weights.items() if cluster in tier}, held


def quotas(rule: Weights, workload: WorkloadData, placed: Mapping[str, int]) -> dict[str, Fraction]:
    """Return the exact share of every candidate in replicas: ``q = N w / W``; 0 where W is 0.

    With overflow tiers, N and W are those of the tier, N being what it holds.
    """
    found: dict[str, Fraction] = {}
    for inside, replicas in divided(rule, workload, placed):
        whole = sum(inside.values())
        share = Fraction(replicas, whole) if whole else Fraction(0)
        found |= {cluster: share * weight for cluster, weight in inside.items()}
    return found


def cost(rule: Weights, workload: WorkloadData, placed: Mapping[str, int], deviation: Deviation) -> Fraction:
    """Return the distance of a division from the quotas, exactly.

    Clusters of weight 0 are left out of the measure.
    """
    parts = divided(rule, workload, placed)
    return sum((distance(inside, placed, held, deviation) for inside, held in parts), Fraction(0))


def distance(
    weights: Mapping[str, int], placed: Mapping[str, int], replicas: int, deviation: Deviation
) -> Fraction:
    """Return the distance of a division of so many replicas from the ratio of weights, exactly."""
    whole = sum(numbers_of(weights))
    if not replicas or not whole:
        return Fraction(0)
    if deviation is Deviation.WEBSTER:
        return _webster(weights, placed, replicas, whole)
    weighted = {cluster: weight for cluster, weight in weights.items() if weight > 0}
    gaps = {
        cluster: abs(whole * placed.get(cluster, 0) - replicas * weight)
        for cluster, weight in weighted.items()
    }
    if deviation is Deviation.L1:
        return Fraction(sum(gaps.values()), whole)
    return _greatest(gaps, weighted) / replicas


def _greatest(gaps: Mapping[str, int], weighted: Mapping[str, int]) -> Fraction:
    """Return the greatest gap per weight, compared by cross products."""
    most, most_weight = 0, 1
    for cluster, weight in weighted.items():
        if gaps[cluster] * most_weight > most * weight:
            most, most_weight = gaps[cluster], weight
    return Fraction(most, most_weight)


def _webster(weights: Mapping[str, int], placed: Mapping[str, int], replicas: int, whole: int) -> Fraction:
    """Return sum (x - q)^2 / q as (W / N) sum x^2 / w - 2 sum x + N, summing equal weights first."""
    squares: dict[int, int] = {}
    total = 0
    for cluster, held in placed.items():
        weight = weights.get(cluster, 0)
        if weight > 0:
            total += held
            squares[weight] = squares.get(weight, 0) + held * held
    over, under = sum_of_ratios([(square, weight) for weight, square in sorted(squares.items()) if square])
    return Fraction(whole * over + (replicas - 2 * total) * replicas * under, replicas * under)
