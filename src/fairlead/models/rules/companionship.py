"""Companionship: workloads that stand on the same clusters, or on none in common."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from fairlead.models.data import ProblemData
from fairlead.models.mistaken import Faults, FleetClusters, PlainRepr, doubles
from fairlead.models.placement import Placement
from fairlead.models.source import Source
from fairlead.models.statement import Statement, Violation
from fairlead.models.words import listed

KIND = "companionship"


@dataclass(frozen=True, slots=True, repr=False)
class Companionship(PlainRepr):
    """Workloads of one group keep together, or apart.

    Together: a later workload uses only clusters that every earlier one uses; the order is that of the
    schedulers, those that run first, then by priority and key. Apart: no two of them share a cluster.
    Workloads that are scaled to 0, or not in the problem at hand, take no part.
    """

    name: str
    """Name of the group, as people call it."""
    members: tuple[str, ...]
    """Keys of the workloads, in that order."""
    together: bool
    """True for affinity, False for anti-affinity."""
    source: Source | None = None
    """Where the rule was declared; None where it was not."""

    def mistakes(self, known: FleetClusters, keys: frozenset[str]) -> Faults:
        """Yield workloads that the problem does not have, and those that are named twice."""
        del known
        for key in sorted(set(self.members) - keys):
            yield f"Companionship {self.name}: members", key, "is not a workload of the problem"
        for key in doubles(self.members):
            yield f"Companionship {self.name}: members", key, "is named twice"

    def tied(self, problem: ProblemData) -> tuple[str, ...]:
        """Return the keys of the workloads that it ties together."""
        return tuple(key for key in self.members if key in problem.workload_by_key)

    def violations(self, problem: ProblemData, placement: Placement) -> Iterator[Violation]:
        """List pairs of workloads that stand apart or together where they must not."""
        members = [key for key in self.tied(problem) if problem.workload(key).replicas]
        for earlier, later in combinations(members, 2):
            first, second = set(placement.of(earlier)), set(placement.of(later))
            wrong = sorted(second - first) if self.together else sorted(second & first)
            for cluster in wrong:
                if self.together:
                    text = f"{later} runs on {cluster} without {earlier}, to which {self.name} ties it"
                else:
                    text = f"{later} runs on {cluster} with {earlier}, from which {self.name} parts it"
                yield Violation(KIND, text, 1, self.source, later, cluster, earlier)


def describe(rule: Companionship) -> Statement:
    """Say in the user's words which workloads keep together or apart."""
    if rule.together:
        first, others = rule.members[0], listed(rule.members[1:], "workload")
        stand = "runs" if len(rule.members) == 2 else "run"
        text = f"{rule.name}: {others} {stand} only on clusters where {first} runs"
    else:
        text = f"{rule.name}: {listed(rule.members, 'workload')} share no cluster"
    return Statement(KIND, text, rule.source)
