"""Balance: workloads that are placed together fill clusters together."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from fairlead.models.data import ProblemData
from fairlead.models.mistaken import PlainRepr
from fairlead.models.placement import Placement
from fairlead.models.quantity import summed
from fairlead.models.usage import Amounts, Row, add, usage

KIND = "balance"


@dataclass(frozen=True, repr=False)
class Balance(PlainRepr):
    """Workloads that are tied by clusters are to fill these alike."""

    members: frozenset[str]
    shares: Mapping[str, Mapping[str, Fraction]]
    """Part of the capacity for the members that each cluster has, by resource, then cluster; the parts of a
    resource add up to 1. Clusters of unknown capacity, and of none, are absent."""
    standing: Amounts = field(default_factory=dict)
    """Amounts used by members that are not in the problem, because they stand where they stand."""
    totals: Mapping[str, int] = field(default_factory=dict)
    """Amounts used by the members on all these clusters together, by resource, where that is known to be the
    same in every placement. Where it is not, balance can be searched for in small problems only."""
    between: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Least and most of these amounts by resource, where they are not known, as far as that is known."""

    @property
    def totals_known(self) -> bool:
        """Whether it is known of every resource how much is used in all."""
        return self.shares.keys() <= self.totals.keys()


def cost(rule: Balance, problem: ProblemData, placement: Placement) -> Fraction:
    """Return how unevenly the clusters are filled: sum (u - s)^2 / s over clusters and resources, exactly.

    With ``s`` a cluster's share of what there is, and ``u`` its part of what the members use of all these
    clusters together.
    """
    used = used_by(rule, problem, placement)
    return sum((_unevenness(used, name, shares) for name, shares in rule.shares.items()), Fraction(0))


def used_by(rule: Balance, problem: ProblemData, placement: Placement) -> dict[Row, int]:
    """Return the amounts that the members use, by cluster and resource, `standing` included."""
    inside = [each for each in problem.workloads if each.key in rule.members]
    everybody = len(inside) == len(problem.workloads)
    used = usage(problem.workloads if everybody else inside, placement, problem)
    add(used, rule.standing)
    return used


def _unevenness(used: Mapping[Row, int], resource: str, shares: Mapping[str, Fraction]) -> Fraction:
    """Return the unevenness of one resource: sum u^2 / s - 1, as the shares s add up to 1; 0 if unused."""
    amounts = [(used.get((name, resource), 0), share) for name, share in shares.items()]
    total = sum(amount for amount, _ in amounts)
    if not total:
        return Fraction(0)
    squares = summed(amount * amount / share for amount, share in amounts if amount)
    return squares / (total * total) - 1
